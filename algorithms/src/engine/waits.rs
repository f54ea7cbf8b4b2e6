//! What every operation of an execution waited for, and so how the time of a program changes with each parameter.
//!
//! An operation begins at the last of these times: the end of the operation before it on its cpu, the end of the gap between it and
//! the operation before it on its nic, its dependencies, and for a receive the arrival of its message. Each is the start of an earlier
//! operation plus a linear function of the parameters. Posting a receive counts as an operation without duration where another one
//! waits for it. So for a fixed order and matching, the time of the program is the maximum of one linear function per path, convex and
//! piecewise linear in each parameter.
//!
//! **Slopes.** The slope above a value is the largest count of the parameter on a critical path, the slope below it the smallest.
//! One pass computes both.
//!
//! **Breakpoints.** Beyond the sum of the value and the time, the path with the largest count is critical. The tangent there and
//! the tangent here meet at some value. If the time at that value is on both, it is the breakpoint. Otherwise its tangent replaces
//! the farther one. This ends, because each tangent is another path.
//!
//! **Cost.** A pass is linear in the operations; a breakpoint takes as many passes as tangents.

mod parts;
mod record;

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive as _;

use super::program::Program;
use super::step::NONE;
use super::{Failure, Machine, observe_messages};
use crate::cost::Exact;
use crate::error::{Broken, Error};
use crate::logp::{LogGops, Profile};
use crate::reach::{Parameter, Reach, Side};
pub use parts::{Parts, parts};

/// A parameter of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol {
    /// Its letter.
    pub letter: &'static str,
    /// The level whose parameter it is; none for the network, and where there are no levels.
    pub level: Option<usize>,
    /// The least size of the messages that have it, bytes; none where messages of all sizes of the level do.
    pub from: Option<u64>,
}

/// The parameters of a machine: three of LogP, six of LogGOPS, and of each level inside the network six more. A level with ranges of
/// sizes has as many for each range, and x where an exchange takes longer.
///
/// Where pairs have their latencies, L is the least of them: all change together.
#[must_use]
pub fn symbols(machine: &Machine) -> Vec<Symbol> {
    match machine {
        Machine::LogP(_) | Machine::Words(_) => {
            let of = |letter| Symbol {
                letter,
                level: None,
                from: None,
            };
            ["L", "o", "g"].map(of).into()
        }
        Machine::LogGops(profile) => {
            let all = seen(profile);
            let symbols = |seen: &Seen| {
                let (level, from) = (seen.level, seen.from);
                let of = move |(letter, _)| Symbol {
                    letter,
                    level,
                    from,
                };
                seen.parameters().map(of).collect::<Vec<_>>()
            };
            all.iter().flat_map(symbols).collect()
        }
    }
}

/// What messages of some sizes see at a level.
struct Seen {
    /// None for the network.
    level: Option<usize>,
    /// The least of these sizes; none where it is all of the level.
    from: Option<u64>,
    machine: LogGops,
    /// Of an exchange for each byte after the first, fs; 0 where it takes no longer.
    exchange: u64,
}

impl Seen {
    /// Its letters, with their values: times in ns, the others in fs.
    fn parameters(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
        let LogGops { L, o, g, G, O, H } = self.machine;
        let own = [("L", L), ("o", o), ("g", g), ("G", G), ("O", O), ("H", H)];
        let x = (self.exchange > 0).then_some(("x", self.exchange));
        own.into_iter().chain(x)
    }
}

