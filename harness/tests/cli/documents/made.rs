//! Generated parts of pages that no single command prints: the help of every verb, the exit codes, the figures, the
//! faults, measured times. They are between `<!-- = NAME -->` and `<!-- end -->`.

use std::collections::BTreeMap;

use castbench::base::failure;
use castbench::config::Config;
use castbench::print::markup;
use castbench::verbs::cli::Cli;
use castbench::verbs::options::AxisOptions;
use clap::{Arg, Args as _, Command, CommandFactory as _};

/// The part with this name, if there is one.
pub fn part(name: &str) -> Option<String> {
    match name {
        "verbs" => Some(verbs()),
        "help" => Some(help()),
        "exit codes" => Some(exit_codes()),
        "figures" => Some(figures()),
        "gallery" => Some(super::gallery::markdown()),
        "measured over TCP" => Some(super::medians::tcp()),
        "measured over MPI" => Some(super::medians::mpi()),
        #[cfg(unix)]
        "faults" => Some(crate::faults::table::markdown()),
        _ => None,
    }
}

/// The program, with its help formatted as without a terminal.
fn program() -> Command {
    let mut command = Cli::command().term_width(100);
    command.build();
    command
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|verb| !verb.is_hide_set())
}

/// A row for each verb.
fn verbs() -> String {
    let program = program();
    let rows = shown(&program).map(|verb| {
        let about = verb
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        format!("| [`{0}`](#{0}) | {about} |\n", verb.get_name())
    });
    let rows: String = rows.collect();
    format!("| verb | what it does |\n|---|---|\n{rows}")
}

/// Options in this many verbs stand once.
const SEVERAL: usize = 4;

/// The rows of the arguments of all verbs, of which equal ones of several verbs stand once.
struct Options {
    axes: Vec<String>,
    shared: Vec<(String, String)>,
}

impl Options {
    fn new(program: &Command) -> Self {
        let axes = axes();
        let axes = axes.get_arguments().map(|arg| arg.get_id().to_string());
        let mut all = Self {
            axes: axes.collect(),
            shared: Vec::new(),
        };
        let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
        for command in commands(program) {
            for arg in all.own(&command.1) {
                *counts.entry((name_of(arg), row(arg))).or_default() += 1;
            }
        }
        counts.retain(|_, count| *count >= SEVERAL);
        all.shared = counts.into_keys().collect();
        all
    }

    /// The arguments of a verb without those of the axes.
    fn own<'a>(&self, command: &'a Command) -> Vec<&'a Arg> {
        let shown = |arg: &&Arg| {
            let id = arg.get_id().as_str();
            let is_own = !self.takes_axes(command) || !self.is_axis(arg);
            !arg.is_hide_set() && !["help", "version"].contains(&id) && is_own
        };
        command.get_arguments().filter(shown).collect()
    }

    /// Whether a verb takes a point. Others have options of the same names, with a meaning of their own.
    fn takes_axes(&self, command: &Command) -> bool {
        let args = command.get_arguments();
        args.filter(|arg| self.is_axis(arg)).count() == self.axes.len()
    }

    fn is_axis(&self, arg: &Arg) -> bool {
        self.axes.iter().any(|id| id == arg.get_id().as_str())
    }

    fn section(&self, name: &str, command: &Command) -> String {
        let about = command.get_about().map(ToString::to_string);
        let usage = command.clone().render_usage().to_string();
        let usage = usage
            .trim_start_matches("Usage: ")
            .replace("\n       ", "\n");
        let mut text = format!(
            "## {name}\n\n{}.\n\n```text\n{usage}\n```\n\n",
            markup::markdown(&about.unwrap_or_default())
        );
        let is_shared = |arg: &&&Arg| self.shared.contains(&(name_of(arg), row(arg)));
        let own = self.own(command);
        let rows: String = own
            .iter()
            .filter(|arg| !is_shared(arg))
            .map(|arg| row(arg))
            .collect();
        if !rows.is_empty() {
            text += &format!("{TABLE}{rows}\n");
        }
        let mut others: Vec<String> = own
            .iter()
            .filter(is_shared)
            .map(|arg| format!("[`{}`](#options-of-several-verbs)", name_of(arg)))
            .collect();
        if self.takes_axes(command) {
            others.push("[those of the axes](#options-of-the-axes)".to_owned());
        }
        if !others.is_empty() {
            text += &format!("Further options: {}.\n\n", others.join(", "));
        }
        if let Some(after) = command.get_after_help() {
            let after = after.to_string();
            let wrapped = after.lines().map(|line| match line.starts_with(' ') {
                true => line.to_owned(),
                false => textwrap::fill(line, 120),
            });
            let after = wrapped.collect::<Vec<_>>().join("\n");
            text += &format!("```text\n{after}\n```\n\n");
        }
        text
    }
}

