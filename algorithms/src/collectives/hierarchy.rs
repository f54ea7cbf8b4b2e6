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
//! from its first one on; for lanes all nodes have as many ranks. Nodes are numbered by their lowest ranks, whatever numbers a placement
//! gives them, so that the node of rank 0 is the first; the ranks of a node are in ascending order. Leaders and the ranks of a lane
//! stand in the order of their nodes, and X and Y number them so, or from the root on where they do.
//!
//! | collective | leaders:X+Y | lanes:X+Y |
//! |---|---|---|
//! | allreduce | reduce-X in nodes, allreduce-Y of leaders, broadcast-X in nodes | reduce-scatter-X in nodes, allreduce-Y in lanes, allgather-X in nodes |
//! | reduce | reduce-X in nodes, reduce-Y of leaders | reduce-scatter-X in nodes, reduce-Y in lanes, gather-X in the root's node |
//! | broadcast | broadcast-Y of leaders, broadcast-X in nodes | scatter-X in the root's node, broadcast-Y in lanes, allgather-X in nodes |
//! | allgather | gather-X in nodes, allgather-Y of leaders, broadcast-X in nodes | allgather-Y in lanes, allgather-X in nodes |
//! | reduce-scatter | reduce-X in nodes, reduce-scatter-Y of leaders, scatter-X in nodes | reduce-scatter-X in nodes, reduce-scatter-Y in lanes |
//! | alltoall | | alltoall-X in nodes, alltoall-Y in lanes |
//! | barrier | barrier-X in nodes, barrier-Y of leaders, barrier-X in nodes | barrier-X in nodes, barrier-Y in lanes |
//!
//! In lanes a vector is cut into a block for each rank of a node, the first ones one word longer. A lane of a vector
//! without words sends nothing, nor does a group of one rank; other messages without words are sent, also in a group whose blocks all are empty. X reads the parameters of the
//! outermost level, Y those of the network. Blocks of several sizes are to both as long as the longest of their group; of what they cut, as
//! `n-block-circulant:2` does, shorter blocks fill the first pieces. With m segments each part whose algorithm sends segments cuts the words of its group into m,
//! or into as many as it has words; the other parts send them whole.
//!
//! `NAME:pipelined` cuts the vector into m fragments instead, and each part works on one of them while the next part works on the fragment
//! before: in every step a rank does its share of the first part with one fragment, then that of the second with the one before, and so on.
//! With trees this is one tree over all nodes, in segments: Open MPI's han, xhc and acoll, MPICH's `topology_aware`.
//!
//! Beside a switch every group has one of its own, so that `allreduce-lanes:switch+double-tree` is NCCL's `NVLSTree`, and
//! `allgather-lanes:switch+ring` its ring over rails with a multicast in the box.
//!
//! **Cost.** By execution only.
//!
//! **When it wins.** Leaders: short vectors, where a message between nodes takes much longer than one within a node. Lanes: long
//! vectors, because every rank of a node sends through the network. Fragments in a pipeline seldom win by this cost: a rank does its
//! operations one after the other and waits in each step, where libraries have several in progress.
//!
//! **Departures.** Träff and Hunold divide the words of their lanes by the root; here lane i always has block i.

use std::ops::Range;

use super::posted::Posted;
use super::{Algorithm, Blocks, Collective, Properties, known, list};
use crate::collectives::Closed;
use crate::engine::Machine;
use crate::error::{Error, refuse_if};
use crate::logp::Levels;
use crate::papers;
use crate::plan::{Group, Groups, Map, Plan, Task, part};
use crate::problem::{About, Listed};

/// The ranks that take part in a phase.
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