/// All that messages can see on a machine, the network first.
fn seen(profile: &Profile) -> Vec<Seen> {
    let levels = profile.levels();
    let nearest = levels
        .and_then(|levels| levels.of_latencies())
        .and_then(|machines| machines.first());
    let inner = levels.map_or(&[][..], |levels| levels.inner());
    let network = nearest.unwrap_or_else(|| profile.network());
    let of_levels = inner.iter().enumerate();
    let of_levels = of_levels.map(|(number, level)| (Some(number), level.machine));
    let mut all = Vec::new();
    for (level, machine) in std::iter::once((None, *network)).chain(of_levels) {
        let ranges = levels.map_or(&[][..], |levels| {
            levels.ranges(level.unwrap_or(inner.len()))
        });
        if ranges.first().is_none_or(|range| range.from > 1) {
            all.push(Seen {
                level,
                from: None,
                machine,
                exchange: 0,
            });
        }
        all.extend(ranges.iter().map(|range| Seen {
            level,
            from: Some(range.from),
            machine: range.machine,
            exchange: range.exchange,
        }));
    }
    all
}

/// The time of a program around its machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Around {
    /// The time; on a machine profile in nanoseconds, not rounded.
    pub time: Exact,
    /// Each parameter: its symbol, its value in ns or ps, and how the time changes with it.
    pub parameters: Vec<(Symbol, Exact, Parameter)>,
    /// A critical path; of several, the one to the lowest processor.
    pub path: Vec<Link>,
    /// How many processors end last, each at the end of a critical path.
    pub last: usize,
    /// The count of each parameter on that path.
    pub counts: Vec<(Symbol, u64)>,
    /// By how much the latencies of pairs on that path are longer than the least; none where pairs have no latencies.
    pub farther: Option<u64>,
    /// The time of the computations on that path.
    pub computed: u64,
}

/// An operation on a critical path; a receive can stand for its posting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The processor.
    pub processor: u32,
    /// The operation, by its number.
    pub operation: u32,
    /// What it waited for last in the operation before it on the path.
    pub reason: Reason,
}

/// What an operation waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Nothing: it begins with the execution.
    Start,
    /// The end of an operation.
    Done,
    /// The start of an operation, or that a receive was posted.
    Started,
    /// The gap between its message and the last one of its nic.
    Gap,
    /// The arrival of its message.
    Message,
}

/// How the time of a program changes with each parameter of the machine, for a fixed order of operations.
///
/// # Errors
/// Errors of the engine; [`Error::Overflow`] where a slope does not fit in 64 bits.
///
/// ```
/// use castbench_algorithms::cost::Exact;
/// use castbench_algorithms::internals::engine::Machine;
/// use castbench_algorithms::internals::engine::schedules::multicast;
/// use castbench_algorithms::internals::engine::waits::around;
/// use castbench_algorithms::internals::logp::multicast::schedule::Schedule;
/// use castbench_algorithms::logp::LogP;
/// use castbench_algorithms::internals::reach::Reach;
///
/// // Two sends of the source: the second is over after a gap and a hop, 4 + 10.
/// let program = multicast(&Schedule::new(3, 1, &[(1, 2), (1, 3)])?, 1)?;
/// let found = around(Machine::LogP(LogP::new(6, 2, 4)?), &program)?;
/// let (symbol, value, g) = &found.parameters[2];
/// assert_eq!((&found.time, symbol.letter, value, g.above.slope), (&Exact::Integer(14), "g", &Exact::Integer(4), 1));
/// // Below a gap of 2 the overhead is what separates two sends.
/// assert_eq!(g.below.as_ref().unwrap().reach, Reach::Breakpoint(Exact::Integer(2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn around(machine: Machine, program: &Program) -> Result<Around, Failure> {
    if program.is_posted_together() {
        let expected = "expected an algorithm that sends one by one; remove `:posted`";
        return Err(Error::parameter("algorithm", "posted", expected).into());
    }
    let waits = Waits::new(machine, program, base(&machine), |size| {
        costs(&machine, program, size)
    })?;
    let mut parameters = Vec::new();
    for (number, symbol) in symbols(&machine).into_iter().enumerate() {
        // L, o and g are times in ns, the others in ps.
        let unit = if ["L", "o", "g"].contains(&symbol.letter) {
            waits.scale
        } else {
            waits.scale / 1000
        };
        let search = Search {
            waits: &waits,
            parameter: number,
            here: waits.here(number)?.last,
        };
        let value = BigRational::new(waits.values[number].into(), unit.into());
        parameters.push((symbol, value.into(), search.parameter(unit)?));
    }
    let here = waits.here(0)?;
    let time = Exact::from(BigRational::new(here.last.time.into(), waits.scale.into()));
    let (path, terms, computed, last) = waits.path(&here, here.last.time);
    let pairs = machine.levels().and_then(|levels| levels.of_latencies());
    let farther = pairs.and(terms.last().copied());
    let counts = symbols(&machine).into_iter().zip(terms).collect();
    Ok(Around {
        time,
        parameters,
        path,
        last,
        counts,
        farther,
        computed,
    })
}

