//! A bound in words: what must cross which links.

use std::fmt;

use algorithms::network::bounds::{Bound, Certificate, Collective};
use algorithms::network::{Link, Network};
use num_rational::Ratio;
use serde_json::{Value, json};

use crate::base::failure::Result;
use crate::base::units::{grouped, plural};

/// The collectives that have a bound on a network.
pub const COLLECTIVES: [&str; 8] = [
    "broadcast",
    "reduce",
    "gather",
    "scatter",
    "allgather",
    "reduce-scatter",
    "allreduce",
    "alltoall",
];

/// Whether M of a collective is the vector of a rank; of others it is all K blocks, of an alltoall those of one rank.
pub fn is_vector(collective: &str) -> bool {
    matches!(collective, "broadcast" | "reduce" | "allreduce")
}

/// A bound, and of an allreduce that of its two halves.
#[derive(Debug, Clone)]
pub struct Known {
    /// The bound.
    pub bound: Bound,
    /// Of an allreduce: the least time of a reduce-scatter and then an allgather.
    pub halves: Option<Ratio<u128>>,
}

/// The collective of this name on a network, by default with root 0.
///
/// # Errors
/// Exit code 2 for a root that is no rank, or of a collective without a root.
pub fn collective(name: &str, root: Option<usize>, network: &Network) -> Result<Collective> {
    let rank = root.unwrap_or(0);
    let failed = |expected: String| failure!(Usage, "--root {rank}: {expected}");
    let found = Collective::from_name(name, rank).filter(|_| rank < network.ranks());
    let most = network.ranks() - 1;
    let found = found.ok_or_else(|| failed(format!("expected a rank from 0 to {most}")))?;
    if root.is_some() && found.root().is_none() {
        Err(failed(format!("{name} has no root; remove the option")))
    } else {
        Ok(found)
    }
}

/// A bound on its network.
pub struct Stated<'a> {
    /// The network.
    pub network: &'a Network,
    /// The bound.
    pub bound: Bound,
}

impl<'a> Stated<'a> {
    /// What must cross, in M.
    pub fn crossing(&self) -> Ratio<u128> {
        self.bound
            .crossing(self.network)
            .unwrap_or_else(|| Ratio::from_integer(0))
    }

    /// Which links the certificate counts, and which nodes are on the smaller side of a cut.
    pub fn marks(&self) -> [Vec<bool>; 2] {
        let network = self.network;
        let mut part_of = vec![0; network.nodes()];
        let mut is_inside = vec![false; network.nodes()];
        match &self.bound.certificate {
            Certificate::Cut(nodes) => {
                nodes.iter().for_each(|&node| part_of[node] = 1);
                let ranks = nodes.iter().filter(|&&node| node < network.ranks()).count();
                let small = usize::from(2 * ranks <= network.ranks());
                is_inside = part_of.iter().map(|&part| part == small).collect();
            }
            Certificate::Partition(parts) => {
                for (number, nodes) in (1..).zip(parts) {
                    nodes.iter().for_each(|&node| part_of[node] = number);
                }
            }
            Certificate::Distances => {}
        }
        // Those that leave a part; a switch can be in none.
        let is_counted = |[from, to]: [usize; 2]| match self.bound.certificate {
            Certificate::Distances => true,
            Certificate::Cut(_) | Certificate::Partition(_) => from > 0 && from != to,
        };
        [
            network
                .links()
                .iter()
                .map(|link| is_counted([part_of[link.from], part_of[link.to]]))
                .collect(),
            is_inside,
        ]
    }

    /// The certificate for programs: `crossing` M must cross links of this `capacity`; their ratio is the bound.
    pub fn proof(&self) -> Value {
        let network = self.network;
        let named = |nodes: &[usize]| -> Vec<&str> {
            nodes.iter().map(|&node| network.node(node)).collect()
        };
        let wire = |link: &Link| {
            let capacity = network.capacity(link.from, link.to).to_string();
            json!({"from": network.node(link.from), "to": network.node(link.to), "capacity": capacity})
        };
        let part = |nodes: &Vec<usize>| {
            let capacities = self.leaving(nodes).map(|link| u128::from(link.capacity));
            let capacity = Ratio::new(capacities.sum::<u128>(), network.denominator().into());
            json!({"nodes": named(nodes), "capacity": capacity.to_string()})
        };
        let mut proof = match &self.bound.certificate {
            Certificate::Cut(inside) => json!({
                "kind": "cut",
                "nodes": named(inside),
                "links": self.leaving(inside).map(wire).collect::<Vec<_>>(),
            }),
            Certificate::Partition(all) => json!({
                "kind": "partition",
                "parts": all.iter().map(part).collect::<Vec<_>>(),
            }),
            Certificate::Distances => json!({"kind": "distances"}),
        };
        proof["crossing"] = self.crossing().to_string().into();
        proof["capacity"] = self.bound.capacity(network).to_string().into();
        proof
    }

