//! What every algorithm of the catalogue costs in time at two fixed points: by formula, and executed.
//!
//! `cargo bench -p speed`

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use speed::cases::cases;

fn catalogue(c: &mut Criterion) {
    let mut group = c.benchmark_group("catalogue");
    group.sample_size(20);
    for case in cases().expect("a point for every algorithm") {
        group.bench_function(BenchmarkId::new(case.entry.name, case.way.name()), |b| b.iter(|| case.run()));
    }
    group.finish();
}

criterion_group!(benches, catalogue);
criterion_main!(benches);
