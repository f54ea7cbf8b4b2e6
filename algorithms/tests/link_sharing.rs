//! Multicast over shared links: LogP without sharing, examples by hand, and lower bounds.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

mod random;

use castbench_algorithms::internals::logp::multicast::link_sharing::{Message, Trace, simulate};
use castbench_algorithms::internals::logp::multicast::problem::MULTICASTS;
use castbench_algorithms::internals::logp::multicast::schedule::Schedule;
use castbench_algorithms::internals::logp::multicast::simulator;
use castbench_algorithms::internals::violation::Rule;
use castbench_algorithms::logp::LogGops;
use castbench_algorithms::logp::LogP;
use num_bigint::BigInt;
use num_rational::BigRational;
use proptest::prelude::*;

fn whole(time: u64) -> BigRational {
    BigRational::from_integer(BigInt::from(time))
}

/// Sends with a wire time of 60 and no other cost; `hosts` is the host of each node.
fn shared(hosts: &[u32], sends: &[(u32, u32)]) -> Trace {
    let schedule = Schedule::new(u32::try_from(hosts.len()).unwrap(), 1, sends).unwrap();
    let host = |node: u32| hosts[node as usize - 1];
    simulate(
        Message {
            wire: 60,
            latency: 0,
            gap: 0,
            overhead: 0,
        },
        &schedule,
        host,
    )
    .unwrap()
}

fn held(hosts: &[u32], sends: &[(u32, u32)]) -> Vec<BigRational> {
    shared(hosts, sends).held
}

#[test]
fn a_message_is_its_time_on_the_wire_and_the_rest() {
    let machine = LogGops {
        L: 100,
        o: 10,
        g: 40,
        G: 1_500_000,
        O: 333_000,
        H: 2_000_000,
    };
    // 1000 further bytes.
    let long = Message {
        wire: 1500,
        latency: 100 + 2000 + 2 * 343,
        gap: 40,
        overhead: 343,
    };
    assert_eq!(Message::new(&machine, 1001), Ok(long));
    assert_eq!(
        Message::new(&machine, 1),
        Ok(Message {
            wire: 0,
            latency: 120,
            gap: 40,
            overhead: 10
        })
    );
    assert!(Message::new(&machine, 0).is_err());
}

/// Nodes 1 and 2 share host 0, whose uplink they share from the beginning; the same for a downlink.
#[test]
fn two_on_one_link_take_twice_as_long() {
    let uplink = held(&[0, 0, 1, 2], &[(1, 2), (1, 3), (2, 4)]);
    assert_eq!(uplink, [0, 0, 120, 120].map(whole));
    let downlink = held(&[0, 1, 2, 2], &[(1, 2), (1, 3), (2, 4)]);
    // Both begin at 60; with their own hosts they would end at 120.
    assert_eq!(downlink, [0, 60, 180, 180].map(whole));
}

/// The source reaches node 2 on its own host at once and is busy for its overhead, until 20. Then it shares its uplink
/// with node 2, whose message has 40 left and arrives at 100; the other arrives at 120. The last send begins a gap
/// after that.
#[test]
fn the_gap_follows_what_has_left_the_wire() {
    let message = Message {
        wire: 60,
        latency: 0,
        gap: 10,
        overhead: 20,
    };
    let schedule = Schedule::new(5, 1, &[(1, 2), (1, 3), (1, 5), (2, 4)]).unwrap();
    let hosts = [0, 0, 1, 2, 3];
    let trace = simulate(message, &schedule, |node| hosts[node as usize - 1]).unwrap();
    assert_eq!(trace.held, [0, 0, 120, 100, 190].map(whole));
}

#[test]
fn three_on_an_uplink_then_one_alone() {
    let hosts = [0, 0, 0, 2, 3, 1, 2];
    let sends = [(1, 2), (1, 3), (1, 6), (2, 4), (3, 5), (6, 7)];
    assert_eq!(
        held(&hosts, &sends),
        [0, 0, 0, 180, 180, 180, 240].map(whole)
    );
}

/// From 60 on, 1, 2 and 3 each get a third of host 0's uplink. 3 and 4 both send to host 2; 4 gets the other two thirds
/// of that downlink and takes 90; the three take 180.
#[test]
fn unused_capacity_goes_to_others() {
    let hosts = [0, 0, 0, 3, 1, 1, 2, 2];
    let sends = [(1, 4), (1, 2), (1, 3), (1, 5), (2, 6), (3, 7), (4, 8)];
    assert_eq!(
        held(&hosts, &sends),
        [0, 60, 60, 60, 240, 240, 240, 150].map(whole)
    );
}