/// The parameters of a machine as integers and behind them one unit of time, in parts of that unit; how many parts it has.
fn base(machine: &Machine) -> (Vec<u128>, u128) {
    match machine {
        Machine::LogP(model) | Machine::Words(model) => (
            [model.L(), model.o(), model.g(), 1].map(u128::from).into(),
            1,
        ),
        Machine::LogGops(profile) => {
            let all = seen(profile);
            let parameters = || all.iter().flat_map(Seen::parameters);
            let is_time = |letter: &str| ["L", "o", "g"].contains(&letter);
            // Times per byte are in fs.
            let is_whole = |(letter, value): (&str, u64)| is_time(letter) || value % 1000 == 0;
            let (parts, divisor) = if parameters().all(is_whole) {
                (1000, 1000)
            } else {
                (1_000_000, 1)
            };
            let of = |(letter, value): (&str, u64)| {
                if is_time(letter) {
                    u128::from(value) * parts
                } else {
                    u128::from(value / divisor)
                }
            };
            (parameters().map(of).chain([parts]).collect(), parts)
        }
    }
}

/// A sum of parameters: the count of each, and behind them a time.
type Terms = Vec<u64>;

/// The costs of a message of some size, each the maximum of some sums of parameters.
struct Costs {
    L: Vec<Terms>,
    o: Vec<Terms>,
    g: Vec<Terms>,
}

/// The costs of messages with this index of a size: those of [`Machine::of_message`], unrounded.
fn costs(machine: &Machine, program: &Program, size: u32) -> Costs {
    let (bytes, level) = (
        program.sizes[size as usize].max(1),
        program.level(size) as usize,
    );
    let length = base(machine).0.len();
    let sum = |counts: &[(usize, u64)]| {
        let mut terms = vec![0; length];
        for &(parameter, count) in counts {
            terms[parameter] = count;
        }
        terms
    };
    let further = bytes - 1;
    match machine {
        Machine::LogP(_) => Costs {
            L: vec![sum(&[(0, 1)])],
            o: vec![sum(&[(1, 1)])],
            g: vec![sum(&[(2, 1)])],
        },
        Machine::Words(_) => Costs {
            L: vec![sum(&[(0, 1), (2, further)]), sum(&[(0, 1), (1, further)])],
            o: vec![sum(&[(1, 1)])],
            g: vec![sum(&[(2, bytes)]), sum(&[(1, bytes)])],
        },
        Machine::LogGops(profile) => {
            let levels = profile.levels();
            let range = levels.and_then(|levels| levels.range(level, bytes));
            let from = range.map(|range| range.from);
            // Latencies of pairs are of the network.
            let own = levels.filter(|levels| level < levels.inner().len());
            let own = own.map(|_| level);
            let all = seen(profile);
            let is_own = |seen: &&Seen| (seen.level, seen.from) == (own, from);
            let before = all.iter().take_while(|seen| !is_own(seen));
            let first: usize = before.map(|seen| seen.parameters().count()).sum();
            let [L, o, g, G, O, H, x] = std::array::from_fn(|letter| first + letter);
            let takes_longer =
                program.is_of_exchange(size) && range.is_some_and(|it| it.exchange > 0);
            let x = takes_longer.then_some((x, further));
            let beyond = bytes - from.unwrap_or(1);
            let pairs = levels.and_then(|levels| levels.of_latencies());
            let farther = pairs
                .and_then(|machines| Some(machines.get(level)?.L - machines.first()?.L))
                .unwrap_or(0);
            let latency = [(L, 1), (G, beyond), (H, beyond), (length - 1, farther)];
            let with_x =
                |terms: &[(usize, u64)]| sum(&terms.iter().copied().chain(x).collect::<Vec<_>>());
            Costs {
                L: vec![with_x(&latency)],
                o: vec![sum(&[(o, 1), (O, beyond)])],
                g: vec![with_x(&[(g, 1), (G, beyond)])],
            }
        }
    }
}

