//! The shared runner of every algorithm. It uses only the descriptions of problems, so a new problem in the catalogue
//! is tested automatically.
//!
//! Each algorithm is checked at the examples of its problem, at small points that its axes and forms allow, and at such
//! points with one value that is zero, missing or huge.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

use std::collections::{BTreeMap, BTreeSet};

use castbench_algorithms::catalogue::{self, PROBLEMS, entries};
use castbench_algorithms::cost::{
    Agreement, Evaluation, Exact, LARGEST, Limits, Published, Relation, Simulated, Unit,
};
use castbench_algorithms::error::Error;
use castbench_algorithms::internals::claims::{self, Paper};
use castbench_algorithms::internals::collectives::counts;
use castbench_algorithms::internals::engine;
use castbench_algorithms::internals::engine::waits::{Parts, parts};
use castbench_algorithms::internals::execution::{Event, What, Which};
use castbench_algorithms::logp::{Levels, LogGops, Placement, Profile, SizeRange};
use castbench_algorithms::problem::{
    Axis, Entry, Evaluator, Instance, Kind, Problem, Refused, Setting, Sides, Value,
};
use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};

/// The number of points per form of a problem: all small ones, or this many random ones.
const MOST_POINTS: usize = 1500;

/// Limits that allow no simulation that counts nodes or hops.
const NOTHING: Limits = Limits { nodes: 0, hops: 0 };

/// Machine profiles without and with a cost per byte, with ranges of sizes, and where exchanges take longer.
fn setting() -> Setting {
    let flat = [
        LogGops {
            L: 6,
            o: 2,
            g: 4,
            G: 0,
            O: 0,
            H: 0,
        },
        LogGops {
            L: 100,
            o: 5,
            g: 7,
            G: 2_000_000,
            O: 100_000,
            H: 9_000,
        },
    ];
    let ranges = |exchange| {
        let range = |(from, L, g, G)| SizeRange {
            from,
            machine: LogGops { L, g, G, ..flat[1] },
            exchange,
        };
        let ranges = [
            (3, 400, 7, 1_000_000),
            (14, 90, 300, 3_000_000),
            (27, 50, 5, 500_000),
        ]
        .map(range)
        .to_vec();
        let machine = Levels::new(Vec::new(), flat[1], Placement::Block, None).unwrap();
        Profile::Levels(machine.with_ranges(vec![ranges]).unwrap())
    };
    let profiles = flat
        .map(Profile::from)
        .into_iter()
        .chain([ranges(0), ranges(5_000_000)]);
    Setting {
        profiles: profiles.collect(),
    }
}

/// Small values of an axis, all of them valid somewhere.
fn small(axis: &Axis) -> Vec<u64> {
    let sides = |w, h| Sides { w, h }.value().unwrap();
    match axis.kind {
        // Most algorithms take one port, and most machines whole vectors.
        Kind::Count if axis.key == "k" && axis.default.is_some() => vec![1, 1, 1, 1, 2, 3],
        // Duplex broadcasts take root 0 alone.
        Kind::Count if axis.key == "root" => vec![0, 0, 1, 2],
        Kind::Count if axis.default.is_some() => vec![1, 2, 3],
        Kind::Count => vec![1, 2, 3, 5, 7, 8, 12],
        Kind::Time => vec![1, 2, 3, 5],
        // Elements: few small vectors are a multiple of a larger one.
        Kind::Bytes if axis.key == "element" => vec![1, 1, 1, 2],
        Kind::Bytes => vec![1, 2, 13],
        Kind::Sides => vec![
            sides(2, 2),
            sides(3, 3),
            sides(4, 4),
            sides(4, 3),
            sides(2, 5),
            sides(1, 6),
        ],
        Kind::Profile => vec![0, 1, 2, 3],
        Kind::Counts => vec![
            0,
            0,
            counts::named("one-large").unwrap(),
            counts::named("zipf:5").unwrap(),
        ],
        Kind::Word(words) => (0..words.len() as u64).collect(),
    }
}

/// Values that an axis may refuse, each put into a small point alone.
const ODD: [Value; 6] = [
    None,
    Some(0),
    Some(6),
    Some(1 << 9),
    Some(1 << 40),
    Some(u64::MAX),
];

