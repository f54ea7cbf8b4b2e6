//! Every algorithm at the edge of 64 bits: an answer is an error or right, never a panic.
//!
//! `CASTBENCH_EDGE_POINTS` is the number of points per algorithm.

use std::env;

use castbench_algorithms::catalogue::entries;
use castbench_algorithms::cost::{Agreement, Exact, LARGEST, Limits};
use castbench_algorithms::internals::execution::Which;
use castbench_algorithms::logp::LogGops;
use castbench_algorithms::problem::{Entry, Kind, Refused, Setting, Value};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

mod random;

/// Points per algorithm of a run of all tests: some seconds.
const POINTS: u32 = 150;

/// Nothing large is simulated.
const LIMITS: Limits = Limits {
    nodes: 64,
    hops: 10_000,
};

/// The most steps of an analytic cost: some milliseconds.
const MAX_STEPS: usize = 1 << 12;

/// The ends of types, of exact floats and of costs, and small numbers.
const EDGES: [u64; 20] = [
    0,
    1,
    2,
    3,
    7,
    12,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    (1 << 32) + 1,
    1 << 53,
    1_000_000_000_000_000_000,
    (1 << 63) - 1,
    1 << 63,
    LARGEST,
    LARGEST + 1,
    LARGEST + 2,
    u64::MAX - 1,
    u64::MAX,
];

/// Mostly an edge.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![4 => prop::sample::select(&EDGES[..]), 2 => 1..64u64, 1 => any::<u64>()]
}

/// The values of a point: some of the example of the algorithm, the others from [`number`].
fn values(entry: Entry) -> impl Strategy<Value = Vec<Value>> {
    let axes = entry.axes();
    let example = entry.example();
    let one = move |index: usize| {
        let (axis, own) = (&axes[index], example[index]);
        let numbers = match (axis.kind, axis.key) {
            // A mesh and what is drawn on it are gone through node by node.
            (Kind::Sides, _) | (_, "trials") => (1..5u64).boxed(),
            (Kind::Profile, _) => (0..2u64).boxed(),
            _ => number().boxed(),
        };
        // The forms of a point are those of the example and the one with a machine profile.
        let absent = if own.is_none() { 3 } else { 0 };
        prop_oneof![1 + absent => Just(own), 3 => numbers.prop_map(Some)]
    };
    (0..axes.len()).map(one).collect::<Vec<_>>()
}

/// Makes the values those of one form: of a machine profile, or of L, o and g.
fn of_one_form(entry: Entry, values: &mut [Value]) {
    let Some(profile) = entry
        .axes()
        .iter()
        .position(|axis| axis.kind == Kind::Profile)
    else {
        return;
    };
    let is_on_profile = values[profile].is_some();
    for (axis, value) in entry.axes().iter().zip(values) {
        if axis.applies(is_on_profile) {
            *value = value.or((axis.kind != Kind::Profile).then_some(2));
        } else {
            *value = None;
        }
    }
}

/// Asks all that a row, `cost`, `show` and `export` ask; returns the analytic cost, if there is one.
fn ask(entry: Entry, setting: &Setting, values: &[Value]) -> Result<Option<Exact>, TestCaseError> {
    let at = || format!("{} at {values:?}", entry.name);
    let Ok(instance) = entry.at(setting, values) else {
        return Ok(None);
    };
    let admitted = instance.admit();
    if matches!(admitted, Err(Refused::Broken(_))) {
        return Err(TestCaseError::fail(format!("{}: {admitted:?}", at())));
    }
    if instance.steps(MAX_STEPS) == MAX_STEPS {
        return Ok(None);
    }
    instance.describe(&mut String::new()).unwrap();
    let _ = (
        instance.bound_name(),
        instance.unknown(),
        instance.piece(),
        instance.work(),
    );
    let _ = instance.sizes();
    let found = instance.evaluate(&LIMITS);
    if let Err(refused @ Refused::Broken(_)) = &found {
        return Err(TestCaseError::fail(format!("{}: {refused}", at())));
    }
    if instance.why_skipped(&LIMITS).is_none() {
        let answers = [
            instance.execute(&Which::default(), &mut drop).err(),
            instance.program(&LIMITS, None).err(),
        ];
        for refused in answers.into_iter().flatten() {
            prop_assert!(
                !matches!(refused, Refused::Broken(_)),
                "{}: {refused}",
                at()
            );
        }
    }
    let Ok(evaluation) = found else {
        return Ok(None);
    };
    let is_wrong = matches!(
        evaluation.agreement(),
        Agreement::Differ | Agreement::BelowBound
    );
    prop_assert!(!is_wrong, "{}: {:?}", at(), evaluation);
    if let Some(analytic) = &evaluation.analytic {
        prop_assert!(
            *analytic >= evaluation.lower_bound,
            "{} is below its bound: {:?}",
            at(),
            evaluation
        );
    }
    Ok(evaluation.analytic)
}