/// A duration, and its slopes below and above the current value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    time: u128,
    below: u128,
    above: u128,
}

impl Span {
    const NOTHING: Self = Self {
        time: 0,
        below: 0,
        above: 0,
    };

    /// The maximum of some sums, by a parameter.
    fn greatest(sums: &[Terms], values: &[u128], parameter: usize) -> Option<Self> {
        let mut greatest = Self::NOTHING;
        for terms in sums {
            let mut time = 0u128;
            for (&count, &value) in terms.iter().zip(values) {
                time = time.checked_add(u128::from(count).checked_mul(value)?)?;
            }
            let slope = terms[parameter].into();
            let sum = Self {
                time,
                below: slope,
                above: slope,
            };
            greatest = if terms == &sums[0] {
                sum
            } else {
                greatest.latest(sum)
            };
        }
        Some(greatest)
    }

    /// The sum of both.
    fn then(self, other: Self) -> Option<Self> {
        Some(Self {
            time: self.time.checked_add(other.time)?,
            below: self.below.checked_add(other.below)?,
            above: self.above.checked_add(other.above)?,
        })
    }

    /// The longer of two; of equal ones, the least slope below and the greatest slope above.
    fn latest(self, other: Self) -> Self {
        match self.time.cmp(&other.time) {
            Ordering::Less => other,
            Ordering::Greater => self,
            Ordering::Equal => Self {
                below: self.below.min(other.below),
                above: self.above.max(other.above),
                ..self
            },
        }
    }
}

/// An operation of an execution, with the operations that it waited for, by their indices in the order of starts.
struct Waiting {
    operation: u32,
    processor: u32,
    /// How long it occupies its cpu.
    occupied: Occupied,
    /// The operation before it on its cpu, the one before it on its nic, and the send of its message.
    cpu: u32,
    nic: u32,
    send: u32,
    /// The end of its dependencies in the list of all.
    dependencies: usize,
}

/// How long an operation occupies its cpu.
#[derive(Clone, Copy)]
enum Occupied {
    /// A computation.
    Time(u64),
    /// The overhead of a message of the size with this index.
    Message(u32),
    /// Nothing: a receive is posted.
    Nothing,
}

/// The operations of an execution in the order in which they began.
struct Waits {
    operations: Vec<Waiting>,
    /// The operations that others depend on, and for what in them.
    dependencies: Vec<(u32, Reason)>,
    /// By the index of a size.
    costs: Vec<Costs>,
    /// The values of the parameters, and the time unit of a computation.
    values: Vec<u128>,
    scale: u128,
}

/// The waits give another time than the engine: a bug in one of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the waits add up to {found}, the engine found {executed}")]
pub struct Missed {
    executed: u64,
    found: u128,
}

impl Broken for Missed {
    const WHAT: &'static str = "waits";
}

/// How long each message of a size takes.
struct Durations {
    overhead: Span,
    /// From the start of its send to its arrival.
    arrival: Span,
    gap: Span,
}

