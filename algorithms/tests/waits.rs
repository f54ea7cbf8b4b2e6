//! Sensitivity of a program's time to each parameter, against executions on machines around it.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

mod programs;
mod random;

use castbench_algorithms::catalogue;
use castbench_algorithms::cost::{Exact, Limits};
use castbench_algorithms::internals::engine::Builder;
use castbench_algorithms::internals::engine::waits::{Reason, Symbol, around, symbols};
use castbench_algorithms::internals::engine::{Failure, Fault, Machine, run};
use castbench_algorithms::internals::engine::{Operation, Program};
use castbench_algorithms::internals::reach::{Reach, Side};
use castbench_algorithms::logp::{Level, Levels, LogGops, LogP, Placement, Profile, SizeRange};
use castbench_algorithms::problem::{Setting, Value};
use num_rational::BigRational;
use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};
use programs::{Written, build, programs};
use proptest::prelude::*;

/// Programs that run in order, with computations of up to 4 units.
fn in_order() -> impl Strategy<Value = Written> {
    programs(2..5, 1..24, 0..1, 0..5)
}

/// The program in order, in a unit of time that is 1/`scale` of the given one.
fn built(levels: Option<&'static Levels>, written: &Written, scale: u64) -> Program {
    let mut builder = Builder::new(u32::try_from(written.len()).unwrap())
        .unwrap()
        .on(levels);
    build(written, &mut builder, scale, Some((0, 0)));
    builder.in_order().unwrap()
}

/// A machine by its parameters, one of which may be any fraction.
#[derive(Debug, Clone)]
enum Given {
    LogP([u64; 3]),
    Words([u64; 3]),
    LogGops([u64; 6]),
}

impl Given {
    fn values(&self) -> &[u64] {
        match self {
            Self::LogP(values) | Self::Words(values) => values,
            Self::LogGops(values) => values,
        }
    }

    /// The machine with one parameter at a value, and the number of its units per given unit. For a profile these are
    /// parts of picoseconds, so nothing is rounded. None if a message would cost nothing.
    fn machine(&self, moved: usize, value: &BigRational) -> Option<(Machine, u64)> {
        let parts = value.denom().to_u64().unwrap();
        let scaled = |number: usize| {
            let own = BigRational::from_integer(self.values()[number].into());
            let value = if number == moved { value } else { &own };
            (value * BigRational::from_integer(parts.into()))
                .to_integer()
                .to_u64()
                .unwrap()
        };
        let model = || LogP::new(scaled(0), scaled(1), scaled(2)).ok();
        Some(match self {
            Self::LogP(_) => (Machine::LogP(model()?), parts),
            Self::Words(_) => (Machine::Words(model()?), parts),
            Self::LogGops(_) => {
                let [L, o, g] = [0, 1, 2].map(|number| scaled(number) * 1000);
                let [G, O, H] = [3, 4, 5].map(|number| scaled(number) * 1_000_000);
                (L + o > 0).then_some((
                    Machine::LogGops(LogGops { L, o, g, G, O, H }.into()),
                    parts * 1000,
                ))?
            }
        })
    }

    fn time(&self, written: &Written, moved: usize, value: &BigRational) -> Option<BigRational> {
        let (machine, parts) = self.machine(moved, value)?;
        let finish = run(machine, &built(None, written, parts)).unwrap().finish;
        Some(BigRational::new(finish.into(), parts.into()))
    }

    fn plain(&self) -> Machine {
        match *self {
            Self::LogP([L, o, g]) => Machine::LogP(LogP::new(L, o, g).unwrap()),
            Self::Words([L, o, g]) => Machine::Words(LogP::new(L, o, g).unwrap()),
            Self::LogGops([L, o, g, per_byte @ ..]) => {
                let [G, O, H] = per_byte.map(|time| time * 1000);
                Machine::LogGops(LogGops { L, o, g, G, O, H }.into())
            }
        }
    }
}

fn machines() -> impl Strategy<Value = Given> {
    prop_oneof![
        [0u64..9, 0u64..4, 0u64..9]
            .prop_filter("a hop", |[L, o, _]| L + o > 0)
            .prop_map(Given::LogP),
        [0u64..9, 0u64..4, 0u64..9]
            .prop_filter("a hop", |[L, o, _]| L + o > 0)
            .prop_map(Given::Words),
        [
            1u64..9,
            0u64..4,
            0u64..9,
            0u64..3000,
            0u64..2000,
            0u64..2000
        ]
        .prop_map(Given::LogGops),
    ]
}

