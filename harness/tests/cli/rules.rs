//! Rules files of `castbench best`, read back by the rule with which Open MPI selects.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use castbench::libraries::{self, Call, Function, Library};
use serde_json::Value;

use crate::common::openmpi::{Rules, size};
use crate::common::{ask, castbench_in, expect, printed, stdout};

/// Every problem with a function of Open MPI.
const PROBLEMS: [(&str, &[&str]); 11] = [
    ("broadcast", &["MPI_Bcast"]),
    ("allreduce", &["MPI_Allreduce"]),
    ("reduce", &["MPI_Reduce"]),
    (
        "reduce-scatter",
        &["MPI_Reduce_scatter_block", "MPI_Reduce_scatter"],
    ),
    ("allgather", &["MPI_Allgather"]),
    ("alltoall", &["MPI_Alltoall"]),
    ("gather", &["MPI_Gather"]),
    ("scatter", &["MPI_Scatter"]),
    ("scan", &["MPI_Scan"]),
    ("exscan", &["MPI_Exscan"]),
    ("barrier", &["MPI_Barrier"]),
];

/// A function of this name; two problems have `MPI_Bcast`.
fn functions(name: &str) -> impl Iterator<Item = &'static Function> {
    libraries::functions().filter(move |function| function.name == name)
}

/// What `best --only` names, by function, ranks and bytes.
fn named(question: &[&str], K: &[u64], bytes: &[u64]) -> BTreeMap<(String, u64, u64), String> {
    let list = |values: &[u64]| {
        values
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join(",")
    };
    let (K, bytes) = (list(K), list(bytes));
    let mut arguments = [question, &["--only", "--format", "json", "-K", &K]].concat();
    if !question.contains(&"barrier") {
        arguments.extend(["--bytes", &bytes]);
    }
    let cases: Vec<Value> = serde_json::from_str(&stdout(&arguments)).unwrap();
    let number = |case: &Value, key: &str| case[key].as_u64().unwrap_or(0);
    let of = |case: Value| {
        let text = |key: &str| case[key].as_str().unwrap().to_owned();
        (
            (
                text("function"),
                number(&case, "K_nodes"),
                number(&case, "message_bytes"),
            ),
            text("algorithm"),
        )
    };
    cases.into_iter().map(of).collect()
}

/// On every number of ranks and for sizes at, between, below and above those asked, Open MPI takes from the file what
/// `best --only` names there, or its own choice.
#[test]
fn every_rule_is_what_best_names() {
    let asked = ([6, 7, 16], [1 << 10, 1 << 14, 3 << 14, 1 << 20]);
    // Thirds lie inside of each interval.
    let mut bytes: Vec<u64> = asked
        .1
        .iter()
        .flat_map(|&bytes| [bytes / 3, bytes - 1, bytes, bytes + 1, bytes / 3 * 5])
        .collect();
    bytes.extend([1, 64, 5000, 100_000, 400_000, 4 << 20]);
    bytes.sort_unstable();
    let K: Vec<u64> = (2..=18).collect();
    let mut rules_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (problem, names) in PROBLEMS {
        for machine in ["celeron333-pvm", "ethernet100-switched"] {
            let question = ["best", "--machine", machine, "--problem", problem];
            let mut written = [
                &question[..],
                &["-K", "6,7,16", "--format", "openmpi-rules"],
            ]
            .concat();
            if problem != "barrier" {
                written.extend(["--bytes", "1KiB,16KiB,48KiB,1MiB"]);
            }
            let file = stdout(&written);
            let rules = Rules::parse(&file);
            let named = named(&question, &asked.0, &bytes);
            for (name, &K) in names
                .iter()
                .flat_map(|name| K.iter().map(move |K| (*name, K)))
            {
                let collective = functions(name).next().unwrap().number;
                for &bytes in &bytes {
                    let rule = rules.choose(collective.into(), K, size(name, K, bytes));
                    let chosen = rule.algorithm;
                    if chosen == 0 {
                        continue;
                    }
                    let at = if problem == "barrier" { 0 } else { bytes };
                    let best = named.get(&(name.to_owned(), K, at)).and_then(|best| {
                        functions(name).find_map(|own| own.numbered(Library::OpenMpi4, best))
                    });
                    let point = format!("{name}, {machine}, K = {K}, {bytes} B: {file}");
                    assert_eq!(
                        best.map(|known| u64::from(known.number)),
                        Some(chosen),
                        "{point}"
                    );
                    // Open MPI runs it there, and not what it falls back to.
                    let call = Call {
                        K,
                        bytes,
                        element: 1,
                    };
                    let number = u32::try_from(chosen).unwrap();
                    let runs = functions(name)
                        .next()
                        .unwrap()
                        .runs_as(number, rule.segment, call);
                    assert_eq!(runs, number, "{point}");
                    assert!(
                        problem == "barrier" || (1 << 10..=1 << 20).contains(&bytes),
                        "not asked: {point}"
                    );
                    *rules_of.entry(name).or_default() += 1;
                }
            }
        }
    }
    // The test would pass without any rule.
    let of = |name: &str| rules_of.get(name).copied().unwrap_or(0);
    assert!(
        ["MPI_Bcast", "MPI_Alltoall", "MPI_Reduce"]
            .iter()
            .all(|name| of(name) > 5),
        "{rules_of:?}"
    );
    assert_eq!(
        of("MPI_Scan") + of("MPI_Exscan"),
        0,
        "Open MPI does not compare the size of a vector there: {rules_of:?}"
    );
}

