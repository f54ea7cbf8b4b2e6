//! Arguments and help of `cost` and `show`, and the point that other verbs take.

use std::collections::BTreeMap;
use std::path::PathBuf;

use algorithms::catalogue::{PROBLEMS, axes};
use algorithms::problem::Kind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum, value_parser};

use super::Format;
use crate::units::parse_count;

pub(super) const COST_HELP: &str = "Examples:
  castbench cost fibonacci -L 6 -o 2 -g 4 -K 18
  castbench cost halving --machine ethernet100-switched --bytes 1MiB -K 18 --format json
  castbench cost dual-path --mesh 8x8 -K 16 --trials 10000 --seed 1
  castbench cost summation-optimal -L 5 -o 2 -g 4 -P 7 --operands 82
  castbench cost gossip-coupled -n 8
  castbench cost k-tree -n 100 -k 3 -m 17
  castbench cost segmented-chain -L 6 -o 2 -g 4 -K 8 -n 64 -k 1 -m 16
  castbench cost segmented-binary --machine ethernet100-switched --bytes 1MiB -K 8 -m 64

For trees K counts the source, for meshes only the destinations, as in their papers. n is the side of a mesh, or the \
nodes of a k-port network with the source; k is its ports, m the messages. A pipelined broadcast sends n words, or \
--bytes on a machine, to K nodes in m segments. P is the processors of a summation, --operands the numbers summed. \
The JSON is one object: an integer is a number, an exact fraction the string `num/den`, and a value that does not \
apply is null.";

pub(super) const SHOW_HELP: &str = "Examples:
  castbench show fibonacci -L 6 -o 2 -g 4 -K 18 --svg tree.svg
  castbench show dual-path --mesh 4x3 --source 1,1 --to 0,0 --to 3,2
  castbench show dual-path --mesh 8x8 -K 6 --seed 3 --svg paths.svg
  castbench show summation-optimal -L 5 -o 2 -g 4 -P 7 --operands 82 --svg timelines.svg
  castbench show gossip-two-phase -n 7 --svg steps.svg
  castbench show k-tree -n 14 -k 3 -m 6 --svg trees.svg
  castbench show segmented-binary -L 6 -o 2 -g 4 -K 7 -n 64 -k 1 -m 8 --svg segments.svg
  castbench show worm-u-mesh --mesh 8x8 -K 20 --startup 100 --hop 2 --flit 1 --flits 64 --view links --svg links.svg
  castbench show scatter-ring -L 6 -o 2 -g 4 -K 8 -n 64 -m 8 --view matrix
  castbench show allreduce-ring -L 6 -o 2 -g 4 -K 8 -n 64 --html ring.html";

/// A point as typed: the algorithm, and a text for each option. Its problem decides which options the algorithm reads.
#[derive(Debug, Clone, Default)]
pub struct PointArgs {
    /// Algorithm, by its name in `castbench list`.
    pub algorithm: String,
    /// The text of each option.
    pub given: Given,
    /// Configurations with algorithms of the user.
    pub with: Vec<PathBuf>,
}

/// Texts by the id of their option: the key of an axis, or the long option of the sides of a mesh.
pub type Given = BTreeMap<&'static str, String>;

/// Values for the axes of a problem, a list for each.
#[derive(Debug, Clone, Default)]
pub struct Plane(pub Given);

impl PointArgs {
    /// The text of the option with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&str> {
        self.given.get(id).map(String::as_str)
    }

    /// Sets the option of this name, without its dashes; `false` if there is no such option.
    pub fn set_named(&mut self, name: &str, value: String) -> bool {
        let id = options().find(|&(id, _, long)| id == name || long == Some(name)).map(|option| option.0);
        id.inspect(|&id| self.set(id, Some(value))).is_some()
    }

    /// Sets an option, or removes it.
    pub fn set(&mut self, id: &'static str, value: Option<String>) {
        match value {
            Some(value) => self.given.insert(id, value),
            None => self.given.remove(id),
        };
    }
}

/// The options of all axes: id, short, long. The sides of a mesh have two, one of them for a square.
fn options() -> impl Iterator<Item = (&'static str, Option<char>, Option<&'static str>)> {
    let mut options: Vec<(&'static str, Option<char>, Option<&'static str>)> = Vec::new();
    for axis in PROBLEMS.iter().flat_map(|problem| problem.axes()) {
        let of_axis = match (axis.kind, axis.long) {
            (Kind::Sides, Some(long)) => vec![(axis.key, axis.short, None), (long, None, Some(long))],
            _ => vec![(axis.key, axis.short, axis.long)],
        };
        options
            .extend(of_axis.into_iter().filter(|new| options.iter().all(|known| known.0 != new.0)).collect::<Vec<_>>());
    }
    options.into_iter()
}

/// The meaning of an option, by problem where that differs.
fn help(id: &str) -> String {
    let mut meanings: Vec<(&str, Option<u64>, Vec<&str>)> = Vec::new();
    for problem in PROBLEMS {
        for axis in problem.axes() {
            let is_sides = axis.kind == Kind::Sides && axis.long == Some(id);
            if axis.key != id && !is_sides {
                continue;
            }
            let meaning = if is_sides { "width and height of the mesh" } else { axis.meaning };
            match meanings.iter_mut().find(|known| (known.0, known.1) == (meaning, axis.default)) {
                Some(known) => known.2.push(problem.name()),
                None => meanings.push((meaning, axis.default, vec![problem.name()])),
            }
        }
    }
    let several = meanings.len() > 1;
    let told = meanings.into_iter().map(|(meaning, default, problems)| {
        let default = default.map_or_else(String::new, |default| format!(" [default: {default}]"));
        let of = if several { format!("{}: ", problems.join(", ")) } else { String::new() };
        format!("{of}{meaning}{default}")
    });
    told.collect::<Vec<_>>().join("; ")
}

