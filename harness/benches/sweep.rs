//! What a sweep costs, from configuration to files, in rows per second.
//!
//! `cargo bench -p harness`

use std::fs;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use harness::config::Config;
use harness::sweep::{self, Options};

/// Trees of up to 1000 nodes on 64 machines, all 5 algorithms; analytic only, then every point executed.
const SIMULATE_UP_TO: [(&str, u64); 2] = [("analytic", 0), ("simulated, too", 1000)];
const GRID: &str = "
[[grid]]
name = \"trees\"
L = { from = 1, to = 50, factor = 4 }
o = [0, 1, 2, 4]
g = { from = 1, to = 64, factor = 4 }
K = { from = 1, to = 1000, factor = 1.1 }
";

fn rows_per_second(c: &mut Criterion) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("bench.toml");
    let mut group = c.benchmark_group("sweep");
    group.sample_size(10);
    for (name, nodes) in SIMULATE_UP_TO {
        fs::write(&path, format!("schema = 1\n[limits]\nsimulate_up_to_nodes = {nodes}\n{GRID}")).expect("written");
        let config = Config::load(Some(&path)).unwrap_or_else(|failure| panic!("{}", failure.message));
        let rows = config.grids.iter().map(|grid| u64::try_from(grid.size()).expect("few")).sum();
        group.throughput(Throughput::Elements(rows));
        for jobs in [1, 2] {
            group.bench_function(BenchmarkId::new(name, format!("{jobs} threads")), |b| {
                b.iter(|| {
                    sweep::run(&config, directory.path(), &Options { jobs: Some(jobs), ..Options::default() })
                        .map(|report| report.summary.points())
                        .map_err(|failure| failure.message)
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, rows_per_second);
criterion_main!(benches);