/// Which axes points without and with a machine profile have.
fn forms(problem: &Problem) -> Vec<Vec<bool>> {
    let axes = problem.axes;
    let has_profile = axes.iter().any(|axis| axis.kind == Kind::Profile);
    let form = |on_profile| axes.iter().map(|axis| axis.applies(on_profile)).collect();
    [false, true]
        .into_iter()
        .filter(|on_profile| !on_profile || has_profile)
        .map(form)
        .collect()
}

/// Small points of each form: every combination of small values, or random ones where these are too many.
fn small_points(problem: &Problem) -> Vec<Vec<Value>> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut points = Vec::new();
    for form in forms(problem) {
        let choices: Vec<Vec<Value>> = problem
            .axes
            .iter()
            .zip(form)
            .map(|(axis, has)| {
                if has {
                    small(axis).into_iter().map(Some).collect()
                } else {
                    vec![None]
                }
            })
            .collect();
        let all: usize = choices.iter().map(Vec::len).product();
        for number in 0..all.min(MOST_POINTS) {
            let mut rest = if all <= MOST_POINTS {
                number as u64
            } else {
                random.next_u64()
            };
            let pick = choices.iter().map(|choice| {
                let values = choice.len() as u64;
                let value = choice[usize::try_from(rest % values).unwrap()];
                rest /= values;
                value
            });
            points.push(pick.collect());
        }
    }
    points
}

/// Every `step`th of these points with each of its values replaced by odd ones in turn.
fn odd_points(points: &[Vec<Value>], step: usize) -> Vec<Vec<Value>> {
    let mut odd = Vec::new();
    for point in points.iter().step_by(step) {
        // A value of another form would make an invalid point.
        for index in (0..point.len()).filter(|&index| point[index].is_some()) {
            for value in ODD {
                let mut changed = point.clone();
                changed[index] = value;
                odd.push(changed);
            }
        }
    }
    odd
}

/// The resource of an event: node, direction, port, and for a link its end.
type Resource = (u32, What, u32, u32);

/// One algorithm under test.
struct Runner<'a> {
    entry: &'a Entry,
    setting: &'a Setting,
    limits: Limits,
    /// Keeps state shared by points.
    evaluator: Evaluator<'a>,
    taken: usize,
    /// The number of points whose analytic and simulated cost agree.
    compared: usize,
    invalid: usize,
    /// How many points were equal with counts of one.
    counted: usize,
}

impl<'a> Runner<'a> {
    fn new(entry: &'a Entry, setting: &'a Setting, limits: Limits) -> Self {
        let evaluator = entry.evaluator(setting, limits);
        Self {
            entry,
            setting,
            limits,
            evaluator,
            taken: 0,
            compared: 0,
            invalid: 0,
            counted: 0,
        }
    }

    /// Checks all answers at one point against each other and against known values.
    fn hold(&mut self, values: &[Value]) {
        let (entry, setting, limits) = (self.entry, self.setting, &self.limits);
        let what = format!("{} at {values:?} within {limits:?}", entry.name);
        let evaluated = (self.evaluator)(values);
        assert_eq!(
            evaluated,
            entry.evaluate(setting, values, limits),
            "{what}: after other points"
        );
        let instance = match entry.at(setting, values) {
            Ok(instance) => instance,
            Err(refused) => {
                hold_refusal(entry, &refused, &what);
                assert!(matches!(refused, Refused::Invalid(_)), "{what}: {refused}");
                assert_eq!(evaluated, Err(refused), "{what}");
                self.invalid += 1;
                return;
            }
        };
        let admitted = instance.admit();
        let mut described = String::new();
        instance.describe(&mut described).unwrap();
        assert!(described.ends_with('\n'), "{what}: {described}");
        match evaluated {
            Ok(evaluation) => {
                assert_eq!(admitted, Ok(()), "{what}");
                self.taken += 1;
                self.compared += usize::from(evaluation.agreement() == Agreement::Agree);
                self.hold_evaluation(&instance, values, &evaluation, &what);
                let is_counted = self.hold_equal_counts(values, &evaluation, &what);
                if instance.why_skipped(limits).is_none() {
                    self.hold_execution(&instance, values, &evaluation, &what);
                }
                self.counted += usize::from(is_counted);
            }
            // A schedule that the simulator rejects is a bug at any point.
            Err(Refused::Broken(error)) => panic!("{what}: {error}"),
            Err(Refused::Overflow) => assert_eq!(admitted, Ok(()), "{what}"),
            Err(refused) => {
                hold_refusal(entry, &refused, &what);
                assert!(matches!(refused, Refused::NotHere(_)), "{what}: {refused}");
                assert_eq!(admitted, Err(refused), "{what}");
            }
        }
    }

