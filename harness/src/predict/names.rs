//! Which program an algorithm of a library runs, by the name in a table of measurements.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use algorithms::catalogue;

use crate::libraries::{Family, Library, SIMPLE};

use super::programs::{self as run, Call, Largest, Program, Size};
use super::trees::Tree;
use crate::predict::readers::sheet;

/// Words that name the library of an algorithm, by family.
const LIBRARIES: [(&str, &[&str]); 9] = [
    ("ompi", &["ompi", "openmpi"]),
    ("mpich", &["mpich"]),
    ("cray", &["cray"]),
    ("intel", &["intel", "impi"]),
    ("mvapich", &["mvapich", "mvapich2"]),
    ("ucc", &["ucc"]),
    ("nccl", &["nccl"]),
    ("rccl", &["rccl"]),
    ("own", &["over", "pico"]),
];

/// Protocols of NCCL and RCCL, and what a byte of a message takes on its way: of 8 bytes of LL 4 are data, of 128 of LL128 120.
const PROTOCOLS: [(&str, f64); 3] = [("simple", 1.0), ("ll", 2.0), ("ll128", 128.0 / 120.0)];

/// Collective, names, family (empty: any) and program; the first one that matches.
#[rustfmt::skip]
const PROGRAMS: &[(&str, &[&str], &str, Program)] = &[
    ("allreduce", &["ring"], "nccl", run::nccl_allreduce_ring),
    ("allreduce", &["tree"], "nccl", run::nccl_allreduce_tree),
    ("allreduce", &["nvls"], "nccl", |m, c| m.start() + run::lanes(m, c, [run::switched_blocks, run::switched, run::switched_blocks])),
    ("allreduce", &["nvls_tree"], "nccl", |m, c| run::lanes(m, c, [run::switched_blocks, run::nccl_allreduce_tree, run::switched_blocks])),
    ("allreduce", &["collnet_direct"], "nccl", |m, c| m.start() + run::lanes(m, c, [run::direct_combined, run::switched, run::direct])),
    ("allreduce", &["collnet_chain"], "nccl", run::nccl_switched_chain),
    ("allreduce", &["recursive_doubling", "bine_lat"], "", run::allreduce_doubling),
    ("allreduce", &["rabenseifner", "reduce_scatter_allgather"], "mpich", |m, c| run::rabenseifner(m, c, c.bytes) + run::folded(m, c, c.bytes)),
    ("allreduce", &["rabenseifner", "reduce_scatter_allgather"], "", run::allreduce_halving_openmpi),
    ("allreduce", &["bine_bdw_remap", "bine_bdw_static"], "", |m, c| run::rabenseifner(m, c, c.bytes / 2.0) + run::folded(m, c, c.bytes)),
    ("allreduce", &["bine_bdw_remap_segmented"], "", run::allreduce_bine_segmented),
    ("allreduce", &["ring", "segmented_ring"], "", run::allreduce_ring),
    ("allreduce", &["bine_block_by_block", "bine_block_by_block_any_even"], "", run::allreduce_blocks),
    ("allreduce", &["linear", "basic_linear"], "", |m, c| run::reduce_linear(m, c) + run::down(m, c, Tree::FLAT)),
    ("allreduce", &["nonoverlapping", "non_overlapping"], "", |m, c| run::reduce(m, c, Tree::NEAR, 3) + run::down(m, c, Tree::NEAR)),
    ("allreduce", &["leaders_binomial+recursive_doubling", "han"], "", |m, c| run::leaders(m, c, c.bytes, [run::reduce_near, run::allreduce_doubling, run::broadcast_near])),
    ("allreduce", &["leaders_binomial+rabenseifner"], "", |m, c| run::leaders(m, c, c.bytes, [run::reduce_near, run::allreduce_halving_openmpi, run::broadcast_near])),
    ("allreduce", &["leaders_binomial+ring"], "", |m, c| run::leaders(m, c, c.bytes, [run::reduce_near, run::allreduce_ring, run::broadcast_near])),
    ("allreduce", &["lanes_ring+rabenseifner"], "", |m, c| run::lanes(m, c, [run::reduce_scatter_ring, run::allreduce_halving_openmpi, run::allgather_ring])),
    ("allreduce", &["lanes_ring+ring"], "", |m, c| run::lanes(m, c, [run::reduce_scatter_ring, run::allreduce_ring, run::allgather_ring])),
    ("reduce_scatter", &["ring"], "nccl", |m, c| m.start() + run::nccl_reduced(m, c)),
    ("reduce_scatter", &["pat"], "nccl", |m, c| m.start() + run::by_blocks(m, c, true, Largest::Far)),
    ("reduce_scatter", &["nvls"], "nccl", |m, c| m.start() + run::switched_blocks(m, c)),
    ("reduce_scatter", &["collnet_direct"], "nccl", |m, c| m.start() + run::lanes(m, c, [run::direct_combined, run::switched_blocks, run::nothing])),
    ("reduce_scatter", &["recursive_halving", "butterfly"], "", |m, c| run::reduce_scatter_halving(m, c, Largest::Far)),
    ("reduce_scatter", &["bine_permute_remap"], "", |m, c| run::reduce_scatter_halving(m, c, Largest::Near)),
    ("reduce_scatter", &["bine_send_remap"], "", |m, c| run::reduce_scatter_halving(m, c, Largest::Near) + m.message(c.block(), m.all())),
    ("reduce_scatter", &["ring"], "", run::reduce_scatter_ring),
    ("reduce_scatter", &["pairwise"], "", run::reduce_scatter_pairwise),
    ("reduce_scatter", &["recursive_doubling"], "", run::reduce_scatter_doubling),
    ("reduce_scatter", &["bine_block_by_block", "bine_block_by_block_any_even"], "", run::reduce_scatter_blocks),
    ("reduce_scatter", &["nonoverlapping", "non_overlapping"], "", |m, c| run::reduce(m, c, Tree::NEAR, 3) + run::scatter_linear(m, c)),
    ("allgather", &["pat"], "nccl", |m, c| run::own_block(m, c) + run::by_blocks(m, c, false, Largest::Far)),
    ("allgather", &["nvls"], "nccl", |m, c| m.start() + run::switched_blocks(m, c)),
    ("allgather", &["collnet_direct"], "nccl", |m, c| m.start() + run::lanes(m, c, [run::nothing, run::switched_blocks, run::direct])),
    ("allgather", &["ring"], "", run::allgather_ring),
    ("allgather", &["recursive_doubling"], "", run::allgather_doubling),
    ("allgather", &["neighbor", "neighbor_exchange"], "", run::allgather_neighbor),
    ("allgather", &["bruck", "brucks", "k_bruck"], "", run::allgather_bruck),
    ("allgather", &["sparbit"], "", |m, c| run::own_block(m, c) + run::by_blocks(m, c, false, Largest::Far)),
    ("allgather", &["bine_block_by_block", "bine_block_by_block_any_even"], "", |m, c| run::own_block(m, c) + run::by_blocks(m, c, false, Largest::Near)),
    ("allgather", &["bine_send_remap"], "", |m, c| run::bine(m, c) + m.message(c.block(), m.all())),
    ("allgather", &["bine_permute_remap", "bine_2_blocks_dtype"], "", |m, c| run::bine(m, c) + m.copy(c.bytes, c.bytes)),
    ("allgather", &["bine_2_blocks"], "", run::allgather_bine_two),
    ("allgather", &["linear", "basic_linear"], "", |m, c| run::gather_linear(m, c) + run::down(m, c, Tree::NEAR)),
    ("allgather", &["direct"], "", run::all_blocks_posted),
    ("allgather", &["leaders_linear+ring", "han"], "", |m, c| run::leaders(m, c, c.bytes * c.node as f64 / c.ranks as f64, [run::gather_linear, run::allgather_ring, run::broadcast_near])),
    ("allgather", &["lanes_ring+ring"], "", |m, c| run::lanes(m, c, [run::nothing, run::allgather_ring, run::allgather_ring])),
    ("alltoall", &["linear", "basic_linear", "linear_sync", "scattered"], "", run::all_blocks_posted),
    ("alltoall", &["pairwise"], "", run::pairwise),
    ("alltoall", &["modified_bruck", "bruck", "brucks"], "", |m, c| run::bruck(m, c, |m, bytes, distance| m.message(bytes, m.shift(distance)))),
    ("alltoall", &["bine"], "", |m, c| run::bruck(m, c, |m, bytes, distance| m.exchange(bytes, 1.0, distance))),
    ("alltoall", &["lanes_pairwise+pairwise"], "", |m, c| run::lanes(m, &Call { bytes: c.bytes * c.node as f64, ..*c }, [run::nothing, run::pairwise, run::nothing]) + run::lanes(m, c, [run::pairwise, run::nothing, run::nothing])),
    ("bcast", &["ring"], "nccl", |m, c| m.start() + run::nccl_chain(m, c, false)),
    ("bcast", &["binomial"], "mpich", run::broadcast_blocking),
    ("bcast", &["bine_lat_new"], "", run::broadcast_blocking),
    ("bcast", &["binomial"], "", |m, c| m.start() + run::down(m, c, Tree::NEAR)),
    ("bcast", &["knomial"], "", |m, c| m.start() + run::down(m, c, Tree::K_NOMIAL_4)),
    ("bcast", &["binary", "binary_tree"], "", |m, c| m.start() + run::down(m, c, Tree::BINARY)),
    ("bcast", &["linear", "basic_linear"], "", |m, c| m.start() + run::down(m, c, Tree::FLAT)),
    ("bcast", &["chain"], "", run::broadcast_chain),
    ("bcast", &["pipeline"], "", run::broadcast_pipeline),
    ("bcast", &["split_binary", "split_binary_tree"], "", run::broadcast_split_binary),
    ("bcast", &["bine_lat", "bine_lat_i_new", "bine_lat_reversed"], "", |m, c| m.start() + run::down(m, c, Tree::BINOMIAL)),
    ("bcast", &["scatter_allgather", "scatter_recursive_doubling_allgather", "bine_bdw_remap"], "", |m, c| m.start() + run::scattered(m, c) + run::exchanges(m, c, Largest::Far)),
    ("bcast", &["scatter_allgather_ring", "scatter_ring_allgather"], "", |m, c| m.start() + run::scattered(m, c) + m.ring(c.block()) * c.others()),
    ("bcast", &["leaders_binomial+binomial", "han"], "", |m, c| run::leaders(m, c, c.bytes, [run::nothing, run::broadcast_near, run::broadcast_near])),
    ("bcast", &["lanes_binomial+binomial+ring"], "", |m, c| run::lanes(m, c, [run::scattered, run::broadcast_near, run::allgather_ring])),
    ("reduce", &["ring"], "nccl", |m, c| m.start() + run::nccl_chain(m, c, true)),
    ("reduce", &["linear", "basic_linear"], "", run::reduce_linear),
    ("reduce", &["binomial"], "ompi", |m, c| run::reduce(m, c, Tree::NEAR, 3)),
    ("reduce", &["binomial", "bine_lat"], "", |m, c| run::reduce(m, c, Tree::BINOMIAL, 2)),
    ("reduce", &["binary"], "", |m, c| run::reduce(m, c, Tree::BINARY, 3)),
    ("reduce", &["in_order", "in_order_binary"], "", |m, c| run::reduce(m, c, Tree::IN_ORDER, 3)),
    ("reduce", &["rabenseifner", "reduce_scatter_gather", "bine_bdw"], "", run::reduce_rabenseifner),
    ("reduce", &["leaders_binomial+binomial", "han"], "", |m, c| run::leaders(m, c, c.bytes, [run::reduce_near, run::reduce_near, run::nothing])),
    ("gather", &["linear", "basic_linear"], "", run::gather_linear),
    ("gather", &["binomial", "bine"], "", run::gather_binomial),
    ("gather", &["linear_synch", "linear_sync"], "", run::gather_synchronized),
    (MESSAGE, &["latency"], "", run::hop),
    (MESSAGE, &["stream"], "", run::stream),
    ("scatter", &["linear", "basic_linear"], "", run::scatter_linear),
    ("scatter", &["linear_nb"], "", run::scatter_posted),
    ("scatter", &["binomial", "bine"], "", |m, c| run::half(m, c) + run::scattered(m, c)),
];

