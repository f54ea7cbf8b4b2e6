//! `castbench predict`: times of a collective's algorithms on a learnt machine.

use std::collections::BTreeSet;
use std::f64::consts::LN_2;
use std::path::{Path, PathBuf};

use crate::libraries::Library;
use algorithms::problem::Kind;
use clap::Args;

use super::options::Printed;
use crate::base::answers::Absences;
use crate::base::failure::{Result, tell};
use crate::base::units::{joined, parse_count, plural, show_bytes};
use crate::output::{self, ending};
use crate::predict::calibration::Distance;
use crate::predict::decision::Margin;
use crate::predict::learned::{Learned, Saving, six_digits};
use crate::predict::measured::{Label, MAX_RANKS, Row, Size};
use crate::predict::names;
use crate::predict::pairs::Pairs;
use crate::predict::profile::{self, Profile};
use crate::print::Columns;
use crate::rules::learnt::{Deciding, ELEMENT, has_empty_blocks};
use crate::rules::{Table, summary};
use crate::space::Values;
use crate::space::machine::Machine;

/// Arguments of `predict`.
#[derive(Debug, Args)]
#[command(
    mut_args(|argument| match argument.get_id().as_str() {
        "within" | "confidence" => argument.requires("rules"),
        _ => argument,
    }),
    after_help = "At one size the answer has a row for each algorithm, the fastest first; at several sizes it has the fastest one at each size. The algorithms are those in the \
measurements that the profile was made from, with the library's default. If they have none of this collective, or none with as many ranks per node, all algorithms with a \
known program are compared, those of NCCL only beside measured ones. \
A profile of latency and bandwidth, or of `castbench calibrate`, gives bounds for an allreduce, whatever its algorithm; of another collective, or with --algorithms, it predicts \
the time of each algorithm, with a wide interval.

With several ranks per node, which follow each other, messages inside a node cost Li, Gi and Mi, and those of one node share its way out by Gn and on. \
Where no time with as many ranks per node was learnt from, or on more than twice the nodes, a warning says so, and the interval is wider.

Examples:
  castbench predict allreduce --profile mine.toml --nodes 128 --bytes 1MiB
  castbench predict bcast --profile mine.toml --nodes 64 --bytes 8MiB --algorithms binomial_ompi,split_binary_ompi
  castbench predict allreduce --profile mine.toml --nodes 64 --ranks-per-node 56 --bytes 1KiB..64MiB..x4
  castbench predict allreduce,bcast --profile mine.toml --nodes 16,32,64 --bytes 1KiB..64MiB..x2 --rules decisions.csv
  castbench rules write decisions.csv --for openmpi"
)]
pub struct Predict {
    /// The collective, as allreduce or bcast; for several collectives, the fastest algorithm at each size is printed
    #[arg(value_name = "COLLECTIVE", required = true, value_delimiter = ',')]
    pub collective: Vec<String>,
    /// Profile of `castbench fit` or of `castbench calibrate`, or the name of a learnt machine in `castbench list --machines`
    #[arg(long, value_name = "FILE")]
    pub profile: PathBuf,
    /// Nodes, as 32 or 2..64..x2
    #[arg(long, value_name = "COUNT", value_parser = |text: &str| Values::parse(text, Kind::Count), allow_negative_numbers = true)]
    pub nodes: Values,
    /// Ranks on each node
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 1)]
    pub ranks_per_node: u64,
    /// Bytes of the whole vector, as 1MiB or 1KiB..64MiB..x2: of allgather, alltoall, gather, scatter and reduce-scatter all blocks
    /// together
    #[arg(long, value_name = "SIZE", value_parser = |text: &str| Values::parse(text, Kind::Bytes), allow_negative_numbers = true)]
    pub bytes: Values,
    /// Compare only these algorithms
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Also write decisions among the library's algorithms as CSV; `castbench rules write` converts it to a file of the library
    #[arg(long, value_name = "FILE", value_parser = ending::named(&["csv"]))]
    pub rules: Option<PathBuf>,
    /// The library of these decisions
    #[arg(long, value_name = "LIBRARY", value_enum, default_value = Library::OpenMpi4.key(), requires = "rules")]
    pub against: Library,
    /// Take the measurements for those of --against, though they name another library or version
    #[arg(long, requires = "rules")]
    pub same_library: bool,
    /// What rules are written.
    #[command(flatten)]
    pub margin: Margin,
    /// How to print.
    #[command(flatten)]
    pub printed: Printed,
}

