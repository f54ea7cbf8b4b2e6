//! `castbench read`: the table of each benchmark, what is asked for, and what is refused.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;

use crate::common::{ask, expect, transcript};

#[test]
fn outputs_of_benchmarks_become_one_table() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/predict/readers/seeds");
    let directory = tempfile::tempdir().unwrap();
    for file in fs::read_dir(seeds).unwrap() {
        let path = file.unwrap().path();
        fs::copy(&path, directory.path().join(path.file_name().unwrap())).unwrap();
    }
    let raw = fs::read_to_string(directory.path().join("reprompi-raw.txt")).unwrap();
    fs::write(
        directory.path().join("again.txt"),
        raw.replace("0.0000103000", "0.0000203000"),
    )
    .unwrap();
    let nccl = fs::read_to_string(directory.path().join("nccl.txt")).unwrap();
    let bare: Vec<&str> = nccl
        .lines()
        .filter(|line| line.contains(" 33554432 ") && line.contains(" sum "))
        .take(1)
        .collect();
    fs::write(directory.path().join("bare.txt"), bare.concat() + "\n").unwrap();
    fs::write(directory.path().join("cut.json"), "{\"config\": {").unwrap();
    let counts = "test nrep count runtime_sec\nMPI_Bcast 0 1024 0.000010\n";
    fs::write(directory.path().join("counts.txt"), counts).unwrap();
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
        "read detail.out --collective bcast --ranks-per-node 1 --library openmpi --format csv",
        "read detail.out --ranks-per-node 1",
        "read bare.txt --from nccl --collective allreduce --ranks 8 --nodes 1 --algorithm ring --format csv",
        "read bare.txt --collective allreduce",
        "read nccl-3.json --algorithm ring --out table.csv",
        "read nccl-3.json --algorithm ring --out table.csv",
        "read nccl-1.json --algorithm ring --out table.csv",
        "read nccl-3.json --algorithm ring --library 'RCCL 2.21' --format csv",
        "read nccl-3.json --algorithm ring --library 'Open MPI 5.0'",
        "read counts.txt --ranks 2 --nodes 1 --algorithm a",
        "read counts.txt --ranks 2 --nodes 1 --algorithm a --element 4 --format csv",
        "read reprompi-processes.txt --nodes 1 --algorithm a --element 4",
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

/// The columns of a row of `castbench read` that a test states: bytes, time and what tells rows of one size apart.
fn times(csv: &str) -> Vec<String> {
    let mut rows = csv::Reader::from_reader(csv.as_bytes());
    let titles = rows.headers().unwrap().clone();
    let of = |row: &csv::StringRecord, name: &str| {
        row[titles.iter().position(|title| title == name).unwrap()].to_owned()
    };
    let names = [
        "bytes",
        "median_ns",
        "backend",
        "datatype",
        "operator",
        "run",
    ];
    let shown = |row: csv::StringRecord| {
        let values = names.map(|name| of(&row, name));
        values
            .into_iter()
            .filter(|value| !value.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    };
    rows.records().map(|row| shown(row.unwrap())).collect()
}

const OSU: &str = "# OSU MPI Allreduce Latency Test v7.4\n# Size       Avg Latency(us)\n";
const IMB: &str = "#    Intel(R) MPI Benchmarks 2019, MPI-1 part\n# MPI_Datatype for reductions    :   MPI_FLOAT\n\
# MPI_Op                         :   MPI_SUM\n# Benchmarking Allreduce\n# #processes = 4; rank order (rowwise):\n";
const RANGE: &str = "#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]";
const NCCL: &str = "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n";

/// Reads a file of this name on 4 ranks: its rows, or with another exit code the end of its message.
fn reads(name: &str, text: &str, options: &str, code: i32, expected: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(name), text).unwrap();
    let line = format!("read {name} --ranks 4 --nodes 2 --format csv {options}");
    let found = ask(directory.path(), &line);
    assert_eq!(
        found.code,
        Some(code),
        "{text}\n{}{}",
        found.out,
        found.errors
    );
    match code {
        0 => {
            let (notes, rows) = expected.split_first().unwrap();
            assert_eq!(times(&found.out), rows, "{text}");
            assert!(
                found.errors.contains(notes) && found.errors.is_empty() == notes.is_empty(),
                "{}",
                found.errors
            );
        }
        _ => assert!(
            found.errors.contains(expected[0]),
            "{text}\n{}",
            found.errors
        ),
    }
}

