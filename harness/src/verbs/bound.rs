//! `castbench bound`: the least time of a collective on a network, and why nothing is faster.

pub(super) mod compared;

use std::fmt;
use std::io::Write;
use std::path::PathBuf;

use algorithms::network::bounds::{Bound as Least, Collective};
use clap::Args;
use clap::builder::PossibleValuesParser;
use num_rational::Ratio;
use num_traits::{CheckedMul as _, ToPrimitive as _};

use super::options::Printed;
use crate::base::failure::Result;
use crate::base::units::{grouped, parse_bytes, show_bytes};
use crate::networks::Changes;
use crate::networks::bound::{COLLECTIVES, Stated, collective, described, duration};
use crate::print::{self, Columns, Format};

/// The nodes above which the bound of an allreduce can take minutes.
const MANY: usize = 2000;

/// Arguments of `bound`.
#[derive(Debug, Args)]
#[command(after_help = "\
A network is a name with sizes and options: torus:8x8, mesh:4x4x4, ring:8, hypercube:7, full:8, fat-tree:8, \
dragonfly:33,8,4, dgx1, dgx-a100:16, dgx-h100:8,taper=4, mi250:2; or a file: TOML with [[link]] and [[switch]], whose keys \
`castbench list --keys` explains; CSV with from,to,capacity and a row for each direction, ranks as numbers from 0, switches as \
s0, s1; Slurm's topology.conf; the XML that NCCL_TOPO_DUMP_FILE names. In a name ,without=3-4, ,slow=5:0.5 and, \
with algorithms, ,placement=random:7 are the options of these names.

M is the vector of a rank, or all K blocks, of an alltoall those of one rank. `time` is a fraction in \
units of M over a capacity of 1. Messages are long: latency does not count. `exact` says that a schedule takes this time.

--algorithms: the load of a link is the sum of the bytes over it, its link time load over capacity. Routes are fixed: on \
grids along the last dimension first, the shorter way, and of a tie half goes each way; in a box of GPUs over its own links, \
between boxes over switches; else a shortest path over switches, or where there is none over ranks. Of c equally wide next \
links a message to rank d takes number d / p mod c, where p is the product of the c before.

Examples:
  castbench bound allreduce --network torus:8x8
  castbench bound allgather --network dgx-h100:8,taper=8 --bytes 1GiB
  castbench bound allreduce --network mesh:8x8 --without 3-4 --slow 5=0.5 --format json
  castbench bound broadcast --root 5 --network fat-tree:8
  castbench bound allreduce --network torus:8x8 --network mesh:8x8 --algorithms all")]
pub struct Bound {
    /// The collective
    #[arg(value_name = "COLLECTIVE", value_parser = PossibleValuesParser::new(COLLECTIVES))]
    pub collective: String,
    /// The network: a name as torus:8x8, or a file; with --algorithms it may be repeated
    #[arg(long, value_name = "NETWORK", required = true)]
    pub network: Vec<String>,
    /// What differs from it.
    #[command(flatten)]
    pub changes: Changes,
    /// The root of a broadcast, reduce, gather or scatter [default: 0]
    #[arg(long, value_name = "RANK")]
    pub root: Option<usize>,
    /// Print instead how long the busiest link takes with these algorithms; also `all` and `generated`
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        conflicts_with = "bytes"
    )]
    pub algorithms: Vec<String>,
    /// Ports of a rank, for algorithms that take several [default: 1]
    #[arg(
        short = 'k',
        value_name = "PORTS",
        requires = "algorithms",
        conflicts_with = "bytes"
    )]
    pub ports: Option<u64>,
    /// Configurations whose algorithms are also known.
    #[arg(
        long,
        value_name = "FILE",
        requires = "algorithms",
        conflicts_with = "bytes",
        help = "Also know the [[algorithm]] of this configuration; may be repeated"
    )]
    pub with: Vec<PathBuf>,
    /// Where ranks stand: block, round-robin, random:SEED, or the node of each rank, as 0,2,1,3 [default: block]
    #[arg(
        long,
        value_name = "RULE",
        requires = "algorithms",
        conflicts_with = "bytes"
    )]
    pub placement: Option<String>,
    /// M in bytes, as 1GiB: the vector, or all K blocks, of an alltoall those of one rank
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, allow_negative_numbers = true)]
    pub bytes: Option<u64>,
    /// How to print.
    #[command(flatten)]
    pub printed: Printed,
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for an unknown network, 3 for a file that is none.
pub fn run(arguments: &Bound) -> Result {
    answer(arguments, &mut arguments.printed.format.stdout())
}

