//! `castbench read`: the table of each benchmark, what is asked for, and what is refused.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;

use crate::common::transcript;

#[test]
fn outputs_of_benchmarks_become_one_table() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/readers/seeds");
    let directory = tempfile::tempdir().unwrap();
    for file in fs::read_dir(seeds).unwrap() {
        let path = file.unwrap().path();
        fs::copy(&path, directory.path().join(path.file_name().unwrap())).unwrap();
    }
    let raw = fs::read_to_string(directory.path().join("reprompi-raw.txt")).unwrap();
    fs::write(directory.path().join("again.txt"), raw.replace("0.0000103000", "0.0000203000")).unwrap();
    fs::write(directory.path().join("cut.json"), "{\"config\": {").unwrap();
    fs::write(directory.path().join("notes.txt"), "a text of ours\n").unwrap();
    let lines = [
        "read osu.txt --ranks 16 --nodes 4 --algorithm default_ompi --format csv",
        "read osu-pair.txt --nodes 2 --algorithm default_ompi --format csv",
        "read imb.txt --nodes 2 --algorithm default --format csv",
        "read nccl.txt --algorithm ring",
        "read nccl.txt --algorithm ring --in-place --format csv",
        "read nccl-old.txt --collective MPI_Alltoall --ranks 8 --nodes 1 --algorithm p2p --format csv",
        "read nccl-1.json nccl-3.json --algorithm ring --format csv",
        "read reprompi-raw.txt reprompi-processes.txt reprompi-summary.txt --nodes 1 --algorithm a --format csv",
        "read reprompi-raw.txt again.txt --nodes 1 --algorithm a --format csv",
        "read 1024_reduce_scatter_ring_ompi_int32.csv 256_allreduce_bine_over.csv --element 4 --ranks 2 --nodes 1 --format csv",
        "read nccl-3.json --algorithm ring --out table.csv",
        "read osu.txt --nodes 4 --algorithm default_ompi",
        "read osu.txt --ranks 16 --nodes 4",
        "read nccl.txt --algorithm ring --ranks 8",
        "read 256_allreduce_bine_over.csv --ranks 2 --nodes 1",
        "read notes.txt",
        "read notes.txt --from osu",
        "read cut.json",
        "read missing.txt",
        "read osu.txt --collective nonsense",
        "read osu.txt --ranks 16 --nodes 4 --algorithm default_ompi --in-place",
    ];
    let all = transcript(directory.path(), &lines);
    assert!(!all.contains("secret"));
    assert_snapshot!(all);
}
