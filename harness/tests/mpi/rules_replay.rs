//! Odd rules files, as `rules check` reads them and as the installed libraries do.

use std::fs;
use std::path::Path;

use castbench::libraries::{self, Function, Library};

use super::libraries::{SOURCE, compile, observed, ran};
use super::mpi_rules::decisions_of_mpich;
use crate::common::castbench;

const K: u64 = 8;
/// Bytes of a vector of bytes: enough that no algorithm falls back to another one.
const BYTES: [u64; 4] = [24, 100, 600, 1000];

/// Files that are dropped, fail, or work otherwise than they look; the first words are the begin of what `rules check` says.
const ODD: [&str; 24] = [
    "2 2 1 2 1 0 3 0 0\n77 1 2 1 0 3 0 0",
    "rule-file-version-2\n1 2 1 2 2 0 4 0 0 0\n100 6 0 0 3\n",
    "# comment\nrule-file-version-2\n1 2 1 2 1 0 4 0 0 0\n",
    "rule-file-version-2\n1 2 1 2 2 0 4 0 0\n100 6 0 0\n",
    "1 2 2\n64 1 0 4 0 0\n8 1 0 6 0 0\n",
    "1 2 2\n8 1 0 4 0 0\n8 1 0 6 0 0\n",
    "1 2 1 2 3\n0 3 0 0\n700 4 0 0\n50 6 0 0\n",
    "1 2 1 2 3\n0 3 0 0\n100 4 0 0\n100 6 0 0\n",
    "2\n2 1 2 1 0 4 0 0\n2 1 2 1 0 6 0 0\n",
    "1 2 1 2 2\n0 3 0 0\n0144 4 0 0\n",
    "1 2 1 2 2\n0 3 0 0\n0x64 4 0 0\n",
    "1 2 1 2 2\n0 3 0 0\n1K 4 0 0\n",
    "1,2,1,2,1\n0,4,0,0\n",
    "one 1 of 2 with 1 2 1\n0 4 0 0\n",
    "1#a\n2#b 9\n1 # c\n2 1\n0 4 0 0",
    "1 2 1 2 1 0 4294967300 0 0\n",
    "1 2 1 2 1 0 -4 0 0\n",
    "1 2 1 2 1 0 9 0 0\n",
    "1 7 1 2 1 0 13 0 0\n",
    "1 2 1 2 1 5 4 0 0\n",
    "23 2 1 2 1 0 4 0 0\n",
    "2 2 1 2 1 0 4 0 0\n",
    "1 2 1 2 1 0 4 0 0\n 9 9 9",
    "",
];

/// What `rules check` selects for an allreduce, or a broadcast, of each size; none where it refuses the file.
fn checked(path: &Path, library: Library, collective: &str) -> Option<Vec<String>> {
    let [dialect, version] = match library {
        Library::OpenMpi4 => ["openmpi", "4.1"],
        Library::OpenMpi5 => ["openmpi", "5.0"],
        _ => [library.family().key(), library.version()],
    };
    let bytes = BYTES.map(|bytes| bytes.to_string()).join(",");
    let mut command = castbench(&[]);
    command
        .args(["rules", "check"])
        .arg(path)
        .args(["--for", dialect, "--version", version]);
    command.args([
        "--machine",
        "ethernet100-switched",
        "-K",
        "8",
        "--collective",
        collective,
        "--bytes",
        &bytes,
    ]);
    let output = command.args(["--format", "json"]).output().unwrap();
    if output.status.code() == Some(3) {
        return None;
    }
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let selected =
        |row: &serde_json::Value| row["selected"].as_str().unwrap_or_default().to_owned();
    Some(rows.as_array().unwrap().iter().map(selected).collect())
}

fn function(name: &str) -> &'static Function {
    libraries::functions()
        .find(|function| function.name == name)
        .unwrap()
}

