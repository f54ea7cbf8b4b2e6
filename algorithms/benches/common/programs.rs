//! Programs by dependencies, of any size.

use castbench_algorithms::internals::engine::Builder;
use castbench_algorithms::internals::engine::schedules;
use castbench_algorithms::internals::engine::{Operation, Program, Until};
use castbench_algorithms::internals::logp::multicast::problem::MULTICASTS;
use castbench_algorithms::internals::logp::multicast::schedule::Schedule;
use castbench_algorithms::logp::LogP;
use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};

/// A kind of program.
pub struct Kind {
    pub name: &'static str,
    program: fn(u32) -> Program,
}

impl Kind {
    /// A program with about 2^`exponent` messages, or half of that.
    pub fn program(&self, exponent: u32) -> Program {
        (self.program)(1 << exponent)
    }
}

/// The kinds of programs.
pub const KINDS: [Kind; 6] = [
    Kind {
        name: "chained sends of a tree",
        program: |K| chained(&schedules::multicast(&tree(K), 1).expect("a tree")),
    },
    Kind {
        name: "free sends of a tree",
        program: |K| free_sends(&tree(K)),
    },
    Kind {
        name: "free sends of one",
        program: |K| free_sends(&star(K)),
    },
    Kind {
        name: "a tree with 4 ports",
        program: |K| ports(K, 4),
    },
    Kind {
        name: "8 messages down a tree",
        program: |K| pipelined(K / 8, 8),
    },
    Kind {
        name: "random",
        program: |K| random(K / 8),
    },
];

fn tree(K: u32) -> Schedule {
    let optimal = MULTICASTS.find("optimal");
    optimal
        .expect("in the catalogue")
        .schedule(LogP::new(6, 2, 4).expect("a valid machine"), K, 1)
}

/// The source sends to all.
fn star(K: u32) -> Schedule {
    Schedule::new(K, 1, &(2..=K).map(|node| (1, node)).collect::<Vec<_>>())
        .expect("all senders are nodes")
}

/// The events of a program: operations begin, messages arrive.
pub fn events(program: &Program) -> u64 {
    program.operations() as u64 + u64::from(program.messages())
}

fn send(to: u32, tag: u32) -> Operation {
    Operation::Send { to, tag, bytes: 1 }
}

fn receive(from: u32, tag: u32) -> Operation {
    Operation::Receive {
        from,
        tag,
        bytes: 1,
    }
}

fn parents(schedule: &Schedule) -> Vec<u32> {
    let mut parents = vec![0; schedule.nodes() as usize];
    for node in 1..=schedule.nodes() {
        for &target in schedule.targets(node) {
            parents[target as usize - 1] = node - 1;
        }
    }
    parents
}

/// A tree whose sends wait for the message, and not for each other.
fn free_sends(schedule: &Schedule) -> Program {
    let mut builder = Builder::new(schedule.nodes()).expect("a valid number");
    for (processor, parent) in (0..schedule.nodes()).zip(parents(schedule)) {
        builder.begin(processor).expect("begun once");
        let first = (processor + 1 != schedule.source())
            .then(|| builder.push(receive(parent, 0)).expect("a valid operation"));
        for &target in schedule.targets(processor + 1) {
            let number = builder
                .push(send(target - 1, 0))
                .expect("a valid operation");
            if let Some(first) = first {
                builder
                    .depend(number, first, Until::Done)
                    .expect("of one processor");
            }
        }
    }
    builder.by_dependencies().expect("a valid program")
}

/// A program with dependencies instead of order, on another nic, so that it runs through the queue.
pub fn chained(program: &Program) -> Program {
    let mut builder = Builder::new(program.processors()).expect("a valid number");
    for processor in 0..program.processors() {
        builder.begin(processor).expect("begun once");
        for operation in program.range(processor) {
            builder
                .push_on(program.operation(operation), (0, 1))
                .expect("a valid operation");
        }
    }
    builder.in_order().expect("a valid program")
}

/// The tree in which every node has `k` children, each on its own port.
fn ports(processors: u32, k: u32) -> Program {
    let mut builder = Builder::new(processors).expect("a valid number");
    for processor in 0..processors {
        builder.begin(processor).expect("begun once");
        let first = (processor > 0).then(|| {
            builder
                .push(receive((processor - 1) / k, 0))
                .expect("a valid operation")
        });
        for child in 0..k {
            let target = u64::from(processor) * u64::from(k) + u64::from(child) + 1;
            let Ok(target) = u32::try_from(target) else {
                continue;
            };
            if target >= processors {
                continue;
            }
            let number = builder
                .push_on(send(target, 0), (child, child))
                .expect("a valid operation");
            if let Some(first) = first {
                builder
                    .depend(number, first, Until::Done)
                    .expect("of one processor");
            }
        }
    }
    builder.by_dependencies().expect("a valid program")
}

/// Several messages down a binary tree: each is forwarded when it has arrived, independent of the others.
fn pipelined(processors: u32, messages: u32) -> Program {
    let mut builder = Builder::new(processors).expect("a valid number");
    for processor in 0..processors {
        builder.begin(processor).expect("begun once");
        for message in 0..messages {
            let first = (processor > 0).then(|| {
                builder
                    .push(receive((processor - 1) / 2, message))
                    .expect("a valid operation")
            });
            for target in [2 * u64::from(processor) + 1, 2 * u64::from(processor) + 2] {
                let Ok(target) = u32::try_from(target) else {
                    continue;
                };
                if target >= processors {
                    continue;
                }
                let number = builder
                    .push(send(target, message))
                    .expect("a valid operation");
                if let Some(first) = first {
                    builder
                        .depend(number, first, Until::Done)
                        .expect("of one processor");
                }
            }
        }
    }
    builder.by_dependencies().expect("a valid program")
}

/// Messages between random processors and computations, four of each per processor; an operation waits for up to two earlier ones of its
/// processor.
fn random(processors: u32) -> Program {
    let mut generator = ChaCha8Rng::seed_from_u64(u64::from(processors));
    let mut below = |bound: u32| generator.next_u32() % bound;
    let mut operations = vec![Vec::new(); processors as usize];
    // Built in an order in which they could be executed one by one, so that there is no deadlock.
    for number in 0..4 * processors {
        let (from, to) = (below(processors), below(processors));
        operations[from as usize].push(send(to, number));
        operations[to as usize].push(receive(from, number));
        operations[to as usize].push(Operation::Compute {
            time: below(16).into(),
        });
    }
    let mut builder = Builder::new(processors).expect("a valid number");
    for (processor, operations) in (0..).zip(&operations) {
        builder.begin(processor).expect("begun once");
        for (count, operation) in (0u32..).zip(operations) {
            let number = builder.push(*operation).expect("a valid operation");
            for _ in 0..below(3) {
                if count > 0 {
                    let earlier = number - 1 - below(count.min(4));
                    builder
                        .depend(number, earlier, Until::Done)
                        .expect("of one processor");
                }
            }
        }
    }
    builder.by_dependencies().expect("a valid program")
}