/// A cost is homogeneous: in a unit of time that is `2^bits` times finer it is as many times larger, or too large.
fn finer(
    entry: Entry,
    values: &[Value],
    bits: u32,
    cost: Option<&Exact>,
) -> Result<(), TestCaseError> {
    let mut fine = values.to_vec();
    for (axis, value) in entry.axes().iter().zip(&mut fine) {
        if matches!(axis.key, "L" | "o" | "g" | "c") {
            let Some(time) = *value else { return Ok(()) };
            // Above 64 bits there is no such point.
            let Some(time) = time.checked_mul(1 << bits) else {
                return Ok(());
            };
            *value = Some(time);
        }
    }
    let setting = Setting::default();
    let Some(Exact::Integer(cost)) = cost else {
        return Ok(());
    };
    if !entry.axes().iter().any(|axis| axis.key == "L") || entry.problem().name == "logp-summation"
    {
        return Ok(());
    }
    let expected = u128::from(*cost) << bits;
    // What goes on after the cost may end later than fits.
    let unsimulated = Limits { nodes: 0, hops: 0 };
    match entry.evaluate(&setting, &fine, &unsimulated) {
        Ok(found) => {
            prop_assert_eq!(
                found.analytic,
                u64::try_from(expected).ok().map(Exact::Integer),
                "{:?} {:?}",
                entry,
                fine
            )
        }
        // On several ports it sends down the tree of one port, whose time is longer.
        Err(Refused::Overflow) if entry.name == "broadcast-optimal" => {}
        Err(Refused::Overflow) => {
            prop_assert!(
                expected > LARGEST.into(),
                "{entry:?} at {fine:?} does not overflow: {expected}"
            );
        }
        // D does not fit in 64 bits: nor does the cost.
        Err(refused) => prop_assert!(
            refused.is_not_applicable(),
            "{entry:?} at {fine:?}: {refused}"
        ),
    }
    Ok(())
}

#[test]
fn an_answer_at_the_edge_is_an_error_or_right() {
    let points = env::var("CASTBENCH_EDGE_POINTS")
        .ok()
        .and_then(|points| points.parse().ok())
        .unwrap_or(POINTS);
    let huge = LogGops {
        L: u64::MAX >> 2,
        o: u64::MAX >> 3,
        g: u64::MAX,
        G: u64::MAX,
        O: 1 << 53,
        H: 1 << 32,
    };
    let plain = LogGops {
        L: 1000,
        o: 100,
        g: 400,
        G: 80_000,
        O: 0,
        H: 0,
    };
    let setting = Setting {
        profiles: vec![plain.into(), huge.into()],
    };
    let mut failed = Vec::new();
    for (seed, &entry) in (0..).zip(entries()) {
        let mut runner = TestRunner::new(random::cases(points, seed));
        let cases = (values(entry), 1..40u32);
        let result = runner.run(&cases, |(mut values, bits)| {
            of_one_form(entry, &mut values);
            let cost = ask(entry, &setting, &values)?;
            finer(entry, &values, bits, cost.as_ref())
        });
        failed.extend(result.err().map(|error| format!("{}: {error}", entry.name)));
    }
    assert!(
        failed.is_empty(),
        "{} algorithms fail:\n{}",
        failed.len(),
        failed.join("\n")
    );
}
