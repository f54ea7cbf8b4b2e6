//! Current costs, evaluated by a sweep.

use crate::base::failure::{Code, Failure, Result};
use crate::base::progress::{Progress, clock};
use crate::config::Config;
use crate::output::interruption::INTERRUPTED;
use crate::regress::Today;
use crate::regress::costs::Costs;
use crate::sweep;

/// Evaluates a configuration. Points that failed or disagree leave the others to compare.
///
/// # Errors
/// The exit code of the sweep that evaluates the costs, where it has none to compare; 4 where no point has one.
pub fn evaluate(config: &Config, jobs: Option<usize>) -> Result<Today<'_>> {
    let mut costs: Vec<Costs> = Vec::new();
    let verdict = sweep::evaluate(
        config,
        jobs,
        &INTERRUPTED,
        |points, work| Progress::weighted(points, 0, "points", work, clock()),
        (&|_, rows| Ok(rows), |problem, rows| {
            // A problem may have rows of several grids.
            let index = costs
                .iter()
                .position(|costs| costs.problem == Some(problem))
                .unwrap_or_else(|| {
                    costs.push(Costs::new(problem));
                    costs.len() - 1
                });
            rows.into_iter()
                .flatten()
                .try_for_each(|row| costs[index].add(row))
                .map_err(|two| Failure::new(Code::Internal, two))
        }),
    )?
    .verdict();
    let failure = match verdict {
        Err(failure) if [Code::PointsFailed, Code::Disagreement].contains(&failure.code) => {
            Some(failure)
        }
        other => other.map(|()| None)?,
    };
    if costs.iter().all(|costs| costs.algorithms.is_empty()) {
        if let Some(failure) = failure {
            return Err(failure);
        }
        bail!(
            Nothing,
            "no point has an exact cost; sweep points that have a formula, or are small enough for an execution"
        );
    }
    Ok(Today {
        config,
        costs,
        failure,
    })
}