impl Waits {
    /// The waits of an execution, for messages that cost these sums of parameters by the index of their size.
    fn new(
        machine: Machine,
        program: &Program,
        (values, scale): (Vec<u128>, u128),
        costs: impl Fn(u32) -> Costs,
    ) -> Result<Self, Failure> {
        let mut order = Vec::with_capacity(program.operations());
        let completion = observe_messages(machine, program, |begun| {
            order.push((begun.operation, begun.message))
        })?;
        let costs = (0..)
            .zip(&program.sizes)
            .map(|(size, _)| costs(size))
            .collect();
        let (operations, dependencies) = (Vec::with_capacity(order.len()), Vec::new());
        let waits = Self {
            operations,
            dependencies,
            costs,
            values,
            scale,
        };
        let waits = record::record(program, &order, &machine, waits);
        let found = waits.here(0)?.last.time;
        // Times per byte are not rounded, so on a profile the time is at most the engine's.
        let executed = u128::from(completion.finish) * scale;
        if found == executed || scale > 1 && found < executed {
            return Ok(waits);
        }
        Err(Error::from(Missed {
            executed: completion.finish,
            found,
        })
        .into())
    }

    /// Executes all operations with the values of the machine.
    fn here(&self, parameter: usize) -> Result<Pass, Error> {
        self.pass(&self.values, self.scale, parameter)
            .ok_or(Error::Overflow)
    }

    /// Executes all operations with these parameters; a computation's time unit is `scale`.
    fn pass(&self, values: &[u128], scale: u128, parameter: usize) -> Option<Pass> {
        let durations = |costs: &Costs| {
            let [L, overhead, gap] =
                [&costs.L, &costs.o, &costs.g].map(|sums| Span::greatest(sums, values, parameter));
            Some(Durations {
                overhead: overhead?,
                arrival: overhead?.then(L?)?,
                gap: gap?,
            })
        };
        let durations = self.costs.iter().map(durations).collect::<Option<_>>()?;
        let starts = Vec::with_capacity(self.operations.len());
        let mut pass = Pass {
            starts,
            last: Span::NOTHING,
            durations,
            scale,
        };
        let mut first = 0;
        for waiting in &self.operations {
            let mut start = Span::NOTHING;
            for (earlier, reason) in self.before(waiting, first) {
                start = start.latest(pass.until(self, waiting, earlier, reason)?);
            }
            first = waiting.dependencies;
            pass.last = pass.last.latest(start.then(pass.occupied(waiting)?)?);
            pass.starts.push(start);
        }
        Some(pass)
    }