fn value_name(id: &str) -> &'static str {
    match axes().iter().find(|axis| axis.key == id).map(|axis| axis.kind) {
        Some(Kind::Time) => "TIME",
        Some(Kind::Bytes) => "SIZE",
        Some(Kind::Profile) => "NAME",
        Some(Kind::Count | Kind::Sides) => "COUNT",
        Some(Kind::Word(_)) => "RULE",
        None => "WxH",
    }
}

impl Args for PointArgs {
    fn augment_args(command: Command) -> Command {
        let algorithm = Arg::new("algorithm").required(true).help("Algorithm, by its name in `castbench list`");
        with_given(with_axes(command.arg(algorithm), "Point"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PointArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut point = Self::default();
        point.update_from_arg_matches(matches)?;
        Ok(point)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        if let Some(algorithm) = matches.get_one::<String>("algorithm") {
            algorithm.clone_into(&mut self.algorithm);
        }
        self.given.extend(given(matches));
        self.with.extend(with(matches));
        Ok(())
    }
}

/// The option for the ranks of a node, a short form for machines named `NAME@RANKS`.
const RANKS_PER_NODE: &str = "ranks-per-node";

/// Adds the option for algorithms of the user.
fn with_given(command: Command) -> Command {
    let with = Arg::new("with").long("with").value_name("FILE").value_parser(value_parser!(PathBuf));
    command
        .arg(with.action(ArgAction::Append).help("Also know the [[algorithm]] of this configuration; may be repeated"))
}

fn with(matches: &ArgMatches) -> impl Iterator<Item = PathBuf> {
    matches.get_many::<PathBuf>("with").into_iter().flatten().cloned()
}

/// Adds the options of all axes.
fn with_axes(command: Command, heading: &'static str) -> Command {
    let ranks = Arg::new(RANKS_PER_NODE).long(RANKS_PER_NODE).value_name("COUNT").help_heading(heading);
    let command =
        command.arg(ranks.help("Ranks on each node of a machine with [[level]]; the same as NAME@COUNT for --machine"));
    options().fold(command, |command, (id, short, long)| {
        let mut arg = Arg::new(id).value_name(value_name(id)).help(help(id)).help_heading(heading);
        arg = arg.allow_negative_numbers(true).action(ArgAction::Set);
        if let Some(short) = short {
            arg = arg.short(short);
        }
        if let Some(long) = long {
            arg = arg.long(long);
        }
        command.arg(arg)
    })
}

fn given(matches: &ArgMatches) -> Given {
    let typed = |id: &'static str| Some((id, matches.get_one::<String>(id)?.clone()));
    let mut given: Given = options().filter_map(|(id, ..)| typed(id)).chain(typed(RANKS_PER_NODE)).collect();
    if let Some(machines) = given.get("machine").cloned()
        && let Some(ranks) = given.remove(RANKS_PER_NODE)
    {
        let machines: Vec<String> = machines.split(',').map(|machine| format!("{machine}@{ranks}")).collect();
        given.insert("machine", machines.join(","));
    }
    given
}

impl Args for Plane {
    fn augment_args(command: Command) -> Command {
        let command = with_axes(command, "Plane: values as 8,12,18 or 1..64, 0..60..4 (step), 1..1024..x2 (factor)");
        // A former name from before `best` took any problem; remove it with the next version.
        command.mut_arg("K", |arg| arg.alias("nodes"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Plane {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(given(matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.extend(given(matches));
        Ok(())
    }
}

/// Arguments of `cost`.
#[derive(Debug, Args)]
pub struct Cost {
    /// The point.
    #[command(flatten)]
    pub point: PointArgs,
    /// Simulate trees, summations and k-port networks of up to this many nodes [default: 1048576]
    #[arg(long, value_name = "NODES", value_parser = parse_count, allow_negative_numbers = true)]
    pub simulate_up_to: Option<u64>,
    /// Simulate up to this many hops, deliveries or additions [default: 100000000]
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true)]
    pub simulate_up_to_hops: Option<u64>,
    /// Also execute with LogP's capacity: at most ceil(L/g') messages in transit from or to a processor
    #[arg(long)]
    pub capacity: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// A drawing of any execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LoadView {
    /// A heat map of the links of a mesh: number of messages over each
    Links,
    /// Number of messages from each rank to each other rank
    Matrix,
}

/// Arguments of `show`.
#[derive(Debug, Args)]
pub struct Show {
    /// The point.
    #[command(flatten)]
    pub point: PointArgs,
    /// A destination, instead of K random ones; may be repeated
    #[arg(long, value_name = "x,y", allow_negative_numbers = true, conflicts_with_all = ["K", "seed"], help_heading = "Point")]
    pub to: Vec<String>,
    /// Draw this view instead of the usual one of the problem
    #[arg(long, value_enum)]
    pub view: Option<LoadView>,
    /// Row of the mesh whose timetable of gossip is shown [default: 0]
    #[arg(long, value_name = "Y", value_parser = parse_count, allow_negative_numbers = true, help_heading = "Point")]
    pub row: Option<u64>,
    /// Also draw into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Also write a web page into this file that plays the execution: what each node does and holds at each time
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}
