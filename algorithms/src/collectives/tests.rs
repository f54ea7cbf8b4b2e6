//! Every algorithm of every collective: its formula against its execution, and the judge against mutated scripts.

mod golden;
mod uneven;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Mutex;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::judge::judge;
use super::{Algorithm, Collective, Goal, Task, hierarchy, known, list, narrow};
use crate::engine::Machine;
use crate::engine::program::Operation;
use crate::error::Error;
use crate::logp::{Level, Levels, LogGops, LogP, Placement, Profile};
use crate::plan::compiled::Compiled;
use crate::plan::script::{Act, RESULT, Script, Step};
use crate::plan::task::PortRule;
use crate::problem::Listed;

/// One algorithm of a collective.
pub(super) struct Case {
    pub goal: &'static dyn Goal,
    pub listed: &'static Listed<dyn Algorithm>,
    is_rooted: bool,
    /// Whether messages have n words.
    is_sized: bool,
    /// Whether it is a vector of elements that is cut.
    has_elements: bool,
    /// Whether blocks can have sizes of their own.
    pub has_counts: bool,
    /// The times to combine two words.
    pub combining: &'static [u64],
}

impl Case {
    /// The task with other roots and segments; of one word where no other size can be asked for.
    pub fn tasks(&self, machine: Machine, K: u64, n: u64, c: u64) -> Vec<Task> {
        let n = if self.is_sized { n } else { 1 };
        let roots =
            [0, 1, K / 2, K - 1].map(|root| if self.is_rooted { root.min(K - 1) } else { 0 });
        // More segments would take most of the time of these tests, and have nothing that these have not.
        let segments = [1, 2, 3, 7, 100].map(|m| {
            m.min(if self.listed.algorithm.properties().is_segmented {
                n
            } else {
                1
            })
        });
        let radices = [2, 3, 4, 7, u64::MAX].map(|r| {
            if self.listed.algorithm.properties().has_radix {
                r
            } else {
                2
            }
        });
        let ports = [1, 2, 3, 256].map(|k| {
            if self.listed.algorithm.properties().has_ports {
                k
            } else {
                1
            }
        });
        let task = Task {
            has_switch: self.listed.name.contains("-switch"),
            ..Task::new(machine, K, n, c)
        };
        let mut tasks: Vec<_> = roots.map(|root| Task { root, ..task }).to_vec();
        tasks = tasks
            .into_iter()
            .flat_map(|task| segments.map(|m| Task { m, ..task }))
            .collect();
        tasks = tasks
            .into_iter()
            .flat_map(|task| radices.map(|r| Task { r, ..task }))
            .collect();
        tasks = tasks
            .into_iter()
            .flat_map(|task| ports.map(|k| Task { k, ..task }))
            .collect();
        tasks.sort_unstable_by_key(|task| (task.root, task.m, task.r, task.k));
        tasks.dedup();
        // All combinations on many ranks would take most of the time of these tests.
        if K > 12 && tasks.len() > 3 {
            let of_third =
                |third| tasks[(narrow(K) as usize + third * tasks.len() / 3) % tasks.len()];
            tasks = [0, 1, 2].map(of_third).to_vec();
        }
        tasks
    }

    /// Two tasks of those with K ranks.
    fn mutated_tasks(&self, machine: Machine, K: u64) -> Vec<Task> {
        // Blocks of one size and, where they are allowed, of two.
        let mut tasks: Vec<_> = [3 * K, 3 * K + 1]
            .into_iter()
            .flat_map(|n| self.tasks(machine, K, n, 1))
            .collect();
        tasks.retain(|task| self.listed.algorithm.time(task).is_ok());
        let other = (tasks.len() > 1).then(|| tasks[narrow(K) as usize % (tasks.len() - 1)]);
        other.into_iter().chain(tasks.last().copied()).collect()
    }
}

