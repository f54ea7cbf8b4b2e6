//! Multicast under LogP as a problem: axes, algorithms, and one tree at one point.

use std::fmt;

use super::optimal::neighbours::Neighbours;
use super::schedule::Schedule;
use super::simulator::execute;
use super::{
    Multicast, binary, chain, check_instance, fibonacci, flat, halving, halving_floor, k_nomial,
    opt_tree, optimal,
};
use crate::cost::{By, Exact, Limits, Published, Simulated};
use crate::engine::schedules;
use crate::error::Error;
use crate::execution::{self, Emit, Hints, Stage, View, Which};
use crate::logp::{LogP, axes};
use crate::papers;
use crate::problem::{
    At, Axis, Carrier, Case, Kind, Listing, Memo, Problem, Run, Setting, Value, coordinates,
    listed, needed,
};
use crate::text::{grouped, plural};

/// Where a message starts, and on which machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogpMulticastPoint {
    /// The machine for a message of this size.
    pub model: LogP,
    /// Nodes, the source included; at least 1.
    pub K: u64,
    /// Position of the source, `1..=K`.
    pub source: u64,
}

const SOURCE: Axis = Axis::new(
    "source",
    &["source_position"],
    Kind::Count,
    "position of the source",
    "position of the source, from 1 to K",
)
.or(1);

const OPT_TREE_PAPER: &str =
    "Park, Choi, Nupairoj, Ni 1996, Construction of optimal multicast trees";

/// One message from one node to all of K under LogP.
pub const LOGP_MULTICAST: Problem = Problem {
    first: 1,
    limits: &[[
        "multicast trees",
        "K = 2^64 - 1, any L, o, g",
        "the cost does not fit in 64 bits",
    ]],
    ..Problem::new(
        ["logp-multicast", "Multicast under LogP"],
        &[
            axes::MACHINE,
            axes::BYTES,
            axes::L,
            axes::O,
            axes::G,
            axes::NODES,
            SOURCE,
        ],
        &[&[("L", 6), ("o", 2), ("g", 4), ("K", 18)]],
        &MULTICASTS,
    )
};

/// The multicasts.
pub static MULTICASTS: Listing<dyn Multicast, LogpMulticastPoint> = Listing {
    point,
    entries: listed! {
        "halving" => halving::Halving, (papers::FIBONACCI, "section 3, equation (2)"):
            "the source hands half of the nodes to a relay";
        "fibonacci" => fibonacci::Fibonacci, (papers::FIBONACCI, "algorithm 1, equations (3), (9), (11)"):
            "the source keeps the larger part of a Fibonacci split";
        "optimal" => optimal::Optimal, (papers::LOGP, "algorithm 1, theorems 2 to 4"):
            "every node that holds the message sends it on";
        "flat" => flat::Flat, (papers::FOLKLORE, "Open MPI: basic linear"): "the source sends to all";
        "chain" => chain::CHAIN, (papers::FOLKLORE, "Open MPI: chain"): "every node passes it to the next";
        "opt-tree" => opt_tree::OptTree, (OPT_TREE_PAPER, "logp::multicast::opt_tree"):
            "the split that is optimal for every size, in intervals";
        "halving-floor" => halving_floor::HalvingFloor, (papers::FOLKLORE, "logp::multicast::halving_floor"):
            "halving, the smaller half to the relay";
        "binary" => binary::BINARY, (papers::FOLKLORE, "Open MPI: binary"): "a complete binary tree";
        "binomial" => k_nomial::BINOMIAL, (papers::BINOMIAL, "MPICH: binomial"): "every round doubles the holders";
        "k-nomial-4" => k_nomial::RADIX_4, (papers::FOLKLORE, "Open MPI: knomial, its default radix"):
            "every round of three sends multiplies the holders by four";
        "k-nomial-8" => k_nomial::RADIX_8, (papers::FOLKLORE, "Open MPI: knomial, radix 8"):
            "every round of seven sends multiplies the holders by eight";
    },
};

fn point(setting: &Setting, values: &[Value]) -> Result<LogpMulticastPoint, Error> {
    let [machine, bytes, L, o, g, K, source] = coordinates(values)?;
    let model = match machine {
        Some(machine) => setting.model(machine, needed("bytes", bytes)?)?,
        None => LogP::new(needed("L", L)?, needed("o", o)?, needed("g", g)?)?,
    };
    let (K, source) = (needed("K", K)?, source.unwrap_or(1));
    check_instance(K, source)?;
    Ok(LogpMulticastPoint { model, K, source })
}

impl Case for At<dyn Multicast, LogpMulticastPoint> {
    fn is_free(&self) -> bool {
        self.point.model.gap() == 0
    }

