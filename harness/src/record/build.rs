//! From a cell and what became of it to its row.

use std::borrow::Cow;

use algorithms::catalogue::Entry;
use algorithms::cost::{Evaluation, Exact, Simulated};
use algorithms::logp::pipeline::Instance;
use algorithms::mesh::Sampling;

use super::{GossipRow, KPortRow, LogpRow, MeshRow, PipelinedRow, Row, Status, SummationRow, WormholeRow};
use crate::grid::{Cell, WormholeCell};
use crate::machine::Machine;

/// The row of a cell; without an evaluation its costs stay empty.
pub(super) fn row(
    entry: &Entry,
    cell: &Cell<'_>,
    status: Status,
    evaluation: Option<&Evaluation>,
    note: Option<String>,
) -> Row {
    let outcome = Outcome::new(entry, status, evaluation, note);
    match *cell {
        Cell::Logp { machine, parameters, K, source } => Row::Logp(outcome.logp(machine, parameters, (K, source))),
        Cell::Summation { parameters, P, operands } => Row::Summation(outcome.summation(parameters, P, operands)),
        Cell::Mesh { sides, K, sampling } => Row::Mesh(outcome.mesh(sides, K, sampling, evaluation)),
        Cell::Gossip { n } => Row::Gossip(outcome.gossip(n)),
        Cell::KPort { n, k, m } => Row::KPort(outcome.k_port(n, k, m)),
        Cell::Pipelined { machine, parameters, instance } => {
            Row::Pipelined(outcome.pipelined(machine, parameters, instance))
        }
        Cell::Wormhole(cell) => Row::Wormhole(outcome.wormhole(&cell, evaluation)),
    }
}

/// What the rows of all problems say of how it ended, costs as whole numbers.
struct Outcome {
    algorithm: Cow<'static, str>,
    status: Status,
    lower_bound: Option<u64>,
    published: Option<u128>,
    relation: Option<Cow<'static, str>>,
    holds: Option<bool>,
    analytic: Option<u64>,
    simulated: Option<u64>,
    note: Option<String>,
}

impl Outcome {
    fn new(entry: &Entry, status: Status, evaluation: Option<&Evaluation>, note: Option<String>) -> Self {
        let integer = |exact: &Exact| match exact {
            Exact::Integer(value) => Some(*value),
            Exact::Rational(_) => None,
        };
        let analytic = evaluation.and_then(|evaluation| integer(evaluation.analytic.as_ref()?));
        let claim = evaluation.and_then(Evaluation::headline);
        Self {
            algorithm: entry.name.into(),
            status,
            lower_bound: evaluation.and_then(|evaluation| integer(&evaluation.lower_bound)),
            published: claim.map(|claim| claim.value),
            relation: claim.map(|claim| claim.relation.symbol().into()),
            holds: claim.zip(analytic).map(|(claim, cost)| claim.relation.holds(cost, claim.value)),
            analytic,
            simulated: match evaluation.map(|evaluation| &evaluation.simulated) {
                Some(Simulated::Exact(cost)) => Some(*cost),
                _ => None,
            },
            note,
        }
    }

    fn logp(self, machine: Option<(&Machine, u64)>, parameters: (u64, u64, u64), (K, source): (u64, u64)) -> LogpRow {
        let parameters = match machine {
            None => Some(parameters),
            Some((machine, bytes)) => {
                machine.parameters().at(bytes).ok().map(|model| (model.L(), model.o(), model.g()))
            }
        };
        LogpRow {
            algorithm: self.algorithm,
            machine: machine.map(|(machine, _)| machine.name.clone()),
            machine_basis: machine.map(|(machine, _)| machine.basis),
            message_bytes: machine.map(|(_, bytes)| bytes),
            time_unit: if machine.is_some() { "ns" } else { "unit" }.into(),
            L_time: parameters.map(|parameters| parameters.0),
            o_time: parameters.map(|parameters| parameters.1),
            g_time: parameters.map(|parameters| parameters.2),
            K_nodes: K,
            source_position: source,
            status: self.status,
            lower_bound_time: self.lower_bound,
            published_time: self.published,
            published_relation: self.relation,
            published_holds: self.holds,
            analytic_time: self.analytic,
            simulated_time: self.simulated,
            note: self.note,
        }
    }

