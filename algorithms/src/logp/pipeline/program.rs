//! A pipelined tree as scripts and a program of the engine.

use super::cut::{Cut, Lanes};
use crate::engine::Fault;
use crate::engine::builder::Builder;
use crate::engine::program::{MAX_OPERATIONS, Operation, Until};
use crate::error::Error;
use crate::plan::compiled::Compiled;
use crate::plan::{Act, Family, PieceRange, RESULT, Script, Step, Task, narrow};

/// The most ports of a node in a program: the engine has 256 cpus, and a node needs one per port and one per incoming lane.
pub const MAX_PORTS: u64 = 120;

/// What every node does: it receives each segment and sends it to its children in order, segment by segment, each lane on its own
/// ports. The number of a segment is its tag.
///
/// A port is a cpu and a nic of the engine, and so is the receiver of a lane. After a receive the engine keeps a nic busy for the
/// message's gap. A shorter last segment arrives earlier than that after the one before it, so it has its own receiver.
///
/// # Errors
/// [`Error::Parameter`] for more nodes than a program has, and a [`Fault`] where it is too large.
pub(crate) fn from_tree(task: &Task, family: impl Fn(u64) -> Family) -> Result<Compiled, Error> {
    let cut = Cut::of(task);
    let degree = (0..task.K)
        .map(|node| family(node).children.len() as u64)
        .max()
        .unwrap_or(0);
    let Lanes { lanes, ports } = Lanes::new(task.k, degree);
    let lanes = lanes.min(cut.segments);
    let mut writer = Writer::new(task)?;
    for node in 0..task.K {
        writer.begin(node)?;
        let Family {
            parent, children, ..
        } = family(node);
        let mut held = Vec::new();
        if let Some(parent) = parent {
            for segment in 0..cut.segments {
                let bytes = cut.size(segment);
                let lane = if bytes < cut.words {
                    lanes
                } else {
                    segment % lanes
                };
                held.push(writer.receive(parent, (segment, bytes), lanes * ports + lane)?);
            }
        }
        for segment in 0..cut.segments {
            let receive = usize::try_from(segment)
                .ok()
                .and_then(|segment| held.get(segment).copied());
            for (child, &(to, _)) in (0..).zip(&children) {
                let port = segment % lanes * ports + child % ports;
                writer.send(to, (segment, cut.size(segment)), port, receive)?;
            }
        }
    }
    Ok(writer.finish()?)
}

/// Writes what the nodes do, one after the other.
pub(super) struct Writer {
    builder: Builder,
    script: Script,
    /// The words of a whole segment.
    words: u64,
    /// How many words the last message that begins with each segment has, and where they are written.
    known: Vec<(u64, PieceRange)>,
    /// The last send over each port of the current node.
    last: [Option<u32>; 256],
}

impl Writer {
    pub fn new(task: &Task) -> Result<Self, Error> {
        let nodes = u32::try_from(task.K).map_err(|_| {
            let most = u32::MAX;
            let expected = format!("expected at most {most} for a program that is executed");
            Error::parameter("K", task.K, expected)
        })?;
        Ok(Self {
            builder: Builder::new(nodes)?.on(task.machine.levels()),
            script: Script::default(),
            words: Cut::of(task).words,
            known: Vec::new(),
            last: [None; 256],
        })
    }

    pub fn begin(&mut self, node: u64) -> Result<(), Fault> {
        self.last = [None; 256];
        self.builder.begin(narrow(node))
    }

    /// Receives a message, which begins with this segment, on a unit. Returns the operation.
    pub fn receive(
        &mut self,
        from: u64,
        (segment, bytes): (u64, u64),
        on: u64,
    ) -> Result<u32, Fault> {
        let (from, tag) = (
            narrow(from),
            self.push(Act::Receive, from, (segment, bytes))?,
        );
        let operation = Operation::Receive { from, tag, bytes };
        self.builder.push_on(operation, unit(on)?)
    }

    /// Sends a message, which begins with this segment, over a port, after these receives and after what the port sent before.
    pub fn send(
        &mut self,
        to: u64,
        (segment, bytes): (u64, u64),
        port: u64,
        held: impl IntoIterator<Item = u32>,
    ) -> Result<(), Fault> {
        let (port, tag) = (unit(port)?, self.push(Act::Send, to, (segment, bytes))?);
        let to = narrow(to);
        let operation = Operation::Send { to, tag, bytes };
        let send = self.builder.push_on(operation, port)?;
        for earlier in held
            .into_iter()
            .chain(self.last[port.0 as usize].replace(send))
        {
            self.builder.depend(send, earlier, Until::Done)?;
        }
        Ok(())
    }

