//! `castbench predict`: times of a collective's algorithms on a learnt machine.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;

use crate::config::diagnostics::Source;
use crate::failure::{Failure, tell};
use crate::predict::learned::Learned;
use crate::predict::measured::{Label, MAX_RANKS, Size};
use crate::predict::names;
use crate::predict::pairs::Pairs;
use crate::predict::profile::Profile;
use crate::print::{self, Column, Format};
use crate::units::{parse_bytes, parse_count, plural, show_bytes};

pub(crate) const HELP: &str =
    "The first row is the choice. Compared are the algorithms of the collective that the profile was learnt from; of a collective \
without any, all that have a program. Latency and bandwidth alone bound an allreduce, whatever its algorithm.

Examples:
  castbench predict allreduce --profile mine.toml --nodes 128 --bytes 1MiB
  castbench predict bcast --profile mine.toml --nodes 64 --bytes 8MiB --algorithms binomial_ompi,split_binary_ompi";

/// Arguments of `predict`.
#[derive(Debug, Args)]
pub struct Predict {
    /// The collective, as allreduce or bcast
    #[arg(value_name = "COLLECTIVE")]
    pub collective: String,
    /// Profile of `castbench fit`
    #[arg(long, value_name = "FILE")]
    pub profile: PathBuf,
    /// Nodes
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true)]
    pub nodes: u64,
    /// Ranks on each node; several only for a profile of latency and bandwidth
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 1)]
    pub ranks_per_node: u64,
    /// Bytes of the whole vector: of allgather, alltoall, gather, scatter and reduce-scatter all blocks together
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, allow_negative_numbers = true)]
    pub bytes: u64,
    /// Compare only these algorithms
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// A predicted time.
pub struct Answer {
    algorithm: String,
    /// Low end, middle and high end.
    ns: [f64; 3],
    is_measured: bool,
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a collective, an algorithm or a size that cannot be predicted, 3 for a file that is no profile.
pub fn run(arguments: &Predict) -> Result<(), Failure> {
    let collective = names::collective(&arguments.collective);
    let known = names::of(&collective);
    if known.is_empty() {
        let (wrong, all) = (&arguments.collective, names::collectives().join(", "));
        return Err(Failure::usage(format_args!("there is no collective `{wrong}`; the collectives are {all}")));
    }
    if !(2..=MAX_RANKS).contains(&arguments.nodes) || arguments.bytes == 0 {
        return Err(Failure::usage(format_args!("expected --nodes 2 to {MAX_RANKS} and --bytes above 0")));
    }
    check_ranks(arguments.ranks_per_node)?;
    let source = Source::read(&arguments.profile, "profile")?;
    if let Some(pairs) = Pairs::parse(&source)? {
        if collective != "allreduce" {
            return Err(Failure::usage("a profile of latency and bandwidth predicts allreduce only"));
        }
        let ns = pairs.allreduce(arguments.nodes, arguments.ranks_per_node, arguments.bytes as f64).ns();
        let answer = Answer { algorithm: "any".to_owned(), ns, is_measured: false };
        return print::rows(arguments.format, &columns(), [&answer], &mut arguments.format.stdout());
    }
    if arguments.ranks_per_node > 1 {
        return Err(Failure::usage("--ranks-per-node: the profile is of one rank per node; remove the option"));
    }
    let profile = Profile::parse(&source)?;
    let learned = profile.learned();
    let measured: BTreeSet<&Label> =
        learned.rows.iter().map(|row| &row.label).filter(|label| label.collective == collective).collect();
    let candidates: Vec<String> = match () {
        () if !arguments.algorithms.is_empty() => arguments.algorithms.clone(),
        () if measured.is_empty() => known.clone(),
        () => measured.iter().map(|label| label.algorithm.clone()).collect(),
    };
    let size = Size { ranks: arguments.nodes, bytes: arguments.bytes };
    let mut answers = Vec::new();
    for algorithm in candidates {
        let label = Label { collective: collective.clone(), algorithm };
        if let Some(why) = learned.rejected.get(&label) {
            tell(format_args!("rejected: {}: {why}", label.algorithm));
            continue;
        }
        let known_as = profile.names.get(&label.algorithm).unwrap_or(&label.algorithm);
        let Some(program) = names::find(&collective, known_as, size.ranks, size.bytes) else {
            let told = format!("no program for `{known_as}`; the programs of {collective} are {}", known.join(", "));
            return Err(Failure::usage(told));
        };
        let ns = learned.predict(&label, size, program).ns();
        answers.push(Answer { is_measured: measured.contains(&label), algorithm: label.algorithm, ns });
    }
    answers.sort_by(|one: &Answer, other| one.ns[1].total_cmp(&other.ns[1]));
    print::rows(arguments.format, &columns(), &answers, &mut arguments.format.stdout())?;
    tell_origin(&learned, &collective);
    Ok(())
}

/// Refuses numbers of ranks that no node has.
///
/// # Errors
/// Exit code 2.
pub(super) fn check_ranks(ranks_per_node: u64) -> Result<(), Failure> {
    match (1..=MAX_RANKS).contains(&ranks_per_node) {
        true => Ok(()),
        false => Err(Failure::usage(format_args!("--ranks-per-node: expected 1 to {MAX_RANKS}"))),
    }
}

fn tell_origin(learned: &Learned, collective: &str) {
    let sizes = || learned.rows.iter().filter(|row| row.label.collective == collective).map(|row| row.size);
    let (nodes, bytes) = (sizes().map(|size| size.ranks), sizes().map(|size| size.bytes));
    let [nodes, bytes] = [range(nodes), range(bytes)];
    match (nodes, bytes) {
        (Some([fewest, most]), Some([least, longest])) => tell(format_args!(
            "learnt from {}: {collective} on {fewest} to {most} nodes, {} to {}",
            plural(learned.rows.len() as u64, "time"),
            show_bytes(least),
            show_bytes(longest)
        )),
        _ => tell(format_args!("unseen: no time of {collective} was learnt from, so the programs alone predict it")),
    }
}

fn range(values: impl Iterator<Item = u64> + Clone) -> Option<[u64; 2]> {
    Some([values.clone().min()?, values.max()?])
}

/// The columns of the answer.
#[must_use]
pub fn columns<'a>() -> Vec<Column<'a, &'a Answer>> {
    type Of<'a> = Column<'a, &'a Answer>;
    let shown = |ns: f64| if ns < 1e6 { format!("{:.2} us", ns / 1e3) } else { format!("{:.2} ms", ns / 1e6) };
    let rounded = |ns: f64| ns.round();
    vec![
        Of::new("algorithm", "name of an algorithm", |answer| answer.algorithm.clone()),
        Of::new("predicted_ns", "its predicted time", move |answer| rounded(answer.ns[1]))
            .shown("predicted", move |answer| shown(answer.ns[1])),
        Of::new("low_ns", "lower end of the interval that holds 90 % of measured times", move |answer| {
            rounded(answer.ns[0])
        })
        .untitled(),
        Of::new("high_ns", "upper end of that interval", move |answer| rounded(answer.ns[2])).untitled(),
        Of::text("90 % interval", move |answer| format!("{} to {}", shown(answer.ns[0]), shown(answer.ns[2]))),
        Of::new("measured", "whether a time of it was learnt from", |answer| answer.is_measured),
    ]
}
