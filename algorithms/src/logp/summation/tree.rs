//! Makes a schedule from a summation tree that keeps every processor busy until the end.

use super::schedule::{Operation, Schedule};
use crate::error::{Error, fit};
use crate::logp::LogP;
use crate::logp::multicast::optimal::preorder;

/// A summation tree, its processors numbered in preorder from the root, 0.
///
/// A processor receives first from its child with the largest label, the last one in that order.
pub(super) struct Tree {
    /// The parent of each processor but the root.
    parents: Vec<u32>,
    /// The label of each: the time before the end at which it begins its send.
    labels: Vec<u64>,
}

/// The nodes for which a tree takes room before it is built.
const MOST_ROOM: u32 = 1 << 16;

impl Tree {
    /// A single root.
    pub(super) fn alone() -> Self {
        Self {
            parents: Vec::new(),
            labels: vec![0],
        }
    }

    /// The first `size` nodes in preorder of the broadcast tree of `backwards` that ends at `horizon`, with only the first `at_horizon` of
    /// the nodes at `horizon`.
    pub(super) fn new(
        backwards: LogP,
        size: u32,
        horizon: u64,
        at_horizon: u32,
    ) -> Result<Self, Error> {
        let room = size.min(MOST_ROOM) as usize;
        let mut tree = Self {
            parents: Vec::with_capacity(room),
            labels: Vec::with_capacity(room),
        };
        tree.labels.push(0);
        for (_, (parent, label)) in (1..size).zip(preorder(backwards, horizon.into(), at_horizon)) {
            tree.parents.push(parent);
            tree.labels.push(fit(label)?);
        }
        Ok(tree)
    }

    /// How many operands the tree sums by `time` if all processors are busy until the end: a processor with c children that sends at T has
    /// `T - c*(o+1) + 1` (lemma 1 of Shou and Chen).
    fn operands(&self, model: LogP, time: u64) -> u128 {
        let times: u128 = self
            .labels
            .iter()
            .map(|&label| u128::from(time - label))
            .sum();
        times + 1 - u128::from(model.o()) * self.parents.len() as u128
    }

    /// The schedule on P processors that sums `operands` by `time`, not below the labels.
    ///
    /// If the tree could sum more, by fewer than its processors, each of the last processors in preorder has one operand less. These are
    /// whole subtrees in the order in which their sums are received. So earlier sums come before all others, and messages to one processor
    /// stay g' apart.
    pub(super) fn schedule(&self, model: LogP, P: u32, time: u64, operands: u64) -> Schedule {
        let spared = self.operands(model, time).saturating_sub(operands.into());
        let siblings = Siblings::new(&self.parents);
        // A processor adds before and behind each partial sum, which it receives and combines, and sends one.
        let mut schedule =
            Schedule::with_capacity(P.min(MOST_ROOM) as usize, 5 * self.labels.len());
        let mut program = Vec::with_capacity(16);
        for (p, &label) in (0u32..).zip(&self.labels) {
            let one_less = u64::from((self.labels.len() - p as usize) as u128 <= spared);
            // When the sum of a child has arrived, if it sends as late as possible.
            let arrival = |child: u32| time - self.labels[child as usize] + model.o() + model.L();
            let mut own = 1;
            let mut now = one_less;
            for child in siblings.latest_first(p) {
                add(&mut program, &mut own, arrival(child) - now);
                program.extend([
                    Operation::Receive { from: child },
                    Operation::Combine { from: child },
                ]);
                now = arrival(child) + model.o() + 1;
            }
            add(&mut program, &mut own, time - label - now);
            program.extend(p.checked_sub(1).map(|edge| Operation::Send {
                to: self.parents[edge as usize],
            }));
            schedule.push(own, program.drain(..));
        }
        for _ in schedule.processors()..P {
            schedule.push(0, []);
        }
        schedule
    }
}

/// Adds own operands of a processor for this time.
fn add(program: &mut Vec<Operation>, own: &mut u64, operands: u64) {
    if operands > 0 {
        program.push(Operation::Add { operands });
        *own += operands;
    }
}

/// The children of each node, the last first.
struct Siblings {
    /// The last child of each node, or 0, which is no child.
    last: Vec<u32>,
    /// The sibling before each node, or 0.
    before: Vec<u32>,
}

impl Siblings {
    fn new(parents: &[u32]) -> Self {
        let mut last = vec![0; parents.len() + 1];
        let mut before = last.clone();
        for (child, &parent) in (1u32..).zip(parents) {
            before[child as usize] = std::mem::replace(&mut last[parent as usize], child);
        }
        Self { last, before }
    }

    fn latest_first(&self, parent: u32) -> impl Iterator<Item = u32> + '_ {
        let child = |number: u32| (number > 0).then_some(number);
        std::iter::successors(child(self.last[parent as usize]), move |&sibling| {
            child(self.before[sibling as usize])
        })
    }
}