/// A name of the catalogue says which collective its times are of.
#[test]
fn an_algorithm_of_another_collective_is_refused() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/predict/readers/seeds");
    let line = |algorithm: &str| format!("read nccl.txt --algorithm {algorithm} --format csv");
    for other in ["broadcast-chain", "broadcast_chain"] {
        let part = format!(
            "--algorithm {other}: it is an algorithm of bcast, and the times are of allreduce"
        );
        expect(&seeds, &line(other), 2, &part);
    }
    for own in ["allreduce-ring", "binomial", "my_ring"] {
        expect(&seeds, &line(own), 0, "");
    }
}

#[test]
fn rows_that_the_benchmark_marks_as_failed_are_left_out_and_named() {
    let osu = "# OSU MPI Allreduce Latency Test v7.4\n# Size       Avg Latency(us)  Validation\n4  9.00  Pass\n8  1.00  Fail\n";
    reads(
        "o",
        osu,
        "--algorithm a",
        0,
        &[
            "line 4: 8 bytes: the benchmark found wrong data (Validation)",
            "4 9000 1",
        ],
    );
    let imb =
        format!("{IMB}{RANGE} defects\n4 100 1.00 3.00 2.00 0.00\n8 100 0.10 0.20 0.15 1.00\n");
    let kept = [
        "1 result left out; the first: line 8: 8 bytes: the benchmark found wrong data",
        "4 3000 MPI_FLOAT MPI_SUM 1",
    ];
    reads("i", &imb, "--algorithm a", 0, &kept);
    for reason in [
        "time-out.; Time limit",
        "int-overflow.; The production",
        "out-of-mem.; needed X=    0.129 GB;",
    ] {
        let imb = format!("{IMB}{RANGE}\n4 100 1.00 3.00 2.00\n8  {reason}\n");
        reads(
            "i",
            &imb,
            "--algorithm a",
            0,
            &[
                "8 bytes: the benchmark gave up (",
                "4 3000 MPI_FLOAT MPI_SUM 1",
            ],
        );
    }
    let nccl = format!(
        "{NCCL}1024 256 float sum -1 20.0 0.05 0.05 0 20.0 0.05 0.05 0\n2048 512 float sum -1 9.0 0.23 0.23 7 9.0 0.23 0.23 0\n"
    );
    let kept = [
        "2048 bytes: the benchmark found wrong data (#wrong)",
        "1024 20000 float sum 1",
    ];
    reads("n", &nccl, "--algorithm a --collective allreduce", 0, &kept);
    let old = format!(
        "{}1024 256 float sum 20.0 0.05 0.05 1e-07 20.0 0.05 0.05 0e+00\n2048 512 float sum 9.0 0.23 0.23 1e-02 9.0 0.23 0.23 0e+00\n",
        NCCL.replace("#wrong", "error")
    );
    reads("n", &old, "--algorithm a --collective allreduce", 0, &kept);
    let json = r#"{"args":["./all_reduce_perf"],"config":{"devices":[]},"results":[
        {"size":1024,"type":"float","redop":"sum","out_of_place":{"time":20.0,"nwrong":0},"in_place":null},
        {"size":1024,"type":"half","redop":"prod","out_of_place":{"time":90.0,"nwrong":0},"in_place":null},
        {"size":2048,"type":"float","redop":"sum","out_of_place":{"time":9.0,"nwrong":512},"in_place":null}]}"#;
    reads(
        "j",
        json,
        "--algorithm a",
        0,
        &[
            "2048 bytes: the benchmark",
            "1024 20000 float sum 1",
            "1024 90000 half prod 1",
        ],
    );
    let calls = "#@nprocs=2\nprocess test nrep msize gl_tstart_sec gl_tend_sec errorcode\n0 MPI_Bcast 0 8 1.0 1.1 0\n1 MPI_Bcast 0 8 1.0 1.3 1\n\
                 0 MPI_Bcast 1 8 2.0 2.1 0\n1 MPI_Bcast 1 8 2.0 2.2 0\n";
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("r"), calls).unwrap();
    let found = ask(
        directory.path(),
        "read r --nodes 1 --algorithm a --format csv",
    );
    assert_eq!(
        (
            times(&found.out),
            found.errors.contains("a call missed its window")
        ),
        (vec!["8 200000000 1".to_owned()], true)
    );
    for (name, text) in [
        (
            "o",
            format!(
                "{OSU}4 9.00\nDATA VALIDATION ERROR: osu_allreduce exited with status 1 on message size 4.\n"
            ),
        ),
        (
            "i",
            format!(
                "{IMB}{RANGE} defects\n0 100 1.00 3.00 2.00 0.00\nProcess 15: Got invalid buffer:\n4 100 1.00 3.00 2.00 0.00\n"
            ),
        ),
        (
            "n",
            format!(
                "{NCCL}1024 256 float sum -1 20.0 0.05 0.05 N/A 20.0 0.05 0.05 N/A\n# Out of bounds values : 3 FAILED\n"
            ),
        ),
    ] {
        reads(
            name,
            &text,
            "--algorithm a --collective allreduce",
            3,
            &["the benchmark found wrong data"],
        );
    }
}