/// A predicted time.
pub struct Answer {
    label: Label,
    size: Size,
    /// Low end, middle and high end.
    ns: [f64; 3],
    is_measured: bool,
    /// Over the library's default, where that was measured.
    saving: Option<Saving>,
}

/// The most cells of an answer.
const MAX_CELLS: u64 = 10_000;

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a collective, an algorithm or a size that cannot be predicted, 3 for a file that is no profile, 74 if the
/// decisions cannot be written.
pub fn run(arguments: &Predict) -> Result {
    let mut collectives: Vec<String> = Vec::new();
    for name in &arguments.collective {
        let name = collective(name)?;
        if collectives.contains(&name) {
            bail!("{name} is there twice; name it once");
        }
        collectives.push(name);
    }
    if arguments.rules.is_some() && !arguments.algorithms.is_empty() {
        bail!("--rules decides among all algorithms of the library; remove --algorithms");
    }
    let sizes = cells(arguments)?;
    let is_one = sizes.len() * collectives.len() == 1;
    let name = arguments.profile.display().to_string();
    let source = profile::source(&name, &arguments.profile)?;
    let pairs = match Pairs::parse(&source)? {
        None if !profile::is_learnt(source.text()) => {
            tell("of the profile L, o, g, G and H of messages are read, and not nics, x and c");
            Some(Pairs::of_machine(&Machine::parse(&source)?.profile())?)
        }
        found => found,
    };
    if pairs.is_some() && arguments.rules.is_some() {
        bail!(
            "--rules needs measured times of the library's default, and the profile has pairs alone"
        );
    }
    let is_bounded = collectives == ["allreduce"] && arguments.algorithms.is_empty();
    let interval = if pairs.is_some() && is_bounded {
        "bounds"
    } else {
        INTERVAL
    };
    let print = |answers: &[Answer]| {
        arguments
            .printed
            .format
            .rows(&columns(is_one, interval), answers)
    };
    if let Some(pairs) = &pairs {
        pairs.warn(&sizes);
    }
    let profile = match &pairs {
        Some(pairs) if is_bounded => {
            return print(
                &sizes
                    .iter()
                    .map(|&size| bounded(pairs, size))
                    .collect::<Vec<_>>(),
            );
        }
        Some(pairs) => pairs.profile(),
        None => Profile::parse(&source)?,
    };
    let learned = profile.learned();
    let mut all = Vec::new();
    for collective in &collectives {
        let candidates = candidates(arguments, &profile, &learned, collective)?;
        let sizes = compared(&profile, &learned, collective, &candidates, &sizes);
        warn(&learned, collective, &sizes);
        for size in sizes {
            let answers = answers(&profile, &learned, &candidates, size);
            all.extend(
                answers
                    .into_iter()
                    .take(if is_one { usize::MAX } else { 1 }),
            );
        }
    }
    if all.is_empty() {
        bail!(
            "no call is left: choose --bytes of at least 1 B for each rank, or other algorithms with --algorithms"
        );
    }
    print(&all)?;
    tell("strict ports, on which programs of learnt machines are priced");
    collectives
        .iter()
        .for_each(|collective| tell_origin(&learned, collective, is_one));
    match &arguments.rules {
        Some(path) => write_rules(arguments, path, &profile, &learned, &collectives, &sizes),
        None => Ok(()),
    }
}

/// The bounds of an allreduce, whatever its algorithm.
fn bounded(pairs: &Pairs, size: Size) -> Answer {
    Answer {
        label: Label {
            collective: "allreduce".to_owned(),
            algorithm: "any".to_owned(),
        },
        size,
        ns: pairs.allreduce(size, size.bytes as f64).ns(),
        is_measured: false,
        saving: None,
    }
}

/// The collective that is named so.
fn collective(name: &str) -> Result<String> {
    let known = names::collective(name);
    if names::collectives().contains(&known.as_str()) {
        Ok(known)
    } else {
        let all = names::collectives().join(", ");
        Err(failure!(
            Usage,
            "there is no collective `{name}`; the collectives are {all}"
        ))
    }
}

