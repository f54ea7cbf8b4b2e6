//! Rules files that castbench writes, and what Open MPI sends with them.

use std::fs;

use algorithms::internals::functions::FUNCTIONS;
use algorithms::internals::mpi::{Library, Size};

use super::libraries::{Call, compile, observed};
use crate::common::openmpi::{Rules, size};
use crate::common::stdout;

const K: u64 = 8;
const COLLECTIVES: [&str; 6] =
    ["MPI_Bcast", "MPI_Allreduce", "MPI_Reduce", "MPI_Allgather", "MPI_Alltoall", "MPI_Gather"];

/// On both sides of each threshold Open MPI sends the messages of the algorithm that the file names, or, for a rule 0,
/// those that it sends without the file.
#[test]
#[ignore = "needs Open MPI"]
fn the_rules_that_are_written_are_followed() {
    let directory = tempfile::tempdir().unwrap();
    let program = compile("mpicc.openmpi", directory.path());
    let problems = COLLECTIVES.map(|name| match name {
        "MPI_Bcast" => "broadcast".to_owned(),
        name => name.trim_start_matches("MPI_").to_lowercase(),
    });
    let line =
        "best --machine ethernet100-switched -K 8 --bytes 64B,1KiB,16KiB -c 1000 --format openmpi-rules --collective";
    let problems = problems.join(",");
    let text = stdout(&line.split(' ').chain([problems.as_str()]).collect::<Vec<_>>());
    let file = directory.path().join("rules");
    fs::write(&file, &text).unwrap();
    let rules = Rules::parse(&text);
    let mut calls = Vec::new();
    for function in FUNCTIONS.into_iter().filter(|function| COLLECTIVES.contains(&function.name)) {
        // The other broadcast has the same name.
        if calls.iter().any(|(known, _): &(&str, u64)| *known == function.name) {
            continue;
        }
        let per = if function.size == Size::Blocks { K } else { 1 };
        let sides = rules
            .of(function.collective.into(), K)
            .iter()
            .flat_map(|rule| [rule.size.saturating_sub(1) / per, rule.size.div_ceil(per)]);
        let mut bytes: Vec<u64> = sides.filter(|&bytes| bytes > 0).collect();
        bytes.dedup();
        calls.extend(bytes.into_iter().map(|bytes| (function.name, bytes)));
    }
    let lines: Vec<String> = calls.iter().map(|(name, bytes)| format!("{name} - 0 {bytes} 0 -1")).collect();
    let with = observed(Library::OpenMpi4, &program, K, &lines, Some(&file));
    let without = observed(Library::OpenMpi4, &program, K, &lines, None);
    let mut followed = 0;
    for (((name, bytes), with), without) in calls.iter().zip(with).zip(without) {
        let function = FUNCTIONS.into_iter().rfind(|function| function.name == *name).unwrap();
        let rule = rules.choose(function.collective.into(), K, size(name, K, *bytes));
        if rule.algorithm == 0 {
            assert_eq!(with, without, "{name}, {bytes} B, {rule:?}");
            continue;
        }
        let known = *function.open_mpi.iter().find(|known| u64::from(known.number) == rule.algorithm).unwrap();
        // Halves of equal segments, as the catalogue has them.
        let segment = if known.halves && rule.segment == 0 { bytes.div_ceil(2) } else { rule.segment };
        let whole = if known.halves { bytes.next_multiple_of(2 * segment) } else { *bytes };
        let call = Call { function, known, bytes: whole, root: 0, segment };
        let expected = call.expected(K).unwrap_or_else(|| panic!("{name}, {bytes} B, {rule:?}"));
        match known.differs {
            // The same ranks exchange messages, of other sizes.
            Some(_) => assert!(with.keys().eq(expected.keys()), "{name}, {bytes} B, {rule:?}"),
            None => assert_eq!(with, expected, "{name}, {bytes} B, {rule:?}"),
        }
        followed += usize::from(with != without);
    }
    assert!(followed > 10, "{followed} calls differ from those without rules");
}
