//! What is kept: rows of the answer, and the table of decisions.

use measure::statistics::{CONFIDENCE, Median};

use super::cells::Cell;
use super::search::Found;
use crate::base::units::plural;
use crate::predict::learned::Prediction;
use crate::rules::{Rule, Table, Take, spans};

/// A cell with a measured default.
#[derive(Debug)]
pub struct Verdict {
    /// The cell.
    pub cell: Cell,
    /// The default.
    pub default: Median,
    /// The algorithm that was run against it, in turns.
    pub proposal: Option<(Take, Median)>,
    /// What was predicted before its first measurement, or before that of the default where nothing was proposed.
    pub predicted: Option<Prediction>,
    /// Whether the decisions name the proposal.
    pub is_kept: bool,
}

impl Verdict {
    /// The time with the rules.
    #[must_use]
    pub fn with_rules(&self) -> &Median {
        self.proposal
            .as_ref()
            .map_or(&self.default, |(_, median)| median)
    }

    /// The predicted over the measured time, less 1.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        Some(self.predicted?.ns()[1] / self.with_rules().median.max(1) as f64 - 1.0)
    }

    /// The default's time over that with the rules.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        self.default.median as f64 / self.with_rules().median.max(1) as f64
    }

    /// The decision for this call alone.
    fn rule(&self) -> Rule {
        let rule = self.cell.rule(
            self.proposal
                .filter(|_| self.is_kept)
                .map(|(forced, _)| forced),
        );
        let why = match &self.proposal {
            Some(_) if self.is_kept => {
                format!("{:.2} times as fast as the default", self.speedup())
            }
            Some((forced, _)) => format!("{} is not faster beyond the intervals", forced.ours),
            None => "no algorithm is known to be faster".to_owned(),
        };
        Rule { why, ..rule }
    }
}

/// Whether one interval lies below another, both with the wanted coverage.
fn is_faster(one: &Median, other: &Median) -> bool {
    one.coverage >= CONFIDENCE && other.coverage >= CONFIDENCE && one.high < other.low
}

/// The verdicts on all cells with a measured default, in their order.
#[must_use]
pub fn verdicts(found: &Found<'_>) -> Vec<Verdict> {
    let knowledge = &found.knowledge;
    let verdict = |index: usize| {
        let measured = Median::from_times(knowledge.times.get(&(index, None))?.clone())?;
        let tried = found.turns.iter().find(|((of, _), _)| *of == index);
        let medians = tried.and_then(|((_, forced), [without, with])| {
            Some((
                Median::from_times(without.clone())?,
                (*forced, Median::from_times(with.clone())?),
            ))
        });
        let (default, proposal) =
            medians.map_or((measured, None), |(default, with)| (default, Some(with)));
        let choice = proposal.map(|(forced, _)| forced);
        let is_kept = proposal.is_some_and(|(_, with)| is_faster(&with, &default));
        let predicted = knowledge.predicted.get(&(index, choice)).copied();
        Some(Verdict {
            cell: knowledge.cells[index].clone(),
            default,
            proposal,
            predicted,
            is_kept,
        })
    };
    (0..knowledge.cells.len()).filter_map(verdict).collect()
}

/// The decisions: what was measured, from each size to the next where both have one algorithm.
#[must_use]
pub fn decisions(verdicts: &[Verdict], library: &str) -> Table {
    let is_alike = |one: &Verdict, other: &Verdict| {
        one.cell.function.name == other.cell.function.name && one.cell.call.K == other.cell.call.K
    };
    let of_ranks = |own: &[Verdict]| spans(&own.iter().map(Verdict::rule).collect::<Vec<_>>());
    let rules = verdicts.chunk_by(is_alike).flat_map(of_ranks).collect();
    let kept = verdicts.iter().filter(|verdict| verdict.is_kept).count() as u64;
    let notes = vec![
        format!("Decisions of `castbench tune` for {library}: {} of {}.", plural(kept, "rule"), verdicts.len()),
        "A rule stands where the library with it was faster than without it, beyond the 95 % intervals of both medians; elsewhere the \
         library chooses."
            .to_owned(),
    ];
    Table { notes, rules }
}
