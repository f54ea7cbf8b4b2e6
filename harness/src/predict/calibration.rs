//! How far predictions of times that were left out were off, and what the intervals and decisions of a machine follow from it.

use std::collections::BTreeMap;

use super::process::{NINETY, below};

/// How far a call is from what was measured of its collective; the number of nodes is that of the nearest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distance {
    /// On a measured number of nodes.
    Near,
    /// On others, at most twice the most or half of the fewest.
    Nodes,
    /// On more or fewer nodes than that.
    Beyond,
    /// With another number of ranks per node.
    Node,
    /// The collective was not measured.
    Unseen,
}

/// What is left out to see how far predictions are off: what a prediction of a call at some distance does not have either.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Without {
    /// A size.
    Size,
    /// A number of nodes.
    Nodes,
    /// A number of nodes, and all calls with as many ranks per node.
    Node,
    /// The collective.
    Collective,
}

impl Distance {
    fn without(self) -> Without {
        match self {
            Self::Near => Without::Size,
            Self::Nodes | Self::Beyond => Without::Nodes,
            Self::Node => Without::Node,
            Self::Unseen => Without::Collective,
        }
    }
}

/// The number of a collective, and the ranks of a node.
pub type Group = (usize, u64);

/// A predicted difference of logarithms, and the measured one.
#[derive(Debug, Clone, Copy)]
pub struct Trial {
    /// Of which calls.
    pub group: Group,
    /// What was predicted.
    pub predicted: f64,
    /// The standard deviation that was stated.
    pub deviation: f64,
    /// What was measured.
    pub measured: f64,
}

/// What is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// The time of an algorithm.
    Time,
    /// The time of a library's default, which changes its algorithm from size to size.
    Default,
    /// What the choice saves over the default.
    Saving,
}

/// Trials of what is predicted.
pub type Trials = BTreeMap<(What, Without), Vec<Trial>>;

/// What is subtracted from a prediction, and what its deviation is multiplied with.
#[derive(Debug, Clone, Copy)]
pub struct Correction {
    /// Predicted less measured, on average.
    pub bias: f64,
    /// The 90 % quantile of errors, over that of the deviations.
    pub wider: f64,
}

/// The number of trials that those of other groups count as.
const OTHERS: f64 = 20.0;
/// The number of trials that those of each collective count as, of a collective without any.
const COLLECTIVE: f64 = 10.0;
/// The number of trials that stand for what was known before, without bias.
const BEFORE: f64 = 20.0;
/// Their errors over deviations: a normal distribution that is this much wider.
const WIDER: f64 = 1.5;
/// How much wider where sizes are asked for that are far from the measured ones, or other nodes than the one number of them that was measured.
pub const FAR: f64 = 1.5;

/// The correction for calls of a group from trials of all.
pub fn correction(trials: &Trials, what: What, distance: Distance, group: Group) -> Correction {
    let of = |without: Without| trials.get(&(what, without));
    let without = distance.without();
    let found = match without {
        Without::Node => of(without).or(of(Without::Nodes)),
        _ => of(without),
    };
    // Where there is one number of nodes, what is known of sizes has to do, and says less.
    let (all, more) = match (found, without) {
        (None, Without::Nodes | Without::Node) => (of(Without::Size), FAR),
        _ => (found, 1.0),
    };
    let all = all.map_or(&[][..], |trials| trials);
    let mut counts: BTreeMap<Group, f64> = BTreeMap::new();
    for trial in all {
        *counts.entry(trial.group).or_default() += 1.0;
    }
    let others = all.len() as f64 - counts.get(&group).copied().unwrap_or(0.0);
    let weight = |trial: &Trial| match without {
        // Of a collective without trials each other one says as much.
        Without::Collective => (COLLECTIVE / counts[&trial.group]).min(1.0),
        _ if trial.group == group => 1.0,
        _ => (OTHERS / others).min(1.0),
    };
    let sum = |of: &dyn Fn(&Trial) -> f64| {
        all.iter()
            .map(|trial| weight(trial) * of(trial))
            .sum::<f64>()
    };
    // A collective without trials may differ from all others.
    let unbiased = match without {
        Without::Collective => COLLECTIVE,
        _ => BEFORE / 4.0,
    };
    let bias = if what == What::Saving {
        sum(&|trial| trial.predicted - trial.measured) / (sum(&|_| 1.0) + unbiased)
    } else {
        0.0
    };
    let error = |trial: &Trial| {
        let error = trial.measured - trial.predicted + bias;
        ((error / trial.deviation).abs(), weight(trial))
    };
    let errors: Vec<(f64, f64)> = all.iter().map(error).collect();
    let all_weights = BEFORE + errors.iter().map(|(_, weight)| weight).sum::<f64>();
    let above = |limit: f64| {
        let own = errors.iter().filter(|(error, _)| *error > limit);
        let before = 2.0 * BEFORE * below(-limit / WIDER);
        own.map(|(_, weight)| weight).sum::<f64>() + before
    };
    let (mut low, mut high) = (0.0, 1e3);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if above(middle) > 0.1 * all_weights {
            low = middle;
        } else {
            high = middle;
        }
    }
    Correction {
        bias,
        wider: more * high / NINETY,
    }
}
