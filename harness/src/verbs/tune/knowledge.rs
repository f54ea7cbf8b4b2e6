//! What is known of a machine while it is tuned: measured times, the model fitted to them, and what a further time may gain.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use measure::statistics::Median;

use super::cells::{Cell, Choice};
use crate::predict::learned::{Learned, Notes, Prediction, learn};
use crate::predict::measured::Row;
use crate::predict::process::below;
use crate::rules::Take;

/// A cell by its index in the list, and what runs there.
pub type Key = (usize, Choice);

/// Times, and what the model said before.
#[derive(Debug)]
pub struct Knowledge<'a> {
    /// The cells.
    pub cells: &'a [Cell],
    /// Times of each algorithm, ns.
    pub times: BTreeMap<Key, Vec<u64>>,
    /// Predictions from before the first time of an algorithm in a cell.
    pub predicted: BTreeMap<Key, Prediction>,
}

/// An algorithm with a smaller chance to pay is not measured.
pub const CHANCE: f64 = 0.005;

/// A measurement that may pay.
#[derive(Debug, Clone, Copy)]
pub struct Prospect {
    /// What to measure.
    pub key: (usize, Take),
    /// The share of the cell's time that it saves, expected: how often it wins, times what it saves then.
    pub gain: f64,
    /// The probability that it saves what is worth a rule.
    pub chance: f64,
    /// Its predicted time.
    pub predicted: Prediction,
}

impl Knowledge<'_> {
    /// The median of an algorithm in a cell, ns; none if it was not measured.
    pub fn median(&self, key: Key) -> Option<u64> {
        Some(Median::from_times(self.times.get(&key)?.clone())?.median)
    }

    /// The medians as rows to learn from.
    pub fn rows(&self) -> Vec<Row> {
        let row = |&(index, choice): &Key| {
            let cell = &self.cells[index];
            Some(Row::new(
                cell.known(choice).0,
                cell.size(),
                self.median((index, choice))?,
                None,
            ))
        };
        self.times.keys().filter_map(row).collect()
    }

    /// The machine as far as it is known.
    pub fn learn(&self) -> (Learned, Notes) {
        learn(&self.rows())
    }

    /// The predicted time of an algorithm in a cell; none if the model does not know what it does.
    pub fn predict(&self, learned: &Learned, (index, choice): Key) -> Option<Prediction> {
        let cell = &self.cells[index];
        let (label, program) = cell.known(choice);
        let is_known = program.is_some() || choice.is_none();
        is_known.then(|| learned.predict(&label, cell.size(), program))?
    }

    /// The expected time of a default, s: as predicted, where its algorithm is not known the longest of the others, and no less than for a
    /// measured shorter vector.
    pub fn expected(&self, learned: &Learned, index: usize) -> f64 {
        let cell = &self.cells[index];
        let predict = |choice| Some(self.predict(learned, (index, choice))?.ns()[1]);
        let others = || {
            cell.candidates
                .iter()
                .filter_map(|&forced| predict(Some(forced)))
                .fold(0.0, f64::max)
        };
        let shorter = |(other, known): (usize, &Cell)| {
            let is_shorter = known.function.name == cell.function.name
                && known.call.K == cell.call.K
                && known.call.bytes < cell.call.bytes;
            is_shorter.then(|| self.median((other, None)))?
        };
        let least = self.cells.iter().enumerate().filter_map(shorter).max();
        predict(None)
            .unwrap_or_else(others)
            .max(least.unwrap_or(0) as f64)
            / 1e9
    }

    /// The shortest median of a cell, ns; none without a measured default.
    fn best(&self, index: usize) -> Option<u64> {
        self.median((index, None))?;
        self.times
            .range((index, None)..(index + 1, None))
            .filter_map(|(key, _)| self.median(*key))
            .min()
    }

    /// For a cell with a measured default the algorithm from which most is expected, among those that may save this share.
    pub fn prospect(&self, learned: &Learned, index: usize, least: f64) -> Option<Prospect> {
        let best = self.best(index)?;
        let open = self.cells[index]
            .candidates
            .iter()
            .copied()
            .filter(|&forced| !self.times.contains_key(&(index, Some(forced))));
        let prospect = |forced| {
            let predicted = self.predict(learned, (index, Some(forced)))?;
            let z = ((best as f64 * (1.0 - least)).ln() - predicted.log_ns) / predicted.deviation;
            Some(Prospect {
                key: (index, forced),
                gain: gain(&predicted, best),
                chance: below(z),
                predicted,
            })
        };
        open.filter_map(prospect)
            .filter(|prospect| prospect.chance >= CHANCE)
            .max_by(|one, other| one.gain.total_cmp(&other.gain))
    }
}

/// How much is expected to be saved over `best` ns, as a logarithm: the mean of `max(0, ln best - ln time)`, where the logarithm of
/// the time is normal.
pub fn gain(predicted: &Prediction, best: u64) -> f64 {
    let Prediction { log_ns, deviation } = *predicted;
    let z = ((best as f64).ln() - log_ns) / deviation;
    let density = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
    deviation * (z * below(z) + density)
}