#[test]
fn broken_schedules_are_refused() {
    let message = Message {
        wire: 60,
        latency: 5,
        gap: 0,
        overhead: 0,
    };
    let run = |nodes, source, sends: &[(u32, u32)]| {
        simulate(
            message,
            &Schedule::new(nodes, source, sends).unwrap(),
            |node| node,
        )
        .map(|trace| trace.finish)
    };
    assert_eq!(run(1, 1, &[]), Ok(0));
    assert_eq!(run(2, 1, &[(1, 2)]), Ok(65));
    let missing = Rule::Missing.broken("2 of 4 nodes never get the message, node 3 among them");
    assert_eq!(run(4, 1, &[(1, 2)]), Err(missing));
    // The two share the link of node 3 from 65 on. The first has sent 5 of 60 by then and ends at 175, the second at
    // 180.
    let twice =
        Rule::Twice.broken("node 3 gets the message a second time, from node 2 at time 185");
    assert_eq!(run(3, 1, &[(1, 2), (1, 3), (2, 3)]), Err(twice));
    assert_eq!(
        run(2, 1, &[(1, 1)]),
        Err(Rule::ToItself.broken("node 1 sends to itself"))
    );
    let no_node = |text: &str| Err(Rule::NoSuchNode.broken(text));
    assert_eq!(
        run(2, 1, &[(1, 3)]),
        no_node("node 1 sends to 3; the nodes are 1 to 2")
    );
    assert_eq!(
        run(2, 3, &[]),
        no_node("the source 3 is not one of the nodes 1 to 2")
    );
    let endless = Message {
        wire: u64::MAX,
        latency: 1,
        gap: 0,
        overhead: 0,
    };
    let refused = simulate(endless, &Schedule::new(2, 1, &[(1, 2)]).unwrap(), |node| {
        node
    })
    .unwrap_err();
    assert_eq!(refused.rule, Rule::TimeOverflow);
}

proptest! {
    #![proptest_config(random::cases(64, 60_805))]

    /// With one host per node nothing is shared, so every node has its LogP time.
    #[test]
    fn hosts_of_their_own_are_logp(
        (L, o, g) in (0u64..200, 0u64..50, 0u64..100),
        (G, O, H) in (0u64..900, 0u64..300, 0u64..900),
        (bytes, K) in (1u64..2000, 1u32..40),
        source in any::<prop::sample::Index>(),
    ) {
        let machine = LogGops { L, o, g, G: G * 1000, O: O * 1000, H: H * 1000 };
        prop_assume!(machine.at(1).is_ok());
        let (model, message) = (machine.at(bytes).unwrap(), Message::new(&machine, bytes).unwrap());
        let source = u32::try_from(source.index(K as usize)).unwrap() + 1;
        for tree in MULTICASTS.entries.iter().map(|entry| entry.algorithm) {
            let schedule = tree.schedule(model, K, source);
            let plain = simulator::simulate(model, &schedule).unwrap();
            let shared = simulate(message, &schedule, |node| node).unwrap();
            prop_assert_eq!(shared.finish, plain.finish);
            prop_assert_eq!(shared.held, plain.held.into_iter().map(whole).collect::<Vec<_>>());
        }
    }

    /// No hop is faster than its wire time, and no link exceeds its rate. On one host there is no wire.
    #[test]
    fn no_sharing_is_faster_than_the_links(
        hosts in prop::collection::vec(0u32..4, 1..20),
        (wire, latency, gap, overhead) in (0u64..100, 1u64..20, 0u64..150, 0u64..150),
    ) {
        let message = Message { wire, latency, gap, overhead };
        let host = |node: u32| hosts[node as usize - 1];
        let K = u32::try_from(hosts.len()).unwrap();
        for tree in MULTICASTS.entries.iter().map(|entry| entry.algorithm) {
            let schedule = tree.schedule(LogP::new(wire + latency, 0, overhead.max(wire + gap)).unwrap(), K, 1);
            let trace = simulate(message, &schedule, host).unwrap();
            let mut loads = [[0u64; 4]; 2];
            for sender in 1..=K {
                let at = |node: u32| trace.held[node as usize - 1].clone();
                let mut free = at(sender);
                for &receiver in schedule.targets(sender) {
                    let remote = host(sender) != host(receiver);
                    let least = if remote { wire } else { 0 };
                    prop_assert!(at(receiver) >= &free + whole(least + latency), "{} to {}", sender, receiver);
                    free = (at(receiver) - whole(latency) + whole(gap)).max(free + whole(overhead));
                    loads[0][host(sender) as usize] += u64::from(remote);
                    loads[1][host(receiver) as usize] += u64::from(remote);
                }
            }
            let busiest = loads.into_iter().flatten().max().unwrap_or(0);
            prop_assert!(K == 1 || trace.finish >= busiest * wire + latency);
            let alone = simulate(message, &schedule, |_| 0).unwrap();
            let unwired = simulator::simulate(LogP::new(latency, 0, gap.max(overhead)).unwrap(), &schedule).unwrap();
            prop_assert_eq!(alone.finish, unwired.finish);
        }
    }
}
