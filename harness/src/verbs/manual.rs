//! `castbench completions` and `castbench man`.

use std::io;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::base::failure::{Result, stdout};
use crate::base::terminal;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub struct Man {
    /// The page of one verb instead of the main page
    pub verb: Option<String>,
}

/// Prints the completion script of a shell.
///
/// # Errors
/// If stdout cannot be written.
pub fn completions(arguments: &Completions, mut program: Command) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "castbench", &mut script);
    stdout(io::Write::write_all(&mut terminal::data(), &script))
}

/// Prints the manual page of the program or of one verb.
///
/// # Errors
/// Exit code 2 for an unknown verb.
pub fn page(arguments: &Man, program: Command) -> Result {
    // The revision would change the page with every commit.
    let mut command = program.long_version(None::<&str>);
    command.build();
    let command = match &arguments.verb {
        None => command,
        Some(verb) => command.find_subcommand(verb).cloned().ok_or_else(|| {
            failure!(
                Usage,
                "there is no verb `{verb}`; `castbench --help` lists them"
            )
        })?,
    };
    let mut page = Vec::new();
    let page_of =
        clap_mangen::Man::new(command).source(concat!("castbench ", env!("CARGO_PKG_VERSION")));
    stdout(page_of.render(&mut page))?;
    stdout(io::Write::write_all(&mut terminal::data(), &page))
}
