//! Algorithms for the levels of a machine: other algorithms one after the other, each among groups of ranks.
//!
//! **Source.** Leaders: Karonis et al., IPDPS 2000; Open MPI: han. Lanes: Träff and Hunold, "Decomposing MPI collectives for
//! exploiting multi-lane communication", CLUSTER 2020.
//!
//! A name states what is composed: `allreduce-leaders:binomial+rabenseifner` is `reduce-binomial` in every node, then
//! `allreduce-rabenseifner` among the leaders, then `broadcast-binomial` in every node. It has a name for what is done in nodes
//! (X) and one for what is done between them (Y), or a name for each part in order, as `broadcast-lanes:binomial+chain+ring`.
//!
//! A **node** is a group of the outermost
//! [level](crate::logp::Levels) of the machine. Its **leader** is its first rank, or the root. **Lane** i has rank i of every node,
//! from its first one on; for lanes all nodes have as many ranks.
//!
//! | collective | leaders:X+Y | lanes:X+Y |
//! |---|---|---|
//! | allreduce | reduce-X in nodes, allreduce-Y of leaders, broadcast-X in nodes | reduce-scatter-X in nodes, allreduce-Y in lanes, allgather-X in nodes |
//! | reduce | reduce-X in nodes, reduce-Y of leaders | reduce-scatter-X in nodes, reduce-Y in lanes, gather-X in the root's node |
//! | broadcast | broadcast-Y of leaders, broadcast-X in nodes | scatter-X in the root's node, broadcast-Y in lanes, allgather-X in nodes |
//! | allgather | gather-X in nodes, allgather-Y of leaders, broadcast-X in nodes | allgather-Y in lanes, allgather-X in nodes |
//! | alltoall | | alltoall-X in nodes, alltoall-Y in lanes |
//! | barrier | barrier-X in nodes, barrier-Y of leaders, barrier-X in nodes | barrier-X in nodes, barrier-Y in lanes |
//!
//! In lanes a vector is cut into a block for each rank of a node, the first ones one word longer.
//!
//! **Cost.** By execution only.
//!
//! **When it wins.** Leaders: short vectors, where a message between nodes takes much longer than one within a node. Lanes: long
//! vectors, because every rank of a node sends through the network.
//!
//! **Departures.** Träff and Hunold divide the words of their lanes by the root; here lane i always has block i.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::posted::Posted;
use super::script::Script;
use super::task::part;
use super::{Algorithm, Collective, Task, allgather, allreduce, alltoall, barrier, broadcast, gather, narrow, reduce};
use super::{reduce_scatter, scan, scatter};
use crate::engine::Machine;
use crate::error::Error;
use crate::logp::Levels;
use crate::papers;
use crate::problem::Listed;
use crate::wide::Wide;

/// Who takes part in a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Among {
    /// Each node for itself.
    Nodes,
    /// The node of the root only.
    RootsNode,
    /// The leaders of all nodes.
    Leaders,
    /// Each lane for itself.
    Lanes,
}

/// What the words of a phase are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    /// The whole vector.
    Vector,
    /// The vector, cut into a block for each member.
    Cut,
    /// The block of the lane, as a vector.
    OfLane,
    /// Everything that all ranks have, as a vector.
    All,
    /// The block of each member; of leaders those of their nodes, as one.
    Own,
    /// The blocks of each member's lane, as one.
    OfLanes,
    /// The blocks that each member has for each other one, as one.
    ForEach,
}

/// One algorithm among groups.
struct Phase {
    algorithm: &'static dyn Algorithm,
    among: Among,
    words: Words,
}

/// A phase without its algorithm, which has a name in some collective.
type Part = (Find, Among, Words);

/// See the module.
pub struct Hierarchy {
    phases: Vec<Phase>,
    has_lanes: bool,
}

/// Most ranks: nodes are made of them one by one.
const MAX_RANKS: u64 = 1 << 20;

/// The algorithm of a collective with the rest of its name.
fn named<C: Collective>(name: &str) -> Option<&'static dyn Algorithm> {
    let is_it = |listed: &&Listed<dyn Algorithm>| {
        listed.about.name.strip_prefix(C::NAME).and_then(|rest| rest.strip_prefix('-')) == Some(name)
    };
    C::ENTRIES.iter().find(is_it).map(|listed| listed.algorithm)
}

