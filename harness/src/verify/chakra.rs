//! Reads Chakra execution traces, one for each rank: protobuf, as Chakra and ASTRA-sim write it.
//!
//! A trace is a graph of nodes. Sends and receives of one (sender, receiver, tag) are a channel; a COMP node after a receive adds what
//! came to the chunk it came to. Traces name no chunks, but those that ASTRA-sim's converter makes of MSCCL XML keep the XML: then
//! the result is judged. A trace of one call of a collective is right if all ranks call the same.

use std::collections::{HashMap, HashSet};

use super::finding::{Finding, FindingKind, Trouble, agreed};
use super::graph::chains;
use super::keys;
use super::memory::{Span, number};
use super::msccl::{self, Layout};
use super::schedule::{Location, Schedule, Step};
use super::task::Collective;

/// The kinds of nodes that matter.
const COMP: u64 = 4;
const SEND: u64 = 5;
const RECEIVE: u64 = 6;
const COLLECTIVE: u64 = 7;

#[derive(Debug, Default)]
struct Node {
    id: u64,
    name: String,
    kind: u64,
    depends: Vec<u64>,
    /// Why it is not judged, if it is a message or a call.
    unknown: Option<Trouble>,
    /// `comm_size`, `comm_src` or `comm_dst`, `comm_tag`, `comm_type`.
    size: u64,
    peer: u64,
    tag: u64,
    what: u64,
}

/// A field of a message of protobuf. A value of 32 or 64 bits is empty bytes: no field that matters has one.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let &byte = bytes.split_off_first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// The bytes of a message, which its length comes before.
fn message<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let count = varint(bytes)?;
    bytes.split_off(..usize::try_from(count).ok()?)
}

/// The number of the next field and the field.
fn field<'a>(bytes: &mut &'a [u8]) -> Option<(u64, Field<'a>)> {
    let key = varint(bytes)?;
    let field = match key & 7 {
        0 => Field::Number(varint(bytes)?),
        1 => bytes.split_off(..8).map(|_| Field::Bytes(&[]))?,
        2 => Field::Bytes(message(bytes)?),
        5 => bytes.split_off(..4).map(|_| Field::Bytes(&[]))?,
        _ => return None,
    };
    Some((key >> 3, field))
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or("")
}

/// The name of an attribute, its number and its text.
fn attribute(mut bytes: &[u8]) -> Option<(&str, u64, &str)> {
    let (mut name, mut value, mut words) = ("", 0, "");
    while !bytes.is_empty() {
        match field(&mut bytes)? {
            (1, Field::Bytes(bytes)) => name = text(bytes),
            (29, Field::Bytes(bytes)) => words = text(bytes),
            (_, Field::Number(found)) => value = found,
            _ => {}
        }
    }
    Some((name, value, words))
}

fn node(mut bytes: &[u8]) -> Option<Node> {
    let mut node = Node::default();
    while !bytes.is_empty() {
        match field(&mut bytes)? {
            (1, Field::Number(id)) => node.id = id,
            (2, Field::Bytes(name)) => node.name = text(name).to_owned(),
            (3, Field::Number(kind)) => node.kind = kind,
            (5, Field::Number(id)) => node.depends.push(id),
            (5, Field::Bytes(mut packed)) => {
                while !packed.is_empty() {
                    node.depends.push(varint(&mut packed)?);
                }
            }
            (10, Field::Bytes(bytes)) => match attribute(bytes)? {
                ("comm_size", value, _) => node.size = value,
                ("comm_src" | "comm_dst", value, _) => node.peer = value,
                ("comm_tag", value, _) => node.tag = value,
                ("comm_type", value, _) => node.what = value,
                (name, ..) => {
                    node.unknown = node.unknown.take().or_else(|| {
                        keys::CHAKRA
                            .check("a node", name)
                            .err()
                            .map(Trouble::not_judged)
                    })
                }
            },
            _ => {}
        }
    }
    Some(node)
}

/// The MSCCL XML that a trace was made of, from its first message.
fn source(mut bytes: &[u8]) -> Option<Option<&str>> {
    let mut xml = None;
    while !bytes.is_empty() {
        if let (2, Field::Bytes(bytes)) = field(&mut bytes)? {
            let (name, _, words) = attribute(bytes)?;
            xml = xml.or(Some(words).filter(|_| name == "input_file"));
        }
    }
    Some(xml)
}

/// The trace of a rank in messages.
fn of_rank(rank: usize) -> String {
    format!("the trace of rank {rank}, `.{rank}.et`")
}