    /// Blocks of one size cost the same where their sizes are counted one by one, where an algorithm takes such blocks.
    fn hold_equal_counts(&self, values: &[Value], evaluation: &Evaluation, what: &str) -> bool {
        let axes = self.entry.axes();
        let [counts, ranks] =
            ["counts", "K"].map(|key| axes.iter().position(|axis| axis.key == key));
        let Some((counts, K)) = counts.zip(ranks.and_then(|ranks| values[ranks])) else {
            return false;
        };
        if values[counts] != Some(0) || K > 1 << 6 {
            return false;
        }
        let ones = vec![1; usize::try_from(K).unwrap()];
        let mut values = values.to_vec();
        values[counts] = Some(counts::keep("ones", counts::digest(&ones), Some(&ones)));
        match self.entry.evaluate(self.setting, &values, &self.limits) {
            Ok(counted) => {
                let known = |one: &Evaluation| one.analytic.clone().or(one.simulated.cost());
                // Where exchanges take longer no clock knows the cost, only an execution within the limits.
                let cost = known(&counted).or_else(|| known(evaluation));
                assert_eq!(cost, known(evaluation), "{what}: counted");
                assert_eq!(
                    counted.simulated.cost(),
                    evaluation.simulated.cost(),
                    "{what}"
                );
                let bound = counted.lower_bound.to_rational();
                let cost = known(&counted).map(|cost| cost.to_rational());
                assert!(cost.is_none_or(|cost| bound <= cost), "{what}: counted");
                true
            }
            Err(refused) => {
                assert_eq!(refused.axis(), Some("counts"), "{what}: {refused}");
                false
            }
        }
    }

    /// Checks the events of an execution against the cost and against each other.
    fn hold_execution(
        &self,
        instance: &Instance,
        values: &[Value],
        evaluation: &Evaluation,
        what: &str,
    ) {
        let mut events: Vec<Event> = Vec::new();
        let executed = instance.execute(&Which::default(), &mut |event| events.push(event));
        let stage = executed.unwrap_or_else(|refused| panic!("{what}: {refused}"));
        let end = events
            .iter()
            .filter(|event| !event.what.is_gap())
            .map(|event| event.end)
            .max()
            .unwrap_or(0);
        let ended = evaluation.simulated.cost();
        if let Simulated::Exact(_) = evaluation.simulated {
            assert_eq!(Some(Exact::Integer(end)), ended, "{what}");
        }
        assert_eq!(stage.unit, self.entry.problem().unit(values), "{what}");
        let mut nodes = stage.source.iter().chain(&stage.destinations);
        assert!(nodes.all(|&node| node < stage.nodes), "{what}: {stage:?}");
        let by_node = [stage.hints.labels.len(), stage.hints.beside.1.len()];
        assert!(
            by_node
                .iter()
                .all(|&length| [0, stage.nodes as usize].contains(&length)),
            "{what}: {stage:?}"
        );
        // By resource: a node's cpu, or a port in one direction.
        let mut occupied: BTreeMap<Resource, Vec<(u64, u64)>> = BTreeMap::new();
        let mut messages: BTreeMap<u32, [Option<Event>; 2]> = BTreeMap::new();
        for event in &events {
            let &Event {
                start,
                end,
                node,
                port,
                peer,
                transfer,
                class,
                ..
            } = event;
            assert!(
                start <= end && node < stage.nodes && peer < stage.nodes,
                "{what}: {event:?}"
            );
            assert!(
                class == 0 || usize::from(class) < stage.classes.len(),
                "{what}: {event:?}"
            );
            assert!(
                stage.items == 0 || event.item < stage.items,
                "{what}: {event:?}"
            );
            let key = (
                node,
                event.what,
                port,
                if event.what == What::Cross { peer } else { 0 },
            );
            occupied.entry(key).or_default().push((start, end));
            match event.what {
                What::Send => messages.entry(transfer).or_default()[0] = Some(*event),
                What::Receive => messages.entry(transfer).or_default()[1] = Some(*event),
                _ => {}
            }
        }
        for (key, mut spans) in occupied {
            spans.sort_unstable();
            // Where links are counted there is no time, so messages may overlap.
            let is_apart =
                stage.unit == Unit::Links || spans.windows(2).all(|pair| pair[0].1 <= pair[1].0);
            assert!(is_apart, "{what}: {key:?} does two things at once");
        }
        for pair in messages.into_values() {
            // The last receiver of a worm.
            let [Some(send), Some(receive)] = pair else {
                panic!("{what}: {pair:?}")
            };
            assert_eq!(
                (send.node, send.peer, send.item),
                (receive.peer, receive.node, receive.item),
                "{what}"
            );
            assert!(
                send.start <= receive.start && send.end <= receive.end,
                "{what}: {send:?} {receive:?}"
            );
        }
        let program = instance.program(&self.limits, None);
        // A switch is no processor of a program.
        let has_switch = self.entry.name.contains("-switch") && stage.nodes > 1;
        assert_eq!(program.is_err(), has_switch, "{what}");
        if let Ok(Some((machine, program))) = program {
            let finish = engine::run(machine, &program).unwrap().finish;
            assert_eq!(ended, Some(Exact::Integer(finish)), "{what}");
            let sends = events
                .iter()
                .filter(|event| event.what == What::Send)
                .count();
            assert_eq!(sends, program.messages() as usize, "{what}");
            if machine.levels().is_some_and(Levels::has_ranges) {
                return;
            }
            let Parts {
                latency,
                overhead,
                gap,
                bandwidth,
                computation,
            } = parts(machine, &program, finish)
                .unwrap()
                .unwrap_or_else(|| panic!("{what}: nothing ends at {finish}"));
            assert_eq!(
                latency + overhead + gap + bandwidth + computation,
                finish,
                "{what}: the parts of the time"
            );
        }
    }

