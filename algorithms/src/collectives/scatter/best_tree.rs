//! The best tree for a scatter, and for a gather.
//!
//! The root of a tree of S ranks sends s blocks to its first child and then is the root of a tree of S-s ranks. Among all
//! trees and all orders of children the least time is, with `D(s) = D(sn)` and `G(s) = max(g(sn), o(sn))`,
//!
//! `P(1) = 0`, `P(S) = min over s < S of max(D(s) + P(s), G(s) + P(S-s))`:
//!
//! without the second term for S-s = 1. What follows the first send depends on it through its gap alone. Of equal ones the
//! least s is taken. The table takes `O(K^2)` and serves all smaller K. Each thread keeps its last table.

use std::cell::RefCell;

use crate::engine::Machine;
use crate::error::{Error, fit, refuse_if};
use crate::plan::{Hop, Task};
use crate::wide::Wide;

/// Most ranks of a tree; their table takes some milliseconds.
pub(in crate::collectives) const MOST: u64 = 4096;

/// The best trees up to some number of ranks.
#[derive(Debug, Default)]
struct Table {
    /// The machine, the words of a block, and the size of a word.
    of: Option<(Machine, u64, u64)>,
    /// For each number of ranks from 1 on.
    trees: Vec<Tree>,
}

/// The best tree of some number of ranks.
#[derive(Debug, Clone, Copy)]
struct Tree {
    /// How many ranks are in the subtree of the first child.
    first: u64,
    /// How long a scatter takes.
    scatter: u64,
    /// A message with the blocks of all ranks: when the subtree that it is sent to ends, and when the next one begins.
    message: [u64; 2],
    /// When the root has gathered all blocks, and when it began its last receive.
    gathered: u64,
    began: Option<u64>,
    hop: Hop,
}

thread_local! {
    static LAST: RefCell<Table> = RefCell::default();
}

impl Table {
    #[expect(clippy::cast_possible_truncation, reason = "at most MOST")]
    fn tree(&self, ranks: u64) -> Tree {
        self.trees[ranks as usize - 1]
    }

    fn extend(&mut self, task: &Task) -> Result<(), Error> {
        let of = Some((task.machine, task.n, task.element));
        if self.of != of {
            *self = Self {
                of,
                trees: Vec::new(),
            };
        }
        for ranks in self.trees.len() as u64 + 1..=task.K {
            let (first, scatter) = self.best(ranks);
            let (gathered, began) = self.gathered(ranks, first)?;
            let hop = task.hop(task.n.checked_mul(ranks).ok_or(Error::Overflow)?)?;
            let message = [fit(hop.D() + Wide::from(scatter))?, fit(hop.gap())?];
            self.trees.push(Tree {
                first,
                scatter,
                message,
                gathered,
                began,
                hop,
            });
        }
        Ok(())
    }

    /// The ranks of the best first subtree, and the time.
    fn best(&self, ranks: u64) -> (u64, u64) {
        let mut best = (0, if ranks == 1 { 0 } else { u64::MAX });
        for (first, tree) in (1..ranks).zip(&self.trees) {
            let [ends, next] = tree.message;
            // No larger subtree ends earlier.
            if ends >= best.1 {
                break;
            }
            let others = ranks - first;
            let time = if others == 1 {
                ends
            } else {
                ends.max(next.saturating_add(self.tree(others).scatter))
            };
            if time < best.1 {
                best = (first, time);
            }
        }
        best
    }

    /// When the root has all blocks, where the first child is the last to send, and when it began that receive.
    fn gathered(&self, ranks: u64, first: u64) -> Result<(u64, Option<u64>), Error> {
        if ranks == 1 {
            return Ok((0, None));
        }
        let (child, others) = (self.tree(first), self.tree(ranks - first));
        let hop = child.hop;
        let port = others
            .began
            .map_or(Wide::ZERO, |began| Wide::from(began) + hop.g);
        let began = (Wide::from(child.gathered) + hop.o + hop.L)
            .max(port)
            .max(others.gathered.into());
        Ok((fit(began + hop.o)?, Some(fit(began)?)))
    }
}

/// Reads the table of the best trees for a task.
fn read<T>(task: &Task, of: impl FnOnce(&Table) -> T) -> Result<T, Error> {
    refuse_if!(task.K > MOST, "K" = task.K => "expected at most {MOST} ranks: all trees are compared");
    LAST.with_borrow_mut(|table| {
        table.extend(task)?;
        Ok(of(table))
    })
}

