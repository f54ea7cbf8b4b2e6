//! `castbench tune`: measures a few algorithms of a library, writes rules where they pay, and shows what they gain. See `docs/prediction.md`.
//!
//! `cells -> bench (runs of measure) -> knowledge (fit, gains) -> search (what is next) -> trial (turns) -> verdict (rows, decisions)`.

mod bench;
mod cells;
mod knowledge;
mod processes;
mod search;
mod trial;
mod verdict;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::libraries::{self, Function};
use algorithms::problem::Kind;
use clap::Args;
use measure::library::Library;
use measure::settings::Transport;
use measure::{launcher, statistics::Median};

use super::options::Printed;
use crate::base::failure::{Code, Failure, Result, tell};
use crate::base::units::{grouped, joined, parse_count, plural, shell_word, show_bytes};
use crate::measured::config::{Config, MAX_BYTES, MAX_NODES};
use crate::measured::failure;
use crate::measured::stop;
use crate::output::diagnostics::Source;
use crate::output::{self, Draft, Lock, refuse_strangers};
use crate::predict::measured::File;
use crate::predict::names;
use crate::predict::profile::{MADE, Profile};
use crate::print::Columns;
use crate::print::column::{self, Tabled as _, tabled};
use crate::rules::{Dialect, mpich};
use crate::space::Values;
use cells::{Cell, Target};
use processes::Processes;
use search::{Found, search};
use verdict::{Verdict, decisions, verdicts};

/// Arguments of `tune`.
#[derive(Debug, Args)]
#[command(
    after_help = "Measures the defaults of Open MPI or MPICH, fits a machine as `castbench fit`, and measures the algorithms that are expected to save most, a \
dozen in a run, as long as the budget has room for what follows: the algorithms that are 3 % faster are run against the defaults in five turns. \
A rule is written where an algorithm was faster in each turn, and its interval lies below that of the default. `why` names the reason for each \
call; `budget` begins those of calls that are not decided.

Sizes are those of `castbench measure` and `best`: of a block per rank in allgather, alltoall, gather, scatter and reduce_scatter_block. \
Without a command after `--`, or with a CONFIG of another transport than mpi, castbench runs its own algorithms; the default is then the one \
that Open MPI would choose.

The directory gets decisions.csv, for `castbench rules write`; openmpi.rules, openmpi.json or mpich.json, for the library; measured.csv and \
machine.toml, for `castbench predict`. All nodes must share it.

Exit code 2: an unknown collective, an impossible size. 3: the ranks run another library, or MPICH's decisions are not found. 10: a run \
failed, or the budget is too short. 74: the directory has the files of another program, or of an earlier `tune` and no --force.

Examples:
  castbench tune -K 8,16 --budget 5min -- mpirun -n 16 --hostfile hosts
  castbench tune -K 16 --collective allreduce,bcast --bytes 64KiB..4MiB..x2 --out tuned -- mpirun -n 16
  mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename tuned/openmpi.rules ...
  MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=tuned/mpich.json mpiexec ...
  castbench tune cluster.toml -K 8 --budget 90s"
)]
pub struct Tune {
    /// Configuration file with the transport [default: mpi with a command, tcp on this host without]
    pub config: Option<PathBuf>,
    /// Numbers of ranks
    #[arg(short = 'K', value_name = "RANKS", value_parser = |text: &str| within(Kind::Count, text, [2, MAX_NODES]))]
    pub ranks: Values,
    /// Ranks that the launcher puts on each node, one after another
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    pub ranks_per_node: u64,
    /// The collectives
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = function,
        default_value = "bcast,allreduce,allgather,alltoall,reduce_scatter_block")]
    pub collective: Vec<&'static Function>,
    /// Sizes of the vector, or of a block per rank
    #[arg(long, value_name = "SIZES", value_parser = |text: &str| within(Kind::Bytes, text, [1, MAX_BYTES]), default_value = "1KiB..1MiB..x4")]
    pub bytes: Values,
    /// How long it may take, as 90s, 5min or 1h
    #[arg(long, value_name = "TIME", value_parser = budget, default_value = "5min")]
    pub budget: Duration,
    /// MPICH's own decisions, of which its file is a changed copy: libmpich.so, or generic.json [default: the library of the ranks]
    #[arg(long, value_name = "FILE")]
    pub base: Option<PathBuf>,
    /// Directory for the files
    #[arg(long, value_name = "DIR", default_value = "reports/tuned")]
    pub out: PathBuf,
    /// Replace the files of an earlier `tune`
    #[arg(long)]
    pub force: bool,
    /// How to print.
    #[command(flatten)]
    pub printed: Printed,
    /// The launcher of the library, as mpirun -n 16
    #[arg(value_name = "LAUNCHER", last = true)]
    pub launcher: Vec<OsString>,
}

