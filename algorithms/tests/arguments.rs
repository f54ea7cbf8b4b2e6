//! No function of the public API panics for a wrong argument. `catalogue` and `edge` ask the algorithms.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

use castbench_algorithms::catalogue::axes;
use castbench_algorithms::cost::{Exact, Relation, Sample};
use castbench_algorithms::error::Error;
use castbench_algorithms::logp::{LogGops, LogP};
use castbench_algorithms::problem::{Setting, Sides, spelled};
use castbench_algorithms::tree::{Schedule, TimedSend, audit, cost, lower_bound, simulate};
use proptest::prelude::*;

#[test]
fn sizes_above_the_limit_take_no_memory() {
    let model = LogP::new(6, 2, 4).unwrap();
    assert!(matches!(
        Schedule::new(u32::MAX, 1, &[]),
        Err(Error::Parameter {
            symbol: "nodes",
            ..
        })
    ));
    assert!(matches!(
        audit(model, u32::MAX, 1, Vec::new()),
        Err(Error::Parameter {
            symbol: "nodes",
            ..
        })
    ));
    assert!(matches!(
        Schedule::new(2, 1, &[(3, 1)]),
        Err(Error::Parameter {
            symbol: "sender",
            ..
        })
    ));
    assert!(matches!(
        lower_bound(model, 0),
        Err(Error::Parameter { symbol: "K", .. })
    ));
    assert!(lower_bound(model, u64::MAX).is_ok());
}

/// A number near nothing, near the end of its type, or anywhere.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0..12u64, (u64::MAX - 3)..=u64::MAX, any::<u64>()]
}

/// Few nodes, and a name that can be wrong for each end of a send.
fn sends() -> impl Strategy<Value = (u32, u32, Vec<(u32, u32)>)> {
    (
        0..6u32,
        0..7u32,
        prop::collection::vec((0..8u32, 0..8u32), 0..10),
    )
}

proptest! {
    /// Recurrence, simulator and audit accept the same trees, and agree on the time.
    #[test]
    fn any_schedule_has_one_time_or_an_error((nodes, source, sends) in sends(), L in number(), o in number(), g in number()) {
        let (Ok(model), Ok(schedule)) = (LogP::new(L, o, g), Schedule::new(nodes, source, &sends)) else { return Ok(()) };
        let (analytic, simulated) = (cost(model, &schedule), simulate(model, &schedule));
        prop_assert_eq!(analytic.is_ok(), simulated.is_ok(), "{:?} {:?}", analytic, simulated);
        prop_assert!(schedule.targets(0).is_empty() && schedule.targets(u32::MAX).is_empty());
        if let Ok(trace) = simulated {
            prop_assert_eq!(audit(model, nodes, source, trace.sends), Ok(trace.finish));
            prop_assert_eq!(analytic, Ok(trace.finish));
            prop_assert!(lower_bound(model, nodes.into())? <= trace.finish);
        }
    }

    #[test]
    fn any_times_are_audited((nodes, source, sends) in sends(), starts in prop::collection::vec(number(), 10), L in number(), o in number(), g in number()) {
        let Ok(model) = LogP::new(L, o, g) else { return Ok(()) };
        let timed = sends.iter().zip(starts).map(|(&(sender, receiver), start)| TimedSend { start, sender, receiver });
        let _ = audit(model, nodes, source, timed.collect());
    }

    #[test]
    fn any_number_is_a_parameter(a in number(), b in number(), c in number(), G in number(), O in number(), H in number(), bytes in number()) {
        let _ = LogGops { L: a, o: b, g: c, G, O, H }.at(bytes);
        let _ = Setting::default().profile(a);
        if let Ok(model) = LogP::new(a, b, c) {
            let _ = (lower_bound(model, bytes), model.capacity(), model.gap());
        }
        let _ = (Sides::from_value(a).value(), Sides { w: a, h: b }.value());
        axes().iter().for_each(|axis| drop(spelled(axis, a)));
        let sample = Sample { trials: a, total: b.into(), total_of_squares: c.into(), range: G };
        let _ = (sample.squared_standard_error(), sample.agrees_with(&sample.mean()));
        prop_assert!(Exact::from(sample.mean()) >= Exact::Integer(0));
        prop_assert!(Relation::AtMost.holds(a, a.into()));
    }
}
