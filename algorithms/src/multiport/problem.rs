//! Broadcast on several ports as a problem: axes, algorithms, and one of them at one point.

use std::fmt;

use super::k_tree::KTrees;
use super::rounds::Transfer;
use super::{
    MAX_AT_ONCE, RoundBroadcast, balanced, bounds, chain, check_instance, circulant, grouped,
    hypercube, repeated, simulator,
};
use crate::cost::{By, Exact, Limits, Published, Simulated};
use crate::error::Error;
use crate::execution::{Emit, Event, Hints, Stage, View, What, Which};
use crate::papers;
use crate::problem::{
    At, Axis, Case, Kind, Listing, Memo, Problem, Setting, Unit, Value, coordinates, listed, needed,
};
use crate::text::plural;

/// How many messages to how many nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KPortPoint {
    /// Nodes, the source included; at least 1.
    pub n: u64,
    /// Ports: the most messages that a node sends, and receives, in a round; at least 1.
    pub k: u64,
    /// Messages; at least 1.
    pub m: u64,
}

/// m messages from one node to all of n, with k ports each.
pub const K_PORT_BROADCAST: Problem = Problem {
    unit: Unit::Rounds,
    limits: &[
        [
            "broadcasts on k ports",
            "n, k and m = 2^64 - 1",
            "the cost does not fit in 64 bits. circulant needs k = 1, hypercube a power of k + 1 nodes; hypercube-grouped and hypercube-balanced do not exist for some n and k",
        ],
        [
            "simulation on k ports, with any options",
            "2^25 messages; 2^34 deliveries",
            "no simulated cost; the answer says why",
        ],
    ],
    ..Problem::new(
        ["k-port-broadcast", "Broadcast of m messages on k ports"],
        &[
            Axis::new(
                "n",
                &["n_nodes"],
                Kind::Count,
                "nodes n, the source included",
                "nodes, the source included",
            ),
            Axis::new(
                "k",
                &["k_ports"],
                Kind::Count,
                "ports k",
                "ports: how many messages a node sends, and receives, in a round",
            ),
            Axis::new(
                "m",
                &["m_messages"],
                Kind::Count,
                "messages m",
                "messages to broadcast",
            ),
        ],
        &[
            &[("n", 50), ("k", 3), ("m", 17)],
            &[("n", 64), ("k", 3), ("m", 17)],
            &[("n", 50), ("k", 1), ("m", 17)],
        ],
        &ROUND_BROADCASTS,
    )
};

/// The algorithms.
pub static ROUND_BROADCASTS: Listing<dyn RoundBroadcast, KPortPoint> = Listing {
    point,
    entries: listed! {
        "k-tree" => KTrees::IN_ROW, (papers::K_TREE, "section 5, theorems 1 and 2; after Bar-Noy, Ho 1999"):
            "k spanning trees, a message in k to each";
        "k-tree-packed" => KTrees::PACKED, (papers::OWN, "multiport::packed"):
            "k spanning trees of the least height that k can have";
        "circulant" => circulant::Circulant, (papers::N_BLOCKS, "arXiv 2407.18004"):
            "one port: a circulant graph with ceil(log2 n) skips, round-optimal";
        "hypercube" => hypercube::Hypercube, (papers::OWN, "multiport::hypercube"):
            "n = (k+1)^q: in turn along each digit of the nodes, round-optimal";
        "hypercube-grouped" => grouped::GroupedHypercube, (papers::OWN, "multiport::grouped"):
            "a hypercube of groups of nodes: at most one round above the bound";
        "hypercube-balanced" => balanced::BalancedHypercube, (papers::OWN, "multiport::balanced"):
            "a hypercube and a pool of nodes: round-optimal wherever it exists";
        "repeated" => repeated::Repeated, (papers::FOLKLORE, "Ding, Li: theorem 1, m times"):
            "the best broadcast of one message, m times";
        "pipelined-chain" => chain::PipelinedChain, (papers::FOLKLORE, "Open MPI: pipeline"):
            "every node passes k messages a round to the next";
    },
};

fn point(_: &Setting, values: &[Value]) -> Result<KPortPoint, Error> {
    let [n, k, m] = coordinates(values)?;
    let (n, k, m) = (needed("n", n)?, needed("k", k)?, needed("m", m)?);
    check_instance(n, k, m)?;
    Ok(KPortPoint { n, k, m })
}