fn within(kind: Kind, text: &str, [least, most]: [u64; 2]) -> Result<Values, String> {
    let values = Values::parse(text, kind)?;
    let (low, high) = values.bounds();
    if least <= low && high <= most {
        Ok(values)
    } else {
        Err(format!("expected {least} to {most}"))
    }
}

/// The name of a function in small letters, without `MPI_`.
fn short(function: &Function) -> String {
    function.name.trim_start_matches("MPI_").to_lowercase()
}

/// The function of a collective that can be measured, forced and modelled.
fn function(text: &str) -> Result<&'static Function, String> {
    let plain = text.to_lowercase().replace('-', "_");
    let plain = match plain.strip_prefix("mpi_").unwrap_or(&plain) {
        "broadcast" => "bcast",
        other => other,
    };
    let known: Vec<&'static Function> = libraries::functions()
        .filter(|function| {
            Library::named(function.name).is_some()
                && names::collectives().contains(&names::collective(function.name).as_str())
        })
        .collect();
    known
        .iter()
        .find(|function| short(function) == plain)
        .copied()
        .ok_or_else(|| {
            let names = joined(", ", known.iter().map(|function| short(function)));
            format!("there is no such collective; the collectives are {names}")
        })
}

fn budget(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, u64); 3] = [("min", 60), ("h", 3600), ("s", 1)];
    let unit = UNITS
        .iter()
        .find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)));
    let seconds =
        unit.and_then(|(count, seconds)| parse_count(count.trim_end()).ok()?.checked_mul(*seconds));
    seconds
        .filter(|seconds| (1..=86_400).contains(seconds))
        .map(Duration::from_secs)
        .ok_or_else(|| "expected 1s to 24h, as in 90s, 5min or 1h".to_owned())
}