/// Sizes are those that Open MPI compares: blocks of all ranks for an alltoall.
#[test]
fn sizes_are_in_the_unit_of_the_function() {
    let question = [
        "best",
        "--machine",
        "ethernet100-switched",
        "-K",
        "64",
        "--bytes",
        "16KiB",
        "--format",
        "openmpi-rules",
    ];
    for (problem, size, next) in [
        ("alltoall", 1 << 20, 64),
        ("allgather", 1 << 20, 64),
        ("gather", 1 << 20, 64),
        ("allreduce", 1 << 14, 1),
    ] {
        let file = stdout(&[&question[..], &["--problem", problem]].concat());
        let collective = libraries::functions()
            .find(|function| function.name.to_lowercase() == format!("mpi_{problem}"));
        let rules = Rules::parse(&file);
        let sizes: Vec<u64> = rules
            .on_ranks(collective.unwrap().number.into(), 64)
            .iter()
            .map(|rule| rule.size)
            .collect();
        // A rule ends before the next whole blocks.
        assert_eq!(sizes, [0, size, size + next], "{file}");
    }
}

/// One file for several collectives; each collective once.
#[test]
fn several_collectives_in_one_file() {
    let question = [
        "best",
        "--machine",
        "ethernet100-switched",
        "-K",
        "8",
        "--bytes",
        "1KiB",
        "-c",
        "10",
        "--format",
    ];
    let file = |problems: &str| {
        stdout(&[&question[..], &["openmpi-rules", "--collective", problems]].concat())
    };
    let rules = Rules::parse(&file("allreduce,alltoall,reduce-scatter,broadcast,barrier"));
    for collective in [2, 3, 12, 13, 7, 6] {
        assert!(!rules.on_ranks(collective, 8).is_empty());
    }
    for (problems, format, explanation) in [
        (
            "allreduce,broadcast,allreduce",
            "openmpi-rules",
            "both MPI_Allreduce",
        ),
        (
            "allreduce,alltoall",
            "json",
            "only --format rules and openmpi-rules take several",
        ),
        ("barrier,broadcast", "openmpi-rules", "does not read -c"),
    ] {
        let line = format!("{} {format} --collective {problems}", question.join(" "));
        expect(Path::new("."), &line, 2, explanation);
    }
    // Words are not bytes.
    let words = "best --problem allreduce -L 6 -o 2 -g 4 -K 8 -n 64 --format openmpi-rules";
    expect(Path::new("."), words, 2, "name a machine with --machine");
}

