//! A network as a file states it, until all of it is checked.

use std::collections::HashMap;
use std::fmt::Display;
use std::ops::Range;

use crate::config::diagnostics::Source;
use crate::failure::Failure;
use crate::units::{grouped, parse_fraction};

/// Most ranks, and most switches, of a file.
pub const MAX_NODES: usize = 1 << 16;
/// Most links of a file, in one direction.
const MAX_LINKS: usize = 1 << 21;
/// Largest numerator and denominator of a capacity.
const MAX_CAPACITY: u128 = 1_000_000_000_000;

/// A node by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    /// A rank.
    Rank(u32),
    /// A switch.
    Switch(u32),
}

/// A link of a file, in one direction.
pub struct Drawn {
    /// From, to.
    pub ends: [Node; 2],
    /// Numerator and denominator of the capacity.
    pub capacity: (u64, u64),
    at: Range<usize>,
}

/// See the module.
pub struct Draft<'a> {
    source: &'a Source,
    /// The unit of capacities.
    pub unit: Option<&'static str>,
    /// The names of ranks.
    pub ranks: Vec<String>,
    /// The names of switches.
    pub switches: Vec<String>,
    /// The links.
    pub links: Vec<Drawn>,
    known: HashMap<String, Node>,
}

const HELP: &str = "docs/networks.md says what a file of a network has";

impl<'a> Draft<'a> {
    /// An empty network.
    pub fn new(source: &'a Source) -> Self {
        Self { source, unit: None, ranks: Vec::new(), switches: Vec::new(), links: Vec::new(), known: HashMap::new() }
    }

    fn failure(&self, at: Range<usize>, title: impl Display, label: impl Display) -> Failure {
        self.source.failure(at, title, label, HELP)
    }

    /// The node with this name.
    pub fn node(&self, name: &str) -> Option<Node> {
        self.known.get(name).copied()
    }

    /// A new rank with this name, which gets the next number.
    ///
    /// # Errors
    /// Exit code 3 where a node has this name, or there are too many.
    pub fn rank(&mut self, name: &str, at: Range<usize>) -> Result<Node, Failure> {
        let node = Node::Rank(u32::try_from(self.ranks.len()).unwrap_or(u32::MAX));
        self.ranks.push(name.to_owned());
        self.add(node, name, at)
    }

    /// The rank with this number, and all below it.
    ///
    /// # Errors
    /// Exit code 3 for a name that is no number of a rank.
    pub fn numbered(&mut self, name: &str, at: Range<usize>) -> Result<Node, Failure> {
        let number = name.parse::<usize>().ok().filter(|&number| number < MAX_NODES && name == number.to_string());
        let number = number.ok_or_else(|| {
            let label = format!("expected a rank from 0 to {}, or a switch of this file", grouped(MAX_NODES as u64 - 1));
            self.failure(at.clone(), format!("there is no node `{name}`"), label)
        })?;
        for next in self.ranks.len()..=number {
            self.rank(&next.to_string(), at.clone())?;
        }
        Ok(Node::Rank(u32::try_from(number).unwrap_or(u32::MAX)))
    }

    /// A new switch with this name.
    ///
    /// # Errors
    /// Exit code 3 where a node has this name, or there are too many.
    pub fn switch(&mut self, name: &str, at: Range<usize>) -> Result<Node, Failure> {
        if name.is_empty() || name.bytes().all(|letter| letter.is_ascii_digit()) {
            return Err(self.failure(at, format!("a switch with the name `{name}`"), "numbers are ranks; expected a name as `s0`"));
        }
        let node = Node::Switch(u32::try_from(self.switches.len()).unwrap_or(u32::MAX));
        self.switches.push(name.to_owned());
        self.add(node, name, at)
    }

    fn add(&mut self, node: Node, name: &str, at: Range<usize>) -> Result<Node, Failure> {
        if self.ranks.len().max(self.switches.len()) > MAX_NODES {
            let most = grouped(MAX_NODES as u64);
            return Err(self.failure(at, "too many nodes", format!("expected at most {most} ranks and {most} switches")));
        }
        if let Some(other) = self.known.insert(name.to_owned(), node) {
            let other = match other {
                Node::Rank(_) => "a rank",
                Node::Switch(_) => "a switch",
            };
            return Err(self.failure(at, format!("two nodes with the name `{name}`"), format!("{other} has it")));
        }
        Ok(node)
    }