/// The most calls: a fit takes the cube of the measured ones of a collective.
const MAX_CALLS: u64 = 1000;

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a launcher that does not belong to the transport, 3 for a bad configuration or another library, 4 if nothing
/// can be measured, 10 for a run that fails or a budget that is too short, 74 if files cannot be written, 130 if interrupted.
pub fn run(arguments: &Tune) -> Result {
    let begun = Instant::now();
    launcher::alone("tune").map_err(failure::from_error)?;
    let sets = [
        arguments.collective.len() as u64,
        arguments.ranks.count(),
        arguments.bytes.count(),
    ];
    if sets.into_iter().fold(1, u64::saturating_mul) > MAX_CALLS {
        bail!(
            "expected at most {} calls: collectives times -K times --bytes",
            grouped(MAX_CALLS)
        );
    }
    let node = arguments.ranks_per_node;
    super::predict::check_ranks(node)?;
    if let Some(K) = (arguments.ranks.iter()).find(|K| *K > node && !K.is_multiple_of(node)) {
        bail!("-K {K}: expected multiples of --ranks-per-node {node}, or at most as many");
    }
    let (base, config) = configuration(arguments)?;
    if arguments.base.is_some() && arguments.launcher.is_empty() {
        bail!(
            "--base: castbench runs its own algorithms, which have no file of MPICH; name a launcher of MPICH after `--`, or remove the option"
        );
    }
    let decisions = arguments.base.as_deref().map(mpich::own).transpose()?;
    let lock = Lock::new(&arguments.out)?;
    refuse_earlier(arguments)?;
    stop::on_interrupt_quietly()?;
    let deadline = begun + 2 * arguments.budget;
    let mut machine = Processes::new(
        &arguments.launcher,
        (base, &config),
        &arguments.out,
        decisions,
        deadline,
    )?;
    let [ranks, sizes] =
        [&arguments.ranks, &arguments.bytes].map(|values| values.iter().collect::<Vec<u64>>());
    let castbench = Target {
        library: libraries::Library::OpenMpi4,
        has_known_default: true,
    };
    let first = Cell::new(
        arguments.collective[0],
        [ranks[0], node, sizes[0]],
        castbench,
    );
    let target = machine.target(first)?;
    if arguments.base.is_some() && target.library.family() != libraries::Family::Mpich {
        bail!(
            "--base: only MPICH's own decisions are changed, and the ranks run {}; remove the option",
            machine.library()
        );
    }
    let cells = cells::all(
        &arguments.collective,
        [&ranks, &sizes],
        node,
        target,
        |cell, choice| machine.can_run(cell, choice),
    );
    if cells.is_empty() {
        bail!(
            Nothing,
            "castbench can measure the default in none of these calls; name other collectives or -K"
        );
    }
    cells.absences.tell();
    let left = arguments.budget.saturating_sub(begun.elapsed());
    let found = search(&mut machine, &cells, left.as_secs_f64())?;
    let verdicts = verdicts(&found);
    let written = write(&arguments.out, &found, &verdicts, &machine)?;
    drop(lock);
    arguments.printed.format.rows(&columns(), &verdicts)?;
    let most = ranks.iter().max().map_or(0, |K| K.div_ceil(node));
    tell_rest(&verdicts, node, [most, machine.hosts()]);
    for path in &written {
        tell!("wrote {}", path.display());
    }
    if let (Some(dialect), Some(path)) = (machine.dialect(), written.last()) {
        let variables = machine.follow(dialect, path);
        let words = variables
            .iter()
            .map(|(name, value)| format!("{name}={}", shell_word(&value.to_string_lossy())));
        tell!("to follow it: {} ...", joined(" ", words));
        if variables.iter().any(|(_, value)| value == "^han") {
            tell(
                "note: the component han is then left out of all calls, also of those without a rule",
            );
        }
    }
    Ok(())
}

/// The configuration of all runs, without measurements: as TOML, and checked.
fn configuration(arguments: &Tune) -> Result<(toml::Table, Config)> {
    let transport = if arguments.launcher.is_empty() {
        "tcp"
    } else {
        "mpi"
    };
    let text = match &arguments.config {
        Some(path) => {
            // Checked first, because its messages name lines of the file.
            Config::load_transport(Some(path), "tune")?;
            output::read_user_text(path).map_err(output::unread(path))?
        }
        None => format!("schema = 1\ntransport = \"{transport}\"\n"),
    };
    let mut base: toml::Table = toml::from_str(&text)
        .map_err(|error| Failure::new(Code::Configuration, error.message()))?;
    base.remove("measurement");
    base.remove("algorithm");
    let text = toml::to_string(&base).map_err(Failure::internal)?;
    let config = Config::from_source(&Source::built_in("tune", &text))?;
    let is_mpi = matches!(config.settings.transport, Transport::Mpi);
    if is_mpi == arguments.launcher.is_empty() {
        return Err(Failure::usage(if is_mpi {
            "transport `mpi` needs a launcher after `--`, as in `-- mpirun -n 16`"
        } else {
            "the configuration's transport starts the ranks; remove `--` and the launcher, or write transport = \"mpi\""
        }));
    }
    Ok((base, config))
}

const NOTES: &str = "# Decisions of `castbench tune`";
const MEASURED: &str = "measured.csv";

/// The files, each with its first bytes.
const FILES: [(&str, &str); 6] = [
    (MEASURED, "nodes,ranks,collective,bytes,algorithm,median_ns"),
    ("machine.toml", MADE),
    ("decisions.csv", NOTES),
    ("openmpi.rules", NOTES),
    ("openmpi.json", "{\n  \"collectives\""),
    ("mpich.json", "{\n  \"collective="),
];