/// The messages of two ranks, which are no collective, but tell something of a machine.
pub const MESSAGE: &str = "message";

/// What the names of algorithms for levels begin with.
const LEVELS: [&str; 2] = ["leaders", "lanes"];

/// What the names of algorithms for an even number of ranks begin with.
const PAIRS: [&str; 2] = ["bine", "neighbor"];

/// Lower case, with one sign between words.
fn plain(name: &str) -> String {
    name.trim()
        .to_lowercase()
        .replace(['-', ' ', '.', '/', ':'], "_")
}

/// The collective as MPI names it in small letters: `allreduce` for `MPI_Allreduce` and `all-reduce`.
pub fn collective(name: &str) -> String {
    let plain = plain(name);
    let bare = plain.strip_prefix("mpi_").unwrap_or(&plain);
    sheet::collective(bare).unwrap_or(bare).to_owned()
}

/// The collective with the programs of another one: `MPI_Reduce_scatter_block` has those of `MPI_Reduce_scatter`, and libraries decide
/// for each.
pub fn with_programs(collective: &str) -> &str {
    collective.strip_suffix(BLOCK).unwrap_or(collective)
}

/// What the name of a function with blocks of one size ends in.
const BLOCK: &str = "_block";

/// Whether a name stands for the library's own choice.
pub fn is_default(name: &str) -> bool {
    plain(name).starts_with("default")
}