/// The nodes of the file of a rank, and the MSCCL XML that it was made of.
fn trace(rank: usize, file: &[u8]) -> Result<(Vec<Node>, Option<&str>), Trouble> {
    let damaged = |rest: &[u8]| {
        let at = file.len() - rest.len();
        let what = format!("the message at byte {at} of {}", file.len());
        let rank = of_rank(rank);
        Trouble::file(format!(
            "{rank}: {what} is damaged or cut; expected a Chakra trace, whole and not compressed"
        ))
    };
    let mut rest = file;
    let xml = message(&mut rest)
        .and_then(source)
        .ok_or_else(|| damaged(file))?;
    let mut nodes = Vec::new();
    while !rest.is_empty() {
        let begin = rest;
        let node = message(&mut rest)
            .and_then(node)
            .ok_or_else(|| damaged(begin))?;
        if let Some(unknown) = node
            .unknown
            .clone()
            .filter(|_| matches!(node.kind, SEND | RECEIVE | COLLECTIVE))
        {
            return Err(unknown);
        }
        nodes.push(node);
    }
    if nodes.is_empty() {
        Err(Trouble::file(format!(
            "{}: there is no node; expected a Chakra trace, whole and not compressed",
            of_rank(rank)
        )))
    } else {
        Ok((nodes, xml))
    }
}

/// Reads the traces of all ranks.
///
/// # Errors
/// [`Trouble::Unread`] for other files; [`Trouble::Wrong`] for nodes that wait for each other or for a node that is missing, for a
/// message to a rank without a trace, and for ranks that call different collectives.
///
/// Cost: linear in the length.
pub fn read(
    files: &[Vec<u8>],
    asked: Option<&'static Collective>,
    root: u32,
) -> Result<Schedule, Trouble> {
    let traces = files
        .iter()
        .enumerate()
        .map(|(rank, file)| trace(rank, file))
        .collect::<Result<Vec<_>, _>>()?;
    let ranks = number(traces.len());
    let mut schedule = Schedule::new(ranks, files.iter().map(Vec::len).sum());
    if traces
        .iter()
        .any(|(nodes, _)| nodes.iter().any(|node| node.kind == COLLECTIVE))
    {
        calls(&mut schedule, &traces, asked)?;
        return Ok(schedule);
    }
    let xml = traces[0].1.filter(|xml| xml.contains("<algo"));
    let is_algorithm = |xml: &Option<&str>| xml.is_some_and(|xml| xml.contains("<algo"));
    let differs = |(_, own): &(Vec<Node>, Option<&str>)| *own != traces[0].1;
    if traces.iter().any(|(_, xml)| is_algorithm(xml))
        && let Some(other) = traces.iter().position(differs)
    {
        return Err(Trouble::file(format!(
            "{} keeps another MSCCL XML than that of rank 0; trace all ranks of one schedule",
            of_rank(other)
        )));
    }
    let layout = xml
        .map(|xml| msccl::layout(&mut schedule, xml, asked, root))
        .transpose()?;
    if let Some(layout) = &layout {
        check_whole(layout, &traces)?;
    }
    let layout = layout.filter(|layout| layout.gpus.len() == traces.len());
    // The XML has a number of ranks of its own.
    schedule.ranks = ranks;
    if layout.is_none() {
        schedule.task = None;
        schedule.not_judged = Some(
            "the traces do not say which chunks messages carry: the result is not judged"
                .to_owned(),
        );
        check_balance(&traces)?;
    }
    if traces
        .iter()
        .flat_map(|(nodes, _)| nodes)
        .any(|node| node.kind == COMP)
    {
        schedule
            .notes
            .push("COMP nodes take no time here, as sums in other formats".to_owned());
    }
    let layout = layout.filter(|_| schedule.task.is_some());
    let mut writer = Writer {
        schedule,
        layout,
        base: 0,
    };
    for (rank, (nodes, _)) in (0..).zip(&traces) {
        writer.rank(rank, nodes)?;
    }
    Ok(writer.schedule)
}

/// The chunks of a message: the block and the step of the XML that its name ends with, `tb0_step1`.
fn place(node: &Node) -> Option<(usize, usize)> {
    let (block, step) = node.name.rsplit_once("tb")?.1.split_once("_step")?;
    Some((block.parse().ok()?, step.parse().ok()?))
}

fn is_message(node: &Node) -> bool {
    matches!(node.kind, SEND | RECEIVE)
}