/// Algorithms with a number in their names.
const NUMBERED: &[&str] = &[
    "allgather-pat:1",
    "allgather-pat:2",
    "reduce-scatter-pat:1",
    "reduce-scatter-pat:5",
    "allgather-n-block-circulant:3",
    "reduce-scatter-n-block-circulant:4",
    "alltoall-linear:3",
    "allgather-linear:2",
    "gather-linear-sync:2",
    "allreduce-recursive-multiplying-2",
    "allreduce-scatter-allgather-3",
    "gather-k-nomial-3",
    "reduce-scatter-recursive-exchange-5",
    "allgather-bruck:2",
    "allgather-bruck:4",
    "broadcast-k-nomial-3",
    "broadcast-k-ary-3",
    "broadcast-k-ary-2",
    "reduce-k-nomial-3",
    "allgather-recexch-3",
    "allgather-recexch-halving-3",
    "allgather-recexch-halving-2",
    "allreduce-recexch-2",
    "allreduce-recexch-scatter-allgather-3",
    "allreduce-recursive-multiplying-wrapped-3",
    "allreduce-recursive-multiplying-wrapped-9",
    "barrier-recexch-3",
];

fn cases() -> Vec<Case> {
    let of = |collective: &'static Collective| {
        let [is_rooted, is_sized, has_elements, has_counts, combines] =
            ["root", "n", "element", "counts", "c"].map(|key| {
                let mut axes = collective.parameters.0.iter();
                axes.any(|axis| axis.key == key)
            });
        let numbered = NUMBERED.iter().filter_map(|name| {
            let number = hierarchy::composed(collective.name, name)?;
            known::listed(collective.name, number)
        });
        (collective.entries.iter().chain(numbered)).map(move |listed| Case {
            goal: collective.goal,
            listed,
            is_rooted,
            is_sized,
            has_elements,
            has_counts,
            combining: if combines { &[0, 1, 2_500] } else { &[0] },
        })
    };
    list::ALL.into_iter().flat_map(of).collect()
}

/// Machines whose gap is shorter than a hop, and machines where it is longer.
pub(super) fn machines() -> Vec<Machine> {
    let words = [
        (6, 2, 4),
        (1, 0, 1),
        (100, 3, 1),
        (0, 3, 5),
        (0, 1, 9),
        (1, 0, 50),
        (3, 1, 6),
    ];
    let words = words.map(|(L, o, g)| Machine::Words(LogP::new(L, o, g).unwrap()));
    let profile = LogGops {
        L: 40,
        o: 3,
        g: 9,
        G: 2_000_000,
        O: 500_000,
        H: 300_000,
    };
    let profiles = [
        profile,
        LogGops {
            L: 1,
            o: 0,
            g: 80,
            G: 3_000,
            O: 700_000,
            H: 0,
        },
    ]
    .map(|profile| Machine::LogGops(profile.into()));
    words.into_iter().chain(profiles).collect()
}

/// The cases, shared by two threads.
pub(super) fn for_each_case(check: impl Fn(&Case) + Sync) {
    std::thread::scope(|scope| {
        for first in 0..2 {
            let check = &check;
            scope.spawn(move || cases().iter().skip(first).step_by(2).for_each(check));
        }
    });
}

#[test]
fn formulas_are_what_is_executed() {
    for_each_case(|case| {
        let Case { goal, listed, .. } = case;
        let (mut known, mut ranks) = (0, BTreeSet::new());
        for (machine, K) in (0..).zip(machines()).flat_map(|(index, machine)| {
            // Every third machine for more ranks, which take most of the time of this test.
            (1..=33)
                .filter(move |K| *K <= 12 || (K + index) % 3 == 0)
                .map(move |K| (machine, K))
        }) {
            for n in [1, 2, 5, K, K + 1, 4 * K, 64 * K, 321] {
                for task in case
                    .combining
                    .iter()
                    .flat_map(|&c| case.tasks(machine, K, n, c))
                {
                    let Ok(time) = listed.algorithm.time(&task) else {
                        continue;
                    };
                    let plan = listed.algorithm.compiled(&task).unwrap();
                    let executed = judge(
                        *goal,
                        &task,
                        listed.algorithm.properties().keeps_order,
                        &plan,
                    );
                    let executed = executed
                        .unwrap_or_else(|error| panic!("{}: {task:?}: {error}", listed.name));
                    assert_eq!(time, Some(executed), "{}: {task:?}", listed.name);
                    let [least, most] = listed.algorithm.formula(&task).unwrap().bounds();
                    assert!(
                        (least..=most).contains(&executed),
                        "{}: {task:?}: {least} to {most}",
                        listed.name
                    );
                    known += 1;
                    ranks.insert(K);
                    assert_eq!(
                        listed.algorithm.messages(&task),
                        plan.program.messages().into(),
                        "{task:?}"
                    );
                }
            }
        }
        println!("{}: {known} points equal", listed.name);
        // Of those with blocks of one size few n are tried.
        assert!(known > 400, "{}: {known} points", listed.name);
        let all = |takes: fn(&u64) -> bool| (1..=33).filter(takes).eq(ranks.iter().copied());
        let takes: [fn(&u64) -> bool; 4] = [
            |_| true,
            |K| *K == 1 || K.is_multiple_of(2),
            |K| K.is_power_of_two(),
            |K| [1, 3, 9, 27].contains(K),
        ];
        assert!(takes.into_iter().any(all), "{}: {ranks:?}", listed.name);
    });
}

