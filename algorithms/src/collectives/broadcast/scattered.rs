//! What broadcasts share that scatter blocks down a binomial tree, then gather all blocks at all ranks.

use crate::collectives::sequence::Sequence;
use crate::collectives::{Algorithm, Closed};
use crate::error::Error;
use crate::plan::{Family, Load, Part, Phase, Plan, Task, Tree};

/// A scatter down a binomial tree, then phases of numbers from the root.
pub(super) fn plan<'a>(task: &Task, phases: Vec<Phase<'a>>) -> Plan<'a> {
    let K = task.K;
    let scatter = Tree::down(Load::Dealt, move |number| {
        Family::binomial(K, number).reversed()
    });
    let phases = phases.into_iter().map(Phase::numbered_from_root).collect();
    let part = |plan, tag| Part {
        task: *task,
        plan,
        tag,
    };
    Plan::Then(vec![
        part(Plan::Tree(scatter), 0),
        part(Plan::Rounds(phases), 1),
    ])
}

/// With one duplex port a scatter down a binomial tree and an allgather in which all ranks exchange in each round cost what they do with
/// strict ports, where that is proven: the longest path there has hops, and in the scatter the times between two sends, and neither
/// depends on what a rank receives meanwhile.
///
/// # Errors
/// Errors of the halves.
pub(super) fn duplex(halves: &Sequence, task: &Task) -> Result<Closed, Error> {
    Ok(match halves.formula(task)? {
        exact @ Closed::Exact(_) if task.k == 1 => exact,
        closed => Closed::Between([0, closed.bounds()[1]]),
    })
}
