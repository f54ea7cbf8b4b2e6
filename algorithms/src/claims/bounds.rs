//! Claims of castbench on problems without a paper: no algorithm of the catalogue costs less than the lower bound, and its
//! formula and its execution agree.

use std::borrow::Cow;

use super::claim::{Claim, Objection, Paper, Verdict, hold};
use super::claim::{Point, entries_of};
use crate::collectives::{PortRule, list};
use crate::cost::Agreement;
use crate::problem::Value;

const COLLECTIVE: &str = "L = 1, 20; o = 2; g = 1, 9; K = 1..12; n = 1, 13, 60; c = 0, 3";

/// Id, section, problem, grid; axes that the grid does not have are the defaults.
const ROWS: &[[&str; 4]] = &[
    [
        "bound-worms",
        "mesh::wormhole::problem",
        "wormhole-multicast",
        "n = 2..6; K = 1..3; t_s = 0, 100; t_h = 2; t_f = 1; flits = 1, 64; trials = 10",
    ],
    [
        "bound-barrier",
        "collectives::barrier",
        "barrier",
        "L = 1, 6, 20; o = 0, 2; g = 1, 4, 9; K = 1..40",
    ],
    [
        "bound-allreduce",
        "collectives::allreduce",
        "allreduce",
        COLLECTIVE,
    ],
    [
        "bound-reduce-scatter",
        "collectives::reduce_scatter",
        "reduce-scatter",
        COLLECTIVE,
    ],
    [
        "bound-allgather",
        "collectives::allgather",
        "allgather",
        COLLECTIVE,
    ],
    [
        "bound-alltoall",
        "collectives::alltoall",
        "alltoall",
        COLLECTIVE,
    ],
    ["bound-reduce", "collectives::reduce", "reduce", COLLECTIVE],
    [
        "bound-broadcast",
        "collectives::broadcast",
        "broadcast",
        "L = 1, 20; o = 2; g = 1, 9; K = 1..12; n = 13, 60; m = 1, 5, 13",
    ],
    [
        DUPLEX,
        "collectives::broadcast",
        "broadcast",
        "L = 1, 6, 20; o = 0, 2; g = 1, 4, 9; K = 2..9; n = 12; k = 1, 2; m = 1, 4, 12",
    ],
    ["bound-gather", "collectives::gather", "gather", COLLECTIVE],
    [
        "bound-scatter",
        "collectives::scatter",
        "scatter",
        COLLECTIVE,
    ],
    ["bound-scan", "collectives::scan", "scan", COLLECTIVE],
    ["bound-exscan", "collectives::scan", "exscan", COLLECTIVE],
];

const AT_SWITCH: &str = "L = 1, 20; o = 2; g = 1, 9; K = 1..6; n = 1, 13";

/// The problems with algorithms through a switch that combines and copies.
const SWITCHED: [&str; 6] = [
    "barrier",
    "allreduce",
    "reduce-scatter",
    "allgather",
    "reduce",
    "broadcast",
];

/// The claim on ports that are duplex; those of all others are strict.
const DUPLEX: &str = "bound-broadcast-duplex";

/// All of them.
pub(super) fn claims() -> Vec<Claim> {
    let claim =
        |id: Cow<'static, str>, [section, problem, grid]: [&'static str; 3], rule: Value| Claim {
            id,
            statement: "no algorithm of the catalogue costs less than the lower bound".into(),
            note: "every algorithm by formula and, as far as it is small enough, executed",
            shown: format!("best --problem {problem}").into(),
            derived: Box::new(move |_, key, own| match key {
                "ports" => rule.or(own),
                _ => own,
            }),
            ..Claim::new(Paper::Castbench, section, grid, move |p, []| {
                judge(p, problem)
            })
        };
    let stated = ROWS.iter().map(|&[id, section, problem, grid]| {
        let rule = (id == DUPLEX).then_some(PortRule::Duplex as u64);
        claim(id.into(), [section, problem, grid], rule)
    });
    // A collective without a row has the usual grid.
    let others = list::ALL.iter().map(|known| known.name);
    let others = others.filter(|name| ROWS.iter().all(|[_, _, problem, _]| problem != name));
    let others = others.map(|name| {
        let id = format!("bound-{name}").into();
        claim(id, ["collectives::bounds", name, COLLECTIVE], None)
    });
    let switched = SWITCHED.into_iter().map(|problem| {
        let id = format!("bound-{problem}-switch").into();
        claim(id, ["collectives::bounds", problem, AT_SWITCH], Some(2))
    });
    stated.chain(others).chain(switched).collect()
}

/// The point is outside where no algorithm applies. The bound is that of the problem, one for all algorithms.
fn judge(p: &Point<'_>, problem: &str) -> Verdict {
    let mut verdict = Err(Objection::Outside);
    let mut first = None;
    for entry in entries_of(problem) {
        let evaluation = match p.evaluate(entry.name, &[]) {
            Err(Objection::Outside) => continue,
            evaluation => evaluation?,
        };
        if evaluation.agreement() == Agreement::Differ {
            return Err(Objection::Disagree(Box::new(evaluation)));
        }
        let (bound, simulated) = (evaluation.lower_bound, evaluation.simulated.cost());
        let of_first = first.get_or_insert_with(|| bound.clone());
        hold!(
            bound == *of_first,
            "of {} the bound is {bound}, of another algorithm {of_first}",
            entry.name
        )?;
        let Some(cost) = evaluation.analytic.or(simulated) else {
            continue;
        };
        hold!(
            cost >= bound,
            "{} costs {cost}, the bound is {bound}",
            entry.name
        )?;
        verdict = Ok(());
    }
    verdict
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::catalogue::PROBLEMS;
    use crate::problem::Setting;

    /// Every problem has a claim of a paper or one here, which holds each algorithm against the bound at some point.
    #[test]
    fn no_algorithm_is_left_out() {
        let of_papers = [
            "logp-multicast",
            "logp-summation",
            "mesh-multicast",
            "mesh-gossip",
            "k-port-broadcast",
        ];
        let mut problems = BTreeSet::from(of_papers);
        let all = claims();
        let switched = SWITCHED.map(|problem| [problem, "-switch"]);
        let stated = ROWS
            .iter()
            .map(|&[id, _, problem, _]| [problem, if id == DUPLEX { "" } else { "strict" }]);
        for (claim, [problem, which]) in all.iter().zip(stated.chain(switched)) {
            let id = &claim.id;
            assert!(
                problems.insert(problem) || which != "strict",
                "{problem} has two claims"
            );
            for entry in entries_of(problem) {
                // Those that pass a switch are asked about with one.
                if (which == "-switch") != entry.name.contains("-switch") {
                    continue;
                }
                let mut point = Point::new(claim, []);
                let is_judged = |number| {
                    point.go_to(number);
                    let values = point.all(&point.find(entry.name).unwrap(), &[]);
                    entry
                        .at(&Setting::default(), &values)
                        .is_ok_and(|instance| instance.admit().is_ok())
                };
                assert!(
                    (0..claim.grid_points()).any(is_judged),
                    "{id}: no point takes {}",
                    entry.name
                );
            }
        }
        let known: BTreeSet<&str> = PROBLEMS.iter().map(|problem| problem.name).collect();
        assert_eq!(
            problems, known,
            "add a claim for each problem of the catalogue to `claims`"
        );
    }
}