/// With fewer elements than ranks Open MPI runs another algorithm than the one it chose: not a ring.
#[test]
fn short_vectors_run_what_open_mpi_falls_back_to() {
    let question =
        "best --machine ethernet100-switched --problem allreduce -K 16 --only --format json";
    let runs = |bytes: &str, element: &str| {
        let words: Vec<&str> = question
            .split(' ')
            .chain(["--bytes", bytes, "--element", element])
            .collect();
        let cases: Value = serde_json::from_str(&stdout(&words)).unwrap();
        cases[0]["library_runs"].as_str().unwrap().to_owned()
    };
    assert_eq!(runs("8B", "1B"), "recursive_doubling");
    assert_eq!(runs("32B", "1B"), "ring");
    assert_eq!(runs("32B", "8B"), "recursive_doubling");
}

/// The files made of one table select what it says, by `rules check`; each error of a file is reported.
#[test]
fn one_table_for_every_library() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let question =
        "--machine ethernet100-switched -K 8 --problem broadcast --bytes 4KiB..64KiB..x4";
    let table = printed(directory, &format!("best {question} --format rules")).unwrap();
    fs::write(directory.join("table.csv"), &table).unwrap();
    let line = "rules write table.csv --for ucc --out file";
    expect(directory, line, 4, "no decision is one for UCC");
    for library in ["openmpi", "openmpi-6", "intel", "nccl"] {
        expect(
            directory,
            &format!("rules write table.csv --for {library} --out file"),
            0,
            "decisions, ",
        );
        let rows = printed(
            directory,
            &format!("rules check file --for {library} {question} --format json"),
        )
        .unwrap();
        let rows: Vec<Value> = serde_json::from_str(&rows).unwrap();
        let chain = rows.iter().find(|row| row["bytes"] == 65536).unwrap();
        let selected = match library {
            "openmpi" | "openmpi-6" => "pipeline",
            "nccl" => "ring",
            _ => "",
        };
        assert_eq!(
            chain["selected"].as_str().unwrap_or_default(),
            selected,
            "{library}: {table}"
        );
        // What Open MPI would choose says nothing of other libraries.
        assert_eq!(
            chain["algorithm"].as_str(),
            (!selected.is_empty()).then_some("broadcast-chain"),
            "{chain}"
        );
        assert_eq!(
            chain["over_best_f64"].is_null(),
            selected.is_empty(),
            "{chain}"
        );
    }
    for (arguments, code, explanation) in [
        ("rules write table.csv --for mpich", 3, "--base"),
        ("rules write none.csv --for ucc", 3, "none.csv"),
        (
            "rules write file --for ucc",
            3,
            "is not `function,ranks_min",
        ),
        ("rules check table.csv --for openmpi-6 -K 8", 3, "table.csv"),
    ] {
        expect(directory, arguments, code, explanation);
    }
}

/// The own choice of MPICH says nothing of a file for Open MPI.
#[test]
fn the_default_of_another_library_is_not_compared() {
    let directory = tempfile::tempdir().unwrap();
    let table = "nodes,ranks,collective,bytes,algorithm,median_ns\n4,4,alltoall,4096,alltoall-pairwise,1000\n\
                 4,4,alltoall,4096,default_mpich,400\n";
    fs::write(directory.path().join("measured.csv"), table).unwrap();
    fs::write(
        directory.path().join("my.rules"),
        "1\n3\n1\n2\n1\n0 0 0 0\n",
    )
    .unwrap();
    let line = "rules check my.rules --for openmpi --measured measured.csv --format csv";
    let found = ask(directory.path(), line);
    assert!(
        found.errors.contains("not compared: default_mpich"),
        "{}",
        found.errors
    );
    assert!(
        found
            .out
            .ends_with("MPI_Alltoall,4,1,,4096,,0,,,pairwise,1000,\n"),
        "{}",
        found.out
    );
}

