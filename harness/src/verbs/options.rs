//! The options of the axes: a point, or a list of values for each axis.

use std::path::PathBuf;
use std::sync::LazyLock;

use algorithms::catalogue::{PROBLEMS, axes};
use algorithms::internals::imported;
use algorithms::problem::{Axis, Kind, spelled};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum as _};

use crate::base::units::{joined, parse_count, together};
use crate::print::Format;
use crate::space::Given;

/// How a verb prints its rows.
#[derive(Debug, Clone, Copy, Args)]
pub struct Printed {
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// The formats of rows, and others of a verb: name, meaning, value.
pub(super) fn formats<T: Copy + Send + Sync + 'static, const N: usize>(
    of_rows: fn(Format) -> T,
    others: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let rows = Format::value_variants()
        .iter()
        .filter_map(Format::to_possible_value);
    let more = others.map(|(name, help, _)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(rows.chain(more)).map(move |name| {
        let other = others.iter().find(|other| other.0 == name);
        let format = || Format::from_str(&name, false).unwrap_or(Format::Table);
        other.map_or_else(|| of_rows(format()), |other| other.2)
    })
}

/// A point as typed: the algorithm, and a text for each option. Its problem decides which options the algorithm reads.
#[derive(Debug, Clone, Default, Args)]
pub struct PointArgs {
    /// Algorithm, by its name in `castbench list`; or a file with a schedule in GOAL, MSCCL XML, MSCCL++ JSON, Chakra traces
    #[arg(value_name = "algorithm")]
    pub algorithm: String,
    /// The text of each option.
    #[command(flatten, next_help_heading = "Point")]
    pub axes: AxisOptions,
    /// Configurations whose algorithms are also known.
    #[arg(
        help = "Also know the [[algorithm]] of this configuration; may be repeated",
        long,
        value_name = "FILE"
    )]
    pub with: Vec<PathBuf>,
}

/// The options of all axes: a value or a list of values for each.
#[derive(Debug, Clone, Default)]
pub struct AxisOptions(pub Given);

impl AxisOptions {
    /// The options as a command line gives them.
    pub(super) fn typed(&self) -> Vec<String> {
        options()
            .filter_map(|(id, short, long)| {
                let option = long
                    .map(|long| format!("--{long}"))
                    .or_else(|| short.map(|short| format!("-{short}")))?;
                Some([option, self.0.get(id)?.clone()])
            })
            .flatten()
            .collect()
    }
}

impl PointArgs {
    /// The text of the option with this id.
    pub fn get(&self, id: &str) -> Option<&str> {
        self.axes.0.get(id).map(String::as_str)
    }

    /// Sets the option of this name, without its dashes; `false` if there is no such option.
    pub fn set_named(&mut self, name: &str, value: String) -> bool {
        let id = options()
            .find(|&(id, _, long)| id == name || long == Some(name))
            .map(|option| option.0);
        id.inspect(|&id| self.set(id, Some(value))).is_some()
    }

    /// Sets an option, or removes it.
    pub fn set(&mut self, id: &'static str, value: Option<String>) {
        match value {
            Some(value) => self.axes.0.insert(id, value),
            None => self.axes.0.remove(id),
        };
    }
}

/// The options of all axes: id, short, long. The sides of a mesh have two, one of them for a square.
fn options() -> impl Iterator<Item = (&'static str, Option<char>, Option<&'static str>)> {
    let mut options: Vec<(&'static str, Option<char>, Option<&'static str>)> = Vec::new();
    for axis in PROBLEMS.iter().flat_map(|problem| problem.axes) {
        let of_axis = match (axis.kind, axis.long) {
            (Kind::Sides, Some(long)) => {
                vec![(axis.key, axis.short, None), (long, None, Some(long))]
            }
            _ => vec![(axis.key, axis.short, axis.long)],
        };
        options.extend(
            of_axis
                .into_iter()
                .filter(|new| options.iter().all(|known| known.0 != new.0))
                .collect::<Vec<_>>(),
        );
    }
    options.into_iter()
}

/// The meaning of an option, by problem where that differs.
fn help(id: &str) -> String {
    let meaning = |axis: &Axis| {
        if axis.kind == Kind::Sides && axis.long == Some(id) {
            Some("width and height of the mesh")
        } else {
            (axis.key == id).then_some(axis.meaning)
        }
    };
    // A file counts words as its ranks hold them.
    let all = PROBLEMS
        .iter()
        .chain([imported::of_chunks()])
        .flat_map(|problem| problem.axes.iter().map(|axis| (axis, problem.name)));
    let default = |axis: &Axis| axis.default.map(|default| spelled(axis, default));
    let meanings = together(
        all.filter_map(|(axis, problem)| Some(((meaning(axis)?, default(axis)), problem))),
    );
    let several = meanings.len() > 1;
    let helps = meanings.into_iter().map(|((meaning, default), problems)| {
        let default = default.map_or_else(String::new, |default| format!(" [default: {default}]"));
        let of = if several {
            format!("{}: ", problems.join(", "))
        } else {
            String::new()
        };
        format!("{of}{meaning}{default}")
    });
    joined("; ", helps)
}

fn value_name(id: &str) -> &'static str {
    match axes()
        .iter()
        .find(|axis| axis.key == id)
        .map(|axis| axis.kind)
    {
        Some(Kind::Time) => "TIME",
        Some(Kind::Bytes) => "SIZE",
        Some(Kind::Profile) => "NAME",
        Some(Kind::Count | Kind::Sides) => "COUNT",
        Some(Kind::Word(_)) => "RULE",
        Some(Kind::Counts) => "SIZES",
        None => "WxH",
    }
}

/// The option for the ranks of a node, a short form for machines named `NAME@RANKS`.
const RANKS_PER_NODE: &str = "ranks-per-node";

fn given(matches: &ArgMatches) -> Given {
    let typed = |id: &'static str| Some((id, matches.get_one::<String>(id)?.clone()));
    let mut given: Given = options()
        .filter_map(|(id, ..)| typed(id))
        .chain(typed(RANKS_PER_NODE))
        .collect();
    if let Some(machines) = given.get("machine").cloned()
        && let Some(ranks) = given.remove(RANKS_PER_NODE)
    {
        let machines = joined(
            ",",
            machines
                .split(',')
                .map(|machine| format!("{machine}@{ranks}")),
        );
        given.insert("machine", machines);
    }
    given
}

impl Args for AxisOptions {
    /// Adds the options under the current heading, and ends it.
    fn augment_args(command: Command) -> Command {
        let ranks = Arg::new(RANKS_PER_NODE)
            .long(RANKS_PER_NODE)
            .value_parser(|text: &str| parse_count(text).map(|_| text.to_owned()))
            .value_name("COUNT").help(
            "Ranks on each node of a machine with [[level]]; the same as NAME@COUNT for --machine",
        );
        // Several verbs have these options, and copying them is faster than making them.
        static OF_AXES: LazyLock<Vec<Arg>> = LazyLock::new(|| {
            let arg = |(id, short, long)| {
                Arg::new(id)
                    .value_name(value_name(id))
                    .help(help(id))
                    .short(short)
                    .long(long)
            };
            options()
                .map(|option| {
                    arg(option)
                        .allow_negative_numbers(true)
                        .action(ArgAction::Set)
                })
                .collect()
        });
        command
            .arg(ranks)
            .args(OF_AXES.iter())
            .next_help_heading(None::<&str>)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for AxisOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(given(matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.extend(given(matches));
        Ok(())
    }
}
