//! Rules files that castbench writes, and what Open MPI and MPICH send with them.

use std::fs;
use std::path::Path;
use std::process::Command;

use castbench::libraries::{self, Library, Size};

use super::libraries::{Call, SOURCE, compile, observed};
use crate::common::openmpi::{Rules, size};
use crate::common::stdout;

const K: u64 = 8;
const COLLECTIVES: [&str; 6] = [
    "MPI_Bcast",
    "MPI_Allreduce",
    "MPI_Reduce",
    "MPI_Allgather",
    "MPI_Alltoall",
    "MPI_Gather",
];

/// On both sides of each threshold Open MPI sends the messages of the algorithm that the file names, or, for a rule 0,
/// those that it sends without the file.
fn rules_are_followed_by(library: Library) {
    let directory = tempfile::tempdir().unwrap();
    let program = compile(library, SOURCE, directory.path());
    let problems = COLLECTIVES.map(|name| match name {
        "MPI_Bcast" => "broadcast".to_owned(),
        name => name.trim_start_matches("MPI_").to_lowercase(),
    });
    let line = "best --machine ethernet100-switched -K 8 --bytes 64B,1KiB,16KiB -c 1000 --format openmpi-rules --collective";
    let problems = problems.join(",");
    let text = stdout(
        &line
            .split(' ')
            .chain([problems.as_str()])
            .collect::<Vec<_>>(),
    );
    let file = directory.path().join("rules");
    fs::write(&file, &text).unwrap();
    let rules = Rules::parse(&text);
    let mut calls = Vec::new();
    for function in libraries::functions().filter(|function| COLLECTIVES.contains(&function.name)) {
        // The other broadcast has the same name.
        if calls
            .iter()
            .any(|(known, _): &(&str, u64)| *known == function.name)
        {
            continue;
        }
        let per = if function.size == Size::Blocks { K } else { 1 };
        let sides = rules
            .on_ranks(function.number.into(), K)
            .iter()
            .flat_map(|rule| [rule.size.saturating_sub(1) / per, rule.size.div_ceil(per)]);
        let mut bytes: Vec<u64> = sides.filter(|&bytes| bytes > 0).collect();
        bytes.dedup();
        calls.extend(bytes.into_iter().map(|bytes| (function.name, bytes)));
    }
    let lines: Vec<String> = calls
        .iter()
        .map(|(name, bytes)| format!("{name} - 0 {bytes} 0 -1"))
        .collect();
    let with = observed(library, &program, K, &lines, Some(&file));
    let without = observed(library, &program, K, &lines, None);
    let mut followed = 0;
    for (((name, bytes), with), without) in calls.iter().zip(with).zip(without) {
        let function = libraries::functions()
            .filter(|function| function.name == *name)
            .last()
            .unwrap();
        let rule = rules.choose(function.number.into(), K, size(name, K, *bytes));
        if rule.algorithm == 0 {
            assert_eq!(with, without, "{name}, {bytes} B, {rule:?}");
            continue;
        }
        let known = *function
            .algorithms(Library::OpenMpi4)
            .iter()
            .find(|known| u64::from(known.number) == rule.algorithm)
            .unwrap();
        // Halves of equal segments, as the catalogue has them.
        let segment = if known.halves && rule.segment == 0 {
            bytes.div_ceil(2)
        } else {
            rule.segment
        };
        let whole = if known.halves {
            bytes.next_multiple_of(2 * segment)
        } else {
            *bytes
        };
        let call = Call {
            function,
            known: *known,
            bytes: whole,
            root: 0,
            segment,
            of_sizes: false,
            radix: None,
        };
        let expected = call
            .expected(K)
            .unwrap_or_else(|| panic!("{name}, {bytes} B, {rule:?}"));
        match known.differs {
            // The same ranks exchange messages, of other sizes.
            Some(_) => assert!(
                with.keys().eq(expected.keys()),
                "{name}, {bytes} B, {rule:?}"
            ),
            None => assert_eq!(with, expected, "{name}, {bytes} B, {rule:?}"),
        }
        followed += usize::from(with != without);
    }
    assert!(
        followed > 10,
        "{followed} calls differ from those without rules"
    );
}

#[test]
#[ignore = "needs Open MPI"]
fn open_mpi_follows_the_rules_that_are_written() {
    rules_are_followed_by(Library::OpenMpi4);
}