impl Case for At<dyn RoundBroadcast, KPortPoint> {
    fn describe(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let KPortPoint { n, k, m } = self.point;
        let (n, k, m) = (plural(n, "node"), plural(k, "port"), plural(m, "message"));
        writeln!(
            out,
            "{m} from node 0 to all of {n} (node 0 counts), {k} each"
        )
    }

    fn analytic(&self, _: &mut Memo) -> Result<Option<(Exact, By)>, Error> {
        let KPortPoint { n, k, m } = self.point;
        let rounds = self.algorithm.rounds(n, k, m)?;
        Ok(Some((Exact::Integer(rounds), By::Formula)))
    }

    fn lower_bound(&self, _: &mut Memo) -> Result<Exact, Error> {
        let KPortPoint { n, k, m } = self.point;
        bounds::least_rounds(n, k, m).map(Exact::Integer)
    }

    fn published(&self) -> Vec<Published> {
        let (algorithm, KPortPoint { n, k, m }) = (self.algorithm, self.point);
        algorithm
            .published(n, k, m)
            .into_iter()
            .chain(bounds::theorem_2(n, k, m))
            .collect()
    }

    fn too_large(&self, limits: &Limits) -> Option<String> {
        let KPortPoint { n, k, m } = self.point;
        executable(n, k, m, limits).err()
    }

    /// Every send is executed.
    fn work(&self) -> u64 {
        let KPortPoint { n, m, .. } = self.point;
        n.saturating_mul(m).saturating_mul(2)
    }

    fn execute(&self, _: &Which, emit: Emit<'_>) -> Result<Stage, Error> {
        let (algorithm, point) = (self.algorithm, self.point);
        let [n, k, m] = narrow(point)?;
        let mut transfers = 0..;
        // The ports of each node that are in use in this round.
        let (mut sending, mut receiving) = (vec![0; n as usize], vec![0; n as usize]);
        let next = |used: &mut [u32], node: u32| {
            used[node as usize] += 1;
            used[node as usize] - 1
        };
        simulator::observe(
            n,
            k,
            m,
            algorithm.schedule(n, k, m)?.as_mut(),
            |round, sends| {
                sending.fill(0);
                receiving.fill(0);
                for (&Transfer { from, to, message }, transfer) in sends.iter().zip(&mut transfers)
                {
                    let event = |what, node, port, peer| {
                        let (start, end) = (round - 1, round);
                        Event {
                            start,
                            end,
                            node,
                            what,
                            port,
                            peer,
                            transfer,
                            item: message,
                            class: 0,
                            size: 0,
                        }
                    };
                    emit(event(What::Send, from, next(&mut sending, from), to));
                    emit(event(What::Receive, to, next(&mut receiving, to), from));
                }
            },
        )?;
        let stage = Stage {
            source: Some(0),
            item: "message",
            items: m,
            ..Stage::new(n)
        };
        // There are k trees; counting them builds none.
        let has_trees =
            u64::from(n) * u64::from(k) <= MAX_AT_ONCE && algorithm.trees(1, 1).is_some();
        let view = if has_trees {
            View::Forest(k)
        } else {
            View::Messages
        };
        let title = format!("{}, {}", plural(n.into(), "node"), plural(k.into(), "port"));
        Ok(stage.drawn(Hints::new(view, title, "")))
    }

    fn simulate(&self) -> Result<Simulated, Error> {
        let (algorithm, point) = (self.algorithm, self.point);
        let [n, k, m] = narrow(point)?;
        let mut schedule = algorithm.schedule(n, k, m)?;
        Ok(Simulated::Exact(
            simulator::simulate(n, k, m, schedule.as_mut())?.rounds,
        ))
    }
}

/// A point that is executed: `too_large` has refused what needs more than 32 bits.
fn narrow(KPortPoint { n, k, m }: KPortPoint) -> Result<[u32; 3], Error> {
    let [n, k, m] = [n, k, m].map(|count| u32::try_from(count).map_err(|_| Error::Overflow));
    Ok([n?, k?, m?])
}