/// Checks that there is a trace for each rank of the XML, and that none ends before the messages of its blocks.
///
/// # Errors
/// [`Trouble::Unread`] with the trace that is missing or cut.
fn check_whole(layout: &Layout<'_>, traces: &[(Vec<Node>, Option<&str>)]) -> Result<(), Trouble> {
    let ranks = layout.gpus.len();
    if traces.len() < ranks {
        let missing = of_rank(traces.len());
        return Err(Trouble::file(format!(
            "{missing}, is missing: the traces are of {ranks} ranks"
        )));
    }
    for (rank, (nodes, _)) in traces.iter().enumerate().take(ranks) {
        let found: HashSet<_> = nodes
            .iter()
            .filter(|node| is_message(node))
            .filter_map(place)
            .collect();
        let mut lost = layout.messages(rank).filter(|at| !found.contains(at));
        if let Some((block, step)) = lost.next().filter(|_| !found.is_empty()) {
            return Err(Trouble::file(format!(
                "{}, is cut: it lacks the message of step {step} of block {block}, which its MSCCL XML has",
                of_rank(rank)
            )));
        }
    }
    Ok(())
}

/// Checks that no trace lacks messages that several others have.
///
/// # Errors
/// The trace that lacks messages, where it is certain which one does.
fn check_balance(traces: &[(Vec<Node>, Option<&str>)]) -> Result<(), Trouble> {
    // Sends less receives by sender, receiver and tag.
    let mut open: HashMap<(u64, u64, u64), i64> = HashMap::new();
    for (rank, (nodes, _)) in (0..).zip(traces) {
        for node in nodes.iter().filter(|node| is_message(node)) {
            let (pair, one) = if node.kind == SEND {
                ((rank, node.peer), 1)
            } else {
                ((node.peer, rank), -1)
            };
            *open.entry((pair.0, pair.1, node.tag)).or_default() += one;
        }
    }
    // A rank lacks the other end of each.
    let lacks = |(&(from, to, _), &more): (&(u64, u64, u64), &i64)| match more {
        0 => None,
        1.. => Some(to),
        _ => Some(from),
    };
    let mut lacking: Vec<u64> = open.iter().filter_map(lacks).collect();
    lacking.sort_unstable();
    let (Some(&rank), true) = (
        lacking.first(),
        lacking.windows(2).all(|pair| pair[0] == pair[1]),
    ) else {
        return Ok(());
    };
    let at = usize::try_from(rank).unwrap_or(usize::MAX);
    let Some((nodes, _)) = traces.get(at) else {
        return Ok(());
    };
    let location = Location {
        rank: number(at),
        block: 0,
        step: nodes
            .last()
            .and_then(|node| u32::try_from(node.id).ok())
            .unwrap_or(u32::MAX),
        line: 0,
    };
    let what = format!(
        "{} lacks messages that other ranks send or receive; is it cut?",
        of_rank(at)
    );
    Err(Finding::at(FindingKind::Unmatched, location, what).into())
}

impl Location {
    /// A node of a rank.
    fn of(rank: u32, node: &Node) -> Self {
        Self {
            rank,
            block: 0,
            step: u32::try_from(node.id).unwrap_or(u32::MAX),
            line: 0,
        }
    }
}

/// The nodes that each one waits for, and all of them in chains.
///
/// # Errors
/// A node that waits for itself, or for one that is missing.
fn in_chains(rank: u32, nodes: &[Node]) -> Result<(Waits, Waits), Trouble> {
    let deadlock = |at: usize, what: String| {
        Finding::at(FindingKind::Deadlock, Location::of(rank, &nodes[at]), what)
    };
    let depends = waits(nodes).map_err(|(at, what)| deadlock(at, what))?;
    let circle = "waits for a node that waits for it: a circle of data_deps";
    let chains = chains(&depends).map_err(|at| deadlock(at, circle.to_owned()))?;
    Ok((depends, chains))
}

/// Lists of nodes, by their indices.
type Waits = Vec<Vec<usize>>;

struct Writer<'a> {
    schedule: Schedule,
    layout: Option<Layout<'a>>,
    /// The first step of the rank.
    base: u32,
}