    /// What an operation waits for; its dependencies begin at `first` in the list of all.
    fn before<'a>(
        &'a self,
        waiting: &Waiting,
        first: usize,
    ) -> impl Iterator<Item = (u32, Reason)> + use<'a> {
        let fixed = [
            (waiting.send, Reason::Message),
            (waiting.cpu, Reason::Done),
            (waiting.nic, Reason::Gap),
        ];
        let there = fixed.into_iter().filter(|(earlier, _)| *earlier != NONE);
        there.chain(
            self.dependencies[first..waiting.dependencies]
                .iter()
                .copied(),
        )
    }

    /// The operation whose message or duration counts in a wait: the later one for a gap between two receives, else the earlier one.
    fn counted<'a>(&'a self, later: &'a Waiting, earlier: u32, reason: Reason) -> &'a Waiting {
        let is_receive = reason == Reason::Gap && later.send != NONE;
        if is_receive {
            later
        } else {
            &self.operations[earlier as usize]
        }
    }

    /// A path without idle time from its start to an operation that ends at a time, a received message or a computation if there is
    /// one; the count of each parameter, its computations, and on how many processors an operation ends then.
    fn path(&self, pass: &Pass, until: u128) -> (Vec<Link>, Terms, u64, usize) {
        let end = |index: usize| {
            pass.starts[index]
                .then(pass.occupied(&self.operations[index])?)
                .map(|end| end.time)
        };
        let is_last = |index: &usize| end(*index) == Some(until);
        let mut ends: Vec<(u32, usize)> = (0..self.operations.len())
            .filter(is_last)
            .map(|index| (self.operations[index].processor, index))
            .collect();
        ends.sort_unstable();
        ends.dedup_by_key(|end| end.0);
        let mut index = ends.first().map(|end| end.1);
        let (mut path, mut terms, mut computed) = (Vec::new(), vec![0u64; self.values.len()], 0u64);
        let longest = |sums: &[Terms]| {
            let time = |terms: &&Terms| {
                terms
                    .iter()
                    .zip(&self.values)
                    .map(|(&count, &value)| u128::from(count) * value)
                    .sum::<u128>()
            };
            sums.iter()
                .rev()
                .max_by_key(time)
                .cloned()
                .unwrap_or_default()
        };
        let mut add = |sums: &[Terms]| {
            terms
                .iter_mut()
                .zip(longest(sums))
                .for_each(|(sum, count)| *sum = sum.saturating_add(count));
        };
        let mut counted = |waiting: &Waiting, reason: Reason| match (waiting.occupied, reason) {
            (_, Reason::Start | Reason::Started) | (Occupied::Nothing, _) => {}
            (Occupied::Time(time), _) => computed = computed.saturating_add(time),
            (Occupied::Message(size), Reason::Done) => add(&self.costs[size as usize].o),
            (Occupied::Message(size), Reason::Gap) => add(&self.costs[size as usize].g),
            (Occupied::Message(size), Reason::Message) => {
                add(&self.costs[size as usize].o);
                add(&self.costs[size as usize].L);
            }
        };
        if let Some(index) = index {
            counted(&self.operations[index], Reason::Done);
        }
        while let Some(at) = index {
            let waiting = &self.operations[at];
            let first = at
                .checked_sub(1)
                .map_or(0, |before| self.operations[before].dependencies);
            let start = pass.starts[at].time;
            let tight = |&(earlier, reason): &(u32, Reason)| {
                pass.until(self, waiting, earlier, reason)
                    .is_some_and(|span| span.time == start)
            };
            let found = self.before(waiting, first).find(tight);
            let reason = found.map_or(Reason::Start, |(_, reason)| reason);
            path.push(Link {
                processor: waiting.processor,
                operation: waiting.operation,
                reason,
            });
            if let Some((earlier, reason)) = found {
                counted(self.counted(waiting, earlier, reason), reason);
            }
            index = found.map(|(earlier, _)| earlier as usize);
        }
        path.reverse();
        (path, terms, computed, ends.len())
    }
}

/// An execution with some parameters.
struct Pass {
    /// When each operation begins.
    starts: Vec<Span>,
    /// When the last one ends.
    last: Span,
    durations: Vec<Durations>,
    scale: u128,
}

impl Pass {
    /// How long an operation occupies its cpu.
    fn occupied(&self, waiting: &Waiting) -> Option<Span> {
        match waiting.occupied {
            Occupied::Time(time) => Some(Span {
                time: u128::from(time).checked_mul(self.scale)?,
                ..Span::NOTHING
            }),
            Occupied::Message(size) => Some(self.durations[size as usize].overhead),
            Occupied::Nothing => Some(Span::NOTHING),
        }
    }

    /// When the operation with this index lets a later one begin.
    fn until(&self, waits: &Waits, later: &Waiting, earlier: u32, reason: Reason) -> Option<Span> {
        let waiting = waits.counted(later, earlier, reason);
        let start = self.starts[earlier as usize];
        match (reason, waiting.occupied) {
            (Reason::Gap, Occupied::Message(size)) => start.then(self.durations[size as usize].gap),
            (Reason::Message, Occupied::Message(size)) => {
                start.then(self.durations[size as usize].arrival)
            }
            (Reason::Done, _) => start.then(self.occupied(waiting)?),
            _ => Some(start),
        }
    }
}

