//! The time to build and to execute a broadcast of several messages, and of an analytic point.
//!
//! `cargo bench -p castbench-algorithms --bench multiport`

use std::hint::black_box;

use castbench_algorithms::internals::multiport::RoundBroadcast;
use castbench_algorithms::internals::multiport::circulant::Circulant;
use castbench_algorithms::internals::multiport::k_tree::KTrees;
use castbench_algorithms::internals::multiport::simulator::simulate;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// Ten times the nodes for ten times the work.
const SIZES: [u32; 2] = [100_000, 1_000_000];
/// Trees to build: n and k, for time linear in both.
const TREES: [(u32, u32); 4] = [
    (100_000, 16),
    (1_000_000, 4),
    (1_000_000, 8),
    (1_000_000, 16),
];

/// Ports, and two batches of messages for them.
const PORTS: u32 = 16;
const MESSAGES: u32 = 2 * PORTS;

fn build(c: &mut Criterion) {
    let mut group = c.benchmark_group("multiport/build");
    group.sample_size(10);
    for (n, k) in TREES {
        group.throughput(Throughput::Elements(u64::from(n) * u64::from(k)));
        let trees: [(&str, &dyn RoundBroadcast); 2] = [
            ("k-tree", &KTrees::IN_ROW),
            ("k-tree-packed", &KTrees::PACKED),
        ];
        for (name, broadcast) in trees {
            group.bench_function(BenchmarkId::new(name, format!("n={n} k={k}")), |b| {
                b.iter(|| broadcast.trees(n, k))
            });
        }
    }
    for n in SIZES {
        group.throughput(Throughput::Elements(n.into()));
        group.bench_function(BenchmarkId::new("circulant", n), |b| {
            b.iter(|| Circulant.schedule(n, 1, MESSAGES))
        });
    }
    group.finish();
}

fn execute(c: &mut Criterion) {
    let mut group = c.benchmark_group("multiport/build and execute");
    group.sample_size(10);
    for n in SIZES {
        let broadcasts: [(&str, &dyn RoundBroadcast, u32); 3] = [
            ("k-tree", &KTrees::IN_ROW, PORTS),
            ("k-tree, one port", &KTrees::IN_ROW, 1),
            ("circulant", &Circulant, 1),
        ];
        for (name, broadcast, k) in broadcasts {
            group.throughput(Throughput::Elements(u64::from(MESSAGES) * u64::from(n - 1)));
            group.bench_function(BenchmarkId::new(name, n), |b| {
                b.iter(|| {
                    let mut schedule = broadcast
                        .schedule(n, k, MESSAGES)
                        .expect("a valid instance");
                    simulate(n, k, MESSAGES, schedule.as_mut())
                });
            });
        }
    }
    group.finish();
}

fn analytic(c: &mut Criterion) {
    let mut group = c.benchmark_group("multiport/analytic");
    let n = 1_000_000_000_000_000_000;
    for (name, broadcast) in [
        ("k-tree", &KTrees::IN_ROW as &dyn RoundBroadcast),
        ("k-tree-packed", &KTrees::PACKED),
    ] {
        group.bench_function(BenchmarkId::new(name, n), |b| {
            b.iter(|| broadcast.rounds(black_box(n), black_box(16), black_box(1000)));
        });
    }
    group.finish();
}

criterion_group!(benches, build, execute, analytic);
criterion_main!(benches);
