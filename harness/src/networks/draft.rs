//! A network as a file states it, until all of it is checked.

use std::collections::HashMap;
use std::fmt::Display;
use std::ops::Range;

use algorithms::network::named::number;
use algorithms::network::{Fault, Link, MOST_LINKS, MOST_NODES, Network};
use num_rational::Ratio;

use crate::base::failure::{Failure, Result};
use crate::base::units::grouped;
use crate::output::diagnostics::Source;

/// A node by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    /// A rank.
    Rank(usize),
    /// A switch.
    Switch(usize),
}

/// A capacity, and where it is stated.
pub type Width = (Ratio<u64>, Range<usize>);

/// The units of capacities, in bytes per second.
const UNITS: [(&str, u64); 5] = [
    ("B/s", 1),
    ("MB/s", 1_000_000),
    ("GB/s", 1_000_000_000),
    ("Mbit/s", 125_000),
    ("Gbit/s", 125_000_000),
];

/// See the module.
pub struct Draft<'a> {
    source: &'a Source,
    /// Bytes per second of a capacity of 1.
    unit: Option<u64>,
    ranks: Vec<String>,
    switches: Vec<String>,
    links: Vec<([Node; 2], Width)>,
    known: HashMap<String, Node>,
}

const HELP: &str = "`castbench bound --help` says what a file of a network has";

impl<'a> Draft<'a> {
    /// An empty network.
    pub fn new(source: &'a Source) -> Self {
        Self {
            source,
            unit: None,
            ranks: Vec::new(),
            switches: Vec::new(),
            links: Vec::new(),
            known: HashMap::new(),
        }
    }

    fn failure(&self, at: Range<usize>, title: impl Display, label: impl Display) -> Failure {
        self.source.failure(at, title, label, HELP)
    }

    /// The node with this name.
    pub fn node(&self, name: &str) -> Option<Node> {
        self.known.get(name).copied()
    }

    /// The node with this name, or a new one.
    ///
    /// # Errors
    /// Those of `new`.
    pub fn node_or(
        &mut self,
        name: &str,
        at: Range<usize>,
        new: fn(&mut Self, &str, Range<usize>) -> Result<Node>,
    ) -> Result<Node> {
        self.node(name).map_or_else(|| new(self, name, at), Ok)
    }

    /// A new rank with this name, which gets the next number.
    ///
    /// # Errors
    /// Exit code 3 where a node has this name, or there are too many.
    pub fn rank(&mut self, name: &str, at: Range<usize>) -> Result<Node> {
        let node = Node::Rank(self.ranks.len());
        self.ranks.push(name.to_owned());
        self.add(node, name, at)
    }

    /// The rank with this number, and all below it.
    ///
    /// # Errors
    /// Exit code 3 for a name that is no number of a rank.
    pub fn numbered(&mut self, name: &str, at: Range<usize>) -> Result<Node> {
        let number = name
            .parse::<usize>()
            .ok()
            .filter(|&number| number < MOST_NODES && name == number.to_string())
            .ok_or_else(|| {
                let label = format!(
                    "expected a rank from 0 to {}, or a switch of this file",
                    grouped(MOST_NODES as u64 - 1)
                );
                self.failure(at.clone(), format!("there is no node `{name}`"), label)
            })?;
        for next in self.ranks.len()..=number {
            self.rank(&next.to_string(), at.clone())?;
        }
        Ok(Node::Rank(number))
    }

    /// A new switch with this name.
    ///
    /// # Errors
    /// Exit code 3 where a node has this name, or there are too many.
    pub fn switch(&mut self, name: &str, at: Range<usize>) -> Result<Node> {
        if name.is_empty() || name.bytes().all(|letter| letter.is_ascii_digit()) {
            return Err(self.failure(
                at,
                format!("a switch with the name `{name}`"),
                "numbers are ranks; expected a name as `s0`",
            ));
        }
        let node = Node::Switch(self.switches.len());
        self.switches.push(name.to_owned());
        self.add(node, name, at)
    }