/// The sizes of the calls, by nodes and then by bytes.
fn cells(arguments: &Predict) -> Result<Vec<Size>> {
    let Predict { nodes, bytes, .. } = arguments;
    let count = nodes
        .count()
        .saturating_mul(bytes.count())
        .saturating_mul(arguments.collective.len() as u64);
    if count > MAX_CELLS {
        bail!("{count} cells are more than {MAX_CELLS}; name fewer nodes or sizes");
    }
    let node = arguments.ranks_per_node;
    check_ranks(node)?;
    let ranks = |nodes: u64| nodes.saturating_mul(node);
    if nodes
        .iter()
        .any(|nodes| !(2..=MAX_RANKS).contains(&ranks(nodes)))
        || bytes.iter().any(|bytes| bytes == 0)
    {
        bail!("expected --nodes of 2 to {MAX_RANKS} ranks together and --bytes above 0");
    }
    Ok(nodes
        .iter()
        .flat_map(|nodes| {
            bytes.iter().map(move |bytes| Size {
                ranks: ranks(nodes),
                node,
                bytes,
            })
        })
        .collect())
}

/// The algorithms to compare, each with whether it was measured.
fn candidates(
    arguments: &Predict,
    profile: &Profile,
    learned: &Learned,
    collective: &str,
) -> Result<Vec<(Label, bool)>> {
    let measured = learned.labels(collective);
    let has_gpus = |row: &Row| names::is_of_gpus(&row.label.algorithm);
    let has_gpus = learned.rows.iter().any(has_gpus);
    let known = names::program_names(collective);
    let own = measured.iter().map(|label| label.algorithm.clone());
    let unmeasured = |name: &&String| {
        let is_same =
            |label: &&Label| names::is_same(collective, name, profile.usual(&label.algorithm));
        (has_gpus || !names::is_of_gpus(name)) && !measured.iter().any(is_same)
    };
    let ranks_per_node = arguments.ranks_per_node;
    let names: Vec<String> = match learned.choices(collective, ranks_per_node) {
        _ if !arguments.algorithms.is_empty() => arguments.algorithms.clone(),
        Some(_) => {
            let of_levels = known.iter().filter(|name| names::is_of_levels(name));
            let left_out = joined(", ", of_levels.filter(unmeasured));
            if ranks_per_node > 1 && !left_out.is_empty() {
                tell!(
                    "not compared, because no time of theirs was learnt from, only of others with {ranks_per_node} ranks per node: {left_out}; --algorithms names them"
                );
            }
            own.collect()
        }
        None => own
            .chain(known.iter().filter(unmeasured).cloned())
            .collect(),
    };
    let mut candidates = Vec::new();
    for algorithm in names {
        let label = Label {
            collective: collective.to_owned(),
            algorithm,
        };
        let usual = profile.usual(&label.algorithm);
        let is_default = names::is_default(usual) && measured.contains(&label);
        if !names::is_known(collective, usual) && !is_default {
            bail!(
                "no program for `{usual}`; the programs of {collective} are {}",
                known.join(", ")
            );
        }
        match learned.rejected.get(&label) {
            Some(why) => tell!("rejected: {}: {why}", label.algorithm),
            None => candidates.push((label.clone(), measured.contains(&label))),
        }
    }
    Ok(candidates)
}

/// Says in which of these cells candidates are not compared, and why. Returns the cells that any call has.
fn compared(
    profile: &Profile,
    learned: &Learned,
    collective: &str,
    candidates: &[(Label, bool)],
    sizes: &[Size],
) -> Vec<Size> {
    let mut absences = Absences::new("cell");
    let mut left = Vec::new();
    for &size in sizes {
        absences.asked += 1;
        let mut absent = |name: &str, why: &str| {
            absences.add(name, why, || {
                format!(
                    "{} on {}",
                    show_bytes(size.bytes),
                    plural(size.nodes(), "node")
                )
            });
        };
        if has_empty_blocks(collective, size) {
            let why = "a block has less than 1 B; --bytes are of all blocks together";
            absent(collective, why);
            continue;
        }
        left.push(size);
        for (label, _) in candidates {
            let name = &label.algorithm;
            if let Some(reason) = names::undefined(collective, profile.usual(name), size) {
                absent(name, &format!("defined only {reason}"));
            }
            if learned.surprising.contains_key(&(label.clone(), size)) {
                absent(name, "its own time there is far from what all others say");
            }
        }
    }
    absences.tell();
    left
}

