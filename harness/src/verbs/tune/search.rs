//! The loop: what may pay is measured while the budget has room for it and for its turns against the default; then come the turns; and
//! again, until nothing that may pay fits.

use std::collections::BTreeMap;

use super::bench::{Bench, Run, WARM_UP};
use super::cells::{Cell, Choice, forcing};
use super::knowledge::{Key, Knowledge, Prospect};
use super::trial::{TURNS, Trial};
use crate::base::failure::Result;
use crate::base::units::{duration, plural};
use crate::predict::learned::{Learned, Prediction};
use crate::rules::Take;

/// Measurements of a run.
const DOZEN: usize = 12;
/// Executions of a measurement that decides what to propose.
const FEW: u32 = 3;
/// Executions of a cell in each run of a turn.
const DECIDING: u32 = 4;
/// The least saving worth a measurement or a rule.
pub const LEAST: f64 = 0.03;
/// How often a call gets turns, before anything is known of it.
const OFTEN: f64 = 0.5;

/// The measured times and the decisions that follow from them.
#[derive(Debug)]
pub struct Found<'a> {
    /// Times of defaults and of what was compared.
    pub knowledge: Knowledge<'a>,
    /// What was run against the default.
    pub trials: BTreeMap<(usize, Take), Trial>,
    /// The calls that the budget left undecided, and why.
    pub left: BTreeMap<usize, String>,
}

/// What runs take and may take.
#[derive(Debug, Default)]
struct Budget {
    seconds: f64,
    spent: f64,
    /// What a run takes beside its executions, s: half of it is of the last run.
    overhead: f64,
    /// What an execution takes beside its own time, s: for itself, and for each byte.
    beside: [f64; 2],
    /// Sums over runs of products of executions, bytes and seconds, those of earlier runs halved with each run.
    sums: [f64; 5],
}

impl Budget {
    /// Learns from a run: the line through what executions took beside their time, by least squares.
    fn note(&mut self, run: &Run, cells: &[Cell], repetitions: u32) {
        let executions = f64::from(repetitions + WARM_UP);
        let own: f64 = run.times.iter().flatten().map(|ns| *ns as f64 / 1e9).sum();
        let took = run.seconds - run.overhead - own * executions / f64::from(repetitions);
        let took = took.max(0.0);
        let count = executions * cells.len() as f64;
        let bytes = executions
            * cells
                .iter()
                .map(|cell| cell.size().bytes as f64)
                .sum::<f64>();
        self.overhead = match self.spent {
            0.0 => run.overhead,
            _ => f64::midpoint(self.overhead, run.overhead),
        };
        self.spent += run.seconds;
        let new = [
            count * count,
            count * bytes,
            bytes * bytes,
            count * took,
            bytes * took,
        ];
        self.sums = std::array::from_fn(|index| 0.5 * self.sums[index] + new[index]);
        let [nn, nb, bb, nt, bt] = self.sums;
        let det = nn * bb - nb * nb;
        let line = [(nt * bb - nb * bt) / det, (nn * bt - nb * nt) / det];
        self.beside = match line {
            _ if det <= 1e-6 * nn * bb => [nt / nn, 0.0],
            [each, _] if each < 0.0 => [0.0, bt / bb],
            [_, per_byte] if per_byte < 0.0 => [nt / nn, 0.0],
            line => line,
        };
    }

    /// What a measurement of a call of these seconds takes in a run.
    fn cost(&self, cell: &Cell, seconds: f64, repetitions: u32) -> f64 {
        let [each, per_byte] = self.beside;
        let beside = each + per_byte * cell.size().bytes as f64;
        f64::from(repetitions + WARM_UP) * (seconds + beside)
    }

    fn left(&self) -> f64 {
        self.seconds - self.spent
    }

    /// What these turns take beside executions.
    fn turns(&self, turns: usize) -> f64 {
        2.0 * turns as f64 * self.overhead
    }
}

struct Search<'a, 'b> {
    bench: &'b mut dyn Bench,
    budget: Budget,
    found: Found<'a>,
}

