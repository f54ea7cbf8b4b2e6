//! Tables of docs/measuring.md: medians of the committed measurements, and LogP's predictions in brackets, in ms.

use super::committed;
use crate::common::measured::rows;

/// The row whose columns have these values, as `268.8 (267.8)`; of a library without the prediction.
fn median(directory: &str, values: &[(&str, &str)]) -> String {
    let rows = rows(&committed(&format!("reports/{directory}/summary.csv")));
    let row = rows
        .iter()
        .find(|row| values.iter().all(|(column, value)| row[*column] == *value));
    let row = row.unwrap_or_else(|| panic!("{directory} has no {values:?}"));
    let ms = |column: &str| {
        row[column]
            .parse::<f64>()
            .map(|ns| format!("{:.1}", ns / 1e6))
    };
    let median = ms("median_ns").unwrap();
    ms("model_ns").map_or(median.clone(), |model| format!("{median} ({model})"))
}

fn table(titles: &[&str], lines: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let titles: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
    let lines: String = lines.map(|cells| line(&cells)).collect();
    format!("{}|{}\n{lines}", line(&titles), "---|".repeat(titles.len()))
}

/// Between emulated hosts over TCP, by hosts and by how long a relay holds a message.
pub fn tcp() -> String {
    const COLUMNS: [(&str, &str); 4] = [
        ("halving", "1048576"),
        ("fibonacci", "1048576"),
        ("halving", "4194304"),
        ("fibonacci", "4194304"),
    ];
    let holds = [("0", "g"), ("84972", "2g"), ("169945", "3g")];
    let own = ["8", "12", "18"]
        .into_iter()
        .flat_map(|K| holds.map(|hold| (K, K, "round-robin", hold)));
    let mappings = ["round-robin", "neighbours"];
    let shared = ["12", "18"]
        .into_iter()
        .flat_map(|K| mappings.map(|mapping| (K, "8", mapping, holds[0])));
    let lines = own.chain(shared).map(|(K, hosts, mapping, (hold, D))| {
        let layout = if K == hosts {
            K.to_owned()
        } else {
            format!("{K} on {hosts}, {mapping}")
        };
        let cells = COLUMNS.map(|(algorithm, bytes)| {
            let own = [
                ("algorithm", algorithm),
                ("K", K),
                ("bytes", bytes),
                ("hosts", hosts),
            ];
            median(
                "measured",
                &[
                    &own[..],
                    &[("mapping", mapping), ("hold_ps_per_byte", hold)],
                ]
                .concat(),
            )
        });
        [layout, D.to_owned()].into_iter().chain(cells).collect()
    });
    let titles = [
        "hosts",
        "D",
        "halving, 1 MiB",
        "Fibonacci, 1 MiB",
        "halving, 4 MiB",
        "Fibonacci, 4 MiB",
    ];
    table(&titles, lines)
}

/// Over MPI, by hosts and bytes.
pub fn mpi() -> String {
    let sizes = [
        ("65536", "64 KiB"),
        ("1048576", "1 MiB"),
        ("4194304", "4 MiB"),
    ];
    let lines = ["8", "18"]
        .into_iter()
        .flat_map(|K| sizes.map(|size| (K, size)))
        .map(|(K, (bytes, words))| {
            let of = |directory: &str, algorithm: &str| {
                median(
                    directory,
                    &[
                        ("algorithm", algorithm),
                        ("K", K),
                        ("hosts", K),
                        ("bytes", bytes),
                    ],
                )
            };
            let cells = ["halving", "fibonacci", "MPI_Bcast", "MPI_Ibcast"]
                .map(|name| of("measured-mpi", name));
            let spinning = of("measured-mpi-spinning", "MPI_Bcast");
            [K.to_owned(), words.to_owned()]
                .into_iter()
                .chain(cells)
                .chain([spinning])
                .collect()
        });
    table(
        &[
            "hosts",
            "bytes",
            "halving",
            "Fibonacci",
            "MPI_Bcast",
            "MPI_Ibcast",
            "MPI_Bcast, spinning",
        ],
        lines,
    )
}
