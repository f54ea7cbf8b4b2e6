//! The time of the event engine: a broadcast from schedule to end, its parts, and the growth with the number of processors; programs with
//! dependencies, several messages, several ports.
//!
//! `cargo bench -p castbench-algorithms --bench engine`

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

#[path = "common/programs.rs"]
mod programs;

use castbench_algorithms::internals::engine::schedules;
use castbench_algorithms::internals::engine::{self, Machine};
use castbench_algorithms::internals::logp::multicast::problem::MULTICASTS;
use castbench_algorithms::internals::logp::multicast::simulator;
use castbench_algorithms::logp::LogP;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn model() -> LogP {
    LogP::new(6, 2, 4).expect("a valid machine")
}

/// This exponent for `cargo bench`, a small one where `cargo test` only tries each bench.
fn largest(exponent: u32) -> u32 {
    if std::env::args_os().any(|argument| argument == "--bench") {
        exponent
    } else {
        12
    }
}

/// Events of a multicast: a send begins, a message arrives, a receive begins.
fn events(K: u32) -> Throughput {
    Throughput::Elements(3 * u64::from(K - 1))
}

/// Trees with 2^20 processors: conversion to a program, execution in order, through the queue, and by the simulator of trees.
fn broadcast(c: &mut Criterion) {
    let K = 1 << largest(20);
    let mut group = c.benchmark_group("broadcast");
    group.sample_size(10).throughput(events(K));
    for entry in MULTICASTS.entries {
        let (name, tree) = (entry.name, entry.algorithm);
        let schedule = tree.schedule(model(), K, 1);
        let program = schedules::multicast(&schedule, 1).expect("a tree");
        let queued = programs::chained(&program);
        let machine = Machine::LogP(model());
        group.bench_function(BenchmarkId::new("schedule to finishing time", name), |b| {
            b.iter(|| {
                engine::run(
                    machine,
                    &schedules::multicast(&schedule, 1).expect("a tree"),
                )
            });
        });
        group.bench_function(BenchmarkId::new("execute", name), |b| {
            b.iter(|| engine::run(machine, &program))
        });
        group.bench_function(BenchmarkId::new("execute by events", name), |b| {
            b.iter(|| engine::run(machine, &queued))
        });
        group.bench_function(BenchmarkId::new("tree simulator", name), |b| {
            b.iter(|| simulator::simulate(model(), &schedule));
        });
    }
    group.finish();
}

/// From 2^10 to 2^22 processors: the time per processor should be constant, except for cache misses.
fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("growth");
    group.sample_size(10);
    let tree = MULTICASTS.find("optimal").expect("in the catalogue");
    for exponent in (10..=largest(22)).step_by(2) {
        let K = 1 << exponent;
        let schedule = tree.schedule(model(), K, 1);
        group.throughput(events(K));
        group.bench_function(BenchmarkId::new("optimal", format!("2^{exponent}")), |b| {
            b.iter(|| {
                engine::run(
                    Machine::LogP(model()),
                    &schedules::multicast(&schedule, 1).expect("a tree"),
                )
            });
        });
    }
    group.finish();
}

/// Programs by dependencies, each kind from about 2^10 to 2^22 messages: the events per second should be constant, except for cache
/// misses.
fn growth_by_events(c: &mut Criterion) {
    let mut group = c.benchmark_group("growth by events");
    group.sample_size(10);
    for kind in programs::KINDS {
        for exponent in (10..=largest(22)).step_by(2) {
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