/// An algorithm that was measured to be faster, and has turns to come.
#[derive(Debug, Clone, Copy)]
struct Proposal {
    key: (usize, Take),
    saved: f64,
    /// What its turns take, s, without the overhead of runs.
    cost: f64,
    turns: usize,
}

/// Tunes calls within a number of seconds.
///
/// # Errors
/// The errors of the machine; exit code 10 for a budget that the first run exceeds.
pub fn search<'a>(bench: &mut dyn Bench, cells: &'a [Cell], seconds: f64) -> Result<Found<'a>> {
    let knowledge = Knowledge {
        cells,
        times: BTreeMap::new(),
        predicted: BTreeMap::new(),
    };
    let mut search = Search {
        bench,
        budget: Budget {
            seconds,
            ..Budget::default()
        },
        found: Found {
            knowledge,
            trials: BTreeMap::new(),
            left: BTreeMap::new(),
        },
    };
    search.first()?;
    loop {
        let (learned, _) = search.found.knowledge.learn();
        let proposals = search.proposals();
        let chosen = search.next(&learned, &proposals);
        if !chosen.is_empty() {
            let left = duration(search.budget.left());
            let count = plural(chosen.len() as u64, "measurement");
            tell!("{count}; {left} are left");
            search.measure(&chosen)?;
            continue;
        }
        let fitting = search.fitting(&proposals);
        if fitting.is_empty() {
            search.explain(&learned, &proposals);
            return Ok(search.found);
        }
        search.decide(fitting)?;
    }
}

impl Search<'_, '_> {
    fn cells(&self, keys: &[Key]) -> Vec<Cell> {
        keys.iter()
            .map(|(index, _)| self.found.knowledge.cells[*index].clone())
            .collect()
    }

    /// Measures these choices, and keeps the times.
    fn run(&mut self, keys: &[Key], repetitions: u32) -> Result<Vec<Vec<u64>>> {
        let cells = self.cells(keys);
        let choices = keys.iter().map(|(_, choice)| *choice);
        let table = forcing(cells.iter().cloned().zip(choices));
        let run = self.bench.run(&table, &cells, repetitions)?;
        self.budget.note(&run, &cells, repetitions);
        for (key, times) in keys.iter().zip(&run.times) {
            self.found
                .knowledge
                .times
                .entry(*key)
                .or_default()
                .extend(times);
        }
        Ok(run.times)
    }

    /// Measures, and keeps what was predicted.
    fn measure(&mut self, chosen: &[(Key, Option<Prediction>)]) -> Result {
        let keys: Vec<Key> = chosen.iter().map(|(key, _)| *key).collect();
        self.run(&keys, FEW)?;
        let predicted = chosen
            .iter()
            .filter_map(|(key, predicted)| Some((*key, (*predicted)?)));
        self.found.knowledge.predicted.extend(predicted);
        Ok(())
    }

    /// Measures the defaults of the shortest and the middle size of each function on the most ranks.
    fn first(&mut self) -> Result {
        let cells = self.found.knowledge.cells;
        let is_first = |index: &usize| {
            let own = &cells[*index];
            let of_function = |cell: &&Cell| cell.function.name == own.function.name;
            let most = cells
                .iter()
                .filter(of_function)
                .map(|cell| cell.call.K)
                .max();
            let mut sizes: Vec<u64> = cells
                .iter()
                .filter(|cell| of_function(cell) && cell.call.K == own.call.K)
                .map(|cell| cell.call.bytes)
                .collect();
            sizes.sort_unstable();
            most == Some(own.call.K) && [sizes[0], sizes[sizes.len() / 2]].contains(&own.call.bytes)
        };
        let first: Vec<_> = (0..cells.len())
            .filter(is_first)
            .map(|index| ((index, None), None))
            .collect();
        self.measure(&first)?;
        let least = self.budget.overhead + self.budget.turns(TURNS);
        if self.budget.left() > least {
            return Ok(());
        }
        bail!(
            Measurement,
            "the first run, {} measurements, took {}, and one call in {TURNS} turns takes {} more; name a longer --budget than both, fewer sizes, \
             or fewer collectives",
            first.len(),
            duration(self.budget.spent),
            duration(least)
        )
    }