/// A vector is cut between its elements, also one with fewer elements than ranks.
#[test]
fn no_element_is_cut() {
    for_each_case(|case| {
        let Case { goal, listed, .. } = case;
        if !case.has_elements {
            return;
        }
        let mut known = 0;
        for (machine, K) in machines()
            .into_iter()
            .flat_map(|machine| [1, 3, 6, 8].map(|K| (machine, K)))
        {
            for (n, element) in [1, 3, K + 1, 4 * K]
                .into_iter()
                .flat_map(|n| [3, 8].map(|element| (n, element)))
            {
                let c = case.combining.last().copied().unwrap_or(0);
                for task in case
                    .tasks(machine, K, n, c)
                    .into_iter()
                    .map(|task| Task { element, ..task })
                {
                    let Ok(time) = listed.algorithm.time(&task) else {
                        continue;
                    };
                    let plan = listed.algorithm.compiled(&task).unwrap();
                    let executed = judge(
                        *goal,
                        &task,
                        listed.algorithm.properties().keeps_order,
                        &plan,
                    )
                    .unwrap();
                    assert_eq!(time, Some(executed), "{}: {task:?}", listed.name);
                    let mut sizes =
                        (0..narrow(plan.program.operations() as u64)).filter_map(|operation| {
                            match plan.program.operation(operation) {
                                Operation::Send { bytes, .. } => Some(bytes),
                                _ => None,
                            }
                        });
                    assert!(
                        sizes.all(|bytes| bytes.is_multiple_of(element)),
                        "{}: {task:?}",
                        listed.name
                    );
                    known += 1;
                }
            }
        }
        assert!(known > 50, "{}: {known} points", listed.name);
    });
}

/// A number in a name is taken or refused, however large it is: nothing panics.
#[test]
fn numbers_in_names_have_no_end() {
    let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
    let task = Task::new(machine, 6, 7, 1);
    let mut taken = 0;
    for case in cases() {
        let algorithm = |number| case.listed.algorithm.with_number(number);
        let numbers = [1, 2, 1 << 20, 1 << 32, u64::MAX];
        for numbered in numbers.into_iter().filter_map(algorithm) {
            if numbered.time(&task).is_ok() {
                numbered.messages(&task);
                taken += 1;
            }
        }
    }
    assert!(taken > 20, "{taken}");
}

/// Vectors with fewer words than ranks: what cuts them into K blocks, of one word or none, takes them all or none.
#[test]
fn blocks_may_be_empty() {
    let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
    let cases = cases();
    let refused = cases
        .iter()
        .filter(|case| case.is_sized)
        .filter_map(|case| {
            let refuses = |K: u64| {
                case.listed
                    .algorithm
                    .time(&Task {
                        m: 1,
                        has_switch: true,
                        ..Task::new(machine, K, K - 1, 1)
                    })
                    .is_err()
            };
            [4, 8, 16, 32]
                .into_iter()
                .any(refuses)
                .then_some(case.listed.name)
        });
    // These take powers of three, or need two segments.
    let others = ["broadcast-split-binary", "allreduce-trivance"];
    assert_eq!(refused.collect::<BTreeSet<_>>(), others.into());
}

