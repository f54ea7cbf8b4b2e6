//! Drawings of executions: trees over time, paths on a mesh, timelines, messages and steps.
//!
//! A drawing reads only the events and the stage of an execution, or a network; it does not depend on a problem.

pub mod chart;
mod execution;
mod forest;
mod loads;
mod messages;
mod network;
mod paths;
pub mod play;
mod spanning;
mod steps;
mod timelines;
pub mod trace;
mod tree;

use algorithms::internals::execution::View;

pub(crate) use execution::too_many;
pub use execution::{Drawing, Execution};
use forest::Forest;
use loads::{Links, Matrix};
use messages::Messages;
pub use network::Wired;
use paths::Paths;
use steps::Steps;
use timelines::Timelines;
use tree::TimedTree;

/// The drawing that the problem selects, or a plainer one if the events do not have that form.
///
/// `whole` is an execution that uses all trees of a forest, in case `execution` does not. `row` is the row of a mesh
/// whose timetable is shown.
#[must_use]
pub fn drawing(execution: Execution, whole: Option<&Execution>, row: u32) -> Box<dyn Drawing> {
    match execution.stage.hints.view {
        View::Tree => match TimedTree::tree(&execution) {
            Some(tree) => Box::new(TimedTree::new(execution, tree)),
            None => Box::new(Timelines::new(execution)),
        },
        View::Timelines => Box::new(Timelines::new(execution)),
        View::Messages => Box::new(Messages::new(execution)),
        View::Forest(trees) => match Forest::trees(whole.unwrap_or(&execution), trees) {
            Some(trees) => Box::new(Forest::new(execution, trees)),
            None => Box::new(Messages::new(execution)),
        },
        View::Steps => Box::new(Steps::new(execution, row)),
        View::Paths => Box::new(Paths::new(execution)),
        View::Links => Box::new(Links::new(execution)),
        View::Matrix => Box::new(Matrix::new(execution)),
    }
}