/// Whether a name is of this library's own choice, or of one that names no library.
pub fn is_default_of(library: Library, name: &str) -> bool {
    let named = plain(name).split('_').find_map(family_of);
    is_default(name) && named.is_none_or(|named| named == family(library))
}

/// What a name that is not known as the library's own choice, but looks like it, is to be mapped to.
pub fn like_default(name: &str) -> Option<String> {
    let plain = plain(name);
    let family = plain.split('_').find_map(family_of);
    let known = family.map_or_else(
        || "default".to_owned(),
        |family| format!("default_{family}"),
    );
    (plain.contains("default") && !is_default(name)).then_some(known)
}

/// Whether a text as `Open MPI 4.1.4` names this library, and if a version, this one.
pub fn is_named(library: Library, text: &str) -> bool {
    let (family, text) = (library.family(), plain(text).replace("_v", "_"));
    let has = |own: &str| format!("{text}_").contains(&(plain(own) + "_"));
    let is_bare = [family.name(), family.key()]
        .iter()
        .any(|own| plain(own) == text);
    // Cray's MPICH is another library than MPICH.
    let mut named = text.split('_').filter_map(family_of);
    named.all(|named| named == self::family(library))
        && (is_bare || has(library.name()) || has(library.key()))
}

/// The family of the library that a word of a name means.
fn family_of(word: &str) -> Option<&'static str> {
    LIBRARIES
        .iter()
        .find(|(_, words)| words.contains(&word))
        .map(|(family, _)| *family)
}