/// Whether the time follows a side up to its end, and its slope changes there.
fn check(given: &Given, written: &Written, moved: usize, side: &Side, sign: i32) {
    let here = BigRational::from_integer(given.values()[moved].into());
    let sign = BigRational::from_integer(sign.into());
    // On a profile, slopes per byte are in picoseconds, and times in nanoseconds.
    let unit = if moved < 3 {
        BigRational::one()
    } else {
        BigRational::new(1.into(), 1000.into())
    };
    let slope = BigRational::from_integer(side.slope.into()) * unit;
    let time = given.time(written, moved, &here);
    let line = |value: &BigRational| time.as_ref().map(|time| time + &slope * (value - &here));
    let follows = |value: &BigRational| {
        given
            .time(written, moved, value)
            .is_none_or(|time| Some(time) == line(value))
    };
    let what = format!("{given:?} {written:?}: parameter {moved}, {side:?}");
    let some_way = |to: &BigRational| {
        [1, 2, 3].map(|part| &here + (to - &here) * BigRational::new(part.into(), 3.into()))
    };
    match &side.reach {
        Reach::NoEnd => {
            assert!(
                some_way(&(&here + BigRational::from_integer(3000.into())))
                    .iter()
                    .all(follows),
                "{what}"
            )
        }
        Reach::Zero => assert!(some_way(&BigRational::zero()).iter().all(follows), "{what}"),
        Reach::Breakpoint(value) => {
            let value = value.to_rational();
            assert!((&value - &here) * &sign >= BigRational::zero(), "{what}");
            assert!(some_way(&value).iter().all(follows), "{what}");
            let beyond = &value + sign / BigRational::from_integer(7.into());
            if !beyond.is_negative() && given.machine(moved, &beyond).is_some() {
                assert!(
                    given.time(written, moved, &beyond) > line(&beyond),
                    "{what}"
                );
            }
        }
        Reach::NotBefore(_) => panic!("{what}"),
    }
}

/// The number of units per time unit; the next execution differs by one of them.
const PARTS: u64 = 1_000_000;

proptest! {
    #![proptest_config(random::cases(1000, 20))]

    /// The slopes of programs with posted receives, and receives of any, are the differences of executions a millionth
    /// of a unit away. Times are drawn so large that none are equal by chance.
    #[test]
    fn slopes_are_differences_where_receives_are_posted(
        written in programs(2..5, 1..24, 0..3, 1..100_000), values in [1u64..100_000, 1u64..100_000, 1u64..100_000], words in any::<bool>(),
    ) {
        let mut builder = Builder::new(u32::try_from(written.len()).unwrap()).unwrap();
        build(&written, &mut builder, PARTS, None);
        let program = builder.by_dependencies().unwrap();
        let machine = |values: [u64; 3]| {
            let model = LogP::new(values[0], values[1], values[2]).unwrap();
            if words { Machine::Words(model) } else { Machine::LogP(model) }
        };
        let values = values.map(|value| value * PARTS);
        let here = match run(machine(values), &program) {
            // A receive of any may take the message for which another one waits.
            Err(Failure::Program(Fault::Deadlock { .. })) => return Ok(()),
            here => here.unwrap().finish,
        };
        let found = around(machine(values), &program).unwrap();
        prop_assert_eq!(&found.time, &Exact::Integer(here));
        for (moved, (_, _, parameter)) in found.parameters.iter().enumerate() {
            let finish = |value| {
                let mut values = values;
                values[moved] = value;
                run(machine(values), &program).unwrap().finish
            };
            prop_assert_eq!(finish(values[moved] + 1) - here, parameter.above.slope, "above, parameter {}", moved);
            let below = parameter.below.as_ref().unwrap();
            prop_assert_eq!(here - finish(values[moved] - 1), below.slope, "below, parameter {}", moved);
        }
        let sum: u64 = found.counts.iter().zip(values).map(|((_, count), value)| count * value).sum();
        prop_assert_eq!(sum + found.computed, here);
    }
}

/// A machine on which ranks are near or far, of one byte per message: two levels inside the network, and ranks that share nics; or
/// latencies of pairs.
#[derive(Debug, Clone)]
enum Far {
    Levels(Option<u64>),
    Pairs(Vec<u64>),
}

impl Far {
    /// L, o and g of the network and of each level, or of all pairs.
    fn machine(&self, values: &[u64]) -> &'static Levels {
        let machine = |of: &[u64]| LogGops {
            L: of[0],
            o: of[1],
            g: of[2],
            G: 0,
            O: 0,
            H: 0,
        };
        let level = |(&ranks, of): (&u64, &[u64])| Level {
            ranks,
            machine: machine(of),
        };
        match self {
            Self::Levels(nics) => {
                let inner = [2, 4]
                    .iter()
                    .zip(values[3..].chunks(3))
                    .map(level)
                    .collect();
                Levels::new(inner, machine(values), Placement::RoundRobin, *nics).unwrap()
            }
            Self::Pairs(farther) => {
                let least = *farther
                    .iter()
                    .enumerate()
                    .filter(|(index, _)| index % 6 != 0)
                    .map(|(_, far)| far)
                    .min()
                    .unwrap();
                Levels::from_pairs(machine(values), 5, |from, to| {
                    values[0] + farther[5 * from + to] - least
                })
                .unwrap()
            }
        }
    }
}

