//! Parquet files have the rows of the CSV files; another program reads them.

use crate::common::{expect, with_small_config};

/// A shard is written as CSV, and a castbench without Parquet refuses a sweep at once.
#[test]
fn no_parquet_is_refused_before_the_sweep() {
    let directory = with_small_config();
    let without = "built without Parquet; build it with `--features parquet`";
    let why = if cfg!(feature = "parquet") {
        "a shard is written as CSV"
    } else {
        without
    };
    expect(
        directory.path(),
        "sweep small.toml --format parquet --shard 1/2 --out out",
        2,
        why,
    );
    if cfg!(not(feature = "parquet")) {
        expect(
            directory.path(),
            "sweep small.toml --format parquet --out out",
            2,
            without,
        );
    }
    assert!(!directory.path().join("out").exists());
}

#[cfg(feature = "parquet")]
mod with_parquet {
    use std::fs::{self, File};
    use std::path::Path;
    use std::process::Command;

    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;
    use serde_json::Value;

    use super::*;

    const PROBLEMS: [&str; 5] = [
        "logp-multicast",
        "logp-summation",
        "mesh-multicast",
        "mesh-gossip",
        "k-port-broadcast",
    ];

    fn succeed(directory: &Path, arguments: &[&str]) {
        expect(directory, &arguments.join(" "), 0, "");
    }

    /// A field as the CSV file writes it.
    fn text(field: &Field) -> String {
        match field {
            Field::Null => String::new(),
            Field::Str(text) => text.clone(),
            Field::ULong(value) => value.to_string(),
            Field::Bool(value) => value.to_string(),
            Field::Double(value) => serde_json::to_string(value).unwrap(),
            Field::Decimal(decimal) => {
                let bytes: [u8; 16] = decimal.data().try_into().unwrap();
                u128::from_be_bytes(bytes).to_string()
            }
            other => panic!("no column is a {other:?}"),
        }
    }

    #[test]
    fn the_rows_are_those_of_the_csv_file() {
        let directory = with_small_config();
        let directory = directory.path();
        succeed(
            directory,
            &[
                "sweep",
                "small.toml",
                "--format",
                "csv,parquet",
                "--out",
                "both",
            ],
        );
        for problem in PROBLEMS {
            let parquet = directory.join("both").join(format!("{problem}.parquet"));
            let reader = SerializedFileReader::new(File::open(parquet).unwrap()).unwrap();
            let mut csv =
                csv::Reader::from_path(directory.join("both").join(format!("{problem}.csv")))
                    .unwrap();
            let header: Vec<String> = csv.headers().unwrap().iter().map(str::to_owned).collect();
            let mut rows = reader.get_row_iter(None).unwrap();
            for record in csv.records() {
                let row = rows.next().unwrap().unwrap();
                let names: Vec<&String> = row.get_column_iter().map(|(name, _)| name).collect();
                assert_eq!(names, header.iter().collect::<Vec<_>>());
                let fields: Vec<String> = row
                    .get_column_iter()
                    .map(|(_, field)| text(field))
                    .collect();
                let expected: Vec<String> = record
                    .unwrap()
                    .iter()
                    .map(|text| castbench::record::row::text(text).to_owned())
                    .collect();
                assert_eq!(fields, expected, "{problem}");
            }
            assert!(rows.next().is_none());
            let metadata = reader
                .metadata()
                .file_metadata()
                .key_value_metadata()
                .unwrap()
                .clone();
            let value = |key: &str| {
                metadata
                    .iter()
                    .find(|pair| pair.key == key)
                    .unwrap()
                    .value
                    .clone()
                    .unwrap()
            };
            let configuration: Value =
                serde_json::from_str(&value("castbench.configuration")).unwrap();
            assert_eq!(configuration["seed"], 7);
            assert_eq!(value("castbench.version"), env!("CARGO_PKG_VERSION"));
        }
    }

