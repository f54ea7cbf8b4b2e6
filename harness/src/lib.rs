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
use verbs::cli::{Cli, Verb};

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
    let result = match cli.verb {
        Verb::List(arguments) => verbs::list::run(&arguments),
        Verb::Cost(arguments) => verbs::cost::run(&arguments),
        Verb::Best(arguments) => threads::within(|| verbs::best::run(&arguments)),
        Verb::Bound(arguments) => verbs::bound::run(&arguments),
        Verb::Generate(arguments) => verbs::generate::run(&arguments),
        Verb::Show(arguments) => verbs::show::run(&arguments),
        Verb::Sweep(arguments) => verbs::sweep::run(&arguments),
        Verb::Merge(arguments) => verbs::merge::run(&arguments),
        Verb::Figures(arguments) => verbs::figures::run(&arguments),
        Verb::Run(arguments) => verbs::run::run(&arguments),
        Verb::Regress(arguments) => verbs::regress::run(&arguments),
        Verb::Audit(arguments) => threads::within(|| verbs::audit::run(&arguments)),
        Verb::Report(arguments) => verbs::report::run(&arguments),
        Verb::Export(arguments) => verbs::export::run(&arguments),
        Verb::Verify(arguments) => verbs::verify::run(&arguments),
        Verb::Rules(arguments) => threads::within(|| verbs::rules::run(&arguments)),
        Verb::Read(arguments) => verbs::read::run(&arguments),
        Verb::Measure(arguments) => verbs::measure::run(&arguments),
        Verb::Calibrate(arguments) => verbs::calibrate::run(&arguments),
        Verb::TraceMpi(arguments) => verbs::trace_mpi::run(&arguments),
        Verb::Fit(arguments) => verbs::fit::run(&arguments),
        Verb::Predict(arguments) => verbs::predict::run(&arguments),
        Verb::Score(arguments) => threads::within(|| verbs::score::run(&arguments)),
        Verb::Tune(arguments) => verbs::tune::run(&arguments),
        Verb::Hosts(arguments) => verbs::hosts::run(&arguments),
        Verb::Init(arguments) => verbs::init::run(&arguments),
        Verb::Rank => verbs::measure::rank(),
        Verb::Completions(arguments) => verbs::manual::completions(&arguments, Cli::command()),
        Verb::Man(arguments) => verbs::manual::page(&arguments, Cli::command()),
    };
    let commands = plans::end_all();
    ended(result.and(commands))
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
    if argument == "--network" {
        let advice = match name {
            "sweep" | "run" => "write `networks = [...]` in a [[grid]]",
            "figures" => "draw the rows of a sweep with `networks`: --x network --y link_ratio",
            _ => "cost, best, show, bound and generate do",
        };
        let failure = failure!(Usage, "`{name}` takes no --network; {advice}");
        return Some(failure.message);
    }
    let advice = match name {
        "sweep" | "run" | "measure" => {
            "it reads those of its configuration: write [[algorithm]] in that file"
        }
        "regress" | "report" => {
            "it reads those of its configuration: write [[algorithm]] in the file of --config"
        }
        _ => "cost, show, export, best and list do",
    };
    let failure = failure!(
        Usage,
        "`{name}` takes no algorithm of your own with --with; {advice}"
    );
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
