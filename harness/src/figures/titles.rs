//! What axes and costs are called in figures.

use algorithms::catalogue::{Axis, Problem};

/// What costs of this problem are counted in.
pub(super) fn unit(problem: Problem) -> &'static str {
    match problem {
        Problem::LogpMulticast | Problem::LogpSummation | Problem::PipelinedBroadcast | Problem::WormholeMulticast => {
            "time units"
        }
        Problem::MeshMulticast => "links",
        Problem::MeshGossip => "steps",
        Problem::KPortBroadcast => "rounds",
    }
}

/// What an axis shows, with its unit.
pub(super) fn axis_title(problem: Problem, axis: Axis) -> &'static str {
    match (axis, problem) {
        (Axis::L, _) => "latency L, in time units",
        (Axis::O, _) => "overhead o, in time units",
        (Axis::G, _) => "gap g, in time units",
        (Axis::K, Problem::MeshMulticast | Problem::WormholeMulticast) => "destinations K, without the source",
        (Axis::K, _) => "nodes K, the source included",
        (Axis::N, Problem::KPortBroadcast) => "nodes n, the source included",
        (Axis::N, Problem::PipelinedBroadcast) => "words n",
        (Axis::N, _) => "side n of the mesh",
        (Axis::Ports, _) => "ports k",
        (Axis::M, Problem::PipelinedBroadcast) => "segments m",
        (Axis::M, Problem::WormholeMulticast) => "multicasts m at once",
        (Axis::M, _) => "messages m",
        (Axis::P, _) => "processors P",
        (Axis::Operands, _) => "operands N",
        (Axis::Startup, _) => "startup t_s, in time units",
        (Axis::Hop, _) => "hop t_h, in time units",
        (Axis::Flit, _) => "flit t_f, in time units",
        (Axis::Flits, _) => "flits of a message",
    }
}