    fn summation(self, (L, o, g): (u64, u64, u64), P: u64, operands: u64) -> SummationRow {
        SummationRow {
            algorithm: self.algorithm,
            L_time: L,
            o_time: o,
            g_time: g,
            P_processors: P,
            N_operands: operands,
            status: self.status,
            lower_bound_time: self.lower_bound,
            published_time: self.published,
            published_relation: self.relation,
            published_holds: self.holds,
            analytic_time: self.analytic,
            simulated_time: self.simulated,
            note: self.note,
        }
    }

    fn mesh(self, (w, h): (u64, u64), K: u64, sampling: Sampling, evaluation: Option<&Evaluation>) -> MeshRow {
        let point = MeshRow {
            algorithm: self.algorithm,
            mesh_width_nodes: w,
            mesh_height_nodes: h,
            K_destinations: K,
            trials: sampling.trials,
            seed: sampling.seed,
            status: self.status,
            note: self.note,
            ..MeshRow::default()
        };
        match evaluation {
            Some(evaluation) => point.with(evaluation),
            None => point,
        }
    }

    fn wormhole(self, cell: &WormholeCell, evaluation: Option<&Evaluation>) -> WormholeRow {
        let (startup_time, hop_time, flit_time, message_flits) = cell.timing;
        let point = WormholeRow {
            algorithm: self.algorithm,
            mesh_width_nodes: cell.sides.0,
            mesh_height_nodes: cell.sides.1,
            K_destinations: cell.K,
            k_ports: cell.k,
            m_messages: cell.m,
            startup_time,
            hop_time,
            flit_time,
            message_flits,
            draws: cell.sampling.trials,
            draw_seed: cell.sampling.seed,
            status: self.status,
            note: self.note,
            ..WormholeRow::default()
        };
        match evaluation {
            Some(evaluation) => point.with(evaluation),
            None => point,
        }
    }

    fn gossip(self, n: u64) -> GossipRow {
        GossipRow {
            algorithm: self.algorithm,
            n_side_nodes: n,
            status: self.status,
            lower_bound_steps: self.lower_bound,
            published_steps: self.published,
            published_relation: self.relation,
            published_holds: self.holds,
            analytic_steps: self.analytic,
            simulated_steps: self.simulated,
            note: self.note,
        }
    }

    fn k_port(self, n: u64, k: u64, m: u64) -> KPortRow {
        KPortRow {
            algorithm: self.algorithm,
            n_nodes: n,
            k_ports: k,
            m_messages: m,
            status: self.status,
            lower_bound_rounds: self.lower_bound,
            published_rounds: self.published,
            published_relation: self.relation,
            published_holds: self.holds,
            analytic_rounds: self.analytic,
            simulated_rounds: self.simulated,
            note: self.note,
        }
    }

    fn pipelined(
        self,
        machine: Option<&Machine>,
        (L, o, g): (u64, u64, u64),
        Instance { K, n, k, m }: Instance,
    ) -> PipelinedRow {
        let without = |value: u64| machine.is_none().then_some(value);
        PipelinedRow {
            algorithm: self.algorithm,
            machine: machine.map(|machine| machine.name.clone()),
            machine_basis: machine.map(|machine| machine.basis),
            message_bytes: machine.map(|_| n),
            time_unit: if machine.is_some() { "ns" } else { "unit" }.into(),
            L_time: without(L),
            o_time: without(o),
            g_time: without(g),
            K_nodes: K,
            n_words: without(n),
            k_ports: k,
            m_segments: m,
            status: self.status,
            lower_bound_time: self.lower_bound,
            published_time: self.published,
            published_relation: self.relation,
            published_holds: self.holds,
            analytic_time: self.analytic,
            simulated_time: self.simulated,
            note: self.note,
        }
    }
}
