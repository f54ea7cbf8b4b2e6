//! The topology that NCCL writes into the file that `NCCL_TOPO_DUMP_FILE` names: one box.
//!
//! GPUs are ranks, in the order of their `rank`, or `dev`. Where `nvlink` or `xgmi` links join all GPUs these are the network;
//! otherwise PCI bridges and CPUs are its switches, too. Capacities are the GB/s that NCCL and RCCL assume. NICs lead out of the
//! box, so they are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::draft::{Draft, Node};
use crate::base::failure::Result;
use crate::base::units::plural;
use crate::output::diagnostics::Source;

const HELP: &str = "set NCCL_TOPO_DUMP_FILE and start any program of NCCL; it writes the file";

/// The element that encloses others: what it is in the network, and its name.
#[derive(Clone)]
enum Place {
    Switch(Node),
    /// The PCI device of a GPU: its address, the GB/s of its link as a fraction, and the switch above it.
    Device(String, String, Option<Node>),
    Gpu(usize),
    Other,
}

/// A GPU of the file.
struct Gpu {
    number: u32,
    address: String,
    /// GB/s of one NVLink or xGMI link, as a fraction.
    lane: &'static str,
    above: Option<(Node, String)>,
    /// Target, class of the target, number of links.
    links: Vec<(String, String, u64)>,
    at: Range<usize>,
}

/// Attributes of an element by name.
type Attributes = BTreeMap<String, String>;

/// Reads the file.
///
/// # Errors
/// Exit code 3, with file and line.
pub fn read<'a>(source: &'a Source, draft: &mut Draft<'a>) -> Result {
    let mut found = Found::default();
    found.scan(source, draft)?;
    let Found {
        mut gpus,
        cpus,
        pci,
        nics,
    } = found;
    if nics > 0 {
        let nics = plural(nics, "NIC");
        tell!(
            "note: {}: {nics} lead out of the box, and are left out",
            source.name()
        );
    }
    gpus.sort_by_key(|gpu| gpu.number);
    if let Some(pair) = gpus
        .windows(2)
        .find(|pair| pair[0].number == pair[1].number)
    {
        let title = format!("two GPUs have the number {}", pair[0].number);
        return Err(source.failure(pair[1].at.clone(), title, "the second one", HELP));
    }
    draft.unit("GB/s", 0..0)?;
    let mut ranks = BTreeMap::new();
    for gpu in &gpus {
        let node = draft.rank(&gpu.address, gpu.at.clone())?;
        ranks.insert(gpu.address.clone(), node);
    }
    let is_joined = is_joined(&gpus);
    if is_joined {
        draft.forget_switches();
    }
    for gpu in &gpus {
        let own = ranks[&gpu.address];
        for (target, class, count) in &gpu.links {
            let (lane, at) = draft.width(gpu.lane, gpu.at.clone())?;
            let width = (lane * *count, at);
            match ranks.get(target) {
                // The other GPU lists its own direction.
                Some(&other) => draft.link([own, other], &width, false)?,
                None if is_switch(class) => {
                    let at = gpu.at.clone();
                    let switch = draft.node_or(SWITCH, at, Draft::switch)?;
                    draft.link([own, switch], &width, true)?;
                }
                None => tell!(
                    "note: {}: a link of GPU {} to a device of class {class} is left out",
                    source.name(),
                    gpu.number
                ),
            }
        }
    }
    if is_joined {
        return Ok(());
    }
    for gpu in &gpus {
        if let Some((above, capacity)) = &gpu.above {
            let width = draft.width(capacity, gpu.at.clone())?;
            draft.link([ranks[&gpu.address], *above], &width, true)?;
        }
    }
    for (ends, capacity, at) in pci {
        draft.link(ends, &draft.width(&capacity, at)?, true)?;
    }
    for (number, (one, capacity, at)) in cpus.iter().enumerate() {
        for (other, ..) in &cpus[..number] {
            draft.link([*one, *other], &draft.width(capacity, at.clone())?, true)?;
        }
    }
    Ok(())
}

/// The switch of all links that lead to one.
const SWITCH: &str = "nvswitch";

