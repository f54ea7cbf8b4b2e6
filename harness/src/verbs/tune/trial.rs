//! An algorithm against the default, in turns.

use measure::statistics::{CONFIDENCE, Median};

/// Runs with and without a rule, in turns: of equals one in 32 wins each of them.
pub const TURNS: usize = 5;

/// The times of an algorithm and of the default in each turn.
#[derive(Debug, Default)]
pub struct Trial {
    /// Times without and with the rule, ns.
    pub turns: Vec<[Vec<u64>; 2]>,
}

impl Trial {
    /// The turn, from 1, in which the algorithm was not faster.
    pub fn lost(&self) -> Option<usize> {
        let median = |times: &Vec<u64>| Median::from_times(times.clone()).map(|found| found.median);
        let is_faster = |[without, with]: &[Vec<u64>; 2]| median(with) < median(without);
        self.turns
            .iter()
            .position(|turn| !is_faster(turn))
            .map(|index| index + 1)
    }

    /// The turns to come.
    pub fn left(&self) -> usize {
        match self.lost() {
            Some(_) => 0,
            None => TURNS - self.turns.len(),
        }
    }

    /// The medians without and with the rule, over all turns.
    pub fn medians(&self) -> Option<[Median; 2]> {
        let of = |side: usize| {
            let times = self
                .turns
                .iter()
                .flat_map(|turn| turn[side].iter().copied());
            Median::from_times(times.collect())
        };
        Some([of(0)?, of(1)?])
    }

    /// Whether it was faster in each turn, and its interval lies below that of the default, both with the wanted coverage.
    pub fn is_won(&self) -> bool {
        self.turns.len() == TURNS
            && self.lost().is_none()
            && self.medians().is_some_and(|[without, with]| {
                let is_sure = [without, with]
                    .iter()
                    .all(|median| median.coverage >= CONFIDENCE);
                is_sure && with.high < without.low
            })
    }
}
