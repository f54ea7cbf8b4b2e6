//! No function of the public API panics for a wrong argument: each is called with many, and returns an error or a value.

#![expect(non_snake_case, reason = "a symbol of a paper keeps the letter it has there")]

use castbench_algorithms::catalogue::{self, PROBLEMS, axes, entries};
use castbench_algorithms::cost::{Exact, Limits, Relation, Sample};
use castbench_algorithms::error::Error;
use castbench_algorithms::logp::{LogGops, LogP};
use castbench_algorithms::problem::{Refused, Setting, Sides, Value, spelled};
use castbench_algorithms::tree::{Schedule, TimedSend, audit, cost, lower_bound, simulate};
use proptest::prelude::*;

/// Values that are wrong for some axis: nothing, huge, or just above a type or a limit.
const WRONG: [Value; 8] =
    [None, Some(0), Some(1), Some(1 << 26), Some(u32::MAX as u64), Some(1 << 32), Some(u64::MAX - 1), Some(u64::MAX)];

/// Nothing large is simulated.
const LIMITS: Limits = Limits { nodes: 64, hops: 10_000 };

/// Whether the error names a parameter, not an option of a command line.
fn names_a_parameter(refused: &Refused) {
    let text = refused.to_string();
    let is_option = |word: &str| word.starts_with('-') && word.trim_start_matches('-').starts_with(char::is_alphabetic);
    assert!(!text.is_empty() && !text.split([' ', '`']).any(is_option), "{text}");
    if let Refused::Invalid(Error::Parameter { axis, .. }) = refused {
        assert!(*axis == "values" || axes().iter().any(|known| known.key == *axis), "{axis}: {text}");
    }
}

/// Asks all that can be asked of every algorithm at these values.
fn ask(setting: &Setting, values: &[Value]) {
    for problem in PROBLEMS {
        problem.unit(values);
    }
    for entry in entries() {
        let instance = match entry.at(setting, values) {
            Ok(instance) => instance,
            Err(refused) => {
                names_a_parameter(&refused);
                continue;
            }
        };
        instance.describe(&mut String::new()).unwrap();
        for refused in [instance.admit().err(), instance.evaluate(&LIMITS).err()].into_iter().flatten() {
            names_a_parameter(&refused);
            assert!(!matches!(refused, Refused::Broken(_)), "{entry:?} at {values:?}: {refused}");
        }
    }
}

#[test]
fn any_number_of_values_is_answered() {
    for count in 0..12 {
        for value in WRONG {
            ask(&Setting::default(), &vec![value; count]);
        }
    }
}

/// At the example of each algorithm, one wrong value after the other.
#[test]
fn a_wrong_value_is_an_error_of_its_parameter() {
    let profile = LogGops { L: u64::MAX, o: u64::MAX, g: u64::MAX, G: u64::MAX, O: u64::MAX, H: u64::MAX };
    let settings = [Setting::default(), Setting { profiles: vec![profile.into()] }];
    for entry in entries() {
        for place in 0..entry.axes().len() {
            for value in WRONG {
                let mut values = entry.example().to_vec();
                values[place] = value;
                for setting in &settings {
                    // What is evaluated by enumeration takes long on a large mesh; there the checks alone are asked.
                    let is_large = value.is_some_and(|value| value > 1 << 20);
                    let refused = match is_large && matches!(entry.axes()[place].key, "mesh" | "n" | "trials") {
                        true => entry.at(setting, &values).err(),
                        false => entry.evaluate(setting, &values, &LIMITS).err(),
                    };
                    refused.iter().for_each(names_a_parameter);
                }
            }
        }
    }
}

#[test]
fn a_name_that_is_not_there_is_none() {
    for name in ["", "nothing", "LOGP-MULTICAST", "\u{0}"] {
        assert!(catalogue::find(name).is_none() && catalogue::problem(name).is_none());
    }
}

#[test]
fn sizes_above_the_limit_take_no_memory() {
    let model = LogP::new(6, 2, 4).unwrap();
    assert!(matches!(Schedule::new(u32::MAX, 1, &[]), Err(Error::Parameter { symbol: "nodes", .. })));
    assert!(matches!(audit(model, u32::MAX, 1, Vec::new()), Err(Error::Parameter { symbol: "nodes", .. })));
    assert!(matches!(Schedule::new(2, 1, &[(3, 1)]), Err(Error::Parameter { symbol: "sender", .. })));
    assert!(matches!(lower_bound(model, 0), Err(Error::Parameter { symbol: "K", .. })));
    assert!(lower_bound(model, u64::MAX).is_ok());
}

/// A number near nothing, near the end of its type, or anywhere.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0..12u64, (u64::MAX - 3)..=u64::MAX, any::<u64>()]
}

/// Few nodes, and a name that can be wrong for each end of a send.
fn sends() -> impl Strategy<Value = (u32, u32, Vec<(u32, u32)>)> {
    (0..6u32, 0..7u32, prop::collection::vec((0..8u32, 0..8u32), 0..10))
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
            prop_assert_eq!(audit(model, nodes, source, trace.timed(&schedule).collect()), Ok(trace.finish));
            prop_assert_eq!(analytic, Ok(trace.finish));
            prop_assert!(lower_bound(model, nodes.into())? <= trace.finish);
            // The trace of another schedule.
            trace.timed(&Schedule::new(9, 1, &[(9, 1), (8, 2), (1, 3)]).unwrap()).for_each(drop);
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
        let _ = (Sides::of(a).value(), Sides { w: a, h: b }.value());
        axes().iter().for_each(|axis| drop(spelled(axis, a)));
        let sample = Sample { trials: a, total: b.into(), total_of_squares: c.into(), range: G };
        let _ = (sample.squared_standard_error(), sample.agrees_with(&sample.mean()));
        prop_assert!(Exact::from(sample.mean()) >= Exact::Integer(0));
        prop_assert!(Relation::AtMost.holds(a, a.into()));
    }
}
