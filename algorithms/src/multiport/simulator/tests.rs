use super::*;

type Sends<'a> = &'a [(u32, u32, u32)];

fn stored(rounds: &[Sends]) -> Vec<Vec<Transfer>> {
    let transfer = |&(from, to, message): &(u32, u32, u32)| Transfer { from, to, message };
    rounds
        .iter()
        .map(|round| round.iter().map(transfer).collect())
        .collect()
}

fn run(n: u32, k: u32, m: u32, rounds: &[Sends]) -> Result<Trace, Violation> {
    simulate(n, k, m, &mut stored(rounds).iter())
}

/// Rounds, sends and repeated sends.
fn counts(n: u32, k: u32, m: u32, rounds: &[Sends]) -> (u64, u64, u64) {
    let trace = run(n, k, m, rounds).unwrap();
    (trace.rounds, trace.sends, trace.repeated)
}

/// The most messages that a schedule sends between two nodes, in one direction, in a round. It is 1 if links with one message at a time
/// are enough.
///
/// Cost: sorts the sends of each round.
pub(in crate::multiport) fn most_parallel(schedule: &mut dyn Rounds) -> usize {
    let mut sends = Vec::new();
    let mut most = 0;
    while schedule.round(&mut sends) {
        sends.sort_unstable_by_key(|send| (send.from, send.to));
        let pairs = sends.chunk_by(|a, b| (a.from, a.to) == (b.from, b.to));
        most = pairs.map(<[Transfer]>::len).fold(most, usize::max);
        sends.clear();
    }
    most
}

fn parallel(rounds: &[Sends]) -> usize {
    most_parallel(&mut stored(rounds).iter())
}

/// Two messages to three nodes over two ports.
const ALLOWED: [Sends; 2] = [&[(0, 1, 0), (0, 2, 1)], &[(1, 2, 0), (2, 1, 1)]];

/// The allowed broadcast with one round replaced.
fn with(round: usize, sends: Sends) -> Result<Trace, Violation> {
    let mut rounds = ALLOWED;
    rounds[round] = sends;
    run(3, 2, 2, &rounds)
}

#[test]
fn an_allowed_broadcast_passes() {
    assert_eq!(counts(3, 2, 2, &ALLOWED), (2, 4, 0));
    let sends = Rule::TooManySent.broken("round 1: node 0 sends more than its k = 1 ports allow");
    assert_eq!(run(3, 1, 2, &ALLOWED), Err(sends));
    assert_eq!(parallel(&ALLOWED), 1);
    assert_eq!(counts(1, 1, 5, &[]), (0, 0, 0));
    assert_eq!(parallel(&[]), 0);
}

#[test]
fn idle_rounds_take_their_time() {
    assert_eq!(counts(2, 1, 1, &[&[], &[(0, 1, 0)], &[]]), (3, 1, 0));
}

#[test]
fn repeated_and_parallel_messages_are_counted() {
    // Held already; twice in one round; held by all.
    let rounds: [&[_]; 3] = [
        &[(0, 1, 0), (0, 1, 0)],
        &[(0, 1, 0), (0, 2, 0)],
        &[(1, 0, 0), (2, 0, 0)],
    ];
    assert_eq!(counts(3, 2, 1, &rounds), (3, 6, 4));
    assert_eq!(parallel(&rounds), 2);
    // One pair, two rounds; one pair, two directions.
    assert_eq!(parallel(&[&[(0, 1, 0)], &[(0, 1, 1), (1, 0, 0)]]), 1);
}

#[test]
fn every_rule_can_be_broken() {
    use Rule::{
        Missing, NoSuchMessage, NoSuchNode, NotHeld, ToItself, TooManyReceived, TooManySent,
    };
    let broken = |rule: Rule, text: &str| Err(rule.broken(text));
    let no_node = |text| broken(NoSuchNode, text);
    assert_eq!(
        with(0, &[(0, 3, 0)]),
        no_node("round 1: node 0 sends to 3, of 3 nodes from 0")
    );
    assert_eq!(
        with(1, &[(3, 1, 1)]),
        no_node("round 2: node 3 sends to 1, of 3 nodes from 0")
    );
    let no_message = broken(
        NoSuchMessage,
        "round 1: node 0 sends message 2, of 2 messages from 0",
    );
    assert_eq!(with(0, &[(0, 1, 0), (0, 2, 2)]), no_message);
    assert_eq!(
        with(1, &[(1, 1, 0)]),
        broken(ToItself, "round 2: node 1 sends to itself")
    );
    let many = &[(0, 1, 0), (0, 2, 1), (0, 1, 1)];
    let sends = broken(
        TooManySent,
        "round 1: node 0 sends more than its k = 2 ports allow",
    );
    assert_eq!(with(0, many), sends);
    let many = &[(1, 2, 0), (0, 2, 0), (0, 2, 1)];
    let receives = broken(
        TooManyReceived,
        "round 2: node 2 receives more than its k = 2 ports allow",
    );
    assert_eq!(with(1, many), receives);
    let not_held = |round, node, message| {
        let text = format!(
            "round {round}: node {node} sends message {message}, which it did not hold before the round"
        );
        broken(NotHeld, &text)
    };
    // Never held: a message not sent yet, and one in transit.
    assert_eq!(with(0, &[(1, 2, 0)]), not_held(1, 1, 0));
    assert_eq!(with(1, &[(2, 1, 0)]), not_held(2, 2, 0));
    // Held only from this round on.
    assert_eq!(with(0, &[(0, 1, 0), (1, 2, 0)]), not_held(1, 1, 0));
    let missing = |message, count, first| {
        broken(
            Missing,
            &format!("{count} of 3 nodes never get message {message}, node {first} among them"),
        )
    };
    assert_eq!(with(1, &[(2, 1, 1)]), missing(0, 1, 2));
    assert_eq!(with(1, &[(1, 2, 0)]), missing(1, 1, 1));
    assert_eq!(with(0, &[(0, 1, 0)]), not_held(2, 2, 1));
    assert_eq!(run(3, 2, 2, &[]), missing(0, 2, 1));
    assert_eq!(run(3, 2, 2, &[&[(0, 1, 0), (0, 2, 0)]]), missing(1, 2, 1));
    // Node 129 holds message 0 and not message 1, which takes over its memory.
    let all: Vec<(u32, u32, u32)> = (1..130).map(|to| (0, to, 0)).collect();
    assert_eq!(
        run(130, 129, 2, &[&all, &[(0, 1, 1)], &[(129, 2, 1)]]),
        not_held(3, 129, 1)
    );
}

#[test]
fn ports_are_free_again_in_the_next_round() {
    let rounds: [&[_]; 2] = [&[(0, 1, 0)], &[(0, 1, 1)]];
    assert_eq!(counts(2, 1, 2, &rounds), (2, 2, 0));
}

#[test]
fn no_node_and_no_port_are_no_trap() {
    assert_eq!(counts(0, 1, 1, &[]), (0, 0, 0));
    assert_eq!(
        run(0, 1, 1, &[&[(0, 0, 0)]]).unwrap_err().rule,
        Rule::NoSuchNode
    );
    assert_eq!(
        run(2, 0, 1, &[&[(0, 1, 0)]]).unwrap_err().rule,
        Rule::TooManySent
    );
    assert_eq!(
        run(2, 1, 0, &[&[(0, 1, 0)]]).unwrap_err().rule,
        Rule::NoSuchMessage
    );
}
