//! Reads plans in JSON; docs/plans.md describes the format, docs/plans.schema.json its grammar.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use algorithms::internals::collectives::hierarchy::by_name;
use algorithms::internals::collectives::written::{
    Freight, MAX_RANGES, Operations, Parents, Written,
};
use serde::de::{Error as _, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::shape::Shape;
use crate::base::near;
use crate::base::units::{MAX_REPEATED, shortened};

/// Most parts of a plan, one after the other.
const MAX_PARTS: usize = 256;

/// The parts of a plan, with a limit, so that a short text cannot fill the memory.
struct Parts(Vec<Wire>);

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Parts {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MAX_PARTS}")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Self, A::Error> {
        while let Some(next) = list.next_element()? {
            if self.0.len() == MAX_PARTS {
                return Err(A::Error::custom(format_args!(
                    "more than {MAX_PARTS} in a list"
                )));
            }
            self.0.push(next);
        }
        Ok(self)
    }
}

/// A value that is not null, of a key that may be left out.
fn some<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    from: u32,
    to: u32,
    #[serde(default, deserialize_with = "some")]
    blocks: Option<Vec<u32>>,
    #[serde(default)]
    combine: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Operation {
    #[serde(default, deserialize_with = "some")]
    send: Option<u32>,
    #[serde(default, deserialize_with = "some")]
    receive: Option<u32>,
    #[serde(default, deserialize_with = "some")]
    blocks: Option<Vec<u32>>,
    #[serde(default)]
    combine: bool,
    #[serde(default)]
    tag: u32,
}