/// The search for the breakpoints of one parameter.
struct Search<'a> {
    waits: &'a Waits,
    parameter: usize,
    here: Span,
}

/// The tangent at some value, with one of its slopes.
struct Tangent {
    value: BigRational,
    time: BigRational,
    slope: u128,
}

impl Search<'_> {
    fn value(&self) -> u128 {
        self.waits.values[self.parameter]
    }

    /// How the time changes with the parameter, which is given in units of `unit`.
    fn parameter(&self, unit: u128) -> Result<Parameter, Error> {
        let slope = |slope: u128| u64::try_from(slope).map_err(|_| Error::Overflow);
        let exact = |value: BigRational| Exact::from(value / BigInt::from(unit));
        let bend = |found: Option<BigRational>| match found {
            Some(value) => Reach::Breakpoint(exact(value)),
            None => Reach::NotBefore(exact(whole(self.value()))),
        };
        let above = match self.farthest() {
            Some(farthest) if farthest.slope == self.here.above => Reach::NoEnd,
            farthest => bend(
                farthest
                    .and_then(|farthest| self.bend(farthest, self.here.above, |span| span.below)),
            ),
        };
        let above = Side {
            slope: slope(self.here.above)?,
            reach: above,
        };
        if self.value() == 0 {
            return Ok(Parameter { below: None, above });
        }
        let reach = match self.tangent(whole(0), |span| span.above) {
            Some(zero) if self.on(&zero.value, self.here.below) == zero.time => Reach::Zero,
            zero => bend(zero.and_then(|zero| self.bend(zero, self.here.below, |span| span.above))),
        };
        Ok(Parameter {
            below: Some(Side {
                slope: slope(self.here.below)?,
                reach,
            }),
            above,
        })
    }

    /// The tangent beyond which no path with another slope is critical.
    fn farthest(&self) -> Option<Tangent> {
        let value = self.value().checked_add(self.here.time)?.checked_add(1)?;
        self.tangent(whole(value), |span| span.below)
    }

    /// The time on the tangent here.
    fn on(&self, value: &BigRational, slope: u128) -> BigRational {
        let distance = value - BigInt::from(self.value());
        whole(self.here.time) + distance * BigInt::from(slope)
    }

    /// Where the slope changes between here and another tangent; none where numbers get too large.
    fn bend(
        &self,
        mut other: Tangent,
        slope: u128,
        of: impl Fn(Span) -> u128,
    ) -> Option<BigRational> {
        let own = whole(self.value());
        loop {
            // Where `here + slope (x - own)` and `time + other (x - value)` are equal.
            let rise = BigInt::from(other.slope) - BigInt::from(slope);
            let missing = whole(self.here.time) - &other.time
                + (&other.value - &own) * BigInt::from(other.slope);
            let meeting = &own + missing / rise;
            let there = self.tangent(meeting, &of)?;
            if there.time == self.on(&there.value, slope) {
                return Some(there.value);
            }
            other = there;
        }
    }

    /// The tangent at some value of the parameter; none where numbers get too large.
    fn tangent(&self, value: BigRational, of: impl Fn(Span) -> u128) -> Option<Tangent> {
        let parts = value.denom().to_u128()?;
        let scaled = self.waits.values.iter().map(|&own| own.checked_mul(parts));
        let mut values = scaled.collect::<Option<Vec<_>>>()?;
        values[self.parameter] = value.numer().to_u128()?;
        let scale = self.waits.scale.checked_mul(parts)?;
        let last = self.waits.pass(&values, scale, self.parameter)?.last;
        Some(Tangent {
            time: BigRational::new(last.time.into(), parts.into()),
            slope: of(last),
            value,
        })
    }
}

fn whole(value: u128) -> BigRational {
    BigRational::from_integer(value.into())
}