    #[test]
    fn alone_merged_or_by_other_threads_the_bytes_are_the_same() {
        let directory = with_small_config();
        let directory = directory.path();
        succeed(
            directory,
            &[
                "sweep",
                "small.toml",
                "--format",
                "csv,parquet",
                "--out",
                "both",
            ],
        );
        succeed(
            directory,
            &[
                "sweep",
                "small.toml",
                "--format",
                "parquet",
                "--out",
                "alone",
                "--jobs",
                "1",
            ],
        );
        for shard in ["1", "2"] {
            succeed(
                directory,
                &[
                    "sweep",
                    "small.toml",
                    "--shard",
                    &format!("{shard}/2"),
                    "--out",
                    shard,
                ],
            );
        }
        succeed(
            directory,
            &["merge", "1", "2", "--format", "parquet", "--out", "merged"],
        );
        for problem in PROBLEMS {
            let read = |folder: &str| {
                fs::read(directory.join(folder).join(format!("{problem}.parquet"))).unwrap()
            };
            assert!(read("both") == read("alone"), "{problem}");
            assert!(read("both") == read("merged"), "{problem}");
            assert!(
                !directory
                    .join("alone")
                    .join(format!("{problem}.csv"))
                    .exists()
            );
        }
        let manifest =
            |folder: &str| fs::read(directory.join(folder).join("manifest.json")).unwrap();
        assert!(manifest("alone") == manifest("merged"));
        // A sweep without Parquet removes old Parquet files, like CSV files.
        succeed(directory, &["sweep", "small.toml", "--out", "alone"]);
        assert!(!directory.join("alone/mesh-gossip.parquet").exists());
    }

    #[test]
    fn values_beyond_the_column_type_are_refused() {
        let problem = algorithms::catalogue::problem("logp-multicast").unwrap();
        let directory = tempfile::tempdir().unwrap();
        let [csv, parquet] = ["a.csv", "a.parquet"].map(|name| directory.path().join(name));
        let converted = |text: &str| {
            fs::write(&csv, text).unwrap();
            let [from, to] = [File::open(&csv), File::create(&parquet)].map(Result::unwrap);
            let ends = ((&from, csv.as_path()), (&to, parquet.as_path()));
            castbench::record::parquet::from_csv(problem, ends.0, ends.1, Vec::new())
                .map_err(|failure| failure.message)
        };
        let largest = 10u128.pow(38) - 1;
        assert_eq!(
            converted(&format!("K_nodes,published\n{},{largest}\n", u64::MAX)),
            Ok(())
        );
        let errors =
            converted(&format!("K_nodes,published\n1,1\n1,{}\n", largest + 1)).unwrap_err();
        assert!(
            errors.contains("line 3") && errors.contains("more than 38 digits"),
            "{errors}"
        );
        let errors = converted("K_nodes,published\n-1,\n").unwrap_err();
        assert!(
            errors.contains("`-1` is not a value of column `K_nodes`"),
            "{errors}"
        );
        assert!(converted("K_destinations\n1\n").is_err());
    }

    /// DuckDB reads typed columns and the same rows in both files.
    #[test]
    #[ignore = "needs duckdb of Python"]
    fn duckdb_reads_it() {
        let python = |script: &str, directory: &Path| {
            Command::new("python3")
                .args(["-c", script])
                .current_dir(directory)
                .output()
        };
        let directory = with_small_config();
        let directory = directory.path();
        succeed(
            directory,
            &[
                "sweep",
                "small.toml",
                "--format",
                "csv,parquet",
                "--out",
                ".",
            ],
        );
        let script = r#"
import duckdb
for problem in ["logp-multicast", "logp-summation", "mesh-multicast", "mesh-gossip", "k-port-broadcast"]:
    parquet, csv = f"'{problem}.parquet'", f"read_csv('{problem}.csv', all_varchar=true, header=true, nullstr=['', 'none'])"
    text = f"(select columns(*)::varchar from {parquet})"
    assert duckdb.sql(f"select count(*) from {parquet}").fetchall()[0][0] > 0
    for a, b in [(text, csv), (csv, text)]:
        left = duckdb.sql(f"select * from {a} except all select * from {b}").fetchall()
        assert not left, (problem, left[:3])
types = dict(row[:2] for row in duckdb.sql("describe from 'logp-multicast.parquet'").fetchall())
assert types["analytic"] == "UBIGINT" and types["published"] == "DECIMAL(38,0)", types
assert types["status"] == "VARCHAR" and types["note"] == "VARCHAR", types
query = "select sum(analytic) from '{}' where algorithm = 'optimal' and L_time = 6"
sums = {duckdb.sql(query.format("logp-multicast." + format)).fetchall()[0][0] for format in ["csv", "parquet"]}
assert len(sums) == 1 and sums.pop() > 0, sums
"#;
        let output = python(script, directory).unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