/// Each element with the number of its list and its own number there.
fn numbered<T>(lists: &[Vec<T>]) -> impl Iterator<Item = (u32, usize, &T)> {
    (0..).zip(lists).flat_map(|(number, list)| {
        list.iter()
            .enumerate()
            .map(move |(index, one)| (number, index, one))
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Way {
    Up,
    Down,
}

/// A plan as its file has it: one of the six keys in the middle states what is done.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    #[serde(default, rename = "comment")]
    _comment: IgnoredAny,
    #[serde(default, deserialize_with = "some")]
    number: Option<u64>,
    #[serde(default, deserialize_with = "some")]
    root: Option<u32>,
    #[serde(default, deserialize_with = "some")]
    cut: Option<u32>,
    #[serde(default, deserialize_with = "some")]
    rounds: Option<Vec<Vec<Message>>>,
    #[serde(default, deserialize_with = "some")]
    operations: Option<Vec<Vec<Operation>>>,
    #[serde(default, deserialize_with = "some")]
    parents: Option<Vec<Option<u32>>>,
    #[serde(default, deserialize_with = "some")]
    then: Option<Parts>,
    #[serde(default, deserialize_with = "some")]
    reverse: Option<Box<Wire>>,
    #[serde(default, deserialize_with = "some")]
    algorithm: Option<String>,
    #[serde(default, deserialize_with = "some")]
    way: Option<Way>,
    #[serde(default, deserialize_with = "some")]
    order: Option<Vec<u32>>,
    #[serde(default, deserialize_with = "some")]
    combine: Option<bool>,
}

/// The plan in a text, and the rank that has the operand at the start, or gets the result, where the text states it.
///
/// # Errors
/// Line and column, or the path in the plan, and what was expected.
pub fn read(text: &[u8], shape: &Shape) -> Result<(Written, Option<u32>), String> {
    match answer(text, shape)? {
        Answer { plan, number: None } => Ok(plan),
        Answer {
            number: Some(_), ..
        } => {
            Err("plan.number: only the answer of a command has a number; remove the key".to_owned())
        }
    }
}

/// The answer of a command.
pub struct Answer {
    /// What [`read`] gives.
    pub plan: (Written, Option<u32>),
    /// The number of the question that it answers, where it states one.
    pub number: Option<u64>,
}

/// Reads the answer of a command.
///
/// # Errors
/// Those of [`read`].
pub fn answer(text: &[u8], shape: &Shape) -> Result<Answer, String> {
    let wire = parse(text)?;
    let (root, number) = (wire.root, wire.number);
    let plan = Reader {
        shape,
        ranges: Cell::default(),
    }
    .plan(wire, "plan")?;
    Ok(Answer {
        plan: (plan, root),
        number,
    })
}

/// For how many ranks a plan is, where it lists something for each of them.
///
/// # Errors
/// Line and column, and what was expected.
pub fn ranks(text: &[u8]) -> Result<Option<u32>, String> {
    let ranks = parse(text)?.ranks();
    Ok(ranks.map(|ranks| u32::try_from(ranks).unwrap_or(u32::MAX)))
}

fn parse(text: &[u8]) -> Result<Wire, String> {
    serde_json::from_slice(text).map_err(|error| unread(&error))
}

/// Line and column of a mistake, and what was expected.
pub fn unread(error: &serde_json::Error) -> String {
    let reason = error.to_string();
    let reason = reason
        .rsplit_once(" at line ")
        .map_or(reason.as_str(), |(reason, _)| reason);
    format!("line {}, column {}: {reason}", error.line(), error.column())
}

impl Wire {
    fn ranks(&self) -> Option<usize> {
        let operations = self.operations.as_ref().map(Vec::len);
        let parents = || self.parents.as_ref().map(Vec::len);
        let parts = || {
            self.then
                .iter()
                .flat_map(|Parts(parts)| parts)
                .find_map(Self::ranks)
        };
        operations
            .or_else(parents)
            .or_else(parts)
            .or_else(|| self.reverse.as_ref()?.ranks())
    }
}

struct Reader<'a> {
    shape: &'a Shape,
    /// The ranges of ranks in the subtrees of its trees.
    ranges: Cell<usize>,
}

const KINDS: &str = "`rounds`, `operations`, `parents`, `then`, `reverse` or `algorithm`";

impl Reader<'_> {
    fn plan(&self, wire: Wire, path: &str) -> Result<Written, String> {
        let kinds = [
            ("rounds", wire.rounds.is_some()),
            ("operations", wire.operations.is_some()),
            ("parents", wire.parents.is_some()),
            ("then", wire.then.is_some()),
            ("reverse", wire.reverse.is_some()),
            ("algorithm", wire.algorithm.is_some()),
        ];
        let mut given = kinds
            .iter()
            .filter(|(_, is_given)| *is_given)
            .map(|(kind, _)| *kind);
        let kind = given
            .next()
            .ok_or_else(|| format!("{path}: expected one of {KINDS}"))?;
        if let Some(other) = given.next() {
            return Err(format!(
                "{path}: `{kind}` and `{other}` exclude each other; expected one of {KINDS}"
            ));
        }
        let read_by = [
            ("cut", wire.cut.is_some(), &["rounds", "operations"][..]),
            ("way", wire.way.is_some(), &["parents"]),
            ("order", wire.order.is_some(), &["parents"]),
            ("combine", wire.combine.is_some(), &["reverse"]),
            ("root", wire.root.is_some() && path != "plan", &[]),
            ("number", wire.number.is_some() && path != "plan", &[]),
        ];
        if let Some((key, ..)) = read_by
            .iter()
            .find(|(_, is_given, kinds)| *is_given && !kinds.contains(&kind))
        {
            return Err(format!(
                "{path}.{key}: a plan of `{kind}` has no such key here; remove it"
            ));
        }
        let cut = wire.cut.unwrap_or(1);
        let blocks = self
            .shape
            .blocks
            .checked_mul(cut)
            .filter(|&blocks| blocks > 0)
            .ok_or_else(|| {
                format!(
                    "{path}.cut = {cut}: expected 1 to {}",
                    u32::MAX / self.shape.blocks
                )
            })?;
        if let Some(rounds) = wire.rounds {
            return self.rounds(&rounds, (cut, blocks), path);
        }
        if let Some(operations) = wire.operations {
            return self.operations(&operations, (cut, blocks), path);
        }
        if let Some(parents) = wire.parents {
            return self.tree(parents, wire.way, wire.order, path);
        }
        if let Some(Parts(parts)) = wire.then {
            return parts
                .into_iter()
                .enumerate()
                .map(|(number, part)| self.plan(part, &format!("{path}.then[{number}]")))
                .collect::<Result<_, _>>()
                .map(Written::Then);
        }
        if let Some(reverse) = wire.reverse {
            let plan = Box::new(self.plan(*reverse, &format!("{path}.reverse"))?);
            return Ok(Written::Reverse {
                plan,
                is_combined: wire.combine.unwrap_or(false),
            });
        }
        let name = wire.algorithm.unwrap_or_default();
        by_name(&name).map(Written::Named).ok_or_else(|| {
            let (name, advice) = (shortened(&name, MAX_REPEATED), near::algorithms(&name));
            format!("{path}.algorithm: there is no algorithm `{name}` for a collective; {advice}")
        })
    }

    fn rank(&self, rank: u32, me: Option<u32>, path: impl Fn() -> String) -> Result<(), String> {
        if rank >= self.shape.ranks {
            return Err(format!(
                "{} = {rank}: expected a rank below K = {}",
                path(),
                self.shape.ranks
            ));
        }
        if me == Some(rank) {
            return Err(format!(
                "{} = {rank}: expected another rank than its own",
                path()
            ));
        }
        Ok(())
    }

    /// The ranges of blocks of a message, by default all.
    fn blocks(
        own: Option<&Vec<u32>>,
        all: u32,
        path: impl Fn() -> String,
    ) -> Result<Vec<(u32, u32)>, String> {
        let Some(blocks) = own else {
            return Ok(vec![(0, all)]);
        };
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for &block in blocks {
            match ranges.last_mut() {
                _ if block >= all => {
                    return Err(format!(
                        "{}.blocks: block {block} of {all}; expected blocks below {all}",
                        path()
                    ));
                }
                Some(last) if last.1 > block => {
                    let reason = format!(
                        "block {block} after block {}: expected ascending blocks",
                        last.1 - 1
                    );
                    return Err(format!("{}.blocks: {reason}", path()));
                }
                Some(last) if last.1 == block => last.1 = block + 1,
                _ => ranges.push((block, block + 1)),
            }
        }
        Ok(ranges)
    }

    fn rounds(
        &self,
        rounds: &[Vec<Message>],
        (cut, all): (u32, u32),
        path: &str,
    ) -> Result<Written, String> {
        // Ends of messages: rank, round, whether it receives, number of the message.
        let mut ends: Vec<(u32, u32, bool, usize)> = Vec::new();
        let mut messages = Vec::new();
        for (round, index, message) in numbered(rounds) {
            let at = |key: &str| format!("{path}.rounds[{round}][{index}]{key}");
            self.rank(message.from, None, || at(".from"))?;
            self.rank(message.to, Some(message.from), || at(".to"))?;
            ends.push((message.from, round, false, messages.len()));
            ends.push((message.to, round, true, messages.len()));
            messages.push((
                message,
                Self::blocks(message.blocks.as_ref(), all, || at(""))?,
            ));
        }
        ends.sort_unstable();
        let mut operations = Operations::new(cut, ends.len());
        let mut next = ends.into_iter().peekable();
        for rank in 0..self.shape.ranks {
            operations.rank();
            while let Some((_, round, is_receive, number)) = next.next_if(|end| end.0 == rank) {
                let (message, blocks) = &messages[number];
                let blocks = blocks.iter().copied();
                match is_receive {
                    false => operations.send(message.to, round, blocks),
                    true => operations.receive(message.from, round, message.combine, blocks),
                }
            }
        }
        Ok(Written::Operations(Arc::new(operations)))
    }

    fn operations(
        &self,
        ranks: &[Vec<Operation>],
        (cut, all): (u32, u32),
        path: &str,
    ) -> Result<Written, String> {
        let (given, expected) = (ranks.len(), self.shape.ranks);
        if given != expected as usize {
            return Err(format!(
                "{path}.operations has {given} lists; expected one for each of K = {expected} ranks"
            ));
        }
        let mut operations = Operations::new(cut, ranks.iter().map(Vec::len).sum());
        let mut begun = 0;
        for (rank, index, operation) in numbered(ranks) {
            while begun <= rank {
                operations.rank();
                begun += 1;
            }
            let at = |key: &str| format!("{path}.operations[{rank}][{index}]{key}");
            let blocks = Self::blocks(operation.blocks.as_ref(), all, || at(""))?;
            match (operation.send, operation.receive) {
                (Some(to), None) if !operation.combine => {
                    self.rank(to, Some(rank), || at(".send"))?;
                    operations.send(to, operation.tag, blocks);
                }
                (None, Some(from)) => {
                    self.rank(from, Some(rank), || at(".receive"))?;
                    operations.receive(from, operation.tag, operation.combine, blocks);
                }
                (Some(_), None) => {
                    return Err(format!(
                        "{}: a send does not combine; remove the key",
                        at(".combine")
                    ));
                }
                _ => {
                    return Err(format!(
                        "{}: expected `send` or `receive`, with a rank",
                        at("")
                    ));
                }
            }
        }
        (begun..expected).for_each(|_| operations.rank());
        Ok(Written::Operations(Arc::new(operations)))
    }

    fn tree(
        &self,
        parents: Vec<Option<u32>>,
        way: Option<Way>,
        order: Option<Vec<u32>>,
        path: &str,
    ) -> Result<Written, String> {
        let (given, expected) = (parents.len(), self.shape.ranks);
        if given != expected as usize {
            return Err(format!(
                "{path}.parents has {given}; expected one for each of K = {expected} ranks"
            ));
        }
        for (rank, parent) in (0..).zip(&parents) {
            parent.map_or(Ok(()), |parent| {
                self.rank(parent, Some(rank), || format!("{path}.parents[{rank}]"))
            })?;
        }
        let order = order.unwrap_or_else(|| (0..expected).collect());
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..expected) {
            return Err(format!(
                "{path}.order: expected each of the ranks 0 to {} once",
                expected - 1
            ));
        }
        let [started, ended] = self.shape.of_another();
        let is_up = match way {
            Some(way) => matches!(way, Way::Up),
            None => match () {
                () if ended == 0 => true,
                () if started == 0 => false,
                () => {
                    let problem = self.shape.collective.name;
                    return Err(format!(
                        "{path}: a tree of `{problem}` needs \"way\": \"up\" or \"down\""
                    ));
                }
            },
        };
        // Ranks that have only some of the blocks send or get those of their subtree, if each rank has one.
        let of_rank = if is_up { started } else { ended };
        let freight = if self.shape.blocks == expected && of_rank < self.shape.blocks as usize {
            Freight::Subtree
        } else {
            Freight::All
        };
        let tree = Parents::new(parents, order, (freight, is_up), self.shape.blocks.into())
            .map_err(|reason| format!("{path}.parents: {reason}"))?;
        self.ranges.set(self.ranges.get() + tree.ranges());
        if self.ranges.get() > MAX_RANGES {
            return Err(format!(
                "{path}.parents: all subtrees have more than {MAX_RANGES} ranges of consecutive ranks"
            ));
        }
        Ok(Written::Tree(Arc::new(tree)))
    }
}