    fn add(&mut self, node: Node, name: &str, at: Range<usize>) -> Result<Node> {
        if self.ranks.len() + self.switches.len() > MOST_NODES {
            let label = format!("expected at most {}", grouped(MOST_NODES as u64));
            return Err(self.failure(at, "too many nodes", label));
        }
        if let Some(other) = self.known.insert(name.to_owned(), node) {
            let other = match other {
                Node::Rank(_) => "a rank",
                Node::Switch(_) => "a switch",
            };
            return Err(self.failure(
                at,
                format!("two nodes with the name `{name}`"),
                format!("{other} has it"),
            ));
        }
        Ok(node)
    }

    /// States the unit of capacities.
    ///
    /// # Errors
    /// Exit code 3 for an unknown unit.
    pub fn unit(&mut self, unit: &str, at: Range<usize>) -> Result {
        let (_, bytes) = UNITS
            .iter()
            .find(|(known, _)| *known == unit)
            .ok_or_else(|| {
                let label = format!("expected {}", UNITS.map(|(name, _)| name).join(", "));
                self.failure(at, format!("unit = \"{unit}\""), label)
            })?;
        self.unit = Some(*bytes);
        Ok(())
    }

    /// Forgets the switches, which have no links yet.
    pub fn forget_switches(&mut self) {
        self.switches.clear();
        self.known.retain(|_, node| matches!(node, Node::Rank(_)));
    }

    /// The capacity in a text.
    ///
    /// # Errors
    /// Exit code 3 for no number above 0.
    pub fn width(&self, text: &str, at: Range<usize>) -> Result<Width> {
        let width = number(text.trim()).filter(|width| *width.numer() > 0).ok_or_else(|| {
            let label =
                "expected a number above 0, as 25, 12.5 or 3/2; leave out a link without capacity";
            self.failure(at.clone(), format!("a capacity of {}", text.trim()), label)
        })?;
        Ok((width, at))
    }

    /// Adds a link, and the one back.
    ///
    /// # Errors
    /// Exit code 3 for too many.
    pub fn link(&mut self, ends: [Node; 2], width: &Width, both: bool) -> Result {
        if self.links.len() + 2 > MOST_LINKS {
            let label = format!("expected at most {}", grouped(MOST_LINKS as u64));
            return Err(self.failure(width.1.clone(), "too many links", label));
        }
        let back = both.then_some([ends[1], ends[0]]);
        let links = [ends].into_iter().chain(back);
        self.links.extend(links.map(|ends| (ends, width.clone())));
        Ok(())
    }

    /// The network.
    ///
    /// # Errors
    /// Exit code 3, with the line of the link at fault.
    pub fn network(self) -> Result<Network> {
        let ranks = self.ranks.len();
        let number = |node: Node| match node {
            Node::Rank(rank) => rank,
            Node::Switch(switch) => ranks + switch,
        };
        let links: Vec<_> = self
            .links
            .iter()
            .map(|([from, to], (capacity, _))| Link {
                from: number(*from),
                to: number(*to),
                capacity: *capacity,
            })
            .collect();
        let network = Network::new(ranks, self.switches.len(), &links)
            .map_err(|fault| {
                let of = |rank: usize| {
                    self.links
                        .iter()
                        .position(|(ends, _)| ends.contains(&Node::Rank(rank)))
                };
                let link = match fault {
                    Fault::Unreachable { from: 0, to } => of(to),
                    Fault::Unreachable { from, .. } => of(from),
                    _ => fault.link(),
                };
                let at = link.map_or(0..0, |link| self.links[link].1.1.clone());
                self.failure(at, fault, "the link at fault")
            })?
            .with_name(self.source.name())
            .with_nodes([self.ranks, self.switches].concat());
        Ok(match self.unit {
            Some(unit) => network.with_unit(unit),
            None => network,
        })
    }
}
