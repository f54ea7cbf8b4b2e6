//! `castbench run`: sweep, then figures.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;

use super::figures::Page;
use super::sweep::Sweeping;
use super::{figures, sweep};
use crate::base::failure::{Code, Result, tell};
use crate::base::units::{grouped, joined, plural, shell_word};
use crate::config::Config;
use crate::figures::{check_rows, of};
use crate::output::interruption::is_interrupted;

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct Run {
    /// The sweep.
    #[command(flatten)]
    pub sweeping: Sweeping,
}

/// Runs the verb. Figures are drawn even if some points could not be evaluated, but not after a disagreement or an
/// interruption.
///
/// # Errors
/// The exit code of the sweep or of the figures.
pub fn run(arguments: &Run) -> Result {
    let Run {
        sweeping: arguments,
    } = arguments;
    let config = sweep::configuration(arguments)?;
    let specs = of(&config)?;
    check_rows(&config, &specs)?;
    if specs.is_empty() {
        tell(
            "warning: the configuration has no figure, so `run` only sweeps; add a [[figures.lines]], as in configs/default.toml",
        );
    }
    announce(arguments, &config, specs.len());
    let verdict = sweep::sweep(arguments, None, &config)?.verdict();
    if verdict
        .as_ref()
        .is_err_and(|failure| failure.code != Code::PointsFailed)
    {
        return verdict;
    }
    if is_interrupted() {
        bail!(
            Interrupted,
            "interrupted; the sweep is complete, but not its figures: `castbench figures` draws them"
        );
    }
    if specs.is_empty() {
        return verdict;
    }
    let drawn = figures::draw(
        &config,
        &specs,
        &[],
        (&arguments.out, &arguments.out.join("figures")),
        &Page::default(),
        false,
    )?;
    verdict.map(|()| tell_next(arguments, &drawn))
}

/// What is computed, where it goes, and how long it takes.
fn announce(Sweeping { selection, out, .. }: &Sweeping, config: &Config, figures: usize) {
    let algorithms: BTreeSet<&str> = config
        .grids
        .iter()
        .flat_map(|grid| &grid.algorithms)
        .map(|entry| entry.name)
        .collect();
    let points = grouped(config.size());
    let algorithms = plural(algorithms.len() as u64, "algorithm");
    let figures = plural(figures as u64, "figure");
    let out = out.display();
    tell!(
        "computes the costs of {algorithms} at {points} points into `{out}`, then draws {figures} into `{out}/figures`"
    );
    if selection.config.is_none() && selection.set.is_empty() {
        tell(
            "this takes some ten seconds of one core; a configuration of your own: `castbench init sweep`",
        );
    }
}

/// Figures to look at and commands to try.
fn tell_next(Sweeping { selection, out, .. }: &Sweeping, drawn: &[PathBuf]) {
    let word = |path: &Path| shell_word(&path.to_string_lossy()).into_owned();
    let files = joined(", ", drawn.iter().take(3).map(|file| word(file)));
    let Some(first) = drawn.first().and_then(|file| file.file_name()) else {
        return;
    };
    let (from, only) = (word(out), word(Path::new(first)));
    let [positional, option] = ["", "--config "].map(|option| {
        selection
            .config
            .as_deref()
            .map_or_else(String::new, |file| format!(" {option}{}", word(file)))
    });
    tell!("next: open {files}");
    tell!("  castbench report{option} --from {from}   # all of it on one page");
    tell!(
        "  castbench figures{positional} --from {from} --only {only} --width 88mm --out paper   # for a column of a journal"
    );
}
