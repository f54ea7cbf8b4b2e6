//! What the event engine costs: a broadcast from schedule to finishing time, its parts, and how that grows with the
//! number of processors.
//!
//! `cargo bench -p algorithms --bench engine`

#![expect(non_snake_case, reason = "a symbol of a paper keeps the letter it has there")]

use algorithms::catalogue::{ALGORITHMS, Algorithm};
use algorithms::logp::engine::program::{Builder, Operation, Program};
use algorithms::logp::engine::{self, Machine, schedules};
use algorithms::logp::{LogP, Multicast, simulator};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn model() -> LogP {
    LogP::new(6, 2, 4).expect("a valid machine")
}

fn trees() -> impl Iterator<Item = (&'static str, &'static dyn Multicast)> {
    ALGORITHMS.iter().filter_map(|entry| match entry.algorithm {
        Algorithm::LogpMulticast(tree) => Some((entry.name, tree)),
        _ => None,
    })
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
    for (name, tree) in trees() {
        let schedule = tree.schedule(model(), K, 1);
        let program = schedules::multicast(&schedule, 1).expect("a tree");
        let queued = on_nic_1(&program);
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

/// The same program on another nic than the usual, which sends it through the queue of events.
fn on_nic_1(program: &Program) -> Program {
    let mut builder = Builder::new(program.processors()).expect("a valid number");
    for processor in 0..program.processors() {
        builder.begin(processor).expect("begun once");
        for operation in program.range(processor) {
            builder.push_on(program.operation(operation), (0, 1)).expect("a valid operation");
        }
    }
    builder.in_order().expect("a valid program")
}

/// From 2^10 to 2^22 processors: time over processors should stay what it is, but for what leaves the caches.
fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("growth");
    group.sample_size(10);
    let (_, tree) = trees().find(|(name, _)| *name == "optimal").expect("in the catalogue");
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

/// One processor with many free operations, which a queue that puts them back would look at again and again.
fn fan_out(c: &mut Criterion) {
    let mut group = c.benchmark_group("free operations");
    group.sample_size(10);
    for exponent in [10, 15, 20] {
        let K = 1u32 << exponent;
        let mut builder = Builder::new(K).expect("a valid number");
        builder.begin(0).expect("begun once");
        for to in 1..K {
            builder.push(Operation::Send { to, tag: 0, bytes: 1 }).expect("a valid operation");
        }
        for processor in 1..K {
            builder.begin(processor).expect("begun once");
            builder.push(Operation::Receive { from: 0, tag: 0, bytes: 1 }).expect("a valid operation");
        }
        let program = builder.by_dependencies().expect("a valid program");
        group.throughput(events(K));
        group.bench_function(BenchmarkId::new("flat", format!("2^{exponent}")), |b| {
            b.iter(|| engine::run(Machine::LogP(model()), &program));
        });
    }
    group.finish();
}

criterion_group!(benches, broadcast, growth, fan_out);
criterion_main!(benches);
