//! `castbench predict`: times of a collective's algorithms on a learnt machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::reference::libraries::Library;
use algorithms::problem::Kind;
use clap::Args;

use super::best::libraries;
use super::options::Printed;
use crate::base::failure::{Failure, tell};
use crate::base::units::{parse_count, plural, show_bytes};
use crate::output;
use crate::predict::learned::Learned;
use crate::predict::library::{Deciding, ELEMENT};
use crate::predict::measured::{Label, MAX_RANKS, Size};
use crate::predict::names;
use crate::predict::pairs::Pairs;
use crate::predict::profile::{self, Profile};
use crate::print::Column;
use crate::rules::{Table, summary};
use crate::space::Values;

pub(crate) const HELP: &str =
    "At one size the answer has a row for each algorithm, the fastest first; at several sizes it has the fastest one at each size. The algorithms are those in the \
measurements that the profile was made from, with the library's default. If they have none of this collective, all algorithms with a known program are compared. \
A profile of latency and bandwidth gives bounds for an allreduce, whatever its algorithm.

A profile of collectives is for one rank per node. Measurements with several ranks on a node do not separate what the ranks share from what the network takes.

Examples:
  castbench predict allreduce --profile mine.toml --nodes 128 --bytes 1MiB
  castbench predict bcast --profile mine.toml --nodes 64 --bytes 8MiB --algorithms binomial_ompi,split_binary_ompi
  castbench predict allreduce,bcast --profile mine.toml --nodes 16,32,64 --bytes 1KiB..64MiB..x2 --rules decisions.csv
  castbench rules write decisions.csv --for openmpi";

/// Arguments of `predict`.
#[derive(Debug, Args)]
pub struct Predict {
    /// The collective, as allreduce or bcast; for several collectives, the fastest algorithm at each size is printed
    #[arg(value_name = "COLLECTIVE", required = true, value_delimiter = ',')]
    pub collective: Vec<String>,
    /// Profile of `castbench fit`, or the name of a learnt machine in `castbench list --machines`
    #[arg(long, value_name = "FILE")]
    pub profile: PathBuf,
    /// Nodes, as 32 or 2..64..x2
    #[arg(long, value_name = "COUNT", value_parser = counts, allow_negative_numbers = true)]
    pub nodes: Values,
    /// Ranks on each node; several only for a profile of latency and bandwidth
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 1)]
    pub ranks_per_node: u64,
    /// Bytes of the whole vector, as 1MiB or 1KiB..64MiB..x2: of allgather, alltoall, gather, scatter and reduce-scatter all blocks
    /// together
    #[arg(long, value_name = "SIZE", value_parser = sizes, allow_negative_numbers = true)]
    pub bytes: Values,
    /// Compare only these algorithms
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Also write decisions among the library's algorithms as CSV; `castbench rules write` converts it to a file of the library
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// The library of these decisions
    #[arg(long, value_name = "LIBRARY", value_parser = libraries(), default_value = Library::OpenMpi4.key(), requires = "rules")]
    pub against: Library,
    /// Keep the library's default where no algorithm is predicted to save more than PERCENT
    #[arg(long, value_name = "PERCENT", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 10, requires = "rules")]
    pub within: u64,
    /// How to print.
    #[command(flatten)]
    pub printed: Printed,
}

fn counts(text: &str) -> Result<Values, String> {
    Values::parse(text, Kind::Count)
}

fn sizes(text: &str) -> Result<Values, String> {
    Values::parse(text, Kind::Bytes)
}

/// A predicted time.
pub struct Answer {
    label: Label,
    size: Size,
    /// Low end, middle and high end.
    ns: [f64; 3],
    is_measured: bool,
}

/// The most cells of an answer.
const MAX_CELLS: u64 = 10_000;

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a collective, an algorithm or a size that cannot be predicted, 3 for a file that is no profile, 74 if the
/// decisions cannot be written.
pub fn run(arguments: &Predict) -> Result<(), Failure> {
    let collectives: Vec<String> = arguments
        .collective
        .iter()
        .map(|name| collective(name))
        .collect::<Result<_, _>>()?;
    let sizes = cells(arguments)?;
    let is_one = sizes.len() * collectives.len() == 1;
    let name = arguments.profile.display().to_string();
    let source = profile::source(&name, &arguments.profile)?;
    let print = |answers: &[Answer]| arguments.printed.rows(&columns(is_one), answers);
    if let Some(pairs) = Pairs::parse(&source)? {
        if collectives != ["allreduce"]
            || arguments.rules.is_some()
            || !arguments.algorithms.is_empty()
        {
            bail!(
                "a profile of latency and bandwidth predicts allreduce only, whatever its algorithm"
            );
        }
        let label = Label {
            collective: "allreduce".to_owned(),
            algorithm: "any".to_owned(),
        };
        let answer = |&size: &Size| {
            let ns = pairs
                .allreduce(size.ranks, arguments.ranks_per_node, size.bytes as f64)
                .ns();
            Answer {
                label: label.clone(),
                size,
                ns,
                is_measured: false,
            }
        };
        return print(&sizes.iter().map(answer).collect::<Vec<_>>());
    }
    if arguments.ranks_per_node > 1 {
        bail!(
            "--ranks-per-node: the profile is of collectives with one rank per node, and says nothing of what ranks of a node share; remove the option, or use a profile of latency and bandwidth"
        );
    }
    let profile = Profile::parse(&source)?;
    let learned = profile.learned();
    let mut all = Vec::new();
    for collective in &collectives {
        let candidates = candidates(arguments, &profile, &learned, collective)?;
        for &size in &sizes {
            let answers = answers(&profile, &learned, &candidates, size)?;
            all.extend(
                answers
                    .into_iter()
                    .take(if is_one { usize::MAX } else { 1 }),
            );
        }
    }
    print(&all)?;
    tell("strict ports, on which programs of learnt machines are priced");
    collectives
        .iter()
        .for_each(|collective| tell_origin(&learned, collective, is_one));
    match &arguments.rules {
        Some(path) => write_rules(arguments, path, &profile, &learned, &collectives),
        None => Ok(()),
    }
}

