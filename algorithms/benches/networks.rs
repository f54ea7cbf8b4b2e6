//! Optima and schedules of networks, on one core.
//!
//! `cargo bench -p castbench-algorithms --bench networks`

use std::time::Duration;

use castbench_algorithms::network::{Bound, Collective, Network, Schedule};
use criterion::{Criterion, criterion_group, criterion_main};

/// Networks of about 1,024 and 4,096 ranks.
const LARGE: [&str; 10] = [
    "torus:32x32",
    "torus:8x8x16",
    "mesh:32x32",
    "hypercube:10",
    "fat-tree:16",
    "dragonfly:33,8,4",
    "dgx-a100:128",
    "dgx-h100:128",
    "mi250:64",
    "torus:64x64",
];

/// Networks and collectives whose schedules are made.
const SCHEDULES: [(&str, Collective); 9] = [
    ("dgx1", Collective::Allgather),
    ("torus:8x8", Collective::Allgather),
    ("mesh:16x16", Collective::Allgather),
    ("mesh:16x16", Collective::Allreduce),
    ("dgx-a100:16", Collective::Allgather),
    ("dgx-h100:128", Collective::Allgather),
    ("fat-tree:16", Collective::Allgather),
    ("torus:32x32", Collective::Allgather),
    ("torus:32x32", Collective::Broadcast { root: 0 }),
];

fn networks(c: &mut Criterion) {
    let named = |name| Network::named(name).expect("a network");
    let mut group = c.benchmark_group("optimum");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(2));
    for name in LARGE {
        let network = named(name);
        for collective in [Collective::Allgather, Collective::Allreduce] {
            let name = format!("{}/{name}", collective.name());
            group.bench_function(name, |b| b.iter(|| Bound::new(&network, collective)));
        }
    }
    group.finish();
    let mut group = c.benchmark_group("schedule");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(2));
    for (name, collective) in SCHEDULES {
        let network = named(name);
        let name = format!("{}/{name}", collective.name());
        group.bench_function(name, |b| b.iter(|| Schedule::new(&network, collective)));
    }
    group.finish();
}

criterion_group!(benches, networks);
criterion_main!(benches);
