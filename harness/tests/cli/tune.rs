//! `castbench tune` with castbench's own algorithms over loopback, and what it refuses.

use std::fs;

use crate::common::measured::rows;
use crate::common::{Answer, ask, expect};
use crate::measure::SMALL;

#[test]
fn decisions_and_a_machine_are_written() {
    let directory = tempfile::tempdir().unwrap();
    let line = "tune -K 4 --collective allgather --bytes 1KiB,16KiB --budget 5min --out tuned --format csv";
    let Answer { out, errors, .. } = ask(directory.path(), line);
    let nodes = "note: with 1 rank per node (--ranks-per-node) the calls have up to 4 nodes, and the ranks ran on 1 host;";
    assert!(errors.contains(nodes), "{errors}");
    let answer = rows(&out);
    let calls: Vec<[&str; 3]> = answer
        .iter()
        .map(|row| ["collective", "ranks", "bytes"].map(|column| row[column].as_str()))
        .collect();
    assert_eq!(
        calls,
        [["allgather", "4", "1024"], ["allgather", "4", "16384"]]
    );
    let files = fs::read_dir(directory.path().join("tuned")).unwrap();
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["decisions.csv", "machine.toml", "measured.csv"]);
    let decisions = fs::read_to_string(directory.path().join("tuned/decisions.csv")).unwrap();
    let kept = answer.iter().filter(|row| row["is_kept"] == "true").count();
    assert_eq!(decisions.matches("as fast as the default").count(), kept);
    for line in [
        "rules write tuned/decisions.csv --for openmpi-6 --out rules.json",
        "predict allgather --profile tuned/machine.toml --nodes 4 --bytes 64KiB",
    ] {
        expect(directory.path(), line, 0, "");
    }
    expect(directory.path(), line, 74, "replace it with --force");
    fs::write(directory.path().join("tuned/measured.csv"), "mine").unwrap();
    expect(
        directory.path(),
        &format!("{line} --force"),
        74,
        "measured.csv",
    );
}

#[test]
fn wrong_calls_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("tcp.toml"), "schema = 1\n").unwrap();
    fs::write(
        directory.path().join("all.toml"),
        SMALL.replace("seed = 7", "transport = \"mpi\""),
    )
    .unwrap();
    fs::write(
        directory.path().join("mpi.toml"),
        "schema = 1\ntransport = \"mpi\"\n",
    )
    .unwrap();
    for (line, code, explanation) in [
        (
            "tune -K 8 --collective allsum",
            2,
            "the collectives are allreduce, reduce_scatter_block",
        ),
        (
            "tune -K 8 --collective scan",
            2,
            "there is no such collective",
        ),
        ("tune -K 8 --budget 5", 2, "expected 1s to 24h"),
        ("tune -K 1,8", 2, "expected 2 to 250"),
        (
            "tune -K 8,10 --ranks-per-node 4",
            2,
            "-K 10: expected multiples of --ranks-per-node 4, or at most as many",
        ),
        (
            "tune -K 2..250 --bytes 1..1000",
            2,
            "expected at most 1,000 calls",
        ),
        (
            "tune tcp.toml -K 8 -- mpirun -n 8",
            2,
            "the configuration's transport starts the ranks",
        ),
        ("tune mpi.toml -K 8", 2, "needs a launcher after `--`"),
        (
            "tune all.toml -K 8",
            2,
            "`tune` does not read repetitions, warm_up, [[measurement]]",
        ),
        (
            "tune -K 8 --base tcp.toml",
            2,
            "castbench runs its own algorithms",
        ),
        (
            "tune -K 8 --base tcp.toml -- mpirun",
            3,
            "cannot read `tcp.toml`: it has no decisions of MPICH",
        ),
        ("tune none.toml -K 8", 3, "none.toml"),
        ("tune -K 8 -- no-such-launcher", 10, "cannot be started"),
    ] {
        expect(directory.path(), line, code, explanation);
    }
}