/// At 1 KiB the file leaves the default, 12 us against 10 us; at 1 MiB it names recursive doubling, 900 us against the ring's 600 us.
#[test]
fn a_file_is_compared_with_measured_times() {
    let directory = tempfile::tempdir().unwrap();
    let mut table = "nodes,ranks,collective,bytes,algorithm,median_ns\n".to_owned();
    for (bytes, times) in [
        (1 << 10, [12_000, 10_000, 40_000]),
        (1 << 20, [700_000, 900_000, 600_000]),
    ] {
        for (name, ns) in ["default_ompi", "recursive_doubling_ompi", "ring_ompi"]
            .iter()
            .zip(times)
        {
            table += &format!("8,8,allreduce,{bytes},{name},{ns}\n");
        }
    }
    fs::write(directory.path().join("measured.csv"), table).unwrap();
    // Collective 2, from 1 rank on: from 0 B the default, from 64 KiB algorithm 3.
    fs::write(
        directory.path().join("my.rules"),
        "1\n2\n1\n1\n2\n0 0 0 0\n65536 3 0 0\n",
    )
    .unwrap();
    let line = "rules check my.rules --for openmpi --measured measured.csv --format csv";
    assert_eq!(
        printed(directory.path(), line).unwrap(),
        "function,ranks,ranks_per_node,shape,bytes,selected,segment_bytes,selected_ns,default_ns,best,best_ns,over_best_f64\n\
         MPI_Allreduce,8,1,,1024,,0,12000,12000,recursive_doubling,10000,1.2\n\
         MPI_Allreduce,8,1,,1048576,recursive_doubling,0,900000,700000,ring,600000,1.5\n"
    );
}

/// A measured chain has the default fan-out, 4; with a fan-out of 1 it is a pipeline.
#[test]
fn a_chain_is_compared_with_times_of_its_fan_out() {
    let directory = tempfile::tempdir().unwrap();
    let mut table = "nodes,ranks,collective,bytes,algorithm,median_ns\n".to_owned();
    for (name, ns) in [("default", 3000), ("chain", 1000), ("pipeline", 2000)] {
        table += &format!("8,8,bcast,1024,{name}_ompi,{ns}\n");
    }
    fs::write(directory.path().join("measured.csv"), table).unwrap();
    let line = "rules check my.rules --for openmpi --measured measured.csv --format csv";
    for (fan_out, found) in [
        (0, "\"chain, fan-out 1\",0,2000,3000,chain,1000,2.0\n"),
        (4, "\"chain, fan-out 4\",0,1000,3000,chain,1000,1.0\n"),
        (2, "\"chain, fan-out 2\",0,,3000,chain,1000,\n"),
    ] {
        // Collective 7, from 1 rank on, algorithm 2 from 0 B on.
        let rules = format!("1\n7\n1\n1\n1\n0 2 {fan_out} 0\n");
        fs::write(directory.path().join("my.rules"), rules).unwrap();
        let text = printed(directory.path(), line).unwrap();
        assert!(text.ends_with(found), "{text}");
    }
}

/// A table that decides nothing becomes no file for NCCL, whose reader would throttle every call; a file is compared by algorithm and
/// protocol.
#[test]
fn a_file_for_nccl_decides_or_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let header = "function,ranks_min,ranks_max,bytes_min,bytes_max,algorithm,segment_bytes,why\n";
    for (name, algorithm) in [("own.csv", ""), ("tree.csv", "allreduce-double-tree-chain")] {
        let text = format!("{header}MPI_Allreduce,64,64,0,,{algorithm},0,\n");
        fs::write(directory.path().join(name), text).unwrap();
    }
    let line = "rules write own.csv --for nccl --out none.conf";
    expect(directory.path(), line, 4, "no decision is one for NCCL");
    assert!(!directory.path().join("none.conf").exists());
    let line = "rules write own.csv --for ucc --out none.conf";
    let why = "(1 decision, 0 with an algorithm), so no file is written";
    expect(directory.path(), line, 4, why);
    let left = "left out of the file: calls that no line fits get one channel";
    let line = "rules write tree.csv --for nccl --out my.conf";
    expect(directory.path(), line, 0, left);
    let written = fs::read_to_string(directory.path().join("my.conf")).unwrap();
    assert!(!written.contains("ring"), "{written}");
    let table = "nodes,ranks,collective,bytes,algorithm,median_ns\n8,64,allreduce,1024,tree_ll_nccl,300\n\
                 8,64,allreduce,1024,tree_nccl,700\n8,64,allreduce,1024,default_nccl,400\n";
    fs::write(directory.path().join("measured.csv"), table).unwrap();
    let text = written + "allreduce,0,9,ring,simple,0,-1,8\n";
    fs::write(directory.path().join("my.conf"), text).unwrap();
    let line = "rules check my.conf --for nccl --measured measured.csv --format csv";
    let found = ask(directory.path(), line).out;
    assert!(found.contains("tree,0,700,400,tree_ll,300,"), "{found}");
}

