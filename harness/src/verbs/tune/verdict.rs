//! What is kept: rows of the answer, and the table of decisions.

use measure::statistics::Median;

use super::cells::Cell;
use super::search::{Found, LEAST};
use super::trial::TURNS;
use crate::base::units::{joined, plural};
use crate::libraries::Family;
use crate::predict::learned::Prediction;
use crate::rules::{Rule, Table, Take, spans};

/// A call, and what was found.
#[derive(Debug)]
pub struct Verdict {
    /// The cell.
    pub cell: Cell,
    /// The default, if it was measured.
    pub default: Option<Median>,
    /// The algorithm that was run against it, in turns.
    pub proposal: Option<(Take, Median)>,
    /// What was predicted before its first measurement, or before that of the default where nothing was proposed.
    pub predicted: Option<Prediction>,
    /// Whether the decisions name the proposal.
    pub is_kept: bool,
    /// Whether the budget left the call undecided.
    pub is_left: bool,
    /// Why it is decided so.
    pub why: String,
}

impl Verdict {
    /// The time with the rules.
    pub fn with_rules(&self) -> Option<&Median> {
        self.proposal
            .as_ref()
            .map(|(_, median)| median)
            .or(self.default.as_ref())
    }

    /// The predicted over the measured time, less 1.
    pub fn error(&self) -> Option<f64> {
        Some(self.predicted?.ns()[1] / self.with_rules()?.median.max(1) as f64 - 1.0)
    }

    /// The default's time over that with the rules; none where nothing was run against it.
    pub fn speedup(&self) -> Option<f64> {
        let (_, with) = self.proposal.as_ref()?;
        Some(self.default?.median as f64 / with.median.max(1) as f64)
    }

    /// The decision for this call alone.
    fn rule(&self) -> Rule {
        let kept = self.proposal.as_ref().filter(|_| self.is_kept);
        Rule {
            why: self.why.clone(),
            ..self.cell.rule(kept.map(|(forced, _)| *forced))
        }
    }
}

/// The verdicts on all calls, in their order.
pub fn verdicts(found: &Found<'_>) -> Vec<Verdict> {
    let knowledge = &found.knowledge;
    let verdict = |(index, cell): (usize, &Cell)| {
        let measured = knowledge
            .times
            .get(&(index, None))
            .and_then(|times| Median::from_times(times.clone()));
        let tried = found
            .trials
            .iter()
            .filter(|((of, _), _)| *of == index)
            .filter_map(|((_, forced), trial)| Some((trial, *forced, trial.medians()?)))
            .min_by_key(|(trial, _, [_, with])| {
                (!trial.is_won(), trial.lost().is_some(), with.median)
            });
        let is_kept = tried.as_ref().is_some_and(|(trial, ..)| trial.is_won());
        let left = found.left.get(&index);
        let others = || {
            let own = knowledge.times.range((index, None)..(index + 1, None));
            match (cell.candidates.len(), own.count().saturating_sub(1)) {
                (0, _) => "no other algorithm that is known here".to_owned(),
                (all, count) => format!(
                    "{count} of {} measured: none saves {:.0} %, nor is another one expected to",
                    plural(all as u64, "algorithm"),
                    100.0 * LEAST
                ),
            }
        };
        let lost = tried.as_ref().map(|(trial, forced, _)| match trial.lost() {
            Some(turn) => format!("{} is not faster in turn {turn} of {TURNS}", forced.ours),
            None if trial.left() > 0 => format!(
                "{} was faster in {} of {TURNS} turns",
                forced.ours,
                trial.turns.len()
            ),
            None => format!("{} is not faster beyond the intervals", forced.ours),
        });
        let why = match &tried {
            Some((_, _, [without, with])) if is_kept => {
                let times = without.median as f64 / with.median.max(1) as f64;
                format!("{times:.2} times as fast as the default")
            }
            _ => match joined("; ", left.cloned().into_iter().chain(lost)) {
                none if none.is_empty() => others(),
                why => why,
            },
        };
        let proposal = tried.map(|(_, forced, medians)| (forced, medians));
        let choice = proposal.map(|(forced, _)| forced);
        Verdict {
            cell: cell.clone(),
            default: proposal.map(|(_, [without, _])| without).or(measured),
            proposal: proposal.map(|(forced, [_, with])| (forced, with)),
            predicted: knowledge.predicted.get(&(index, choice)).copied(),
            is_kept,
            is_left: left.is_some() && !is_kept,
            why,
        }
    };
    knowledge.cells.iter().enumerate().map(verdict).collect()
}

/// The decisions: from each size to the next where both keep one algorithm and have one default.
pub fn decisions(verdicts: &[Verdict], library: &str) -> Table {
    let rules = verdicts
        .chunk_by(|one, other| {
            let [one, other] = [&one.cell, &other.cell];
            one.function.name == other.function.name
                && one.call.K == other.call.K
                && one.default == other.default
        })
        .flat_map(|own| {
            let own: Vec<_> = own.iter().map(Verdict::rule).collect();
            // MPICH leaves calls as well.
            spans(&own, Family::OpenMpi)
        })
        .collect();
    let kept = verdicts.iter().filter(|verdict| verdict.is_kept).count() as u64;
    let notes = vec![
        format!(
            "Decisions of `castbench tune` for {library}: {} of {}.",
            plural(kept, "rule"),
            verdicts.len()
        ),
        format!(
            "A rule stands where the library with it was faster than without it in each of {TURNS} turns, and beyond the 95 % intervals of both \
             medians; elsewhere the library chooses."
        ),
    ];
    Table { notes, rules }
}
