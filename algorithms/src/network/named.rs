//! Networks that have a name.
//!
//! | name | network | options |
//! |---|---|---|
//! | `torus:8x8`, `mesh:4x4x4` | a grid; a torus has links around each side above 2 | `capacity` |
//! | `ring:8`, `hypercube:7`, `full:8` | each link both ways | `capacity` |
//! | `fat-tree:8` | k-ary tree of three levels of switches: k³/4 hosts, k pods; `taper` divides the capacity above the pods | `capacity`, `taper` |
//! | `dragonfly:33,8,4` | g groups of a routers; each router has h hosts and h links to other groups. Routers of a group are all linked. Each pair of groups has ah/(g-1) links, rounded down; what is left over of the ah ports of a group is not connected. `taper` divides the capacity between groups | `capacity`, `taper` |
//! | `dgx1` | 8 V100 in a hybrid cube mesh; capacity 1 is an NVLink, 25 GB/s | `capacity` |
//! | `dgx-a100:16` | boxes of 8 GPUs on an NVSwitch, a NIC for each GPU, one switch above | `nvlink`, `nic` |
//! | `dgx-h100:128` | boxes of 8 GPUs; NIC i of each box of a pod is on leaf i of the pod, and all leaves are on a spine. `taper` divides the capacity to the spine | `nvlink`, `nic`, `pod` (boxes), `taper` |
//! | `mi250:2` | boxes of 16 GPUs with Infinity Fabric between them, a NIC for each GPU, one switch above | `xgmi`, `nic` |
//!
//! Links of boxes have units: capacity 1 is 1 GB/s, each way. A box alone has no NICs.
//!
//! **Sources.** Al-Fares, Loukissas, Vahdat, "A scalable, commodity data center network architecture", SIGCOMM 2008; Kim, Dally,
//! Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008 (with as many hosts as global links at a
//! router); Cai and others, SCCL, PPoPP 2021, for the DGX-1; Zhao and others, ForestColl, arXiv 2402.06787, for A100 and MI250.

use num_rational::Ratio;

use super::fault::{Fault, MOST_NODES};
use super::graph::Link;
use super::topology::{Network, Shape};

/// The names, with examples of sizes.
pub const NAMES: &[&str] = &[
    "torus:8x8",
    "mesh:8x8",
    "hypercube:7",
    "ring:8",
    "full:8",
    "fat-tree:8",
    "dragonfly:33,8,4",
    "dgx1",
    "dgx-a100:16",
    "dgx-h100:128",
    "mi250:2",
];

/// Bytes per second of a capacity of 1 GB/s.
const GB: u64 = 1_000_000_000;

/// Links of a DGX-1: two GPUs, and how many NVLinks are between them.
const DGX1: [(usize, usize, u64); 16] = [
    (0, 1, 1),
    (0, 2, 1),
    (0, 3, 2),
    (0, 4, 2),
    (1, 2, 2),
    (1, 3, 1),
    (1, 5, 2),
    (2, 3, 2),
    (2, 6, 1),
    (3, 7, 1),
    (4, 5, 1),
    (4, 6, 1),
    (4, 7, 2),
    (5, 6, 2),
    (5, 7, 1),
    (6, 7, 2),
];

/// Links of a box with 16 GPUs: two GPUs, and how many links of Infinity Fabric are between them.
const XGMI: [(usize, usize, u64); 28] = [
    (0, 1, 4),
    (0, 4, 2),
    (0, 8, 1),
    (1, 5, 1),
    (1, 9, 1),
    (1, 10, 1),
    (2, 3, 4),
    (2, 6, 1),
    (2, 9, 1),
    (2, 10, 1),
    (3, 7, 2),
    (3, 11, 1),
    (4, 5, 4),
    (4, 6, 1),
    (5, 6, 1),
    (5, 7, 1),
    (6, 7, 4),
    (8, 9, 4),
    (8, 12, 2),
    (9, 13, 1),
    (10, 11, 4),
    (10, 14, 1),
    (11, 15, 2),
    (12, 13, 4),
    (12, 14, 1),
    (13, 14, 1),
    (13, 15, 1),
    (14, 15, 4),
];