    fn model(&self) -> Option<LogP> {
        Some(self.point.model)
    }

    fn describe(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let LogpMulticastPoint { model, K, source } = self.point;
        writeln!(
            out,
            "{} (the source counts), source at position {source}",
            plural(K, "node")
        )?;
        let [L, o, g, D, gap] =
            [model.L(), model.o(), model.g(), model.D(), model.gap()].map(grouped);
        writeln!(
            out,
            "L = {L}, o = {o}, g = {g}: a hop D = L+2o = {D}, sends g' = max(g, o) = {gap} apart"
        )
    }

    fn analytic(&self, memo: &mut Memo) -> Result<Option<(Exact, By)>, Error> {
        let LogpMulticastPoint { model, K, source } = self.point;
        let time = self.algorithm.time_near(model, K, source, memo.of())?;
        Ok(Some((Exact::Integer(time), By::Formula)))
    }

    fn lower_bound(&self, memo: &mut Memo) -> Result<Exact, Error> {
        let neighbours: &mut Neighbours = memo.of();
        neighbours
            .time(self.point.model, self.point.K)
            .map(Exact::Integer)
    }

    fn published(&self) -> Vec<Published> {
        self.algorithm.published(self.point.model, self.point.K)
    }

    fn too_large(&self, limits: &Limits) -> Option<String> {
        let (K, most) = (self.point.K, limits.nodes.min(Limits::MAX_NODES));
        (K > most).then(|| format!("K = {K} is above the {most} nodes that are simulated"))
    }

    /// The sends are sorted.
    fn work(&self) -> u64 {
        let K = self.point.K;
        K.saturating_mul(K.max(2).ilog2().into())
    }

    fn simulate(&self) -> Result<Simulated, Error> {
        Ok(Simulated::Exact(execute(
            self.point.model,
            &self.schedule()?,
        )?))
    }

    fn program(&self, carrier: Carrier) -> Option<Result<Run, Error>> {
        Some(self.carried(carrier))
    }

    fn execute(&self, _: &Which, emit: Emit<'_>) -> Result<Stage, Error> {
        let LogpMulticastPoint { model, K, source } = self.point;
        let (machine, program) = self.carried(Carrier::PLAIN)?;
        let finish = execution::of_program(machine, &program, &|_, event| event, emit)?;
        let stage = Stage {
            source: u32::try_from(source - 1).ok(),
            ..Stage::new(program.processors())
        };
        let [L, o, g, D, gap, finish] = [
            model.L(),
            model.o(),
            model.g(),
            model.D(),
            model.gap(),
            finish,
        ]
        .map(grouped);
        let machine =
            format!("L = {L}, o = {o}, g = {g}; a hop takes D = {D}, sends are g' = {gap} apart");
        let title = format!("{} from node {source}", plural(K, "node"));
        let subtitle = format!("{machine}; the last node holds the message at {finish}");
        let note = ", the T of Shou and Chen, whose processor p is node p + 1".to_owned();
        Ok(stage.drawn(Hints {
            note,
            ..Hints::new(View::Tree, title, subtitle)
        }))
    }

    fn defined(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl At<dyn Multicast, LogpMulticastPoint> {
    /// The tree as a program.
    fn carried(&self, carrier: Carrier) -> Result<Run, Error> {
        Ok((
            carrier.machine(self.point.model),
            schedules::multicast(&self.schedule()?, carrier.bytes)?,
        ))
    }

    fn schedule(&self) -> Result<Schedule, Error> {
        let LogpMulticastPoint { model, K, source } = self.point;
        // `too_large` has refused what needs more than 32 bits.
        let [K, source] =
            [K, source].map(|count| u32::try_from(count).map_err(|_| Error::Overflow));
        Ok(self.algorithm.schedule(model, K?, source?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logp::multicast::schedule::Schedule;
    use crate::violation::Rule;

    /// Takes one time unit by its formula; its schedule sends nothing.
    struct Wrong;

    impl Multicast for Wrong {
        fn time(&self, _: LogP, _: u64, _: u64) -> Result<u64, Error> {
            Ok(1)
        }

        fn schedule(&self, _: LogP, K: u32, source: u32) -> Schedule {
            Schedule::from_sends(K, source, &[])
        }
    }

    #[test]
    fn a_rejected_schedule_is_an_error() {
        let unreached =
            Rule::Missing.broken("2 of 3 nodes never get the message, node 2 among them");
        let point = LogpMulticastPoint {
            model: LogP::new(6, 2, 4).unwrap(),
            K: 3,
            source: 1,
        };
        let wrong: At<dyn Multicast, _> = At {
            algorithm: &Wrong,
            point,
        };
        assert_eq!(wrong.costs(&Limits::default()), Err(unreached.into()));
    }
}
