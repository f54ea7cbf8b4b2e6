//! Small programs by hand: their times, and every rule that one can break.

use super::*;
use crate::engine::Fault;
use crate::logp::summation::schedule::Operation::{Add, Combine, Receive, Send};

type Programs<'a> = &'a [(u64, &'a [Operation])];

fn scheduled(programs: Programs) -> Schedule {
    let mut schedule = Schedule::default();
    for &(operands, program) in programs {
        schedule.push(operands, program.iter().copied());
    }
    schedule
}

fn run(programs: Programs) -> Result<Trace, Error> {
    execute(LogP::new(6, 2, 4).unwrap(), &scheduled(programs))
}

/// Checks that a rule is refused, with this text.
#[track_caller]
fn refused(programs: Programs, rule: Rule, text: &str) {
    assert_eq!(run(programs), Err(rule.broken(text).into()));
}

const RECEIVE_AND_ADD: [Operation; 2] = [Receive { from: 1 }, Combine { from: 1 }];

#[test]
fn times_follow_the_model() {
    let root = [
        Add { operands: 2 },
        Receive { from: 2 },
        Combine { from: 2 },
        Add { operands: 1 },
        Receive { from: 1 },
        Combine { from: 1 },
    ];
    let trace = run(&[
        (4, &root),
        (4, &[Add { operands: 3 }, Send { to: 0 }]),
        (1, &[Send { to: 0 }]),
        (0, &[]),
    ])
    .unwrap();
    let times = |p| {
        trace
            .spans(p)
            .iter()
            .map(|span| (span.start, span.end))
            .collect::<Vec<_>>()
    };
    // Processor 2's message arrives at 8. Processor 1's does at 11 but waits until g = 4 after that receive.
    assert_eq!(
        times(0),
        [(0, 2), (8, 10), (10, 11), (11, 12), (12, 14), (14, 15)]
    );
    assert_eq!(times(1), [(0, 3), (3, 5)]);
    assert_eq!(times(2), [(0, 2)]);
    assert_eq!(times(3), []);
    assert_eq!(
        (trace.finish, trace.sum),
        (15, (0..9).map(|index| u128::from(value(index))).sum())
    );
}

#[test]
fn one_operand_is_its_own_sum() {
    let trace = run(&[(1, &[])]).unwrap();
    assert_eq!((trace.finish, trace.sum), (0, value(0).into()));
}

#[test]
fn a_relay_is_run_again_when_its_message_is_there() {
    let relay = [Receive { from: 2 }, Combine { from: 2 }, Send { to: 0 }];
    let trace = run(&[(1, &RECEIVE_AND_ADD), (1, &relay), (1, &[Send { to: 1 }])]).unwrap();
    assert_eq!(trace.finish, 22);
}

#[test]
fn what_waits_forever_is_refused() {
    let unmatched = |from, to, sends, receives| {
        move |fault: &Fault| {
            let Fault::Unmatched {
                from: f,
                to: t,
                sends: s,
                receives: r,
                ..
            } = *fault
            else {
                return false;
            };
            (f, t, s, r) == (from, to, sends, receives)
        }
    };
    assert!(is_fault(
        &[(1, &RECEIVE_AND_ADD), (0, &[])],
        unmatched(1, 0, 0, 1)
    ));
    // Sent elsewhere, never received, received twice, sent twice.
    assert!(is_fault(
        &[(1, &RECEIVE_AND_ADD), (1, &[Send { to: 2 }]), (1, &[])],
        |fault| { unmatched(1, 0, 0, 1)(fault) || unmatched(1, 2, 1, 0)(fault) }
    ));
    assert!(is_fault(
        &[(1, &[]), (1, &[Send { to: 0 }])],
        unmatched(1, 0, 1, 0)
    ));
    let twice = [Receive { from: 1 }, Receive { from: 1 }];
    assert!(is_fault(
        &[(1, &twice), (1, &[Send { to: 0 }])],
        unmatched(1, 0, 1, 2)
    ));
    let twice = [Send { to: 0 }, Send { to: 0 }];
    assert!(is_fault(
        &[(1, &RECEIVE_AND_ADD), (1, &twice)],
        unmatched(1, 0, 2, 1)
    ));
    let nowhere = |fault: &Fault| {
        matches!(
            fault,
            Fault::NoSuchProcessor {
                named: 2,
                processors: 2,
                ..
            }
        )
    };
    assert!(is_fault(&[(1, &[]), (1, &[Send { to: 2 }])], nowhere));
    assert!(is_fault(&[(1, &[]), (1, &[Receive { from: 2 }])], nowhere));
    // Each waits for the other.
    let forth = [RECEIVE_AND_ADD[0], RECEIVE_AND_ADD[1], Send { to: 1 }];
    let back = [Receive { from: 0 }, Combine { from: 0 }, Send { to: 0 }];
    assert!(is_fault(&[(1, &forth), (1, &back)], |fault| matches!(
        fault,
        Fault::Deadlock { .. }
    )));
}

fn is_fault(programs: Programs, fits: impl Fn(&Fault) -> bool) -> bool {
    run(programs).unwrap_err().violation().is_some_and(fits)
}

#[test]
fn messages_that_go_astray_are_refused() {
    let text = "processor 1 adds the partial sum of 9; the processors are 0 to P - 1, P = 2";
    refused(
        &[(1, &[]), (1, &[Combine { from: 9 }])],
        Rule::NoSuchNode,
        text,
    );
    let itself = [Send { to: 0 }, Receive { from: 0 }];
    refused(
        &[(1, &itself)],
        Rule::ToItself,
        "processor 0 exchanges a message with itself",
    );
    let twice = [Receive { from: 1 }, Receive { from: 1 }];
    let text = "processor 1 sends to 0, but holds nothing";
    refused(
        &[(1, &twice), (1, &[Send { to: 0 }, Send { to: 0 }])],
        Rule::NotHeld,
        text,
    );
}

#[test]
fn lost_operands_and_sums_are_refused() {
    let text = "processor 0 never adds 1 of its operands";
    refused(&[(3, &[Add { operands: 1 }])], Rule::NotAdded, text);
    let text = "processor 0 adds 3 of its operands, but has only 2 left";
    refused(&[(3, &[Add { operands: 3 }])], Rule::NoOperand, text);
    refused(
        &[(1, &[]), (1, &[])],
        Rule::Kept,
        "processor 1 never sends its partial sum",
    );
    let received = [Receive { from: 1 }];
    let text = "processor 0 receives the partial sum of 1 but never adds it";
    refused(
        &[(1, &received), (1, &[Send { to: 0 }])],
        Rule::NotCombined,
        text,
    );
    let text =
        "processor 0 adds the partial sum of 1, which it has not received or has added before";
    let early = [Combine { from: 1 }, Receive { from: 1 }];
    refused(
        &[(1, &early), (1, &[Send { to: 0 }])],
        Rule::NotReceived,
        text,
    );
    let again = [
        Receive { from: 1 },
        Combine { from: 1 },
        Combine { from: 1 },
    ];
    refused(
        &[(1, &again), (1, &[Send { to: 0 }])],
        Rule::NotReceived,
        text,
    );
    let from_another = [Receive { from: 2 }, Combine { from: 1 }];
    let relay = [Receive { from: 3 }, Combine { from: 3 }, Send { to: 0 }];
    refused(
        &[
            (1, &from_another),
            (1, &[]),
            (1, &relay),
            (1, &[Send { to: 2 }]),
        ],
        Rule::NotReceived,
        text,
    );
}

#[test]
fn who_holds_nothing_can_do_nothing() {
    let nothing = |programs: Programs, operation: Operation| {
        refused(
            programs,
            Rule::NotHeld,
            &format!("processor 1 {operation}, but holds nothing"),
        );
    };
    nothing(
        &[(1, &RECEIVE_AND_ADD), (0, &[Send { to: 0 }])],
        Send { to: 0 },
    );
    nothing(
        &[(1, &[]), (0, &[Add { operands: 1 }])],
        Add { operands: 1 },
    );
    let adds_later = [Send { to: 0 }, Add { operands: 1 }];
    nothing(
        &[(1, &RECEIVE_AND_ADD), (2, &adds_later)],
        Add { operands: 1 },
    );
    let combines = [Receive { from: 2 }, Combine { from: 2 }, Send { to: 0 }];
    nothing(
        &[
            (1, &RECEIVE_AND_ADD),
            (0, &combines),
            (1, &[Send { to: 1 }]),
        ],
        Combine { from: 2 },
    );
    refused(&[], Rule::NoResult, "there is no processor");
    refused(
        &[(0, &[])],
        Rule::NoResult,
        "processor 0 holds no sum at the end",
    );
    let away = [Receive { from: 0 }, Combine { from: 0 }];
    refused(
        &[(1, &[Send { to: 1 }]), (1, &away)],
        Rule::NoResult,
        "processor 0 holds no sum at the end",
    );
}

#[test]
fn a_number_that_does_not_fit_is_an_error() {
    assert_eq!(run(&[(u64::MAX, &[]), (1, &[])]), Err(Error::Overflow));
    let mut schedule = Schedule::default();
    schedule.push(1, RECEIVE_AND_ADD);
    schedule.push(2, [Add { operands: 1 }, Send { to: 0 }]);
    let model = LogP::new(u64::MAX, 0, 1).unwrap();
    assert_eq!(simulate(model, &schedule), Err(Error::Overflow));
}