const A100: Model = Model {
    size: 8,
    pairs: &[],
    inside: ("nvlink", 300),
    nic: 25,
    has_rails: false,
};

const H100: Model = Model {
    inside: ("nvlink", 450),
    nic: 50,
    has_rails: true,
    ..A100
};

const MI250: Model = Model {
    size: 16,
    pairs: &XGMI,
    inside: ("xgmi", 50),
    nic: 16,
    has_rails: false,
};

impl Network {
    /// The network of a name with sizes and options: `torus:8x8`, `dgx-h100:8,nic=50,taper=4`.
    ///
    /// # Errors
    /// [`Fault::Name`] for another name, wrong sizes or options; [`Fault::TooLarge`].
    pub fn named(name: &str) -> Result<Self, Fault> {
        let mut words = Words::new(name)?;
        let network = match words.kind {
            "torus" | "mesh" => {
                let wraps = words.kind == "torus";
                grid(&words.sides()?, wraps, words.option("capacity", 1)?)
            }
            "ring" => grid(&words.sizes::<1>()?, true, words.option("capacity", 1)?),
            "hypercube" => {
                let [d] = words.sizes()?;
                Fault::check_size("dimensions", d, MOST_NODES.ilog2() as usize)?;
                grid(&vec![2; d], false, words.option("capacity", 1)?)
            }
            "full" => full(words.sizes()?, words.option("capacity", 1)?),
            "fat-tree" => fat_tree(&mut words),
            "dragonfly" => dragonfly(&mut words),
            "dgx1" => {
                let [] = words.sizes()?;
                let mut wires = Wires::default();
                wires.box_of(&DGX1, 0, words.option("capacity", 1)?);
                Ok(wires.network(8, Vec::new())?.with_unit(25 * GB))
            }
            "dgx-a100" => boxes(&mut words, &A100),
            "dgx-h100" => boxes(&mut words, &H100),
            "mi250" => boxes(&mut words, &MI250),
            _ => Err(words.fault(format!("expected one of {}", NAMES.join(", ")))),
        }?;
        words.finish(network)
    }
}

/// A name, cut into words.
struct Words<'a> {
    name: &'a str,
    kind: &'a str,
    sizes: Vec<&'a str>,
    /// Options not yet read.
    given: Vec<(&'a str, &'a str)>,
    /// Options that were asked for, with their values.
    read: Vec<(&'static str, Ratio<u64>)>,
}

