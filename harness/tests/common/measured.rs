//! The files of a measurement, read back.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The rows of a CSV file, by column.
pub fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_reader(text.as_bytes())
        .deserialize()
        .collect::<Result<_, _>>()
        .unwrap()
}

pub fn number(row: &BTreeMap<String, String>, column: &str) -> u64 {
    row[column]
        .parse()
        .unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

/// Algorithms of each problem in which processors send messages.
pub const PROGRAMS: &str = r#"
schema = 1
repetitions = 2
warm_up = 0
[[measurement]]
name = "all"
algorithms = ["halving", "broadcast-chain", "broadcast-split-binary", "barrier-dissemination", "summation-optimal", "reduce-chain"]
K = [2, 4]
m = [4]
P = [4]
operands = [100_000]
bytes = ["1000B", "300kB"]
machine = "ethernet100-switched"
"#;

/// A machine with four ranks on each node, which share its port.
pub const LEVELS: &str = r#"
schema = 1
name = "cluster"
L = "90us"
o = "10us"
g = "10us"
G = "85ns"
nics = 1
[[level]]
name = "node"
ranks = 4
L = "30us"
o = "10us"
g = "10us"
G = "1ns"
"#;

/// The rows of [`PROGRAMS`] in a directory: those of each point, and of each node.
pub fn check_programs(directory: &Path) {
    let read = |name: &str| fs::read_to_string(directory.join(name)).unwrap();
    let (summary, measurements, nodes) = (
        rows(&read("summary.csv")),
        rows(&read("measurements.csv")),
        rows(&read("nodes.csv")),
    );
    // Five algorithms at two K and a summation on four, two sizes.
    assert_eq!(
        (summary.len(), measurements.len(), nodes.len()),
        (22, 44, (5 * 6 + 4) * 2 * 2)
    );
    for row in &measurements {
        let axes = match row["algorithm"].as_str() {
            "halving" => "",
            "barrier-dissemination" => "r=2 k=1",
            "summation-optimal" => "P=4 operands=100000",
            _ => "root=0 m=4 k=1",
        };
        let source = if row["algorithm"] == "halving" {
            "1"
        } else {
            ""
        };
        assert_eq!(
            (row["axes"].as_str(), row["source"].as_str()),
            (axes, source)
        );
        let own: Vec<_> = nodes
            .iter()
            .filter(|node| node["number"] == row["number"])
            .collect();
        assert_eq!(own.len() as u64, number(row, "K"));
        assert_eq!(
            own.iter().map(|node| number(node, "held_ns")).max(),
            Some(number(row, "completion_ns"))
        );
        for node in own {
            // Of these programs, only in trees every node has one sender.
            let in_tree = ["halving", "broadcast-chain"].contains(&row["algorithm"].as_str());
            assert!(
                !in_tree || node["sender"].is_empty() == (node["node"] == "1"),
                "{row:?} {node:?}"
            );
            assert!(
                number(node, "received_ns") <= number(node, "held_ns"),
                "{row:?} {node:?}"
            );
        }
    }
}
