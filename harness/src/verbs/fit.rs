//! `castbench fit`: learns a machine from measured collectives.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::Args;
use measure::is_command;

use super::options::Printed;
use crate::base::failure::{Result, tell};
use crate::base::units::{joined, parse_count, plural, show_bytes};
use crate::output;
use crate::output::ending::named;
use crate::predict::features::{COUNT, G, PARAMETERS, Parameter};
use crate::predict::filter::Filter;
use crate::predict::learned::{self, Learned, Notes};
use crate::predict::measured::{File, Label, Record, Row, Table, records};
use crate::predict::names::is_default;
use crate::predict::pairs::Pairs;
use crate::predict::process::NINETY;
use crate::predict::profile::Profile;
use crate::predict::score::check_rows;
use crate::print::Columns;
use crate::rules::learnt::has_empty_blocks;

/// A table of measurements on the command line.
#[derive(Debug, Args)]
pub struct Data {
    /// Files of measurements of one machine
    #[arg(required = true, value_name = "DATA")]
    pub data: Vec<PathBuf>,
    /// The algorithm that DATA calls NAME is KNOWN; may be repeated
    #[arg(long, value_name = "NAME=KNOWN", value_parser = pair, value_delimiter = ',')]
    pub map: Vec<(String, String)>,
    /// Seed of the random order in the column `draw`
    #[arg(long, value_name = "NUMBER", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 0)]
    pub seed: u64,
}

impl Data {
    /// Reads the files.
    ///
    /// # Errors
    /// Exit code 3 for a file that is no table.
    pub fn read(&self) -> Result<Vec<(File, Vec<Record>)>> {
        self.data.iter().map(|path| records(path)).collect()
    }

    /// The measurements in files; `names` of a profile hold where the command line has none.
    ///
    /// # Errors
    /// Exit code 3 for a file that is no table of measurements.
    pub fn table(
        &self,
        files: Vec<(File, Vec<Record>)>,
        mut names: BTreeMap<String, String>,
    ) -> Result<(Table, BTreeMap<String, String>)> {
        let mut given = BTreeSet::new();
        if let Some((name, _)) = self.map.iter().find(|(name, _)| !given.insert(name)) {
            bail!("--map {name}: it is there twice; a name has one known name");
        }
        names.extend(self.map.iter().cloned());
        let table = Table::new(files, &names, self.seed)?;
        for (name, known) in &self.map {
            let rows: Vec<&Row> = table.named(name).collect();
            let wrong = match &*rows {
                [] => format!("no row has the algorithm `{name}`"),
                rows if rows.iter().all(|row| row.program.is_none()) && !is_default(known) => {
                    format!(
                        "castbench has no program for `{known}`; write a name such as ring_ompi"
                    )
                }
                _ => continue,
            };
            // One list of names may be for several tables.
            tell!("warning: --map {name}={known}: {wrong}");
        }
        Ok((table, names))
    }
}

/// A name and the known name that it stands for.
pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    let (name, known) = text
        .split_once('=')
        .ok_or("expected NAME=KNOWN, as in my_ring=ring_ompi")?;
    if text.contains(|sign: char| is_command(sign) || "\n\t".contains(sign)) {
        Err("a name has no control characters and no line ends".to_owned())
    } else {
        Ok((name.trim().to_owned(), known.trim().to_owned()))
    }
}

/// Arguments of `fit`.
#[derive(Debug, Args)]
#[command(
    after_help = "DATA is CSV with the columns nodes, ranks, collective, bytes (of the whole vector), algorithm and median_ns; `default...` is the \
library's own choice. Nodes have as many ranks each, ranks / nodes, and ranks follow each other on a node. A cell that is there twice is an error, unless a column `run` tells the runs of a \
measurement apart: then their median is taken. An expression compares columns with numbers or words: == != < <= > >=. \
`nodes%2==1` compares a remainder; && and || combine comparisons; == and != take several values. Two columns are added to those of DATA: `size` \
numbers the sizes of a collective at a number of nodes, `draw` numbers the cells in a random order; both start at 0.

DATA may instead be two files, the medians of `osu_latency` and `osu_bw`, with the columns nodes, bytes, median_latency_us and max, or \
median_bandwidth_mb_s and min. They give bounds for the time of an allreduce, and times of algorithms with wide intervals.

Exit code 3: DATA is no such table. 4: no row is left.