impl<'a> Words<'a> {
    fn new(name: &'a str) -> Result<Self, Fault> {
        let (kind, rest) = name
            .split_once([':', ','])
            .map_or((name, ""), |(kind, rest)| (kind.trim(), rest));
        let words = rest
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty());
        let (options, sizes): (Vec<_>, Vec<_>) = words.partition(|word| word.contains('='));
        let mut given: Vec<(&str, &str)> = Vec::new();
        for (key, value) in options.iter().filter_map(|option| option.split_once('=')) {
            let key = key.trim();
            if given.iter().any(|(other, _)| *other == key) {
                let expected = format!("option {key} is given twice");
                let name = name.to_owned();
                return Err(Fault::Name { name, expected });
            }
            given.push((key, value.trim()));
        }
        Ok(Self {
            name,
            kind,
            sizes,
            given,
            read: Vec::new(),
        })
    }

    fn fault(&self, expected: impl Into<String>) -> Fault {
        Fault::Name {
            name: self.name.to_owned(),
            expected: expected.into(),
        }
    }

    /// A size, at least 1.
    fn size(&self, word: &str) -> Result<usize, Fault> {
        match word.parse::<u64>() {
            Ok(0) => Err(self.fault("a size is at least 1")),
            Ok(size) => Ok(usize::try_from(size).unwrap_or(usize::MAX)),
            Err(_) => Err(self.fault(match word {
                "" => "a size is missing; write a whole number".to_owned(),
                _ => format!("{word} is no size; write a whole number"),
            })),
        }
    }

    /// N sizes, separated by commas.
    fn sizes<const N: usize>(&self) -> Result<[usize; N], Fault> {
        let sizes: Vec<_> = self
            .sizes
            .iter()
            .map(|word| self.size(word))
            .collect::<Result<_, _>>()?;
        <[usize; N]>::try_from(sizes).map_err(|sizes| {
            let kind = self.kind;
            let example = NAMES
                .iter()
                .find(|name| name.split(':').next() == Some(kind));
            self.fault(format!(
                "{kind} has {N} sizes, not {}: {}",
                sizes.len(),
                example.unwrap_or(&kind)
            ))
        })
    }

    /// Sides, separated by `x`.
    fn sides(&self) -> Result<Vec<usize>, Fault> {
        let [word] = self.sizes[..] else {
            return Err(self.fault(format!("expected the sides: {}:8x8", self.kind)));
        };
        word.split('x').map(|side| self.size(side)).collect()
    }

    /// An option as an exact number: `50`, `12.5` or `1/3`.
    fn option(&mut self, key: &'static str, default: u64) -> Result<Ratio<u64>, Fault> {
        let given = self.given.iter().position(|(given, _)| *given == key);
        let value = match given.map(|index| self.given.remove(index).1) {
            None => Ratio::from_integer(default),
            Some(text) => number(text)
                .filter(|value| *value.numer() > 0)
                .ok_or_else(|| {
                    self.fault(format!(
                        "{key}={text}: expected a number above 0, such as 50, 12.5 or 1/3"
                    ))
                })?,
        };
        self.read.push((key, value));
        Ok(value)
    }

    /// Refuses options that nothing has read, and states all others.
    fn finish(self, network: Network) -> Result<Network, Fault> {
        if let Some((key, _)) = self.given.first() {
            let keys: Vec<_> = self.read.iter().map(|(key, _)| *key).collect();
            return Err(self.fault(format!(
                "there is no option {key}; options of {} are {}",
                self.kind,
                keys.join(", ")
            )));
        }
        let network = network.with_name(self.name);
        Ok(self.read.iter().fold(network, |network, (key, value)| {
            network.with_option(format!("{key} = {value}"))
        }))
    }
}

/// Reads a number: a whole one, a decimal one or a fraction. `None` for others and those above 64 bits.
#[must_use]
pub fn number(text: &str) -> Option<Ratio<u64>> {
    if let Some((numerator, denominator)) = text.split_once('/') {
        let denominator = whole(denominator)?;
        let numerator = whole(numerator)?;
        return (denominator > 0).then(|| Ratio::new(numerator, denominator));
    }
    let Some((integer, decimals)) = text.split_once('.') else {
        return whole(text).map(Ratio::from_integer);
    };
    let denominator = 10_u64.checked_pow(u32::try_from(decimals.len()).ok()?)?;
    let numerator = whole(integer)?.checked_mul(denominator)?;
    let numerator = numerator.checked_add(whole(decimals)?)?;
    Some(Ratio::new(numerator, denominator))
}

/// Reads digits only.
fn whole(text: &str) -> Option<u64> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits.then(|| text.parse().ok())?
}

/// Links that are being made, the same both ways.
#[derive(Default)]
struct Wires(Vec<Link<Ratio<u64>>>);

impl Wires {
    /// Links two nodes both ways.
    fn join(&mut self, a: usize, b: usize, capacity: Ratio<u64>) {
        self.0
            .extend([(a, b), (b, a)].map(|(from, to)| Link { from, to, capacity }));
    }

    /// Links the ranks of a box, whose first rank is `first`. A capacity is small enough to be doubled: sums are checked later.
    fn box_of(&mut self, pairs: &[(usize, usize, u64)], first: usize, capacity: Ratio<u64>) {
        for &(a, b, count) in pairs {
            for _ in 0..count {
                self.join(first + a, first + b, capacity);
            }
        }
    }

