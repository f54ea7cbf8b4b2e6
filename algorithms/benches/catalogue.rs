//! The time of every algorithm of the catalogue at its example: by formula, and executed.
//!
//! `cargo bench -p castbench-algorithms --bench catalogue`. A new algorithm or problem needs no line here.

use std::hint::black_box;

use castbench_algorithms::catalogue::entries;
use castbench_algorithms::cost::Limits;
use castbench_algorithms::problem::Setting;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn catalogue(c: &mut Criterion) {
    let mut group = c.benchmark_group("catalogue");
    group.sample_size(20);
    let setting = Setting::default();
    for entry in entries() {
        let example = entry.example();
        for (way, limits) in [
            ("analytic", Limits { nodes: 0, hops: 0 }),
            ("simulated", Limits::default()),
        ] {
            let mut evaluate = entry.evaluator(&setting, limits);
            group.bench_function(BenchmarkId::new(entry.name, way), |b| {
                b.iter(|| evaluate(black_box(&example)))
            });
        }
    }
    group.finish();
}

criterion_group!(benches, catalogue);
criterion_main!(benches);
