//! `castbench run`: sweep, then figures.

use super::{figures, sweep};
use crate::cli::Run;
use crate::failure::{Code, Failure};
use crate::signals::is_interrupted;
use crate::sweep::Formats;

/// Runs the verb.
///
/// # Errors
/// Those of the two verbs. Points that could not be evaluated keep no figure from being drawn; a
/// disagreement or an interruption does.
pub fn run(arguments: &Run) -> Result<(), Failure> {
    let Run { sweeping: arguments } = arguments;
    let config = sweep::configuration(arguments)?;
    let verdict = sweep::sweep(arguments, None, Formats::default(), &config)?.verdict();
    if verdict.as_ref().is_err_and(|failure| failure.code != Code::PointsFailed) {
        return verdict;
    }
    if is_interrupted() {
        let explanation = "interrupted; the sweep is whole, its figures are not drawn: `castbench figures` draws them";
        return Err(Failure::new(Code::Interrupted, explanation));
    }
    figures::draw(&config, &arguments.out, &arguments.out.join("figures")).and(verdict)
}
