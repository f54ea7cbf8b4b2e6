//! Builds and checks the program of each processor.

use std::collections::HashMap;

use super::classes::{Classes, Operations};
use super::dependencies::{Dependency, Dependents, Until, are_in_order, chain};
use super::fault::Fault;
use super::matching::match_messages;
use super::program::{ANY, OF_SWITCH, Operation, Program};
use super::step::{Kind, MAX_OPERATIONS, NONE, Step};
use crate::logp::Levels;

/// Takes programs operation by operation and checks that they fit together.
///
/// ```
/// use castbench_algorithms::logp::LogP;
/// use castbench_algorithms::internals::engine::{self, Builder, Machine, Operation};
///
/// let mut builder = Builder::new(2)?;
/// builder.begin(0)?;
/// builder.push(Operation::Compute { time: 3 })?;
/// builder.push(Operation::Send { to: 1, tag: 0, bytes: 1 })?;
/// builder.begin(1)?;
/// builder.push(Operation::Receive { from: 0, tag: 0, bytes: 1 })?;
/// let machine = Machine::LogP(LogP::new(6, 2, 4).unwrap());
/// assert_eq!(engine::run(machine, &builder.in_order()?).unwrap().finish, 13);
/// # Ok::<(), engine::Fault>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Builder {
    program: Program,
    /// Which processors have a program.
    begun: Vec<bool>,
    current: Option<u32>,
    /// Where ranks are near or far, the levels at which they meet.
    levels: Option<&'static Levels>,
    /// The level of each switch; they are the last processors.
    switches: Vec<u32>,
    /// The index of each size and level.
    sizes: HashMap<(u64, u32), u32>,
    /// The last size, its level and its index: most messages are as large as the one before.
    last_size: (u64, u32, u32),
    /// The dependencies of the processor that was begun last.
    dependencies: Vec<Dependency>,
    /// The dependencies of the operations before this one are complete: they are in the dependents of the program, or the programs
    /// run in order so far.
    known: u32,
}

impl Builder {
    /// Programs for this many processors; those that are not begun do nothing.
    ///
    /// # Errors
    /// [`Fault::TooLarge`] above [`MAX_OPERATIONS`] processors.
    pub fn new(processors: u32) -> Result<Self, Fault> {
        if processors > MAX_OPERATIONS {
            return Err(Fault::TooLarge {
                what: "processors",
                most: MAX_OPERATIONS.into(),
            });
        }
        let program = Program::idle(vec![(0, 0); processors as usize]);
        let begun = vec![false; processors as usize];
        Ok(Self {
            program,
            begun,
            last_size: (0, 0, NONE),
            ..Self::default()
        })
    }

    /// Programs for a machine on which messages are of several levels.
    #[must_use]
    pub fn on(self, levels: Option<&'static Levels>) -> Self {
        Self { levels, ..self }
    }

    /// The last processors are switches at these levels. What they do takes no time.
    #[must_use]
    pub fn with_switches(self, levels: Vec<usize>) -> Self {
        let level = |level| u32::try_from(level).unwrap_or(NONE);
        let switches: Vec<u32> = levels.into_iter().map(level).collect();
        let program = Program {
            has_switches: !switches.is_empty(),
            ..self.program
        };
        Self {
            switches,
            program,
            ..self
        }
    }

    /// Begins the program of a processor; [`Builder::push`] adds to it.
    ///
    /// # Errors
    /// [`Fault::NoSuchProcessor`], and [`Fault::TwoPrograms`] where it has one; [`Fault::Cycle`] for the program before it.
    pub fn begin(&mut self, processor: u32) -> Result<(), Fault> {
        self.close()?;
        let processors = self.program.processors();
        let begun = self.begun.get_mut(processor as usize);
        let begun = begun.ok_or(Fault::NoSuchProcessor {
            operation: None,
            named: processor,
            processors,
        })?;
        if std::mem::replace(begun, true) {
            return Err(Fault::TwoPrograms(processor));
        }
        let next = self.next();
        self.program.ranges[processor as usize] = (next, next);
        self.current = Some(processor);
        Ok(())
    }

