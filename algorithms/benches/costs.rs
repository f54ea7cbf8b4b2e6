//! The time of an answer: an analytic point, an executed tree, a Monte Carlo point, an exact expectation.
//!
//! `cargo bench -p castbench-algorithms`

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

use std::hint::black_box;

use castbench_algorithms::cost::Limits;
use castbench_algorithms::internals::collectives::broadcast::BROADCAST;
use castbench_algorithms::internals::collectives::{PortRule, Task};
use castbench_algorithms::internals::engine::Machine;
use castbench_algorithms::internals::logp::multicast;
use castbench_algorithms::internals::logp::multicast::problem::MULTICASTS;
use castbench_algorithms::internals::logp::multicast::simulator;
use castbench_algorithms::internals::mesh::gossip::problem::GOSSIPS;
use castbench_algorithms::internals::mesh::labelling::Mesh;
use castbench_algorithms::internals::mesh::multicast::problem::ROUTINGS;
use castbench_algorithms::internals::mesh::{self, Sampling};
use castbench_algorithms::internals::multiport;
use castbench_algorithms::internals::multiport::problem::ROUND_BROADCASTS;
use castbench_algorithms::internals::problem::{At, Case, Listed, Memo};
use castbench_algorithms::logp::LogP;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// The papers' machine, and one in nanoseconds with large coprime parameters, for which there is no table.
const MACHINES: [(&str, u64, u64, u64); 2] =
    [("paper", 6, 2, 4), ("nanoseconds", 1_000_003, 17, 65_537)];

fn analytic(c: &mut Criterion) {
    let mut group = c.benchmark_group("analytic");
    for (machine, L, o, g) in MACHINES {
        let model = LogP::new(L, o, g).expect("a valid machine");
        for entry in MULTICASTS.entries {
            let tree = entry.algorithm;
            for K in [1000, 999_983, 1_000_000_000_000_000_000] {
                group.bench_function(
                    BenchmarkId::new(format!("{}/{machine}", entry.name), K),
                    |b| {
                        b.iter(|| tree.time(black_box(model), black_box(K), black_box(K / 3)));
                    },
                );
            }
        }
    }
    group.finish();
}

/// Points along an axis, as in a sweep.
fn along_an_axis(c: &mut Criterion) {
    let models =
        MACHINES.map(|(machine, L, o, g)| (machine, LogP::new(L, o, g).expect("a valid machine")));
    for (machine, model) in models {
        along(c, machine, 100_000, MULTICASTS.entries, |listed, K| At {
            algorithm: listed.algorithm,
            point: multicast::problem::LogpMulticastPoint {
                model,
                K,
                source: 1,
            },
        });
    }
    // Expectations are sums of fractions, and the summations searches: no closed forms.
    let (machine, model) = models[0];
    along(c, machine, 100_000, GOSSIPS.entries, |listed, number| At {
        algorithm: listed.algorithm,
        point: u32::try_from(number % 128 + 1).expect("a small side"),
    });
    along(
        c,
        machine,
        100_000,
        ROUND_BROADCASTS.entries,
        |listed, n| At {
            algorithm: listed.algorithm,
            point: multiport::problem::KPortPoint {
                n,
                k: if listed.name == "circulant" { 1 } else { 4 },
                m: 17,
            },
        },
    );
    // Some trees in segments also search.
    along(c, machine, 1000, BROADCAST.entries, |listed, K| {
        // 1000 words on two ports, in several segments where the algorithm accepts them.
        let point = |K, m| Task {
            k: 2,
            m,
            rule: PortRule::Duplex,
            ..Task::new(Machine::Words(model), K, 1000, 0)
        };
        let at = |K, m| BROADCAST.at(listed.algorithm, point(K, m));
        let m = if at(2, 16).defined().is_ok() { 16 } else { 1 };
        at(K, m)
    });
}

/// One problem, for the algorithms that are defined at all of these points.
fn along<A: ?Sized, C: Case>(
    c: &mut Criterion,
    machine: &str,
    points: u32,
    entries: &'static [Listed<A>],
    case: impl Fn(&'static Listed<A>, u64) -> C,
) {
    let mut group = c.benchmark_group("axis");
    group.throughput(Throughput::Elements(points.into()));
    for entry in entries {
        // Small numbers are special cases, and some algorithms accept few numbers only.
        let cases: Vec<C> = (3..3 + u64::from(points))
            .map(|number| case(entry, number))
            .collect();
        if cases.iter().any(|case| case.defined().is_err()) {
            continue;
        }
        group.bench_function(BenchmarkId::new(entry.name, machine), |b| {
            b.iter(|| {
                let mut memo = Memo::default();
                for case in &cases {
                    black_box(black_box(case).analytic(&mut memo)).expect("a cost");
                }
            });
        });
    }
    group.finish();
}

fn simulated(c: &mut Criterion) {
    let mut group = c.benchmark_group("simulator");
    group.sample_size(10);
    let model = LogP::new(6, 2, 4).expect("a valid machine");
    let K = 1_000_000;
    group.throughput(Throughput::Elements(K.into()));
    for entry in MULTICASTS.entries {
        let tree = entry.algorithm;
        group.bench_function(BenchmarkId::new("build", entry.name), |b| {
            b.iter(|| tree.schedule(model, K, 1))
        });
        let schedule = tree.schedule(model, K, 1);
        group.bench_function(BenchmarkId::new("execute", entry.name), |b| {
            b.iter(|| simulator::simulate(model, &schedule));
        });
        group.bench_function(BenchmarkId::new("execute and audit", entry.name), |b| {
            b.iter(|| multicast::simulator::execute(model, &schedule));
        });
    }
    group.finish();
}

fn meshes(c: &mut Criterion) {
    let mut group = c.benchmark_group("mesh");
    group.sample_size(10);
    for entry in ROUTINGS.entries {
        let algorithm = entry.algorithm;
        let mesh = Mesh::new(8, 8).expect("a valid mesh");
        let sampling = Sampling {
            trials: 10_000,
            seed: 1,
        };
        let point = mesh::multicast::problem::MeshMulticastPoint {
            mesh,
            K: 16,
            sampling,
        };
        group.bench_function(
            BenchmarkId::new("10000 trials on 8x8, K=16", entry.name),
            |b| {
                b.iter(|| At { algorithm, point }.costs(&Limits::default()));
            },
        );
        let large = Mesh::new(64, 64).expect("a valid mesh");
        group.bench_function(
            BenchmarkId::new("expectation on 64x64, K=1000", entry.name),
            |b| {
                b.iter(|| algorithm.expected_links(black_box(large), 1000));
            },
        );
    }
    group.finish();
}

criterion_group!(benches, analytic, along_an_axis, simulated, meshes);
criterion_main!(benches);
