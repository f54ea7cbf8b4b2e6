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

pub use execution::{Drawing, Execution};
pub use network::Wired;

/// The drawing that the problem selects, or a plainer one if the events do not have that form.
///
/// `whole` is an execution that uses all trees of a forest, in case `execution` does not. `row` is the row of a mesh
/// whose timetable is shown.
pub fn drawing<'a>(execution: &'a Execution, whole: Option<&Execution>, row: u32) -> Drawing<'a> {
    match execution.stage.hints.view {
        View::Tree => tree::drawing(execution).unwrap_or_else(|| timelines::drawing(execution)),
        View::Timelines => timelines::drawing(execution),
        View::Messages => messages::drawing(execution),
        View::Forest(trees) => forest::drawing(execution, whole.unwrap_or(execution), trees)
            .unwrap_or_else(|| messages::drawing(execution)),
        View::Steps => steps::drawing(execution, row),
        View::Paths => paths::drawing(execution),
        View::Links => loads::links(execution),
        View::Matrix => loads::matrix(execution),
    }
}