    /// The processors that have no program.
    pub fn idle(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..)
            .zip(&self.begun)
            .filter(|(_, begun)| !**begun)
            .map(|(processor, _)| processor)
    }

    /// Adds an operation to the program of the processor that was begun last. Returns its number.
    ///
    /// # Errors
    /// [`Fault::NotBegun`] without a begun program, [`Fault::NoSuchProcessor`] for an unknown peer, [`Fault::AnyTag`] for a
    /// message with any tag; [`Fault::TooLarge`].
    pub fn push(&mut self, operation: Operation) -> Result<u32, Fault> {
        let number = self.next();
        let processors = self.program.processors();
        let missing = |operation, named| Fault::NoSuchProcessor {
            operation,
            named,
            processors,
        };
        let current = self.current.ok_or(Fault::NotBegun)?;
        if number == MAX_OPERATIONS {
            return Err(Fault::TooLarge {
                what: "operations",
                most: MAX_OPERATIONS.into(),
            });
        }
        let (kind, index, peer, tag) = match operation {
            Operation::Compute { time } => (Kind::Compute, self.time(time), NONE, 0),
            Operation::Send { to, tag, bytes } => {
                if to >= processors {
                    return Err(missing(Some(number), to));
                }
                if tag == ANY {
                    return Err(Fault::AnyTag { operation: number });
                }
                (
                    Kind::Send,
                    self.size(bytes, self.level(current, to)),
                    to,
                    tag,
                )
            }
            Operation::Receive { from, tag, bytes } => {
                if from >= processors && from != ANY {
                    return Err(missing(Some(number), from));
                }
                if (from == ANY || tag == ANY) && self.program.wild.last() != Some(&current) {
                    self.program.wild.push(current);
                }
                // Its message may be of any level.
                let level = if self.program.has_switches {
                    self.level(current, from)
                } else {
                    0
                };
                (Kind::Receive, self.size(bytes, level), from, tag)
            }
        };
        if tag != 0 || !self.program.tags.is_empty() {
            put(&mut self.program.tags, number, tag);
        }
        self.program.steps.push(Step {
            code: kind.code(index),
            peer,
            message: NONE,
        });
        self.program.ranges[current as usize].1 = number + 1;
        Ok(number)
    }

    /// Adds an operation that occupies this cpu, and for its gap this nic. A processor with several cpus and nics executes several
    /// operations at once.
    ///
    /// # Errors
    /// Errors of [`Builder::push`].
    pub fn push_on(&mut self, operation: Operation, (cpu, nic): (u32, u32)) -> Result<u32, Fault> {
        let number = self.push(operation)?;
        if (cpu, nic) != (0, 0) {
            put(&mut self.program.resources, number, (cpu, nic));
        }
        Ok(number)
    }

    /// Makes an operation of the current processor wait for another one.
    ///
    /// # Errors
    /// [`Fault::Foreign`] unless both are of the processor that was begun last.
    pub fn depend(&mut self, later: u32, earlier: u32, until: Until) -> Result<(), Fault> {
        let range = self
            .current
            .map_or(0..0, |processor| self.program.range(processor));
        if !range.contains(&later) || !range.contains(&earlier) {
            return Err(Fault::Foreign { later, earlier });
        }
        self.program.posts |=
            until == Until::Started && self.program.code(earlier).0 == Kind::Receive;
        self.dependencies.push(Dependency {
            later,
            earlier,
            until,
        });
        Ok(())
    }

    /// Stores the dependencies of the processor that was begun last. Several operations without any can still
    /// [follow one another](Builder::in_order).
    fn close(&mut self) -> Result<(), Fault> {
        let Some(processor) = self.current else {
            return Ok(());
        };
        let (start, end) = self.program.ranges[processor as usize];
        let nothing_said = self.dependencies.is_empty();
        if nothing_said && (end - start > 1 || self.known < start) {
            return Ok(());
        }
        if self.known < start {
            self.append(start, &[])?;
        }
        let dependencies = std::mem::take(&mut self.dependencies);
        if self.program.dependents.is_none() && are_in_order((start, end), &dependencies) {
            self.known = end;
        } else {
            self.append(end, &dependencies)?;
        }
        // Reuse the memory.
        self.dependencies = dependencies;
        self.dependencies.clear();
        Ok(())
    }

    /// Stores the dependencies of the operations up to this one as dependents.
    fn append(&mut self, end: u32, dependencies: &[Dependency]) -> Result<(), Fault> {
        let ranges = &self.program.ranges;
        let dependents = match &mut self.program.dependents {
            Some(dependents) => dependents,
            none => {
                let mut dependents = Dependents::new();
                let mut before: Vec<(u32, u32)> = ranges
                    .iter()
                    .copied()
                    .filter(|range| range.1 <= self.known)
                    .collect();
                before.sort_unstable();
                for range in before {
                    dependents.append(range.1, &chain(range).collect::<Vec<_>>(), ranges)?;
                }
                none.insert(dependents)
            }
        };
        dependents.append(end, dependencies, ranges)?;
        self.known = end;
        Ok(())
    }

    /// Programs in which every operation waits for the end of the one before it.
    ///
    /// # Errors
    /// [`Fault::Unmatched`]; with dependencies also those of [`Builder::by_dependencies`].
    pub fn in_order(mut self) -> Result<Program, Fault> {
        self.close()?;
        let end = self.next();
        if let Some(dependents) = self.program.dependents.take() {
            let ranges = self.program.ranges.iter().copied();
            let all: Vec<Dependency> = dependents.all().chain(ranges.flat_map(chain)).collect();
            let mut dependents = Dependents::new();
            dependents.append(end, &all, &self.program.ranges)?;
            self.program.dependents = Some(dependents);
        }
        self.known = end;
        self.dependencies.clear();
        self.matched()
    }

    /// Programs in which an operation waits for its [dependencies](Builder::depend), its cpu and its nic only.
    ///
    /// # Errors
    /// [`Fault::Cycle`] and [`Fault::Unmatched`].
    pub fn by_dependencies(mut self) -> Result<Program, Fault> {
        self.close()?;
        let end = self.next();
        if self.known < end {
            self.append(end, &[])?;
        }
        self.matched()
    }

    /// A program [by dependencies](Self::by_dependencies) whose operations are listed in turns, as in an order.
    ///
    /// # Errors
    /// Errors of [`Builder::by_dependencies`].
    pub fn in_turns(mut self) -> Result<Program, Fault> {
        self.program.has_turns = true;
        self.by_dependencies()
    }

    fn matched(mut self) -> Result<Program, Fault> {
        let operations = self.program.operations();
        let only_by_events = !self.program.resources.is_empty() || !self.program.wild.is_empty();
        if only_by_events && self.program.dependents.is_none() {
            self.append(self.next(), &[])?;
        }
        match &mut self.program.dependents {
            Some(dependents) => dependents.sort_free(&self.program.ranges),
            None => self.program.posts = false,
        }
        self.dependencies = Vec::new();
        self.program.wild.sort_unstable();
        if !self.program.tags.is_empty() {
            self.program.tags.resize(operations, 0);
        }
        if !self.program.resources.is_empty() {
            self.program.resources.resize(operations, (0, 0));
            let Program {
                ranges,
                steps,
                resources,
                ..
            } = &self.program;
            self.program.classes = Classes::new(ranges, Operations { steps, resources });
        }
        match_messages(&mut self.program)?;
        if self.levels.is_some_and(Levels::has_exchange) {
            self.program.mark_exchanges();
        }
        Ok(self.program)
    }

    /// The number of the next operation.
    fn next(&self) -> u32 {
        // `push` ensures it.
        u32::try_from(self.program.operations()).unwrap_or(MAX_OPERATIONS)
    }

    fn time(&mut self, time: u64) -> u32 {
        if self.program.times.last() != Some(&time) {
            self.program.times.push(time);
        }
        u32::try_from(self.program.times.len() - 1).unwrap_or(MAX_OPERATIONS)
    }

    /// The level of a message at one of its ends.
    fn level(&self, me: u32, peer: u32) -> u32 {
        let switches = u32::try_from(self.switches.len()).unwrap_or(NONE);
        let ranks = self.program.processors().saturating_sub(switches);
        if me >= ranks {
            return OF_SWITCH;
        }
        if peer >= ranks {
            return self.switches[(peer - ranks) as usize];
        }
        let level = |levels: &Levels| levels.between(ranks.into(), me, peer);
        self.levels
            .map_or(0, |levels| u32::try_from(level(levels)).unwrap_or(NONE))
    }

    #[inline]
    fn size(&mut self, bytes: u64, level: u32) -> u32 {
        let (last, last_level, index) = self.last_size;
        if (last, last_level) != (bytes, level) || index == NONE {
            self.last_size = (bytes, level, self.index(bytes, level));
        }
        self.last_size.2
    }

    /// The index of another size than the last one.
    fn index(&mut self, bytes: u64, level: u32) -> u32 {
        let Program { sizes, levels, .. } = &mut self.program;
        *self.sizes.entry((bytes, level)).or_insert_with(|| {
            let index = u32::try_from(sizes.len()).unwrap_or(MAX_OPERATIONS);
            sizes.push(bytes);
            if level != 0 || !levels.is_empty() {
                put(levels, index, level);
            }
            index
        })
    }
}

/// Stores a value of an operation; those before it have the default where they have none.
#[inline]
fn put<T: Clone + Default>(values: &mut Vec<T>, operation: u32, value: T) {
    if values.len() < operation as usize {
        values.resize(operation as usize, T::default());
    }
    values.push(value);
}