/// The collectives with a program.
pub fn collectives() -> Vec<&'static str> {
    PROGRAMS
        .chunk_by(|one, next| one.0 == next.0)
        .flat_map(|programs| match programs[0].0 {
            own @ "reduce_scatter" => vec![own, "reduce_scatter_block"],
            own => vec![own],
        })
        .filter(|name| *name != MESSAGE)
        .collect()
}

/// Whether an algorithm needs a switch that combines and copies, which few machines have.
pub fn needs_switch(name: &str) -> bool {
    let plain = plain(name);
    ["nvls", "collnet"]
        .iter()
        .any(|word| plain.starts_with(word))
}

/// One name for each program of a collective that any machine runs; none for an unknown collective.
pub fn program_names(collective: &str) -> Vec<String> {
    let collective = with_programs(collective);
    let own = PROGRAMS.iter().filter(|entry| entry.0 == collective);
    let name = |entry: &(&str, &[&str], &str, Program)| match entry.2 {
        "" => entry.1[0].to_owned(),
        family => format!("{}_{family}", entry.1[0]),
    };
    own.map(name).filter(|name| !needs_switch(name)).collect()
}

/// Whether two names of a collective's algorithms are of one program.
pub fn is_same(collective: &str, one: &str, other: &str) -> bool {
    let row = |name| named(collective, name).map(|named| named.row);
    row(one).is_some() && row(one) == row(other)
}

