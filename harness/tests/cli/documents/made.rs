//! Generated parts of pages that no single command prints: the help of every verb, the exit codes, the figures, the
//! faults, measured times. They are between `<!-- = NAME -->` and `<!-- end -->`.

use castbench::cli::Cli;
use castbench::config::Config;
use castbench::failure;
use clap::{Command, CommandFactory as _};

/// The part with this name, if there is one.
pub fn part(name: &str) -> Option<String> {
    match name {
        "verbs" => Some(verbs()),
        "help" => Some(help()),
        "exit codes" => Some(exit_codes()),
        "figures" => Some(figures()),
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

/// A heading and the help of each verb, and of the verbs within it.
fn help() -> String {
    fn add(text: &mut String, command: &Command, name: &str) {
        let help = command.clone().render_long_help().to_string();
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        *text += &format!(
            "## {name}\n\n```text\n{}\n```\n\n",
            lines.join("\n").trim_end()
        );
        for verb in shown(command).filter(|verb| verb.get_name() != "help") {
            add(text, verb, &format!("{name} {}", verb.get_name()));
        }
    }
    let program = program();
    let mut text = String::new();
    for verb in shown(&program) {
        let name = verb.get_name();
        if name == "help" {
            text += "## help\n\n`castbench help sweep` prints what `castbench sweep --help` prints.\n\n";
        } else {
            add(&mut text, verb, name);
        }
    }
    text.trim_end().to_owned() + "\n"
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
    let config = Config::load(None).unwrap_or_else(|failure| panic!("{}", failure.explanation()));
    let figures = config.figures.iter().map(|figure| {
        let (about, file) = (figure.about(), figure.file());
        let shows = about.shows.as_deref().unwrap_or_default();
        format!(
            "**{}.** {shows}\n\n![{}](../../reports/figures/{file})\n",
            about.title, about.title
        )
    });
    figures.collect::<Vec<_>>().join("\n")
}
