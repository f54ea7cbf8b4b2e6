//! The loop: defaults, then a dozen measurements at a time where they may pay, then the proposals against the defaults, in turns.

use std::collections::BTreeMap;

use super::bench::{Bench, Run, WARM_UP};
use super::cells::{Cell, Choice, forcing};
use super::knowledge::{Key, Knowledge, Prospect};
use crate::base::failure::{Code, Failure, tell};
use crate::base::units::{duration, plural};
use crate::predict::learned::Prediction;
use crate::rules::Take;

/// Measurements of a round.
const DOZEN: usize = 12;
/// Executions of a measurement that decides what to propose.
const FEW: u32 = 3;
/// Executions of a cell in a run that decides; the interval of the median of six has 97 %.
const DECIDING: u32 = 6;
/// Runs with and without the rules.
const TURNS: u32 = 3;
/// The least saving worth a measurement or a rule.
const LEAST: f64 = 0.03;
/// The share of the budget after which no default is measured, and no algorithm.
const SHARES: [f64; 2] = [0.35, 0.65];

/// The measured times and the decisions that follow from them.
#[derive(Debug)]
pub struct Found<'a> {
    /// Times of defaults and of what was compared.
    pub knowledge: Knowledge<'a>,
    /// The times of each proposal without and with the rules, ns.
    pub turns: BTreeMap<(usize, Take), [Vec<u64>; 2]>,
    /// What was left out, and why.
    pub left: Vec<String>,
}

/// What runs take and may take.
#[derive(Debug, Default)]
struct Budget {
    seconds: f64,
    spent: f64,
    /// The longest overhead of a run, s.
    overhead: f64,
    /// What an execution takes beside its own time, s: in the first run, and with each byte of longer vectors.
    each: Option<f64>,
    per_byte: f64,
}

impl Budget {
    fn note(&mut self, run: &Run, cells: &[Cell], repetitions: u32) {
        let executions = f64::from(repetitions + WARM_UP);
        let own: f64 = run.times.iter().flatten().map(|ns| *ns as f64 / 1e9).sum();
        let beside = run.seconds - run.overhead - own * executions / f64::from(repetitions);
        let all = executions * cells.len() as f64;
        let bytes: f64 = cells.iter().map(|cell| cell.size().bytes as f64).sum();
        self.spent += run.seconds;
        self.overhead = self.overhead.max(run.overhead);
        match self.each {
            None => self.each = Some((beside / all).max(0.0)),
            Some(each) => {
                self.per_byte = self
                    .per_byte
                    .max((beside - each * all) / (executions * bytes))
            }
        }
    }

    /// What a measurement of a call of these seconds takes in a run.
    fn cost(&self, cell: &Cell, seconds: f64, repetitions: u32) -> f64 {
        let beside = self.each.unwrap_or(0.0) + self.per_byte * cell.size().bytes as f64;
        f64::from(repetitions + WARM_UP) * (seconds + beside)
    }

    /// What is left of a share of the budget for the measurements of a run.
    fn room(&self, share: f64) -> f64 {
        share * self.seconds - self.spent - self.overhead
    }
}

struct Search<'a, 'b> {
    bench: &'b mut dyn Bench,
    budget: Budget,
    found: Found<'a>,
}

/// Tunes calls within a number of seconds.
///
/// # Errors
/// The errors of the machine; exit code 10 for a budget that the first run exceeds.
pub fn search<'a>(
    bench: &mut dyn Bench,
    cells: &'a [Cell],
    seconds: f64,
) -> Result<Found<'a>, Failure> {
    let has_known_default = bench.has_known_default();
    let knowledge = Knowledge {
        cells,
        times: BTreeMap::new(),
        predicted: BTreeMap::new(),
        has_known_default,
    };
    let found = Found {
        knowledge,
        turns: BTreeMap::new(),
        left: Vec::new(),
    };
    let mut search = Search {
        bench,
        budget: Budget {
            seconds,
            ..Budget::default()
        },
        found,
    };
    search.defaults()?;
    search.rounds()?;
    search.decide()?;
    Ok(search.found)
}

impl Search<'_, '_> {
    fn cells(&self, keys: &[Key]) -> Vec<Cell> {
        keys.iter()
            .map(|(index, _)| self.found.knowledge.cells[*index].clone())
            .collect()
    }

