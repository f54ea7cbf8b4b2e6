//! `castbench trace-mpi`: the messages that a program of MPI sends, counted inside of Open MPI.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use super::options::Printed;
use crate::base::failure::{Failure, Result};
use crate::base::terminal;
use crate::base::units::{grouped, joined, plural};
use crate::output;
use crate::output::ending::named;
use crate::print;
use crate::print::column::{self, Tabled as _, tabled};

/// Arguments of `trace-mpi`.
#[derive(Debug, Args)]
#[command(
    after_help = "Runs a command that starts a program under Open MPI, with the counters of its component pml/monitoring, and prints how \
many messages and bytes each rank sends to each other rank, separately for collectives. A collective has the messages of \
the algorithm that the library chose. What the program prints goes to standard error.

Exit code 0: done, or as expected. 5: other messages than expected. 10: the command failed or counted nothing.

Examples:
  castbench trace-mpi --out messages.csv -- mpirun -n 4 ./program
  castbench trace-mpi --expect messages.csv -- mpirun -n 4 ./program"
)]
pub struct TraceMpi {
    /// The command, as mpirun -n 4 ./program
    #[arg(value_name = "COMMAND", required = true, last = true)]
    pub command: Vec<OsString>,
    /// Write the messages to this CSV file instead
    #[arg(long, value_name = "FILE", conflicts_with = "format", value_parser = named(&["csv"]))]
    pub out: Option<PathBuf>,
    /// Compare with the messages in this CSV file
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,
    /// Directory that all nodes share, where the ranks write their counts [default: that for temporary files]
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
    /// How to print.
    #[command(flatten)]
    pub printed: Printed,
}

tabled! {
    /// What a pair of ranks exchanged.
    pub(super) struct PairCount {
        /// sending rank
        from: u32,
        /// receiving rank
        to: u32,
        /// `program`: sent by the program; `collective`: by a collective of the library
        kind: String,
        /// number of messages
        messages: u64,
        /// bytes of all of them
        bytes: u64,
    }
}

/// Two ranks, and what sends: `program` or `collective`.
type Pair = (u32, u32, String);

/// Messages and bytes of each pair.
type Matrix = BTreeMap<Pair, [u64; 2]>;

/// Runs the verb.
///
/// # Errors
/// Exit code 3 for expected messages that cannot be read, 5 for others than expected, 10 for a command that fails.
pub fn run(arguments: &TraceMpi) -> Result {
    let expected = arguments.expect.as_deref().map(expected).transpose()?;
    let parent = arguments.scratch.clone().unwrap_or_else(std::env::temp_dir);
    let scratch = output::Scratch::new(&parent).map_err(output::unwritten(&parent))?;
    let matrix = observe(&arguments.command, scratch.path())?;
    let row = |(pair, counts): (&Pair, &[u64; 2])| {
        let ((from, to, kind), [messages, bytes]) = (pair.clone(), *counts);
        PairCount {
            from,
            to,
            kind,
            messages,
            bytes,
        }
    };
    let rows: Vec<PairCount> = matrix.iter().map(row).collect();
    let columns = PairCount::columns();
    print::rows_or_file(
        arguments.out.as_deref(),
        arguments.printed.format,
        &columns,
        &rows,
    )?;
    match arguments.expect.as_ref().zip(expected) {
        Some((path, expected)) => compare(&matrix, &expected, path),
        None => Ok(()),
    }
}

/// Runs the command, and reads what the ranks counted.
fn observe(words: &[OsString], scratch: &Path) -> Result<Matrix> {
    let Some((program, arguments)) = words.split_first() else {
        return Ok(Matrix::new());
    };
    let shown = program.display();
    // Open MPI hands these variables to all ranks; 2 counts the program's messages apart from those of collectives.
    let monitoring = |name: &str| format!("OMPI_MCA_pml_monitoring_{name}");
    let status = Command::new(program)
        .args(arguments)
        .env(monitoring("enable"), "2")
        .env(monitoring("enable_output"), "3")
        .env(monitoring("filename"), scratch.join("counts"))
        .stdout(
            terminal::as_errors()
                .map_err(|error| failure!(Measurement, "standard error: {error}"))?,
        )
        .status()
        .map_err(|error| {
            failure!(
                Measurement,
                "the command `{shown}` cannot be started: {error}"
            )
        })?;
    if !status.success() {
        bail!(Measurement, "the command `{shown}` failed: {status}");
    }
    let unread = |error: &dyn std::fmt::Display| {
        failure!(Measurement, "the counts of a rank cannot be read: {error}")
    };
    let mut matrix = Matrix::new();
    let (mut ranks, mut worlds) = (0_u64, BTreeSet::new());
    for entry in fs::read_dir(scratch).map_err(|error| unread(&error))? {
        let path = entry.map_err(|error| unread(&error))?.path();
        let text = output::read_text(&path).map_err(|error| unread(&error))?;
        count(&text, &mut matrix).map_err(|line| unread(&line))?;
        worlds.extend(world(&text));
        ranks += 1;
    }
    if ranks == 0 {
        bail!(
            Measurement,
            "the command `{shown}` counted no messages; it must start a program under Open MPI, with the component \
             pml/monitoring, that ends with MPI_Finalize; on several nodes name a directory that they share with --scratch"
        );
    }
    if worlds.iter().any(|&size| size != ranks) {
        bail!(
            Measurement,
            "the command `{shown}` ended several programs, or not all of its ranks: {} counted, of programs of {}; trace one at a time",
            plural(ranks, "rank"),
            joined(" and ", worlds.iter().map(u64::to_string))
        );
    }
    if matrix.values().all(|[messages, _]| *messages == 0) {
        bail!(
            Measurement,
            "the command `{shown}` counted no messages: its {} sent none to another rank",
            plural(ranks, "rank")
        );
    }
    Ok(matrix)
}

