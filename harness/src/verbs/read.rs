//! `castbench read`: one table of measured times from the outputs of benchmarks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;
use sha2::{Digest as _, Sha256};

use super::options::Printed;
use crate::base::failure::{Code, Failure, Result, tell};
use crate::base::units::{grouped, plural, show_bytes};
use crate::output::{self, ending::named};
use crate::predict::readers::rate::{Rate, warning};
use crate::predict::readers::{Benchmark, Measurement, Measurements, Stated};
use crate::print::{self, Columns, column};

/// Arguments of `read`.
#[derive(Debug, Args)]
#[command(
    after_help = "The benchmark is recognized by the content. What a file does not say must be given: most say no number of nodes \
and no algorithm. Files with the same cell are runs of it, each with its row. Results that the benchmark marks as failed are left out and counted.

Exit code 2: a file does not say something. 3: a file cannot be read. 4: a file has no time.

Examples:
  castbench read osu_allreduce.txt --ranks 64 --nodes 4 --algorithm default_ompi
  castbench read all_reduce_perf.log --algorithm ring --format csv
  castbench read output/bcast/detail.out --collective bcast --ranks-per-node 1
  castbench read 1024_allreduce_*.csv --ranks 16 --nodes 4 --element 4 --out measured.csv"
)]
pub struct Read {
    /// Outputs of benchmarks; - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The benchmark that wrote them [default: recognized]
    #[arg(long, value_enum, value_name = "NAME")]
    pub from: Option<Benchmark>,
    /// What the files do not say.
    #[command(flatten)]
    pub stated: Stated,
    /// Write the table to this CSV file instead; an existing one is replaced if all its rows are among the new ones
    #[arg(long, value_name = "FILE", conflicts_with = "format", value_parser = named(&["csv"]))]
    pub out: Option<PathBuf>,
    /// How to print.
    #[command(flatten)]
    pub printed: Printed,
}

pub(super) fn columns() -> Columns<'static, Measurement> {
    Columns::<Measurement>::empty()
        .column("nodes", "number of nodes", |row| row.key.nodes)
        .data(
            "ranks_per_node",
            "ranks over nodes; empty where nodes have different numbers of ranks",
            |row| {
                row.key
                    .ranks
                    .is_multiple_of(row.key.nodes)
                    .then(|| row.key.ranks / row.key.nodes)
            },
        )
        .column("ranks", "number of ranks", |row| row.key.ranks)
        .column(
            "collective",
            "function of MPI without `MPI_`; `pingpong`: half a round trip of two ranks",
            |row| row.key.collective,
        )
        .column(
            "bytes",
            "of the whole vector: for collectives that move blocks, a block times the \
                 ranks",
            |row| row.key.bytes,
        )
        .shown("bytes", |row| show_bytes(row.key.bytes))
        .column("algorithm", "name given or read", |row| {
            row.key.algorithm.clone()
        })
        .column("median_ns", "median of the times", |row| row.median_ns)
        .shown("median ns", |row| grouped(row.median_ns))
        .column(
            "samples",
            "calls behind it; empty where a file does not say it",
            |row| row.samples,
        )
        .column(
            "statistic",
            "what one time is: `call`: the slowest rank of a call; `slowest-mean`: the \
                 slowest rank's mean over calls; `mean`: over calls and ranks; `bandwidth`: \
                 bytes over the bandwidth",
            |row| row.key.statistic.name(),
        )
        .column(
            "library",
            "name given or read; empty where unknown",
            |row| row.key.library.clone(),
        )
        .column("benchmark", "the benchmark, as `--from` names it", |row| {
            row.key.benchmark
        })
        .data(
            "backend",
            "what the messages go through, as `NCCL-CUDA`; empty for MPI on host memory",
            |row| row.key.backend.clone(),
        )
        .data(
            "datatype",
            "type of an element; empty where unknown",
            |row| row.key.datatype.clone(),
        )
        .data(
            "operator",
            "operation of a reduction; empty where unknown",
            |row| row.key.operator.clone(),
        )
        .data(
            "in_place",
            "whether the result replaces the operand; empty where unknown",
            |row| row.key.in_place,
        )
        .data(
            "run",
            "number of the file among those with the cell, from 1",
            |row| row.key.run,
        )
        .text("variant", |row| row.key.variant())
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 where neither a file nor the caller says something, 3 for a file that cannot be read, 4 for one without a time.
pub fn run(arguments: &Read) -> Result {
    let (columns, rows, out) = (columns(), rows(arguments)?, arguments.out.as_deref());
    if let Some(path) = out {
        refuse_loss(path, &column::csv(&columns, &rows)?)?;
    }
    print::rows_or_file(out, arguments.printed.format, &columns, &rows)
}