/// The collective that is named so.
fn collective(name: &str) -> Result<String, Failure> {
    let known = names::collective(name);
    match names::collectives().contains(&known.as_str()) {
        true => Ok(known),
        false => {
            let all = names::collectives().join(", ");
            Err(Failure::usage(format_args!(
                "there is no collective `{name}`; the collectives are {all}"
            )))
        }
    }
}

/// The sizes of the calls, by nodes and then by bytes.
fn cells(arguments: &Predict) -> Result<Vec<Size>, Failure> {
    let Predict { nodes, bytes, .. } = arguments;
    let count = nodes
        .count()
        .saturating_mul(bytes.count())
        .saturating_mul(arguments.collective.len() as u64);
    if count > MAX_CELLS {
        bail!("{count} cells are more than {MAX_CELLS}; name fewer nodes or sizes");
    }
    if nodes.iter().any(|nodes| !(2..=MAX_RANKS).contains(&nodes))
        || bytes.iter().any(|bytes| bytes == 0)
    {
        bail!("expected --nodes 2 to {MAX_RANKS} and --bytes above 0");
    }
    check_ranks(arguments.ranks_per_node)?;
    Ok(nodes
        .iter()
        .flat_map(|ranks| bytes.iter().map(move |bytes| Size { ranks, bytes }))
        .collect())
}

/// The algorithms to compare, each with whether it was measured.
fn candidates(
    arguments: &Predict,
    profile: &Profile,
    learned: &Learned,
    collective: &str,
) -> Result<Vec<(Label, bool)>, Failure> {
    let measured: BTreeSet<&Label> = learned
        .rows
        .iter()
        .map(|row| &row.label)
        .filter(|label| label.collective == collective)
        .collect();
    let known = names::program_names(collective);
    let names: Vec<String> = match () {
        () if !arguments.algorithms.is_empty() => arguments.algorithms.clone(),
        () if measured.is_empty() => known.clone(),
        () => measured
            .iter()
            .map(|label| label.algorithm.clone())
            .collect(),
    };
    let mut candidates = Vec::new();
    for algorithm in names {
        let label = Label {
            collective: collective.to_owned(),
            algorithm,
        };
        let usual = profile
            .names
            .get(&label.algorithm)
            .unwrap_or(&label.algorithm);
        let is_default = names::is_default(usual) && measured.contains(&label);
        if names::find(collective, usual, 2, 1).is_none() && !is_default {
            let explanation = format!(
                "no program for `{usual}`; the programs of {collective} are {}",
                known.join(", ")
            );
            return Err(Failure::usage(explanation));
        }
        match learned.rejected.get(&label) {
            Some(why) => tell!("rejected: {}: {why}", label.algorithm),
            None => candidates.push((label.clone(), measured.contains(&label))),
        }
    }
    Ok(candidates)
}

/// The times of the candidates, the shortest first.
fn answers(
    profile: &Profile,
    learned: &Learned,
    candidates: &[(Label, bool)],
    size: Size,
) -> Result<Vec<Answer>, Failure> {
    let answer = |(label, is_measured): &(Label, bool)| {
        let usual = profile
            .names
            .get(&label.algorithm)
            .unwrap_or(&label.algorithm);
        let program = names::find(&label.collective, usual, size.ranks, size.bytes);
        let ns = learned.predict(label, size, program)?.ns();
        Some(Answer {
            label: label.clone(),
            size,
            ns,
            is_measured: *is_measured,
        })
    };
    let mut answers: Vec<Answer> = candidates.iter().filter_map(answer).collect();
    answers.sort_by(|one, other| one.ns[1].total_cmp(&other.ns[1]));
    match answers.is_empty() {
        true => Err(Failure::usage(
            "every algorithm was rejected; name others with --algorithms",
        )),
        false => Ok(answers),
    }
}

