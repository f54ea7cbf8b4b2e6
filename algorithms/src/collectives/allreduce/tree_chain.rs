//! Allreduce up and down two binary trees of nodes at once, with a chain in each node.
//!
//! **Source.** NCCL: `tree` (`ncclGetDtree` in graph/trees.cc, `runTreeSplit` in `device/all_reduce.h`).
//!
//! Nodes are the groups of the outermost [level](crate::logp::Levels) of the machine, numbered from 0 on by their lowest ranks; without levels every rank is one.
//! In the first tree node 0 has the largest power of two below the number N of nodes as its child. Any other node v, whose lowest bit is
//! b, has the children `v-b/2` and, below N, `v+b/2`, else the first below N of `v+b/4`, `v+b/8`, .. . The second tree is the same of the
//! nodes `N-1-v` where N is even, of the nodes `v+1 mod N` where it is odd. The first rank of a node stands for it; its first child is
//! the second rank of the node, whose child is the third, and so on.
//!
//! The vector is cut into m segments, which take the trees in turn. A segment goes up its tree, combined at each rank, and back down it, one
//! edge in a round; the next segment of the tree follows a round later. With H for the largest depth of a rank in either
//! tree, a rank at depth d sends segment i of a tree up in round `i + H - d`, and down in round `i + H + d`. In a round a rank sends a segment up
//! the first tree and an earlier one down, then the same in the second tree; then it receives, of each tree what its children sent, then
//! what its parent sent.
//!
//! **Cost.** All ranks are followed, for up to 2^22 messages, until rounds add the same. At least what a rank does on average: `2m(K-1)/K` sends and receives.
//!
//! **When it wins.** Long vectors on many nodes: a rank sends and receives about 2n words, over paths of about `2 log2 N` nodes and twice
//! the ranks of a node.
//!
//! **Departures.** NCCL sends and receives at once, in chunks, on several channels; a node can have its children at two of its ranks.

use std::cell::OnceCell;
use std::ops::Range;

use crate::collectives::{Closed, Plain, Properties};
use crate::cost::LARGEST;
use crate::error::fit;
use crate::logp::Levels;
use crate::plan::task::PortRule;
use crate::plan::{Phase, Plan, Task, narrow};
use crate::wide::Wide;

/// The parent of a node of the first tree of `all` nodes; node 0 has none.
fn parent(all: u64, node: u64) -> u64 {
    let bit = node & node.wrapping_neg();
    let up = (node ^ bit) | (bit << 1);
    if up < all { up } else { node ^ bit }
}

/// A rank in one of the trees.
#[derive(Clone, Default)]
struct Place {
    depth: u64,
    /// The parent, and which of its children the rank is.
    parent: Option<(u32, u64)>,
    children: Vec<u32>,
}

/// The places of all ranks in a tree.
fn places_of(task: &Task, tree: u64) -> Vec<Place> {
    let size = task.machine.levels().map_or(1, Levels::ranks);
    let nodes = task.groups(0..narrow(task.K), size);
    let all = nodes.len() as u64;
    let first = |node: u64| {
        let node = match (tree, all % 2) {
            (0, _) => node,
            (_, 0) => all - 1 - node,
            _ => (node + 1) % all,
        };
        nodes[narrow(node) as usize][0]
    };
    let chains = nodes.iter().flat_map(|ranks| ranks.windows(2));
    let chains = chains.map(|pair| (pair[0], pair[1]));
    let between = (1..all).map(|node| (first(parent(all, node)), first(node)));
    let mut places = vec![Place::default(); narrow(task.K) as usize];
    for (above, below) in chains.chain(between) {
        let children = &mut places[above as usize].children;
        let parent = Some((above, children.len() as u64));
        children.push(below);
        places[below as usize].parent = parent;
    }
    let mut next = vec![(first(0), 0)];
    while let Some((rank, depth)) = next.pop() {
        let place = &mut places[rank as usize];
        place.depth = depth;
        next.extend(place.children.iter().map(|&child| (child, depth + 1)));
    }
    places
}

/// What a rank sends in a round, by which of its messages it is: up to each of three, and down to three, in both trees.
const SLOTS: u64 = 12;

/// How deep no tree is.
fn height(task: &Task) -> u64 {
    let chain = task.machine.levels().map_or(1, Levels::ranks).min(task.K);
    u64::from(u64::BITS - (task.K - 1).leading_zeros()) + chain - 1
}

/// To which rank a message goes, and its segment.
fn sent(task: &Task, places: [&Place; 2], message: u64) -> Option<(u64, u64)> {
    let (round, slot) = (message / SLOTS, message % SLOTS);
    let (tree, child) = (slot / 6, slot % 3);
    let place = places[usize::from(tree == 1)];
    let (to, index) = if is_up(message) {
        let (to, _) = place.parent.filter(|&(_, own)| own == child)?;
        (to, (round + place.depth).checked_sub(height(task))?)
    } else {
        let to = *place.children.get(narrow(child) as usize)?;
        (to, round.checked_sub(height(task) + place.depth)?)
    };
    let segment = index.checked_mul(2)? + tree;
    (segment < task.m).then_some((to.into(), segment))
}