/// Whether a device with this class is a switch of NVLink; 0x068001 is a bridge to a CPU.
fn is_switch(class: &str) -> bool {
    class.starts_with("0x0680") && class != "0x068001"
}

/// Whether the links of GPUs lead from each to each.
fn is_joined(gpus: &[Gpu]) -> bool {
    let ends = |gpu: &Gpu| {
        let of = |(target, class, _): &(String, String, u64)| {
            let is_gpu = gpus.iter().any(|gpu| gpu.address == *target);
            let switch = is_switch(class).then(|| SWITCH.to_owned());
            if is_gpu { Some(target.clone()) } else { switch }
        };
        let own = gpu.links.iter().filter_map(of).chain([gpu.address.clone()]);
        own.collect::<BTreeSet<String>>()
    };
    let mut reached = ends(&gpus[0]);
    loop {
        let before = reached.len();
        for own in gpus.iter().map(ends) {
            if !own.is_disjoint(&reached) {
                reached.extend(own);
            }
        }
        if reached.len() == before {
            let is_on = |gpu: &Gpu| !gpu.links.is_empty() && reached.contains(&gpu.address);
            return gpus.iter().all(is_on);
        }
    }
}

/// What stands in a file.
#[derive(Default)]
struct Found {
    gpus: Vec<Gpu>,
    /// CPUs with the GB/s between them.
    cpus: Vec<(Node, &'static str, Range<usize>)>,
    /// How many NICs there are.
    nics: u64,
    /// Links of bridges.
    pci: Vec<([Node; 2], String, Range<usize>)>,
}

impl Found {
    fn scan(&mut self, source: &Source, draft: &mut Draft<'_>) -> Result {
        let mut reader = Reader::from_str(source.text());
        let mut open: Vec<Place> = Vec::new();
        loop {
            let start = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
            let event = reader.read_event();
            let end = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
            let (element, is_open) = match event {
                Ok(Event::Start(element)) => (element, true),
                Ok(Event::Empty(element)) => (element, false),
                Ok(Event::End(_)) => {
                    open.pop();
                    continue;
                }
                Ok(Event::Eof) if open.is_empty() && !self.gpus.is_empty() => return Ok(()),
                Ok(Event::Eof) => {
                    let end = source.text().len();
                    let title = if open.is_empty() {
                        "there is no <gpu>"
                    } else {
                        "the file ends inside of an element"
                    };
                    return Err(source.failure(
                        end..end,
                        title,
                        "expected the dump of a box with GPUs",
                        HELP,
                    ));
                }
                Ok(_) => continue,
                Err(error) => {
                    return Err(source.failure(start..end, "this is no XML", error, HELP));
                }
            };
            let place = self.element(source, draft, &element, &open, start..end)?;
            if is_open {
                open.push(place);
            }
        }
    }

