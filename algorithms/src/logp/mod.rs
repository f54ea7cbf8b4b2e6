//! Machines in the models LogP and LogGOPS.
//!
//! LogP (Culler et al. 1993), in one integer time unit:
//!
//! | symbol | meaning |
//! |---|---|
//! | `L` | latency: from the end of the sender's overhead to the message's arrival |
//! | `o` | overhead: how long a send, or a receive, occupies its processor |
//! | `g` | gap: least time between two sends, or two receives, of one processor |
//! | `D = L + 2o` | a hop: a send begun at `t` is held by its receiver at `t + D` |
//! | `g' = max(g, o)` | the effective gap: two sends of one processor begin at least `g'` apart |
//!
//! At most `ceil(L/g')` messages can be in transit from, or to, one processor.

pub(crate) mod axes;
mod lattice;
pub(crate) mod levels;
pub(crate) mod loggops;
pub(crate) mod multicast;
pub(crate) mod pipeline;
mod rules;
pub(crate) mod summation;

use crate::error::Error;
use crate::wide::Wide;
pub use levels::{Level, Levels, MAX_PAIRED, Placement, Profile, SizeRange};
pub use loggops::LogGops;

/// A machine in the LogP model, always valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LogP {
    L: u64,
    o: u64,
    g: u64,
    D: u64,
}

impl LogP {
    /// What a message costs at a switch.
    pub(crate) const FREE: Self = Self {
        L: 0,
        o: 0,
        g: 0,
        D: 0,
    };

    /// Checks the parameters of a machine.
    ///
    /// # Errors
    /// [`Error::Parameter`] where `L + 2o` is 0 (a message that costs nothing has no schedule) or does not fit in 64 bits.
    ///
    /// ```
    /// # use castbench_algorithms::logp::LogP;
    /// let model = LogP::new(6, 2, 4)?;
    /// assert_eq!((model.D(), model.gap()), (10, 4));
    /// assert!(LogP::new(0, 0, 4).is_err());
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    pub fn new(L: u64, o: u64, g: u64) -> Result<Self, Error> {
        let D = o
            .checked_mul(2)
            .and_then(|twice| twice.checked_add(L))
            .ok_or_else(|| {
                Error::formula(
                    "L + 2o",
                    "L",
                    format!("{L} + 2*{o}"),
                    "expected a sum that fits in 64 bits; use a coarser time unit",
                )
            })?;
        if D == 0 {
            return Err(Error::formula(
                "L + 2o",
                "L",
                0,
                "expected at least 1: a message that costs nothing has no schedule; choose a positive L or o",
            ));
        }
        Ok(Self { L, o, g, D })
    }

    /// Latency, in time units.
    #[must_use]
    pub fn L(&self) -> u64 {
        self.L
    }

    /// Overhead of a send or a receive, in time units.
    #[must_use]
    pub fn o(&self) -> u64 {
        self.o
    }

    /// Gap between two sends of one processor, as given, in time units.
    #[must_use]
    pub fn g(&self) -> u64 {
        self.g
    }

    /// One hop, `L + 2o`: from the start of a send until its receiver holds the message, in
    /// time units.
    #[must_use]
    pub fn D(&self) -> u64 {
        self.D
    }

    /// `g' = max(g, o)`: the least time between the starts of two sends of one processor, in time units.
    #[must_use]
    pub fn gap(&self) -> u64 {
        self.g.max(self.o)
    }

    /// `ceil(L/g')`, the most messages in transit from or to one processor; `None` where `g' = 0`
    /// sets no limit.
    #[must_use]
    pub fn capacity(&self) -> Option<u64> {
        (self.gap() > 0).then(|| self.L.div_ceil(self.gap()))
    }

    /// `(D, g')` for sums above 64 bits.
    fn wide(&self) -> (Wide, Wide) {
        (Wide::from(self.D), Wide::from(self.gap()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_refuses_what_has_no_meaning() {
        assert!(LogP::new(0, 0, 0).is_err());
        assert!(LogP::new(u64::MAX, 1, 1).is_err());
        assert!(LogP::new(0, u64::MAX / 2 + 1, 1).is_err());
        assert!(LogP::new(1, 0, 0).is_ok());
        for refused in [LogP::new(0, 0, 4), LogP::new(u64::MAX, 1, 1)] {
            assert!(
                matches!(
                    refused,
                    Err(Error::Parameter {
                        symbol: "L + 2o",
                        axis: "L",
                        ..
                    })
                ),
                "{refused:?}"
            );
        }
    }

    #[test]
    fn capacity_uses_the_effective_gap() {
        assert_eq!(LogP::new(6, 2, 4).unwrap().capacity(), Some(2));
        assert_eq!(LogP::new(6, 5, 4).unwrap().capacity(), Some(2));
        assert_eq!(LogP::new(0, 1, 4).unwrap().capacity(), Some(0));
        assert_eq!(LogP::new(6, 0, 0).unwrap().capacity(), None);
    }
}
