//! `castbench tune` under Open MPI and MPICH, on ranks of this host.

use std::fs;
use std::process::Command;

use castbench::libraries;
use castbench::libraries::Library;

use super::libraries::{Call, SOURCE, compile, observed, tool};
use crate::common::measured::rows;
use crate::common::openmpi::STARTS;

const K: u64 = 4;

/// Every call has a row, and the library sends with the written file the messages of the algorithm that the row keeps, or those that it
/// sends without the file.
fn the_written_rules_are_those_of_the_table(library: Library, launcher: &str, file: &str) {
    let directory = tempfile::tempdir().unwrap();
    let program = compile(library, SOURCE, directory.path());
    let line = "tune -K 4 --collective bcast,allreduce --bytes 1KiB,256KiB --budget 10min --out tuned --format csv --";
    let output = Command::new(env!("CARGO_BIN_EXE_castbench"))
        .args(line.split_whitespace().chain(launcher.split_whitespace()))
        .current_dir(directory.path())
        .envs(STARTS)
        .env("NO_COLOR", "1")
        .env("MPICC", tool(library, "mpicc"))
        .env("XDG_CACHE_HOME", directory.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let answer = rows(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(answer.len(), 4);
    let mut found: Vec<String> = fs::read_dir(directory.path().join("tuned"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    let mut files = ["decisions.csv", "machine.toml", "measured.csv", file];
    files.sort_unstable();
    assert_eq!(found, files);
    let line = |row: &std::collections::BTreeMap<String, String>| {
        let function = libraries::functions()
            .find(|known| known.name.to_lowercase() == format!("mpi_{}", row["collective"]));
        format!("{} - 0 {} 0 -1", function.unwrap().name, row["bytes"])
    };
    let calls: Vec<String> = answer.iter().map(line).collect();
    let rules = directory.path().join("tuned").join(file);
    let with = observed(library, &program, K, &calls, Some(&rules));
    let without = observed(library, &program, K, &calls, None);
    for (row, (with, without)) in answer.iter().zip(with.into_iter().zip(without)) {
        if row["is_kept"] == "false" {
            assert_eq!(with, without, "{row:?}");
            continue;
        }
        let function = libraries::functions()
            .find(|known| known.name.to_lowercase() == format!("mpi_{}", row["collective"]));
        let mut all = function.unwrap().algorithms(library).iter();
        let known = *all.find(|known| known.ours == row["algorithm"]).unwrap();
        let [bytes, segment] =
            ["bytes", "segment_bytes"].map(|column| row[column].parse().unwrap());
        let call = Call {
            function: function.unwrap(),
            known: *known,
            bytes,
            root: 0,
            segment,
            of_sizes: false,
            radix: None,
        };
        let expected = call.expected(K).unwrap();
        // Where an algorithm differs in sizes, the same ranks exchange messages.
        assert!(
            with.keys().eq(expected.keys()) && (known.differs.is_some() || with == expected),
            "{row:?}"
        );
    }
}

#[test]
#[ignore = "needs Open MPI"]
fn rules_for_open_mpi_are_those_of_the_table() {
    let launcher = "mpirun.openmpi --oversubscribe --mca mpi_yield_when_idle 1 -n 4";
    the_written_rules_are_those_of_the_table(Library::OpenMpi4, launcher, "openmpi.rules");
}

#[test]
#[ignore = "needs MPICH"]
fn rules_for_mpich_are_those_of_the_table() {
    the_written_rules_are_those_of_the_table(Library::Mpich, "mpiexec.hydra -n 4", "mpich.json");
}