#[test]
#[ignore = "needs Open MPI 5.0"]
fn open_mpi_5_follows_the_rules_that_are_written() {
    rules_are_followed_by(Library::OpenMpi5);
}

/// The library that a program loads.
fn library_of_mpich(program: &Path) -> String {
    let linked = Command::new("ldd").arg(program).output().unwrap().stdout;
    let linked = String::from_utf8(linked).unwrap();
    let mut words = linked.split_whitespace();
    let is_library = |word: &&str| word.starts_with('/') && word.contains("libmpich");
    words.find(is_library).unwrap().to_owned()
}

/// MPICH's own decisions, which its library has as a text.
pub fn decisions_of_mpich(program: &Path) -> String {
    let library = library_of_mpich(program);
    let bytes = fs::read(library).unwrap();
    let texts = bytes
        .split(|byte| *byte == 0)
        .filter_map(|text| std::str::from_utf8(text).ok());
    let decisions = texts.filter_map(|text| {
        text.find("{\"collective=bcast\"")
            .map(|at| text[at..].to_owned())
    });
    // Those of devices have fewer collectives.
    decisions.max_by_key(String::len).unwrap()
}

/// On both sides of a threshold MPICH sends the messages of the algorithms that a table names, and elsewhere those that it sends
/// without the file: a changed copy of its own decisions.
#[test]
#[ignore = "needs MPICH"]
fn a_changed_copy_of_the_decisions_of_mpich_is_followed() {
    const SIZE: u64 = 1000;
    let directory = tempfile::tempdir().unwrap();
    let program = compile(Library::Mpich, SOURCE, directory.path());
    let [base, table, file] = ["base", "table", "file"].map(|name| directory.path().join(name));
    fs::write(&base, decisions_of_mpich(&program)).unwrap();
    let library = library_of_mpich(&program);
    let mut rows =
        "function,ranks_min,ranks_max,bytes_min,bytes_max,algorithm,segment_bytes,why\n".to_owned();
    let mut calls = Vec::new();
    for name in [
        "MPI_Bcast",
        "MPI_Allreduce",
        "MPI_Allgather",
        "MPI_Alltoall",
        "MPI_Reduce_scatter_block",
    ] {
        let function = libraries::functions()
            .find(|function| function.name == name)
            .unwrap();
        let exact: Vec<_> = function
            .algorithms(Library::Mpich)
            .iter()
            .filter(|known| known.differs.is_none())
            .collect();
        let (below, above) = (exact[exact.len() - 1], exact[0]);
        rows += &format!("{name},{K},{K},0,{},{},0,a test\n", SIZE - 1, below.ours);
        rows += &format!("{name},{K},{K},{SIZE},,{},0,a test\n", above.ours);
        for (bytes, known) in [(SIZE - 8, below), (SIZE, above)] {
            calls.push(Call {
                function,
                known: **known,
                bytes,
                root: 0,
                segment: 0,
                of_sizes: false,
                radix: None,
            });
        }
    }
    fs::write(&table, rows).unwrap();
    let [base, table, written] = [&base, &table, &file].map(|path| path.to_str().unwrap());
    let write = |base: &str| {
        stdout(&[
            "rules", "write", table, "--for", "mpich", "--base", base, "--out", written,
        ]);
        fs::read_to_string(written).unwrap()
    };
    assert_eq!(write(base), write(&library));
    let lines: Vec<String> = calls
        .iter()
        .map(|call| format!("{} - 0 {} 0 -1", call.function.name, call.bytes))
        .collect();
    let with = observed(Library::Mpich, &program, K, &lines, Some(&file));
    for (call, with) in calls.iter().zip(&with) {
        let expected = call.expected(K).unwrap();
        assert_eq!(
            *with, expected,
            "{} of {} B: {}",
            call.function.name, call.bytes, call.known.name
        );
    }
    let without = observed(Library::Mpich, &program, K, &lines, None);
    assert!(
        with.iter()
            .zip(&without)
            .filter(|(with, without)| with != without)
            .count()
            >= 3,
        "{without:?}"
    );
    // No decision is for one rank less.
    let less = |rules| observed(Library::Mpich, &program, K - 1, &lines, rules);
    assert_eq!(less(Some(&file)), less(None));
}
