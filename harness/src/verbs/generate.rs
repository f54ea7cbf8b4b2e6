//! `castbench generate`: a schedule of trees for a collective on a network, judged before it is written.

use std::path::{Path, PathBuf};

use algorithms::catalogue;
use algorithms::cost::Limits;
use algorithms::network::routes::{Loads, traffic};
use algorithms::network::{Bound, Network, Schedule};
use clap::Args;
use clap::builder::PossibleValuesParser;
use num_rational::Ratio;
use num_traits::ToPrimitive as _;
use serde::Serialize;

use super::options::Printed;
use super::point;
use crate::base::failure::{Code, Failure, Result};
use crate::base::units::{parse_bytes, parse_count};
use crate::figures::origin::typed;
use crate::networks::Changes;
use crate::networks::bound::{COLLECTIVES, collective, is_vector};
use crate::networks::schedule::{self, Generated};
use crate::output;
use crate::plans;
use crate::print::Columns;
use crate::print::column::{Tabled as _, tabled};
use crate::verify::goal::writer;
use crate::verify::read::File;
use crate::verify::shape::MAX_BYTES;
use crate::verify::task::Collective;
use crate::verify::{self, entry, program};

/// Arguments of `generate`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = "\
The trees load no link for longer than the bound of `castbench bound` takes, where that is exact. Messages are long: words \
flow through all trees at once. `height` is the most messages that words take one after the other; fewer --trees are lower \
and take longer.

The ending of FILE is its format: .json, a plan of castbench; .goal; .xml, MSCCL with a channel for each tree. \
`castbench verify` judges all of them, and an [[algorithm]] takes them. The file is judged before it is written; a file \
that castbench did not write is not replaced.

Examples:
  castbench generate allreduce --network mesh:8x8 --out mesh.json
  castbench generate allgather --network dgx1 --out dgx1.xml
  castbench generate allreduce --network torus:8x8 --without 3-4 --trees 8 --out torus.goal")]
pub struct Generate {
    /// The collective; an alltoall only where messages on fixed routes take the bound
    #[arg(value_name = "COLLECTIVE", value_parser = PossibleValuesParser::new(COLLECTIVES))]
    #[serde(skip)]
    pub collective: String,
    /// The network: a name as torus:8x8, or a file
    #[arg(long, value_name = "NETWORK")]
    pub network: String,
    /// What differs from it.
    #[command(flatten)]
    #[serde(flatten)]
    pub changes: Changes,
    /// The root of a broadcast, reduce, gather or scatter [default: 0]
    #[arg(long, value_name = "RANK")]
    pub root: Option<usize>,
    /// At most this many trees, the lowest ones: of a vector, or for each block [default: all]
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true)]
    pub trees: Option<u64>,
    /// The file: .json, .goal or .xml
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub out: PathBuf,
    /// Bytes of a vector, or of all K blocks, of an alltoall those of one rank, for GOAL [default: one for each part]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, allow_negative_numbers = true)]
    pub bytes: Option<u64>,
    /// How to print.
    #[command(flatten)]
    #[serde(skip)]
    pub printed: Printed,
}

tabled! {
    /// What was written.
    pub(super) struct Written {
        /// the file
        file: String,
        /// what it does
        collective: String,
        /// the network
        network: String,
        /// time of the busiest link, in M over a capacity of 1
        time: String,
        /// least time of any schedule
        bound: String,
        /// whether it is proven that a schedule takes the bound
        exact: bool,
        /// time over the bound
        ratio: Option<f64>,
        /// time of the busiest link if messages take the routes of --network instead
        /// of their own
        fixed_time: String,
        /// most messages that words take one after the other
        height: usize,
        /// number of trees
        trees: usize,
        /// into how many parts M is cut
        parts: String,
        /// messages of the judged file
        messages: u64,
        /// the root, of collectives that have one
        root: Option<usize>,
    }
}

