//! What an answer costs: an analytic point, an executed tree, a Monte Carlo point, an exact expectation.
//!
//! `cargo bench -p algorithms`

#![expect(non_snake_case, reason = "a symbol of a paper keeps the letter it has there")]

use std::hint::black_box;

use algorithms::catalogue::{ALGORITHMS, Algorithm, Neighbours, Point, Problem};
use algorithms::cost::Limits;
use algorithms::logp::multicast::simulator;
use algorithms::logp::pipeline::{Instance, Machine};
use algorithms::logp::{self, LogP};
use algorithms::mesh::Sampling;
use algorithms::mesh::labelling::Mesh;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// The papers' machine; one in nanoseconds, coprime and far apart, which no table serves.
const MACHINES: [(&str, u64, u64, u64); 2] = [("paper", 6, 2, 4), ("nanoseconds", 1_000_003, 17, 65_537)];

fn analytic(c: &mut Criterion) {
    let mut group = c.benchmark_group("analytic");
    for (machine, L, o, g) in MACHINES {
        let model = LogP::new(L, o, g).expect("a valid machine");
        for entry in ALGORITHMS {
            let Algorithm::LogpMulticast(tree) = entry.algorithm else { continue };
            for K in [1000, 999_983, 1_000_000_000_000_000_000] {
                group.bench_function(BenchmarkId::new(format!("{}/{machine}", entry.name), K), |b| {
                    b.iter(|| tree.time(black_box(model), black_box(K), black_box(K / 3)));
                });
            }
        }
    }
    group.finish();
}

/// A thousand words to K nodes on two ports.
fn pipelined(model: LogP, K: u64, m: u64) -> Point {
    Point::PipelinedBroadcast { machine: Machine::Words(model), instance: Instance { K, n: 1000, k: 2, m } }
}

/// Points along an axis, one after the other, as a sweep asks for them.
fn along_an_axis(c: &mut Criterion) {
    let mut group = c.benchmark_group("axis");
    let points: u32 = 100_000;
    group.throughput(Throughput::Elements(points.into()));
    for entry in ALGORITHMS {
        // Expectations are sums of fractions, and the summations searches: no closed forms.
        let machines: &[_] = if entry.problem() == Problem::LogpMulticast { &MACHINES } else { &MACHINES[..1] };
        for &(machine, L, o, g) in machines {
            let model = LogP::new(L, o, g).expect("a valid machine");
            let point = |number: u64| match entry.problem() {
                Problem::LogpMulticast => Some(Point::LogpMulticast { model, K: number, source: 1 }),
                Problem::KPortBroadcast => {
                    Some(Point::KPortBroadcast { n: number, k: if entry.name == "circulant" { 1 } else { 4 }, m: 17 })
                }
                Problem::MeshGossip => Some(Point::MeshGossip { n: number % 128 + 1 }),
                Problem::PipelinedBroadcast => {
                    let m = if entry.check(&pipelined(model, 2, 16)).is_ok() { 16 } else { 1 };
                    Some(pipelined(model, number, m))
                }
                Problem::LogpSummation | Problem::MeshMulticast | Problem::WormholeMulticast => None,
            };
            // The first numbers are special cases of some, and some are for few numbers only.
            let Some(points) = (3..3 + u64::from(points)).map(point).collect::<Option<Vec<Point>>>() else { continue };
            if points.iter().any(|point| entry.check(point).is_err()) {
                continue;
            }
            group.bench_function(BenchmarkId::new(entry.name, machine), |b| {
                b.iter(|| {
                    let mut neighbours = Neighbours::default();
                    for point in &points {
                        black_box(entry.analytic(black_box(point), &mut neighbours)).expect("a cost");
                    }
                });
            });
        }
    }
    group.finish();
}

fn simulated(c: &mut Criterion) {
    let mut group = c.benchmark_group("simulator");
    group.sample_size(10);
    let model = LogP::new(6, 2, 4).expect("a valid machine");
    let K = 1_000_000;
    group.throughput(Throughput::Elements(K.into()));
    for entry in ALGORITHMS {
        let Algorithm::LogpMulticast(tree) = entry.algorithm else { continue };
        group.bench_function(BenchmarkId::new("build", entry.name), |b| b.iter(|| tree.schedule(model, K, 1)));
        let schedule = tree.schedule(model, K, 1);
        group.bench_function(BenchmarkId::new("execute", entry.name), |b| {
            b.iter(|| simulator::simulate(model, &schedule));
        });
        group.bench_function(BenchmarkId::new("execute and audit", entry.name), |b| {
            b.iter(|| logp::multicast::simulator::execute(model, &schedule));
        });
    }
    group.finish();
}

fn meshes(c: &mut Criterion) {
    let mut group = c.benchmark_group("mesh");
    group.sample_size(10);
    for entry in ALGORITHMS {
        let Algorithm::MeshMulticast(algorithm) = entry.algorithm else { continue };
        let mesh = Mesh::new(8, 8).expect("a valid mesh");
        let point = Point::MeshMulticast { mesh, K: 16, sampling: Sampling { trials: 10_000, seed: 1 } };
        group.bench_function(BenchmarkId::new("10000 trials on 8x8, K=16", entry.name), |b| {
            b.iter(|| entry.evaluate(&point, &Limits::default()));
        });
        let large = Mesh::new(64, 64).expect("a valid mesh");
        group.bench_function(BenchmarkId::new("expectation on 64x64, K=1000", entry.name), |b| {
            b.iter(|| algorithm.expected_links(black_box(large), 1000));
        });
    }
    group.finish();
}

criterion_group!(benches, analytic, along_an_axis, simulated, meshes);
criterion_main!(benches);
