//! When a rule leaves the library's default for another algorithm: `predict --rules` writes such rules, `score` counts them.

use clap::Args;

use super::calibration::Distance;
use super::learned::{Learned, Saving};
use super::measured::{Algorithm, Size};
use crate::base::units::{parse_count, plural};

/// What a rule must promise.
#[derive(Debug, Clone, Copy, Args)]
pub struct Margin {
    /// Write no rule where an algorithm is predicted to save no more than PERCENT of the default's time
    #[arg(long, value_name = "PERCENT", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 10)]
    pub within: u64,
    /// Write no rule where an algorithm is faster than the default with a probability of less than PERCENT
    #[arg(long, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true, default_value_t = 90)]
    pub confidence: u64,
}

/// A rule is for at most so many times the measured nodes, or so many times fewer: how a network scales is not in the model.
const FARTHEST: u64 = 16;

/// A percentage of 50 to 99.
///
/// # Errors
/// Another text.
fn percent(text: &str) -> Result<u64, String> {
    let percent = parse_count(text)?;
    if (50..=99).contains(&percent) {
        Ok(percent)
    } else {
        Err("expected 50 to 99".to_owned())
    }
}

impl Margin {
    /// The probability that a choice needs.
    pub fn confidence(self) -> f64 {
        self.confidence as f64 / 100.0
    }

    /// Whether a rule leaves the default for what saves this.
    pub fn is_met(self, saving: Saving) -> bool {
        let within = self.within as f64 / 100.0;
        saving.share() > within && saving.probability(0.0) >= self.confidence()
    }
}

impl Learned {
    /// The candidate with the least predicted time, and that.
    pub fn fastest<'a, T>(
        &self,
        candidates: impl Iterator<Item = (T, Algorithm<'a>)>,
        size: Size,
    ) -> Option<T> {
        candidates
            .filter_map(|(own, (label, program))| {
                Some((self.predict(label, size, program)?.log_ns, own))
            })
            .min_by(|one, other| one.0.total_cmp(&other.0))
            .map(|(_, own)| own)
    }

    /// What an algorithm saves over the default, where a rule may follow from it.
    ///
    /// # Errors
    /// Why none may: of the collective, the algorithm or the default no time was measured, or of the default none with as many ranks per node.
    pub fn known_saving(
        &self,
        of: Algorithm<'_>,
        over: Algorithm<'_>,
        size: Size,
    ) -> Result<Saving, String> {
        let collective = &of.0.collective;
        if !self.has_seen(collective) {
            return Err(format!("no time of {collective} was learnt from"));
        }
        let known = self.labels(collective);
        // What a library chooses by itself differs with the ranks of a node.
        let what = match () {
            () if self.distance(collective, size) == Distance::Node => Some("an algorithm"),
            () if known.contains(over.0) && !self.has_node(over.0, size.node) => {
                Some("the default")
            }
            () => None,
        };
        if let Some(what) = what.filter(|_| over.1.is_none()) {
            return Err(format!(
                "no time of {what} with {} on each node was learnt from",
                plural(size.node, "rank")
            ));
        }
        let [fewest, most] = self.nodes(collective, size.node);
        if most > 0 && (size.nodes() > FARTHEST * most || FARTHEST * size.nodes() < fewest) {
            return Err(format!(
                "algorithms were learnt on {fewest} to {most} nodes: more than {FARTHEST} times off"
            ));
        }
        match [of, over]
            .into_iter()
            .find(|(label, _)| !known.contains(label))
        {
            Some((label, _)) => Err(format!("no time of {} was learnt from", label.algorithm)),
            None => self
                .saving(of, over, size)
                .ok_or_else(|| "the default has no predicted time".to_owned()),
        }
    }
}