/// With duplex ports words are right also where near messages occupy a rank for longer than far ones, so that it receives while it sends.
#[test]
fn duplex_ports_on_levels() {
    let of = |L, o| LogGops {
        L,
        o,
        g: 20,
        G: 0,
        O: 0,
        H: 0,
    };
    let machine = |placement| {
        let near = Level {
            ranks: 3,
            machine: of(300, 120),
        };
        let levels = Levels::new(vec![near], of(50, 10), placement, None).unwrap();
        Machine::LogGops(Profile::Levels(levels))
    };
    let machines = [Placement::Block, Placement::RoundRobin].map(machine);
    for_each_case(|case| {
        let algorithm = case.listed.algorithm;
        for (machine, K) in machines
            .into_iter()
            .flat_map(|machine| (2..12).map(move |K| (machine, K)))
        {
            for (k, &c) in [1, 2]
                .into_iter()
                .flat_map(|k| case.combining.iter().map(move |c| (k, c)))
            {
                let n = if case.is_sized { 2 } else { 1 };
                let rule = PortRule::Duplex;
                let task = Task {
                    k,
                    rule,
                    ..Task::new(machine, K, n, c)
                };
                if algorithm.closed(&task).is_err() || case.listed.name.contains("-switch") {
                    continue;
                }
                let order = algorithm.properties().keeps_order;
                let judged = judge(case.goal, &task, order, &algorithm.compiled(&task).unwrap());
                assert!(judged.is_ok(), "{}: {task:?}: {judged:?}", case.listed.name);
            }
        }
    });
}

/// With duplex ports every collective has the cost of its execution, which is no longer than with one strict port, and no shorter than
/// the bound; a broadcast that states its lanes has the cost of its plan where there is one port and one size of segments.
#[test]
fn duplex_ports() {
    let less = Mutex::new(BTreeSet::new());
    for_each_case(|case| {
        let Case { goal, listed, .. } = case;
        // Ports to a switch are strict.
        if listed.name.contains("-switch") {
            return;
        }
        let algorithm = listed.algorithm;
        let mut known = 0;
        for (machine, K) in machines()
            .into_iter()
            .flat_map(|machine| (1..=13).map(move |K| (machine, K)))
        {
            for (n, m, k, c) in [
                (1, 1, 1, 0),
                (5, 1, 1, 1),
                (K, 1, 2, 3),
                (3 * K + 1, 1, 3, 2),
                (2 * K, 1, 1, 40),
                (12, 2, 1, 0),
                (12, 3, 1, 2),
                (7, 7, 1, 0),
                (64, 4, 1, 1),
                (64, 4, 2, 1),
            ] {
                let (n, c) = (
                    if case.is_sized { n } else { 1 },
                    if case.combining.len() > 1 { c } else { 0 },
                );
                let task = Task {
                    m: m.min(n),
                    k,
                    r: 2 + K % 3,
                    rule: PortRule::Duplex,
                    ..Task::new(machine, K, n, c)
                };
                let strict = Task {
                    k: 1,
                    rule: PortRule::Strict,
                    ..task
                };
                let Ok(Some(most)) = algorithm
                    .time(&strict)
                    .map(|time| time.filter(|_| m == 1 || algorithm.properties().is_segmented))
                else {
                    continue;
                };
                if algorithm.closed(&task).is_err() {
                    continue;
                }
                let what = format!("{}: {task:?}", listed.name);
                let order = algorithm.properties().keeps_order;
                let executed =
                    judge(*goal, &task, order, &algorithm.compiled(&task).unwrap()).expect(&what);
                let bounds = algorithm.closed(&task).unwrap().bounds();
                assert!((bounds[0]..=bounds[1]).contains(&executed), "{what}");
                // With more ports it can send to other ranks first.
                assert!(
                    executed <= most || k > 1 && algorithm.properties().has_ports,
                    "{what}: {executed} with duplex ports, {most} with strict ones"
                );
                if executed < most {
                    less.lock().unwrap().insert(listed.name);
                }
                match algorithm.duplex() {
                    None => assert_eq!(algorithm.time(&task), Ok(Some(executed)), "{what}"),
                    // A rank receives the other half beside its own one there.
                    Some(stated) if k == 1 && !stated.crosses() => {
                        let stated = stated.time(&task);
                        assert_eq!(stated, Ok(executed), "{what}");
                    }
                    Some(_) => {}
                }
                known += 1;
            }
        }
        assert!(known > 30, "{}: {known} points", listed.name);
    });
    let less = less.into_inner().unwrap();
    for (name, is_less) in [
        ("broadcast-chain", true),
        ("allreduce-segmented-ring", true),
        ("alltoall-linear", true),
        ("reduce-chain", true),
        ("scan-direct", true),
    ] {
        assert_eq!(less.contains(name), is_less, "{name}");
    }
}