/// Whether a name is of an algorithm of NCCL or RCCL.
pub fn is_of_gpus(name: &str) -> bool {
    let family = plain(name).split('_').find_map(family_of);
    matches!(family, Some("nccl" | "rccl"))
}

/// Whether an algorithm runs in another protocol than the first one.
pub fn has_protocol(collective: &str, name: &str) -> bool {
    let named = named(collective, name);
    named.is_some_and(|named| named.protocol.unwrap_or(0) > 0)
}

/// A name taken apart.
struct Named {
    /// Its row of [`PROGRAMS`].
    row: usize,
    /// The family of its library; empty if it names none.
    family: &'static str,
    /// The size of its segments.
    segment: Option<u32>,
    /// Its row of [`PROTOCOLS`], if it names one.
    protocol: Option<usize>,
    /// Whether all ranks exchange in pairs.
    is_in_pairs: bool,
    /// The name without these.
    bare: String,
}

/// The algorithm of a name; none if it is not known.
fn named(collective: &str, name: &str) -> Option<Named> {
    let name = plain(name);
    let mut words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    let segment = words
        .last()
        .and_then(|word| word.parse::<u32>().ok())
        .filter(|&bytes| bytes > 0);
    words.truncate(words.len() - usize::from(segment.is_some()));
    let family = words.iter().find_map(|word| family_of(word)).unwrap_or("");
    words.retain(|word| family_of(word).is_none());
    let programs = match family {
        "rccl" => "nccl",
        // They are made of MPICH; what they choose is their own.
        "cray" | "intel" | "mvapich" => "mpich",
        _ => family,
    };
    let protocol = |word: &&str| PROTOCOLS.iter().position(|(name, _)| name == word);
    let protocol = words
        .last()
        .filter(|_| programs == "nccl")
        .and_then(protocol);
    words.truncate(words.len() - usize::from(protocol.is_some()));
    let name = words.join("_");
    let programs_of = with_programs(collective);
    let bare = [collective, programs_of]
        .iter()
        .find_map(|own| name.strip_prefix(own)?.strip_prefix('_'))
        .unwrap_or(&name);
    let row = PROGRAMS.iter().position(|entry| {
        entry.0 == programs_of
            && entry.1.contains(&bare)
            && (entry.2.is_empty() || entry.2 == programs)
    })?;
    (segment.is_none() || bare.ends_with("segmented") || bare == "pipeline").then_some(Named {
        row,
        family,
        segment,
        protocol,
        is_in_pairs: PAIRS.iter().any(|word| bare.starts_with(word)),
        bare: bare.to_owned(),
    })
}

/// Whether a collective's algorithm has a program.
pub fn is_known(collective: &str, name: &str) -> bool {
    named(collective, name).is_some()
}

/// The collective whose algorithm has this name in the catalogue, if it is another one.
pub fn another(collective: &str, name: &str) -> Option<String> {
    let entry = catalogue::find(&plain(name).replace('_', "-"))?;
    let of = self::collective(entry.problem().name);
    let is_another =
        collectives().contains(&of.as_str()) && of != with_programs(&self::collective(collective));
    is_another.then_some(of)
}

/// Whether a program runs one algorithm inside nodes and one between them.
pub fn is_of_levels(name: &str) -> bool {
    LEVELS.iter().any(|word| name.starts_with(word))
}