/// A phase without its algorithm: its collective, its ranks and its words.
type Named = (&'static str, Among, Words);

/// See the module.
pub struct Hierarchy {
    phases: Vec<Phase>,
    has_lanes: bool,
    is_pipelined: bool,
}

/// Most ranks: nodes are made of them one by one, for each fragment.
const MAX_RANKS: u64 = 1 << 20;

/// The names of families of algorithms for a collective: X and Y stand for names of others, NAME for a whole one, N for a number.
pub fn families(collective: &str) -> Vec<String> {
    let ways = ["leaders", "lanes"].into_iter();
    let composed = ways.filter(|way| parts(collective, way).is_some());
    let composed = composed.flat_map(|way| {
        let plain = format!("{collective}-{way}:X+Y");
        let in_fragments = has_segments(collective).then(|| format!("{plain}{PIPELINED}"));
        [Some(plain), in_fragments].into_iter().flatten()
    });
    let Some(collective) = Collective::named(collective) else {
        return composed.collect();
    };
    let takes_number = |listed: &&Listed<dyn Algorithm>| listed.algorithm.with_number(2).is_some();
    let numbered = collective.entries.iter().filter(takes_number);
    let numbered = numbered.map(|listed| match &listed.name[..stem(listed.name)] {
        before if before == listed.name => format!("{before}:N"),
        before => format!("{before}N"),
    });
    let all = composed.chain(numbered);
    all.chain(["NAME:posted".to_owned()]).collect()
}

/// What follows the name of a composed algorithm that works on fragments.
const PIPELINED: &str = ":pipelined";

/// Whether a collective cuts a vector into segments.
fn has_segments(collective: &str) -> bool {
    Collective::named(collective).is_some_and(|collective| collective.parameters.has("m"))
}

/// Where the number at the end of a name begins.
fn stem(name: &str) -> usize {
    name.trim_end_matches(|letter: char| letter.is_ascii_digit())
        .len()
}

/// The phases of a collective, by the word for the way.
fn parts(collective: &str, way: &str) -> Option<&'static [Named]> {
    use Among::{Lanes, Leaders, Nodes, RootsNode};
    use Words::{All, Cut, ForEach, OfLane, OfLanes, Own, Vector};
    Some(match (collective, way) {
        ("allreduce", "leaders") => &[
            ("reduce", Nodes, Vector),
            ("allreduce", Leaders, Vector),
            ("broadcast", Nodes, Vector),
        ],
        ("allreduce", "lanes") => &[
            ("reduce-scatter", Nodes, Cut),
            ("allreduce", Lanes, OfLane),
            ("allgather", Nodes, Cut),
        ],
        ("reduce", "leaders") => &[("reduce", Nodes, Vector), ("reduce", Leaders, Vector)],
        ("reduce", "lanes") => &[
            ("reduce-scatter", Nodes, Cut),
            ("reduce", Lanes, OfLane),
            ("gather", RootsNode, Cut),
        ],
        ("broadcast", "leaders") => &[("broadcast", Leaders, Vector), ("broadcast", Nodes, Vector)],
        ("broadcast", "lanes") => &[
            ("scatter", RootsNode, Cut),
            ("broadcast", Lanes, OfLane),
            ("allgather", Nodes, Cut),
        ],
        ("allgather", "leaders") => &[
            ("gather", Nodes, Own),
            ("allgather", Leaders, Own),
            ("broadcast", Nodes, All),
        ],
        ("allgather", "lanes") => &[("allgather", Lanes, Own), ("allgather", Nodes, OfLanes)],
        ("reduce-scatter", "leaders") => &[
            ("reduce", Nodes, All),
            ("reduce-scatter", Leaders, Own),
            ("scatter", Nodes, Own),
        ],
        ("reduce-scatter", "lanes") => &[
            ("reduce-scatter", Nodes, OfLanes),
            ("reduce-scatter", Lanes, Own),
        ],
        ("alltoall", "lanes") => &[("alltoall", Nodes, ForEach), ("alltoall", Lanes, ForEach)],
        ("barrier", "leaders") => &[
            ("barrier", Nodes, Vector),
            ("barrier", Leaders, Vector),
            ("barrier", Nodes, Vector),
        ],
        ("barrier", "lanes") => &[("barrier", Nodes, Vector), ("barrier", Lanes, Vector)],
        _ => return None,
    })
}

/// Where the ranks of a task stand.
struct Nodes {
    levels: &'static Levels,
    /// The ranks of each node.
    members: Vec<Vec<u32>>,
    /// The node of the root, and its index in it.
    root: (usize, usize),
}