const TABLE: &str = "| argument | meaning |\n|---|---|\n";

/// An argument without its value.
fn name_of(arg: &Arg) -> String {
    match (arg.get_long(), arg.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => arg.get_id().to_string(),
    }
}

/// An argument with its meaning, default and values.
fn row(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help());
    let mut meaning = help.map(ToString::to_string).unwrap_or_default();
    let takes_value = arg.get_action().takes_values();
    if let Some(default) = arg.get_default_values().first().filter(|_| takes_value) {
        meaning += &format!(" [default: {}]", default.to_string_lossy());
    }
    let values = arg.get_possible_values();
    let values = values
        .iter()
        .filter(|value| takes_value && !value.is_hide_set());
    let values = values.map(|value| match value.get_help() {
        Some(help) => format!("{} ({help})", value.get_name()),
        None => value.get_name().to_owned(),
    });
    let values: Vec<String> = values.collect();
    if !values.is_empty() {
        meaning += &format!(" [values: {}]", values.join(", "));
    }
    let meaning = meaning.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = arg.to_string().replace('|', "\\|");
    format!("| `{shown}` | {} |\n", markup::markdown(&meaning))
}

/// All verbs, and the verbs within them, with their names.
fn commands(program: &Command) -> Vec<(String, Command)> {
    fn add(all: &mut Vec<(String, Command)>, command: &Command, name: String) {
        all.push((name.clone(), command.clone()));
        for verb in shown(command).filter(|verb| verb.get_name() != "help") {
            add(all, verb, format!("{name} {}", verb.get_name()));
        }
    }
    let mut all = Vec::new();
    for verb in shown(program).filter(|verb| verb.get_name() != "help") {
        add(&mut all, verb, verb.get_name().to_owned());
    }
    all
}

/// A command with the options of all axes.
fn axes() -> Command {
    let mut axes = AxisOptions::augment_args(Command::new("axes")).disable_help_flag(true);
    axes.build();
    axes
}

/// The options that several verbs have, and a section for each verb.
fn help() -> String {
    let program = program();
    let options = Options::new(&program);
    let shared: String = options.shared.iter().map(|(_, row)| row.as_str()).collect();
    let axes = axes();
    let axes: String = axes.get_arguments().map(row).collect();
    let mut text = format!(
        "## Options of several verbs\n\n{TABLE}{shared}\n## Options of the axes\n\n\
         A verb of one point takes one value for each axis that its problem has, `best` also lists and ranges of values.\n\n\
         {TABLE}{axes}\n"
    );
    for (name, command) in commands(&program) {
        text += &options.section(&name, &command);
    }
    text + "## help\n\n`castbench help sweep` prints what `castbench sweep --help` prints. `castbench man [VERB]` prints a \
            manual page, `castbench completions bash` the completion script of a shell.\n"
}

/// A row for each exit code.
fn exit_codes() -> String {
    let text = failure::exit_codes();
    let lines = text
        .lines()
        .skip(1)
        .map(|line| line.trim().split_once(' ').expect("a code and a text"));
    let rows: String = lines
        .map(|(code, text)| format!("| {code} | {} |\n", text.trim()))
        .collect();
    format!("| code | meaning |\n|---|---|\n{rows}")
}

/// Every figure of the built-in configuration with its `shows`.
fn figures() -> String {
    let figures = Config::load(None).and_then(|config| castbench::figures::of(&config));
    let figures = figures.unwrap_or_else(|failure| panic!("{}", failure.explanation()));
    let figures = figures.iter().map(|figure| {
        let (about, file) = (&figure.about, figure.file());
        let shows = about.shows.as_deref().unwrap_or_default();
        format!(
            "**{}.** {shows}\n\n![{}](../../reports/figures/{file})\n",
            about.title, about.title
        )
    });
    figures.collect::<Vec<_>>().join("\n")
}