    /// States the unit of capacities.
    ///
    /// # Errors
    /// Exit code 3 for another unit than these.
    pub fn unit(&mut self, unit: &str, at: Range<usize>) -> Result<(), Failure> {
        let found = super::UNITS.iter().find(|(known, _)| *known == unit);
        let found = found.ok_or_else(|| {
            let units: Vec<&str> = super::UNITS.iter().map(|(name, _)| *name).collect();
            self.failure(at, format!("unit = \"{unit}\""), format!("expected {}", units.join(", ")))
        })?;
        self.unit = Some(found.0);
        Ok(())
    }

    /// Forgets the switches found so far, which have no links.
    pub fn forget_switches(&mut self) {
        self.switches.clear();
        self.known.retain(|_, node| matches!(node, Node::Rank(_)));
    }

    /// Adds a link, and the one back.
    ///
    /// # Errors
    /// Exit code 3 for a capacity that is none, and a link from a node to itself.
    pub fn link(&mut self, ends: [Node; 2], capacity: &str, both: bool, at: Range<usize>) -> Result<(), Failure> {
        let fail = |title: String, label: &str| Err(self.failure(at.clone(), title, label));
        if ends[0] == ends[1] {
            return fail("a link from a node to itself".to_owned(), "expected two nodes");
        }
        let title = format!("the capacity {capacity}");
        let small = |number: u128| u64::try_from(number).ok().filter(|_| number <= MAX_CAPACITY);
        let capacity = match parse_fraction(capacity) {
            Err(expected) => return fail(title, &expected),
            Ok((0, _)) => return fail(title, "expected more than 0; leave the link out"),
            Ok((over, under)) => match small(over).zip(small(under)) {
                None => return fail(title, &format!("expected at most {}, with few decimals", grouped(MAX_CAPACITY))),
                Some(capacity) => capacity,
            },
        };
        if self.links.len() >= MAX_LINKS {
            return fail("too many links".to_owned(), &format!("expected at most {}", grouped(MAX_LINKS as u64)));
        }
        let back = both.then_some([ends[1], ends[0]]);
        for ends in [ends].into_iter().chain(back) {
            self.links.push(Drawn { ends, capacity, at: at.clone() });
        }
        Ok(())
    }

    /// Checks that there are ranks, and that each node reaches all others.
    ///
    /// # Errors
    /// Exit code 3, with the link of a node that does not.
    pub fn check(&self) -> Result<(), Failure> {
        if self.ranks.len() < 2 {
            return Err(self.failure(0..0, format!("a network of {} ranks", self.ranks.len()), "expected 2 ranks, and links"));
        }
        for (way, [near, far]) in [("is not reached from", [0, 1]), ("does not reach", [1, 0])] {
            let mut next: HashMap<Node, Vec<Node>> = HashMap::new();
            for link in &self.links {
                next.entry(link.ends[near]).or_default().push(link.ends[far]);
            }
            let mut open = vec![Node::Rank(0)];
            let mut found: std::collections::HashSet<Node> = open.iter().copied().collect();
            while let Some(node) = open.pop() {
                open.extend(next.get(&node).into_iter().flatten().filter(|node| found.insert(**node)));
            }
            let numbers = |count: usize| 0..u32::try_from(count).unwrap_or(u32::MAX);
            let all = numbers(self.ranks.len()).map(Node::Rank).chain(numbers(self.switches.len()).map(Node::Switch));
            if let Some(lost) = all.into_iter().find(|node| !found.contains(node)) {
                let at = self.links.iter().find(|link| link.ends.contains(&lost)).map_or(0..0, |link| link.at.clone());
                let title = format!("the network is not connected: {} {way} rank 0", self.name(lost));
                return Err(self.failure(at, title, "expected links both ways between all nodes"));
            }
        }
        Ok(())
    }

    fn name(&self, node: Node) -> String {
        match node {
            Node::Rank(rank) => match &*self.ranks[rank as usize] {
                name if *name == rank.to_string() => format!("rank {rank}"),
                name => format!("rank {rank} ({name})"),
            },
            Node::Switch(switch) => format!("switch {}", self.switches[switch as usize]),
        }
    }
}