    fn network(self, ranks: usize, switches: Vec<String>) -> Result<Network, Fault> {
        let network = Network::new(ranks, switches.len(), &self.0)?;
        let nodes = (0..ranks).map(|rank| rank.to_string()).chain(switches);
        Ok(network.with_nodes(nodes.collect()))
    }
}

/// A mesh or a torus of any number of dimensions.
fn grid(sides: &[usize], wraps: bool, capacity: Ratio<u64>) -> Result<Network, Fault> {
    let ranks = Fault::check_product(sides)?;
    let mut wires = Wires::default();
    let mut stride = ranks;
    for &side in sides {
        stride /= side;
        for rank in 0..ranks {
            let at = rank / stride % side;
            if at + 1 < side {
                wires.join(rank, rank + stride, capacity);
            } else if wraps && side > 2 {
                wires.join(rank, rank - at * stride, capacity);
            }
        }
    }
    let sides = sides.to_vec();
    Ok(wires
        .network(ranks, Vec::new())?
        .with_shape(Shape::Grid { sides, wraps }))
}

/// All ranks linked to all.
fn full([ranks]: [usize; 1], capacity: Ratio<u64>) -> Result<Network, Fault> {
    Fault::check_links(ranks.saturating_mul(ranks.saturating_sub(1)))?;
    let mut wires = Wires::default();
    for a in 0..ranks {
        (0..a).for_each(|b| wires.join(a, b, capacity));
    }
    wires.network(ranks, Vec::new())
}

/// A k-ary fat tree of three levels.
fn fat_tree(words: &mut Words) -> Result<Network, Fault> {
    let [k] = words.sizes()?;
    if k % 2 != 0 {
        return Err(words.fault("the ports k of a switch are an even number"));
    }
    let half = k / 2;
    let ranks = Fault::check_product(&[k, half, half])?;
    let (capacity, taper) = (words.option("capacity", 1)?, words.option("taper", 1)?);
    let above = words.divide(capacity, taper)?;
    let (edges, aggregations) = (ranks, ranks + k * half);
    let cores = aggregations + k * half;
    let mut wires = Wires::default();
    for pod in 0..k {
        for i in 0..half {
            let switch = pod * half + i;
            for j in 0..half {
                wires.join(switch * half + j, edges + switch, capacity);
                wires.join(edges + switch, aggregations + pod * half + j, capacity);
                wires.join(aggregations + switch, cores + i * half + j, above);
            }
        }
    }
    let of_pods = |level: &'static str| {
        (0..k * half).map(move |switch| format!("{level}{}.{}", switch / half, switch % half))
    };
    let switches = of_pods("edge")
        .chain(of_pods("aggregation"))
        .chain((0..half * half).map(|core| format!("core{core}")));
    let network = wires.network(ranks, switches.collect())?;
    Ok(network.with_shape(Shape::Tree))
}

/// A dragonfly whose routers have as many hosts as links to other groups.
fn dragonfly(words: &mut Words) -> Result<Network, Fault> {
    let [groups, routers, links] = words.sizes()?;
    let all = Fault::check_product(&[groups, routers])?;
    let ranks = Fault::check_product(&[all, links])?;
    Fault::check_links(all.saturating_mul(routers))?;
    let ports = routers * links;
    if groups > ports + 1 {
        return Err(words.fault(format!(
            "a group has {ports} links to others; use at most {} groups",
            ports + 1
        )));
    }
    let (capacity, taper) = (words.option("capacity", 1)?, words.option("taper", 1)?);
    let between = words.divide(capacity, taper)?;
    let router = |group: usize, number: usize| ranks + group * routers + number;
    let mut wires = Wires::default();
    for rank in 0..ranks {
        wires.join(rank, ranks + rank / links, capacity);
    }
    for group in 0..groups {
        for a in 0..routers {
            (0..a).for_each(|b| wires.join(router(group, a), router(group, b), capacity));
        }
        for other in 0..group {
            let each = ports / (groups - 1);
            for copy in 0..each {
                // The ports of a group go to the others in turn, which leaves out the group itself.
                let port = |to: usize, own: usize| (to - usize::from(to > own)) * each + copy;
                wires.join(
                    router(group, port(other, group) / links),
                    router(other, port(group, other) / links),
                    between,
                );
            }
        }
    }
    let switches =
        (0..all).map(|router| format!("router{}.{}", router / routers, router % routers));
    wires.network(ranks, switches.collect())
}