/// Writes the answer.
///
/// # Errors
/// The errors of [`run`].
pub fn answer(arguments: &Bound, out: &mut impl Write) -> Result {
    if !arguments.algorithms.is_empty() {
        return compared::answer(arguments, out);
    }
    let [network] = &arguments.network[..] else {
        bail!("--network: only --algorithms compares several; name one");
    };
    let network = arguments.changes.of(network)?;
    let collective = collective(&arguments.collective, arguments.root, &network)?;
    if collective == Collective::Allreduce && network.nodes() > MANY {
        let nodes = grouped(network.nodes() as u64);
        tell!(
            "the strongest partition of {nodes} nodes takes minutes where few links join them, as in a ring"
        );
    }
    let answer = Answer {
        stated: Stated {
            network: &network,
            bound: Least::new(&network, collective),
        },
        bytes: arguments.bytes,
    };
    let format = arguments.printed.format;
    let columns = columns(format);
    let document = print::Object {
        columns: &columns,
        row: &answer,
    };
    print::single(format, &answer, &document, (&columns, [&answer]), out)
}

/// A bound, and M in bytes.
pub(super) struct Answer<'a> {
    stated: Stated<'a>,
    bytes: Option<u64>,
}

impl Answer<'_> {
    /// M over a capacity of 1, times the bound.
    fn scaled(&self) -> Option<Ratio<u128>> {
        let bytes = Ratio::from_integer(u128::from(self.bytes?));
        self.stated.bound.time.checked_mul(&bytes)
    }

    fn seconds(&self) -> Option<f64> {
        let unit = self.stated.network.unit()?;
        Some(self.scaled()?.to_f64()? / unit as f64)
    }
}

impl fmt::Display for Answer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stated { network, bound } = &self.stated;
        let name = bound.collective.name();
        let root = bound
            .collective
            .root()
            .map_or_else(String::new, |root| format!(" of root {root}"));
        writeln!(f, "{name}{root} on {}", described(network))?;
        writeln!(f)?;
        let exact = if bound.is_exact {
            "exact: a schedule takes it"
        } else {
            "a bound: whether a schedule takes it is not proven"
        };
        let rounded = bound.time.to_f64().unwrap_or(f64::NAN);
        writeln!(
            f,
            "  least time   {} M, about {rounded:.4}; {exact}",
            bound.time
        )?;
        if let (Some(bytes), Some(scaled)) = (self.bytes, self.scaled()) {
            let bytes = show_bytes(bytes);
            match self.seconds() {
                Some(seconds) => writeln!(f, "  with M       {bytes}: {}", duration(seconds))?,
                None => writeln!(
                    f,
                    "  with M       {bytes}: {scaled} bytes over a capacity of 1"
                )?,
            }
        }
        writeln!(f, "  because      {}", self.stated)
    }
}

/// The columns of the answer; only JSON has the whole certificate.
pub(super) fn columns<'a>(format: Format) -> Columns<'a, Answer<'a>> {
    let mut columns = Columns::<Answer>::empty()
        .column("collective", "the collective", |answer| {
            answer.stated.bound.collective.name()
        })
        .column("network", "its name or file", |answer| {
            answer.stated.network.name().to_owned()
        })
        .column(
            "options",
            "what differs from the network of this name",
            |answer| answer.stated.network.options().to_vec(),
        )
        .column("ranks", "its ranks", |answer| answer.stated.network.ranks())
        .column("switches", "its switches", |answer| {
            answer.stated.network.switches()
        })
        .column("links", "its links, each direction for itself", |answer| {
            answer.stated.network.links().len()
        })
        .column(
            "time",
            "least time of any schedule, in units of M over a capacity of 1",
            |answer| answer.stated.bound.time.to_string(),
        )
        .column("exact", "whether a schedule takes it", |answer| {
            answer.stated.bound.is_exact
        })
        .column("because", "the certificate in a sentence", |answer| {
            answer.stated.to_string()
        })
        .column("bytes", "M in bytes", |answer| answer.bytes)
        .column(
            "seconds",
            "least time of M, where capacities have a unit",
            |answer| answer.seconds(),
        )
        .column("root", "the root, of collectives that have one", |answer| {
            answer.stated.bound.collective.root()
        });
    if format == Format::Json {
        let holds = "the cut, the partition or the distances, with the capacities that add up";
        columns = columns.column("certificate", holds, |answer| answer.stated.proof());
    }
    columns
}