    /// The links that leave nodes, which are in order.
    fn leaving<'n>(&self, nodes: &'n [usize]) -> impl Iterator<Item = &'a Link> + use<'a, 'n> {
        let mut is_inside = vec![false; self.network.nodes()];
        nodes.iter().for_each(|&node| is_inside[node] = true);
        self.network
            .links()
            .iter()
            .filter(move |link| is_inside[link.from] && !is_inside[link.to])
    }

    /// The ranks among nodes: `rank 12 and 51 others`.
    fn ranks(&self, is_inside: impl Fn(usize) -> bool) -> (usize, String) {
        let ranks: Vec<usize> = (0..self.network.ranks())
            .filter(|&rank| is_inside(rank))
            .collect();
        let first = ranks.first().map_or("", |&rank| self.network.node(rank));
        let others = match ranks.len() {
            0 | 1 => String::new(),
            2 => " and 1 other".to_owned(),
            count => format!(" and {} others", grouped(count as u64 - 1)),
        };
        (ranks.len(), format!("rank {first}{others}"))
    }
}

/// The certificate in a sentence.
impl fmt::Display for Stated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (crossing, capacity) = (self.crossing(), self.bound.capacity(self.network));
        match &self.bound.certificate {
            Certificate::Cut(nodes) => {
                let is_inside = |rank: usize| nodes.binary_search(&rank).is_ok();
                let [inside, outside] =
                    [self.ranks(is_inside), self.ranks(|rank| !is_inside(rank))];
                let is_two_way = matches!(
                    self.bound.collective,
                    Collective::Allreduce | Collective::Alltoall
                );
                let is_shared = self.network.is_half_duplex() && is_two_way;
                let both = is_shared.then_some("send and receive");
                let (does, (_, side)) = if inside.0 <= outside.0 {
                    ("send", inside)
                } else {
                    ("receive", outside)
                };
                let links = plural(self.leaving(nodes).count() as u64, "link");
                let does = both.unwrap_or(does);
                write!(
                    f,
                    "{side} can {does} only over {links} with a capacity of {capacity}, and {crossing} M must cross them"
                )
            }
            Certificate::Partition(parts) => {
                let count = grouped(parts.len() as u64);
                let parts = if parts.len() == self.network.ranks() {
                    format!("each of {count} ranks is a part")
                } else {
                    let largest = parts
                        .iter()
                        .max_by_key(|part| {
                            part.iter()
                                .filter(|&&node| node < self.network.ranks())
                                .count()
                        })
                        .map_or(&[][..], |part| &part[..]);
                    let (_, named) = self.ranks(|rank| largest.contains(&rank));
                    format!("{count} parts of the ranks, the largest of {named}")
                };
                if self.network.is_half_duplex() {
                    return write!(
                        f,
                        "{parts}; {crossing} M must leave or enter the parts, and the links around them have a capacity of \
                         {capacity}, both counted at each part"
                    );
                }
                write!(
                    f,
                    "{parts}; {crossing} M must leave the parts, and the links between them have a capacity of {capacity}"
                )
            }
            Certificate::Distances => write!(
                f,
                "the blocks cross at least as many links as their shortest paths have: {crossing} M over links with a capacity of \
                 {capacity}"
            ),
        }
    }
}

/// Name, options and size of a network.
pub fn described(network: &Network) -> String {
    let options = match network.options() {
        [] => String::new(),
        options => format!(" ({})", options.join(", ")),
    };
    let duplex = if network.is_half_duplex() {
        ", half-duplex"
    } else {
        ""
    };
    let switches = match network.switches() {
        0 => String::new(),
        count => format!(
            ", {}",
            plural(count as u64, "switch").replace("switchs", "switches")
        ),
    };
    let unit = network.unit().map_or_else(String::new, |unit| {
        format!(", capacity 1 = {} bytes/s", grouped(unit))
    });
    let links = plural(network.links().len() as u64, "link");
    format!(
        "{}{options}: {}{switches}, {links}{duplex}{unit}",
        network.name(),
        plural(network.ranks() as u64, "rank")
    )
}

/// Seconds with a unit, in four digits.
pub fn duration(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")];
    let unit = units.iter().find(|(size, _)| seconds >= *size);
    let (size, unit) = unit.unwrap_or(&units[3]);
    format!("{:.4} {unit}", seconds / size)
}
