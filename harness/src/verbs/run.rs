//! `castbench run`: sweep, then figures.

use super::{figures, sweep};
use crate::cli::Run;
use crate::failure::{Code, Failure};
use crate::signals::is_interrupted;
use crate::sweep::Formats;

/// Runs the verb. Figures are drawn even if some points could not be evaluated, but not after a disagreement or an
/// interruption.
///
/// # Errors
/// Those of the two verbs.
pub fn run(arguments: &Run) -> Result<(), Failure> {
    let Run { sweeping: arguments } = arguments;
    let config = sweep::configuration(arguments)?;
    let verdict = sweep::sweep(arguments, None, Formats::default(), &config)?.verdict();
    if verdict.as_ref().is_err_and(|failure| failure.code != Code::PointsFailed) {
        return verdict;
    }
    if is_interrupted() {
        let explanation = "interrupted; the sweep is complete, but not its figures: `castbench figures` draws them";
        return Err(Failure::new(Code::Interrupted, explanation));
    }
    figures::draw(&config, &arguments.out, &arguments.out.join("figures")).and(verdict)
}