#[test]
fn a_key_has_one_time() {
    let types =
        format!("{OSU}8 30.00\n\n# Datatype: MPI_INT.\n# Size       Avg Latency(us)\n8 10.00\n");
    reads(
        "o",
        &types,
        "--algorithm a",
        0,
        &["", "8 30000 1", "8 10000 MPI_INT 1"],
    );
    let again = format!("{OSU}8 10.00\n\n$ mpirun -np 64 osu_allreduce\n{OSU}8 90.00\n");
    reads(
        "o",
        &again,
        "--algorithm a",
        3,
        &["line 8: allreduce of 8 bytes has a second time, 90000 ns and 10000 ns, first in line 3"],
    );
    let backends = format!(
        "{OSU}8 10.00\n{}8 5.00\n",
        OSU.replace("OSU MPI", "OSU NCCL-CUDA")
    );
    reads(
        "o",
        &backends,
        "--algorithm a",
        0,
        &["", "8 10000 1", "8 5000 NCCL-CUDA 1"],
    );
    let put = OSU.replace("MPI Allreduce", "MPI_Put") + "8 10.00\n";
    reads(
        "o",
        &put,
        "--algorithm a",
        4,
        &["is no test of a collective"],
    );
    let two = format!(
        "{NCCL}1024 256 float sum -1 20.0 0.05 0.05 0 20.0 0.05 0.05 0\n2048 512 float none -1 20.0 0.10 0.10 0 20.0 0.10 0.10 0\n"
    );
    reads(
        "n",
        &two,
        "--algorithm a --collective allreduce",
        3,
        &["line 3: redop is `none`, so this is no allreduce"],
    );
    let calls = "#@nprocs=4\ntest nrep msize runtime_sec\nMPI_Bcast 0 8 0.1\nMPI_Bcast 0 8 0.2\n";
    reads(
        "r",
        calls,
        "--algorithm a",
        3,
        &["line 4: repetition 0 of bcast is also in line 3"],
    );
    let directory = tempfile::tempdir().unwrap();
    for (name, us) in [("a", 10), ("b", 20), ("c", 10)] {
        fs::write(directory.path().join(name), format!("{OSU}8 {us}.00\n")).unwrap();
    }
    let line = "read a b --ranks 4 --nodes 2 --algorithm a --format csv";
    assert_eq!(
        times(&ask(directory.path(), line).out),
        ["8 10000 1", "8 20000 2"]
    );
    expect(
        directory.path(),
        "read a c --ranks 4 --nodes 2 --algorithm a",
        2,
        "c: the same output as a",
    );
    let twice = "read a a --ranks 4 --nodes 2 --algorithm a";
    expect(directory.path(), twice, 2, "a: it stands twice");
}

