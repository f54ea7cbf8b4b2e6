//! What Open MPI's tuned component takes from a rules file, by its documentation (tuned.rst, issue 7672): the last
//! communicator size not above its own, or the first one; then the last message size not above its own.

/// The environment in which Open MPI starts, also as root, and looks for no network of libfabric: its providers search the symbols
/// of the kernel, in each rank, for two thirds of the time of a start. Ranks here share a host, or name their network.
pub const STARTS: [(&str, &str); 4] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_btl", "^ofi"),
    ("OMPI_MCA_mtl", "^ofi"),
];

/// The rules of a file: those of each collective.
#[derive(Debug)]
pub struct Rules(Vec<(u64, Sizes)>);

/// The rules of each communicator size.
type Sizes = Vec<(u64, Vec<Rule>)>;

/// From this message size on an algorithm with a segment size.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The size in the unit of the collective.
    pub size: u64,
    /// The algorithm; 0 is Open MPI's own choice.
    pub algorithm: u64,
    /// Bytes of a segment; 0 for the whole message.
    pub segment: u64,
}

impl Rules {
    /// Reads a file as Open MPI does: numbers, and comments to the end of a line.
    pub fn parse(text: &str) -> Self {
        let words = text.lines().flat_map(|line| {
            line.split('#')
                .next()
                .unwrap_or_default()
                .split_whitespace()
        });
        let numbers: Vec<u64> = words
            .map(|word| {
                word.parse()
                    .unwrap_or_else(|_| panic!("`{word}` in {text}"))
            })
            .collect();
        let mut numbers = numbers.into_iter();
        let mut next = || {
            numbers
                .next()
                .unwrap_or_else(|| panic!("the file ends too early: {text}"))
        };
        let collectives = (0..next()).map(|_| {
            let (collective, sizes) = (next(), next());
            let sizes = (0..sizes).map(|_| {
                let (ranks, count) = (next(), next());
                let rules = (0..count).map(|_| {
                    let (size, algorithm, _, segment) = (next(), next(), next(), next());
                    Rule {
                        size,
                        algorithm,
                        segment,
                    }
                });
                let rules: Vec<Rule> = rules.collect();
                assert!(
                    rules[0].size == 0 && rules.is_sorted_by(|one, next| one.size < next.size),
                    "{ranks}: {text}"
                );
                (ranks, rules)
            });
            let sizes: Sizes = sizes.collect();
            assert!(
                sizes.is_sorted_by(|one, next| one.0 < next.0),
                "{collective}: {text}"
            );
            (collective, sizes)
        });
        let rules = Self(collectives.collect());
        assert_eq!(numbers.next(), None, "more than the counts say: {text}");
        rules
    }

    /// The rules of a collective on K ranks.
    pub fn on_ranks(&self, collective: u64, K: u64) -> &[Rule] {
        let (_, sizes) = self
            .0
            .iter()
            .find(|own| own.0 == collective)
            .expect("the collective is in the file");
        &sizes
            .iter()
            .rev()
            .find(|own| own.0 <= K)
            .unwrap_or(&sizes[0])
            .1
    }

    /// The rule for a message of this size, in the unit of the collective.
    pub fn choose(&self, collective: u64, K: u64, size: u64) -> Rule {
        *self
            .on_ranks(collective, K)
            .iter()
            .rev()
            .find(|rule| rule.size <= size)
            .unwrap()
    }
}

/// Bytes of a call of one block or vector of `bytes` on K ranks, as Open MPI compares them (elements of one byte).
pub fn size(function: &str, K: u64, bytes: u64) -> u64 {
    match function {
        "MPI_Bcast" | "MPI_Allreduce" | "MPI_Reduce" | "MPI_Scatter" => bytes,
        "MPI_Allgather"
        | "MPI_Alltoall"
        | "MPI_Gather"
        | "MPI_Reduce_scatter"
        | "MPI_Reduce_scatter_block" => bytes * K,
        "MPI_Scan" | "MPI_Exscan" => K,
        "MPI_Barrier" => 0,
        _ => panic!("{function}"),
    }
}