    /// Measures, and keeps the times and what was predicted.
    fn measure(&mut self, chosen: &[(Key, Option<Prediction>)]) -> Result<(), Failure> {
        let keys: Vec<Key> = chosen.iter().map(|(key, _)| *key).collect();
        let cells = self.cells(&keys);
        let table = forcing(
            cells
                .iter()
                .cloned()
                .zip(keys.iter().map(|(_, choice)| *choice)),
        );
        let run = self.bench.run(&table, &cells, FEW)?;
        self.budget.note(&run, &cells, FEW);
        let knowledge = &mut self.found.knowledge;
        knowledge.has_known_default = self.bench.has_known_default();
        knowledge.predicted.extend(
            chosen
                .iter()
                .filter_map(|(key, predicted)| Some((*key, (*predicted)?))),
        );
        knowledge.times.extend(keys.into_iter().zip(run.times));
        Ok(())
    }

    /// Measures the defaults: first the shortest and the middle size of each function on the most ranks, then the others, the
    /// shortest ones first, a dozen in a run, because what long ones take beside their time is not known before.
    fn defaults(&mut self) -> Result<(), Failure> {
        let cells = self.found.knowledge.cells;
        let is_first = |index: &usize| {
            let own = &cells[*index];
            let ranks =
                |cell: &&Cell| cell.function.name == own.function.name && cell.call.K > own.call.K;
            let is_alike =
                |cell: &&Cell| cell.function.name == own.function.name && cell.call.K == own.call.K;
            let mut sizes: Vec<u64> = cells
                .iter()
                .filter(is_alike)
                .map(|cell| cell.call.bytes)
                .collect();
            sizes.sort_unstable();
            !cells.iter().any(|cell| ranks(&cell))
                && [sizes[0], sizes[sizes.len() / 2]].contains(&own.call.bytes)
        };
        let first: Vec<(Key, Option<Prediction>)> = (0..cells.len())
            .filter(is_first)
            .map(|index| ((index, None), None))
            .collect();
        self.measure(&first)?;
        if self.budget.room(1.0) <= 0.0 {
            let explanation = format!(
                "the first run, {} measurements, took {}; name a longer --budget than that and twice {}, fewer sizes, or fewer collectives",
                first.len(),
                duration(self.budget.spent),
                duration(self.budget.overhead)
            );
            return Err(Failure::new(Code::Measurement, explanation));
        }
        loop {
            let (learned, _) = self.found.knowledge.learn();
            let knowledge = &self.found.knowledge;
            let open =
                (0..cells.len()).filter(|index| !knowledge.times.contains_key(&(*index, None)));
            let mut open: Vec<(f64, usize)> = open
                .map(|index| (knowledge.expected(&learned, index), index))
                .collect();
            open.sort_by(|one, other| one.0.total_cmp(&other.0));
            let all = open.len();
            let mut room = self.budget.room(SHARES[0]);
            open.retain(|(seconds, index)| {
                room -= self.budget.cost(&cells[*index], *seconds, FEW);
                room >= 0.0
            });
            open.truncate(DOZEN);
            if open.is_empty() {
                if all > 0 {
                    self.leave(all, "call", "their defaults take too long");
                }
                return Ok(());
            }
            let predicted = |(_, index): &(f64, usize)| {
                ((*index, None), knowledge.predict(&learned, (*index, None)))
            };
            let chosen: Vec<(Key, Option<Prediction>)> = open.iter().map(predicted).collect();
            self.measure(&chosen)?;
        }
    }

