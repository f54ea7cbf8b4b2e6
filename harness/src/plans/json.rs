//! Reads plans in JSON; docs/plans.md describes the format, docs/plans.schema.json its grammar.

use std::fmt;
use std::sync::Arc;

use algorithms::internals::collectives::hierarchy::by_name;
use algorithms::internals::collectives::written::{Freight, Operations, Parents, Written};
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::shape::Shape;
use crate::near;
use crate::units::{MAX_REPEATED, shortened};

/// Most parts of a plan, one after the other.
const MAX_PARTS: usize = 256;

/// A list with a limit, so that a short text cannot fill the memory.
struct Few<T, const MOST: usize>(Vec<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for Few<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self(Vec::new()))
    }
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Few<T, MOST> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MOST}")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Self, A::Error> {
        while let Some(next) = list.next_element()? {
            if self.0.len() == MOST {
                return Err(A::Error::custom(format_args!("more than {MOST} in a list")));
            }
            self.0.push(next);
        }
        Ok(self)
    }
}

/// Ascending numbers of blocks, as ranges.
struct Blocks(Vec<(u32, u32)>);

impl<'de> Deserialize<'de> for Blocks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Blocks {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ascending numbers of blocks, as [0, 1, 4]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self, A::Error> {
        let Self(mut ranges) = self;
        while let Some(block) = list.next_element::<u32>()? {
            match ranges.last_mut() {
                Some(last) if last.1 > block => {
                    let told = format_args!("block {block} after block {}: expected ascending blocks", last.1 - 1);
                    return Err(A::Error::custom(told));
                }
                Some(last) if last.1 == block => last.1 = block.saturating_add(1),
                _ => ranges.push((block, block.saturating_add(1))),
            }
        }
        ranges.shrink_to_fit();
        Ok(Self(ranges))
    }
}

/// A value that is not null, of a key that may be left out.
fn some<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    from: u32,
    to: u32,
    #[serde(default, deserialize_with = "some")]
    blocks: Option<Blocks>,
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
    blocks: Option<Blocks>,
    #[serde(default)]
    combine: bool,
    #[serde(default)]
    tag: u32,
}

/// A list of lists, one behind the other.
struct Flat<T> {
    all: Vec<T>,
    ends: Vec<u32>,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Flat<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self { all: Vec::new(), ends: Vec::new() })
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Flat<T> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of lists")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut lists: A) -> Result<Self, A::Error> {
        while lists.next_element_seed(Behind(&mut self.all))?.is_some() {
            self.ends.push(u32::try_from(self.all.len()).map_err(A::Error::custom)?);
        }
        Ok(self)
    }
}

/// Reads a list behind others.
struct Behind<'a, T>(&'a mut Vec<T>);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Behind<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Behind<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(next) = list.next_element()? {
            self.0.push(next);
        }
        Ok(())
    }
}

impl<T> Flat<T> {
    /// Each element with the number of its list and its own number there.
    fn numbered(&self) -> impl Iterator<Item = (u32, usize, &T)> {
        let begins = [0].into_iter().chain(self.ends.iter().map(|&end| end as usize));
        (0..).zip(begins.zip(&self.ends)).flat_map(|(number, (begin, &end))| {
            self.all[begin..end as usize].iter().enumerate().map(move |(place, one)| (number, place, one))
        })
    }
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
    root: Option<u32>,
    #[serde(default, deserialize_with = "some")]
    cut: Option<u32>,
    #[serde(default, deserialize_with = "some")]
    rounds: Option<Flat<Message>>,
    #[serde(default, deserialize_with = "some")]
    operations: Option<Flat<Operation>>,
    #[serde(default, deserialize_with = "some")]
    parents: Option<Few<Option<u32>, { Shape::MAX_RANKS as usize }>>,
    #[serde(default, deserialize_with = "some")]
    then: Option<Few<Wire, MAX_PARTS>>,
    #[serde(default, deserialize_with = "some")]
    reverse: Option<Box<Wire>>,
    #[serde(default, deserialize_with = "some")]
    algorithm: Option<String>,
    #[serde(default, deserialize_with = "some")]
    way: Option<Way>,
    #[serde(default, deserialize_with = "some")]
    order: Option<Few<u32, { Shape::MAX_RANKS as usize }>>,
    #[serde(default, deserialize_with = "some")]
    combine: Option<bool>,
}