    fn hold_evaluation(
        &self,
        instance: &Instance,
        values: &[Value],
        evaluation: &Evaluation,
        what: &str,
    ) {
        let (entry, limits) = (self.entry, &self.limits);
        let problem = entry.problem();
        let Evaluation {
            lower_bound,
            analytic,
            by,
            most,
            simulated,
            published,
        } = evaluation;
        assert_eq!(by.is_some(), analytic.is_some(), "{what}");
        assert!(most.is_none() || analytic.is_none(), "{what}");
        let is_skipped = matches!(simulated, Simulated::Skipped(_));
        assert_eq!(instance.why_skipped(limits).is_some(), is_skipped, "{what}");
        let can_compare = analytic.is_some()
            && match simulated {
                Simulated::Skipped(reason) => {
                    assert!(!reason.is_empty(), "{what}");
                    false
                }
                // A single draw has no standard error.
                Simulated::Mean(sample) => sample.trials > 1,
                Simulated::Exact(_) | Simulated::Unjudged(..) | Simulated::ExactMean(_) => true,
            };
        let expected = if can_compare {
            Agreement::Agree
        } else {
            Agreement::NotCompared
        };
        assert_eq!(
            evaluation.agreement(),
            expected,
            "{what}: {analytic:?} against {simulated:?}"
        );
        // The mean of some draws may be below an expectation, but not below the mean bound of the same instances.
        let sampled = matches!(simulated, Simulated::Mean(_));
        for cost in analytic
            .clone()
            .into_iter()
            .chain(simulated.cost().filter(|_| !sampled))
        {
            assert!(
                lower_bound.to_rational() <= cost.to_rational(),
                "{what}: {cost} is below {lower_bound}"
            );
            assert!(
                problem.fractions || matches!(cost, Exact::Integer(_)),
                "{what}: {cost} is no whole number"
            );
        }
        if analytic.is_none() {
            let why = instance.unknown();
            assert!(
                !why.starts_with("every cost"),
                "{what}: the problem does not say why"
            );
        }
        for claim in published {
            assert!(
                !claim.section.is_empty() && !claim.formula.is_empty(),
                "{what}: {claim:?}"
            );
        }
        // Limits affect only the simulated cost.
        let alone = instance
            .evaluate(&NOTHING)
            .unwrap_or_else(|refused| panic!("{what}: {refused}"));
        assert_eq!(
            &Evaluation {
                simulated: simulated.clone(),
                ..alone
            },
            evaluation,
            "{what}"
        );
        for most in [0, 1, 100] {
            let steps = [most, most + 1].map(|most| instance.steps(most));
            assert!(
                steps[0] <= most && (steps[0] == steps[1] || steps[0] == most),
                "{what}: {steps:?} steps"
            );
        }
        let on_profile = entry
            .axes()
            .iter()
            .zip(values)
            .any(|(axis, value)| axis.kind == Kind::Profile && value.is_some());
        assert_eq!(
            problem.unit(values) == Unit::Nanoseconds,
            on_profile,
            "{what}"
        );
        // L, o and g are those that are given.
        let times = instance
            .model()
            .map(|model| [("L", model.L()), ("o", model.o()), ("g", model.g())]);
        for (axis, value) in entry
            .axes()
            .iter()
            .zip(values)
            .filter(|(axis, _)| ["L", "o", "g"].contains(&axis.key))
        {
            let found = times.and_then(|times| times.into_iter().find(|(key, _)| *key == axis.key));
            assert!(
                value.is_none() || found.is_none_or(|(_, time)| Some(time) == *value),
                "{what}: {found:?}"
            );
        }
    }
}