/// The phases of a collective, by the word for the way.
fn parts(collective: &str, way: &str) -> Option<&'static [Part]> {
    use {Among as A, Words as W};
    Some(match (collective, way) {
        ("allreduce", "leaders") => &[
            (named::<reduce::Reduce>, A::Nodes, W::Vector),
            (named::<allreduce::Allreduce>, A::Leaders, W::Vector),
            (named::<broadcast::Broadcast>, A::Nodes, W::Vector),
        ],
        ("allreduce", "lanes") => &[
            (named::<reduce_scatter::ReduceScatter>, A::Nodes, W::Cut),
            (named::<allreduce::Allreduce>, A::Lanes, W::OfLane),
            (named::<allgather::Allgather>, A::Nodes, W::Cut),
        ],
        ("reduce", "leaders") => {
            &[(named::<reduce::Reduce>, A::Nodes, W::Vector), (named::<reduce::Reduce>, A::Leaders, W::Vector)]
        }
        ("reduce", "lanes") => &[
            (named::<reduce_scatter::ReduceScatter>, A::Nodes, W::Cut),
            (named::<reduce::Reduce>, A::Lanes, W::OfLane),
            (named::<gather::Gather>, A::RootsNode, W::Cut),
        ],
        ("broadcast", "leaders") => &[
            (named::<broadcast::Broadcast>, A::Leaders, W::Vector),
            (named::<broadcast::Broadcast>, A::Nodes, W::Vector),
        ],
        ("broadcast", "lanes") => &[
            (named::<scatter::Scatter>, A::RootsNode, W::Cut),
            (named::<broadcast::Broadcast>, A::Lanes, W::OfLane),
            (named::<allgather::Allgather>, A::Nodes, W::Cut),
        ],
        ("allgather", "leaders") => &[
            (named::<gather::Gather>, A::Nodes, W::Own),
            (named::<allgather::Allgather>, A::Leaders, W::Own),
            (named::<broadcast::Broadcast>, A::Nodes, W::All),
        ],
        ("allgather", "lanes") => {
            &[(named::<allgather::Allgather>, A::Lanes, W::Own), (named::<allgather::Allgather>, A::Nodes, W::OfLanes)]
        }
        ("alltoall", "lanes") => {
            &[(named::<alltoall::Alltoall>, A::Nodes, W::ForEach), (named::<alltoall::Alltoall>, A::Lanes, W::ForEach)]
        }
        ("barrier", "leaders") => &[
            (named::<barrier::Barrier>, A::Nodes, W::Vector),
            (named::<barrier::Barrier>, A::Leaders, W::Vector),
            (named::<barrier::Barrier>, A::Nodes, W::Vector),
        ],
        ("barrier", "lanes") => {
            &[(named::<barrier::Barrier>, A::Nodes, W::Vector), (named::<barrier::Barrier>, A::Lanes, W::Vector)]
        }
        _ => return None,
    })
}

/// The ranks of a group, in order, and what they do.
struct Group {
    members: Vec<u32>,
    task: Task,
    map: Map,
}

/// Where the words of a group's task stand in the whole one.
enum Map {
    /// So much further on.
    Offset(u64),
    /// Each word stands for some ranges.
    Blocks(Vec<Vec<Range<u64>>>),
}

impl Map {
    fn ranges(&self, words: &[(u64, u64)]) -> Vec<Range<u64>> {
        match self {
            Self::Offset(offset) => words.iter().map(|&(start, end)| start + offset..end + offset).collect(),
            Self::Blocks(blocks) => {
                let mut all: Vec<Range<u64>> = Vec::new();
                for range in words
                    .iter()
                    .flat_map(|&(start, end)| &blocks[narrow(start) as usize..narrow(end) as usize])
                    .flatten()
                {
                    match all.last_mut() {
                        Some(last) if last.end == range.start => last.end = range.end,
                        _ => all.push(range.clone()),
                    }
                }
                all
            }
        }
    }
}

/// Where the ranks of a task stand.
struct Nodes {
    levels: &'static Levels,
    /// The ranks of each node.
    members: Vec<Vec<u32>>,
    /// The node of the root, and its place in it.
    root: (usize, usize),
}

