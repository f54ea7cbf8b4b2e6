//! Networks: by name or from a file, and where the ranks stand on them.
//!
//! A reader, one file for each format, makes a `draft::Draft`, which is checked as a whole.

pub mod bound;
mod draft;
mod edges;
mod nccl;
pub mod schedule;
mod slurm;
mod wire;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use algorithms::network::bounds::{Bound, Collective, halves};
use algorithms::network::named::{NAMES, number};
use algorithms::network::{Network, Shape};
use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};
use clap::Args;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::base::failure::Result;
use crate::base::near;
use crate::base::units::{joined, parse_count};
use crate::output;
use crate::output::diagnostics::Source;
use bound::{Known, described};
use draft::Draft;

/// The options that change a network.
#[derive(Debug, Clone, Default, Args, Serialize)]
pub struct Changes {
    /// Take the links between two nodes of the network away, as 3-4
    #[arg(long, value_name = "A-B", value_delimiter = ',', requires = "network")]
    pub without: Vec<String>,
    /// Slow all links of a node, as 5=0.5
    #[arg(
        long,
        value_name = "NODE=FACTOR",
        value_delimiter = ',',
        requires = "network"
    )]
    pub slow: Vec<String>,
    /// Let both directions of each link share its capacity
    #[arg(long, requires = "network")]
    pub half_duplex: bool,
}

/// The option `--network` of verbs that also answer without it.
#[derive(Debug, Clone, Default, Args)]
pub struct NetworkArgs {
    /// Also state how long the busiest link of this network takes: a name as torus:8x8 or dgx-h100:8,taper=4, or a file
    #[arg(long, value_name = "NETWORK")]
    pub network: Option<String>,
    /// What differs from it.
    #[command(flatten)]
    pub changes: Changes,
    /// Where ranks stand on the network: block, round-robin, random:SEED, or the node of each rank, as 0,2,1,3 [default: block]
    #[arg(long, value_name = "RULE", requires = "network")]
    pub placement: Option<String>,
}

/// A network with ranks on it.
#[derive(Debug)]
pub struct Placed {
    /// The network.
    pub network: Network,
    /// The node of each rank.
    pub places: Vec<usize>,
    /// The rule of the placement.
    pub placement: String,
    /// The bounds of collectives that were asked for.
    bounds: Mutex<Vec<Known>>,
}

impl NetworkArgs {
    /// The network of a name or a file, as it is.
    pub fn of(name: &str) -> Self {
        Self {
            network: Some(name.to_owned()),
            ..Self::default()
        }
    }

    /// The network that is asked for.
    ///
    /// # Errors
    /// Exit code 2 for an unknown name, change or placement, 3 for a file.
    pub fn read(&self) -> Result<Option<Placed>> {
        let Some(name) = &self.network else {
            return Ok(None);
        };
        let (own, plain) = cut(name, "placement=");
        let mut network = self.changes.of(&plain)?;
        let own = own.first().map(|rule| (*rule).to_owned());
        if own.is_some() {
            network = network.with_name(name);
        }
        if let (Some(one), Some(other)) = (&self.placement, &own)
            && one != other
        {
            bail!("--placement {one}: --network has placement={other}; remove one of both");
        }
        let placement = self
            .placement
            .clone()
            .or(own)
            .unwrap_or_else(|| "block".to_owned());
        let places = places(&network, &placement)
            .map_err(|expected| failure!(Usage, "--placement {placement}: {expected}"))?;
        Ok(Some(Placed {
            network,
            places,
            placement,
            bounds: Mutex::default(),
        }))
    }
}

/// A network of points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Site {
    /// Its name or file, as given.
    pub network: String,
    /// It as the command line takes it in the working directory.
    #[serde(skip)]
    pub path: String,
    /// The number of its ranks.
    pub ranks: u64,
    /// The digest of its links and of the places of ranks.
    pub sha256: String,
}

impl Placed {
    /// It as the network of points, under the name that the user gave.
    pub fn site(&self, given: &str, path: String) -> Site {
        let links = self
            .network
            .links()
            .iter()
            .map(|link| format!("{} {} {}\n", link.from, link.to, link.capacity));
        let text = format!(
            "{} {} {:?}\n{}",
            self.network.denominator(),
            self.network.is_half_duplex(),
            self.places,
            links.collect::<String>()
        );
        Site {
            network: given.to_owned(),
            path,
            ranks: self.network.ranks() as u64,
            sha256: output::hex(&Sha256::digest(text)),
        }
    }