/// A refusal that names an axis of the problem, and no option of a command line.
fn hold_refusal(entry: &Entry, refused: &Refused, what: &str) {
    assert!(refused.is_not_applicable(), "{what}");
    let is_option = |word: &str| {
        word.starts_with('-')
            && word
                .trim_start_matches('-')
                .starts_with(char::is_alphabetic)
    };
    let text = refused.to_string();
    assert!(
        !text.is_empty() && !text.split([' ', '`']).any(is_option),
        "{what}: {text}"
    );
    let key = refused
        .axis()
        .unwrap_or_else(|| panic!("{what}: {refused} blames no axis"));
    assert!(
        entry.axes().iter().any(|axis| axis.key == key),
        "{what}: {refused} blames {key}"
    );
}

/// The algorithm at a point where it is defined.
fn admitted(entry: &Entry, setting: &Setting, values: &[Value]) -> Option<Instance> {
    entry
        .at(setting, values)
        .ok()
        .filter(|instance| instance.admit().is_ok())
}

/// Names with a number.
const NUMBERED: &[&str] = &[
    "allgather-pat:2",
    "reduce-scatter-pat:3",
    "allgather-n-block-circulant:3",
    "reduce-scatter-n-block-circulant:2",
    "alltoall-linear:2",
    "gather-linear-sync:1",
    "allgather-recursive-exchange-3",
];

/// The algorithms of a problem, and some with a number.
fn tested(problem: &Problem) -> Vec<Entry> {
    let numbered = NUMBERED.iter().filter_map(|name| catalogue::find(name));
    let all = entries().iter().copied().chain(numbered);
    all.filter(|entry| entry.problem().name == problem.name)
        .collect()
}

#[test]
fn every_algorithm_at_small_points() {
    let setting = setting();
    for problem in PROBLEMS {
        let points = small_points(problem);
        for entry in &tested(problem) {
            let mut runner = Runner::new(entry, &setting, Limits::default());
            for values in &points {
                runner.hold(values);
                if let Some(instance) = admitted(entry, &setting, values) {
                    assert_eq!(
                        instance.why_skipped(&Limits::default()),
                        None,
                        "{} at {values:?}",
                        entry.name
                    );
                }
            }
            let Runner {
                taken,
                compared,
                counted,
                ..
            } = runner;
            let has_counts = entry.axes().iter().any(|axis| axis.key == "counts");
            let takes_counts = has_counts && !entry.name.ends_with("-optimal");
            assert_eq!(counted > 20, takes_counts, "{}: {counted}", entry.name);
            // Some algorithms accept few of the small points.
            let least = points.len().min(100) / 20;
            let counts = format!(
                "{}: {taken} of {} points taken, {compared} compared",
                entry.name,
                points.len()
            );
            assert!(taken > least && compared > least, "{counts}");
        }
    }
}

/// Every second algorithm of each problem, so that two tests share the processors.
fn at_odd_points(first: usize) {
    let setting = setting();
    let limits = Limits {
        nodes: 1 << 12,
        hops: 1 << 14,
    };
    for problem in PROBLEMS {
        let points = small_points(problem);
        let odd = odd_points(&points, points.len().div_ceil(12));
        for entry in tested(problem).iter().skip(first).step_by(2) {
            let mut runner = Runner::new(entry, &setting, limits);
            odd.iter().for_each(|values| runner.hold(values));
            let Runner { taken, invalid, .. } = runner;
            assert!(
                taken > 0 && invalid > 0,
                "{}: {taken} points taken, {invalid} invalid",
                entry.name
            );
        }
    }
}

#[test]
fn every_algorithm_at_odd_points() {
    at_odd_points(0);
}

