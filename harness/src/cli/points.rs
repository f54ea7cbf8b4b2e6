//! The words of `cost` and `show`, and of the point that other verbs take, too.

use std::path::PathBuf;

use clap::Args;

use super::Format;
use crate::units::{parse_bytes, parse_count};

pub(super) const COST_HELP: &str = "Examples:
  castbench cost fibonacci -L 6 -o 2 -g 4 -K 18
  castbench cost halving --machine ethernet100-switched --bytes 1MiB -K 18 --format json
  castbench cost dual-path --mesh 8x8 -K 16 --trials 10000 --seed 1
  castbench cost summation-optimal -L 5 -o 2 -g 4 -P 7 --operands 82
  castbench cost gossip-coupled -n 8
  castbench cost k-tree -n 100 -k 3 -m 17
  castbench cost segmented-chain -L 6 -o 2 -g 4 -K 8 -n 64 -k 1 -m 16
  castbench cost segmented-binary --machine ethernet100-switched --bytes 1MiB -K 8 -m 64

For the trees K counts the source, for the mesh it counts the destinations without the source, as in
their papers. n is the side of a mesh, or the nodes of a k-port network with the source; k is its ports,
m the messages. A pipelined broadcast sends n words, or --bytes on a machine, to K nodes in m segments.
P is the processors of a summation, --operands the numbers summed. The JSON is one object: an integer is
a number, an exact fraction the string `num/den`, what does not apply is null.";

pub(super) const SHOW_HELP: &str = "Examples:
  castbench show fibonacci -L 6 -o 2 -g 4 -K 18 --svg tree.svg
  castbench show dual-path --mesh 4x3 --source 1,1 --to 0,0 --to 3,2
  castbench show dual-path --mesh 8x8 -K 6 --seed 3 --svg paths.svg
  castbench show summation-optimal -L 5 -o 2 -g 4 -P 7 --operands 82 --svg timelines.svg
  castbench show gossip-two-phase -n 7 --svg steps.svg
  castbench show k-tree -n 14 -k 3 -m 6 --svg trees.svg
  castbench show segmented-binary -L 6 -o 2 -g 4 -K 7 -n 64 -k 1 -m 8 --svg segments.svg";

/// A point as typed. Which options an algorithm reads depends on its problem.
#[derive(Debug, Clone, Args)]
pub struct PointArgs {
    /// Algorithm, by its name in `castbench list`
    pub algorithm: String,
    /// Latency of the network, in time units
    #[arg(short = 'L', value_name = "TIME", value_parser = parse_count, allow_negative_numbers = true, help_heading = "LogP")]
    pub L: Option<u64>,
    /// Overhead of a send or a receive, in time units
    #[arg(short = 'o', value_name = "TIME", value_parser = parse_count, allow_negative_numbers = true, help_heading = "LogP")]
    pub o: Option<u64>,
    /// Gap between two sends of one processor, in time units
    #[arg(short = 'g', value_name = "TIME", value_parser = parse_count, allow_negative_numbers = true, help_heading = "LogP")]
    pub g: Option<u64>,
    /// Machine instead of -L -o -g: a name in `castbench list --machines` or a .toml file; times are in ns
    #[arg(long, value_name = "NAME", conflicts_with_all = ["L", "o", "g"], help_heading = "LogP")]
    pub machine: Option<String>,
    /// Message size on that machine, as in 1MiB [default for trees: 1 byte]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, allow_negative_numbers = true, help_heading = "LogP")]
    pub bytes: Option<u64>,
    /// Trees: nodes, the source included. Mesh: destinations, without the source
    #[arg(short = 'K', value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true)]
    pub K: Option<u64>,
    /// Where the source is. Trees: its position from 1 to K [default: 1]. Mesh (`show` only): x,y
    #[arg(long, value_name = "WHERE", allow_negative_numbers = true)]
    pub source: Option<String>,
    /// Width and height of the mesh
    #[arg(long, value_name = "WxH", allow_negative_numbers = true, help_heading = "Mesh")]
    pub mesh: Option<String>,
    /// Side of a square mesh, instead of --mesh; nodes of a k-port network, the source included; words of a pipelined message
    #[arg(short = 'n', value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, conflicts_with = "mesh")]
    pub n: Option<u64>,
    /// Ports: how many messages a node sends at once [default for pipelined broadcasts and for worms: 1]
    #[arg(short = 'k', value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, help_heading = "k ports")]
    pub k: Option<u64>,
    /// Messages to broadcast, or segments of a pipelined one [default for `show`: one for each port]. Worms: multicasts at once [default: 1]
    #[arg(short = 'm', value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, help_heading = "k ports")]
    pub m: Option<u64>,
    /// Processors of a summation
    #[arg(short = 'P', value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, help_heading = "LogP")]
    pub P: Option<u64>,
    /// Numbers to be summed, the N of the papers
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, help_heading = "LogP")]
    pub operands: Option<u64>,
    /// Startup of a message, `t_s`, in time units
    #[arg(long, value_name = "TIME", value_parser = parse_count, allow_negative_numbers = true, help_heading = "Wormhole switching")]
    pub startup: Option<u64>,
    /// What a hop of the header takes, `t_h`
    #[arg(long, value_name = "TIME", value_parser = parse_count, allow_negative_numbers = true, help_heading = "Wormhole switching")]
    pub hop: Option<u64>,
    /// What each further flit takes, `t_f`
    #[arg(long, value_name = "TIME", value_parser = parse_count, allow_negative_numbers = true, help_heading = "Wormhole switching")]
    pub flit: Option<u64>,
    /// Length of a message in flits, without its header
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, help_heading = "Wormhole switching")]
    pub flits: Option<u64>,
    /// Seed of the random multicasts [default: 1]
    #[arg(long, value_parser = parse_count, allow_negative_numbers = true, help_heading = "Mesh")]
    pub seed: Option<u64>,
}

/// Arguments of `cost`.
#[derive(Debug, Args)]
pub struct Cost {
    /// The point.
    #[command(flatten)]
    pub point: PointArgs,
    /// How many random multicasts to simulate [default: 10000]
    #[arg(long, value_parser = parse_count, allow_negative_numbers = true, help_heading = "Mesh")]
    pub trials: Option<u64>,
    /// Most nodes of a tree, summation or k-port network that is simulated [default: 1048576]
    #[arg(long, value_name = "NODES", value_parser = parse_count, allow_negative_numbers = true)]
    pub simulate_up_to: Option<u64>,
    /// Most hops, deliveries or additions that are simulated [default: 100000000]
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true)]
    pub simulate_up_to_hops: Option<u64>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Arguments of `show`.
#[derive(Debug, Args)]
pub struct Show {
    /// The point.
    #[command(flatten)]
    pub point: PointArgs,
    /// A destination; may be repeated, instead of drawing K at random
    #[arg(long, value_name = "x,y", allow_negative_numbers = true, conflicts_with_all = ["K", "seed"], help_heading = "Mesh")]
    pub to: Vec<String>,
    /// The row of the mesh whose timetable of gossip is shown [default: 0]
    #[arg(long, value_name = "Y", value_parser = parse_count, allow_negative_numbers = true, help_heading = "Mesh")]
    pub row: Option<u64>,
    /// Draw into this file, too
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}
