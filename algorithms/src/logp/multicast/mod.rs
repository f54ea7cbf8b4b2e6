//! One message from one node to all of K under LogP: the trees, and the simulator that executes them.

pub mod audit;
pub mod binary;
pub mod chain;
pub mod critical;
pub mod fibonacci;
pub mod flat;
pub mod halving;
pub mod halving_floor;
pub mod k_nomial;
pub mod link_sharing;
pub mod opt_tree;
pub mod optimal;
pub mod schedule;
pub mod sensitivity;
pub mod simulator;

use super::LogP;
use crate::cost::{Evaluation, Exact, Limits, Published, Simulated};
use crate::error::Error;
use optimal::Neighbours;
use schedule::Schedule;

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
    fn published(&self, model: LogP, K: u64) -> Vec<Published> {
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
    K <= limits.nodes.min(Limits::MAX_NODES)
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
            let most = limits.nodes.min(Limits::MAX_NODES);
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