/// Machines whose parameters are in any proportion.
fn any_machine() -> impl Strategy<Value = Machine> {
    let times = prop_oneof![Just(3u64), Just(20), Just(200)]
        .prop_flat_map(|most| (1..=most, 0..=most, 0..=most));
    let per_byte = prop_oneof![Just(0u64), Just(900), Just(40_000)]
        .prop_flat_map(|most| [0..=most, 0..=most, 0..=most]);
    (times, proptest::option::of(per_byte)).prop_map(|((L, o, g), per_byte)| match per_byte {
        None => Machine::Words(LogP::new(L, o, g).unwrap()),
        // Every other one in parts of a picosecond.
        Some(per_byte) => {
            let [G, O, H] = per_byte.map(|time| time * (1_000 + L % 2));
            Machine::LogGops(LogGops { L, o, g, G, O, H }.into())
        }
    })
}

impl Case {
    /// Tasks for the algorithm. In half of them K divides n, in the others m does.
    fn any_task(&self) -> impl Strategy<Value = Task> + use<'_> {
        let algorithm = self.listed.algorithm;
        let upto = |most: u64, applies: bool| if applies { 1..=most } else { 1..=1 };
        let choices = (
            upto(10, algorithm.properties().is_segmented),
            upto(8, algorithm.properties().has_radix),
            upto(4, algorithm.properties().has_ports),
        );
        let combining = if self.combining.len() > 1 {
            prop_oneof![0..=5u64, 0..=9_000u64].boxed()
        } else {
            Just(0).boxed()
        };
        (
            any_machine(),
            1..=40u64,
            choices,
            1..=30u64,
            any::<bool>(),
            combining,
            any::<u64>(),
        )
            .prop_map(|(machine, K, (m, digits, k), times, divides, c, root)| {
                let n = if divides { K * times } else { m * times };
                let root = if self.is_rooted { root % K } else { 0 };
                Task {
                    root,
                    m,
                    r: digits + 1,
                    k,
                    ..Task::new(machine, K, if self.is_sized { n.max(m) } else { 1 }, c)
                }
            })
    }
}

#[test]
fn formulas_are_what_is_executed_on_any_machine() {
    for_each_case(|case| {
        let (goal, name, algorithm) = (&case.goal, case.listed.name, case.listed.algorithm);
        let config = Config {
            cases: 400,
            failure_persistence: None,
            ..Config::default()
        };
        let mut runner =
            TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
        let checked = runner.run(&case.any_task(), |task| {
            let Ok(time) = algorithm.time(&task) else {
                return Ok(());
            };
            let executed = judge(
                *goal,
                &task,
                algorithm.properties().keeps_order,
                &algorithm.compiled(&task).unwrap(),
            );
            let executed = executed.unwrap();
            let [least, most] = algorithm.closed(&task).unwrap().bounds();
            prop_assert!((least..=most).contains(&executed));
            prop_assert_eq!(time, Some(executed));
            Ok(())
        });
        checked.unwrap_or_else(|error| panic!("{name}: {error}"));
    });
}

/// Where a clock need not follow all periods of a plan, with few times of each kind, so that ranks wait for one another in many ways.
#[test]
fn periods_that_are_not_followed() {
    let config = Config {
        cases: 1_500,
        failure_persistence: None,
        ..Config::default()
    };
    let points = (any_machine(), 1..=24u64, 1..=200u64, any::<[u64; 5]>());
    let mut cases = cases();
    cases.retain(|case| {
        let name = case.listed.name;
        name.ends_with("-tree-chain")
            || name.contains("-n-block-circulant")
                && case.listed.algorithm.properties().is_segmented
    });
    assert_eq!(cases.len(), 4);
    for Case {
        goal,
        listed,
        is_rooted,
        ..
    } in cases
    {
        let mut runner = TestRunner::new_with_rng(
            config.clone(),
            TestRng::deterministic_rng(RngAlgorithm::ChaCha),
        );
        let checked = runner.run(&points, |(machine, K, m, [words, rest, c, root, ports])| {
            let (rule, k) = match ports % 2 {
                0 => (PortRule::Strict, 1),
                _ => (PortRule::Duplex, 1 + ports % 3),
            };
            let task = Task {
                root: if is_rooted { root % K } else { 0 },
                m,
                k,
                rule,
                ..Task::new(machine, K, m * (1 + words % 3) + rest % m, c % 9)
            };
            let executed = judge(
                goal,
                &task,
                false,
                &listed.algorithm.compiled(&task).unwrap(),
            );
            let executed = executed.unwrap();
            let [least, most] = listed.algorithm.closed(&task).unwrap().bounds();
            prop_assert!((least..=most).contains(&executed));
            prop_assert_eq!(listed.algorithm.time(&task), Ok(Some(executed)));
            Ok(())
        });
        checked.unwrap_or_else(|error| panic!("{}: {error}", listed.name));
    }
}

