//! Small programs by hand: their times, and every rule that one can break.

use super::*;
use crate::logp::summation::schedule::Operation::{Add, Combine, Receive, Send};

type Programs<'a> = &'a [(u64, &'a [Operation])];

fn scheduled(programs: Programs) -> Schedule {
    let mut schedule = Schedule::default();
    for &(operands, program) in programs {
        schedule.push(operands, program.iter().copied());
    }
    schedule
}

fn run(programs: Programs) -> Result<Trace, Violation> {
    execute(LogP::new(6, 2, 4).unwrap(), &scheduled(programs))
}

/// The violation that the simulator finds, before the audit.
fn refused(programs: Programs) -> Violation {
    simulate(LogP::new(6, 2, 4).unwrap(), &scheduled(programs)).expect_err("nothing to refuse")
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
    let trace =
        run(&[(4, &root), (4, &[Add { operands: 3 }, Send { to: 0 }]), (1, &[Send { to: 0 }]), (0, &[])]).unwrap();
    let times = |p| trace.spans(p).iter().map(|span| (span.start, span.end)).collect::<Vec<_>>();
    // Processor 2's message arrives at 8. Processor 1's does at 11 but waits until g = 4 after that receive.
    assert_eq!(times(0), [(0, 2), (8, 10), (10, 11), (11, 12), (12, 14), (14, 15)]);
    assert_eq!(times(1), [(0, 3), (3, 5)]);
    assert_eq!(times(2), [(0, 2)]);
    assert_eq!(times(3), []);
    assert_eq!((trace.finish, trace.sum), (15, (0..9).map(|index| u128::from(value(index))).sum()));
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
    assert_eq!(refused(&[(1, &RECEIVE_AND_ADD), (0, &[])]), Violation::Deadlock { processor: 0, from: 1 });
    // Each waits for the other.
    let cycle = [Receive { from: 0 }, Combine { from: 0 }, Send { to: 0 }];
    assert_eq!(refused(&[(1, &RECEIVE_AND_ADD), (1, &cycle)]), Violation::Deadlock { processor: 0, from: 1 });
}

#[test]
fn messages_that_go_astray_are_refused() {
    let astray = Violation::NotAddressed { processor: 0, from: 1, to: 2 };
    // The addressee or the sender runs first.
    assert_eq!(refused(&[(1, &RECEIVE_AND_ADD), (1, &[Send { to: 2 }]), (1, &[])]), astray);
    let waits = [Receive { from: 2 }, Combine { from: 2 }, Receive { from: 1 }, Combine { from: 1 }];
    assert_eq!(refused(&[(1, &waits), (1, &[Send { to: 2 }]), (1, &[Send { to: 0 }])]), astray);
    assert_eq!(refused(&[(1, &[Send { to: 0 }])]), Violation::ToItself(0));
    assert_eq!(refused(&[(1, &[Receive { from: 0 }])]), Violation::ToItself(0));
    let nowhere = |operation| Violation::NoSuchProcessor { processor: 1, operation, processors: 2 };
    assert_eq!(refused(&[(1, &[]), (1, &[Send { to: 2 }])]), nowhere(Send { to: 2 }));
    assert_eq!(refused(&[(1, &[]), (1, &[Receive { from: 2 }])]), nowhere(Receive { from: 2 }));
    assert_eq!(refused(&[(1, &[]), (1, &[Combine { from: 9 }])]), nowhere(Combine { from: 9 }));
    assert_eq!(refused(&[(1, &[]), (1, &[Send { to: 0 }])]), Violation::Unread { from: 1, to: 0 });
    let twice = [Receive { from: 1 }, Receive { from: 1 }];
    assert_eq!(refused(&[(1, &twice), (1, &[Send { to: 0 }])]), Violation::ReceivedTwice { processor: 0, from: 1 });
}

#[test]
fn lost_operands_and_sums_are_refused() {
    assert_eq!(refused(&[(3, &[Add { operands: 1 }])]), Violation::NotAdded { processor: 0, left: 1 });
    let three = Add { operands: 3 };
    assert_eq!(refused(&[(3, &[three])]), Violation::NoOperand { processor: 0, operation: three, left: 2 });
    assert_eq!(refused(&[(1, &[]), (1, &[])]), Violation::Kept(1));
    let received = [Receive { from: 1 }];
    assert_eq!(refused(&[(1, &received), (1, &[Send { to: 0 }])]), Violation::NotCombined { from: 1, to: 0 });
    let not_received = Violation::NotReceived { processor: 0, from: 1 };
    assert_eq!(refused(&[(1, &[Combine { from: 1 }]), (1, &[Send { to: 0 }])]), not_received);
    let again = [Receive { from: 1 }, Combine { from: 1 }, Combine { from: 1 }];
    assert_eq!(refused(&[(1, &again), (1, &[Send { to: 0 }])]), not_received);
    let from_another = [Receive { from: 2 }, Combine { from: 1 }];
    let relay = [Receive { from: 2 }, Combine { from: 2 }, Send { to: 0 }];
    assert!(matches!(
        refused(&[(1, &from_another), (1, &relay), (1, &[Send { to: 0 }])]),
        Violation::NotReceived { processor: 0, from: 1 }
    ));
}

#[test]
fn who_holds_nothing_can_do_nothing() {
    let nothing = |operation| Violation::NothingHeld { processor: 1, operation };
    assert_eq!(refused(&[(1, &[]), (0, &[Send { to: 0 }])]), nothing(Send { to: 0 }));
    assert_eq!(refused(&[(1, &[]), (0, &[Add { operands: 1 }])]), nothing(Add { operands: 1 }));
    let twice = [Send { to: 0 }, Send { to: 0 }];
    assert_eq!(refused(&[(1, &RECEIVE_AND_ADD), (1, &twice)]), nothing(Send { to: 0 }));
    let adds_later = [Send { to: 0 }, Add { operands: 1 }];
    assert_eq!(refused(&[(1, &RECEIVE_AND_ADD), (2, &adds_later)]), nothing(Add { operands: 1 }));
    let combines = [Receive { from: 2 }, Combine { from: 2 }, Send { to: 0 }];
    assert_eq!(refused(&[(1, &RECEIVE_AND_ADD), (0, &combines), (1, &[Send { to: 1 }])]), nothing(Combine { from: 2 }));
    assert_eq!(refused(&[]), Violation::NoResult);
    assert_eq!(refused(&[(0, &[])]), Violation::NoResult);
    let away = [Receive { from: 0 }, Combine { from: 0 }];
    assert_eq!(
        refused(&[
            (1, &[Send { to: 1 }]),
            (1, &[away[0], away[1], Send { to: 2 }]),
            (1, &[Receive { from: 1 }, Combine { from: 1 }])
        ]),
        Violation::Kept(2)
    );
}

#[test]
fn a_number_that_does_not_fit_is_an_error() {
    assert_eq!(refused(&[(u64::MAX, &[]), (1, &[])]), Violation::TimeOverflow);
    let mut schedule = Schedule::default();
    schedule.push(1, RECEIVE_AND_ADD);
    schedule.push(2, [Add { operands: 1 }, Send { to: 0 }]);
    let model = LogP::new(u64::MAX, 0, 1).unwrap();
    assert_eq!(simulate(model, &schedule), Err(Violation::TimeOverflow));
    assert_eq!(crate::error::Error::from(Violation::TimeOverflow), crate::error::Error::Overflow);
}