    /// What an algorithm of these seconds takes in turns against a default of these seconds.
    fn turns(&self, index: usize, seconds: [f64; 2], turns: usize) -> f64 {
        let cell = &self.found.knowledge.cells[index];
        let cost = seconds.map(|seconds| self.budget.cost(cell, seconds, DECIDING));
        turns as f64 * (cost[0] + cost[1])
    }

    /// For each call the fastest algorithm that has turns to come, if it saves enough over the default and over a rule; those that save most
    /// are first.
    fn proposals(&self) -> Vec<Proposal> {
        let Found {
            knowledge, trials, ..
        } = &self.found;
        let of_cell = |index: usize| {
            let default = knowledge.median((index, None))?;
            let forced: Vec<(u64, Take, Option<&Trial>)> = knowledge
                .times
                .range((index, None)..(index + 1, None))
                .filter_map(|((_, choice), _)| {
                    let forced = (*choice)?;
                    let trial = trials.get(&(index, forced));
                    Some((knowledge.median((index, *choice))?, forced, trial))
                })
                .collect();
            let best = forced
                .iter()
                .filter(|(.., trial)| trial.is_some_and(Trial::is_won))
                .map(|(ns, ..)| *ns)
                .chain([default])
                .min()?;
            let left = |trial: &Option<&Trial>| trial.map_or(TURNS, Trial::left);
            let (ns, take, trial) = forced
                .iter()
                .filter(|(.., trial)| left(trial) > 0)
                .min_by_key(|(ns, take, _)| (*ns, *take))?;
            let turns = left(trial);
            let seconds = [default, *ns].map(|ns| ns as f64 / 1e9);
            let proposal = Proposal {
                key: (index, *take),
                saved: 1.0 - *ns as f64 / best as f64,
                cost: self.turns(index, seconds, turns),
                turns,
            };
            (proposal.saved >= LEAST).then_some(proposal)
        };
        let mut all: Vec<Proposal> = (0..knowledge.cells.len()).filter_map(of_cell).collect();
        all.sort_by(|one, other| other.saved.total_cmp(&one.saved));
        all
    }

    /// The next measurements, if there is room for them and for the turns that follow: defaults, the shortest first, else algorithms, those
    /// first from which most is expected.
    fn next(&self, learned: &Learned, proposals: &[Proposal]) -> Vec<(Key, Option<Prediction>)> {
        let knowledge = &self.found.knowledge;
        let reserved: f64 = proposals.iter().map(|proposal| proposal.cost).sum();
        let mut room =
            self.budget.left() - self.budget.overhead - self.budget.turns(TURNS) - reserved;
        let mut fits = |cost: f64| {
            let fits = cost <= room;
            if fits {
                room -= cost;
            }
            fits
        };
        let all = 0..knowledge.cells.len();
        let mut open: Vec<(f64, usize)> = all
            .clone()
            .filter(|index| !knowledge.times.contains_key(&(*index, None)))
            .map(|index| (knowledge.expected(learned, index), index))
            .collect();
        open.sort_by(|one, other| one.0.total_cmp(&other.0));
        open.retain(|(seconds, index)| fits(self.whole(*index, *seconds)));
        if !open.is_empty() {
            return open
                .iter()
                .take(DOZEN)
                .map(|(_, index)| ((*index, None), knowledge.predict(learned, (*index, None))))
                .collect();
        }
        let mut prospects: Vec<Prospect> = all
            .filter_map(|index| knowledge.prospect(learned, index, LEAST))
            .collect();
        prospects.sort_by(|one, other| other.gain.total_cmp(&one.gain));
        prospects.retain(|prospect| fits(self.cost(prospect, proposals)));
        prospects
            .iter()
            .take(DOZEN)
            .map(|prospect| {
                (
                    (prospect.key.0, Some(prospect.key.1)),
                    Some(prospect.predicted),
                )
            })
            .collect()
    }

    /// What a call takes whose default was not measured: this, an algorithm, and often turns.
    fn whole(&self, index: usize, seconds: f64) -> f64 {
        let cell = &self.found.knowledge.cells[index];
        2.0 * self.budget.cost(cell, seconds, FEW) + OFTEN * self.turns(index, [seconds; 2], TURNS)
    }

