//! What is known of a machine while it is tuned: measured times, the model fitted to them, and what a further time may gain.

use std::collections::BTreeMap;
use std::f64::consts::{PI, SQRT_2};

use measure::statistics::Median;

use super::cells::{Cell, Choice};
use crate::predict::learned::{Learned, Notes, Prediction, learn};
use crate::predict::measured::{Label, Row};
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
    /// Whether the model knows which algorithm a default is.
    pub has_known_default: bool,
}

/// A measurement that may pay.
#[derive(Debug, Clone, Copy)]
pub struct Prospect {
    /// What to measure.
    pub key: (usize, Take),
    /// The share of the cell's time that it saves, expected: how often it wins, times what it saves then.
    pub gain: f64,
    /// Its predicted time.
    pub predicted: Prediction,
}

impl Knowledge<'_> {
    /// The median of an algorithm in a cell, ns; none if it was not measured.
    #[must_use]
    pub fn median(&self, key: Key) -> Option<u64> {
        Some(Median::from_times(self.times.get(&key)?.clone())?.median)
    }

    /// The medians as rows to learn from.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        let row = |&(index, choice): &Key| {
            let cell = &self.cells[index];
            let mut label = cell.known(choice).0;
            if choice.is_none() && !self.has_known_default {
                label = Label {
                    algorithm: "default".to_owned(),
                    ..label
                };
            }
            Some(Row::new(
                label,
                cell.size(),
                self.median((index, choice))?,
                None,
            ))
        };
        self.times.keys().filter_map(row).collect()
    }

    /// The machine as far as it is known.
    #[must_use]
    pub fn learn(&self) -> (Learned, Notes) {
        learn(&self.rows())
    }

    /// The predicted time of an algorithm in a cell; none if it has no program.
    #[must_use]
    pub fn predict(&self, learned: &Learned, (index, choice): Key) -> Option<Prediction> {
        let cell = &self.cells[index];
        let (label, program) = cell.known(choice);
        (choice.is_some() || self.has_known_default)
            .then(|| learned.predict(&label, cell.size(), Some(program?)))?
    }

    /// The predicted time of a default, s: where its algorithm is not known, the longest of the others.
    #[must_use]
    pub fn expected(&self, learned: &Learned, index: usize) -> f64 {
        let predict = |choice| Some(self.predict(learned, (index, choice))?.ns()[1]);
        let others = || {
            self.cells[index]
                .candidates
                .iter()
                .filter_map(|&forced| predict(Some(forced)))
        };
        predict(None).unwrap_or_else(|| others().fold(0.0, f64::max)) / 1e9
    }

    /// For each cell with a measured default the algorithm from which most is expected, if it is at least this share.
    #[must_use]
    pub fn prospects(&self, learned: &Learned, least: f64) -> Vec<Prospect> {
        let of_cell = |index: usize| {
            self.median((index, None))?;
            let own = self.times.range((index, None)..(index + 1, None));
            let best = own.filter_map(|(key, _)| self.median(*key)).min()?;
            let open = self.cells[index].candidates.iter().copied();
            let open = open.filter(|&forced| !self.times.contains_key(&(index, Some(forced))));
            let prospect = |forced| {
                let predicted = self.predict(learned, (index, Some(forced)))?;
                Some(Prospect {
                    key: (index, forced),
                    gain: gain(&predicted, best),
                    predicted,
                })
            };
            let all = open
                .filter_map(prospect)
                .filter(|prospect| prospect.gain >= least);
            all.max_by(|one, other| one.gain.total_cmp(&other.gain))
        };
        (0..self.cells.len()).filter_map(of_cell).collect()
    }
}

/// How much is expected to be saved over `best` ns, as a logarithm: the mean of `max(0, ln best - ln time)`, where the logarithm of
/// the time is normal.
#[must_use]
pub fn gain(predicted: &Prediction, best: u64) -> f64 {
    let Prediction { log_ns, deviation } = *predicted;
    let z = ((best as f64).ln() - log_ns) / deviation;
    let density = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
    deviation * (z * below(z) + density)
}

/// The probability that a standard normal number is below z, within 1e-7: Abramowitz and Stegun, 7.1.26.
fn below(z: f64) -> f64 {
    let x = z.abs() / SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let terms = [
        1.061_405_429,
        -1.453_152_027,
        1.421_413_741,
        -0.284_496_736,
        0.254_829_592,
    ];
    let tail = 0.5 * t * terms.into_iter().fold(0.0, |sum, term| sum * t + term) * (-x * x).exp();
    if z > 0.0 { 1.0 - tail } else { tail }
}