/// How long a scatter down the best tree takes.
pub(in crate::collectives) fn scatter_time(task: &Task) -> Result<u64, Error> {
    read(task, |table| table.tree(task.K).scatter)
}

/// How long a gather up the same tree takes, with children in the opposite order.
pub(in crate::collectives) fn gather_time(task: &Task) -> Result<u64, Error> {
    read(task, |table| table.tree(task.K).gathered)
}

/// How many of these ranks are in the first subtree; any where the tree is not known.
pub(in crate::collectives) fn first(task: &Task, ranks: u64) -> u64 {
    read(task, |table| table.tree(ranks).first).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collectives::judge::judge;
    use crate::collectives::{Algorithm, Goal, gather, scatter};
    use crate::logp::LogP;
    use crate::logp::Profile;
    use crate::logp::loggops::LogGops;
    use crate::plan::compiled::Compiled;
    use crate::plan::{Family, Load, Plan, Tree};

    /// The ranks of a tree, in the order of their numbers.
    type Families = Vec<Family>;

    /// Every tree of `size` ranks, with every order of children.
    fn trees(size: u64) -> Vec<Families> {
        if size == 1 {
            return vec![vec![Family {
                size: 1,
                ..Family::default()
            }]];
        }
        let mut all = Vec::new();
        for first in 1..size {
            for (others, child) in trees(size - first)
                .iter()
                .flat_map(|tree| trees(first).into_iter().map(move |child| (tree, child)))
            {
                let (mut tree, start) = (others.clone(), size - first);
                tree[0].size = size;
                tree[0].children.insert(0, (start, first));
                tree.extend(child.into_iter().map(|family| {
                    Family {
                        parent: Some(family.parent.map_or(0, |parent| parent + start)),
                        children: family
                            .children
                            .iter()
                            .map(|&(child, size)| (child + start, size))
                            .collect(),
                        ..family
                    }
                }));
                all.push(tree);
            }
        }
        all
    }

    fn least(goal: &dyn Goal, is_up: bool, task: &Task) -> u64 {
        let time = |families: Families| {
            let family = |number: u64| families[usize::try_from(number).unwrap()].clone();
            let tree = match is_up {
                true => Tree::up(Load::Blocks, |number| family(number).reversed()),
                false => Tree::down(Load::Blocks, family),
            };
            judge(
                goal,
                task,
                true,
                &Compiled::new(&Plan::Tree(tree), task).unwrap(),
            )
            .unwrap()
        };
        trees(task.K).into_iter().map(time).min().unwrap()
    }

    #[test]
    fn no_tree_is_better() {
        let profile = |[L, o, g, G, O]: [u64; 5]| {
            Machine::LogGops(
                LogGops {
                    L,
                    o,
                    g,
                    G: G * 1000,
                    O: O * 1000,
                    H: 0,
                }
                .into(),
            )
        };
        let constant = [
            [40, 3, 9, 2_000, 0],
            [1, 0, 80, 3, 0],
            [0, 13, 1, 6_245, 0],
            [500, 20, 300, 100, 0],
        ];
        let growing = [
            [40, 3, 9, 2_000, 500],
            [2_049, 3, 44, 1, 500],
            [1, 4, 9, 1, 11_534],
            [1, 0, 40, 50, 700],
        ];
        let words = [(6, 2, 4), (1, 0, 50), (0, 3, 1)]
            .map(|(L, o, g)| Machine::Words(LogP::new(L, o, g).unwrap()));
        let machines = constant
            .into_iter()
            .chain(growing)
            .map(profile)
            .chain(words);
        let optimal: [&dyn Algorithm; 2] = [&scatter::Optimal::SCATTER, &scatter::Optimal::GATHER];
        for machine in machines {
            for (K, n) in (1..=7).flat_map(|K| [1, 5, 100].map(|n| (K, n))) {
                let task = Task::new(machine, K, n, 0);
                let best = least(&scatter::Scatter, false, &task);
                assert_eq!(optimal[0].time(&task), Ok(Some(best)), "{task:?}");
                let best = least(&gather::Gather, true, &task);
                let time = optimal[1].time(&task).unwrap().unwrap();
                assert!(
                    time == best
                        || matches!(
                            machine,
                            Machine::LogGops(Profile::Flat(LogGops { O: 1.., .. }))
                        ) && time > best,
                    "{task:?}"
                );
            }
        }
    }
}
