//! Claims of castbench on problems without a paper: no algorithm of the catalogue costs less than the lower bound, and its
//! formula and its execution agree.

use super::axis::Axis;
use super::claim::{Cause, Claim, LIMITS, Outcome, Paper, Repeat, by_key, evaluated};
use crate::catalogue::entries;
use crate::collectives::PortRule;
use crate::cost::Agreement;
use crate::problem::Value;

/// All of them.
pub(super) fn claims() -> Vec<Claim> {
    let machine = || {
        vec![
            Axis::few("L", &[1, 6, 20]),
            Axis::few("o", &[0, 2]),
            Axis::few("g", &[1, 4, 9]),
        ]
    };
    let segments = [
        Axis::range("K", 2, 9),
        Axis::few("n", &[12]),
        Axis::few("k", &[1, 2]),
        Axis::few("m", &[1, 4, 12]),
    ];
    let worms = [
        Axis::range("n", 2, 6),
        Axis::range("K", 1, 3),
        Axis::few("t_s", &[0, 100]),
        Axis::few("t_h", &[2]),
        Axis::few("t_f", &[1]),
        Axis::few("flits", &[1, 64]),
        Axis::few("trials", &[10]),
    ];
    let collective = || {
        [
            Axis::range("K", 1, 12),
            Axis::few("n", &[1, 13, 60]),
            Axis::few("c", &[0, 3]),
        ]
    };
    let machines = || {
        [
            Axis::few("L", &[1, 20]),
            Axis::few("o", &[2]),
            Axis::few("g", &[1, 9]),
        ]
    };
    let broadcast = [
        machines().as_slice(),
        &[
            Axis::range("K", 1, 12),
            Axis::few("n", &[13, 60]),
            Axis::few("m", &[1, 5, 13]),
        ],
    ]
    .concat();
    let collective = || [machines().as_slice(), collective().as_slice()].concat();
    vec![
        claim(
            "bound-worms",
            "mesh::wormhole::problem",
            "wormhole-multicast",
            worms.into(),
        ),
        claim(
            "bound-barrier",
            "collectives::barrier",
            "barrier",
            [machine(), vec![Axis::range("K", 1, 40)]].concat(),
        ),
        claim(
            "bound-allreduce",
            "collectives::allreduce",
            "allreduce",
            collective(),
        ),
        claim(
            "bound-reduce-scatter",
            "collectives::reduce_scatter",
            "reduce-scatter",
            collective(),
        ),
        claim(
            "bound-allgather",
            "collectives::allgather",
            "allgather",
            collective(),
        ),
        claim(
            "bound-alltoall",
            "collectives::alltoall",
            "alltoall",
            collective(),
        ),
        claim(
            "bound-reduce",
            "collectives::reduce",
            "reduce",
            collective(),
        ),
        claim(
            "bound-broadcast",
            "collectives::broadcast",
            "broadcast",
            broadcast,
        ),
        on_ports(
            PortRule::Duplex,
            "bound-broadcast-duplex",
            "logp::pipeline::bounds",
            "broadcast",
            [machine(), segments.into()].concat(),
        ),
        claim(
            "bound-gather",
            "collectives::gather",
            "gather",
            collective(),
        ),
        claim(
            "bound-scatter",
            "collectives::scatter",
            "scatter",
            collective(),
        ),
        claim("bound-scan", "collectives::scan", "scan", collective()),
        claim("bound-exscan", "collectives::scan", "exscan", collective()),
    ]
}

/// A claim on all algorithms of a problem, over some of its axes; the others have their defaults.
fn claim(id: &'static str, section: &'static str, problem: &'static str, axes: Vec<Axis>) -> Claim {
    on_ports(PortRule::Strict, id, section, problem, axes)
}

/// A claim for ports with this rule, where the problem has several.
fn on_ports(
    rule: PortRule,
    id: &'static str,
    section: &'static str,
    problem: &'static str,
    axes: Vec<Axis>,
) -> Claim {
    let keys: Vec<&'static str> = axes.iter().map(|axis| axis.symbol).collect();
    let claim = Claim::new(
        Paper::Castbench,
        id,
        section,
        "no algorithm of the catalogue costs less than the lower bound",
    );
    let repeat = match rule {
        PortRule::Strict => format!("best --problem {problem}"),
        PortRule::Duplex => format!("best --problem {problem} --ports duplex"),
    };
    Claim {
        repeat: Repeat::Options(repeat.into()),
        ..claim
    }
    .noted("every algorithm by formula and, as far as it is small enough, executed")
    .on(axes)
    .checked(move |v| judge(problem, rule, &keys, v))
}

/// The values at a point of a claim; the rule of ports is no axis of it.
fn value<'a>(rule: PortRule, keys: &'a [&'a str], v: &'a [u64]) -> impl Fn(&str) -> Value + 'a {
    let of_axes = by_key(keys, v);
    move |key| match key {
        "ports" => Some(rule as u64),
        _ => of_axes(key),
    }
}

fn judge(problem: &str, rule: PortRule, keys: &[&str], v: &[u64]) -> Result<Outcome, Cause> {
    let mut judged = Outcome::Outside;
    for entry in entries()
        .iter()
        .filter(|entry| entry.problem().name() == problem)
    {
        let Some(evaluation) = evaluated(entry, &LIMITS, value(rule, keys, v))? else {
            continue;
        };
        if evaluation.agreement() == Agreement::Differ {
            return Err(Cause::Disagree(Box::new(evaluation)));
        }
        let Some(cost) = evaluation.analytic.or_else(|| evaluation.simulated.cost()) else {
            continue;
        };
        if cost < evaluation.lower_bound {
            return Ok(Outcome::Fails(format!(
                "{} costs {cost}, the bound is {}",
                entry.name, evaluation.lower_bound
            )));
        }
        judged = Outcome::Holds;
    }
    Ok(judged)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::catalogue::PROBLEMS;
    use crate::claims::claim::values;
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
        let mut problems = BTreeSet::from(of_papers.map(str::to_owned));
        for claim in claims() {
            let Repeat::Options(options) = &claim.repeat else {
                panic!("{} names no problem", claim.id)
            };
            let options = options.strip_prefix("best --problem ").unwrap();
            let (problem, rule) = match options.strip_suffix(" --ports duplex") {
                Some(problem) => (problem, PortRule::Duplex),
                None => (options, PortRule::Strict),
            };
            let keys: Vec<&str> = claim.axes.iter().map(|axis| axis.symbol).collect();
            assert!(
                problems.insert(problem.to_owned()) || rule == PortRule::Duplex,
                "{problem} has two claims"
            );
            for entry in entries()
                .iter()
                .filter(|entry| entry.problem().name() == problem)
            {
                let is_judged = |number| {
                    let values = values(entry, value(rule, &keys, &claim.values(number)));
                    entry
                        .at(&Setting::default(), &values)
                        .is_ok_and(|instance| instance.admit().is_ok())
                };
                assert!(
                    (0..claim.grid_points()).any(is_judged),
                    "{}: no point takes {}",
                    claim.id,
                    entry.name
                );
            }
        }
        let known: BTreeSet<String> = PROBLEMS
            .iter()
            .map(|problem| problem.name().to_owned())
            .collect();
        assert_eq!(
            problems, known,
            "add a claim for each problem of the catalogue to `claims`"
        );
    }
}