    /// Measures a dozen algorithms at a time, those first that may save most.
    fn rounds(&mut self) -> Result<(), Failure> {
        for round in 1.. {
            let (learned, _) = self.found.knowledge.learn();
            let mut prospects = self.found.knowledge.prospects(&learned, LEAST);
            let cells = self.found.knowledge.cells;
            let cost = |own: &Prospect| {
                self.budget
                    .cost(&cells[own.key.0], own.predicted.ns()[1] / 1e9, FEW)
            };
            prospects.sort_by(|one, other| other.gain.total_cmp(&one.gain));
            let all = prospects.len();
            let mut room = self.budget.room(SHARES[1]);
            prospects.retain(|prospect| {
                let fits = room >= cost(prospect);
                if fits {
                    room -= cost(prospect);
                }
                fits
            });
            if prospects.is_empty() {
                if all > 0 {
                    self.leave(
                        all,
                        "further measurement",
                        "at least 3 % was expected of each",
                    );
                }
                return Ok(());
            }
            prospects.truncate(DOZEN);
            let key = |prospect: &Prospect| {
                (
                    (prospect.key.0, Some(prospect.key.1)),
                    Some(prospect.predicted),
                )
            };
            let chosen: Vec<(Key, Option<Prediction>)> = prospects.iter().map(key).collect();
            tell(format_args!(
                "round {round}: {}",
                plural(chosen.len() as u64, "measurement")
            ));
            self.measure(&chosen)?;
        }
        Ok(())
    }

    /// Runs the fastest algorithms against the defaults, in turns, those first that save most.
    fn decide(&mut self) -> Result<(), Failure> {
        let knowledge = &self.found.knowledge;
        let fastest = |index: usize| {
            let default = knowledge.median((index, None))?;
            let own = knowledge.times.range((index, None)..(index + 1, None));
            let forced = own.filter_map(|((_, choice), _)| {
                Some(((*choice)?, knowledge.median((index, *choice))?))
            });
            let (forced, ns) = forced.min_by_key(|(forced, ns)| (*ns, *forced))?;
            let saved = 1.0 - ns as f64 / default as f64;
            (saved >= LEAST).then_some((saved, (index, forced), [default, ns]))
        };
        let mut all: Vec<(f64, (usize, Take), [u64; 2])> =
            (0..knowledge.cells.len()).filter_map(fastest).collect();
        all.sort_by(|one, other| other.0.total_cmp(&one.0));
        let count = all.len();
        let mut room = self.budget.room(1.0) - self.budget.overhead;
        all.retain(|(_, (index, _), ns)| {
            let cost = |&ns: &u64| {
                self.budget
                    .cost(&knowledge.cells[*index], ns as f64 / 1e9, DECIDING)
            };
            room -= ns.iter().map(cost).sum::<f64>();
            room >= 0.0
        });
        if all.len() < count {
            self.leave(
                count - all.len(),
                "proposal",
                "they were not run against the default",
            );
        }
        all.sort_by_key(|(_, key, _)| *key);
        let proposals: Vec<(usize, Take)> = all.into_iter().map(|(_, key, _)| key).collect();
        if proposals.is_empty() {
            return Ok(());
        }
        let mut turn_took = 0.0;
        for turn in 0..TURNS {
            if self.budget.seconds - self.budget.spent < turn_took {
                let left = u64::from(TURNS - turn);
                self.found.left.push(format!(
                    "{} with and without the rules, for the budget",
                    plural(left, "turn")
                ));
                break;
            }
            tell(format_args!(
                "turn {} of {TURNS}: {} without and with its rule",
                turn + 1,
                plural(proposals.len() as u64, "call")
            ));
            turn_took = self.turn(&proposals)?;
        }
        Ok(())
    }

    /// A run without and a run with the proposals; returns what both took, s.
    fn turn(&mut self, proposals: &[(usize, Take)]) -> Result<f64, Failure> {
        let keys: Vec<Key> = proposals
            .iter()
            .map(|(index, forced)| (*index, Some(*forced)))
            .collect();
        let cells = self.cells(&keys);
        let before = self.budget.spent;
        for with in [false, true] {
            let choice = |(_, choice): &Key| -> Choice { if with { *choice } else { None } };
            let table = forcing(cells.iter().cloned().zip(keys.iter().map(choice)));
            let run = self.bench.run(&table, &cells, DECIDING)?;
            self.budget.note(&run, &cells, DECIDING);
            for (key, times) in proposals.iter().zip(run.times) {
                self.found.turns.entry(*key).or_default()[usize::from(with)].extend(times);
            }
        }
        Ok(self.budget.spent - before)
    }

    fn leave(&mut self, count: usize, what: &str, why: &str) {
        self.found.left.push(format!(
            "{}, for the budget: {why}",
            plural(count as u64, what)
        ));
    }
}
