//! `castbench run`: sweep, then figures.

use clap::Args;

use super::sweep::Sweeping;
use super::{figures, sweep};
use crate::failure::{Code, Failure, tell};
use crate::signals::is_interrupted;
use crate::sweep::Formats;

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
pub fn run(arguments: &Run) -> Result<(), Failure> {
    let Run { sweeping: arguments } = arguments;
    let config = sweep::configuration(arguments)?;
    config.check_figures()?;
    if config.figures.is_empty() {
        tell(
            "warning: the configuration has no figure, so `run` only sweeps; add a [[figures.lines]], as in configs/default.toml",
        );
    }
    let verdict = sweep::sweep(arguments, None, Formats::default(), &config)?.verdict();
    if verdict.as_ref().is_err_and(|failure| failure.code != Code::PointsFailed) {
        return verdict;
    }
    if is_interrupted() {
        let explanation = "interrupted; the sweep is complete, but not its figures: `castbench figures` draws them";
        return Err(Failure::new(Code::Interrupted, explanation));
    }
    if config.figures.is_empty() {
        return verdict;
    }
    figures::draw(&config, &arguments.out, &arguments.out.join("figures")).and(verdict)
}