/// A step with its words.
#[derive(Clone)]
struct StepWords {
    act: Act,
    buffer: u8,
    peer: u32,
    round: u32,
    pieces: Vec<(u64, u64)>,
}

impl StepWords {
    fn combines(&self) -> bool {
        matches!(self.act, Act::CombineBefore | Act::CombineAfter)
    }

    /// The other order.
    fn swap(&mut self) {
        self.act = match self.act {
            Act::CombineBefore => Act::CombineAfter,
            Act::CombineAfter => Act::CombineBefore,
            Act::Local { left, right } => Act::Local {
                left: right,
                right: left,
            },
            act => act,
        };
    }
}

/// A script, rank by rank. Mutants share the ranks that do the same.
#[derive(Clone)]
struct Written {
    ranks: Vec<Rc<Vec<StepWords>>>,
}

impl Written {
    fn new(algorithm: &dyn Algorithm, task: &Task) -> Self {
        let plan = algorithm.plan(task).unwrap();
        let write = plan.writer(task).unwrap();
        let ranks = narrow(task.K) + plan.switches();
        let ranks = (0..ranks).map(|rank| {
            let mut script = Script::default();
            write(rank, &mut script);
            let line = |step: &Step| {
                let &Step {
                    act,
                    buffer,
                    peer,
                    round,
                    ..
                } = step;
                StepWords {
                    act,
                    buffer,
                    peer,
                    round,
                    pieces: script.pieces(step).to_vec(),
                }
            };
            Rc::new(script.steps.iter().map(line).collect())
        });
        Self {
            ranks: ranks.collect(),
        }
    }

    fn judge(&self, goal: &dyn Goal, algorithm: &dyn Algorithm, task: &Task) -> Result<u64, Error> {
        let mut script = Script::default();
        let mut ends = Vec::new();
        for steps in &self.ranks {
            for StepWords {
                act,
                buffer,
                peer,
                round,
                pieces,
            } in &**steps
            {
                script.push(
                    *act,
                    *buffer,
                    *peer,
                    *round,
                    pieces.iter().map(|&(start, end)| start..end),
                );
            }
            ends.push(script.steps.len());
        }
        judge(
            goal,
            task,
            algorithm.properties().keeps_order,
            &Compiled::from_scripts(task, script, &ends)?,
        )
    }

    /// All steps, as rank and index.
    fn indices(&self) -> Vec<(usize, usize)> {
        let of = |(rank, steps): (usize, &Rc<Vec<StepWords>>)| {
            (0..steps.len())
                .map(|index| (rank, index))
                .collect::<Vec<_>>()
        };
        self.ranks.iter().enumerate().flat_map(of).collect()
    }

    fn steps(&mut self, rank: usize) -> &mut Vec<StepWords> {
        Rc::make_mut(&mut self.ranks[rank])
    }

    fn line(&mut self, (rank, index): (usize, usize)) -> &mut StepWords {
        &mut self.steps(rank)[index]
    }

    fn double(&mut self, (rank, index): (usize, usize)) {
        let line = self.ranks[rank][index].clone();
        self.steps(rank).insert(index, line);
    }

    /// The index of the receive of a message.
    fn receive(&self, (from, index): (usize, usize)) -> (usize, usize) {
        let StepWords {
            peer: to, round, ..
        } = self.ranks[from][index];
        let is_it = |line: &StepWords| {
            !matches!(line.act, Act::Send | Act::Local { .. })
                && line.peer as usize == from
                && line.round == round
        };
        (
            to as usize,
            self.ranks[to as usize].iter().position(is_it).unwrap(),
        )
    }

