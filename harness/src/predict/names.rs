//! Which program an algorithm of a library runs, by the name in a table of measurements.

use super::programs::{self as run, Call, Program};

/// The collectives with a program, and other names that tables have for them.
const COLLECTIVES: [(&str, &[&str]); 8] = [
    ("allreduce", &["all_reduce"]),
    ("reduce_scatter", &["reducescatter", "reduce_scatter_block"]),
    ("allgather", &["all_gather"]),
    ("alltoall", &["all_to_all"]),
    ("bcast", &["broadcast"]),
    ("reduce", &[]),
    ("gather", &[]),
    ("scatter", &[]),
];

/// Endings that name the library of an algorithm, and its family.
const LIBRARIES: [(&str, &str); 10] = [
    ("openmpi", "ompi"),
    ("ompi", "ompi"),
    ("mpich", "mpich"),
    ("cray", "mpich"),
    ("intel", "mpich"),
    ("impi", "mpich"),
    ("mvapich", "mpich"),
    ("mvapich2", "mpich"),
    ("over", "own"),
    ("pico", "own"),
];

/// Collective, names, family (empty: any) and program; the first one that matches.
#[rustfmt::skip]
const PROGRAMS: &[(&str, &[&str], &str, Program)] = &[
    ("allreduce", &["recursive_doubling", "bine_lat"], "", run::allreduce_doubling),
    ("allreduce", &["rabenseifner", "reduce_scatter_allgather"], "mpich", run::allreduce_halving),
    ("allreduce", &["rabenseifner", "reduce_scatter_allgather"], "", run::allreduce_halving_openmpi),
    ("allreduce", &["bine_bdw_remap", "bine_bdw_static"], "", run::allreduce_bine),
    ("allreduce", &["bine_bdw_remap_segmented"], "", run::allreduce_bine_segmented),
    ("allreduce", &["ring", "segmented_ring"], "", run::allreduce_ring),
    ("allreduce", &["bine_block_by_block", "bine_block_by_block_any_even"], "", run::allreduce_blocks),
    ("allreduce", &["linear", "basic_linear"], "", run::allreduce_linear),
    ("allreduce", &["nonoverlapping", "non_overlapping"], "", run::allreduce_reduce_broadcast),
    ("reduce_scatter", &["recursive_halving", "butterfly", "bine_permute_remap"], "", run::reduce_scatter_halving),
    ("reduce_scatter", &["bine_send_remap"], "", run::reduce_scatter_halving_sent),
    ("reduce_scatter", &["ring"], "", run::reduce_scatter_ring),
    ("reduce_scatter", &["pairwise"], "", run::reduce_scatter_pairwise),
    ("reduce_scatter", &["recursive_doubling"], "", run::reduce_scatter_doubling),
    ("reduce_scatter", &["bine_block_by_block", "bine_block_by_block_any_even"], "", run::reduce_scatter_blocks),
    ("reduce_scatter", &["nonoverlapping", "non_overlapping"], "", run::reduce_scatter_reduce_scatter),
    ("allgather", &["ring"], "", run::one_block_a_round),
    ("allgather", &["recursive_doubling"], "", run::allgather_doubling),
    ("allgather", &["neighbor", "neighbor_exchange"], "", run::allgather_neighbor),
    ("allgather", &["bruck", "brucks", "k_bruck"], "", run::allgather_bruck),
    ("allgather", &["sparbit", "bine_block_by_block", "bine_block_by_block_any_even"], "", run::allgather_blocks),
    ("allgather", &["bine_send_remap"], "", run::allgather_bine_sent),
    ("allgather", &["bine_permute_remap", "bine_2_blocks_dtype"], "", run::allgather_bine_permuted),
    ("allgather", &["bine_2_blocks"], "", run::allgather_bine_two),
    ("allgather", &["linear", "basic_linear"], "", run::allgather_linear),
    ("allgather", &["direct"], "", run::all_blocks_posted),
    ("alltoall", &["linear", "basic_linear", "linear_sync", "scattered"], "", run::all_blocks_posted),
    ("alltoall", &["pairwise"], "", run::one_block_a_round),
    ("alltoall", &["modified_bruck", "bruck", "brucks"], "", run::alltoall_bruck),
    ("alltoall", &["bine"], "", run::alltoall_bine),
    ("bcast", &["binomial"], "mpich", run::broadcast_binomial_blocking),
    ("bcast", &["bine_lat_new"], "", run::broadcast_binomial_blocking),
    ("bcast", &["binomial"], "", run::broadcast_near),
    ("bcast", &["knomial"], "", run::broadcast_k_nomial),
    ("bcast", &["binary"], "", run::broadcast_binary),
    ("bcast", &["linear", "basic_linear"], "", run::broadcast_linear),
    ("bcast", &["chain"], "", run::broadcast_chain),
    ("bcast", &["pipeline"], "", run::broadcast_pipeline),
    ("bcast", &["split_binary"], "", run::broadcast_split_binary),
    ("bcast", &["bine_lat", "bine_lat_i_new", "bine_lat_reversed"], "", run::broadcast_binomial),
    ("bcast", &["scatter_allgather", "scatter_recursive_doubling_allgather", "bine_bdw_remap"], "", run::broadcast_scatter_doubling),
    ("bcast", &["scatter_allgather_ring", "scatter_ring_allgather"], "", run::broadcast_scatter_ring),
    ("reduce", &["linear", "basic_linear"], "", run::reduce_linear),
    ("reduce", &["binomial"], "ompi", run::reduce_near),
    ("reduce", &["binomial", "bine_lat"], "", run::reduce_binomial),
    ("reduce", &["binary"], "", run::reduce_binary),
    ("reduce", &["in_order", "in_order_binary"], "", run::reduce_in_order),
    ("reduce", &["rabenseifner", "reduce_scatter_gather", "bine_bdw"], "", run::reduce_rabenseifner),
    ("gather", &["linear", "basic_linear"], "", run::gather_linear),
    ("gather", &["binomial", "bine"], "", run::gather_binomial),
    ("gather", &["linear_synch", "linear_sync"], "", run::gather_synchronized),
    ("scatter", &["linear", "basic_linear"], "", run::scatter_linear),
    ("scatter", &["linear_nb"], "", run::scatter_posted),
    ("scatter", &["binomial", "bine"], "", run::scatter_binomial),
];

