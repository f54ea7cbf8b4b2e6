//! Bounds by trying all cuts and all partitions.

use castbench_algorithms::network::{Collective, Network};
use num_rational::Ratio;

/// The capacity of the links that leave a set of nodes.
fn leaving(network: &Network, set: u32) -> Ratio<u128> {
    let leaves = |from: usize, to: usize| set >> from & 1 == 1 && set >> to & 1 == 0;
    let links = network
        .links()
        .iter()
        .filter(|link| leaves(link.from, link.to));
    let sum = links.map(|link| u128::from(link.capacity)).sum();
    Ratio::new(sum, network.denominator().into())
}

/// The largest of what must leave a set over the capacity that leaves it. `crossing`: of ranks inside, and whether the root is.
fn worst_cut(
    network: &Network,
    root: usize,
    crossing: impl Fn(u128, bool) -> Ratio<u128>,
) -> Ratio<u128> {
    let ranks = network.ranks();
    (0..1_u32 << network.nodes())
        .filter_map(|set| {
            let inside = (set & ((1 << ranks) - 1)).count_ones();
            let is_cut = inside > 0 && (inside as usize) < ranks;
            is_cut.then(|| crossing(inside.into(), set >> root & 1 == 1) / leaving(network, set))
        })
        .max()
        .expect("two ranks have a cut")
}

/// The largest 2(k-1) over the sum of what leaves each part, switches as it is least.
pub fn worst_partition(network: &Network) -> Ratio<u128> {
    let ranks = network.ranks();
    let least: Vec<_> = (0..1_u32 << ranks)
        .map(|set| {
            let switches = 0..1_u32 << network.switches();
            let sums = switches.map(|switches| leaving(network, set | switches << ranks));
            sums.min().expect("at least no switch")
        })
        .collect();
    let mut worst = Ratio::from_integer(0);
    let mut parts = Vec::new();
    divide(0, ranks, &mut parts, &mut |parts| {
        if parts.len() > 1 {
            let sum: Ratio<u128> = parts.iter().map(|part| least[*part as usize]).sum();
            worst = worst.max(Ratio::from_integer(2 * (parts.len() as u128 - 1)) / sum);
        }
    });
    worst
}

/// Calls `each` with every partition of the ranks from `rank` on.
fn divide(rank: usize, ranks: usize, parts: &mut Vec<u32>, each: &mut impl FnMut(&[u32])) {
    if rank == ranks {
        return each(parts);
    }
    for index in 0..parts.len() {
        parts[index] |= 1 << rank;
        divide(rank + 1, ranks, parts, each);
        parts[index] &= !(1 << rank);
    }
    parts.push(1 << rank);
    divide(rank + 1, ranks, parts, each);
    parts.pop();
}

/// The bound of a collective, by definition.
pub fn bound(network: &Network, collective: Collective) -> Ratio<u128> {
    let n = network.ranks() as u128;
    let shares = if network.is_half_duplex() { 2 } else { 1 };
    let one = |holds: bool| Ratio::from_integer(u128::from(holds));
    let part = |amount: u128| Ratio::new(amount, n);
    let cut =
        |root, crossing: &dyn Fn(u128, bool) -> Ratio<u128>| worst_cut(network, root, crossing);
    match collective {
        Collective::Gather { root } => cut(root, &|inside, has| part(inside) * one(!has)),
        Collective::Scatter { root } => cut(root, &|inside, has| part(n - inside) * one(has)),
        Collective::Alltoall => cut(0, &|inside, _| part(inside * (n - inside) * shares)),
        Collective::Allreduce => {
            let cut = cut(0, &|_, _| one(true));
            cut.max(worst_partition(network)) * shares
        }
        _ if network.is_half_duplex() => worst_partition(network),
        Collective::Broadcast { root } => cut(root, &|_, has| one(has)),
        Collective::Reduce { root } => cut(root, &|_, has| one(!has)),
        Collective::Allgather => cut(0, &|inside, _| part(inside)),
        Collective::ReduceScatter => cut(0, &|inside, _| part(n - inside)),
    }
}

/// All collectives, with a root.
pub fn collectives(root: usize) -> [Collective; 8] {
    [
        Collective::Broadcast { root },
        Collective::Reduce { root },
        Collective::Gather { root },
        Collective::Scatter { root },
        Collective::Allgather,
        Collective::ReduceScatter,
        Collective::Allreduce,
        Collective::Alltoall,
    ]
}
