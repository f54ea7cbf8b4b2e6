//! What a measured time says of the bytes through the ports of a node.

use super::sheet::collective;

/// More than the ports of any node pass in one direction, bytes a nanosecond (GB/s).
pub const MOST: f64 = 400.0;

/// The least bytes a nanosecond that each node, or the node of the root, sends or receives in a call of the whole vector. None
/// within one node, and for other functions.
pub fn through_ports(name: &str, nodes: u64, ranks: u64, bytes: u64, ns: u64) -> Option<f64> {
    let bytes = bytes as f64;
    let others = 1.0 - 1.0 / nodes as f64;
    let name = collective(name)?;
    let sent = match name.trim_end_matches(['v', 'w']) {
        "allreduce" => 2.0 * others * bytes,
        "allgather" | "reduce_scatter" | "reduce_scatter_block" | "gather" | "scatter" => {
            others * bytes
        }
        // Each rank sends a block to each rank of the other nodes.
        "alltoall" => others * bytes * (ranks / nodes.max(1)) as f64,
        "bcast" | "reduce" | "scan" | "exscan" | "pingpong" => bytes,
        _ => return None,
    };
    (nodes > 1 && ns > 0).then(|| sent / ns as f64)
}

/// Bytes a nanosecond through the ports of a node, and its ranks.
#[derive(Debug)]
pub struct Rate {
    of: f64,
    ranks_per_node: f64,
    at: String,
}

impl Rate {
    /// The rate of a call of the whole vector; `at` says where its time stands. None where [`through_ports`] has none.
    pub fn new(
        name: &str,
        nodes: u64,
        ranks: u64,
        bytes: u64,
        ns: u64,
        at: impl FnOnce() -> String,
    ) -> Option<Self> {
        Some(Self {
            of: through_ports(name, nodes, ranks, bytes, ns)?,
            ranks_per_node: ranks as f64 / nodes as f64,
            at: at(),
        })
    }
}

/// The warning of rates above what a node allows, [`MOST`] or twice what its ranks pass by a profile's ns per byte: how many there are,
/// and the largest of them. None without any.
pub fn warning<'a>(
    rates: impl IntoIterator<Item = &'a Rate>,
    ns_per_byte: Option<f64>,
) -> Option<String> {
    let most =
        |rate: &Rate| ns_per_byte.map_or(MOST, |ns| MOST.min(2.0 * rate.ranks_per_node / ns));
    let above: Vec<&Rate> = rates
        .into_iter()
        .filter(|rate| rate.of > most(rate))
        .collect();
    let largest = above
        .iter()
        .max_by(|one, other| one.of.total_cmp(&other.of))?;
    Some(format!(
        "warning: {} of the times imply more than the {:.0} GB/s that a node allows, the most {:.0} GB/s: {}; \
         check the unit of the times and of the sizes",
        above.len(),
        most(largest),
        largest.of,
        largest.at
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_follow_from_the_bytes_that_must_pass() {
        let rate = |name, nodes, ranks| through_ports(name, nodes, ranks, 1000, 100);
        assert_eq!(rate("MPI_Allreduce", 4, 16), Some(15.0));
        assert_eq!(rate("allgather", 4, 16), Some(7.5));
        assert_eq!(rate("alltoallv", 4, 16), Some(30.0));
        assert_eq!(rate("bcast", 2, 2), Some(10.0));
        assert_eq!(
            [
                rate("allreduce", 1, 8),
                rate("barrier", 4, 4),
                rate("sendrecv", 4, 4)
            ],
            [None; 3]
        );
        let of = |bytes, at: &str| Rate::new("bcast", 2, 4, bytes, 1, || at.to_owned()).unwrap();
        let (high, low) = (of(500, "a"), of(2, "b"));
        let text = warning([&high, &low], None).unwrap();
        assert!(
            text.contains("more than the 400 GB/s") && text.contains("500 GB/s: a"),
            "{text}"
        );
        assert!(warning([&low], None).is_none());
        // Two ranks of a node that pass 0.4 GB/s each; twice that is allowed.
        let text = warning([&low], Some(2.5)).unwrap();
        assert!(text.contains("more than the 2 GB/s"), "{text}");
    }
}