proptest! {
    #![proptest_config(random::cases(1000, 20))]

    /// The slopes of each level are the differences of executions a millionth of a unit away, also where ranks share nics.
    #[test]
    fn slopes_of_levels_are_differences(
        written in in_order(), values in prop::collection::vec(1u64..100_000, 9), nics in prop::option::of(1u64..3),
        farther in prop::collection::vec(1u64..100_000, 25), has_levels in any::<bool>(),
    ) {
        let far = if has_levels { Far::Levels(nics) } else { Far::Pairs(farther.iter().map(|far| far * PARTS).collect()) };
        let mut values: Vec<u64> = values.into_iter().map(|value| value * PARTS).collect();
        values.truncate(if has_levels { 9 } else { 3 });
        let finish = |values: &[u64]| {
            let levels = far.machine(values);
            run(Machine::LogGops(Profile::Levels(levels)), &built(Some(levels), &written, PARTS)).unwrap().finish
        };
        let (levels, here) = (far.machine(&values), finish(&values));
        let machine = Machine::LogGops(Profile::Levels(levels));
        let found = around(machine, &built(Some(levels), &written, PARTS)).unwrap();
        prop_assert_eq!(&found.time, &Exact::Integer(here));
        // The times per byte do not matter.
        let of_first_byte = |symbol: Symbol| ["L", "o", "g"].contains(&symbol.letter);
        let parameters = found.parameters.iter().filter(|(symbol, ..)| of_first_byte(*symbol));
        for (moved, (_, value, parameter)) in parameters.enumerate() {
            prop_assert_eq!(value, &Exact::Integer(values[moved]));
            let around = [-1i64, 1].map(|by| {
                let mut values = values.clone();
                values[moved] = values[moved].checked_add_signed(by).unwrap();
                finish(&values)
            });
            prop_assert_eq!(around[1] - here, parameter.above.slope, "above, parameter {}", moved);
            prop_assert_eq!(here - around[0], parameter.below.as_ref().unwrap().slope, "below, parameter {}", moved);
        }
        let counts = found.counts.iter().filter(|(symbol, _)| of_first_byte(*symbol)).zip(&values);
        let sum: u64 = counts.map(|((_, count), value)| count * value).sum();
        prop_assert_eq!(sum + found.farther.unwrap_or(0) + found.computed, here);
        prop_assert_eq!(found.farther.is_some(), !has_levels);
    }
}

