//! Outputs of benchmarks.

use castbench::predict::readers::{Benchmark, Measurements, Stated};

/// Reads a text with every reader. A row has a time, ranks and nodes; an error says what, and a line of the text.
pub fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let name = "1024_allreduce_ring.csv";
    let lines = text.lines().count() as u64 + 1;
    let stated = Stated {
        element: Some(4),
        nodes: Some(1),
        algorithm: Some("ring".to_owned()),
        ..Stated::default()
    };
    // Recognizing has no promise but to end.
    let _ = Benchmark::recognise(name, &text);
    for benchmark in Benchmark::all() {
        let mut all = Measurements::default();
        match benchmark.read(name, &text, &stated) {
            Err(wrong) => assert!(
                !wrong.message.is_empty() && wrong.line.is_none_or(|line| line <= lines),
                "{wrong}"
            ),
            // A file may not say the number of its ranks.
            Ok(sheet) => _ = all.add(benchmark, sheet, &stated),
        }
        for row in all.rows() {
            let fits_on_nodes = row.key.nodes > 0 && row.key.ranks >= row.key.nodes;
            assert!(
                row.median_ns > 0 && fits_on_nodes && row.key.benchmark == benchmark.name(),
                "{row:?}"
            );
        }
    }
}