/// Files with numbers of a sequence: sorted and unsorted sizes of communicators and messages, and algorithms that exist.
fn random(count: u64) -> impl Iterator<Item = String> {
    let mut state: u64 = 7;
    let mut below = move |most: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    (0..count).map(move |_| {
        let mut text = format!("1 2 {}\n", 3);
        for _ in 0..3 {
            let rules = 1 + below(4);
            text += &format!("{} {rules}\n", 1 + below(12));
            for index in 0..rules {
                let size = if index == 0 { 0 } else { below(1100) };
                text += &format!(
                    "{size} {} 0 0\n",
                    [0, 1, 3, 4, 6][usize::try_from(below(5)).unwrap()]
                );
            }
        }
        text
    })
}

/// The library sends what it sends if the selected algorithm is demanded; without its own choice what it sends without a file; and fails
/// where `rules check` says so.
fn files_are_read_by(library: Library) {
    let directory = tempfile::tempdir().unwrap();
    let program = compile(library, SOURCE, directory.path());
    let path = directory.path().join("rules");
    let (mut refused, mut failed, mut followed) = (0, 0, 0);
    // One run, at the end, tells what all files should lead to: most of a run is its start.
    let mut demanded: Vec<String> = Vec::new();
    let mut seen = Vec::new();
    for text in ODD.map(str::to_owned).into_iter().chain(random(24)) {
        fs::write(&path, &text).unwrap();
        let (name, collective) = if text.starts_with("1 7") {
            ("MPI_Bcast", "broadcast")
        } else {
            ("MPI_Allreduce", "allreduce")
        };
        let calls = BYTES.map(|bytes| format!("{name} - 0 {bytes} 0 -1"));
        let with = ran(library, &program, K, &calls, Some(&path));
        let selected = checked(&path, library, collective);
        if selected
            .iter()
            .flatten()
            .any(|name| name.contains("MPI_ERR_ARG"))
        {
            failed += 1;
            assert!(with.is_err(), "{text}");
            continue;
        }
        let function = function(name);
        demanded.extend(BYTES.iter().enumerate().map(|(at, bytes)| {
            let selected = selected.as_ref().map(|selected| &selected[at]);
            let known = function
                .algorithms(Library::OpenMpi4)
                .iter()
                .find(|known| selected.is_some_and(|name| name == known.name));
            // 0 leaves the choice to the library.
            let number = known.map_or(0, |known| known.number);
            let variable = function.variable(library);
            format!("{name} {variable} {number} {bytes} 0 -1")
        }));
        match selected {
            Some(_) => followed += 1,
            None => refused += 1,
        }
        seen.push((text, with.unwrap(), selected));
    }
    let expected = observed(library, &program, K, &demanded, None);
    for ((text, with, selected), expected) in seen.iter().zip(expected.chunks(BYTES.len())) {
        assert_eq!(with, expected, "{text}: {selected:?}");
    }
    assert!(
        refused >= 5 && failed == 2 && followed > 30,
        "{refused} refused, {failed} failed, {followed} followed"
    );
}

#[test]
#[ignore = "needs Open MPI"]
fn open_mpi_reads_files_as_rules_check_does() {
    files_are_read_by(Library::OpenMpi4);
}

#[test]
#[ignore = "needs Open MPI 5.0"]
fn open_mpi_5_reads_files_as_rules_check_does() {
    files_are_read_by(Library::OpenMpi5);
}