/// Refuses to replace files of another program, or without --force any.
fn refuse_earlier(arguments: &Tune) -> Result {
    refuse_strangers(
        &arguments.out,
        FILES.map(|(name, begin)| (name.to_owned(), begin.as_bytes().to_vec())),
    )?;
    let paths = FILES.map(|(name, _)| arguments.out.join(name));
    match paths.iter().find(|path| path.exists() && !arguments.force) {
        None => Ok(()),
        Some(path) => Err(failure!(
            Output,
            "`{}` exists; replace it with --force, or name another --out",
            path.display()
        )),
    }
}

tabled! {
    /// A row of `measured.csv`, as `castbench fit` reads it.
    pub(super) struct Measured {
        /// nodes of the machine
        nodes: u64,
        /// ranks
        ranks: u64,
        /// collective
        collective: String,
        /// bytes of a rank's vector
        bytes: u64,
        /// name in the catalogue, or the library's own
        algorithm: String,
        /// median of the times of this run
        median_ns: u64,
    }
}

/// Writes all files; returns their paths.
fn write(
    out: &Path,
    found: &Found<'_>,
    verdicts: &[Verdict],
    machine: &Processes,
) -> Result<Vec<PathBuf>> {
    let measured: Vec<Measured> = found
        .knowledge
        .rows()
        .iter()
        .map(|row| Measured {
            nodes: row.size.nodes().min(machine.hosts()),
            ranks: row.size.ranks,
            collective: row.label.collective.clone(),
            bytes: row.size.bytes,
            algorithm: row.label.algorithm.clone(),
            median_ns: row.ns,
        })
        .collect();
    let measured = column::csv(&Measured::columns(), &measured)?;
    let sha256 = output::sha256(&measured[..]).map_err(Failure::internal)?;
    let data = [File {
        file: MEASURED.to_owned(),
        sha256,
    }];
    let learned = found.knowledge.learn().0;
    let profile = Profile::new(&learned, &data, None, &std::collections::BTreeMap::new()).toml()?;
    let table = decisions(verdicts, &machine.library());
    let mut files = vec![
        (out.join(MEASURED), measured),
        (out.join("machine.toml"), profile.into_bytes()),
        (out.join("decisions.csv"), table.text()?.into_bytes()),
    ];
    if let Some(dialect) = machine.dialect() {
        let name = match dialect {
            Dialect::Mpich => "mpich.json",
            Dialect::Openmpi6 => "openmpi.json",
            _ => "openmpi.rules",
        };
        let written = machine.rules(dialect, &table)?;
        files.push((out.join(name), written.text.into_bytes()));
    }
    let drafts = files
        .iter()
        .map(|(path, bytes)| Draft::with_contents(path, bytes))
        .collect::<Result<Vec<_>, _>>()?;
    output::publish(drafts, &[])?;
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

/// `nodes` are those of the most ranks, and the launcher's.
fn tell_rest(verdicts: &[Verdict], ranks_per_node: u64, nodes: [u64; 2]) {
    let count = |of: fn(&&Verdict) -> bool| verdicts.iter().filter(of).count() as u64;
    tell!(
        "{} in {}; {} not decided for the budget",
        plural(count(|verdict| verdict.is_kept), "rule"),
        plural(verdicts.len() as u64, "call"),
        plural(count(|verdict| verdict.is_left), "call")
    );
    let [asked, hosts] = nodes;
    if asked > hosts {
        tell!(
            "note: with {} per node (--ranks-per-node) the calls have up to {}, and the ranks ran on {}; the model takes them for as many, so it \
             only chooses what to measure, and machine.toml is not of this machine",
            plural(ranks_per_node, "rank"),
            plural(asked, "node"),
            plural(hosts, "host")
        );
    }
}

/// Low end, middle and high end of a time, ns.
type Ends = Option<[f64; 3]>;

fn ends(median: &Median) -> [f64; 3] {
    [median.low, median.median, median.high].map(|ns| ns as f64)
}

fn time(ns: f64) -> String {
    match ns {
        ..1e6 => format!("{:.1} us", ns / 1e3),
        ..1e9 => format!("{:.2} ms", ns / 1e6),
        _ => format!("{:.2} s", ns / 1e9),
    }
}

/// Adds the columns of a time with its interval, and what they hold: middle, low end, high end.
fn timed<'a>(
    columns: Columns<'a, Verdict>,
    name: &str,
    holds: [&'static str; 3],
    of: fn(&Verdict) -> Ends,
) -> Columns<'a, Verdict> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "times are below 10^15 ns"
    )]
    let whole = |ns: f64| ns.round() as u64;
    let end = |end: usize| move |verdict: &Verdict| of(verdict).map(|ends| whole(ends[end]));
    let text = |show: fn([f64; 3]) -> String| {
        move |verdict: &Verdict| of(verdict).map(show).unwrap_or_default()
    };
    columns
        .column(format!("{name}_ns"), holds[0], end(1))
        .shown(name.replace('_', " "), text(|ends| time(ends[1])))
        .data(format!("{name}_low_ns"), holds[1], end(0))
        .data(format!("{name}_high_ns"), holds[2], end(2))
        .text(
            "interval",
            text(|[low, _, high]| format!("{} to {}", time(low), time(high))),
        )
}