/// 2^20 B in 600 ns on 8 nodes: 2 (1 - 1/8) 2^20 B / 600 ns = 3058 B/ns. Times of no algorithm of the library, and of
/// nodes with more ranks than others, are named.
#[test]
fn measured_times_that_are_not_compared_or_impossible_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let table = "nodes,ranks,collective,bytes,algorithm,median_ns\n\
                 8,8,allreduce,1048576,default_ompi,700000\n\
                 8,8,allreduce,1048576,ring_ompi,600\n\
                 8,8,allreduce,2097152,bine_bdw_over,600000\n\
                 8,12,allreduce,2097152,ring_ompi,600000\n";
    fs::write(directory.path().join("measured.csv"), table).unwrap();
    fs::write(
        directory.path().join("my.rules"),
        "1\n2\n1\n1\n1\n0 3 0 0\n",
    )
    .unwrap();
    let line = "rules check my.rules --for openmpi --measured measured.csv";
    let arguments: Vec<&str> = line.split(' ').collect();
    let output = castbench_in(directory.path(), &arguments);
    let messages = String::from_utf8(output.stderr).unwrap();
    for named in [
        "the most 3058 GB/s: measured.csv:3",
        "not compared: allreduce at 1 of 2 cells, as P = 8, 2 MiB: no time is of an algorithm of the library",
        "left out: 1 row with one rank, no bytes or unequal nodes",
    ] {
        assert!(messages.contains(named), "{named}: {messages}");
    }
}

/// Two shapes of a machine and two numbers of ranks per node are four cells; an unknown name is named, and --map gives it a known one.
#[test]
fn cells_with_one_number_of_ranks_are_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let mut table = "nodes,ranks,shape,library,collective,bytes,algorithm,median_ns\n".to_owned();
    for (cell, names) in [
        (
            "8,8,2x4,,allreduce,1024",
            [("ring_ompi", 900), ("default_ompi", 1000)],
        ),
        (
            "8,8,8x1,,allreduce,1024",
            [("ring_ompi", 400), ("default_ompi", 320)],
        ),
        (
            "2,8,,,allreduce,1024",
            [("ring_ompi", 100), ("default_ompi", 80)],
        ),
        (
            "8,8,,Open MPI 4.1.4,allreduce,2048",
            [("my_ring", 50), ("default_ompi", 80)],
        ),
    ] {
        for (name, ns) in names {
            table += &format!("{cell},{name},{ns}\n");
        }
    }
    fs::write(directory.path().join("measured.csv"), table).unwrap();
    fs::write(
        directory.path().join("my.rules"),
        "1\n2\n1\n1\n1\n0 4 0 0\n",
    )
    .unwrap();
    let line = "rules check my.rules --for openmpi --measured measured.csv --format csv";
    let plain = ask(directory.path(), line);
    for named in [
        "not modelled: allreduce my_ring; --map gives them known names",
        "there are times of Open MPI 4.1.4, and the file is read as Open MPI 5.0 does",
    ] {
        assert!(plain.errors.contains(named), "{}", plain.errors);
    }
    let mapped = ask(directory.path(), &format!("{line} --map my_ring=ring_ompi")).out;
    let rows: Vec<&str> = mapped.lines().skip(1).collect();
    assert_eq!(
        rows,
        [
            "MPI_Allreduce,8,1,2x4,1024,ring,0,900,1000,ring,900,1.0",
            "MPI_Allreduce,8,1,8x1,1024,ring,0,400,320,its own choice,320,1.25",
            "MPI_Allreduce,8,1,,2048,ring,0,50,80,ring,50,1.0",
            "MPI_Allreduce,8,4,,1024,ring,0,100,80,its own choice,80,1.25",
        ]
    );
}