/// The columns of the answer.
pub(super) fn columns() -> Columns<'static, Written> {
    Columns(Written::columns())
        .data_only(|name| ["collective", "network", "exact", "root"].contains(&name))
        .of("fixed_time", |time| time.title("on fixed routes"))
        .of("ratio", |ratio| {
            ratio.shown("ratio", |row| {
                format!("{:.3}", row.ratio.unwrap_or(f64::NAN))
            })
        })
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for what cannot be generated, 3 for a file that is no network, 11 for a schedule too large to be judged, 74 for a file that
/// cannot be written.
pub fn run(arguments: &Generate) -> Result {
    let network = arguments.changes.of(&arguments.network)?;
    let row = write(arguments, &network)?;
    arguments.printed.format.rows(&columns(), [row])
}

/// The formats, as endings of names.
const FORMATS: [&str; 3] = ["json", "xml", "goal"];

fn write(arguments: &Generate, network: &Network) -> Result<Written> {
    let name = &*arguments.collective;
    let path = &arguments.out;
    let collective = collective(name, arguments.root, network)?;
    let ending = path
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    let Some(format) = FORMATS.iter().find(|known| **known == ending) else {
        bail!(
            "--out {}: expected a name that ends with .json, .goal or .xml",
            path.display()
        );
    };
    if arguments.bytes.is_some() && *format != "goal" {
        bail!("--bytes: only GOAL states the sizes of messages; remove the option");
    }
    let Some(schedule) = Schedule::new(network, collective) else {
        bail!(
            "{name} on {}: {}",
            network.name(),
            schedule::why_none(collective)
        );
    };
    let mut generated = Generated::new(network, schedule);
    if let Some(trees) = arguments.trees {
        if trees == 0 {
            bail!("--trees 0: expected at least 1");
        }
        if name == "alltoall" {
            bail!("--trees: each block of an alltoall has one route; remove the option");
        }
        generated.keep(usize::try_from(trees).unwrap_or(usize::MAX));
    }
    // What a plan of 32 MiB holds, and what `verify` follows in XML: it limits accesses beside 16 a step. GOAL states ranges of parts.
    let most = match *format {
        "json" => 1 << 22,
        "xml" => (1 << 17) + 8 * generated.edges(),
        _ => u128::MAX,
    };
    if generated.round(most) {
        tell!(
            "note: the shares of the trees are rounded to {} parts of M, which can take longer; .goal has them all",
            generated.parts()
        );
    }
    // A line of a comment.
    let comment = command(arguments).replace(char::is_control, " ");
    let known =
        Collective::named(name).ok_or_else(|| failure!(Internal, "no collective {name}"))?;
    let text = match *format {
        "json" => generated.plan(&comment),
        "xml" => generated.msccl(&comment),
        _ => goal(arguments, &comment, network, known, &generated)?,
    };
    if *format == "json" && text.len() as u64 > MAX_BYTES {
        bail!(
            "the plan is longer than {} MiB; write fewer --trees, or take a smaller network",
            MAX_BYTES >> 20
        );
    }
    let bound = Bound::new(network, collective);
    let parts = u64::try_from(generated.parts()).unwrap_or(u64::MAX);
    let bytes = (*format == "goal").then(|| arguments.bytes.unwrap_or(parts));
    let root = arguments.root.unwrap_or(0);
    let judged = judge(path, &text, bytes, known, root, network)?;
    // GOAL can have bytes that parts do not divide.
    let blocks = if is_vector(name) { 1 } else { network.ranks() };
    let words = bytes.map(|bytes| bytes / blocks as u64);
    let (time, fixed) = (generated.time(words.map(u128::from)), judged.time);
    // Without switches both count the links between neighbours.
    let is_other = network.switches() == 0 && fixed != time;
    if is_other || time.min(fixed) < bound.time {
        bail!(
            Internal,
            "the trees take {time}, the messages {fixed} and nothing less than {}",
            bound.time
        );
    }
    output::write(path, text.as_bytes())?;
    Ok(Written {
        file: path.display().to_string(),
        collective: collective.name().to_owned(),
        network: network.name().to_owned(),
        time: time.to_string(),
        bound: bound.time.to_string(),
        exact: bound.is_exact,
        ratio: (time / bound.time).to_f64(),
        fixed_time: fixed.to_string(),
        root: collective.root(),
        height: generated.height(),
        trees: generated.trees(),
        parts: generated.parts().to_string(),
        messages: judged.messages,
    })
}