#[test]
fn other_lines_do_not_end_a_table() {
    let warning = format!(
        "{OSU}4 9.00\n[node01:12345] 3 more processes have sent help message x / y\n8 10.00\n"
    );
    reads(
        "o",
        &warning,
        "--algorithm a",
        0,
        &["", "4 9000 1", "8 10000 1"],
    );
    // Of a non-blocking collective `Max` is a part of the time; of a comment nothing.
    let others = "# Max walltime: 4 h\n# OSU MPI Non-blocking Allreduce Latency Test v7.4\n\
                  # Size  Overall(us)  Pure Comm.(us)  Min Comm.(us)  Max Comm.(us)  Overlap(%)\n4  9.00  8.00  7.00  9.00  50.00\n";
    reads(
        "o",
        &format!("# Max nodes: 4\n{OSU}8 10.00\n{others}"),
        "--algorithm a",
        0,
        &["left out", "8 10000 1"],
    );
    for (prefix, other) in [
        ("[1,0]<stdout>:", "[1,3]<stderr>:"),
        ("0: ", "12: "),
        ("2025-11-27T12:00:00Z ", "2025-11-27T12:00:01Z "),
    ] {
        let text: String = OSU
            .lines()
            .map(|line| format!("{prefix}{line}\n"))
            .collect();
        let text = format!("{text}{other}a warning\n{other}8   10.00\n");
        reads("o", &text, "--algorithm a", 0, &["", "8 10000 1"]);
    }
    reads(
        "o",
        &format!("\u{feff}{OSU}8 10.00\r\n"),
        "--algorithm a",
        0,
        &["", "8 10000 1"],
    );
    for hidden in ["node3 8 10.00", "\u{1b}[32m8 10.00\u{1b}[0m"] {
        reads(
            "o",
            &format!("{OSU}4 9.00\n{hidden}\n"),
            "--algorithm a",
            3,
            &["line 4: "],
        );
    }
    let imb = format!(
        "{IMB}{RANGE}\n4 100 1.00 3.00 2.00\nslurmstepd: a warning\n8 100 1.00 4.00 2.00\n"
    );
    reads(
        "i",
        &imb,
        "--algorithm a",
        0,
        &[
            "",
            "4 3000 MPI_FLOAT MPI_SUM 1",
            "8 4000 MPI_FLOAT MPI_SUM 1",
        ],
    );
}