impl Nodes {
    fn of(task: &Task) -> Result<Self, Error> {
        let Some(levels) = task.machine.levels() else {
            let expected = "expected ranks on a machine with [[level]]: the algorithm is composed for its levels";
            return Err(Error::parameter("K", task.K, expected));
        };
        let most = format!("expected at most {MAX_RANKS}: an algorithm for levels has no formula");
        let K = u32::try_from(task.K).ok().filter(|&K| u64::from(K) <= MAX_RANKS);
        let K = K.ok_or_else(|| Error::parameter("K", task.K, most))?;
        let mut nodes: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for rank in 0..K {
            nodes.entry(levels.place(task.K, rank).0).or_default().push(rank);
        }
        let members: Vec<Vec<u32>> = nodes.into_values().collect();
        let place = |node: &Vec<u32>| node.iter().position(|&rank| u64::from(rank) == task.root);
        let root = members.iter().enumerate().find_map(|(node, members)| Some((node, place(members)?)));
        Ok(Self { levels, members, root: root.unwrap_or((0, 0)) })
    }

    /// The place of the leader of a node in it.
    fn leader(&self, node: usize) -> usize {
        if node == self.root.0 { self.root.1 } else { 0 }
    }

    /// The machine of messages within nodes, or between them.
    fn machine(&self, is_inside: bool) -> Machine {
        let levels = self.levels.inner().len();
        Machine::LogGops((*self.levels.at(if is_inside { levels.saturating_sub(1) } else { levels })).into())
    }
}

impl Hierarchy {
    /// The groups of a phase.
    fn groups(&self, phase: &Phase, task: &Task, nodes: &Nodes) -> Result<Vec<Group>, Error> {
        let all = || (0..nodes.members.len()).collect::<Vec<_>>();
        let lanes = nodes.members.first().map_or(0, Vec::len);
        if self.has_lanes && nodes.members.iter().any(|node| node.len() != lanes) {
            let expected = format!("expected as many ranks on every node, {lanes}: a lane has one of each");
            return Err(Error::parameter("K", task.K, expected));
        }
        // Members, the place of the root among them, the number of the group.
        let inside = |node: usize| (nodes.members[node].clone(), nodes.leader(node), node);
        let groups: Vec<(Vec<u32>, usize, usize)> = match phase.among {
            Among::Nodes => all().into_iter().map(inside).collect(),
            Among::RootsNode => vec![inside(nodes.root.0)],
            Among::Leaders => {
                let leaders = all().into_iter().map(|node| nodes.members[node][nodes.leader(node)]).collect();
                vec![(leaders, nodes.root.0, 0)]
            }
            Among::Lanes => {
                let lane = |lane: usize| (nodes.members.iter().map(|node| node[lane]).collect(), nodes.root.0, lane);
                (0..lanes).map(lane).collect()
            }
        };
        let is_inside = matches!(phase.among, Among::Nodes | Among::RootsNode);
        let group = |(members, root, number): (Vec<u32>, usize, usize)| {
            let (n, map) = words(phase, task, nodes, (&members, number));
            let K = members.len() as u64;
            let task = Task { machine: nodes.machine(is_inside), K, n, root: root as u64, ..*task };
            Group { members, task, map }
        };
        let groups = groups.into_iter().map(group);
        // Nothing is to be done with no words or alone.
        Ok(groups.filter(|group| group.task.n > 0 && group.members.len() > 1).collect())
    }

    /// All phases, each with its groups; those whose algorithm is not defined for its group are refused.
    fn all(&self, task: &Task) -> Result<Vec<(&Phase, Vec<Group>)>, Error> {
        let nodes = Nodes::of(task)?;
        let mut all = Vec::new();
        for phase in &self.phases {
            let groups = self.groups(phase, task, &nodes)?;
            for group in &groups {
                phase.algorithm.time(&group.task)?;
            }
            all.push((phase, groups));
        }
        Ok(all)
    }
}

