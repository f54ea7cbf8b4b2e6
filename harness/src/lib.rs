//! The harness of castbench. It reads a configuration, evaluates the algorithms over its grids in parallel, writes CSV,
//! and draws charts from that CSV.
//!
//! Data flows one way: `configuration -> grid -> points -> algorithms -> rows -> CSV -> figures`. Figures read rows and
//! never algorithms, so an old CSV can be drawn again. [`measured`] holds the configuration, rows and files of what the
//! crate `measure` runs and times.
#![expect(
    non_snake_case,
    reason = "a symbol of a paper (L, o, g, K) keeps the letter it has there"
)]
// clippy.toml lists them with reasons. Tests read what the program wrote.
#![cfg_attr(
    not(test),
    deny(
        clippy::print_stdout,
        clippy::print_stderr,
        clippy::disallowed_methods,
        clippy::disallowed_types
    )
)]

#[macro_use]
pub mod base;

pub mod config;
pub mod draw;
pub mod figures;
pub mod libraries;
pub mod measured;
pub mod networks;
pub mod output;
pub mod plans;
pub mod predict;
pub mod print;
pub mod record;
pub mod regress;
pub mod rules;
pub mod space;
pub mod sweep;
pub mod verbs;
pub mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::builder::Styles;
use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory as _, Parser as _};

use base::failure::{self, Failure, Result};
use base::{revision, terminal, threads};
use output::signals;
use verbs::cli::Cli;

/// Parses the command line, runs its verb and returns the documented exit code. The program states the revision of its code.
pub fn run(revision: &'static str) -> ExitCode {
    revision::set(revision);
    signals::set_program();
    threads::with_stack(run_here)
}

fn run_here() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            terminal::report(usage(&error).trim_end());
            return ExitCode::from(failure::Code::Usage as u8);
        }
        // Help and version.
        Err(error) => {
            return ended(failure::stdout(terminal::print_coloured(
                &error.render().ansi().to_string(),
            )));
        }
    };
    let result = cli.verb.run();
    ended(result.and(plans::end_all()))
}

/// The message of clap, without its own colours if the arguments that it repeats could have some.
fn usage(error: &clap::Error) -> String {
    if let Some(refused) = elsewhere(error) {
        return refused;
    }
    let is_foreign = |argument: OsString| argument.to_string_lossy().contains(measure::is_command);
    match Cli::command().styles(Styles::plain()).try_get_matches() {
        Err(plain) if std::env::args_os().any(is_foreign) => {
            terminal::printable(&plain.render().ansi().to_string()).into_owned()
        }
        _ => error.render().ansi().to_string(),
    }
}

/// Why a verb has no option for algorithms of users, or for networks, and what to give instead.
fn elsewhere(error: &clap::Error) -> Option<String> {
    let argument = error.get(ContextKind::InvalidArg)?.to_string();
    let is_known = ["--with", "--network"].contains(&&*argument);
    if error.kind() != ErrorKind::UnknownArgument || !is_known {
        return None;
    }
    let known = Cli::command();
    let verb = std::env::args_os()
        .filter_map(|word| known.find_subcommand(word).cloned())
        .next()?;
    let name = verb.get_name();
    let failure = if argument == "--network" {
        let advice = match name {
            "sweep" | "run" => "write `networks = [...]` in a [[grid]]",
            "figures" => "draw the rows of a sweep with `networks`: --x network --y link_ratio",
            _ => "cost, best, show, bound and generate do",
        };
        failure!(Usage, "`{name}` takes no --network; {advice}")
    } else {
        let advice = match name {
            "sweep" | "run" | "measure" => {
                "it reads those of its configuration: write [[algorithm]] in that file"
            }
            "regress" | "report" => {
                "it reads those of its configuration: write [[algorithm]] in the file of --config"
            }
            _ => "cost, show, export, best and list do",
        };
        failure!(
            Usage,
            "`{name}` takes no algorithm of your own with --with; {advice}"
        )
    };
    Some(failure.message)
}

fn ended(result: Result) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { code, message }) => {
            if !message.is_empty() {
                failure::report(&message);
            }
            ExitCode::from(code as u8)
        }
    }
}
