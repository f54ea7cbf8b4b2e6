//! Broadcast and reduce along a tree that grows from group to group of ranks that are near.
//!
//! **Source.** MPICH 4.3: `topology_wave` (`MPII_Treeutil_tree_topology_wave_init`). Within one group: Karp, Sahay, Santos, Schauser,
//! "Optimal broadcast and summation in the LogP model", SPAA 1993.
//!
//! Groups are those of the innermost [level](crate::logp::Levels) of the machine, all ranks where there is none: that of the root first,
//! then in the order of their first ranks from the root on. Group by group, and rank by rank in it from the root on, the parent of a rank is the one
//! among those that have the words whose message would arrive first, the first of them from the root on; its children are in this order.
//! A rank has the words `L + 2o` after its message left, and its next message leaves `max(o, g)` after the last one. Times are those of
//! the longest segment.
//!
//! A reduce goes up the same tree, and receives from the children in the opposite order.
//!
//! **Cost.** On one group the times of all ranks with the first and the last segment, as for other trees; one segment takes the time of
//! the optimal tree. `O(K log K)`. Elsewhere it is executed.
//!
//! **When it wins.** Short vectors on machines with levels: it is near the best tree where one group after the other is served. Long
//! latencies do not keep it from sending many messages between groups, because they overlap.
//!
//! **Departures.** MPICH states o and L of three levels by control variables, the same for all sizes, and lets o pass between two messages.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::directions::{along, directed};
use super::{Algorithm, Closed, Properties};
use crate::cost::LARGEST;
use crate::error::{Error, refuse_if};
use crate::logp::LogP;
use crate::plan::{Family, Load, Plan, Task, narrow};

/// Most ranks: each asks every group for its first sender.
const MAX_RANKS: u64 = 1 << 14;

/// See the module.
pub(super) struct Wave {
    is_up: bool,
}

impl Wave {
    pub const BROADCAST: Self = Self { is_up: false };
    pub const REDUCE: Self = Self { is_up: true };
}

fn check(task: &Task) -> Result<(), Error> {
    refuse_if!(task.K > MAX_RANKS, "K" = task.K => "expected at most {MAX_RANKS}: the tree is made rank by rank");
    Ok(())
}

/// The tree: the family of each number.
fn families(task: &Task) -> Result<Vec<Family>, Error> {
    let K = task.K;
    let bytes = task.size(task.n.div_ceil(task.m))?;
    let model = |from: u64, to: u64| -> Result<LogP, Error> {
        let levels = task.machine.levels();
        let level = levels.map_or(0, |levels| {
            levels.between(K, task.rank(from), task.rank(to))
        });
        task.machine.of_message(level, bytes, false)
    };
    let innermost = task
        .machine
        .levels()
        .and_then(|levels| levels.inner().first());
    let numbered = (0..K).map(|number| task.rank(number));
    let groups = task.groups(numbered, innermost.map_or(u64::MAX, |level| level.ranks));
    // Of each group the ranks that have the words: when the next message can leave, and the number.
    let mut holders: Vec<BinaryHeap<Reverse<(u128, u64)>>> = vec![BinaryHeap::new(); groups.len()];
    let mut families: Vec<Family> = (0..K).map(|_| Family::new(None, [])).collect();
    for (own, group) in groups.iter().enumerate() {
        for number in group.iter().map(|&rank| task.number(rank)) {
            let mut first: Option<(u128, u64, u128, usize)> = None;
            for (index, holders) in holders.iter().enumerate() {
                let Some(&Reverse((ready, from))) = holders.peek() else {
                    continue;
                };
                let model = model(from, number)?;
                let arrival =
                    ready + u128::from(model.o()) + u128::from(model.L()) + u128::from(model.o());
                let next = ready + u128::from(model.g().max(model.o()));
                if first.is_none_or(|(least, than, ..)| (arrival, from) < (least, than)) {
                    first = Some((arrival, from, next, index));
                }
            }
            // Only the root has no parent.
            let mut arrived = 0;
            if let Some((arrival, from, next, index)) = first {
                holders[index].pop();
                holders[index].push(Reverse((next, from)));
                families[narrow(number) as usize].parent = Some(from);
                families[narrow(from) as usize].children.push((number, 0));
                arrived = arrival;
            }
            holders[own].push(Reverse((arrived, number)));
        }
    }
    Ok(families)
}

impl Algorithm for Wave {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        check(task)?;
        if task.machine.levels().is_some() {
            return Ok(Closed::Between([0, LARGEST]));
        }
        along(task, self.is_up, &families(task)?)
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        check(task)?;
        let families = families(task)?;
        let family = move |number: u64| families[narrow(number) as usize].clone();
        Ok(Plan::Tree(directed(Load::Vector, self.is_up, family)))
    }

    fn properties(&self) -> Properties {
        Properties {
            keeps_order: !self.is_up,
            is_segmented: true,
            is_placed: true,
            ..Properties::PLAIN
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collectives::broadcast::Tree;
    use crate::engine::Machine;
    use crate::logp::{Level, Levels, LogGops, Placement, Profile};

    #[test]
    fn one_group_has_the_optimal_tree() {
        for (L, o, g) in [(6, 2, 4), (0, 1, 9), (100, 3, 1), (1, 0, 1)] {
            let machine = Machine::Words(LogP::new(L, o, g).unwrap());
            for K in 1..40 {
                let task = Task::new(machine, K, 3, 0);
                let trees = [&Wave::BROADCAST as &dyn Algorithm, &Tree::OPTIMAL];
                let [wave, optimal] = trees.map(|tree| tree.time(&task).unwrap());
                assert_eq!(wave, optimal, "{L} {o} {g} K={K}");
            }
        }
    }

    /// Parents and children are those that a search over all ranks finds.
    #[test]
    fn parents_reach_first() {
        let near = LogGops {
            L: 10,
            o: 1,
            g: 3,
            G: 0,
            O: 0,
            H: 0,
        };
        for (L, root) in [(15, 5), (100, 0), (100_000, 7)] {
            let network = LogGops { L, g: 9, ..near };
            let level = Level {
                ranks: 4,
                machine: near,
            };
            let levels = Levels::new(vec![level], network, Placement::RoundRobin, None).unwrap();
            let machine = Machine::LogGops(Profile::Levels(levels));
            let task = Task {
                root,
                ..Task::new(machine, 20, 8, 0)
            };
            let rank = |number: u64| task.rank(number);
            let node = |number: u64| levels.node(20, rank(number)).0;
            // The groups in the order of their first numbers.
            let first = |number: u64| (0..20).find(|&other| node(other) == node(number));
            let mut order: Vec<u64> = (0..20).collect();
            order.sort_by_key(|&number| (first(number), number));
            let mut ready: Vec<(u64, u128)> = vec![(0, 0)];
            let mut children = vec![Vec::new(); 20];
            for &number in &order[1..] {
                let hop = |from| match node(from) == node(number) {
                    true => near,
                    false => network,
                };
                let arrival = |&(from, time): &(u64, u128)| {
                    (time + u128::from(2 * hop(from).o + hop(from).L), from)
                };
                let (arrived, parent) = ready.iter().map(arrival).min().unwrap();
                let sender = ready.iter_mut().find(|(from, _)| *from == parent).unwrap();
                sender.1 += u128::from(hop(parent).g);
                ready.push((number, arrived));
                children[usize::try_from(parent).unwrap()].push((number, 0));
            }
            let found = families(&task).unwrap();
            let found: Vec<_> = found.into_iter().map(|family| family.children).collect();
            assert_eq!(found, children, "L = {L}, root {root}");
        }
    }
}