#[test]
fn every_other_algorithm_at_odd_points() {
    at_odd_points(1);
}

#[test]
fn every_algorithm_at_its_example() {
    let setting = Setting::default();
    for entry in entries() {
        let example = entry.example();
        assert_eq!(
            example.len(),
            entry.axes().len(),
            "{} takes none of its problem's examples",
            entry.name
        );
        let mut runner = Runner::new(entry, &setting, Limits::default());
        runner.hold(&example);
        assert_eq!(runner.taken, 1, "{} at {example:?}", entry.name);
        // One value too few or too many is refused, also by problems with fewer axes.
        let longer = [&*example, &[Some(1)]].concat();
        for values in [&example[1..], &longer] {
            let refused = entry.evaluate(&setting, values, &Limits::default());
            assert!(
                matches!(refused, Err(Refused::Invalid(_))),
                "{} at {values:?}",
                entry.name
            );
            assert_eq!(entry.at(&setting, values).err(), refused.err());
        }
    }
}

/// The least limit up to `most` at which a point is simulated.
fn least(most: u64, simulates: impl Fn(u64) -> bool) -> u64 {
    let (mut below, mut enough) = (0, most);
    while below < enough {
        let middle = below + (enough - below) / 2;
        if simulates(middle) {
            enough = middle;
        } else {
            below = middle + 1;
        }
    }
    enough
}

/// A point is simulated at its least limits of nodes and hops, not with one less; if it counts neither, always.
#[test]
fn a_point_is_simulated_up_to_its_limits() {
    let setting = setting();
    let all = Limits::default();
    for problem in PROBLEMS {
        let points = small_points(problem);
        for entry in entries()
            .iter()
            .filter(|entry| entry.problem().name == problem.name)
        {
            let mut limited = 0;
            // Some algorithms take few of the points.
            let taken: Vec<_> = points
                .iter()
                .filter(|values| admitted(entry, &setting, values).is_some())
                .collect();
            for &values in taken.iter().step_by(taken.len().div_ceil(40).max(1)) {
                let instance = entry.at(&setting, values).unwrap();
                let simulates = |limits: &Limits| instance.why_skipped(limits).is_none();
                let nodes = least(all.nodes, |nodes| simulates(&Limits { nodes, ..all }));
                let hops = least(all.hops, |hops| simulates(&Limits { hops, ..all }));
                Runner::new(entry, &setting, Limits { nodes, hops }).hold(values);
                assert!(
                    simulates(&Limits { nodes, hops }),
                    "{} at {values:?}",
                    entry.name
                );
                for limits in [
                    nodes.checked_sub(1).map(|nodes| Limits { nodes, ..all }),
                    hops.checked_sub(1).map(|hops| Limits { hops, ..all }),
                ] {
                    let Some(limits) = limits else { continue };
                    limited += 1;
                    assert!(
                        !simulates(&limits),
                        "{} at {values:?} within {limits:?}",
                        entry.name
                    );
                    Runner::new(entry, &setting, limits).hold(values);
                }
            }
            assert!(limited > 0, "no limit holds for {}", entry.name);
        }
    }
}

/// All algorithms refuse costs above the same maximum: two nodes and messages that take L, one after the other.
#[test]
fn the_largest_cost_is_the_same_for_all() {
    let setting = Setting::default();
    let mut tried = BTreeSet::new();
    for entry in entries() {
        let keys: Vec<&str> = entry.axes().iter().map(|axis| axis.key).collect();
        if !["L", "o", "g", "K"].iter().all(|key| keys.contains(key)) {
            continue;
        }
        let values = |L: u64| -> Vec<Value> {
            let value = |(key, example): (&&str, Value)| match *key {
                "L" => Some(L),
                "o" | "c" => Some(0),
                "g" => Some(L / 2),
                "K" => Some(2),
                _ => example.map(|_| 1),
            };
            keys.iter().zip(entry.example()).map(value).collect()
        };
        // Some need three nodes or more.
        if admitted(entry, &setting, &values(LARGEST)).is_none() {
            continue;
        }
        let analytic = |L, limits: &Limits| {
            entry
                .evaluate(&setting, &values(L), limits)
                .map(|evaluation| evaluation.analytic)
        };
        let Ok(Some(Exact::Integer(messages))) = analytic(1, &NOTHING) else {
            panic!("{} has no cost", entry.name)
        };
        // Here g is 0, and elsewhere a second message that waits for it counts.
        if analytic(2, &NOTHING) != Ok(Some(Exact::Integer(2 * messages))) {
            continue;
        }
        tried.insert(entry.name);
        let most = LARGEST / messages;
        for limits in [Limits::default(), NOTHING] {
            assert_eq!(
                analytic(most, &limits),
                Ok(Some(Exact::Integer(most * messages))),
                "{}",
                entry.name
            );
            for L in [most + 1, u64::MAX] {
                assert_eq!(
                    analytic(L, &limits),
                    Err(Refused::Overflow),
                    "{} with L = {L}",
                    entry.name
                );
            }
        }
    }
    assert!(tried.len() >= 20, "{tried:?}");
}

