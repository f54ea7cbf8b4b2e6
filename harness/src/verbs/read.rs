//! `castbench read`: one table of measured times from the outputs of benchmarks.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::{Code, Failure, tell};
use crate::output;
use crate::print::{self, Column, Format};
use crate::readers::{Benchmark, Measurement, Measurements, Stated};
use crate::units::{grouped, plural, show_bytes};

pub(crate) const HELP: &str =
    "The benchmark is recognized by the content. What a file does not say must be given: most say no number of nodes \
and no algorithm. Values of one cell in several files become their median.

Exit code 2: a file does not say something. 3: a file cannot be read. 4: no file has a time.

Examples:
  castbench read osu_allreduce.txt --ranks 64 --nodes 4 --algorithm default_ompi
  castbench read all_reduce_perf.log --algorithm ring --format csv
  castbench read 1024_allreduce_*.csv --ranks 16 --nodes 4 --element 4 --out measured.csv";

/// Arguments of `read`.
#[derive(Debug, Args)]
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
    /// Write the table to this CSV file instead
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub out: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

pub(super) fn columns() -> Vec<Column<'static, Measurement>> {
    type Of = Column<'static, Measurement>;
    let per_node =
        |row: &Measurement| row.key.ranks.is_multiple_of(row.key.nodes).then(|| row.key.ranks / row.key.nodes);
    vec![
        Of::new("nodes", "number of nodes", |row| row.key.nodes),
        Of::new("ranks_per_node", "ranks over nodes; empty where nodes have different numbers of ranks", per_node)
            .data_only(),
        Of::new("ranks", "number of ranks", |row| row.key.ranks),
        Of::new("collective", "function of MPI without `MPI_`; `pingpong`: half a round trip of two ranks", |row| {
            row.key.collective
        }),
        Of::new("bytes", "of the whole vector: for collectives that move blocks, a block times the ranks", |row| {
            row.key.bytes
        })
        .shown("bytes", |row| show_bytes(row.key.bytes)),
        Of::new("algorithm", "name given or read", |row| row.key.algorithm.clone()),
        Of::new("median_ns", "median of the times; of several files, median of their medians", |row| row.median_ns)
            .shown("median ns", |row| grouped(row.median_ns)),
        Of::new("samples", "calls behind it; empty where a file does not say it", |row| row.samples),
        Of::new(
            "statistic",
            "what one time is: `call`: the slowest rank of a call; `slowest-mean`: the slowest rank's mean over calls; \
             `mean`: over calls and ranks; `bandwidth`: bytes over the bandwidth",
            |row| row.key.statistic.name(),
        ),
        Of::new("library", "name given or read; empty where unknown", |row| row.key.library.clone()),
        Of::new("benchmark", "`osu`, `imb`, `nccl`, `reprompi` or `pico`", |row| row.key.benchmark),
    ]
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 where neither a file nor the caller says something, 3 for a file that cannot be read, 4 without a time.
pub fn run(arguments: &Read) -> Result<(), Failure> {
    print::rows_or_file(arguments.out.as_deref(), arguments.format, &columns(), rows(arguments)?)
}

/// Reads the files.
///
/// # Errors
/// Exit code 2 where neither a file nor the caller says something, 3 for a file that cannot be read, 4 without a time.
fn rows(arguments: &Read) -> Result<Vec<Measurement>, Failure> {
    let mut all = Measurements::default();
    let mut read = Vec::new();
    for path in &arguments.files {
        read.push(add(&mut all, path, arguments.from, &arguments.stated)?);
    }
    let Stated { in_place, element, .. } = arguments.stated;
    let of_one = [(in_place, "--in-place", Benchmark::Nccl), (element.is_some(), "--element", Benchmark::Pico)];
    if let Some((_, option, _)) = of_one.iter().find(|(is_given, _, of)| *is_given && !read.contains(of)) {
        return Err(Failure::usage(format_args!(
            "{option}: no file is of the benchmark that has it; remove the option"
        )));
    }
    let rows: Vec<Measurement> = all.rows().collect();
    if rows.is_empty() {
        return Err(Failure::new(Code::Nothing, "no file has a time of a collective; name outputs of benchmarks"));
    }
    Ok(rows)
}

fn add(all: &mut Measurements, path: &Path, from: Option<Benchmark>, stated: &Stated) -> Result<Benchmark, Failure> {
    let shown = path.display();
    let refuse = |message: &dyn std::fmt::Display| Failure::new(Code::Configuration, message);
    let text = output::read_user_text(path).map_err(|error| refuse(&format_args!("cannot read `{shown}`: {error}")))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let benchmark = from.or_else(|| Benchmark::recognise(&name, &text)).ok_or_else(|| {
        let names = Benchmark::ALL.map(Benchmark::name).join(", ");
        refuse(&format_args!(
            "{shown}: the output of no benchmark that castbench knows; name it: --from, one of {names}"
        ))
    })?;
    let sheet = benchmark.read(&name, &text, stated).map_err(|wrong| refuse(&format_args!("{shown}: {wrong}")))?;
    if let (count @ 1.., Some(first)) = &sheet.skipped {
        tell(format_args!("{shown}: {} skipped; the first: {first}", plural(*count, "result")));
    }
    all.add(benchmark, sheet, stated).map_err(|message| Failure::usage(format_args!("{shown}: {message}")))?;
    Ok(benchmark)
}
