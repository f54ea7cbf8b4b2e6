//! The time of a summation: an analytic point, and one that is built, executed and audited.
//!
//! `cargo bench -p castbench-algorithms --bench summation`

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

use std::hint::black_box;

use castbench_algorithms::internals::logp::summation::optimal::SummationOptimal;
use castbench_algorithms::internals::logp::summation::paper::SummationPaper;
use castbench_algorithms::internals::logp::summation::{Summation, simulator};
use castbench_algorithms::logp::LogP;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const ALGORITHMS: [(&str, &dyn Summation); 2] =
    [("paper", &SummationPaper), ("optimal", &SummationOptimal)];

/// The paper's machine, and one in nanoseconds with large coprime parameters, for which there is no table.
const MACHINES: [(&str, u64, u64, u64); 2] =
    [("paper", 5, 2, 4), ("nanoseconds", 1_000_003, 17, 65_537)];

fn analytic(c: &mut Criterion) {
    let mut group = c.benchmark_group("summation");
    for (machine, L, o, g) in MACHINES {
        let model = LogP::new(L, o, g).expect("a valid machine");
        for P in [1000, 1_000_000, 1_000_000_000_000] {
            for (name, algorithm) in ALGORITHMS {
                // All processors busy, so that the paper has an answer; then as many operands as processors, for which it has none.
                for (what, operands) in [("N=10^19", 10_000_000_000_000_000_000), ("N=P", P)] {
                    if algorithm.time(model, P, operands).is_ok() {
                        group.bench_function(
                            BenchmarkId::new(format!("{name}/{machine}/{what}"), P),
                            |b| {
                                b.iter(|| {
                                    algorithm.time(
                                        black_box(model),
                                        black_box(P),
                                        black_box(operands),
                                    )
                                });
                            },
                        );
                    }
                }
            }
        }
    }
    group.finish();
}

fn executed(c: &mut Criterion) {
    let mut group = c.benchmark_group("summation of 10^7 operands on 10^6 processors");
    group.sample_size(10);
    let model = LogP::new(5, 2, 4).expect("a valid machine");
    let (P, operands) = (1_000_000, 10_000_000);
    group.throughput(Throughput::Elements(operands));
    for (name, algorithm) in ALGORITHMS {
        group.bench_function(BenchmarkId::new("build", name), |b| {
            b.iter(|| algorithm.schedule(model, P, operands))
        });
        let schedule = algorithm
            .schedule(model, P, operands)
            .expect("a point that both algorithms solve");
        group.bench_function(BenchmarkId::new("execute", name), |b| {
            b.iter(|| simulator::simulate(model, &schedule))
        });
        group.bench_function(BenchmarkId::new("execute and audit", name), |b| {
            b.iter(|| simulator::execute(model, &schedule));
        });
    }
    group.finish();
}

criterion_group!(benches, analytic, executed);
criterion_main!(benches);