    /// What an algorithm is expected to take, with its turns if the call has none to come.
    fn cost(&self, prospect: &Prospect, proposals: &[Proposal]) -> f64 {
        let knowledge = &self.found.knowledge;
        let index = prospect.key.0;
        let seconds = prospect.predicted.ns()[1] / 1e9;
        let default = knowledge.median((index, None)).unwrap_or(0) as f64 / 1e9;
        let turns = if proposals.iter().any(|proposal| proposal.key.0 == index) {
            0.0
        } else {
            prospect.chance * self.turns(index, [default, seconds], TURNS)
        };
        self.budget.cost(&knowledge.cells[index], seconds, FEW) + turns
    }

    /// The proposals for whose turns there is room.
    fn fitting(&self, proposals: &[Proposal]) -> Vec<Proposal> {
        let mut room = self.budget.left();
        let mut most = 0;
        let mut fitting = Vec::new();
        for proposal in proposals {
            let further = self.budget.turns(proposal.turns.saturating_sub(most));
            if proposal.cost + further <= room {
                room -= proposal.cost + further;
                most = most.max(proposal.turns);
                fitting.push(*proposal);
            }
        }
        fitting
    }

    /// Runs proposals against the default, in turns: each until it is not faster in one.
    fn decide(&mut self, mut proposals: Vec<Proposal>) -> Result {
        while !proposals.is_empty() {
            tell!(
                "a turn: {} without and with its rule; {} are left",
                plural(proposals.len() as u64, "call"),
                duration(self.budget.left())
            );
            let before = self.budget.spent;
            let mut sides = [false, true].into_iter().map(|with| {
                let choice = |take: Take| -> Choice { with.then_some(take) };
                let keys: Vec<Key> = proposals
                    .iter()
                    .map(|proposal| (proposal.key.0, choice(proposal.key.1)))
                    .collect();
                self.run(&keys, DECIDING)
            });
            let (Some(without), Some(with)) = (sides.next(), sides.next()) else {
                return Ok(());
            };
            for ((proposal, without), with) in proposals.iter().zip(without?).zip(with?) {
                self.found
                    .trials
                    .entry(proposal.key)
                    .or_default()
                    .turns
                    .push([without, with]);
            }
            let took = self.budget.spent - before;
            let trials = &self.found.trials;
            proposals.retain(|proposal| trials[&proposal.key].left() > 0);
            if self.budget.left() < took {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Notes why calls are left as they are, where the budget is the reason.
    fn explain(&mut self, learned: &Learned, proposals: &[Proposal]) {
        let knowledge = &self.found.knowledge;
        let left = duration(self.budget.left());
        let runs = self.budget.overhead + self.budget.turns(TURNS);
        let reason = |index: usize| {
            if !knowledge.times.contains_key(&(index, None)) {
                let seconds = knowledge.expected(learned, index);
                let whole = duration(self.whole(index, seconds) + runs);
                return Some(format!(
                    "budget: its default takes about {}, with an algorithm and turns {whole} in all; {left} are left",
                    duration(seconds)
                ));
            }
            if let Some(proposal) = proposals.iter().find(|proposal| proposal.key.0 == index) {
                let takes = duration(proposal.cost + self.budget.turns(proposal.turns));
                return Some(format!(
                    "budget: {} saved {:.0} %, but {} against the default take {takes}; {left} are left",
                    proposal.key.1.ours,
                    100.0 * proposal.saved,
                    plural(proposal.turns as u64, "turn")
                ));
            }
            let prospect = knowledge.prospect(learned, index, LEAST)?;
            Some(format!(
                "budget: {} saves {:.0} % or more with a chance of {:.1} %, but to measure and verify it takes {}; {left} are left",
                prospect.key.1.ours,
                100.0 * LEAST,
                100.0 * prospect.chance,
                duration(self.cost(&prospect, proposals) + runs)
            ))
        };
        let reasons = (0..knowledge.cells.len()).filter_map(|index| Some((index, reason(index)?)));
        self.found.left = reasons.collect();
    }
}