/// What a file has that was judged right.
struct Judged {
    messages: u64,
    /// How long the busiest link takes for the messages of the file on fixed routes.
    time: Ratio<u128>,
}

/// Judges the text as `castbench verify` does, and counts its messages, which know nothing of trees. GOAL states bytes, of this many in
/// all.
fn judge(
    path: &Path,
    text: &str,
    bytes: Option<u64>,
    collective: &'static Collective,
    root: usize,
    network: &Network,
) -> Result<Judged> {
    let name = path.display().to_string();
    let failed = Failure::internal;
    let file = File::new(path, text.as_bytes().to_vec()).map_err(failed)?;
    let [root, ranks] = [root, network.ranks()].map(|rank| u32::try_from(rank).unwrap_or(u32::MAX));
    let (right, schedule) = file
        .schedule(Some(collective), root, file.is_plan().then_some(ranks))
        .and_then(|schedule| Ok((verify::check(&schedule)?, schedule))).map_err(|trouble| match entry::failure(&name, &trouble) {
        Failure {
            code: Code::NotJudged,
            ..
        } => failure!(NotJudged, "{name}: the schedule has more parts and steps than `castbench verify` follows, so it is not written; \
                 write .goal, or take fewer trees, as in `--trees 8`"),
        failure => failure,
    })?;
    schedule.notes.iter().for_each(|note| tell!("note: {note}"));
    let program = match &schedule.program {
        Some(program) => Ok(program.on(None)),
        None => program::program(&schedule, Some(1), &|_| 0, None),
    };
    let program = program.map_err(|fault| Failure::new(Code::NotJudged, fault))?;
    let traffic = traffic(&program, &(0..network.ranks()).collect::<Vec<_>>());
    let chunks = schedule.task.as_ref().map_or([1; 2], |task| task.chunks);
    let all = bytes.map_or(chunks[0].max(chunks[1]).into(), u128::from);
    Ok(Judged {
        messages: right.messages,
        time: Loads::new(network, &traffic).time() / all.max(1),
    })
}

/// The command that makes the file, but for its name.
fn command(arguments: &Generate) -> String {
    let words = typed(arguments);
    let words = words.iter().map(String::as_str);
    let words: Vec<&str> = ["castbench", "generate", &*arguments.collective]
        .into_iter()
        .chain(words)
        .collect();
    shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" "))
}

/// The program of the plan as GOAL, with what its messages carry.
fn goal(
    arguments: &Generate,
    comment: &str,
    network: &Network,
    collective: &'static Collective,
    generated: &Generated<'_>,
) -> Result<String> {
    const NAME: &str = "trees";
    let plan = generated.plan(NAME);
    plans::give(
        NAME,
        collective.name,
        None,
        Box::new(move |_| Ok(plan.clone())),
    )?;
    let found = catalogue::find(NAME);
    let entry = found.ok_or_else(|| failure!(Internal, "the plan is not found"))?;
    let ranks = network.ranks() as u64;
    let parts = u64::try_from(generated.parts()).unwrap_or(u64::MAX);
    let all = arguments.bytes.unwrap_or(parts);
    // Collectives of blocks count those of a rank.
    let words = match !is_vector(collective.name) {
        true if !all.is_multiple_of(ranks) => bail!(
            "--bytes {all}: expected a multiple of the {ranks} ranks, which have blocks of one size"
        ),
        true => all / ranks,
        false => all,
    };
    let instance = point::anywhere(
        entry,
        "generate",
        [ranks, words, arguments.root.unwrap_or(0) as u64, 1],
    )?
    .cell()
    .bind()?;
    let limits = Limits {
        nodes: Limits::MAX_NODES,
        ..Limits::default()
    };
    let (program, payloads) = instance
        .program(&limits, None)?
        .map(|(_, program)| program)
        .zip(instance.payloads())
        .ok_or_else(|| failure!(Internal, "the plan has no messages"))?;
    let mut text = Vec::new();
    writer::write(
        comment,
        &program,
        Some(&(collective.name, payloads)),
        &mut text,
    )
    .map_err(Failure::internal)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