/// Refuses to replace a table with rows that the new one lacks: measurements of users have the same columns.
///
/// # Errors
/// Exit code 74.
fn refuse_loss(path: &Path, text: &[u8]) -> Result {
    let old = output::open(path).and_then(output::bytes_of);
    let old = old.unwrap_or_default();
    let lines = |text: &'_ [u8]| {
        text.split(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect::<BTreeSet<_>>()
    };
    let lost = lines(&old).difference(&lines(text)).count() as u64;
    if lost > 0 {
        bail!(
            Output,
            "cannot write to `{}`: it has {} that the new file lacks; move it, or name another file",
            path.display(),
            plural(lost, "line")
        );
    }
    Ok(())
}

/// Reads the files.
///
/// # Errors
/// Exit code 2 where neither a file nor the caller says something, 3 for a file that cannot be read, 4 for one without a time.
fn rows(arguments: &Read) -> Result<Vec<Measurement>> {
    let mut all = Measurements::default();
    let (mut read, mut texts) = (Vec::new(), BTreeMap::new());
    for path in &arguments.files {
        read.push(add(&mut all, &mut texts, path, arguments)?);
    }
    let Stated {
        in_place, element, ..
    } = arguments.stated;
    let of_some: [(bool, &str, &[Benchmark]); 2] = [
        (in_place, "--in-place", &[Benchmark::Nccl]),
        (
            element.is_some(),
            "--element",
            &[Benchmark::Pico, Benchmark::Reprompi],
        ),
    ];
    if let Some((_, option, _)) = of_some
        .iter()
        .find(|(is_given, _, of)| *is_given && !read.iter().any(|read| of.contains(read)))
    {
        bail!("{option}: no file is of the benchmark that has it; remove the option");
    }
    let rows: Vec<Measurement> = all.rows().collect();
    let again = rows.iter().filter(|row| row.key.run == 2).count();
    if again > 0 {
        let cells = plural(again as u64, "cell");
        tell!("several files have the same {cells}: each is a run with its row, by the column run");
    }
    tell_rates(&rows);
    Ok(rows)
}

fn tell_rates(rows: &[Measurement]) {
    let rates: Vec<Rate> = rows
        .iter()
        .filter_map(|Measurement { key, median_ns, .. }| {
            let (name, bytes, nodes) = (key.collective, key.bytes, key.nodes);
            let at = || format!("{name} of {bytes} bytes on {nodes} nodes");
            Rate::new(name, nodes.into(), key.ranks.into(), bytes, *median_ns, at)
        })
        .collect();
    if let Some(warning) = warning(&rates, None) {
        tell(warning);
    }
}

fn add<'a>(
    all: &mut Measurements,
    texts: &mut BTreeMap<[u8; 32], &'a Path>,
    path: &'a Path,
    Read { from, stated, .. }: &Read,
) -> Result<Benchmark> {
    let shown = path.display();
    if texts.values().any(|own| *own == path) {
        bail!("{shown}: it stands twice; name it once");
    }
    let refuse = |message: &dyn std::fmt::Display| Failure::new(Code::Configuration, message);
    let text = output::read_user_text(path).map_err(|error| Failure::unread(path, error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let benchmark = from.or_else(|| Benchmark::recognise(&name, &text)).ok_or_else(|| {
        let names: Vec<&str> = Benchmark::all().map(Benchmark::name).collect();
        let names = names.join(", ");
        refuse(&format_args!(
            "{shown}: the output of no benchmark that castbench knows; name it: --from, one of {names}"
        ))
    })?;
    // The names of these files tell cells apart.
    let named = if [Benchmark::Pico, Benchmark::Coltune].contains(&benchmark) {
        &*name
    } else {
        ""
    };
    if let Some(same) = texts.insert(Sha256::digest(format!("{named}\0{text}")).into(), path) {
        bail!(
            "{shown}: the same output as {}; name it once",
            same.display()
        );
    }
    let sheet = benchmark
        .read(&name, &text, stated)
        .map_err(|wrong| refuse(&format_args!("{shown}: {wrong}")))?;
    if let (count @ 1.., Some(first)) = &sheet.skipped {
        tell!(
            "{shown}: {} left out; the first: {first}",
            plural(*count, "result")
        );
    }
    if sheet.cells.is_empty() {
        bail!(
            Nothing,
            "{shown}: no time of a collective; name the outputs of benchmarks"
        );
    }
    all.add(benchmark, sheet, stated)
        .map_err(|message| failure!(Usage, "{shown}: {message}"))?;
    Ok(benchmark)
}
