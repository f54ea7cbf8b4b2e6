//! The time of gossip on 64x64 per transfer: making the schedule, executing a recorded one, both.
//!
//! `cargo bench -p castbench-algorithms --bench gossip`

use castbench_algorithms::internals::mesh::gossip::coupled::Coupled;
use castbench_algorithms::internals::mesh::gossip::optimal::Optimal;
use castbench_algorithms::internals::mesh::gossip::simulator::simulate;
use castbench_algorithms::internals::mesh::gossip::two_phase::TwoPhase;
use castbench_algorithms::internals::mesh::gossip::{Gossip, Transfer};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const N: u32 = 64;

/// Passes every step of a schedule to `each`.
fn generate(algorithm: &dyn Gossip, mut each: impl FnMut(&[Transfer])) {
    let mut schedule = algorithm.schedule(N).expect("a side that is scheduled");
    let mut transfers = Vec::new();
    while schedule.round(&mut transfers) {
        each(&transfers);
        transfers.clear();
    }
}

fn gossip(c: &mut Criterion) {
    let list: [(&str, &dyn Gossip); 3] = [
        ("two-phase", &TwoPhase),
        ("coupled", &Coupled),
        ("optimal", &Optimal),
    ];
    for (name, algorithm) in list {
        let mut group = c.benchmark_group(format!("gossip on {N}x{N}/{name}"));
        group.sample_size(10);
        let mut recorded = Vec::new();
        generate(algorithm, |transfers| recorded.push(transfers.to_vec()));
        group.throughput(Throughput::Elements(
            recorded
                .iter()
                .map(|transfers| transfers.len() as u64)
                .sum(),
        ));
        group.bench_function("generate", |b| {
            b.iter(|| {
                let mut count = 0;
                generate(algorithm, |transfers| count += transfers.len());
                count
            });
        });
        group.bench_function("simulate", |b| b.iter(|| simulate(N, &mut recorded.iter())));
        group.bench_function("generate and simulate", |b| {
            b.iter(|| {
                simulate(
                    N,
                    algorithm
                        .schedule(N)
                        .expect("a side that is scheduled")
                        .as_mut(),
                )
            });
        });
        group.finish();
    }
}

criterion_group!(benches, gossip);
criterion_main!(benches);