/// The statements of papers word by word, and their values at small points.
#[test]
fn what_papers_state_of_each_algorithm() {
    let setting = Setting::default();
    let mut stated: BTreeMap<String, Vec<u128>> = BTreeMap::new();
    for entry in entries() {
        let points = small_points(entry.problem());
        for values in points.iter().step_by(points.len().div_ceil(30)) {
            let Ok(evaluation) = entry.evaluate(&setting, values, &NOTHING) else {
                continue;
            };
            for Published {
                section,
                formula,
                relation,
                value,
            } in evaluation.published
            {
                let what = format!("{}, {section}: {formula} {}", entry.name, relation.symbol());
                stated.entry(what).or_default().push(value);
            }
        }
    }
    let lines = stated
        .iter()
        .map(|(what, values)| format!("{what} {values:?}\n"));
    insta::assert_snapshot!(lines.collect::<String>());
}

/// Whether these are distinct and not empty.
#[track_caller]
fn are_different<'a>(names: impl IntoIterator<Item = &'a str>) {
    let mut seen = BTreeSet::new();
    for name in names {
        assert!(
            !name.is_empty() && seen.insert(name),
            "`{name}` is empty or appears twice"
        );
    }
}

fn is_fit_for_a_file(name: &str) -> bool {
    name.chars()
        .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-')
}

#[test]
fn every_algorithm_has_a_description() {
    for (rank, entry) in entries().iter().enumerate() {
        assert_eq!(entry.rank(), rank, "{}", entry.name);
        assert_eq!(catalogue::find(entry.name), Some(*entry), "{}", entry.name);
        assert!(is_fit_for_a_file(entry.name), "{}", entry.name);
        assert_eq!(format!("{entry:?}"), format!("Entry({:?})", entry.name));
        assert!(
            !entry.paper.is_empty() && !entry.section.is_empty() && entry.revision > 0,
            "{}",
            entry.name
        );
    }
    assert_eq!(catalogue::find("none of them"), None);
    are_different(entries().iter().map(|entry| entry.name));
    are_different(entries().iter().map(|entry| entry.summary));
    // The same words wherever a paper is named.
    for paper in Paper::ALL {
        assert!(
            entries().iter().any(|entry| entry.paper == paper.title()),
            "{}",
            paper.title()
        );
        assert!(
            claims::all().iter().any(|claim| claim.paper == paper),
            "{}",
            paper.slug()
        );
    }
    are_different(Paper::ALL.map(Paper::slug));
}

#[test]
fn every_problem_has_a_description() {
    are_different(PROBLEMS.iter().map(|problem| problem.name));
    are_different(PROBLEMS.iter().map(|problem| problem.title));
    let ranked = entries().iter().map(|entry| entry.problem().name);
    let ranks: Vec<_> = ranked
        .map(|name| {
            (
                PROBLEMS.iter().position(|problem| problem.name == name),
                name,
            )
        })
        .collect();
    assert!(ranks.is_sorted(), "{ranks:?}");
    for problem in PROBLEMS {
        let name = problem.name;
        assert!(is_fit_for_a_file(name), "{name}");
        assert_eq!(format!("{problem:?}"), name);
        assert_eq!(
            catalogue::problem(name).map(|problem| problem.name),
            Some(name)
        );
        assert!(
            entries().iter().any(|entry| entry.problem().name == name),
            "{name} has no algorithm"
        );
    }
    assert_eq!(
        catalogue::problem("none of them").map(|problem| problem.name),
        None
    );
}

