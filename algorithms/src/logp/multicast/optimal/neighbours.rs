//! The optimal times of many K on one machine, as along an axis of a sweep.
//!
//! N(t) grows exponentially, so neighbouring K mostly have the same time, which is kept for the next answer.

use num_integer::Integer;

use super::least::{self, searched_time};
use crate::error::Error;
use crate::log2::ceil_log2;
use crate::logp::LogP;
use crate::logp::lattice::reached;

/// The most entries of a table of N(t), about 1 ns each.
const TABLE: u128 = 512;

/// The least time in which any multicast reaches K nodes: the lower bound of the problem.
///
/// # Errors
/// [`Error::Overflow`] where it does not fit in 64 bits.
///
/// ```
/// use castbench_algorithms::internals::logp::multicast::optimal;
/// use castbench_algorithms::logp::LogP;
/// assert_eq!(optimal::time(LogP::new(6, 2, 4)?, 1_000_000_000_000_000_000)?, 396);
/// # Ok::<(), castbench_algorithms::error::Error>(())
/// ```
pub fn time(model: LogP, K: u64) -> Result<u64, Error> {
    Neighbours::default().time(model, K)
}

/// Answers as [`time`], faster for the same machine and a neighbouring K.
///
/// Cost: as [`time`] for the first K of a machine; then a few ns for times in the table of N(t), of at most 512 entries,
/// and while the previous answer covers the next K.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    machine: Option<Machine>,
}

/// A machine and its known values.
#[derive(Debug, Clone)]
struct Machine {
    model: LogP,
    /// The common divisor of D and g', and both divided by it.
    unit: u64,
    D: u64,
    gap: u64,
    /// N(0), N(1), ..., as far as needed.
    table: Vec<u64>,
    /// The last K beyond the table, the largest K known to have the same time, and the time.
    last: Option<(u64, u64, u64)>,
}

impl Neighbours {
    /// The least time in which any multicast reaches K nodes.
    ///
    /// # Errors
    /// [`Error::Overflow`] where it does not fit in 64 bits.
    pub fn time(&mut self, model: LogP, K: u64) -> Result<u64, Error> {
        if K == 1 || model.gap() == 0 {
            return Ok(if K == 1 { 0 } else { model.D() });
        }
        let machine = match &mut self.machine {
            Some(machine) if machine.model == model => machine,
            other => other.insert(Machine::new(model)),
        };
        let time = machine.tabulated(K).or_else(|| machine.searched(K));
        time.and_then(|time| time.checked_mul(machine.unit))
            .ok_or(Error::Overflow)
    }

    /// How many of `size >= 2` nodes the source of an optimal tree gives away first: see [`opt_tree`](super::super::opt_tree).
    ///
    /// # Errors
    /// [`Error::Overflow`] where the time of `size` nodes does not fit in 64 bits.
    pub(crate) fn given_away(&mut self, model: LogP, size: u64) -> Result<u64, Error> {
        // A second node takes a hop.
        let left = self.time(model, size)? - model.D();
        let machine = self
            .machine
            .as_ref()
            .filter(|machine| machine.model == model);
        let tabulated = machine.and_then(|machine| {
            machine
                .table
                .get(usize::try_from(left / machine.unit).ok()?)
                .copied()
        });
        Ok(tabulated
            .unwrap_or_else(|| least::reached_by(model, left, size - 1))
            .min(size - 1))
    }
}

impl Machine {
    fn new(model: LogP) -> Self {
        // Every node holds the message at some aD + bg', so the common divisor can be the unit of time.
        let unit = model.D().gcd(&model.gap());
        let (D, gap) = (model.D() / unit, model.gap() / unit);
        Self {
            model,
            unit,
            D,
            gap,
            table: Vec::with_capacity(64),
            last: None,
        }
    }

    fn tabulated(&mut self, K: u64) -> Option<u64> {
        let (D, gap) = (
            usize::try_from(self.D).ok()?,
            usize::try_from(self.gap).ok()?,
        );
        if u128::from(self.D.max(self.gap)) * u128::from(ceil_log2(K)) >= TABLE {
            return None;
        }
        while self.table.last().is_none_or(|&nodes| nodes < K) {
            // The root's first child leads a subtree with `t - D` left; the rest is the tree of a root that begins g' later.
            let before = |time: usize| Some(self.table[self.table.len().checked_sub(time)?]);
            self.table.push(
                before(gap)
                    .unwrap_or(1)
                    .saturating_add(before(D).unwrap_or(0)),
            );
        }
        Some(self.table.partition_point(|&nodes| nodes < K) as u64)
    }

    fn searched(&mut self, K: u64) -> Option<u64> {
        if let Some((from, to, time)) = self.last.filter(|&(from, ..)| from <= K) {
            // Computing how far the answer holds takes time, which only pays for neighbours.
            let to = if K > to && K - from <= from / 8 {
                reached(self.D, self.gap, time, u64::MAX)
            } else {
                to
            };
            self.last = Some((from, to, time));
            if K <= to {
                return Some(time);
            }
        }
        let time = searched_time(self.D, self.gap, K)?;
        self.last = Some((K, K, time));
        Some(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In any order, on machines of both kinds, the answers equal those of single calls.
    #[test]
    fn neighbours_are_told_what_each_would_be() {
        let machines = [
            (6, 2, 4),
            (1, 0, 1),
            (97, 1, 3),
            (1_000_003, 17, 65_537),
            (5, 0, 0),
            (3, 0, 1_000_000_007),
        ];
        let mut shared = Neighbours::default();
        for (L, o, g) in machines {
            let model = LogP::new(L, o, g).unwrap();
            let dense = (1..3000).chain([2999, 5, 6, 1 << 20]);
            let geometric = (0..63)
                .map(|power| 1u64 << power)
                .chain((40..60).rev().map(|power| 3 << power));
            for K in dense.chain(geometric).chain((u64::MAX - 50)..u64::MAX) {
                assert_eq!(shared.time(model, K), time(model, K), "{model:?} K={K}");
            }
        }
        let [a, b] =
            [(6, 2, 4), (1_000_003, 17, 65_537)].map(|(L, o, g)| LogP::new(L, o, g).unwrap());
        for K in 2..200 {
            for model in [a, b] {
                assert_eq!(shared.time(model, K), time(model, K), "{model:?} K={K}");
            }
        }
    }

    #[test]
    fn table_and_search_agree() {
        for (D, gap) in (1..=20).flat_map(|D| (1..=20).map(move |gap| (D, gap))) {
            let mut machine = Machine::new(LogP::new(D, 0, gap).unwrap());
            for K in (2..200).chain([1 << 20, (1 << 20) + 1, 999_999_999_999]) {
                if let Some(time) = machine.tabulated(K) {
                    assert_eq!(
                        searched_time(machine.D, machine.gap, K),
                        Some(time),
                        "D={D} g'={gap} K={K}"
                    );
                }
            }
        }
    }
}