/// How many ranks the program of a rank has: a line as `D MPI_COMM_WORLD procs: 0,1,2`.
fn world(text: &str) -> Option<u64> {
    let mut lines = text.lines();
    let ranks = lines.find_map(|line| line.strip_prefix("D\tMPI_COMM_WORLD\tprocs: "))?;
    Some(ranks.split(',').count() as u64)
}

/// Adds the counts of a rank: lines as `I 0 1 8 bytes 2 msgs sent`, I for collectives and E for the program.
fn count(text: &str, matrix: &mut Matrix) -> Result<(), String> {
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().take(7).collect();
        let [
            kind @ ("I" | "E"),
            from,
            to,
            bytes,
            "bytes",
            messages,
            "msgs",
        ] = words[..]
        else {
            continue;
        };
        let parsed = || {
            Some((
                (from.parse().ok()?, to.parse().ok()?),
                (messages.parse().ok()?, bytes.parse().ok()?),
            ))
        };
        let ((from, to), (messages, bytes)): (_, (u64, u64)) =
            parsed().ok_or_else(|| format!("`{line}`"))?;
        let kind = if kind == "E" { "program" } else { "collective" };
        let known = matrix.entry((from, to, kind.to_owned())).or_default();
        let sum = known[0]
            .checked_add(messages)
            .zip(known[1].checked_add(bytes));
        *known = sum
            .map(|(messages, bytes)| [messages, bytes])
            .ok_or_else(|| {
                format!("`{line}`: the messages or bytes of the pair do not fit into 64 bits")
            })?;
    }
    Ok(())
}

fn expected(path: &Path) -> Result<Matrix> {
    let refuse = |error: &dyn std::fmt::Display| {
        let advice = "write it with `castbench trace-mpi --out FILE`";
        Failure::unread(path, format_args!("{error}; {advice}"))
    };
    let file = output::open_user(path).map_err(|error: io::Error| refuse(&error))?;
    let rows: Vec<PairCount> =
        column::rows(output::lines_of(file)).map_err(|error| refuse(&error))?;
    let mut matrix = Matrix::new();
    for (line, row) in (2..).zip(rows) {
        let (pair, counts) = ((row.from, row.to, row.kind), [row.messages, row.bytes]);
        if matrix.contains_key(&pair) {
            let (from, to, kind) = pair;
            return Err(refuse(&format_args!(
                "row {line} repeats rank {from} to {to}, {kind}"
            )));
        }
        matrix.insert(pair, counts);
    }
    Ok(matrix)
}

fn compare(seen: &Matrix, expected: &Matrix, path: &Path) -> Result {
    let pairs = expected
        .keys()
        .chain(seen.keys().filter(|pair| !expected.contains_key(*pair)));
    let of = |matrix: &Matrix, pair: &Pair| matrix.get(pair).copied().unwrap_or_default();
    let other: Vec<&Pair> = pairs
        .filter(|pair| of(seen, pair) != of(expected, pair))
        .collect();
    let Some(first) = other.first() else {
        return Ok(());
    };
    let message = |matrix| {
        let [messages, bytes] = of(matrix, first);
        format!("{} of {} B", plural(messages, "message"), grouped(bytes))
    };
    bail!(
        Disagreement,
        "between {} of ranks the messages are not those of `{}`; the first: rank {} to {}, {}: {}, not {}",
        plural(other.len() as u64, "pair"),
        path.display(),
        first.0,
        first.1,
        first.2,
        message(seen),
        message(expected)
    )
}