/// The times of the candidates, the shortest first.
fn answers(
    profile: &Profile,
    learned: &Learned,
    candidates: &[(Label, bool)],
    size: Size,
) -> Vec<Answer> {
    let default = candidates
        .iter()
        .map(|(label, _)| label)
        .into_iter()
        .find(|label| names::is_default(&label.algorithm));
    let answer = |(label, is_measured): &(Label, bool)| {
        let usual = profile.usual(&label.algorithm);
        let program = names::find(&label.collective, usual, size);
        let ns = learned.predict(label, size, program)?.ns();
        Some(Answer {
            saving: default
                .filter(|default| *default != label)
                .and_then(|default| learned.saving((label, program), (default, None), size)),
            label: label.clone(),
            size,
            ns,
            is_measured: *is_measured,
        })
    };
    let mut answers: Vec<Answer> = candidates.iter().filter_map(answer).collect();
    answers.sort_by(|one, other| one.ns[1].total_cmp(&other.ns[1]));
    answers
}

/// Writes the decisions for the library.
fn write_rules(
    arguments: &Predict,
    path: &Path,
    profile: &Profile,
    learned: &Learned,
    collectives: &[String],
    sizes: &[Size],
) -> Result {
    let Predict {
        against: library,
        margin,
        ranks_per_node,
        ..
    } = *arguments;
    let mut others = profile
        .libraries
        .iter()
        .filter(|own| !names::is_named(library, own));
    let other = others.next().filter(|_| !arguments.same_library);
    if let Some(other) = other {
        tell!(
            "warning: the measurements are of {other}, not of {}, so no rule leaves its default; --same-library takes them for it",
            library.name()
        );
    }
    let deciding = Deciding {
        learned,
        names: &profile.names,
        library,
        margin,
        other: other.map(String::as_str),
    };
    let assumed: Vec<&str> = collectives
        .iter()
        .filter(|collective| {
            learned.has_seen(collective) && deciding.measured_default(collective).is_none()
        })
        .map(String::as_str)
        .collect();
    if !assumed.is_empty() && other.is_none() {
        tell!(
            "no time of the default of {} was learnt from: the one that {} is known to run is assumed",
            assumed.join(", "),
            library.name()
        );
    }
    let undecided = collectives.iter().flat_map(|of| deciding.undecided(of));
    undecided.for_each(tell);
    let Margin { within, confidence } = margin;
    let of = |collective: &String| {
        sizes
            .chunk_by(|one, next| one.ranks == next.ranks)
            .flat_map(|sizes| deciding.rules(collective, sizes))
            .collect::<Vec<_>>()
    };
    let notes = vec![
        format!(
            "Decisions among the algorithms of {}, against its defaults, on a machine learnt from measurements. Written by castbench.",
            library.name()
        ),
        format!(
            "The library's own choice stays where nothing was asked, and where the fastest algorithm saves no more than \
             {within} % (--within) over the default, or is faster with a probability of less than {confidence} % (--confidence). \
             {}, elements of {ELEMENT} B.",
            plural(ranks_per_node, "rank") + " per node"
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
pub(super) fn check_ranks(ranks_per_node: u64) -> Result {
    if (1..=MAX_RANKS).contains(&ranks_per_node) {
        Ok(())
    } else {
        Err(failure!(
            Usage,
            "--ranks-per-node: expected 1 to {MAX_RANKS}"
        ))
    }
}

/// Warns where a collective is predicted far from what was learnt.
fn warn(learned: &Learned, collective: &str, sizes: &[Size]) {
    let far = |distance| {
        sizes
            .iter()
            .find(|&&size| learned.distance(collective, size) == distance)
    };
    let measured = || {
        learned
            .rows
            .iter()
            .filter(|row| row.label.collective == collective && row.program.is_some())
            .map(|row| row.size)
    };
    if let Some(size) = far(Distance::Node) {
        let counts: BTreeSet<u64> = measured().map(|size| size.node).collect();
        let counts = joined(", ", counts.iter().map(u64::to_string));
        tell!(
            "warning: no time of an algorithm of {collective} with {} was learnt from, only with {counts}: what ranks of a node share is hardly known",
            plural(size.node, "rank") + " per node"
        );
    }
    let is_far = |size: &&Size| learned.beyond(collective, size.bytes) > LN_2;
    if let Some(size) = sizes.iter().find(is_far) {
        let [shortest, longest] = range(measured().map(|size| size.bytes)).unwrap_or_default();
        tell!(
            "warning: {} is far from the {} to {} of which {collective} was learnt; what is less than half or more than twice as long is extrapolated",
            show_bytes(size.bytes),
            show_bytes(shortest),
            show_bytes(longest)
        );
    }
    let nodes = |node| learned.nodes(collective, node);
    let is_one = |size: &&Size| {
        let [fewest, most] = nodes(size.node);
        fewest == most && ![0, size.nodes()].contains(&most)
    };
    if let Some(size) = sizes
        .iter()
        .find(is_one)
        .filter(|_| learned.has_seen(collective))
    {
        tell!(
            "warning: {collective} was learnt on {} alone: how its times change with nodes is only modelled",
            plural(nodes(size.node)[0], "node")
        );
    } else if let Some(size) = far(Distance::Beyond) {
        let [fewest, most] = nodes(size.node);
        tell!(
            "warning: {} is far from the {fewest} to {most} on which {collective} was learnt; more than twice as many are extrapolated",
            plural(size.nodes(), "node")
        );
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
        sizes().map(|size| size.nodes()),
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

fn percent_of(share: Option<f64>) -> String {
    share.map_or_else(String::new, |share| format!("{:.1} %", 100.0 * share))
}

fn range(values: impl Iterator<Item = u64> + Clone) -> Option<[u64; 2]> {
    Some([values.clone().min()?, values.max()?])
}

/// What learnt machines state of a time.
pub const INTERVAL: &str = "90 % interval";

/// The columns of the answer; a table of one cell leaves the cell out.
pub fn columns<'a>(is_one: bool, interval: &'static str) -> Columns<'a, Answer> {
    let shown = |ns: f64| {
        if ns < 1e6 {
            format!("{:.2} us", ns / 1e3)
        } else {
            format!("{:.2} ms", ns / 1e6)
        }
    };
    let rounded = |ns: f64| ns.round();
    Columns::<Answer>::empty()
        .column("collective", "collective", |answer| {
            answer.label.collective.clone()
        })
        .column("nodes", "number of nodes", |answer| answer.size.nodes())
        .column("bytes", "size of the whole vector", |answer| {
            answer.size.bytes
        })
        .shown("bytes", |answer| show_bytes(answer.size.bytes))
        .data_only(|_| is_one)
        .column(
            "algorithm",
            "name of an algorithm; at several sizes the fastest at each",
            |answer| answer.label.algorithm.clone(),
        )
        .column("predicted_ns", "its predicted time", move |answer| {
            rounded(answer.ns[1])
        })
        .shown("predicted", move |answer| shown(answer.ns[1]))
        .data(
            "low_ns",
            "lower end of the interval that holds 90 % of measured times, or of bounds \
                 from latency and bandwidth",
            move |answer| rounded(answer.ns[0]),
        )
        .data("high_ns", "upper end of that interval", move |answer| {
            rounded(answer.ns[2])
        })
        .text(interval, move |answer| {
            format!("{} to {}", shown(answer.ns[0]), shown(answer.ns[2]))
        })
        .column(
            "measured",
            "whether times of this algorithm were learnt from, at any size",
            |answer| answer.is_measured,
        )
        .title("learnt from")
        .data("ranks_per_node", "ranks on each node", |answer| {
            answer.size.node
        })
        .column(
            "saving",
            "share of the time of the library's default that it saves, as the median; \
                 empty where the default is not predicted",
            |answer| answer.saving.map(|saving| six_digits(saving.share())),
        )
        .shown("saves", |answer| {
            percent_of(answer.saving.map(Saving::share))
        })
        .column(
            "probability",
            "probability that it is faster than the default",
            |answer| {
                answer
                    .saving
                    .map(|saving| six_digits(saving.probability(0.0)))
            },
        )
        .shown("faster with", |answer| {
            percent_of(answer.saving.map(|saving| saving.probability(0.0)))
        })
}
