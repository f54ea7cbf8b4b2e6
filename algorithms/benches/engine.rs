//! What the event engine costs: a broadcast from schedule to finishing time, its parts, and how that grows with the
//! number of processors; programs with dependencies, several messages, several ports.
//!
//! `cargo bench -p castbench-algorithms --bench engine`

#![expect(non_snake_case, reason = "a symbol of a paper keeps the letter it has there")]

#[path = "common/programs.rs"]
mod programs;

use castbench_algorithms::engine::{self, Machine, schedules};
use castbench_algorithms::logp::LogP;
use castbench_algorithms::logp::multicast::problem::LogpMulticast;
use castbench_algorithms::logp::multicast::simulator;
use castbench_algorithms::problem::Problem as _;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn model() -> LogP {
    LogP::new(6, 2, 4).expect("a valid machine")
}

/// Events of a multicast: a send begins, a message arrives, a receive begins.
fn events(K: u32) -> Throughput {
    Throughput::Elements(3 * u64::from(K - 1))
}

/// The trees at 2^20 processors: made a program, executed in order, executed through the queue, and by the simulator
/// that knows trees only.
fn broadcast(c: &mut Criterion) {
    let K = 1 << 20;
    let mut group = c.benchmark_group("broadcast");
    group.sample_size(10).throughput(events(K));
    for entry in LogpMulticast::ENTRIES {
        let (name, tree) = (entry.name, entry.algorithm);
        let schedule = tree.schedule(model(), K, 1);
        let program = schedules::multicast(&schedule, 1).expect("a tree");
        let queued = programs::chained(&program);
        let machine = Machine::LogP(model());
        group.bench_function(BenchmarkId::new("schedule to finishing time", name), |b| {
            b.iter(|| engine::run(machine, &schedules::multicast(&schedule, 1).expect("a tree")));
        });
        group.bench_function(BenchmarkId::new("execute", name), |b| b.iter(|| engine::run(machine, &program)));
        group.bench_function(BenchmarkId::new("execute by events", name), |b| b.iter(|| engine::run(machine, &queued)));
        group.bench_function(BenchmarkId::new("tree simulator", name), |b| {
            b.iter(|| simulator::simulate(model(), &schedule));
        });
    }
    group.finish();
}

/// From 2^10 to 2^22 processors: time over processors should stay what it is, but for what leaves the caches.
fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("growth");
    group.sample_size(10);
    let tree = LogpMulticast::find("optimal").expect("in the catalogue");
    for exponent in (10..=22).step_by(2) {
        let K = 1 << exponent;
        let schedule = tree.schedule(model(), K, 1);
        group.throughput(events(K));
        group.bench_function(BenchmarkId::new("optimal", format!("2^{exponent}")), |b| {
            b.iter(|| engine::run(Machine::LogP(model()), &schedules::multicast(&schedule, 1).expect("a tree")));
        });
    }
    group.finish();
}

/// Programs that do not run in order, each kind from 2^10 to 2^22 messages or so: events a second should stay what they
/// are, but for what leaves the caches.
fn growth_by_events(c: &mut Criterion) {
    let mut group = c.benchmark_group("growth by events");
    group.sample_size(10);
    for kind in programs::KINDS {
        for exponent in (10..=22).step_by(2) {
            let program = kind.program(exponent);
            group.throughput(Throughput::Elements(programs::events(&program)));
            group.bench_function(BenchmarkId::new(kind.name, format!("2^{exponent}")), |b| {
                b.iter(|| engine::run(Machine::LogP(model()), &program));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, broadcast, growth, growth_by_events);
criterion_main!(benches);
