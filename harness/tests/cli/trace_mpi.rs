//! `castbench trace-mpi`: the messages of a program under Open MPI, and other messages than expected.

use std::fs;
use std::process::Command;

use crate::common::openmpi::STARTS;
use crate::common::{castbench, expect};

const PROGRAM: &str = "#include <mpi.h>
int main(int count, char **words) {
  int rank, one = 1, sum;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) for (int i = 0; i < AGAIN; i++) MPI_Send(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) for (int i = 0; i < AGAIN; i++) MPI_Recv(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return MPI_Finalize();
}
";

#[test]
#[ignore = "needs Open MPI"]
fn messages_are_counted_and_compared() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("program.c"), PROGRAM).unwrap();
    for again in ["1", "2"] {
        let compiled = Command::new("mpicc.openmpi")
            .args([
                &format!("-DAGAIN={again}"),
                "program.c",
                "-o",
                &format!("program-{again}"),
            ])
            .current_dir(directory.path())
            .output()
            .unwrap();
        assert!(
            compiled.status.success(),
            "{}",
            String::from_utf8_lossy(&compiled.stderr)
        );
    }
    let run = |options: &[&str], words: &[&str]| {
        let mut command = castbench(&[&["trace-mpi"], options, &["--"], words].concat());
        command.envs(STARTS);
        // The algorithm of Open MPI is that of small messages, whatever its version chooses.
        command.envs([
            ("OMPI_MCA_coll_tuned_use_dynamic_rules", "1"),
            ("OMPI_MCA_coll_tuned_allreduce_algorithm", "3"),
        ]);
        let output = command
            .current_dir(directory.path())
            .env("TMPDIR", directory.path())
            .output()
            .unwrap();
        let [out, errors] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code().unwrap(), out, errors)
    };
    let mpirun = |program: &'static str| ["mpirun.openmpi", "--oversubscribe", "-n", "4", program];
    let (code, _, errors) = run(&["--out", "messages.csv"], &mpirun("./program-1"));
    assert_eq!(code, 0, "{errors}");
    // Recursive doubling: with the next rank, then with the one after it.
    let expected = "from,to,kind,messages,bytes\n0,1,collective,1,4\n0,1,program,1,4\n0,2,collective,1,4\n\
                    1,0,collective,1,4\n1,3,collective,1,4\n2,0,collective,1,4\n2,3,collective,1,4\n3,1,collective,1,4\n\
                    3,2,collective,1,4\n";
    assert_eq!(
        fs::read_to_string(directory.path().join("messages.csv")).unwrap(),
        expected
    );
    let (code, out, errors) = run(
        &["--expect", "messages.csv", "--format", "csv"],
        &mpirun("./program-1"),
    );
    assert_eq!((code, out.as_str()), (0, expected), "{errors}");
    let twice = "mpirun.openmpi --oversubscribe -n 3 ./program-1; mpirun.openmpi --oversubscribe -n 2 ./program-1";
    let (code, _, errors) = run(&[], &["sh", "-c", twice]);
    assert!(
        code == 10 && errors.contains("ended several programs"),
        "{errors}"
    );
    let (code, _, errors) = run(
        &["--expect", "messages.csv", "--out", "messages.csv"],
        &mpirun("./program-2"),
    );
    assert!(
        code == 74 && errors.contains("this command reads it"),
        "{errors}"
    );
    let (code, _, errors) = run(&["--expect", "messages.csv"], &mpirun("./program-2"));
    let explanation = "between 1 pair of ranks the messages are not those of `messages.csv`; the first: rank 0 to 1, program: 2 messages of \
                8 B, not 1 message of 4 B";
    assert!(
        code == 5 && errors.contains(explanation),
        "{code}: {errors}"
    );
}

#[test]
fn commands_without_messages_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("program.c"), PROGRAM).unwrap();
    for (words, code, explanation) in [
        ("-- true", 10, "counted no messages"),
        ("-- false", 10, "the command `false` failed"),
        ("-- ./nonesuch", 10, "cannot be started"),
        ("--expect program.c -- true", 3, "cannot read `program.c`"),
    ] {
        expect(
            directory.path(),
            &format!("trace-mpi {words}"),
            code,
            explanation,
        );
    }
}

/// A program that only writes the file of its counts.
#[cfg(unix)]
fn counts(lines: &str, options: &[&str]) -> (Option<i32>, String) {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("program");
    fs::write(
        &script,
        format!("#!/bin/sh\nprintf '{lines}' >\"$OMPI_MCA_pml_monitoring_filename.0.prof\"\n"),
    )
    .unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(
        directory.path().join("twice.csv"),
        "from,to,kind,messages,bytes\n0,1,program,1,8\n0,1,program,7,8\n",
    )
    .unwrap();
    fs::write(
        directory.path().join("once.csv"),
        "from,to,kind,messages,bytes\n0,1,program,7,8\n",
    )
    .unwrap();
    let mut command = castbench(&[&["trace-mpi"], options, &["--", "./program"]].concat());
    let output = command
        .current_dir(directory.path())
        .env("TMPDIR", directory.path())
        .output()
        .unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[cfg(unix)]
#[test]
fn expected_messages_are_stated_once() {
    let line = "E\\t0\\t1\\t8 bytes\\t7 msgs sent\\n";
    assert_eq!(counts(line, &["--expect", "once.csv"]).0, Some(0));
    let (code, errors) = counts(line, &["--expect", "twice.csv"]);
    assert!(
        code == Some(3) && errors.contains("row 3 repeats rank 0 to 1"),
        "{code:?} {errors}"
    );
}

/// The ranks wrote their counts, and these are of no message.
#[cfg(unix)]
#[test]
fn a_program_without_messages_counts_nothing() {
    for line in ["", "E\\t0\\t1\\t0 bytes\\t0 msgs sent\\n"] {
        let (code, errors) = counts(line, &[]);
        assert!(
            code == Some(10)
                && errors.contains("counted no messages: its 1 rank sent none to another rank"),
            "{code:?} {errors}"
        );
    }
}

#[cfg(unix)]
#[test]
fn counts_above_64_bits_are_refused() {
    let line = |count: u64| format!("E\\t0\\t1\\t{count} bytes\\t{count} msgs sent\\n");
    let (code, errors) = counts(&(line(u64::MAX) + &line(5)), &[]);
    assert!(
        code == Some(10) && errors.contains("64 bits"),
        "{code:?} {errors}"
    );
    assert_eq!(counts(&(line(u64::MAX - 5) + &line(5)), &[]).0, Some(0));
}
