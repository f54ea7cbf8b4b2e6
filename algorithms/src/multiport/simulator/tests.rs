use super::*;

/// Rounds as lists of `(from, to, message)`.
struct Script<'a>(std::slice::Iter<'a, &'a [(u32, u32, u32)]>);

impl Rounds for Script<'_> {
    fn round(&mut self, sends: &mut Vec<Transfer>) -> bool {
        let Some(round) = self.0.next() else { return false };
        sends.extend(round.iter().map(|&(from, to, message)| Transfer { from, to, message }));
        true
    }
}

fn run(n: u32, k: u32, m: u32, rounds: &[&[(u32, u32, u32)]]) -> Result<Trace, Violation> {
    simulate(n, k, m, &mut Script(rounds.iter()))
}

fn parallel(rounds: &[&[(u32, u32, u32)]]) -> usize {
    most_parallel(&mut Script(rounds.iter()))
}

/// Two messages to three nodes over two ports.
const ALLOWED: [&[(u32, u32, u32)]; 2] = [&[(0, 1, 0), (0, 2, 1)], &[(1, 2, 0), (2, 1, 1)]];

/// The allowed broadcast with one round replaced.
fn with(round: usize, sends: &[(u32, u32, u32)]) -> Result<Trace, Violation> {
    let mut rounds = ALLOWED;
    rounds[round] = sends;
    run(3, 2, 2, &rounds)
}

#[test]
fn an_allowed_broadcast_passes() {
    assert_eq!(run(3, 2, 2, &ALLOWED), Ok(Trace { rounds: 2, sends: 4, repeated: 0 }));
    assert_eq!(run(3, 1, 2, &ALLOWED), Err(Violation::TooManySent { round: 1, node: 0, ports: 1 }));
    assert_eq!(parallel(&ALLOWED), 1);
    assert_eq!(run(1, 1, 5, &[]), Ok(Trace { rounds: 0, sends: 0, repeated: 0 }));
    assert_eq!(parallel(&[]), 0);
}

#[test]
fn idle_rounds_take_their_time() {
    assert_eq!(run(2, 1, 1, &[&[], &[(0, 1, 0)], &[]]), Ok(Trace { rounds: 3, sends: 1, repeated: 0 }));
}

#[test]
fn repeated_and_parallel_messages_are_counted() {
    // Held already; twice in one round; held by all.
    let rounds: [&[_]; 3] = [&[(0, 1, 0), (0, 1, 0)], &[(0, 1, 0), (0, 2, 0)], &[(1, 0, 0), (2, 0, 0)]];
    assert_eq!(run(3, 2, 1, &rounds), Ok(Trace { rounds: 3, sends: 6, repeated: 4 }));
    assert_eq!(parallel(&rounds), 2);
    // One pair, two rounds; one pair, two directions.
    assert_eq!(parallel(&[&[(0, 1, 0)], &[(0, 1, 1), (1, 0, 0)]]), 1);
}

#[test]
fn every_rule_can_be_broken() {
    assert_eq!(with(0, &[(0, 3, 0)]), Err(Violation::NoSuchNode { round: 1, from: 0, to: 3, nodes: 3 }));
    assert_eq!(with(1, &[(3, 1, 1)]), Err(Violation::NoSuchNode { round: 2, from: 3, to: 1, nodes: 3 }));
    let no_message = Violation::NoSuchMessage { round: 1, from: 0, message: 2, messages: 2 };
    assert_eq!(with(0, &[(0, 1, 0), (0, 2, 2)]), Err(no_message));
    assert_eq!(with(1, &[(1, 1, 0)]), Err(Violation::ToItself { round: 2, node: 1 }));
    let many = &[(0, 1, 0), (0, 2, 1), (0, 1, 1)];
    assert_eq!(with(0, many), Err(Violation::TooManySent { round: 1, node: 0, ports: 2 }));
    let many = &[(1, 2, 0), (0, 2, 0), (0, 2, 1)];
    assert_eq!(with(1, many), Err(Violation::TooManyReceived { round: 2, node: 2, ports: 2 }));
    // Never held: a message not sent yet, and one in transit.
    assert_eq!(with(0, &[(1, 2, 0)]), Err(Violation::NotHeld { round: 1, node: 1, message: 0 }));
    assert_eq!(with(1, &[(2, 1, 0)]), Err(Violation::NotHeld { round: 2, node: 2, message: 0 }));
    // Held only from this round on.
    assert_eq!(with(0, &[(0, 1, 0), (1, 2, 0)]), Err(Violation::NotHeld { round: 1, node: 1, message: 0 }));
    let missing = |message, count, first| Err(Violation::Missing { message, count, nodes: 3, first });
    assert_eq!(with(1, &[(2, 1, 1)]), missing(0, 1, 2));
    assert_eq!(with(1, &[(1, 2, 0)]), missing(1, 1, 1));
    assert_eq!(with(0, &[(0, 1, 0)]), Err(Violation::NotHeld { round: 2, node: 2, message: 1 }));
    assert_eq!(run(3, 2, 2, &[]), missing(0, 2, 1));
    assert_eq!(run(3, 2, 2, &[&[(0, 1, 0), (0, 2, 0)]]), missing(1, 2, 1));
}

#[test]
fn ports_are_free_again_in_the_next_round() {
    let rounds: [&[_]; 2] = [&[(0, 1, 0)], &[(0, 1, 1)]];
    assert_eq!(run(2, 1, 2, &rounds), Ok(Trace { rounds: 2, sends: 2, repeated: 0 }));
}

/// A reused slot does not keep the holders of the message before.
#[test]
fn memory_is_for_messages_under_way() {
    let rounds: Vec<Vec<(u32, u32, u32)>> =
        (0..100).map(|message| (1..130).map(|to| (0, to, message)).collect()).collect();
    let rounds: Vec<&[_]> = rounds.iter().map(Vec::as_slice).collect();
    assert_eq!(run(130, 129, 100, &rounds), Ok(Trace { rounds: 100, sends: 12_900, repeated: 0 }));
    let mut execution = Execution::new(130, 129, 100);
    for &(from, to, message) in rounds.iter().copied().flatten() {
        execution.deliver(Transfer { from, to, message });
    }
    // The two slots that messages share, and one.
    assert_eq!(execution.holders.len(), 3 * execution.words);
    // Node 129 holds message 0 and not message 1, which took over its slot.
    let rounds: [&[_]; 3] = [rounds[0], &[(0, 1, 1)], &[(129, 2, 1)]];
    assert_eq!(run(130, 129, 2, &rounds), Err(Violation::NotHeld { round: 3, node: 129, message: 1 }));
}

#[test]
fn no_node_and_no_port_are_no_trap() {
    assert_eq!(run(0, 1, 1, &[]), Ok(Trace { rounds: 0, sends: 0, repeated: 0 }));
    assert!(matches!(run(0, 1, 1, &[&[(0, 0, 0)]]), Err(Violation::NoSuchNode { .. })));
    assert!(matches!(run(2, 0, 1, &[&[(0, 1, 0)]]), Err(Violation::TooManySent { .. })));
    assert!(matches!(run(2, 1, 0, &[&[(0, 1, 0)]]), Err(Violation::NoSuchMessage { .. })));
}