fn is_up(message: u64) -> bool {
    message % 6 < 3
}

/// The rounds in which every rank has a segment for all of its neighbours: the first `longer` are longer.
fn repeats(task: &Task, longer: u64) -> [Range<u64>; 2] {
    let first = 2 * height(task);
    let long = first..first.max(longer / 2);
    let start = long.end.max(first + longer.div_ceil(2));
    [long, start..start.max(task.m / 2)]
}

/// See the module.
pub const TREE_CHAIN: Plain = Plain {
    formula: |task| {
        if task.K == 1 {
            return Ok(Closed::Exact(0));
        }
        let hop = task.hop(task.n / task.m)?;
        // The messages in one direction, half of all.
        let up = Wide::from(task.m.saturating_mul(task.K - 1));
        let busy = (4 * up * hop.o + up * hop.q).div_ceil(task.K);
        let sent = fit((2 * up).div_ceil(task.K))?;
        let apart = (sent - 1) * hop.o.max(hop.g) + hop.D();
        let least = match task.rule {
            PortRule::Strict => apart.max(busy),
            PortRule::Duplex if task.k == 1 => apart,
            PortRule::Duplex => Wide::ZERO,
        };
        Ok(Closed::Between([fit(least).unwrap_or(LARGEST), LARGEST]))
    },
    holds_on_duplex: |_| true,
    plan: |task| {
        let task = *task;
        let places = OnceCell::new();
        let sent = move |rank: u64, message| {
            let places = places.get_or_init(|| [0, 1].map(|tree| places_of(&task, tree)));
            let own = |tree: usize| &places[tree][narrow(rank) as usize];
            sent(&task, [own(0), own(1)], message)
        };
        let messages = 2 * Wide::from(task.m.saturating_mul(task.K - 1));
        let rounds = 2 * height(&task) + task.m.div_ceil(2);
        let phase = Phase::segments(&task, messages, rounds.saturating_mul(SLOTS), sent);
        let phase = phase.in_round(SLOTS).combined_where(is_up);
        let repeats = repeats(&task, task.n % task.m);
        Ok(Plan::phase(phase.repeating(1, repeats)))
    },
    properties: Properties {
        keeps_order: false,
        is_segmented: true,
        is_placed: true,
        ..Properties::PLAIN
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collectives::Algorithm;
    use crate::collectives::allreduce::ALLREDUCE;
    use crate::collectives::judge::judge;
    use crate::engine::Machine;
    use crate::logp::{Level, LogGops, Placement, Profile};
    use crate::plan::script::Act;

    /// The picture in NCCL's graph/trees.cc: `0 - 8 - (4 - (2 - (1 3)) (6 - (5 7))) (12 - (10 - (9 11)) 13)`.
    #[test]
    fn the_tree_of_fourteen_nodes_is_the_one_of_nccl() {
        let below = [
            (0, vec![8]),
            (8, vec![4, 12]),
            (4, vec![2, 6]),
            (12, vec![10, 13]),
            (10, vec![9, 11]),
            (13, vec![]),
        ];
        for (node, expected) in below {
            let own = (1..14).filter(|&child| parent(14, child) == node);
            assert_eq!(own.collect::<Vec<_>>(), expected, "{node}");
        }
    }

    #[test]
    fn half_of_the_nodes_have_no_children() {
        for all in 1..200 {
            assert!(
                (1..all).all(|node| parent(all, node).is_multiple_of(2)),
                "{all} nodes"
            );
        }
    }

    /// On 5 nodes, in blocks and in turn: only first ranks send to another node, and all is combined.
    #[test]
    fn nodes_are_chains() {
        let near = LogGops {
            L: 10,
            o: 1,
            g: 3,
            G: 0,
            O: 0,
            H: 0,
        };
        for placement in [Placement::Block, Placement::RoundRobin] {
            let level = Level {
                ranks: 3,
                machine: near,
            };
            let levels =
                Levels::new(vec![level], LogGops { L: 100, ..near }, placement, None).unwrap();
            let machine = Machine::LogGops(Profile::Levels(levels));
            let task = Task {
                m: 7,
                ..Task::new(machine, 15, 21, 1)
            };
            let compiled = (&TREE_CHAIN as &dyn Algorithm).compiled(&task).unwrap();
            judge(ALLREDUCE.goal, &task, false, &compiled).unwrap();
            let (script, ends) = TREE_CHAIN.plan(&task).unwrap().scripts(&task).unwrap();
            let mut between = 0;
            let mut start = 0;
            for (rank, end) in (0..).zip(ends) {
                for step in script.steps()[start..end]
                    .iter()
                    .filter(|step| step.act == Act::Send)
                {
                    let [one, other] = [rank, step.peer].map(|rank| levels.node(15, rank));
                    if one.0 == other.0 {
                        assert_eq!(one.1.abs_diff(other.1), 1);
                    } else {
                        assert_eq!([one.1, other.1], [0, 0]);
                        between += 1;
                    }
                }
                start = end;
            }
            assert_eq!(between, 2 * 7 * 4);
        }
    }
}