    /// Adds what a message carries. Returns its tag, the number of its first segment.
    fn push(&mut self, act: Act, peer: u64, (segment, words): (u64, u64)) -> Result<u32, Fault> {
        let tag = u32::try_from(segment).ok();
        let tag = tag.filter(|&tag| tag < MAX_OPERATIONS);
        let tag = tag.ok_or(Fault::TooLarge {
            what: "operations",
            most: MAX_OPERATIONS.into(),
        })?;
        let (index, peer) = (tag as usize, narrow(peer));
        if self.known.len() <= index {
            self.known.resize(index + 1, Default::default());
        }
        // The judge reads all words that are written, so those of a segment are written once.
        let (known, range) = &mut self.known[index];
        if *known == words {
            self.script.steps.push(Step {
                act,
                buffer: RESULT,
                peer,
                round: tag,
                words: *range,
            });
        } else {
            let first = segment * self.words;
            let words_of_message = first..first + words;
            self.script.push(act, RESULT, peer, tag, [words_of_message]);
            let step = self.script.steps.last();
            *range = step.map(|step| step.words).unwrap_or_default();
            *known = words;
        }
        Ok(tag)
    }

    pub fn finish(self) -> Result<Compiled, Fault> {
        Ok(Compiled::stated(
            self.script,
            self.builder.by_dependencies()?,
        ))
    }
}

/// A cpu and its nic.
fn unit(number: u64) -> Result<(u32, u32), Fault> {
    let number = u8::try_from(number).map_err(|_| Fault::TooLarge {
        what: "ports of a node",
        most: MAX_PORTS,
    })?;
    Ok((number.into(), number.into()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::collectives::broadcast::{BROADCAST, Broadcast};
    use crate::collectives::judge::judge;
    use crate::engine::Machine;
    use crate::logp::LogP;

    /// The judge accepts every broadcast with lanes, whose nodes send over k ports at most, and refuses it where a message carries other
    /// segments.
    #[test]
    fn segments_on_lanes_are_judged() {
        let mut mutants = 0;
        let machines = [(6, 2, 4), (1, 0, 3), (3, 5, 2), (0, 1, 1)];
        let machines = machines.map(|(L, o, g)| Machine::Words(LogP::new(L, o, g).unwrap()));
        let sizes = [
            (2, 5, 1, 3),
            (4, 8, 1, 4),
            (4, 8, 2, 4),
            (7, 7, 1, 7),
            (8, 16, 3, 8),
            (5, 9, 2, 4),
        ];
        let points = machines
            .into_iter()
            .flat_map(|machine| sizes.map(|size| (machine, size)));
        for (machine, (K, n, k, m)) in points {
            let task = Task {
                k,
                m,
                ..Task::new(machine, K, n, 0)
            };
            for entry in BROADCAST.entries {
                let Some(broadcast) = entry.algorithm.duplex() else {
                    continue;
                };
                // Halves need two segments.
                let Ok(time) = broadcast.time(&task) else {
                    continue;
                };
                let what = format!("{} at {task:?}", entry.name);
                let mut plan = broadcast.compiled(&task).unwrap();
                let judged = |plan: &Compiled| judge(&Broadcast, &task, true, plan);
                assert_eq!(judged(&plan), Ok(time), "{what}");
                let mut sends = Vec::new();
                for node in 0..plan.program.processors() {
                    let own = plan.program.range(node);
                    let own = own.filter(|&it| plan.step(it).act == Act::Send);
                    let own: Vec<_> = own.map(|send| (node, send)).collect();
                    let ports = own.iter().map(|&(_, send)| plan.program.resources(send));
                    assert!(ports.collect::<BTreeSet<_>>().len() as u64 <= k, "{what}");
                    sends.extend(own);
                }
                for (node, send) in sends {
                    let own = *plan.step(send);
                    let receive = plan.program.range(own.peer).find(|&it| {
                        let step = plan.step(it);
                        step.act == Act::Receive && (step.peer, step.round) == (node, own.round)
                    });
                    let ends = [send, receive.unwrap()].map(|it| it as usize);
                    for other in 0..plan.script.steps.len() {
                        let words = plan.script.steps[other].words;
                        let [(first, end), (from, to)] =
                            [&plan.script.steps[other], &own].map(|it| plan.script.pieces(it)[0]);
                        // More words than these can be held, too.
                        if first <= from && to <= end {
                            continue;
                        }
                        for end in ends {
                            plan.script.steps[end].words = words;
                        }
                        let rejected = matches!(judged(&plan), Err(Error::Rejected(_)));
                        assert!(rejected, "{what}: {own:?} as {other}");
                        mutants += 1;
                    }
                    for end in ends {
                        plan.script.steps[end].words = own.words;
                    }
                }
            }
        }
        assert!(mutants > 10_000, "{mutants}");
    }
}