/// Slopes of ranges of sizes and of x are the differences of executions with one number changed, and the parameters on the critical path
/// sum to the time, on levels with both rules of ports. Times per byte are whole, so that nothing is rounded.
#[test]
fn slopes_of_ranges_are_differences() {
    /// Of each machine L, o, g in ns and G, O, H in ns per byte, and x: level, its range, network, its two ranges.
    type Numbers = [[u64; 7]; 5];
    const NUMBERS: Numbers = [
        [3_000, 210, 430, 7, 2, 1, 0],
        [5_100, 310, 170, 3, 1, 2, 5],
        [20_000, 900, 1_300, 11, 3, 1, 0],
        [31_000, 1_000, 2_100, 5, 2, 3, 4],
        [47_000, 700, 3_300, 2, 1, 1, 6],
    ];
    const NS: u64 = 1_000_000;
    let levels = |numbers: &Numbers| {
        let machine = |at: usize| {
            let [L, o, g, G, O, H, _] = numbers[at];
            let [G, O, H] = [G, O, H].map(|time| time * NS);
            LogGops { L, o, g, G, O, H }
        };
        let range = |from, at: usize| SizeRange {
            from,
            machine: machine(at),
            exchange: numbers[at][6] * NS,
        };
        let inner = vec![Level {
            ranks: 2,
            machine: machine(0),
        }];
        let levels = Levels::new(inner, machine(2), Placement::Block, None).unwrap();
        let ranges = vec![vec![range(30, 1)], vec![range(20, 3), range(100, 4)]];
        levels.with_ranges(ranges).unwrap()
    };
    let mut moved = 0;
    for (name, duplex, bytes) in [
        ("allreduce-rabenseifner", 0, 240),
        ("allreduce-rabenseifner", 1, 240),
        ("allreduce-recursive-doubling", 0, 25),
        ("alltoall-bruck", 1, 60),
        ("reduce-binomial", 1, 40),
    ] {
        let entry = catalogue::find(name).unwrap();
        let values: Vec<Value> = entry
            .problem()
            .axes
            .iter()
            .map(|axis| match axis.key {
                "machine" => Some(0),
                "bytes" => Some(bytes),
                "K" => Some(8),
                "ports" => Some(duplex),
                "L" | "o" | "g" | "n" => None,
                _ => axis.default,
            })
            .collect();
        let program = |numbers: &Numbers| {
            let setting = Setting {
                profiles: vec![Profile::Levels(levels(numbers))],
            };
            let instance = entry.at(&setting, &values).unwrap();
            instance.program(&Limits::default(), None).unwrap().unwrap()
        };
        let (machine, built) = program(&NUMBERS);
        let here = run(machine, &built).unwrap().finish;
        let found = around(machine, &built).unwrap();
        assert_eq!(found.time, Exact::Integer(here), "{name}");
        let rate = |symbol: &Symbol| !["L", "o", "g"].contains(&symbol.letter);
        let mut sum = found.computed;
        for ((symbol, count), (_, value, _)) in found.counts.iter().zip(&found.parameters) {
            let &Exact::Integer(value) = value else {
                panic!("{value:?}")
            };
            sum += count * value / if rate(symbol) { 1000 } else { 1 };
        }
        assert_eq!(sum, here, "{name}: {:?}", found.counts);
        for (symbol, _, parameter) in &found.parameters {
            let at = match (symbol.level, symbol.from) {
                (Some(0), None) => 0,
                (Some(0), Some(30)) => 1,
                (None, None) => 2,
                (None, Some(20)) => 3,
                (None, Some(100)) => 4,
                other => panic!("{other:?}"),
            };
            let letter = "LogGOHx".find(symbol.letter).unwrap();
            let mut numbers = NUMBERS;
            numbers[at][letter] += 1;
            let (machine, built) = program(&numbers);
            let later = run(machine, &built).unwrap().finish - here;
            assert_eq!(later, parameter.above.slope, "{name}: {symbol:?}");
            moved += u32::from(later > 0 && symbol.from.is_some());
        }
    }
    assert!(moved > 15, "{moved} parameters of ranges count");
}

/// A gap of 1.5 ps per byte: values and slopes are those in ps.
#[test]
fn parts_of_a_picosecond() {
    let send = Operation::Send {
        to: 1,
        tag: 0,
        bytes: 4,
    };
    let receive = Operation::Receive {
        from: 0,
        tag: 0,
        bytes: 4,
    };
    let written = [send, receive]
        .map(|operation| vec![(operation, (0, 0), vec![])])
        .to_vec();
    let machine = Machine::LogGops(
        LogGops {
            L: 10,
            o: 1,
            g: 2,
            G: 1_500,
            O: 0,
            H: 0,
        }
        .into(),
    );
    let found = around(machine, &built(None, &written, 1)).unwrap();
    let fraction = |over: u64, under: u64| Exact::from(BigRational::new(over.into(), under.into()));
    assert_eq!(found.time, fraction(12_004_500, 1_000_000));
    let (symbol, value, G) = &found.parameters[3];
    assert_eq!(
        (symbol.letter, value, G.above.slope, &G.above.reach),
        ("G", &fraction(3, 2), 3, &Reach::NoEnd)
    );
    assert_eq!(found.parameters[0].1, Exact::Integer(10));
}

proptest! {
    #![proptest_config(random::cases(1000, 18))]

    #[test]
    fn slopes_and_breakpoints_are_those_of_executions(written in in_order(), given in machines()) {
        let machine = given.plain();
        let found = around(machine, &built(None, &written, 1)).unwrap();
        prop_assert_eq!(found.parameters.len(), symbols(&machine).len());
        for (moved, (_, value, parameter)) in found.parameters.iter().enumerate() {
            prop_assert_eq!(value, &Exact::Integer(given.values()[moved]));
            check(&given, &written, moved, &parameter.above, 1);
            match &parameter.below {
                Some(below) => check(&given, &written, moved, below, -1),
                None => prop_assert_eq!(value, &Exact::Integer(0)),
            }
        }
        // The path adds up.
        let unit = |number: usize| if number < 3 { 1000u64 } else { 1 };
        let values = given.values().iter().enumerate();
        let sum = found.counts.iter().zip(values).map(|((_, count), (i, value))| count * value * unit(i)).sum::<u64>();
        let time = BigRational::new((sum + 1000 * found.computed).into(), 1000.into());
        prop_assert_eq!(Exact::from(time), found.time);
        prop_assert!(found.path.first().is_none_or(|link| link.reason == Reason::Start));
    }
}