/// Most messages of a broadcast that is executed: 8 bytes each.
const MAX_MESSAGES: u64 = 1 << 25;

/// The most deliveries of a broadcast that is executed, for any limits: up to a bit each, and minutes.
const MAX_DELIVERIES: u64 = 1 << 34;

/// Refuses an instance that is not executed, and says why.
fn executable(n: u64, k: u64, m: u64, limits: &Limits) -> Result<(), String> {
    let above = |what: &str, most: u64, of: &str| {
        Err(format!(
            "{what} is above the {most} {of} that are simulated"
        ))
    };
    let most = limits.nodes.min(Limits::MAX_NODES);
    if n > most {
        return above(&format!("n = {n}"), most, "nodes");
    }
    let deliveries = u128::from(m) * u128::from(n.saturating_sub(1));
    let most = limits.hops.min(MAX_DELIVERIES);
    if deliveries > most.into() {
        return above(&format!("m*(n-1) = {deliveries}"), most, "deliveries");
    }
    let at_once = u128::from(n) * u128::from(k.min(m));
    if at_once > MAX_AT_ONCE.into() {
        return above(
            &format!("n*min(k, m) = {at_once}"),
            MAX_AT_ONCE,
            "deliveries in a round",
        );
    }
    if m > MAX_MESSAGES {
        return above(&format!("m = {m}"), MAX_MESSAGES, "messages");
    }
    if k > u32::MAX.into() {
        above(&format!("k = {k}"), u32::MAX.into(), "ports")
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::{Agreement, Evaluation, Relation};
    use crate::multiport::circulant::Circulant;
    use crate::multiport::{Rounds, Trees};
    use crate::violation::Rule;

    #[test]
    fn an_instance_of_nothing_is_refused() {
        for (n, k, m, zero) in [(0, 1, 1, "n"), (1, 0, 1, "k"), (1, 1, 0, "m")] {
            let refused =
                |error| matches!(error, Error::Parameter { symbol, .. } if symbol == zero);
            assert!(check_instance(n, k, m).is_err_and(refused), "{zero}");
            assert!(
                evaluate(&KTrees::IN_ROW, n, k, m, &Limits::default()).is_err_and(refused),
                "{zero}"
            );
            assert!(!is_simulated(n, k, m, &Limits::default()), "{zero}");
        }
        assert_eq!(check_instance(1, 1, 1), Ok(()));
    }

    /// An algorithm with a single tree.
    struct OneTree;

    impl RoundBroadcast for OneTree {
        fn rounds(&self, n: u64, k: u64, m: u64) -> Result<u64, Error> {
            KTrees::IN_ROW.rounds(n, k, m)
        }

        fn schedule(&self, n: u32, k: u32, m: u32) -> Result<Box<dyn Rounds>, Error> {
            KTrees::IN_ROW.schedule(n, k, m)
        }

        fn trees(&self, n: u32, k: u32) -> Option<Trees> {
            assert_eq!((n, k), (1, 1), "all trees are built to count them");
            KTrees::IN_ROW.trees(n, k)
        }
    }

    #[test]
    fn trees_are_counted_without_building_them() {
        let point = KPortPoint {
            n: 1,
            k: 30_000_000,
            m: 30_000_000,
        };
        let one: At<dyn RoundBroadcast, _> = At {
            algorithm: &OneTree,
            point,
        };
        let stage = one.execute(&Which::default(), &mut |_| ()).unwrap();
        assert_eq!(stage.hints.view, View::Forest(30_000_000));
    }

    #[test]
    fn an_evaluation_has_all_parts() {
        let evaluation = evaluate(&KTrees::IN_ROW, 40, 3, 7, &Limits::default()).unwrap();
        assert_eq!(evaluation.agreement(), Agreement::Agree);
        let relations: Vec<_> = evaluation
            .published
            .iter()
            .map(|claim| claim.relation)
            .collect();
        assert_eq!(relations, [Relation::AtMost, Relation::AtLeast]);
        // Without an own figure only theorem 2 is published.
        let evaluation = evaluate(&KTrees::PACKED, 40, 3, 7, &Limits::default()).unwrap();
        assert_eq!(
            evaluation
                .published
                .iter()
                .map(|claim| claim.section)
                .collect::<Vec<_>>(),
            ["theorem 2"]
        );
        // Ceil(7/3) - 1 + ceil(log_4 40) = 5; by counting 3 + ceil((273 - 63) / 117) = 5.
        assert_eq!(evaluation.lower_bound, Exact::Integer(5));
    }

    #[test]
    fn beyond_the_limits_the_analytic_cost_stands_alone() {
        let limits = Limits {
            nodes: 1000,
            hops: 10_000,
        };
        for (n, k, m, simulated, why) in [
            (1000, 4, 10, true, ""),
            (1001, 4, 9, false, "n = 1001 is above the 1000 nodes"),
            (
                1000,
                4,
                11,
                false,
                "m*(n-1) = 10989 is above the 10000 deliveries",
            ),
            (3, (1 << 32) - 1, 5000, true, ""),
            (
                3,
                1 << 32,
                5,
                false,
                "k = 4294967296 is above the 4294967295 ports",
            ),
            (1, 1, u64::MAX, false, "is above the 33554432 messages"),
            (
                1,
                1 << 30,
                1 << 30,
                false,
                "n*min(k, m) = 1073741824 is above the 33554432 deliveries in a round",
            ),
        ] {
            assert_eq!(is_simulated(n, k, m, &limits), simulated, "{n} {k} {m}");
            match evaluate(&KTrees::IN_ROW, n, k, m, &limits)
                .unwrap()
                .simulated
            {
                Simulated::Skipped(reason) => {
                    assert!(!simulated && reason.contains(why), "{reason}")
                }
                other => assert!(simulated, "{other:?}"),
            }
        }
    }

    #[test]
    fn no_limit_lifts_the_bounds_on_memory() {
        let limits = Limits {
            nodes: u64::MAX,
            hops: u64::MAX,
        };
        assert!(is_simulated(1 << 17, 1, 1 << 17, &limits));
        assert!(!is_simulated(1 << 18, 1, 1 << 17, &limits));
        assert!(!is_simulated(1 << 27, 1, 1, &limits));
        assert!(!is_simulated(2, 1, 1 << 26, &limits));
        assert!(!is_simulated(u64::MAX, u64::MAX, u64::MAX, &limits));
        // Just at a bound, and one above it.
        for (most, simulated) in [(MAX_AT_ONCE, true), (MAX_AT_ONCE + 1, false)] {
            assert_eq!(is_simulated(most, 1, 1, &limits), simulated);
        }
        for (most, simulated) in [(MAX_MESSAGES, true), (MAX_MESSAGES + 1, false)] {
            assert_eq!(is_simulated(1, 1, most, &limits), simulated);
        }
    }

    #[test]
    fn one_port_algorithms_say_what_to_use_instead() {
        let error = evaluate(&Circulant, 9, 2, 3, &Limits::default()).unwrap_err();
        assert!(
            error.to_string().starts_with("k = 2: expected 1"),
            "{error}"
        );
    }

    /// Takes one round by its formula; its schedule has none.
    struct Wrong;

    impl RoundBroadcast for Wrong {
        fn rounds(&self, _: u64, _: u64, _: u64) -> Result<u64, Error> {
            Ok(1)
        }

        fn schedule(&self, _: u32, _: u32, _: u32) -> Result<Box<dyn Rounds>, Error> {
            const NOTHING: &[Vec<Transfer>] = &[];
            Ok(Box::new(NOTHING.iter()))
        }
    }

    #[test]
    fn rejected_rounds_are_an_error() {
        let missing = Rule::Missing.broken("2 of 3 nodes never get message 0, node 1 among them");
        assert_eq!(
            evaluate(&Wrong, 3, 1, 1, &Limits::default()),
            Err(missing.into())
        );
    }

    fn evaluate(
        algorithm: &'static dyn RoundBroadcast,
        n: u64,
        k: u64,
        m: u64,
        limits: &Limits,
    ) -> Result<Evaluation, Error> {
        check_instance(n, k, m)?;
        let point = KPortPoint { n, k, m };
        At { algorithm, point }.costs(limits)
    }

    fn is_simulated(n: u64, k: u64, m: u64, limits: &Limits) -> bool {
        check_instance(n, k, m).is_ok() && executable(n, k, m, limits).is_ok()
    }
}
