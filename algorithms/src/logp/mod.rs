//! The LogP model, its multicast trees, and the simulator that executes them.
//!
//! Model (Culler et al. 1993), all in one integer time unit:
//!
//! | symbol | meaning |
//! |---|---|
//! | `L` | latency: from the end of the sender's overhead to the message's arrival |
//! | `o` | overhead: how long a send, or a receive, occupies its processor |
//! | `g` | gap: least time between two sends, or two receives, of one processor |
//! | `D = L + 2o` | a hop: a send begun at `t` is held by its receiver at `t + D` |
//! | `g' = max(g, o)` | what really separates two sends of one processor |
//!
//! At most `ceil(L/g')` messages may be in transit from, or to, one processor.

pub mod audit;
pub mod binary;
pub mod chain;
pub mod critical;
pub mod engine;
pub mod fibonacci;
pub mod flat;
pub mod halving;
pub mod halving_floor;
pub mod k_nomial;
mod lattice;
pub mod link_sharing;
pub mod loggops;
pub mod opt_tree;
pub mod optimal;
pub mod pipeline;
pub mod schedule;
pub mod sensitivity;
pub mod simulator;
pub mod summation;

use crate::cost::{Claim, Evaluation, Exact, Limits, Simulated};
use crate::error::Error;
use optimal::Neighbours;
use schedule::Schedule;

/// A machine in the LogP model. Built once by [`LogP::new`], valid ever after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LogP {
    L: u64,
    o: u64,
    g: u64,
    D: u64,
}

