//! What a measured time says of the bytes through the ports of a node.

use super::sheet::collective;

/// More than the ports of any node pass in one direction, bytes a nanosecond (GB/s).
pub const MOST: f64 = 400.0;

/// The least bytes a nanosecond that each node, or the node of the root, sends or receives in a call of the whole vector. None
/// within one node, and for other functions.
#[must_use]
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

/// The warning of rates above what a node allows: how many there are, and the largest of them. None without any.
#[must_use]
pub fn warning(rates: impl Iterator<Item = (f64, f64, String)>) -> Option<String> {
    let above: Vec<_> = rates.filter(|(rate, most, _)| rate > most).collect();
    let (rate, most, largest) = above
        .iter()
        .max_by(|one, other| one.0.total_cmp(&other.0))?;
    Some(format!(
        "warning: {} of the times imply more than the {most:.0} GB/s that a node allows, the most {rate:.0} GB/s: {largest}; \
         check the unit of the times and of the sizes",
        above.len(),
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
        let text =
            warning([(500.0, 400.0, "a".to_owned()), (2.0, 400.0, "b".to_owned())].into_iter())
                .unwrap();
        assert!(
            text.contains("500 GB/s: a")
                && warning([(2.0, 400.0, "b".to_owned())].into_iter()).is_none()
        );
    }
}