    /// Whether a step receives only words that the rank holds already, in a script that combines nothing.
    fn is_held(
        &self,
        goal: &dyn Goal,
        task: &Task,
        (rank, index): (usize, usize),
        words: &[(u64, u64)],
    ) -> bool {
        let before = &self.ranks[rank][..index];
        let received = before
            .iter()
            .filter(|line| line.act == Act::Receive)
            .flat_map(|line| &line.pieces);
        let is_received = |word: u64| {
            received
                .clone()
                .any(|&(start, end)| (start..end).contains(&word))
        };
        // Its own words, if they are what it needs.
        let (own, block) = (rank as u64, |word: u64| word / task.n);
        let is_own = |word| {
            goal.starts_with(task, own, block(word))
                && goal.ends_with(task, own, block(word)) == Some((own, 1))
        };
        self.ranks
            .iter()
            .flat_map(|steps| &**steps)
            .all(|line| matches!(line.act, Act::Send | Act::Receive))
            && words
                .iter()
                .flat_map(|&(start, end)| start..end)
                .all(|word| is_own(word) || is_received(word))
    }

    /// Whether no rank needs words that a step receives, neither this one nor those that get them from it.
    fn is_unused(
        &self,
        goal: &dyn Goal,
        task: &Task,
        (rank, index): (usize, usize),
        words: &[(u64, u64)],
    ) -> bool {
        let is_passed_on = |from: usize, word: (u64, u64)| {
            let line = &self.ranks[rank][from];
            let common = |piece: &(u64, u64)| (piece.0.max(word.0), piece.1.min(word.1));
            let pieces = line.pieces.iter().map(common);
            let pieces: Vec<_> = pieces.filter(|(start, end)| start < end).collect();
            match line.act {
                _ if pieces.is_empty() => false,
                Act::Send => !self.is_unused(goal, task, self.receive((rank, from)), &pieces),
                act => matches!(act, Act::Local { .. }),
            }
        };
        words.iter().all(|&word| {
            let mut blocks = word.0 / task.n..word.1.div_ceil(task.n);
            blocks.all(|block| goal.ends_with(task, rank as u64, block).is_none())
                && !(index + 1..self.ranks[rank].len()).any(|from| is_passed_on(from, word))
        })
    }

    /// Whether every rank hears of every rank, where there is one word: by sets, without times.
    fn tells_all(&self) -> bool {
        let mut known: Vec<u64> = (0..self.ranks.len()).map(|rank| 1 << rank).collect();
        let mut next = vec![0; known.len()];
        let mut sent = HashMap::new();
        loop {
            let before = next.clone();
            for (rank, steps) in self.ranks.iter().enumerate() {
                while let Some(StepWords {
                    act,
                    peer,
                    round,
                    pieces,
                    ..
                }) = steps.get(next[rank])
                {
                    if *act == Act::Send {
                        sent.insert((rank, *peer as usize, *round), known[rank]);
                    } else {
                        let Some(words) = sent.get(&(*peer as usize, rank, *round)) else {
                            break;
                        };
                        if pieces.iter().any(|(start, end)| start < end) {
                            known[rank] =
                                words | if *act == Act::Receive { 0 } else { known[rank] };
                        }
                    }
                    next[rank] += 1;
                }
            }
            if next == before {
                return known
                    .iter()
                    .all(|known| known.count_ones() as usize == self.ranks.len());
            }
        }
    }