impl LogP {
    /// Checks the parameters of a machine.
    ///
    /// # Errors
    /// [`Error::Parameter`] where `L + 2o` is zero (a message that costs nothing has no schedule) or
    /// does not fit in 64 bits.
    ///
    /// ```
    /// # use algorithms::logp::LogP;
    /// let model = LogP::new(6, 2, 4)?;
    /// assert_eq!((model.D(), model.gap()), (10, 4));
    /// assert!(LogP::new(0, 0, 4).is_err());
    /// # Ok::<(), algorithms::error::Error>(())
    /// ```
    pub fn new(L: u64, o: u64, g: u64) -> Result<Self, Error> {
        let D = o.checked_mul(2).and_then(|twice| twice.checked_add(L)).ok_or_else(|| {
            Error::parameter(
                "L + 2o",
                format!("{L} + 2*{o}"),
                "expected a sum that fits in 64 bits; use a coarser time unit",
            )
        })?;
        if D == 0 {
            return Err(Error::parameter(
                "L + 2o",
                0,
                "expected at least 1, for a message that costs nothing has no schedule; give -L or -o a positive value",
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

    /// `g' = max(g, o)`: what separates the starts of two sends of one processor, in time units.
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

    /// `(D, g')` where 256 of them together fit in 64 bits: a tree of halves adds up 130 at most (64 gaps to the last part
    /// given away, and 66 within it), one of Fibonacci parts 186.
    fn narrow(&self) -> Option<(u64, u64)> {
        (self.D.max(self.gap()) <= u64::MAX >> 8).then(|| (self.D, self.gap()))
    }

    /// `(D, g')` with room for sums that pass 64 bits.
    fn wide(&self) -> (u128, u128) {
        (u128::from(self.D), u128::from(self.gap()))
    }
}

/// A multicast of one message from the node at position `source` to all of `1..=K`.
///
/// `K` counts the source and is at least 1; positions are those of the papers, `1..=K`. [`check_instance`] checks both;
/// what an algorithm makes of others is not defined.
pub trait Multicast: Sync {
    /// When the last node holds the message, in time units of the machine. It grows with D and g', and depends on nothing
    /// else of the machine.
    ///
    /// # Errors
    /// [`Error::Overflow`] where that does not fit in 64 bits.
    fn time(&self, model: LogP, K: u64, source: u64) -> Result<u64, Error>;

    /// The same, where much of it may be known from the points before: those of a sweep are neighbours.
    ///
    /// # Errors
    /// Those of [`Multicast::time`].
    fn time_near(&self, model: LogP, K: u64, source: u64, neighbours: &mut Neighbours) -> Result<u64, Error> {
        let _ = neighbours;
        self.time(model, K, source)
    }

    /// Who sends to whom, in which order.
    fn schedule(&self, model: LogP, K: u32, source: u32) -> Schedule;

    /// Whether the [`schedule`](Multicast::schedule) of the same nodes can differ from machine to machine, as that of the optimum does.
    fn adapts(&self) -> bool {
        false
    }

    /// What the algorithm's paper says of its cost, headline first; nothing by default.
    fn published(&self, model: LogP, K: u64) -> Vec<Claim> {
        let _ = (model, K);
        Vec::new()
    }
}

/// Checks the size of a multicast and the position of its source.
///
/// # Errors
/// [`Error::Parameter`] for `K = 0` or a source outside `1..=K`.
pub fn check_instance(K: u64, source: u64) -> Result<(), Error> {
    if K == 0 {
        return Err(Error::parameter(
            "K",
            0,
            "expected at least 1, for K counts the source itself; write 1 for a multicast that sends nothing",
        ));
    }
    if source == 0 || source > K {
        return Err(Error::parameter("source", source, format!("expected a position from 1 to K = {K}")));
    }
    Ok(())
}

/// Whether a tree of this size is executed.
pub(crate) fn is_simulated(K: u64, limits: &Limits) -> bool {
    K <= limits.nodes.min(Limits::MOST_NODES)
}

/// [`evaluate_near`] of a point for itself.
pub(crate) fn evaluate(
    algorithm: &dyn Multicast,
    model: LogP,
    K: u64,
    source: u64,
    limits: &Limits,
) -> Result<Evaluation, Error> {
    evaluate_near(algorithm, model, (K, source), limits, &mut Neighbours::default())
}

/// Evaluates a tree at one point, which may be near the points before: the optimal time, the published figures, the analytic time and, up
/// to `limits.nodes`, the simulated one.
pub(crate) fn evaluate_near(
    algorithm: &dyn Multicast,
    model: LogP,
    (K, source): (u64, u64),
    limits: &Limits,
    neighbours: &mut Neighbours,
) -> Result<Evaluation, Error> {
    check_instance(K, source)?;
    let analytic = Some(Exact::Integer(algorithm.time_near(model, K, source, neighbours)?));
    let simulated = match (u32::try_from(K), u32::try_from(source)) {
        (Ok(K32), Ok(source32)) if is_simulated(K, limits) => {
            let schedule = algorithm.schedule(model, K32, source32);
            Simulated::Exact(execute(model, &schedule)?)
        }
        _ => {
            let most = limits.nodes.min(Limits::MOST_NODES);
            Simulated::Skipped(format!("K = {K} is above the {most} nodes that are simulated"))
        }
    };
    Ok(Evaluation {
        lower_bound: Exact::Integer(neighbours.time(model, K)?),
        published: algorithm.published(model, K),
        analytic,
        simulated,
    })
}

/// Executes a schedule and has the execution audited: the time that both agree on, in time units.
///
/// # Errors
/// The rule that was broken.
pub fn execute(model: LogP, schedule: &Schedule) -> Result<u64, simulator::Violation> {
    let trace = simulator::simulate(model, schedule)?;
    let audited = audit::audit(model, schedule.nodes(), schedule.source(), trace.timed(schedule).collect())?;
    if audited != trace.finish {
        return Err(simulator::Violation::Finish { executed: trace.finish, audited });
    }
    Ok(audited)
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
    }

    #[test]
    fn capacity_uses_the_effective_gap() {
        assert_eq!(LogP::new(6, 2, 4).unwrap().capacity(), Some(2));
        assert_eq!(LogP::new(6, 5, 4).unwrap().capacity(), Some(2));
        assert_eq!(LogP::new(0, 1, 4).unwrap().capacity(), Some(0));
        assert_eq!(LogP::new(6, 0, 0).unwrap().capacity(), None);
    }

    /// At the largest D and g' that are reckoned in 64 bits, and right above them, trees cost what 128 bits say.
    #[test]
    fn sums_of_the_largest_narrow_parameters_fit() {
        let most = u64::MAX >> 8;
        for each in [most, most + 1] {
            let model = LogP::new(each, 0, each).unwrap();
            let unit = LogP::new(1, 0, 1).unwrap();
            let sizes = fibonacci::FIBONACCI[3..].iter().flat_map(|&size| [size - 1, size, size.saturating_add(1)]);
            for K in sizes.chain([u64::MAX, u64::MAX - 1, 1 << 63]) {
                for source in [1, K / 3 + 1, K / 2 + 1, K] {
                    for tree in [&halving::Halving as &dyn Multicast, &fibonacci::Fibonacci] {
                        let hops = u128::from(tree.time(unit, K, source).unwrap());
                        assert_eq!(
                            tree.time(model, K, source).ok().map(u128::from),
                            Some(hops * u128::from(each)).filter(|&time| time <= u64::MAX.into())
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn positions_start_at_one() {
        assert!(check_instance(0, 0).is_err());
        assert!(check_instance(4, 0).is_err());
        assert!(check_instance(4, 5).is_err());
        assert!(check_instance(4, 4).is_ok());
    }
}