/// Why an algorithm with a program is not defined at a size; none where it is.
pub fn undefined(collective: &str, name: &str, size: Size) -> Option<&'static str> {
    let named = named(collective, name)?;
    let first = PROGRAMS[named.row].1[0];
    let is_flat = size.node == 1 || size.nodes() == 1;
    if is_flat && is_of_levels(first) {
        return Some("for several nodes with several ranks each");
    }
    (named.is_in_pairs && size.ranks % 2 == 1).then_some("for an even number of ranks")
}

/// The program of a collective's algorithm and its call at a size; none if the name is not known, or not defined there.
///
/// The name may begin with the collective and end in a library and a segment size: `ring`, `allreduce-ring`, `ring_ompi`,
/// `bine_bdw_remap_segmented_over_16384`; of NCCL also in a protocol: `tree_ll128_nccl`.
pub fn find(collective: &str, name: &str, size: Size) -> Option<(Program, Call)> {
    let Named {
        row,
        segment,
        protocol,
        ..
    } = named(collective, name)?;
    let expansion = protocol.map_or(1.0, |row| PROTOCOLS[row].1);
    let call = Call {
        ranks: size.ranks,
        node: size.node,
        bytes: size.bytes as f64 * expansion,
        segment: segment.map(f64::from),
    };
    undefined(collective, name, size)
        .is_none()
        .then_some((PROGRAMS[row].3, call))
}

/// How a library runs an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Variant {
    /// Bytes of a segment; 0 for the whole message.
    pub segment: u64,
    /// The protocol of NCCL or RCCL; none for the simple one.
    pub protocol: Option<&'static str>,
}

impl Variant {
    /// The name of an algorithm that runs so.
    pub fn name(self, theirs: &str) -> String {
        let protocol = self.protocol.map(|protocol| format!("_{protocol}"));
        let segment = (self.segment > 0).then(|| format!("_{}", self.segment));
        format!(
            "{theirs}{}{}",
            protocol.unwrap_or_default(),
            segment.unwrap_or_default()
        )
    }
}

/// What was measured of a library's algorithm, by segment and protocol: of names that run one program the first one with the library,
/// else the first one without any.
pub fn measured_as<'a, T>(
    library: Library,
    collective: &str,
    theirs: &str,
    measured: impl IntoIterator<Item = (&'a str, T)>,
) -> BTreeMap<Variant, T> {
    let family = family(library);
    let own = named(collective, &format!("{theirs}_{family}"));
    // Several algorithms of a library can run one program.
    let of = |name: &str| with_programs(&self::collective(name)) == with_programs(collective);
    let rows = library.family().rows().iter().filter(|row| of(row.name));
    let others: BTreeSet<String> = rows
        .flat_map(|row| &row.algorithms)
        .map(|known| plain(known.name))
        .filter(|name| *name != plain(theirs))
        .collect();
    let mut found: BTreeMap<Variant, (bool, T)> = BTreeMap::new();
    for (name, what) in measured {
        let Some(known) = named(collective, name) else {
            continue;
        };
        let is_own = known.family == family;
        if own.as_ref().is_none_or(|own| own.row != known.row)
            || others.contains(&known.bare)
            || !is_own && !known.family.is_empty()
        {
            continue;
        }
        let protocol = known.protocol.map(|row| PROTOCOLS[row].0);
        let variant = Variant {
            segment: known.segment.map_or(0, u64::from),
            protocol: protocol.filter(|protocol| *protocol != SIMPLE),
        };
        match found.entry(variant) {
            Entry::Occupied(mut first) if is_own && !first.get().0 => {
                _ = first.insert((is_own, what))
            }
            Entry::Occupied(_) => {}
            Entry::Vacant(free) => _ = free.insert((is_own, what)),
        }
    }
    found
        .into_iter()
        .map(|(variant, (_, what))| (variant, what))
        .collect()
}

/// The word that names a library in the names of its algorithms.
pub fn family(library: Library) -> &'static str {
    match library.family() {
        Family::OpenMpi => "ompi",
        family => family.key(),
    }
}