/// The plan in a text, and the rank that has the operand at the start, or gets the result, where the text states it.
///
/// # Errors
/// Line and column, or the place in the plan, and what was expected.
pub fn read(text: &[u8], shape: &Shape) -> Result<(Written, Option<u32>), String> {
    let wire = parse(text)?;
    let root = wire.root;
    Ok((Reader { shape }.plan(wire, "plan")?, root))
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
    serde_json::from_slice(text).map_err(|error| {
        let told = error.to_string();
        let told = told.rsplit_once(" at line ").map_or(told.as_str(), |(told, _)| told);
        format!("line {}, column {}: {told}", error.line(), error.column())
    })
}

impl Wire {
    fn ranks(&self) -> Option<usize> {
        let operations = self.operations.as_ref().map(|operations| operations.ends.len());
        let parents = || self.parents.as_ref().map(|Few(parents)| parents.len());
        let parts = || self.then.iter().flat_map(|Few(parts)| parts).find_map(Self::ranks);
        operations.or_else(parents).or_else(parts).or_else(|| self.reverse.as_ref()?.ranks())
    }
}

struct Reader<'a> {
    shape: &'a Shape,
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
        let mut given = kinds.iter().filter(|(_, is_given)| *is_given).map(|(kind, _)| *kind);
        let kind = given.next().ok_or_else(|| format!("{path}: expected one of {KINDS}"))?;
        if let Some(other) = given.next() {
            return Err(format!("{path}: `{kind}` and `{other}` exclude each other; expected one of {KINDS}"));
        }
        let read_by = [
            ("cut", wire.cut.is_some(), &["rounds", "operations"][..]),
            ("way", wire.way.is_some(), &["parents"]),
            ("order", wire.order.is_some(), &["parents"]),
            ("combine", wire.combine.is_some(), &["reverse"]),
            ("root", wire.root.is_some() && path != "plan", &[]),
        ];
        if let Some((key, ..)) = read_by.iter().find(|(_, is_given, kinds)| *is_given && !kinds.contains(&kind)) {
            return Err(format!("{path}.{key}: a plan of `{kind}` has no such key here; remove it"));
        }
        let cut = wire.cut.unwrap_or(1);
        let blocks = self.shape.blocks.checked_mul(cut).filter(|&blocks| blocks > 0);
        let blocks =
            blocks.ok_or_else(|| format!("{path}.cut = {cut}: expected 1 to {}", u32::MAX / self.shape.blocks))?;
        if let Some(rounds) = wire.rounds {
            return self.rounds(&rounds, (cut, blocks), path);
        }
        if let Some(operations) = wire.operations {
            return self.operations(&operations, (cut, blocks), path);
        }
        if let Some(Few(parents)) = wire.parents {
            return self.tree(parents, wire.way, wire.order, path);
        }
        if let Some(Few(parts)) = wire.then {
            let part = |(number, part)| self.plan(part, &format!("{path}.then[{number}]"));
            return parts.into_iter().enumerate().map(part).collect::<Result<_, _>>().map(Written::Then);
        }
        if let Some(reverse) = wire.reverse {
            let plan = Box::new(self.plan(*reverse, &format!("{path}.reverse"))?);
            return Ok(Written::Reverse { plan, is_combined: wire.combine.unwrap_or(false) });
        }
        let name = wire.algorithm.unwrap_or_default();
        by_name(&name).map(Written::Named).ok_or_else(|| {
            let (name, advice) = (shortened(&name, MAX_REPEATED), near::algorithms(&name));
            format!("{path}.algorithm: there is no algorithm `{name}` for a collective; {advice}")
        })
    }

    fn rank(&self, rank: u32, me: Option<u32>, path: impl Fn() -> String) -> Result<(), String> {
        if rank >= self.shape.ranks {
            return Err(format!("{} = {rank}: expected a rank below K = {}", path(), self.shape.ranks));
        }
        if me == Some(rank) {
            return Err(format!("{} = {rank}: expected another rank than its own", path()));
        }
        Ok(())
    }

    /// The ranges of blocks of a message, by default all.
    fn blocks(own: Option<&Blocks>, all: u32, path: impl Fn() -> String) -> Result<Vec<(u32, u32)>, String> {
        match own {
            None => Ok(vec![(0, all)]),
            Some(Blocks(ranges)) => match ranges.last() {
                Some(&(_, end)) if end > all => {
                    Err(format!("{}.blocks: block {} of {all}; expected blocks below {all}", path(), end - 1))
                }
                _ => Ok(ranges.clone()),
            },
        }
    }

    fn rounds(&self, rounds: &Flat<Message>, (cut, all): (u32, u32), path: &str) -> Result<Written, String> {
        // Sends of a round come before its receives, each in the order of the file.
        let mut ends: Vec<(u32, u32, bool, u32)> = Vec::with_capacity(2 * rounds.all.len());
        for (index, (round, place, message)) in (0..).zip(rounds.numbered()) {
            let at = |key: &str| format!("{path}.rounds[{round}][{place}]{key}");
            self.rank(message.from, None, || at(".from"))?;
            self.rank(message.to, Some(message.from), || at(".to"))?;
            Self::blocks(message.blocks.as_ref(), all, || at(""))?;
            ends.push((message.from, round, false, index));
            ends.push((message.to, round, true, index));
        }
        ends.sort_unstable();
        let mut operations = Operations::new(cut, ends.len());
        let mut next = ends.into_iter().peekable();
        for rank in 0..self.shape.ranks {
            operations.rank();
            while let Some((_, round, is_receive, index)) = next.next_if(|end| end.0 == rank) {
                let message = &rounds.all[index as usize];
                let whole = [(0, all)];
                let blocks = message.blocks.as_ref().map_or(&whole[..], |blocks| &blocks.0).iter().copied();
                match is_receive {
                    false => operations.send(message.to, round, blocks),
                    true => operations.receive(message.from, round, message.combine, blocks),
                }
            }
        }
        Ok(Written::Operations(Arc::new(operations)))
    }

    fn operations(&self, ranks: &Flat<Operation>, (cut, all): (u32, u32), path: &str) -> Result<Written, String> {
        let (given, expected) = (ranks.ends.len(), self.shape.ranks);
        if given != expected as usize {
            return Err(format!("{path}.operations has {given} lists; expected one for each of K = {expected} ranks"));
        }
        let mut operations = Operations::new(cut, ranks.all.len());
        let mut begun = 0;
        for (rank, place, operation) in ranks.numbered() {
            while begun <= rank {
                operations.rank();
                begun += 1;
            }
            let at = |key: &str| format!("{path}.operations[{rank}][{place}]{key}");
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
                (Some(_), None) => return Err(format!("{}: a send does not combine; remove the key", at(".combine"))),
                _ => return Err(format!("{}: expected `send` or `receive`, with a rank", at(""))),
            }
        }
        (begun..expected).for_each(|_| operations.rank());
        Ok(Written::Operations(Arc::new(operations)))
    }

    fn tree(
        &self,
        parents: Vec<Option<u32>>,
        way: Option<Way>,
        order: Option<Few<u32, { Shape::MAX_RANKS as usize }>>,
        path: &str,
    ) -> Result<Written, String> {
        let (given, expected) = (parents.len(), self.shape.ranks);
        if given != expected as usize {
            return Err(format!("{path}.parents has {given}; expected one for each of K = {expected} ranks"));
        }
        for (rank, parent) in (0..).zip(&parents) {
            parent.map_or(Ok(()), |parent| self.rank(parent, Some(rank), || format!("{path}.parents[{rank}]")))?;
        }
        let order = order.map_or_else(|| (0..expected).collect(), |Few(order)| order);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..expected) {
            return Err(format!("{path}.order: expected each of the ranks 0 to {} once", expected - 1));
        }
        let [started, ended] = self.shape.of_another();
        let is_up = match way {
            Some(way) => matches!(way, Way::Up),
            None => match () {
                () if ended == 0 => true,
                () if started == 0 => false,
                () => {
                    let problem = self.shape.collective.name;
                    return Err(format!("{path}: a tree of `{problem}` needs \"way\": \"up\" or \"down\""));
                }
            },
        };
        // Ranks that have only some of the blocks send or get those of their subtree, if each rank has one.
        let of_rank = if is_up { started } else { ended };
        let freight = match self.shape.blocks == expected && of_rank < self.shape.blocks as usize {
            true => Freight::Subtree,
            false => Freight::All,
        };
        let tree = Parents::new(parents, order, (freight, is_up), self.shape.blocks.into());
        tree.map(Arc::new).map(Written::Tree).map_err(|told| format!("{path}.parents: {told}"))
    }
}