#[test]
fn the_axes_of_a_problem_are_distinct() {
    for problem in PROBLEMS {
        let (name, axes) = (problem.name, problem.axes);
        assert!(!axes.is_empty(), "{name}");
        are_different(axes.iter().map(|axis| axis.key));
        are_different(axes.iter().map(|axis| axis.title));
        are_different(axes.iter().map(|axis| axis.meaning));
        are_different(axes.iter().filter_map(|axis| axis.long));
        let mut shorts = BTreeSet::new();
        assert!(
            axes.iter()
                .filter_map(|axis| axis.short)
                .all(|short| shorts.insert(short)),
            "{name}"
        );
        let options: Vec<String> = axes.iter().map(Axis::option).collect();
        are_different(options.iter().map(String::as_str));
        for axis in axes {
            let columns = if matches!(axis.kind, Kind::Sides | Kind::Profile) {
                2
            } else {
                1
            };
            assert_eq!(axis.columns.len(), columns, "{name}: {}", axis.key);
            let one = catalogue::axes()
                .iter()
                .filter(|known| known.key == axis.key)
                .count();
            assert_eq!(one, 1, "{name}: {}", axis.key);
        }
    }
}

#[test]
fn the_forms_of_a_problem_have_its_axes() {
    for problem in PROBLEMS {
        let (name, axes) = (problem.name, problem.axes);
        let forms = forms(problem);
        assert_eq!(
            forms.iter().collect::<BTreeSet<_>>().len(),
            forms.len(),
            "{name}"
        );
        assert!(
            (0..axes.len()).all(|axis| forms.iter().any(|form| form[axis])),
            "{name}: an axis is in no form"
        );
        for entry in entries()
            .iter()
            .filter(|entry| entry.problem().name == name)
        {
            let example: Vec<bool> = entry.example().iter().map(Option::is_some).collect();
            assert!(
                forms.contains(&example),
                "{}: the example has no form of {name}",
                entry.name
            );
            // A default is a valid value.
            for (index, axis) in axes
                .iter()
                .enumerate()
                .filter(|&(index, axis)| example[index] && axis.default.is_some())
            {
                let mut values = entry.example();
                values[index] = axis.default;
                assert_eq!(
                    entry.at(&Setting::default(), &values).err(),
                    None,
                    "{name}: {}",
                    axis.key
                );
            }
        }
    }
}

/// A refusal names the value, as an error of the library and as text.
#[test]
fn a_refusal_is_an_error() {
    let entry = entries()[0];
    let refused = entry
        .evaluate(
            &Setting::default(),
            &vec![None; entry.axes().len()],
            &NOTHING,
        )
        .unwrap_err();
    assert!(
        matches!(refused, Refused::Invalid(_)) && refused.is_not_applicable(),
        "{refused:?}"
    );
    assert_eq!(
        Error::from(refused.clone()).to_string(),
        refused.to_string()
    );
    assert_eq!(Error::from(Refused::Overflow), Error::Overflow);
    assert_eq!(Refused::Overflow.to_string(), Error::Overflow.to_string());
    assert_eq!(
        (
            Refused::Overflow.axis(),
            Refused::Overflow.is_not_applicable()
        ),
        (None, false)
    );
}

/// An algorithm's published cost is the first statement that is not a bound for all algorithms.
#[test]
fn the_headline_is_no_lower_bound() {
    let claim = |relation, value| Published {
        section: "here",
        formula: "there",
        relation,
        value,
    };
    let evaluation = |published| Evaluation {
        lower_bound: Exact::Integer(0),
        published,
        analytic: None,
        by: None,
        most: None,
        simulated: Simulated::Exact(3),
    };
    let floor = claim(Relation::AtLeast, 2);
    let (below, equal) = (claim(Relation::Below, 5), claim(Relation::Equal, 3));
    assert_eq!(evaluation(vec![]).headline(), None);
    assert_eq!(evaluation(vec![floor.clone()]).headline(), None);
    assert_eq!(
        evaluation(vec![floor, below.clone(), equal]).headline(),
        Some(&below)
    );
    assert_eq!(
        [2, 3, 4].map(|cost| Relation::Below.holds(cost, 3)),
        [true, false, false]
    );
    assert_eq!(
        [2, 3, 4].map(|cost| Relation::AtMost.holds(cost, 3)),
        [true, true, false]
    );
    assert_eq!(
        [2, 3, 4].map(|cost| Relation::AtLeast.holds(cost, 3)),
        [false, true, true]
    );
    assert_eq!(
        [2, 3, 4].map(|cost| Relation::Equal.holds(cost, 3)),
        [false, true, false]
    );
}
