//! Records what the operations of an execution waited for, in the order in which they began.

use std::collections::HashMap;

use super::super::program::{Program, Until};
use super::super::step::{Kind, NONE};
use super::super::{Machine, shared};
use super::{Occupied, Reason, Waiting, Waits};

/// What each operation waited for. `order` lists the operations in the order in which they began, with their messages.
pub(super) fn record(
    program: &Program,
    order: &[(u32, u32)],
    machine: &Machine,
    waits: Waits,
) -> Waits {
    let mut owners = vec![0; program.operations()];
    for processor in 0..program.processors() {
        program
            .range(processor)
            .for_each(|operation| owners[operation as usize] = processor);
    }
    let levels = machine.levels();
    let shared = levels.and_then(|levels| {
        let (ports, _) = shared::ports(program.processors(), (levels, levels.nics()?));
        Some((ports, shared::network(levels)))
    });
    // Ranks of a node can share the nic through which a message of this size passes.
    let port = |processor: u32, size: u32| match &shared {
        Some((ports, network)) if program.level(size) == *network => ports[processor as usize],
        _ => processor as usize,
    };
    let earlier = if program.is_in_order() {
        vec![]
    } else {
        program.dependencies()
    };
    let indices = vec![
        NONE;
        if program.is_in_order() {
            0
        } else {
            program.operations()
        }
    ];
    let posts = vec![
        NONE;
        if program.posts {
            program.operations()
        } else {
            0
        }
    ];
    let mut recorder = Recorder {
        program,
        owners,
        earlier,
        indices,
        posts,
        waits,
    };
    // The last operation so far, by processor and resource.
    let mut cpus: HashMap<(u32, u32), u32> = HashMap::new();
    let mut nics: HashMap<(usize, u32, Kind), u32> = HashMap::new();
    let mut sends = vec![NONE; program.messages() as usize];
    for &(operation, message) in order {
        recorder.post_all(operation);
        let index = recorder.index();
        let (processor, (cpu, nic)) = (
            recorder.owners[operation as usize],
            program.resources(operation),
        );
        let (kind, cost) = program.code(operation);
        let (mut occupied, mut send) = (Occupied::Message(cost), NONE);
        match kind {
            Kind::Compute => occupied = Occupied::Time(program.times[cost as usize]),
            Kind::Send => sends[message as usize] = index,
            Kind::Receive => {
                send = sends[message as usize];
                // The overhead is that of the message, not of the receive's size.
                if let Some(sent) = recorder.waits.operations.get(send as usize) {
                    occupied = sent.occupied;
                }
            }
        }
        let cpu = cpus.insert((processor, cpu), index).unwrap_or(NONE);
        let nic = match occupied {
            Occupied::Message(size) => nics
                .insert((port(processor, size), nic, kind), index)
                .unwrap_or(NONE),
            Occupied::Time(_) | Occupied::Nothing => NONE,
        };
        let dependencies = recorder.depend(operation);
        if let Some(own) = recorder.indices.get_mut(operation as usize) {
            *own = index;
        }
        recorder.waits.operations.push(Waiting {
            operation,
            processor,
            occupied,
            cpu,
            nic,
            send,
            dependencies,
        });
    }
    recorder.waits
}

/// The waits of the operations so far.
struct Recorder<'a> {
    program: &'a Program,
    owners: Vec<u32>,
    /// The dependencies, by the later operation.
    earlier: Vec<(u32, u32, Until)>,
    /// The index of each operation, and of each receive's posting; or [`NONE`].
    indices: Vec<u32>,
    posts: Vec<u32>,
    waits: Waits,
}

impl Recorder<'_> {
    /// The index of the next operation.
    fn index(&self) -> u32 {
        // Two for each operation at most, of which there are fewer than 2^30.
        u32::try_from(self.waits.operations.len()).unwrap_or(NONE)
    }

    /// What an operation depends on.
    fn earlier(&self, operation: u32) -> &[(u32, u32, Until)] {
        let start = self
            .earlier
            .partition_point(|&(later, ..)| later < operation);
        let count = self.earlier[start..].partition_point(|&(later, ..)| later == operation);
        &self.earlier[start..start + count]
    }

    /// Whether this is a wait for a receive that is posted.
    fn is_post(&self, (_, earlier, until): (u32, u32, Until)) -> bool {
        until == Until::Started && self.program.code(earlier).0 == Kind::Receive
    }

    /// Records the dependencies of an operation. Returns their end in the list of all.
    fn depend(&mut self, operation: u32) -> usize {
        let index = |&dependency: &(u32, u32, Until)| {
            let (_, earlier, until) = dependency;
            let reason = if until == Until::Started {
                Reason::Started
            } else {
                Reason::Done
            };
            let indices = if self.is_post(dependency) {
                &self.posts
            } else {
                &self.indices
            };
            (indices[earlier as usize], reason)
        };
        let mut own: Vec<(u32, Reason)> = self.earlier(operation).iter().map(index).collect();
        own.sort_by_key(|&(index, _)| index);
        self.waits.dependencies.extend(own);
        self.waits.dependencies.len()
    }

    /// Records the posting of each receive for which an operation waits, and before it of those for which the receive waits.
    fn post_all(&mut self, operation: u32) {
        if self.posts.is_empty() {
            return;
        }
        let mut stack = vec![(operation, false)];
        while let Some((operation, is_ready)) = stack.pop() {
            if is_ready {
                if self.posts[operation as usize] == NONE {
                    self.post(operation);
                }
                continue;
            }
            let posts = self
                .earlier(operation)
                .iter()
                .filter(|&&dependency| self.is_post(dependency));
            let missing: Vec<u32> = posts
                .map(|post| post.1)
                .filter(|&post| self.posts[post as usize] == NONE)
                .collect();
            for post in missing {
                stack.push((post, true));
                stack.push((post, false));
            }
        }
    }

    fn post(&mut self, receive: u32) {
        self.posts[receive as usize] = self.index();
        let dependencies = self.depend(receive);
        self.waits.operations.push(Waiting {
            operation: receive,
            processor: self.owners[receive as usize],
            occupied: Occupied::Nothing,
            cpu: NONE,
            nic: NONE,
            send: NONE,
            dependencies,
        });
    }
}