impl Words<'_> {
    fn divide(&self, capacity: Ratio<u64>, by: Ratio<u64>) -> Result<Ratio<u64>, Fault> {
        num_traits::CheckedDiv::checked_div(&capacity, &by)
            .ok_or_else(|| self.fault("the capacity does not fit in 64 bits"))
    }

    fn times(&self, capacity: Ratio<u64>, by: usize) -> Result<Ratio<u64>, Fault> {
        num_traits::CheckedMul::checked_mul(&capacity, &Ratio::from_integer(by as u64))
            .ok_or_else(|| self.fault("the capacity does not fit in 64 bits"))
    }
}

/// A machine of boxes with a NIC for each GPU.
struct Model {
    /// GPUs of a box.
    size: usize,
    /// Links between them; if there are none, all are on a switch.
    pairs: &'static [(usize, usize, u64)],
    /// The option for the capacity of a link in a box, with its default.
    inside: (&'static str, u64),
    /// The capacity of a NIC.
    nic: u64,
    /// Whether NICs are on leaves by their numbers, in pods below a spine. Otherwise all are on one switch.
    has_rails: bool,
}

/// Boxes, whose capacities are in GB/s.
fn boxes(words: &mut Words, model: &Model) -> Result<Network, Fault> {
    let Model { size, pairs, .. } = *model;
    let [boxes] = words.sizes()?;
    let ranks = Fault::check_product(&[boxes, size])?;
    let inside = words.option(model.inside.0, model.inside.1)?;
    let nic = words.option("nic", model.nic)?;
    let mut wires = Wires::default();
    let mut switches = Vec::new();
    if pairs.is_empty() {
        (0..ranks).for_each(|rank| wires.join(rank, ranks + rank / size, inside));
        switches.extend((0..boxes).map(|number| format!("nvswitch{number}")));
    }
    for first in (0..ranks).step_by(size) {
        wires.box_of(pairs, first, inside);
    }
    let above = ranks + switches.len();
    if model.has_rails {
        rails(
            words,
            &mut wires,
            &mut switches,
            Rails {
                boxes,
                size,
                nic,
                above,
            },
        )?;
    } else if boxes > 1 {
        (0..ranks).for_each(|rank| wires.join(rank, above, nic));
        switches.push("ib".to_owned());
    }
    let network = wires.network(ranks, switches)?;
    Ok(network.with_shape(Shape::Boxes { size }).with_unit(GB))
}

/// Boxes below leaves.
struct Rails {
    boxes: usize,
    size: usize,
    nic: Ratio<u64>,
    /// The first leaf.
    above: usize,
}

/// Adds leaves, one for each number in a box and each pod, and their spine.
fn rails(
    words: &mut Words,
    wires: &mut Wires,
    switches: &mut Vec<String>,
    Rails {
        boxes,
        size,
        nic,
        above,
    }: Rails,
) -> Result<(), Fault> {
    let (pod, taper) = (words.option("pod", 4)?, words.option("taper", 1)?);
    if !pod.is_integer() {
        return Err(words.fault("a pod has a whole number of boxes"));
    }
    if boxes == 1 {
        return Ok(());
    }
    let pod = usize::try_from(*pod.numer())
        .unwrap_or(usize::MAX)
        .min(boxes);
    let leaves = size * boxes.div_ceil(pod);
    for rank in 0..boxes * size {
        wires.join(rank, above + rank / size / pod * size + rank % size, nic);
    }
    let to_spine = words.divide(nic, taper)?;
    for leaf in 0..leaves {
        let below = pod.min(boxes - leaf / size * pod);
        wires.join(above + leaf, above + leaves, words.times(to_spine, below)?);
        switches.push(format!("leaf{}.{}", leaf / size, leaf % size));
    }
    switches.push("spine".to_owned());
    Ok(())
}