/// What a library never runs, never reaches or fails at, and what castbench does not judge, is said with and without a question.
#[test]
fn rules_that_never_work_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let question = "--problem allreduce --machine ethernet100-switched -K 8 --bytes 1";
    let cases = [
        (
            "1\n0\n1\n8\n1\n0 6 0 0\n",
            "--for openmpi",
            5,
            "two_proc: MPI_Allgather fails on other numbers of ranks than 2",
        ),
        (
            "1\n0\n2\n2\n1\n0 6 0 0\n3\n1\n0 0 0 0\n",
            "--for openmpi",
            0,
            "0 faults",
        ),
        (
            r#"{"collectives":{"allgather":[{"comm_size_min":4,"rules":[{"alg":"two_proc"}]}]}}"#,
            "--for openmpi-6",
            5,
            "fails on other numbers of ranks than 2",
        ),
        (
            r#"{"collectives":{"bcast":[{"rules":[{"alg":6},{"alg":3,"msg_size_min":200}]}]}}"#,
            "--for openmpi-6",
            5,
            "a rule above fits all of its messages",
        ),
        (
            "1\n7\n3\n8\n1\n0 6 0 0\n8\n1\n0 3 0 0\n9\n1\n0 0 0 0\n",
            "--for openmpi --version 6.0",
            5,
            "line 7: skipped: communicator size 8 stands twice: the range before 8 is empty",
        ),
        (
            "allreduce,0,18446744073709551615,pat,simple,-1,-1,-1\nallreduce,0,18446744073709551615,ring,simple,-1,-1,-1\n",
            "--for nccl",
            5,
            "NCCL has no pat with simple for this collective",
        ),
        (
            "UCC_TL_UCP_ALLREDUCE_KN_RADIX=8\nUCC_TL_UCP_TUNE=allreduce:@knomial:inf\n",
            "--for ucc",
            0,
            "line 1: not judged: UCC_TL_UCP_ALLREDUCE_KN_RADIX = 8",
        ),
        (
            "[vendor=intel]\nUCC_TL_UCP_TUNE=allreduce:@knomial:inf\n",
            "--for ucc",
            3,
            "outside of sections for certain machines",
        ),
        (
            "export I_MPI_ADJUST_ALLREDUCE=2\nunset I_MPI_ADJUST_ALLREDUCE\n",
            "--for intel",
            3,
            "castbench reads what lines set",
        ),
    ];
    for (text, library, code, explanation) in cases {
        fs::write(directory.path().join("file"), text).unwrap();
        let found = ask(
            directory.path(),
            &format!("rules check file {library} --format csv"),
        );
        assert_eq!(
            found.code,
            Some(code),
            "{text}: {}{}",
            found.out,
            found.errors
        );
        let asked = ask(
            directory.path(),
            &format!("rules check file {library} {question}"),
        );
        let said = found.out.replace(',', ": ") + &found.errors;
        assert!(said.contains(explanation), "{text}: {said}");
        assert!(
            code == 0 || asked.errors.contains(explanation),
            "{}",
            asked.errors
        );
    }
    fs::write(directory.path().join("file"), "1\n7\n1\n2\n1\n0 6 0 0\n").unwrap();
    let line = "rules check file --for openmpi -L 6 -o 2 -g 4 -K 8 -n 1024";
    expect(directory.path(), line, 2, "the file decides by bytes");
}