impl Nodes {
    fn new(task: &Task) -> Result<Self, Error> {
        let Some(levels) = task
            .machine
            .levels()
            .filter(|levels| !levels.inner().is_empty())
        else {
            let expected = "expected ranks on a machine with [[level]]: the algorithm is composed for its levels";
            return Err(Error::parameter("K", task.K, expected));
        };
        let most = format!("expected at most {MAX_RANKS}: an algorithm for levels has no formula");
        let K = u32::try_from(task.K)
            .ok()
            .filter(|&K| u64::from(K) <= MAX_RANKS);
        let K = K.ok_or_else(|| Error::parameter("K", task.K, most))?;
        let members = task.groups(0..K, levels.ranks());
        let index = |node: &Vec<u32>| node.iter().position(|&rank| u64::from(rank) == task.root);
        let root = members
            .iter()
            .enumerate()
            .find_map(|(node, members)| Some((node, index(members)?)));
        Ok(Self {
            levels,
            members,
            root: root.unwrap_or((0, 0)),
        })
    }

    /// The index of the leader of a node in it.
    fn leader(&self, node: usize) -> usize {
        if node == self.root.0 { self.root.1 } else { 0 }
    }

    /// The machine of messages within nodes, or between them.
    fn machine(&self, is_inside: bool) -> Machine {
        let levels = self.levels.inner().len();
        Machine::LogGops(
            (*self.levels.at(if is_inside {
                levels.saturating_sub(1)
            } else {
                levels
            }))
            .into(),
        )
    }
}

impl Hierarchy {
    /// The groups of a phase.
    fn groups(
        &self,
        phase: &Phase,
        task: &Task,
        nodes: &Nodes,
        fragment: &Range<u64>,
    ) -> Result<Groups<'_>, Error> {
        let all = || (0..nodes.members.len()).collect::<Vec<_>>();
        let lanes = nodes.members.first().map_or(0, Vec::len);
        refuse_if!(self.has_lanes && nodes.members.iter().any(|node| node.len() != lanes), "K" = task.K =>
            "expected as many ranks on every node, {lanes}: a lane has one of each");
        // Members, the index of the root among them, the number of the group.
        let inside = |node: usize| (nodes.members[node].clone(), nodes.leader(node), node);
        let groups: Vec<(Vec<u32>, usize, usize)> = match phase.among {
            Among::Nodes => all().into_iter().map(inside).collect(),
            Among::RootsNode => vec![inside(nodes.root.0)],
            Among::Leaders => {
                let leaders = all()
                    .into_iter()
                    .map(|node| nodes.members[node][nodes.leader(node)])
                    .collect();
                vec![(leaders, nodes.root.0, 0)]
            }
            Among::Lanes => {
                let lane = |lane: usize| {
                    (
                        nodes.members.iter().map(|node| node[lane]).collect(),
                        nodes.root.0,
                        lane,
                    )
                };
                (0..lanes).map(lane).collect()
            }
        };
        let is_inside = matches!(phase.among, Among::Nodes | Among::RootsNode);
        let group = |(members, root, number): (Vec<u32>, usize, usize)| {
            let (n, map) = words(phase, task, nodes, (&members, number), fragment);
            let K = members.len() as u64;
            let is_segmented = phase.algorithm.properties().is_segmented && !self.is_pipelined;
            let task = Task {
                machine: nodes.machine(is_inside),
                K,
                n,
                root: root as u64,
                m: if is_segmented {
                    task.m.min(n).max(1)
                } else {
                    1
                },
                blocks: Blocks::Equal,
                ..*task
            };
            // A group with no words, or of one rank, has nothing to do.
            if n == 0 || K < 2 {
                return Ok(None);
            }
            phase.algorithm.formula(&task)?;
            Ok(Some(Group {
                plan: phase.algorithm.plan(&task)?,
                members,
                task,
                map,
            }))
        };
        let groups = groups.into_iter().map(group).filter_map(Result::transpose);
        groups.collect::<Result<_, Error>>().map(Groups)
    }
}