Examples:
  castbench fit measured.csv --out mine.toml
  castbench fit measured.csv --train 'nodes!=128 && collective==allreduce,bcast' --out mine.toml
  castbench fit measured.csv --train 'draw<16' --map 'my_ring=ring_ompi' --out mine.toml
  castbench predict allreduce --profile mine.toml --nodes 128 --bytes 1MiB
  castbench fit osu_latency.csv osu_bw.csv --train environment==eks --out pairs.toml
  castbench predict allreduce --profile pairs.toml --nodes 128 --ranks-per-node 96 --bytes 1MiB"
)]
pub struct Fit {
    /// The measurements.
    #[command(flatten)]
    pub data: Data,
    /// Learn from these rows only, as in 'nodes!=128'
    #[arg(long, value_name = "EXPR", value_parser = Filter::parse)]
    pub train: Option<Filter>,
    /// File for the profile
    #[arg(long, value_name = "FILE", value_parser = named(&["toml"]))]
    pub out: PathBuf,
    /// How to print.
    #[command(flatten)]
    pub printed: Printed,
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for an expression that does not fit, 3 for a file that is no table of measurements, 4 if no row is left, 74 if
/// the profile cannot be written.
pub fn run(arguments: &Fit) -> Result {
    let files = arguments.data.read()?;
    if let Some(pairs) = Pairs::measured(&files, arguments.train.as_ref())? {
        output::write(&arguments.out, pairs.toml()?.as_bytes())?;
        tell!(
            "latency and bandwidth of pairs: no time of a collective; wrote {}",
            arguments.out.display()
        );
        return Ok(());
    }
    let (table, names) = arguments.data.table(files, BTreeMap::new())?;
    let rows = table.select("--train", arguments.train.as_ref())?;
    check_rows(&rows)?;
    let (learned, notes) = learned::learn(&rows);
    let train = arguments.train.as_ref().map(|filter| filter.text.as_str());
    let profile = Profile::new(&learned, &table.files, train, &names);
    output::write(&arguments.out, profile.toml()?.as_bytes())?;
    let deviations = learned.deviations();
    arguments.printed.format.rows(
        &columns(),
        (0..COUNT).map(|index| {
            (
                &PARAMETERS[index],
                learned.parameters.values[index],
                deviations[index],
            )
        }),
    )?;
    tell_notes(&learned, &notes, &table.left_out(&rows));
    if let Some(warning) = table.rate_warning(Some(learned.parameters.values[G])) {
        tell(warning);
    }
    tell!("wrote {}", arguments.out.display());
    Ok(())
}

type Found = (&'static Parameter, f64, f64);

/// The columns of the answer.
pub fn columns() -> Columns<'static, Found> {
    let end = |(_, value, deviation): &Found, side: f64| {
        learned::six_digits(value * (side * NINETY * deviation).exp())
    };
    let digits = |value: f64| format!("{value:.3}");
    let is_told = |found: &Found| found.2 <= 0.9 * found.0.deviation;
    Columns::<Found>::empty()
        .column("parameter", "symbol of a parameter", |found| found.0.symbol)
        .column("value", "its fitted value", |found| found.1)
        .shown("value", move |found| digits(found.1))
        .column("unit", "`ns`, or `ns/B`", |found| found.0.unit)
        .data("low", "lower end of its 90 % interval", move |found| {
            end(found, -1.0)
        })
        .data("high", "upper end of that interval", move |found| {
            end(found, 1.0)
        })
        .text("90 % interval", move |found| {
            format!(
                "{} to {}",
                digits(end(found, -1.0)),
                digits(end(found, 1.0))
            )
        })
        .column("prior", "its median before any measurement", |found| {
            found.0.median
        })
        .column("is_told", "whether the data say something of it", is_told)
        .title("told by the data")
        .column("holds", "what it costs", |found| found.0.holds)
        .title("of")
}

/// Most surprising times that are named.
const SURPRISING: usize = 10;

/// Medians of measured over modelled times of a collective beyond this are of another unit, more likely than of a machine: they are 0.7 to
/// 1.1 on the machines of docs/machines.md, from 8 cells or all.
const STRANGE: f64 = 2.0;

fn tell_notes(learned: &Learned, notes: &Notes, left_out: &[String]) {
    let list = |labels: &mut dyn Iterator<Item = &Label>| {
        joined(
            ", ",
            labels.map(|label| format!("{} {}", label.collective, label.algorithm)),
        )
    };
    let count = plural(learned.rows.len() as u64, "time");
    // No message is longer than a vector, or shorter than a block of one.
    let eager = learned.parameters.eager;
    let is_told = learned.rows.iter().any(|row| row.size.bytes as f64 > eager)
        && learned
            .rows
            .iter()
            .any(|row| (row.size.bytes / row.size.ranks) as f64 <= eager);
    let untold = if is_told {
        ""
    } else {
        ", which they do not tell"
    };
    tell!("learnt from {count}; eager limit {eager} B{untold}");
    left_out.iter().for_each(tell);
    for (label, why) in &learned.rejected {
        tell!("rejected: {} {}: {why}", label.collective, label.algorithm);
    }
    for ((label, size), error) in learned.surprising.iter().take(SURPRISING) {
        tell!(
            "warning: nothing is learnt from {} {} of {} on {}: it is {:.3} x what all other times say",
            label.collective,
            label.algorithm,
            show_bytes(size.bytes),
            plural(size.nodes(), "node"),
            error.exp()
        );
    }
    if let Some(more @ 1..) = learned.surprising.len().checked_sub(SURPRISING) {
        tell!("warning: nothing is learnt from {more} more such times");
    }
    for (collective, ratio) in learned.median_ratios() {
        if !(1.0 / STRANGE..STRANGE).contains(&ratio) {
            tell!(
                "warning: {collective}: the median of its times is {ratio:.1} x what its bytes take on the machine of all collectives; \
                 are they bytes of a block, or times in another unit? DATA states bytes of the whole vector, and ns"
            );
        }
    }
    let is_empty = |row: &&Row| has_empty_blocks(&row.label.collective, row.size);
    let empty: BTreeSet<&str> = (learned.rows.iter().filter(is_empty))
        .map(|row| row.label.collective.as_str())
        .collect();
    if !empty.is_empty() {
        tell!(
            "warning: a block has less than 1 B in times of {}; are they bytes of a block? DATA states bytes of the whole vector",
            joined(", ", empty)
        );
    }
    if !notes.doubtful.is_empty() {
        let doubtful = list(&mut notes.doubtful.iter());
        tell!(
            "warning: mostly equal to the library's default, so perhaps not what ran: {doubtful}"
        );
    }
    let uninformed = learned.uninformed();
    if !uninformed.is_empty() {
        tell!(
            "not told by these data, from the prior: {}",
            uninformed.join(" ")
        );
    }
}