#[test]
fn what_is_cut_or_contradicts_itself_is_refused() {
    let pico =
        |text: &str, part: &str| reads("8_allreduce_ring_ompi_int32.csv", text, "", 3, &[part]);
    pico("100\n200\n300\n", "expected a title");
    pico("highest\n100\n200\n30", "line 4: the last line has no end");
    pico("rank0,rank1\n100,110\n200\n", "line 3: expected 2 times");
    pico("rank0,rank1\n100,nan\n", "line 2: expected 2 times");
    pico(
        "highest,rank0\n100,200\n",
        "line 2: `highest` is 100, and the time of a rank is longer",
    );
    reads(
        "8_allreduce_ring_nccl_int32.csv",
        "highest\n100\n",
        "",
        3,
        &["COUNT of a run of NCCL"],
    );
    reads(
        "8_allreduce_ring_nccl_int32.csv",
        "highest\n100\n",
        "--element 1",
        0,
        &["", "8 100 int32 1"],
    );
    reads(
        "o",
        &format!("{OSU}4 9.00\n8 1"),
        "--algorithm a",
        3,
        &["line 4: the last line has no end"],
    );
    let full = OSU.replace("(us)\n", "(us)   Min Latency(us)   Max Latency(us)\n");
    reads(
        "o",
        &format!("{full}4 9.00 8.00 7.00\n"),
        "--algorithm a",
        3,
        &["expected Min Latency(us) <="],
    );
    let calls = "#@nprocs=4\nprocess test nrep msize loc_tstart_sec loc_tend_sec\n0 MPI_Bcast 0 8 0.1 0.2\n1 MPI_Bcast 0 8 0.1 0.2\n";
    reads(
        "r",
        calls,
        "--algorithm a",
        3,
        &["a call has 2 of 4 processes"],
    );
    reads(
        "r",
        &calls.replace("1 MPI_Bcast 0 8 0.1 0.2\n", ""),
        "--algorithm a",
        3,
        &["a call has 1 of 4 processes"],
    );
    let summary = "#@nprocs=4\ntest msize total_nrep valid_nrep mean_sec\nMPI_Bcast 8 9 0 0.1\nMPI_Bcast 16 9 9 0.1\n";
    reads(
        "r",
        summary,
        "--algorithm a",
        0,
        &["line 3: no call of it is valid", "16 100000000 1"],
    );
    // 4 bytes are a rank's block in IMB and ReproMPI, the vector in OSU.
    let block = |text: &str| text.replace("MPI_Bcast 16", "MPI_Reduce_scatter_block 4");
    reads(
        "r",
        &block(summary),
        "--algorithm a",
        0,
        &["line 3", "16 100000000 1"],
    );
    let imb = IMB.replace("Allreduce", "Reduce_scatter_block");
    reads(
        "i",
        &format!("{imb}{RANGE}\n4 100 1.00 3.00 2.00\n"),
        "--algorithm a",
        0,
        &["", "16 3000 MPI_FLOAT MPI_SUM 1"],
    );
    let osu = OSU.replace("Allreduce", "Reduce_scatter_block");
    reads(
        "o",
        &format!("{osu}4 9.00\n"),
        "--algorithm a",
        0,
        &["", "4 9000 1"],
    );
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("o"), format!("{OSU}4 9.00\n")).unwrap();
    let line = "read o --ranks 4 --ranks-per-node 3 --algorithm a";
    expect(
        directory.path(),
        line,
        2,
        "its 4 ranks are not on nodes of 3 each",
    );
    let nccl =
        format!("{NCCL}33554432 8388608 float sum -1 0.763 43.97 43.97 0 0.764 43.92 43.92 0\n");
    reads(
        "n",
        &nccl,
        "--algorithm a --collective allreduce",
        3,
        &["the row says 43.970, 0.001 times as much"],
    );
    let first = "# Using devices\n#  bytes             N    type      op     time  algbw  busbw      res     time  algbw  busbw      res\n\
                 10000000 10000000 char sum 0.064 157.38 0.00 0e+00 0.005 2083.77 0.00 0e+00\n";
    reads(
        "n",
        first,
        "--algorithm a --collective allreduce",
        3,
        &["its time is in another unit"],
    );
    let ping = IMB.replace("Allreduce", "PingPong").replace("= 4", "= 2")
        + "#bytes #repetitions t[usec] Mbytes/sec\n1000000 10 0.10 10000.00\n";
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("i"), ping).unwrap();
    expect(
        directory.path(),
        "read i --nodes 2 --algorithm a",
        3,
        "the row says 10.000, 0.001 times as much",
    );
}