/// How many words a group's task has, and where they stand; of a vector only a fragment.
fn words(
    phase: &Phase,
    task: &Task,
    nodes: &Nodes,
    (members, number): (&[u32], usize),
    fragment: &Range<u64>,
) -> (u64, Map) {
    let (K, first, n) = (task.K, fragment.start, fragment.end - fragment.start);
    let behind = |words: Range<u64>| first + words.start..first + words.end;
    let block = |rank: u32| task.words(rank.into()..u64::from(rank) + 1);
    let lane = |lane: usize| nodes.members.iter().map(move |node| node[lane]);
    match phase.words {
        Words::Vector => (n, Map::Offset(first)),
        Words::Cut => {
            let parts = members.len() as u64;
            let own = (0..parts).map(|index| vec![behind(part(n, index, parts))]);
            Map::of_blocks(own.collect())
        }
        Words::OfLane => {
            let own = behind(part(n, number as u64, nodes.members[0].len() as u64));
            (own.end - own.start, Map::Offset(own.start))
        }
        Words::All => (task.start(K), Map::Offset(0)),
        Words::Own => {
            let own = |index: usize| match phase.among {
                Among::Leaders => nodes.members[index]
                    .iter()
                    .map(|&rank| block(rank))
                    .collect(),
                _ => vec![block(members[index])],
            };
            Map::of_blocks((0..members.len()).map(own).collect())
        }
        Words::OfLanes => {
            let own = (0..members.len()).map(|index| lane(index).map(block).collect());
            Map::of_blocks(own.collect())
        }
        Words::ForEach => {
            let pair = |from: u32, to: u32| {
                let block = K * u64::from(from) + u64::from(to);
                task.words(block..block + 1)
            };
            let of = |from: usize, to: usize| -> Vec<Range<u64>> {
                match phase.among {
                    // Those of a rank for all ranks of another lane.
                    Among::Nodes => lane(to).map(|to| pair(members[from], to)).collect(),
                    // Those of all ranks of a node for a rank of this lane.
                    _ => nodes.members[from]
                        .iter()
                        .map(|&from| pair(from, members[to]))
                        .collect(),
                }
            };
            let pairs =
                (0..members.len()).flat_map(|from| (0..members.len()).map(move |to| (from, to)));
            Map::of_blocks(pairs.map(|(from, to)| of(from, to)).collect())
        }
    }
}

impl Algorithm for Hierarchy {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        self.plan(task).map(|_| Closed::Executed { least: 0 })
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let nodes = Nodes::new(task)?;
        let fragments = if self.is_pipelined { task.m } else { 1 };
        refuse_if!(fragments.saturating_mul(task.K) > MAX_RANKS, "m" = task.m =>
            "expected at most {}: every rank does its share of each fragment", MAX_RANKS / task.K);
        let steps = 0..fragments + self.phases.len() as u64 - 1;
        let shares = steps.flat_map(|step| (0..).zip(&self.phases).map(move |of| (step, of)));
        let groups = shares.filter_map(|(step, (before, phase))| {
            let fragment = step.checked_sub(before).filter(|&at| at < fragments)?;
            let words = part(task.n, fragment, fragments);
            Some(self.groups(phase, task, &nodes, &words))
        });
        Plan::in_turn(task, groups.map(|groups| groups.map(Plan::Groups)))
    }

    /// Contributions of nodes are combined as the ranks of a node stand.
    fn properties(&self) -> Properties {
        let is_segmented = |phase: &Phase| phase.algorithm.properties().is_segmented;
        Properties {
            keeps_order: false,
            is_placed: true,
            is_segmented: self.is_pipelined || self.phases.iter().any(is_segmented),
            ..Properties::PLAIN
        }
    }
}

