//! Pipelined broadcast as a problem: one algorithm at one point, in all three ways.

use super::cut::Instance;
use super::program::MAX_PORTS;
use super::{Broadcast, bounds, simulator};
use crate::cost::{Evaluation, Exact, Limits, Simulated};
use crate::engine::Machine;
use crate::error::Error;

/// Most deliveries of a broadcast that is executed, whatever the limits: about 140 bytes each.
const MAX_DELIVERIES: u64 = 1 << 22;

/// Why a broadcast is not executed, if it is too large.
fn too_large(instance: Instance, limits: &Limits) -> Option<String> {
    let Instance { K, k, .. } = instance;
    let above = |what: String, most: u64, of: &str| Some(format!("{what} is above the {most} {of} that are simulated"));
    let most = limits.nodes.min(Limits::MAX_NODES);
    if K > most {
        return above(format!("K = {K}"), most, "nodes");
    }
    // A source alone delivers nothing, but holds all segments.
    let (product, receivers) = if K > 1 { ("c*(K-1)", K - 1) } else { ("c", 1) };
    let deliveries = u128::from(instance.cut().segments) * u128::from(receivers);
    let most = limits.hops.min(MAX_DELIVERIES);
    if deliveries > most.into() {
        return above(format!("{product} = {deliveries}"), most, "deliveries");
    }
    if u128::from(k).min(deliveries) > MAX_PORTS.into() {
        return above(format!("k = {k}"), MAX_PORTS, "ports");
    }
    None
}

/// Whether a broadcast of this size is executed.
pub(crate) fn is_simulated(instance: Instance, limits: &Limits) -> bool {
    instance.check().is_ok() && too_large(instance, limits).is_none()
}

/// Evaluates a broadcast at one point: the lower bound, the analytic time and, up to the limits, the simulated one.
pub(crate) fn evaluate(
    algorithm: &dyn Broadcast,
    machine: Machine,
    instance: Instance,
    limits: &Limits,
) -> Result<Evaluation, Error> {
    instance.check()?;
    let analytic = Some(Exact::Integer(algorithm.time(machine, instance)?));
    let simulated = match too_large(instance, limits) {
        Some(reason) => Simulated::Skipped(reason),
        None => Simulated::Exact(simulator::simulate(machine, instance, algorithm.program(machine, instance)?)?),
    };
    Ok(Evaluation {
        lower_bound: Exact::Integer(bounds::least_time(machine, instance)?),
        published: Vec::new(),
        analytic,
        simulated,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Fault;
    use crate::engine::program::{Builder, Operation, Program};
    use crate::logp::LogP;
    use crate::logp::pipeline::trees::Pipelined;

    /// Takes one time unit by its formula; each of its two processors waits for the other's message.
    struct Wrong;

    impl Broadcast for Wrong {
        fn time(&self, _: Machine, _: Instance) -> Result<u64, Error> {
            Ok(1)
        }

        fn program(&self, _: Machine, _: Instance) -> Result<Program, Error> {
            let mut builder = Builder::new(2)?;
            for (processor, other) in [(0, 1), (1, 0)] {
                builder.begin(processor)?;
                builder.push(Operation::Receive { from: other, tag: 0, bytes: 1 })?;
                builder.push(Operation::Send { to: other, tag: 0, bytes: 1 })?;
            }
            Ok(builder.in_order()?)
        }
    }

    fn machine() -> Machine {
        Machine::LogP(LogP::new(6, 2, 4).unwrap())
    }

    #[test]
    fn rejected_programs_are_an_error() {
        let stuck = evaluate(&Wrong, machine(), Instance { K: 2, n: 1, k: 1, m: 1 }, &Limits::default()).unwrap_err();
        assert!(matches!(stuck.violation(), Some(Fault::Deadlock { blocked: 2, .. })), "{stuck:?}");
    }

    /// 300 children on as many ports: the engine tells 256 apart.
    #[test]
    fn ports_that_the_engine_cannot_number_are_refused() {
        let ports = Pipelined::FLAT.program(machine(), Instance { K: 400, n: 1, k: 300, m: 1 }).err();
        assert_eq!(ports, Some(Fault::TooLarge { what: "ports of a node", most: MAX_PORTS }.into()));
    }
}
