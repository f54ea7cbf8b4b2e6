//! Rows per second of a sweep, from configuration to files, and of writing its bytes alone; bytes per second of GOAL.
//!
//! `cargo bench -p castbench`

use std::fs;
use std::path::Path;

use castbench::config::Config;
use castbench::sweep::{self, Options};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// Trees of up to 1000 nodes, 5 algorithms; analytic only, then with every point simulated.
const SIMULATE_UP_TO: [(&str, u64); 2] = [("analytic", 0), ("simulated, too", 1000)];

/// 5,000 rows for each value of g.
fn config(directory: &Path, nodes: u64, gaps: u64) -> Config {
    let path = directory.join("bench.toml");
    let text = format!(
        "schema = 1\n[limits]\nsimulate_up_to_nodes = {nodes}\n[[grid]]\nname = \"trees\"\n\
         algorithms = [\"halving\", \"fibonacci\", \"optimal\", \"flat\", \"chain\"]\nL = [6]\no = [2]\n\
         g = {{ from = 1, to = {gaps} }}\nK = {{ from = 1, to = 1000 }}\n"
    );
    fs::write(&path, text).expect("written");
    Config::load(Some(&path)).unwrap_or_else(|failure| panic!("{}", failure.message))
}

fn run(config: &Config, out: &Path, jobs: usize) -> u64 {
    sweep::run(
        config,
        out,
        &Options {
            jobs: Some(jobs),
            ..Options::default()
        },
    )
    .map(|report| report.summary.points())
    .unwrap_or_else(|failure| panic!("{}", failure.message))
}

fn rows_per_second(c: &mut Criterion) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut group = c.benchmark_group("sweep");
    group.sample_size(10);
    for (name, nodes) in SIMULATE_UP_TO {
        let config = config(directory.path(), nodes, 4);
        group.throughput(Throughput::Elements(run(&config, directory.path(), 2)));
        for jobs in [1, 2] {
            group.bench_function(BenchmarkId::new(name, format!("{jobs} threads")), |b| {
                b.iter(|| run(&config, directory.path(), jobs));
            });
        }
    }
    group.finish();
}

/// The sweep, and the csv crate writing the same bytes from rows in memory.
fn end_to_end(c: &mut Criterion) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let config = config(directory.path(), 0, 20);
    let mut group = c.benchmark_group("end to end");
    group.sample_size(10);
    group.throughput(Throughput::Elements(run(&config, directory.path(), 2)));
    group.bench_function("sweep, 2 threads", |b| {
        b.iter(|| run(&config, directory.path(), 2))
    });
    let written = fs::read(directory.path().join("logp-multicast.csv")).expect("read");
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(written.as_slice());
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    let path = directory.path().join("from-memory.csv");
    let write = || {
        let mut writer = csv::Writer::from_path(&path).expect("a file");
        rows.iter()
            .for_each(|row| writer.write_record(row).expect("written"));
        writer.flush().expect("written");
    };
    write();
    assert!(
        written == fs::read(&path).expect("read"),
        "the bytes are the same"
    );
    group.bench_function("csv crate, rows in memory", |b| b.iter(write));
    group.finish();
}

/// Ranks in a ring that repeatedly compute, send and receive: 17 MB, read into a program and matched.
fn goal(c: &mut Criterion) {
    let (ranks, rounds) = (64, 2000);
    let mut text = format!("num_ranks {ranks}\n");
    for rank in 0..ranks {
        let (next, last) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        text += &format!("\nrank {rank} {{\nl1: calc 100\n");
        for (round, label) in (0..rounds).map(|round| (round, 3 * round)) {
            text += &format!(
                "l{}: send 1024b to {next} tag {round}\nl{0} requires l{}\n",
                label + 2,
                label + 1
            );
            text += &format!(
                "l{}: recv 1024b from {last} tag {round}\nl{0} requires l{}\n",
                label + 3,
                label + 2
            );
            text += &format!(
                "l{}: calc {}\nl{0} requires l{}\n",
                label + 4,
                100 + round % 7,
                label + 3
            );
        }
        text += "}\n";
    }
    let mut group = c.benchmark_group("goal");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("read", |b| {
        b.iter(|| castbench::verify::goal::reader::read(text.as_bytes()).expect("a program"))
    });
    group.finish();
}

criterion_group!(benches, rows_per_second, end_to_end, goal);
criterion_main!(benches);