/// How many words a group's task has, and where they stand.
fn words(phase: &Phase, task: &Task, nodes: &Nodes, (members, number): (&[u32], usize)) -> (u64, Map) {
    let (K, n) = (task.K, task.n);
    let block = |rank: u32| u64::from(rank) * n..(u64::from(rank) + 1) * n;
    let lane = |lane: usize| nodes.members.iter().map(move |node| node[lane]);
    match phase.words {
        Words::Vector => (n, Map::Offset(0)),
        Words::Cut => {
            let parts = members.len() as u64;
            (1, Map::Blocks((0..parts).map(|place| vec![part(n, place, parts)]).collect()))
        }
        Words::OfLane => {
            let own = part(n, number as u64, nodes.members[0].len() as u64);
            (own.end - own.start, Map::Offset(own.start))
        }
        Words::All => (K.saturating_mul(n), Map::Offset(0)),
        Words::Own => {
            let own = |place: usize| match phase.among {
                Among::Leaders => nodes.members[place].iter().map(|&rank| block(rank)).collect(),
                _ => vec![block(members[place])],
            };
            (1, Map::Blocks((0..members.len()).map(own).collect()))
        }
        Words::OfLanes => (1, Map::Blocks((0..members.len()).map(|place| lane(place).map(block).collect()).collect())),
        Words::ForEach => {
            let pair = |from: u32, to: u32| {
                let block = K * u64::from(from) + u64::from(to);
                block * n..(block + 1) * n
            };
            let of = |from: usize, to: usize| -> Vec<Range<u64>> {
                match phase.among {
                    // Those of a rank for all ranks of another lane.
                    Among::Nodes => lane(to).map(|to| pair(members[from], to)).collect(),
                    // Those of all ranks of a node for a rank of this lane.
                    _ => nodes.members[from].iter().map(|&from| pair(from, members[to])).collect(),
                }
            };
            let pairs = (0..members.len()).flat_map(|from| (0..members.len()).map(move |to| (from, to)));
            (1, Map::Blocks(pairs.map(|(from, to)| of(from, to)).collect()))
        }
    }
}

impl Algorithm for Hierarchy {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        self.all(task).map(|_| None)
    }

    fn messages(&self, task: &Task) -> Wide {
        let phases = self.all(task).unwrap_or_default();
        let groups = phases.iter().flat_map(|(phase, groups)| groups.iter().map(move |group| (phase, group)));
        groups.map(|(phase, group)| phase.algorithm.messages(&group.task)).sum()
    }

    /// Contributions of nodes are combined as the ranks of a node stand.
    fn keeps_order(&self) -> bool {
        false
    }

    fn is_placed(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let mut all = Script::default();
        let ends = self.scripts(task, rank + 1, &mut all);
        let begin = ends.len().checked_sub(2).map_or(0, |before| ends[before]);
        for step in &all.steps[begin..] {
            let words = all.pieces(step).iter().map(|&(start, end)| start..end);
            script.push(step.act, step.buffer, step.peer, step.round, words);
        }
    }

    fn scripts(&self, task: &Task, ranks: u32, script: &mut Script) -> Vec<usize> {
        // A task at which it is not defined has no script.
        let phases = self.all(task).unwrap_or_default();
        let phases: Vec<Written> =
            phases.into_iter().filter_map(|(phase, groups)| Written::of(task, phase, groups)).collect();
        let write = |rank: u32| {
            let mut round = 0;
            for phase in &phases {
                phase.write(rank, round, script);
                round += phase.rounds;
            }
            script.steps.len()
        };
        (0..ranks).map(write).collect()
    }
}

/// What all ranks do in a phase.
struct Written {
    /// Of each group the steps of its members, and where those of each end.
    groups: Vec<(Group, Script, Vec<usize>)>,
    /// Of each rank its group and its place in it.
    places: Vec<Option<(usize, usize)>>,
    rounds: u32,
}

impl Written {
    fn of(task: &Task, phase: &Phase, groups: Vec<Group>) -> Option<Self> {
        let mut places = vec![None; narrow(task.K) as usize];
        let mut written = Vec::new();
        for (number, group) in groups.into_iter().enumerate() {
            for (place, &rank) in group.members.iter().enumerate() {
                places[rank as usize] = Some((number, place));
            }
            let (script, ends) = Script::of(phase.algorithm, &group.task).ok()?;
            written.push((group, script, ends));
        }
        let rounds =
            written.iter().flat_map(|(_, script, _)| &script.steps).map(|step| step.round.saturating_add(1)).max();
        Some(Self { groups: written, places, rounds: rounds.unwrap_or(0) })
    }