/// The columns of the answer.
pub fn columns() -> Columns<'static, Verdict> {
    let forced = |verdict: &Verdict| verdict.proposal.as_ref().map(|(forced, _)| *forced);
    let thousandths = |value: f64| (value * 1e3).round() / 1e3;
    let low = "lower end of its 95 % interval";
    let high = "upper end of that interval";
    let mut columns = Columns::<Verdict>::empty()
        .column("collective", "collective", |verdict| {
            short(verdict.cell.function)
        })
        .column("ranks", "number of ranks", |verdict| verdict.cell.call.K)
        .column(
            "bytes",
            "bytes of the vector, or of a block per rank",
            |verdict| verdict.cell.call.bytes,
        )
        .shown("bytes", |verdict| show_bytes(verdict.cell.call.bytes));
    let least = "lower end of its interval: 95 %, but the least of three times where no algorithm was run against it";
    let greatest = "upper end of that interval, or the greatest";
    columns = timed(
        columns,
        "default",
        [
            "median time without rules; empty if it was not measured",
            least,
            greatest,
        ],
        |verdict| verdict.default.as_ref().map(ends),
    );
    columns = columns
        .column(
            "algorithm",
            "the algorithm that was run against the default; empty if none promised to \
                 be faster",
            move |verdict| forced(verdict).map(|forced| forced.ours),
        )
        .column(
            "segment_bytes",
            "bytes of its segments; 0 for the whole message",
            move |verdict| forced(verdict).map(|forced| forced.segment),
        )
        .title("segment");
    columns = timed(
        columns,
        "with_rules",
        ["median time of that algorithm", low, high],
        |verdict| verdict.proposal.as_ref().map(|(_, median)| ends(median)),
    );
    columns = columns
        .column(
            "is_kept",
            "whether the rules name it: it was faster in each turn, and its interval \
                 lies below that of the default",
            |verdict| verdict.is_kept,
        )
        .title("rule")
        .column(
            "speedup_f64",
            "`default_ns` over `with_rules_ns`",
            move |verdict| verdict.speedup().map(thousandths),
        )
        .shown("speedup", move |verdict| {
            verdict
                .speedup()
                .map_or_else(String::new, |times| format!("{times:.2}x"))
        });
    let predicted = "time of that algorithm, else of the default, predicted before its first measurement; empty in the first run";
    columns = timed(
        columns,
        "predicted",
        [predicted, "lower end of its 90 % interval", high],
        |verdict| verdict.predicted.map(|predicted| predicted.ns()),
    );
    columns = columns
        .column(
            "error_f64",
            "predicted over measured time, less 1",
            move |verdict| verdict.error().map(thousandths),
        )
        .shown("error", |verdict| {
            verdict
                .error()
                .map_or_else(String::new, |error| format!("{:+.0} %", 100.0 * error))
        });
    columns = columns.column(
        "why",
        "why it is decided so; after `budget:` what is not decided",
        |verdict| verdict.why.clone(),
    );
    columns
}