    /// The network and the placement in a line.
    pub fn heading(&self) -> String {
        let placement = match self.placement.contains(',') {
            false => &*self.placement,
            true => "a list",
        };
        format!("{}; placement {placement}", described(&self.network))
    }

    /// The bound of a collective, computed once.
    pub fn known(&self, collective: Collective) -> Known {
        // Other threads wait: the bound of a large network takes seconds, and one thread computes it.
        let mut known = self.bounds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.iter().find(|own| own.bound.collective == collective) {
            return found.clone();
        }
        let found = Known {
            bound: Bound::new(&self.network, collective),
            halves: (collective == Collective::Allreduce).then(|| halves(&self.network).0),
        };
        known.push(found.clone());
        found
    }
}

/// The words of a name that begin so, without the beginning, and the name without them.
fn cut<'n>(name: &'n str, begin: &str) -> (Vec<&'n str>, String) {
    let (own, plain): (Vec<&str>, Vec<&str>) =
        name.split(',').partition(|word| word.starts_with(begin));
    let own = own.into_iter().map(|word| &word[begin.len()..]);
    (own.collect(), plain.join(","))
}

impl Changes {
    /// The network of this name or file, changed.
    ///
    /// # Errors
    /// Exit code 2 for an unknown name or change, 3 for a file.
    pub fn of(&self, name: &str) -> Result<Network> {
        // A name can have changes of its own, so that several networks differ in them.
        let (without, plain) = cut(name, "without=");
        let (slow, plain) = cut(&plain, "slow=");
        let (half_duplex, plain) = cut(&plain, HALF_DUPLEX);
        let mut network = named(&plain)?;
        let given = |all: &Vec<String>| all.clone().into_iter();
        let without = without
            .into_iter()
            .flat_map(|pairs| pairs.split('+'))
            .map(str::to_owned);
        let slow = slow
            .into_iter()
            .map(|word| word.replacen(':', "=", 1))
            .chain(given(&self.slow));
        for pair in &without.chain(given(&self.without)).collect::<Vec<_>>() {
            let failed =
                |reason: &dyn std::fmt::Display| failure!(Usage, "--without {pair}: {reason}");
            let mut ends = pair.match_indices('-').filter_map(|(at, _)| {
                Some((
                    node(&network, &pair[..at])?,
                    node(&network, &pair[at + 1..])?,
                ))
            });
            let (a, b) = ends
                .next()
                .ok_or_else(|| failed(&"expected two nodes of the network, as 3-4"))?;
            network = network.without(a, b).map_err(|fault| failed(&fault))?;
        }
        for slow in &slow.collect::<Vec<_>>() {
            let failed =
                |reason: &dyn std::fmt::Display| failure!(Usage, "--slow {slow}: {reason}");
            let parts = slow.split_once('=');
            let parts =
                parts.and_then(|(own, factor)| Some((node(&network, own)?, number(factor)?)));
            let (slowed, factor) = parts.ok_or_else(|| {
                failed(&"expected a node of the network and a factor, as 5=0.5 or 5=1/2")
            })?;
            network = network
                .slow(slowed, factor)
                .map_err(|fault| failed(&fault))?;
        }
        if self.half_duplex || !half_duplex.is_empty() {
            network = network
                .half_duplex()
                .map_err(|fault| failure!(Usage, "--half-duplex: {fault}"))?;
        }
        // A file can state a name.
        let own = if plain == name { network.name() } else { name };
        let label = self.label(own);
        Ok(network.with_name(label))
    }

    /// The name of a network with these changes, which gives the same one again.
    fn label(&self, name: &str) -> String {
        let without = self.without.iter().map(|pair| format!("without={pair}"));
        let slow = self
            .slow
            .iter()
            .map(|one| format!("slow={}", one.replacen('=', ":", 1)));
        let half_duplex = self.half_duplex.then(|| HALF_DUPLEX.to_owned());
        let changes = without.chain(slow).chain(half_duplex);
        joined(",", [name.to_owned()].into_iter().chain(changes))
    }
}