/// A damaged line in the head of a table, a list or a row's counts does not book times elsewhere.
#[test]
fn damaged_heads_and_counts_are_refused() {
    let table =
        |name: &str| format!("{IMB}{RANGE}\n4 100 1.00 3.00 2.00\n").replace("Allreduce", name);
    let two = table("Bcast") + &table("Allreduce");
    let imb = |text: &str, part: &str| reads("i", text, "--algorithm a", 3, &[part]);
    imb(
        &two.replace("# Benchmarking Allreduce", "# Benchmrking Allreduce"),
        "line 12: a table without a line `# Benchmarking NAME` of its own follows that of Bcast",
    );
    imb(
        &two.replace(
            "# Benchmarking Allreduce\n# #processes = 4; rank order (rowwise):\n",
            "",
        ),
        "line 11: a table without",
    );
    imb(
        &two.replace("#repetitions", "repetitions"),
        "line 7: a row without a header",
    );
    for damaged in ["-100", "1e30", "100x"] {
        let part = format!("line 7: #repetitions is `{damaged}`; expected a whole number");
        imb(
            &table("Bcast").replace(" 100 ", &format!(" {damaged} ")),
            &part,
        );
    }
    let osu = OSU.replace("(us)\n", "(us)  Iterations\n") + "4 9.00 nan\n";
    reads(
        "o",
        &osu,
        "--algorithm a",
        3,
        &["line 3: Iterations is `nan`"],
    );
    let unit = OSU.replace("(us)\n", "(us)   Max Latency(ms)\n") + "4 9.00 9.00\n";
    reads(
        "o",
        &unit,
        "--algorithm a",
        3,
        &["line 2: the column `Max Latency(ms)` is not `Max Latency(us)`"],
    );
    let processes = "#@nprocs=2\n#@datatype_size_bytes=8\nprocess test nrep count gl_tstart_sec gl_tend_sec\n0 MPI_Bcast 0 4 1.0 1.1\n";
    for (from, to, part) in [
        (" 0 4", " 0x 4", "line 4: nrep is `0x`"),
        ("\n0 ", "\n0x ", "line 4: process is `0x`"),
        ("bytes=8", "bytes=8x", "line 2: datatype_size_bytes is `8x`"),
    ] {
        reads(
            "r",
            &processes.replace(from, to),
            "--algorithm a",
            3,
            &[part],
        );
    }
    let devices: String = (0..4)
        .map(|rank| {
            format!(
                "#  Rank  {rank} Group  0 Pid 1 on node-{} device 0\n",
                rank / 2
            )
        })
        .collect();
    let nccl = format!(
        "# Collective test starting: all_reduce_perf\n# Using devices\n{devices}{NCCL}1024000 256000 float sum -1 20.0 51.20 76.80 0 20.0 51.20 76.80 0\n"
    );
    let stated = "--algorithm a --collective allreduce";
    reads("n", &nccl, stated, 0, &["", "1024000 20000 float sum 1"]);
    for (rank, part) in [
        ("1", "line 7: the list of devices has no rank 1"),
        (
            "3",
            "line 7: busbw is 76.8 and algbw 51.2; with the 3 ranks in the list of devices busbw is 68.27",
        ),
    ] {
        let hole = nccl.replace(&format!("#  Rank  {rank}"), &format!("#  Rnk  {rank}"));
        let hole: String = hole
            .lines()
            .filter(|line| !line.contains("Rnk"))
            .map(|line| format!("{line}\n"))
            .collect();
        reads("n", &hole, stated, 3, &[part]);
    }
}

/// 1 GB to each other node in 1 ms: 2 (1 - 1/2) GB of an allreduce pass the ports of a node.
#[test]
fn a_rate_that_no_node_has_is_named() {
    reads(
        "o",
        &format!("{OSU}1000000000 1000.00\n"),
        "--algorithm a",
        0,
        &[
            "the most 1000 GB/s: allreduce of 1000000000 bytes on 2 nodes",
            "1000000000 1000000 1",
        ],
    );
}