    /// With a change of the step at an index; `None` where it does not apply.
    fn mutated(
        &self,
        mutation: usize,
        (keeps_order, is_idempotent): (bool, bool),
        send: (usize, usize),
    ) -> Option<Self> {
        let mut mutant = self.clone();
        let step = &self.ranks[send.0][send.1];
        if let Act::Local { .. } = step.act {
            match mutation {
                6 => mutant.double(send),
                // What is sent and not the result may be of no use.
                7 if keeps_order && step.buffer == RESULT => mutant.line(send).swap(),
                _ => return None,
            }
            return Some(mutant);
        }
        // A message without words can be lost or doubled.
        if step.act != Act::Send || step.pieces.is_empty() {
            return None;
        }
        let receive = self.receive(send);
        let combines = self.ranks[receive.0][receive.1].combines();
        match mutation {
            // Dropped.
            0 => drop((
                mutant.steps(send.0).remove(send.1),
                mutant.steps(receive.0).remove(receive.1),
            )),
            // Doubled; what replaces may come twice.
            1 if combines && !is_idempotent => {
                mutant.double(send);
                mutant.double(receive);
            }
            // Without its last word.
            2 => {
                for index in [send, receive] {
                    mutant.line(index).pieces.last_mut().unwrap().1 -= 1;
                }
            }
            // Another word at the receiver.
            3 => mutant.line(receive).pieces[0].0 += 1,
            // Combined instead of replaced, and the other way round.
            4 if combines || !is_idempotent => {
                mutant.line(receive).act = if combines {
                    Act::Receive
                } else {
                    Act::CombineAfter
                }
            }
            // In the other order.
            5 if combines && keeps_order => mutant.line(receive).swap(),
            _ => return None,
        }
        Some(mutant)
    }
}

/// Every message dropped, doubled, shortened, moved, received in another way and in another order, and everything that is
/// combined without a message combined twice and in another order: each is rejected.
#[test]
fn mutated_scripts_are_rejected() {
    let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
    for_each_case(|case| {
        let Case { goal, listed, .. } = case;
        let algorithm = listed.algorithm;
        let (keeps_order, is_idempotent) =
            (algorithm.properties().keeps_order, goal.is_idempotent());
        let rules = (keeps_order, is_idempotent);
        let mut caught = [0u32; 8];
        let (mut combines, mut local, mut local_result) = (false, false, false);
        // 16 ranks for those that take powers of two only.
        let K = (2..=10).chain([16]);
        for task in K.flat_map(|K| case.mutated_tasks(machine, K)) {
            let K = task.K;
            let written = Written::new(algorithm, &task);
            assert!(
                written.judge(*goal, algorithm, &task).is_ok(),
                "{} K={K}",
                listed.name
            );
            for index in written.indices() {
                let line = &written.ranks[index.0][index.1];
                let is_local = matches!(line.act, Act::Local { .. });
                combines |= line.combines();
                local |= is_local;
                local_result |= is_local && line.buffer == RESULT;
                for (mutation, caught) in caught.iter_mut().enumerate() {
                    let Some(mutant) = written.mutated(mutation, rules, index) else {
                        continue;
                    };
                    let verdict = mutant.judge(*goal, algorithm, &task);
                    let mutated = format!(
                        "{} K={K}: mutation {mutation} of step {index:?}",
                        listed.name
                    );
                    // What a rank may hear twice it may also not hear once, and what it holds not at all.
                    let is_delivered =
                        is_idempotent && matches!(mutation, 0 | 2 | 4) && mutant.tells_all();
                    let lost = match mutation {
                        0 => line.pieces.clone(),
                        2 => line
                            .pieces
                            .last()
                            .map(|&(_, end)| (end - 1, end))
                            .into_iter()
                            .collect(),
                        _ => vec![],
                    };
                    let lacks = |check: fn(&Written, &dyn Goal, &Task, _, &[_]) -> bool| {
                        check(&written, *goal, &task, written.receive(index), &lost)
                    };
                    let is_harmless = is_delivered
                        || !lost.is_empty()
                            && (lacks(Written::is_held) || lacks(Written::is_unused));
                    assert_eq!(
                        matches!(verdict, Err(Error::Rejected(_))),
                        !is_harmless,
                        "{mutated}: {verdict:?}"
                    );
                    *caught += u32::from(!is_harmless);
                }
            }
        }
        // Only what is combined can be combined twice, or in another order. A tree combines little without a message.
        let twice = combines && !is_idempotent;
        let applies = [
            true,
            twice,
            true,
            true,
            true,
            combines && keeps_order,
            local,
            local_result && keeps_order,
        ];
        let least = [30, 30, 30, 30, 30, 30, 5, 5];
        println!(
            "{}: {} mutants caught",
            listed.name,
            caught.iter().sum::<u32>()
        );
        let found: Vec<_> = caught
            .iter()
            .zip(least)
            .map(|(caught, least)| *caught > least)
            .collect();
        assert_eq!(found, applies, "{}: {caught:?}", listed.name);
    });
}