/// The algorithm of a collective with this name, if it is a composed one. It is made once and kept until the process ends.
pub(super) fn composed(collective: &'static str, name: &str) -> Option<usize> {
    if let Some(number) = known::number(collective, name) {
        return Some(number);
    }
    if let Some(one_by_one) = name.strip_suffix(":posted") {
        let rest = one_by_one.strip_prefix(collective)?.strip_prefix('-')?;
        let algorithm = find(collective, rest)?;
        let about = (
            "what a rank sends in a row is posted together",
            (papers::FOLKLORE, "Open MPI: non-blocking sends"),
        );
        return Some(keep(
            collective,
            (name, 1),
            about,
            Box::leak(Box::new(Posted(algorithm))),
        ));
    }
    if let Some(number) = numbered(collective, name) {
        return Some(number);
    }
    let in_fragments = name
        .strip_suffix(PIPELINED)
        .filter(|_| has_segments(collective));
    let (way, names) = in_fragments
        .unwrap_or(name)
        .strip_prefix(collective)?
        .strip_prefix('-')?
        .split_once(':')?;
    let parts = parts(collective, way)?;
    let names: Vec<&str> = names.split('+').collect();
    let of = |(index, &(collective, among, words)): (usize, &Named)| {
        let is_between = matches!(among, Among::Leaders | Among::Lanes);
        let name = if names.len() == parts.len() && parts.len() > 2 {
            names[index]
        } else {
            names[usize::from(is_between)]
        };
        find(collective, name).map(|algorithm| Phase {
            algorithm,
            among,
            words,
        })
    };
    if names.len() != 2 && names.len() != parts.len() {
        return None;
    }
    let phases = parts
        .iter()
        .enumerate()
        .map(of)
        .collect::<Option<Vec<_>>>()?;
    let about = match way {
        "leaders" => (
            "within nodes, and between the leaders of nodes",
            (papers::LEADERS, "section 3"),
        ),
        _ => (
            "within nodes, and on a part of the words between the ranks of each lane",
            (papers::LANES, "section III"),
        ),
    };
    Some(keep(
        collective,
        (name, 2),
        about,
        Box::leak(Box::new(Hierarchy {
            phases,
            has_lanes: way == "lanes",
            is_pipelined: in_fragments.is_some(),
        })),
    ))
}

/// The number of an algorithm whose name states a number: `allgather-pat:4`, or `allgather-recursive-exchange-8` beside that with 4.
fn numbered(collective: &'static str, name: &str) -> Option<usize> {
    if let Some(number) = known::number(collective, name) {
        return Some(number);
    }
    let (before, digits) = name.split_at(stem(name));
    let is_it = |listed: &&Listed<dyn Algorithm>| match before.strip_suffix(':') {
        Some(before) => before == listed.name,
        None => before == &listed.name[..stem(listed.name)] && before != listed.name,
    };
    let listed = Collective::named(collective)?.entries.iter().find(is_it)?;
    let number = digits.parse().ok().filter(|_| !digits.starts_with('0'))?;
    let algorithm = Box::leak(listed.algorithm.with_number(number)?);
    let own = &listed.name[stem(listed.name)..];
    let summary = match own {
        "" => listed.summary,
        _ => listed.summary.replace(own, digits).leak(),
    };
    let about = (summary, (listed.paper, listed.section));
    Some(keep(collective, (name, listed.revision), about, algorithm))
}

/// An algorithm of the catalogue by the rest of its name, or with a number.
fn find(collective: &'static str, rest: &str) -> Option<&'static dyn Algorithm> {
    Collective::named(collective)?.find(rest).or_else(|| {
        let number = numbered(collective, &format!("{collective}-{rest}"))?;
        known::listed(collective, number).map(|listed| listed.algorithm)
    })
}

/// The algorithm of any collective with this name: one of the catalogue, or one that the name composes of such.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Algorithm> {
    let of = |collective: &Collective| {
        let listed = || {
            let number = composed(collective.name, name)?;
            known::listed(collective.name, number).map(|listed| listed.algorithm)
        };
        let rest = name.strip_prefix(collective.name)?.strip_prefix('-')?;
        collective.find(rest).or_else(listed)
    };
    list::ALL
        .into_iter()
        .find_map(of)
        .filter(|algorithm| !algorithm.properties().is_given)
}

/// Keeps an algorithm under this name, and returns its number.
fn keep(
    collective: &'static str,
    (name, revision): (&str, u32),
    (summary, (paper, section)): (&'static str, (&'static str, &'static str)),
    algorithm: &'static dyn Algorithm,
) -> usize {
    let name = name.to_owned().leak();
    known::keep(
        collective,
        About {
            name,
            summary,
            paper,
            section,
            revision,
            is_given: false,
        },
        algorithm,
    )
}

#[cfg(test)]
mod tests;
