//! A tree down which segments go, as a program of the engine.

use super::cut::{Cut, Lanes};
use crate::engine::Fault;
use crate::engine::builder::Builder;
use crate::engine::program::{MAX_OPERATIONS, Operation, Program, Until};
use crate::logp::multicast::schedule::Schedule;

/// Most ports of a node in a program: the engine tells 256 cpus apart, and a node needs one for each port and one for
/// each lane that it takes segments in from.
pub const MAX_PORTS: u64 = 120;

/// What every node does: it takes each segment in and sends it to its children in their order, segment by segment, each
/// lane on ports of its own. Node v is processor v - 1, the number of a segment is its tag.
///
/// A port is a cpu and a nic of the engine, and so is what takes a lane in. The engine lets a nic rest after
/// it took a message in for as long as that was on the wire. A shorter last segment arrives sooner than that after the
/// one before, for it was on the wire behind it; so it is taken in apart.
///
/// # Errors
/// A [`Fault`] for what is no tree, or too large.
pub(super) fn of_tree(schedule: &Schedule, cut: Cut, k: u64) -> Result<Program, Fault> {
    let nodes = schedule.nodes();
    let degree = (1..=nodes).map(|node| schedule.targets(node).len() as u64).max().unwrap_or(0);
    let Lanes { lanes, ports } = Lanes::of(k, degree);
    let lanes = lanes.min(cut.segments);
    let mut parent = vec![0; nodes as usize + 1];
    for node in 1..=nodes {
        schedule.targets(node).iter().for_each(|&child| parent[child as usize] = node);
    }
    let mut builder = Builder::new(nodes)?;
    for node in 1..=nodes {
        builder.begin(node - 1)?;
        let mut held = Vec::new();
        for segment in (0..cut.segments).take_while(|_| node != schedule.source()) {
            let bytes = cut.size(segment);
            let lane = if bytes < cut.words { lanes } else { segment % lanes };
            // Node 0 is none.
            let from = parent[node as usize].checked_sub(1).unwrap_or(nodes);
            let receive = Operation::Receive { from, tag: tag(segment)?, bytes };
            held.push(builder.push_on(receive, unit(lanes * ports + lane)?)?);
        }
        // The last send of each port.
        let mut last = [None; 256];
        for segment in 0..cut.segments {
            for (child, &to) in (0..).zip(schedule.targets(node)) {
                let port = unit(segment % lanes * ports + child % ports)?;
                let to = to.checked_sub(1).unwrap_or(nodes);
                let send = Operation::Send { to, tag: tag(segment)?, bytes: cut.size(segment) };
                let send = builder.push_on(send, port)?;
                let receive = usize::try_from(segment).ok().and_then(|segment| held.get(segment).copied());
                for earlier in receive.into_iter().chain(last[usize::from(port.0)].replace(send)) {
                    builder.depend(send, earlier, Until::Done)?;
                }
            }
        }
    }
    builder.by_dependencies()
}

/// A cpu and its nic.
pub(super) fn unit(number: u64) -> Result<(u8, u8), Fault> {
    let number = u8::try_from(number).map_err(|_| Fault::TooLarge { what: "ports of a node", most: MAX_PORTS })?;
    Ok((number, number))
}

/// The tag of a segment.
pub(super) fn tag(segment: u64) -> Result<u32, Fault> {
    u32::try_from(segment).map_err(|_| Fault::TooLarge { what: "operations", most: MAX_OPERATIONS.into() })
}