impl Writer<'_> {
    fn rank(&mut self, rank: u32, nodes: &[Node]) -> Result<(), Trouble> {
        let location = |node: &Node, block| Location {
            block,
            ..Location::of(rank, node)
        };
        let (depends, chains) = in_chains(rank, nodes)?;
        let mut steps = vec![0; nodes.len()];
        chains
            .iter()
            .flatten()
            .zip(self.base..)
            .for_each(|(&at, step)| steps[at] = step);
        // Receives that a COMP node adds up.
        let mut sums = vec![false; nodes.len()];
        for (_, before) in nodes
            .iter()
            .zip(&depends)
            .filter(|(node, _)| node.kind == COMP)
        {
            before
                .iter()
                .copied()
                .filter(|&at| nodes[at].kind == RECEIVE)
                .for_each(|at| sums[at] = true);
        }
        for (block, chain) in (0..).zip(&chains) {
            self.schedule.block(rank, block);
            for &at in chain {
                let node = &nodes[at];
                let waits: Vec<u32> = depends[at].iter().map(|&at| steps[at]).collect();
                let sends = node.kind == SEND;
                let span = self.span(rank, node);
                let mut step = Step {
                    number: location(node, block).step,
                    bytes: node.size,
                    ..Step::default()
                };
                if sends || node.kind == RECEIVE {
                    step = step.on(self.channel(rank, node, location(node, block))?, sends);
                    step.count = span.map_or(1, |span| span.count);
                }
                let reads = span.filter(|_| sends || sums[at]);
                let writes = span.filter(|_| node.kind == RECEIVE);
                self.schedule
                    .push(step, [reads.as_slice(), writes.as_slice()], &waits);
            }
        }
        self.base += number(nodes.len());
        Ok(())
    }

    fn span(&self, rank: u32, node: &Node) -> Option<Span> {
        let (block, step) = place(node).filter(|_| is_message(node))?;
        self.layout
            .as_ref()?
            .span(rank, block, step, node.kind == SEND)
    }

    fn channel(&mut self, rank: u32, node: &Node, location: Location) -> Result<u32, Trouble> {
        let peer = u32::try_from(node.peer)
            .ok()
            .filter(|&peer| peer < self.schedule.ranks && peer != rank);
        if node.peer >= u64::from(self.schedule.ranks) {
            let (named, ranks) = (node.peer, self.schedule.ranks);
            return Err(Trouble::file(format!(
                "the trace of rank {named}, `.{named}.et`, is missing: {location} names it, and there are traces of {ranks} ranks"
            )));
        }
        let Some(peer) = peer else {
            let what = format!(
                "names rank {} as its peer; there are traces of {} ranks",
                node.peer, self.schedule.ranks
            );
            return Err(Finding::at(FindingKind::Missing, location, what).into());
        };
        let tag = u32::try_from(node.tag & 0xffff_ffff).unwrap_or(0);
        Ok(self.schedule.channel(rank, peer, node.kind == SEND, tag))
    }
}

/// The nodes that each node waits for, by their positions.
///
/// # Errors
/// A node that depends on a missing one, or has the number of another one.
fn waits(nodes: &[Node]) -> Result<Vec<Vec<usize>>, (usize, String)> {
    let mut by_id = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        if by_id.insert(node.id, at).is_some() {
            return Err((at, format!("has the number {} of another node", node.id)));
        }
    }
    let position = |at: usize, id: u64| {
        by_id
            .get(&id)
            .copied()
            .ok_or_else(|| (at, format!("waits for node {id}, which does not exist")))
    };
    nodes
        .iter()
        .enumerate()
        .map(|(at, node)| node.depends.iter().map(|&id| position(at, id)).collect())
        .collect()
}

/// The collectives of traces, by `comm_type`.
const CALLS: [&str; 10] = [
    "allreduce",
    "reduce",
    "allgather",
    "gather",
    "scatter",
    "broadcast",
    "alltoall",
    "reduce-scatter",
    "reduce-scatter",
    "barrier",
];

/// One call of a collective by all ranks, which is right if it is the same one.
fn calls(
    schedule: &mut Schedule,
    traces: &[(Vec<Node>, Option<&str>)],
    asked: Option<&'static Collective>,
) -> Result<(), Trouble> {
    let mut first = None;
    for (rank, (nodes, _)) in (0..).zip(traces) {
        let calls: Vec<_> = nodes
            .iter()
            .filter(|node| node.kind == COLLECTIVE)
            .collect();
        let others = nodes.iter().any(|node| matches!(node.kind, SEND | RECEIVE));
        let [call] = calls[..] else {
            return Err(Trouble::not_judged(format!(
                "rank {rank} calls {} collectives: verify judges the schedule or the call of one",
                calls.len()
            )));
        };
        if others {
            return Err(Trouble::not_judged(
                "verify judges traces of sends and receives, or of one call",
            ));
        }
        in_chains(rank, nodes)?;
        let what = (call.what, call.size);
        let location = Location::of(rank, call);
        if *first.get_or_insert(what) != what {
            return Err(Finding::at(
                FindingKind::Unmatched,
                location,
                "calls another collective, or one of another size, than rank 0",
            )
            .into());
        }
        schedule.block(rank, 0);
        schedule.push(
            Step {
                number: location.step,
                ..Step::default()
            },
            [&[], &[]],
            &[],
        );
    }
    let called =
        first.and_then(|(what, _)| Collective::named(CALLS.get(usize::try_from(what).ok()?)?));
    let called =
        called.ok_or_else(|| Trouble::not_judged("it calls no collective that castbench knows"))?;
    agreed(asked, Some(called))?;
    schedule.notes.push(
        "it calls a collective of a library: neither its messages nor their cost are known"
            .to_owned(),
    );
    (schedule.judged, schedule.has_no_cost) = (Some(called), true);
    Ok(())
}