/// Writes the decisions for the library.
fn write_rules(
    arguments: &Predict,
    path: &Path,
    profile: &Profile,
    learned: &Learned,
    collectives: &[String],
) -> Result<(), Failure> {
    let Predict {
        against: library,
        within: within_percent,
        ..
    } = *arguments;
    let deciding = Deciding {
        learned,
        names: &profile.names,
        library,
        within_percent,
    };
    let sizes: Vec<u64> = arguments.bytes.iter().collect();
    let of = |collective: &String| {
        let on = |ranks| deciding.rules(collective, ranks, &sizes);
        arguments.nodes.iter().flat_map(on).collect::<Vec<_>>()
    };
    let notes = vec![
        format!(
            "Decisions among the algorithms of {}, against its defaults, on a machine learnt from measurements. Written by castbench.",
            library.name()
        ),
        format!(
            "The library's own choice stays where nothing was asked, and where no algorithm is predicted to save more than \
             {within_percent} % (--within) over the default. One rank per node, elements of {ELEMENT} B."
        ),
    ];
    let table = Table {
        notes,
        rules: collectives.iter().flat_map(of).collect(),
    };
    output::write(path, table.text()?.as_bytes())?;
    tell!("wrote {}: {}", path.display(), summary(&table));
    Ok(())
}

/// Refuses numbers of ranks that no node has.
///
/// # Errors
/// Exit code 2.
pub(super) fn check_ranks(ranks_per_node: u64) -> Result<(), Failure> {
    match (1..=MAX_RANKS).contains(&ranks_per_node) {
        true => Ok(()),
        false => Err(Failure::usage(format_args!(
            "--ranks-per-node: expected 1 to {MAX_RANKS}"
        ))),
    }
}

fn tell_origin(learned: &Learned, collective: &str, is_one: bool) {
    let sizes = || {
        learned
            .rows
            .iter()
            .filter(|row| row.label.collective == collective)
            .map(|row| row.size)
    };
    let (nodes, bytes) = (
        sizes().map(|size| size.ranks),
        sizes().map(|size| size.bytes),
    );
    let [nodes, bytes] = [range(nodes), range(bytes)];
    match (nodes, bytes) {
        (Some([fewest, most]), Some([least, longest])) if is_one => tell!(
            "learnt from {} of {collective}, on {fewest} to {most} nodes, of {} to {}",
            plural(sizes().count() as u64, "time"),
            show_bytes(least),
            show_bytes(longest)
        ),
        (Some(_), _) => {}
        _ => tell!(
            "unseen: no time of {collective} was learnt from, so the programs alone predict it"
        ),
    }
}

fn range(values: impl Iterator<Item = u64> + Clone) -> Option<[u64; 2]> {
    Some([values.clone().min()?, values.max()?])
}

/// The columns of the answer; a table of one cell leaves the cell out.
#[must_use]
pub fn columns<'a>(is_one: bool) -> Vec<Column<'a, &'a Answer>> {
    type Of<'a> = Column<'a, &'a Answer>;
    let shown = |ns: f64| {
        if ns < 1e6 {
            format!("{:.2} us", ns / 1e3)
        } else {
            format!("{:.2} ms", ns / 1e6)
        }
    };
    let rounded = |ns: f64| ns.round();
    let cell = vec![
        Of::new("collective", "collective", |answer| {
            answer.label.collective.clone()
        }),
        Of::new("nodes", "number of nodes, one rank on each", |answer| {
            answer.size.ranks
        }),
        Of::new("bytes", "size of the whole vector", |answer| {
            answer.size.bytes
        })
        .shown("bytes", |answer| show_bytes(answer.size.bytes)),
    ];
    let mut columns: Vec<Of<'a>> = if is_one {
        cell.into_iter().map(Of::data_only).collect()
    } else {
        cell
    };
    columns.extend([
        Of::new(
            "algorithm",
            "name of an algorithm; at several sizes the fastest at each",
            |answer| answer.label.algorithm.clone(),
        ),
        Of::new("predicted_ns", "its predicted time", move |answer| {
            rounded(answer.ns[1])
        })
        .shown("predicted", move |answer| shown(answer.ns[1])),
        Of::new(
            "low_ns",
            "lower end of the interval that holds 90 % of measured times",
            move |answer| rounded(answer.ns[0]),
        )
        .data_only(),
        Of::new("high_ns", "upper end of that interval", move |answer| {
            rounded(answer.ns[2])
        })
        .data_only(),
        Of::text("90 % interval", move |answer| {
            format!("{} to {}", shown(answer.ns[0]), shown(answer.ns[2]))
        }),
        Of::new(
            "measured",
            "whether times of this algorithm were learnt from, at any size",
            |answer| answer.is_measured,
        )
        .title("learnt from"),
    ]);
    columns
}