    fn element(
        &mut self,
        source: &Source,
        draft: &mut Draft<'_>,
        element: &BytesStart<'_>,
        open: &[Place],
        at: Range<usize>,
    ) -> Result<Place> {
        let name = String::from_utf8_lossy(element.name().into_inner().as_ref()).into_owned();
        let attributes = attributes(element);
        let text = |key: &str| attributes.get(key).map_or("", String::as_str);
        let fail = |title: String, label: &str| source.failure(at.clone(), title, label, HELP);
        let needed = |key: &str| {
            let own = attributes.get(key).cloned();
            own.ok_or_else(|| fail(format!("<{name}> without `{key}`"), "expected it"))
        };
        let above = open.iter().rev().find_map(|place| match place {
            Place::Switch(node) => Some(*node),
            _ => None,
        });
        Ok(match &*name {
            "cpu" => {
                let node = draft.switch(
                    &format!("cpu{}-{}", text("host_hash"), needed("numaid")?),
                    at.clone(),
                )?;
                self.cpus.push((node, between_cpus(text), at));
                Place::Switch(node)
            }
            "pci" => {
                let address = needed("busid")?;
                let capacity = of_pci(text("link_speed"), text("link_width"));
                // Bridges have class 0x0604; without a class it is one, too.
                if !(text("class").is_empty() || text("class").starts_with("0x0604")) {
                    return Ok(Place::Device(address, capacity, above));
                }
                let node = draft.switch(&address, at.clone())?;
                self.pci
                    .extend(above.map(|above| ([above, node], capacity, at)));
                Place::Switch(node)
            }
            "gpu" => {
                let number = needed(if attributes.contains_key("rank") {
                    "rank"
                } else {
                    "dev"
                })?;
                let number = number.parse().map_err(|_| {
                    let title = format!("a GPU with the number {number}");
                    fail(title, "expected a whole number")
                })?;
                let Some(Place::Device(address, capacity, above)) = open.last() else {
                    let title = "a <gpu> outside of a <pci>".to_owned();
                    return Err(fail(title, "expected its PCI device"));
                };
                let above = above.map(|node| (node, capacity.clone()));
                let (address, lane) = (address.clone(), lane(text("sm"), text("gcn")));
                self.gpus.push(Gpu {
                    number,
                    address,
                    lane,
                    above,
                    links: Vec::new(),
                    at,
                });
                Place::Gpu(self.gpus.len() - 1)
            }
            "nvlink" | "xgmi" => {
                let count = needed("count")?;
                let count = count
                    .parse()
                    .ok()
                    .filter(|count| (1..=1000).contains(count))
                    .ok_or_else(|| {
                        let title = format!("{count} links");
                        fail(title, "expected a number from 1 to 1,000")
                    })?;
                let (target, class) = (needed("target")?, text("tclass").to_owned());
                if let Some(&Place::Gpu(gpu)) = open.last() {
                    self.gpus[gpu].links.push((target, class, count));
                }
                Place::Other
            }
            "net" => {
                self.nics += 1;
                Place::Other
            }
            _ => Place::Other,
        })
    }
}

fn attributes(element: &BytesStart<'_>) -> Attributes {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let own = element.attributes().flatten();
    own.map(|own| {
        (
            text(own.key.into_inner().as_ref()),
            text(own.value.as_bytes()),
        )
    })
    .collect()
}

/// GB/s of one link of a GPU, as NCCL and RCCL assume.
fn lane(sm: &str, gcn: &str) -> &'static str {
    match (gcn, sm.parse().unwrap_or(80)) {
        (gcn, _) if gcn.starts_with("gfx94") || gcn.starts_with("gfx95") => "48",
        ("gfx90a" | "910", _) => "36",
        (gcn, _) if !gcn.is_empty() => "24",
        (_, 100u32..) => "40.1",
        (_, 90..) => "20.6",
        (_, 86) => "12",
        (_, 70..) => "20",
        _ => "18",
    }
}

/// GB/s of a PCI link, as NCCL assumes: 80 of the lanes at 100 Mbit/s make 1 GB/s. Unknown lanes are 16, unknown speeds 8 GT/s.
fn of_pci(speed: &str, width: &str) -> String {
    let lane = match speed.split_once(' ').map_or(speed, |(number, _)| number) {
        "2.5" => 15,
        "5" | "5.0" => 30,
        "16" | "16.0" => 120,
        "32" | "32.0" => 240,
        "64" | "64.0" => 480,
        _ => 60,
    };
    let width = width
        .parse::<u64>()
        .ok()
        .filter(|&width| width > 0)
        .unwrap_or(16);
    format!("{}/80", u64::min(width, 64) * lane)
}

/// GB/s between two CPUs, as NCCL assumes.
fn between_cpus<'a>(text: impl Fn(&str) -> &'a str) -> &'static str {
    let number = |key: &str| text(key).parse::<u64>().unwrap_or(0);
    match (text("arch"), text("vendor")) {
        ("ppc64", _) => "32",
        ("arm64" | "aarch64", _) => "6",
        (_, "AuthenticAMD") => match number("familyid") {
            26.. => "32",
            25 => "24",
            _ => "16",
        },
        _ => match number("modelid") {
            207.. => "40",
            143.. => "22",
            85.. => "10",
            _ => "6",
        },
    }
}