    /// The steps of a rank, with rounds from this one on.
    fn write(&self, rank: u32, round: u32, into: &mut Script) {
        let Some((number, place)) = self.places[rank as usize] else { return };
        let (group, script, ends) = &self.groups[number];
        let begin = place.checked_sub(1).map_or(0, |before| ends[before]);
        for step in &script.steps[begin..ends[place]] {
            let peer = group.members[step.peer as usize];
            into.push(
                step.act,
                step.buffer,
                peer,
                step.round.saturating_add(round),
                group.map.ranges(script.pieces(step)),
            );
        }
    }
}

/// The algorithm of a collective with this name, if it is a composed one. It is made once and kept until the process ends.
pub(super) fn composed(collective: &'static str, name: &str) -> Option<usize> {
    if let Some(one_by_one) = name.strip_suffix(":posted") {
        let algorithm =
            one_by_one.strip_prefix(collective)?.strip_prefix('-').and_then(|name| all(collective)?(name))?;
        let about =
            ("what a rank sends in a row is posted together", (papers::FOLKLORE, "Open MPI: non-blocking sends"));
        return Some(keep(collective, name, about, || Box::leak(Box::new(Posted(algorithm)))));
    }
    let (way, names) = name.strip_prefix(collective)?.strip_prefix('-')?.split_once(':')?;
    let parts = parts(collective, way)?;
    let names: Vec<&str> = names.split('+').collect();
    let of = |(place, &(find, among, words)): (usize, &Part)| {
        let is_between = matches!(among, Among::Leaders | Among::Lanes);
        let name =
            if names.len() == parts.len() && parts.len() > 2 { names[place] } else { names[usize::from(is_between)] };
        find(name).map(|algorithm| Phase { algorithm, among, words })
    };
    if names.len() != 2 && names.len() != parts.len() {
        return None;
    }
    let phases = parts.iter().enumerate().map(of).collect::<Option<Vec<_>>>()?;
    let about = match way {
        "leaders" => ("within nodes, and between the leaders of nodes", (papers::LEADERS, "section 3")),
        _ => {
            ("within nodes, and on a part of the words between the ranks of each lane", (papers::LANES, "section III"))
        }
    };
    Some(keep(collective, name, about, || Box::leak(Box::new(Hierarchy { phases, has_lanes: way == "lanes" }))))
}

/// Finds an algorithm by the rest of its name.
type Find = fn(&str) -> Option<&'static dyn Algorithm>;

/// All algorithms of a collective.
fn all(collective: &str) -> Option<Find> {
    let of: [(&str, Find); 11] = [
        (allgather::Allgather::NAME, named::<allgather::Allgather>),
        (allreduce::Allreduce::NAME, named::<allreduce::Allreduce>),
        (alltoall::Alltoall::NAME, named::<alltoall::Alltoall>),
        (barrier::Barrier::NAME, named::<barrier::Barrier>),
        (broadcast::Broadcast::NAME, named::<broadcast::Broadcast>),
        (gather::Gather::NAME, named::<gather::Gather>),
        (reduce::Reduce::NAME, named::<reduce::Reduce>),
        (reduce_scatter::ReduceScatter::NAME, named::<reduce_scatter::ReduceScatter>),
        (scan::Scan::NAME, named::<scan::Scan>),
        (scan::Exscan::NAME, named::<scan::Exscan>),
        (scatter::Scatter::NAME, named::<scatter::Scatter>),
    ];
    of.into_iter().find(|(name, _)| *name == collective).map(|(_, find)| find)
}

/// The number of the algorithm of this name, which is made unless it is known.
fn keep(
    collective: &'static str,
    name: &str,
    (summary, source): (&'static str, (&'static str, &'static str)),
    make: impl FnOnce() -> &'static dyn Algorithm,
) -> usize {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.entry(collective).or_default();
    known.iter().position(|listed| listed.about.name == name).unwrap_or_else(|| {
        known.push(Box::leak(Box::new(Listed::new(name.to_owned().leak(), summary, source, make()))));
        known.len() - 1
    })
}

/// The composed algorithms of each collective that were named so far.
static KNOWN: Mutex<BTreeMap<&str, Vec<&Listed<dyn Algorithm>>>> = Mutex::new(BTreeMap::new());

/// The composed algorithm of a collective with this number.
pub(super) fn listed(collective: &str, number: usize) -> Option<&'static Listed<dyn Algorithm>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(collective)?.get(number).copied()
}

#[cfg(test)]
mod tests;