/// Lower case, with one sign between words.
fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace(['-', ' ', '.', '/', ':'], "_")
}

/// The collective as MPI names it in small letters: `allreduce` for `MPI_Allreduce` and `all-reduce`.
#[must_use]
pub fn collective(name: &str) -> String {
    let plain = plain(name);
    let bare = plain.strip_prefix("mpi_").unwrap_or(&plain);
    let known = COLLECTIVES.iter().find(|(known, others)| *known == bare || others.contains(&bare));
    known.map_or(bare, |(known, _)| known).to_owned()
}

/// Whether a name stands for the library's own choice.
#[must_use]
pub fn is_default(name: &str) -> bool {
    plain(name).starts_with("default")
}

/// The collectives with a program.
#[must_use]
pub fn collectives() -> [&'static str; 8] {
    COLLECTIVES.map(|(name, _)| name)
}

/// One name for each program of a collective; none for an unknown collective.
#[must_use]
pub fn of(collective: &str) -> Vec<String> {
    let own = PROGRAMS.iter().filter(|entry| entry.0 == collective);
    let name = |entry: &(&str, &[&str], &str, Program)| match entry.2 {
        "" => entry.1[0].to_owned(),
        family => format!("{}_{family}", entry.1[0]),
    };
    own.map(name).collect()
}

/// What runs under a name.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    program: Program,
    segment: Option<f64>,
}

impl Found {
    /// The program and its call at a size.
    #[must_use]
    pub fn at(self, ranks: u64, bytes: u64) -> (Program, Call) {
        (self.program, Call { ranks, bytes: bytes as f64, segment: self.segment })
    }
}

/// The program of a collective's algorithm; none if the name is not known.
///
/// The name may begin with the collective and end in a library and a segment size: `ring`, `allreduce-ring`, `ring_ompi`,
/// `bine_bdw_remap_segmented_over_16384`.
#[must_use]
pub fn find(collective: &str, name: &str) -> Option<Found> {
    let name = plain(name);
    let mut words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    let segment = words.last().and_then(|word| word.parse::<u32>().ok()).filter(|&bytes| bytes > 0);
    words.truncate(words.len() - usize::from(segment.is_some()));
    let at = words.iter().position(|word| LIBRARIES.iter().any(|(library, _)| library == word));
    let family = at.map(|at| words.remove(at));
    let family = LIBRARIES.iter().find(|(library, _)| Some(*library) == family).map_or("", |(_, family)| family);
    let name = words.join("_");
    let bare = name.strip_prefix(collective).and_then(|rest| rest.strip_prefix('_')).unwrap_or(&name);
    let fits = |entry: &&(&str, &[&str], &str, Program)| {
        entry.0 == collective && entry.1.contains(&bare) && (entry.2.is_empty() || entry.2 == family)
    };
    let program = PROGRAMS.iter().find(fits)?.3;
    let takes_segments = bare.ends_with("segmented");
    (segment.is_none() || takes_segments).then(|| Found { program, segment: segment.map(f64::from) })
}