/// How a name says that both directions of each link share its capacity.
const HALF_DUPLEX: &str = "half-duplex";

/// The node with a name, or else the rank with a number.
fn node(network: &Network, name: &str) -> Option<usize> {
    let named = || (0..network.nodes()).find(|&node| network.node(node) == name);
    let rank = name.parse().ok().filter(|&rank| rank < network.ranks());
    // Hosts can have numbers as names.
    match rank {
        Some(rank) if network.node(rank) == name => Some(rank),
        rank => named().or(rank),
    }
}

/// The network of this name, or in this file.
///
/// # Errors
/// Exit code 2 for an unknown name, 3 for a file that is none.
pub fn named(name: &str) -> Result<Network> {
    let kind = |name: &str| name.split([':', ',']).next().unwrap_or_default().to_owned();
    if NAMES.iter().any(|known| kind(known) == kind(name)) {
        return Network::named(name).map_err(|fault| failure!(Usage, "--network: {fault}"));
    }
    let path = Path::new(name);
    if name != "-" && !path.exists() {
        let kinds: Vec<String> = NAMES.iter().map(|name| kind(name)).collect();
        let names = format!("one of {}, or a file", kinds.join(", "));
        let advice = near::advice(
            &kind(name),
            kinds.iter().map(String::as_str),
            "castbench bound --help",
        );
        bail!(
            "--network {name}: there is no such network and no such file; expected {names}; {advice}"
        );
    }
    let source = Source::read(path, "network")?;
    let mut draft = Draft::new(&source);
    let text = source.text();
    match text.trim_start().starts_with('<') {
        true => nccl::read(&source, &mut draft)?,
        false if edges::is_it(text) => edges::read(&source, &mut draft)?,
        false if slurm::is_it(text) => slurm::read(&source, &mut draft)?,
        false => wire::read(&source, &mut draft)?,
    }
    draft.network()
}

/// The node of each rank.
///
/// # Errors
/// What was expected.
pub fn places(network: &Network, rule: &str) -> Result<Vec<usize>, String> {
    let ranks = network.ranks();
    let all = 0..ranks;
    match rule.split_once(':') {
        None if rule == "block" => Ok(all.collect()),
        None if rule == "round-robin" => {
            let groups: Vec<usize> = all.clone().map(|rank| group(network, rank)).collect();
            let mut turns = std::collections::HashMap::new();
            let mut order: Vec<(usize, usize)> = all
                .map(|rank| {
                    let turn = turns.entry(groups[rank]).or_insert(0);
                    *turn += 1;
                    (*turn, rank)
                })
                .collect();
            order.sort_unstable();
            Ok(order.into_iter().map(|(_, rank)| rank).collect())
        }
        Some(("random", seed)) => {
            let mut random = ChaCha8Rng::seed_from_u64(parse_count(seed)?);
            let mut order: Vec<usize> = all.collect();
            for end in (1..ranks).rev() {
                // The bias of `end` in 2^64 is negligible.
                let other = (u128::from(random.next_u64()) * (end as u128 + 1)) >> 64;
                order.swap(end, usize::try_from(other).unwrap_or(end));
            }
            Ok(order)
        }
        _ => {
            let order: Vec<usize> = rule
                .split(',')
                .map(|word| node(network, word.trim()).filter(|&node| node < ranks))
                .collect::<Option<_>>()
                .ok_or("expected block, round-robin, random:SEED or a list of nodes, as 0,2,1,3")?;
            let mut sorted = order.clone();
            sorted.sort_unstable();
            if sorted.iter().copied().eq(0..ranks) {
                Ok(order)
            } else {
                Err(format!(
                    "expected each of the {ranks} ranks of the network once"
                ))
            }
        }
    }
}

/// What round robin goes around: boxes, the switches of ranks, the rows of a grid.
fn group(network: &Network, rank: usize) -> usize {
    match network.shape() {
        Shape::Boxes { size } => rank / size,
        Shape::Grid { sides, .. } => rank / sides.last().unwrap_or(&1),
        Shape::Tree | Shape::Other => {
            let first = network.links().partition_point(|link| link.from < rank);
            network.links()[first..]
                .iter()
                .take_while(|link| link.from == rank)
                .map(|link| link.to)
                .find(|&to| to >= network.ranks())
                .unwrap_or(0)
        }
    }
}