/// MPICH 4.0 stops where `rules check` refuses a changed copy of its decisions, and else runs the broadcast that it names.
#[test]
#[ignore = "needs MPICH"]
fn mpich_reads_files_as_rules_check_does() {
    const RING: &str = r#"{"algorithm=MPIR_Bcast_intra_scatter_ring_allgather":{}}"#;
    const TREE: &str = r#"{"algorithm=MPIR_Bcast_intra_binomial":{}}"#;
    let directory = tempfile::tempdir().unwrap();
    let program = compile(Library::Mpich, SOURCE, directory.path());
    let base = decisions_of_mpich(&program);
    // The order of keys counts, so the text is changed.
    let (head, rest) = base.split_once(r#""comm_type=intra":"#).unwrap();
    let (_, rest) = rest.split_once(r#","comm_type=inter""#).unwrap();
    let path = directory.path().join("decisions");
    let calls = BYTES.map(|bytes| format!("MPI_Bcast - 0 {bytes} 0 -1"));
    let names = ["binomial", "scatter_ring_allgather"];
    let mut stopped = 0;
    // One run, at the end, tells what all files should lead to.
    let mut demanded: Vec<String> = Vec::new();
    let mut seen = Vec::new();
    for decisions in [
        format!(r#"{{"avg_msg_size<=500":{RING},"avg_msg_size=any":{TREE}}}"#),
        format!(r#"{{"comm_size<=8":{RING},"avg_msg_size=any":{TREE}}}"#),
        format!(r#"{{"comm_size<8":{RING},"comm_size=any":{TREE}}}"#),
        format!(r#"{{"avg_msg_size<=4294967396":{RING},"avg_msg_size=any":{TREE}}}"#),
        format!(r#"{{"avg_msg_size<=1K":{RING},"avg_msg_size=any":{TREE}}}"#),
        format!(r#"{{"comm_avg_ppn<=1":{RING},"comm_size=any":{TREE}}}"#),
        format!(r#"{{"comm_size=node_comm_size":{RING},"comm_size=any":{TREE}}}"#),
        format!(r#"{{"comm_hierarchy=parent":{RING},"comm_hierarchy=any":{TREE}}}"#),
        format!(r#"{{"comm_hierarchy=flat":{RING},"comm_size=any":{TREE}}}"#),
        r#"{"algorithm=MPIR_Bcast_intra_binomial":{"k=4":{}}}"#.to_owned(),
        r#"{"algorithm=MPIR_Bcast_intra_tree":{}}"#.to_owned(),
        r#"{"composition=MPIDI_Bcast_intra_composition_alpha":{}}"#.to_owned(),
        r#"{"algorithm=MPIR_Allreduce_intra_recursive_doubling":{}}"#.to_owned(),
        format!(r#"{{"avg_msg_size<=3":{RING}}}"#),
        format!(r#"{{"any":{RING}}}"#),
        format!(r#"{{"avg_msg_size=any":{RING},"comm_size=any":{TREE}}}"#),
        format!(r#"{{"per_proc_msg_size<=3":{RING},"avg_msg_size=any":{TREE}}}"#),
        format!(r#"{{"is_commutative=yes":{RING},"is_commutative=no":{TREE}}}"#),
        r#"{"avg_msg_size=any":"x"}"#.to_owned(),
        "{}".to_owned(),
    ] {
        fs::write(
            &path,
            format!(r#"{head}"comm_type=intra":{decisions},"comm_type=inter"{rest}"#),
        )
        .unwrap();
        let with = ran(Library::Mpich, &program, K, &calls, Some(&path));
        let selected = checked(&path, Library::Mpich, "broadcast");
        let stops = selected
            .as_ref()
            .is_none_or(|names| names.iter().any(|name| name.contains("stops")));
        assert_eq!(with.is_err(), stops, "{decisions}: {selected:?}");
        let (Ok(with), Some(selected)) = (with, selected) else {
            stopped += 1;
            continue;
        };
        demanded.extend(BYTES.iter().zip(&selected).map(|(bytes, selected)| {
            let name = names.iter().find(|name| selected.ends_with(*name));
            format!(
                "MPI_Bcast {} {} {bytes} 0 -1",
                function("MPI_Bcast").variable(Library::Mpich),
                name.unwrap()
            )
        }));
        seen.push((decisions, with, selected));
    }
    let expected = observed(Library::Mpich, &program, K, &demanded, None);
    for ((decisions, with, selected), expected) in seen.iter().zip(expected.chunks(BYTES.len())) {
        assert_eq!(with, expected, "{decisions}: {selected:?}");
    }
    assert_eq!((seen.len(), stopped), (10, 10));
}
