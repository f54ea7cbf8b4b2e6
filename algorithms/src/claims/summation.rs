//! Claims on Shou and Chen's summation tree S*: what each processor adds, its time, and whether it is optimal. They are checked
//! on its execution: when each processor sends, what it receives, when it ends.
//!
//! The paper excludes no g. For `g <= o` the receives of a processor collide with its additions, so these points are outside,
//! except for the claim that the algorithm takes any parameters.

use std::cell::Cell;

use super::claim::Point;
use super::claim::{Claim, Objection, Verdict, claims, equal, hold, only};
use crate::error::fit;
use crate::logp::LogP;
use crate::logp::multicast::optimal as broadcast;
use crate::logp::summation::paper::{self, SummationPaper};
use crate::logp::summation::schedule::{Operation, Schedule};
use crate::logp::summation::simulator::{Trace, execute};
use crate::logp::summation::{self, Summation as _, optimal};

/// Machines and processors, including the papers' examples.
const PROCESSORS: &str = "L = 1..7; o = 0..3; g = 1..6; P = 2..19";
/// A smaller grid, with operands.
const OPERANDS: &str = "L = 1..5; o = 0..2; g = 1..5; P = 1..12; operands = 1..100";

pub(super) fn claims() -> Vec<Claim> {
    claims![
        Logp "logp-lemma-1" "lemma 1; algorithm 2, lines 4 and 5": "a leaf of S* has T_i + 1 operands, another node T_i - (floor((T_i - (L+2o+1))/g) + 1)·(o+1) + 1",
            PROCESSORS, "", "counts the children of the full tree; where P lies between two values of f some are cut off",
            |p, [L, o, g]| operands_by(p, |one| {
                // A leaf by the paper's own count: no child fits.
                let children = one.time.checked_sub(L + 2 * o + 1).map_or(0, |rest| rest / g + 1);
                i128::from(one.time + 1) - i128::from(children * (o + 1))
            });
        Castbench "logp-lemma-1-mended" mends "logp-lemma-1" "logp::summation::paper": "a node of S* that receives c partial sums has T_i - c·(o+1) + 1 operands",
            PROCESSORS, "", "T_i and c as executed",
            |p, [_, o]| operands_by(p, |one| i128::from(one.time + 1) - i128::from(one.children * (o + 1)));
        Logp "logp-theorem-5" "theorem 5": "in T, f_(T-1) < P <= f_T, the tree S* sums N_S = sum of T_i - oP + o + 1 operands",
            PROCESSORS, "", "executed on N_S operands; T_i as executed, T the least time of a broadcast with L+1 for L",
            |p, [L, o, g, P]| {
                let (_, processors, finish) = s_star(p)?;
                let times: u64 = processors.iter().map(|one| one.time).sum();
                let least = broadcast::time(LogP::new(L + 1, o, g)?, P)?;
                sums_in([own(&processors), finish], [times + o + 1 - o * P, least])
            };
        Logp "logp-any-parameters" "introduction; algorithm 2, lines 4 and 5": "the algorithm sets no limit to L, o, g, P: no processor gets a negative number of operands",
            "L = 1..7; o = 0..3; g = 1..6; P = 2..200", "", "where g = o a receive and its addition, o + 1 together, do not fit into a gap: the gap must be o + 1",
            |p, []| fewest_operands(p);
        Logp "logp-theorem-6" "theorem 6": "N >= N_S operands take S* T(N) = T_B + (N - N_S)/P, the quotient rounded up",
            OPERANDS, "cost summation-paper", "executed; the paper does not say how it rounds. Below N_S it says nothing",
            |p, []| {
                let time = by_theorem_6(p)?;
                equal("cost", p.cost("summation-paper")?, time)
            };
        Logp "logp-algorithm-2-shares" "algorithm 2, lines 6 and 7": "every processor takes B = [(N - sum of A_i)/P] more operands, and all together have N",
            "P = 1..40; more = 0..80", "", "more is N - sum of A_i: rounded down it loses operands, rounded up it invents some, unless P divides",
            |_, [P, more]| {
                let shared = [P * (more / P), P * more.div_ceil(P)];
                hold!(shared.contains(&more), "{} or {} handed out", shared[0], shared[1])
            };
        Castbench "logp-shares-mended" mends "logp-algorithm-2-shares" "logp::summation::tree": "with one operand fewer for each of the last processors all have N, and the time is that of theorem 6",
            OPERANDS, "cost summation-paper", "executed, with the sum checked",
            |p, [_, _, _, P, operands]| {
                let time = by_theorem_6(p)?;
                let (schedule, trace) = executed(p.machine()?, P, operands)?;
                let own: u64 = (0..schedule.processors()).map(|p| schedule.operands(p)).sum();
                hold!([own, trace.finish] == [operands, time], "{own} operands, time {}", trace.finish)
            };
        Logp "logp-optimal-operands" "theorem 5, \"at most\"; section 3": "S* is optimal: in the time T_B of its tree no summation on P processors sums more than N_S operands",
            PROCESSORS, "", "a child with T_i < o hands over less than the o + 1 additions its message costs; and cutting in preorder keeps late nodes",
            |p, [_, _, _, P]| {
                let (model, processors, finish) = s_star(p)?;
                let (least, most) = (own(&processors), fit(optimal::summed_by(model, P, finish)?)?);
                let best = p.cost_at("summation-optimal", &[("operands", most)])?;
                let is_more = best <= finish && most > least;
                hold!(!is_more, "N_S = {least}, summation-optimal sums {most} in {best}, T_B = {finish}")
            };
        Logp "logp-optimal-time" "section 3": "S* is optimal: no summation of N >= N_S operands ends before it",
            OPERANDS, "cost summation-paper", "N is --operands; the faster one is executed, too: summation-optimal",
            |p, []| {
                fewest(p)?;
                let [paper, best] = [p.cost("summation-paper")?, p.cost("summation-optimal")?];
                hold!(paper <= best, "S* takes {paper}, summation-optimal {best}")
            };
        Castbench "logp-optimum" mends "logp-optimal-operands" "logp::summation::optimal": "in T at most T + 1 + sum of (T - x - o) operands, over those of the P - 1 smallest labels x below the root with T - x > o",
            "L = 1..5; o = 0..3; g = 1..6; P = 1..12; T = 0..40", "", "reached by execution, in T and not before; that nothing does better is searched exhaustively in the tests",
            |p, [L, o, g, P, T]| {
                let labels = smallest_labels(L + 1 + 2 * o, summation::gap(LogP::new(L, o, g)?), P - 1, T);
                let most = T + 1 + labels.iter().map(|label| T.saturating_sub(label + o)).sum::<u64>();
                let time = |operands| p.cost_at("summation-optimal", &[("operands", operands)]);
                most_in(T, most, time(most)?, time(most + 1)?)
            };
    ]
}

/// A processor of S* in the execution.
struct Executed {
    /// `T_i`: when it begins to send; the root, when it ends.
    time: u64,
    /// Its own operands.
    operands: u64,
    /// How many partial sums it receives.
    children: u64,
}

/// S* on P processors: its schedule and its execution.
fn executed(model: LogP, P: u64, operands: u64) -> Result<(Schedule, Trace), Objection> {
    let schedule =
        SummationPaper.schedule(model, u32::try_from(P).unwrap_or(u32::MAX), operands)?;
    let trace = execute(model, &schedule)?;
    Ok((schedule, trace))
}

/// S* on the fewest operands that it takes: its processors, and when it ends. Outside where the paper's tree collides.
fn s_star(p: &Point<'_>) -> Result<(LogP, Vec<Executed>, u64), Objection> {
    let [L, o, g, P] = p.values();
    only(g > o)?;
    let model = LogP::new(L, o, g)?;
    let (schedule, trace) = executed(model, P, fit(paper::least_operands(model, P)?)?)?;
    let one = |p: u32| {
        let (mut time, mut children) = (trace.finish, 0);
        for span in trace.spans(p) {
            match span.operation {
                Operation::Send { .. } => time = span.start,
                Operation::Receive { .. } => children += 1,
                _ => {}
            }
        }
        Executed {
            time,
            operands: schedule.operands(p),
            children,
        }
    };
    Ok((
        model,
        (0..schedule.processors()).map(one).collect(),
        trace.finish,
    ))
}

/// The operands of all.
fn own(processors: &[Executed]) -> u64 {
    processors.iter().map(|one| one.operands).sum()
}

/// Whether all processors have the operands of a formula.
fn operands_by(p: &Point<'_>, formula: impl Fn(&Executed) -> i128) -> Verdict {
    for (number, one) in s_star(p)?.1.iter().enumerate() {
        let (time, children, operands, claimed) =
            (one.time, one.children, one.operands, formula(one));
        hold!(
            i128::from(operands) == claimed,
            "processor {number} with T_{number} = {time} and {children} children adds {operands} operands, claimed {claimed}"
        )?;
    }
    Ok(())
}

/// Operands and their time are the claimed ones.
fn sums_in([operands, time]: [u64; 2], claimed: [u64; 2]) -> Verdict {
    let holds = [operands, time] == claimed;
    hold!(
        holds,
        "{operands} operands in {time}, claimed {} in {}",
        claimed[0],
        claimed[1]
    )
}

/// The least `A_i` of algorithm 2 over the nodes of the full tree that reaches P, with the paper's own g.
fn fewest_operands(p: &Point<'_>) -> Verdict {
    let [L, o, g, P] = p.values();
    only(g >= o)?;
    let (D, time) = (L + 2 * o + 1, broadcast::time(LogP::new(L + 1, o, g)?, P)?);
    // The root has the most time left and so the most children.
    for left in (0..=time).rev() {
        let children = left.checked_sub(D).map_or(0, |rest| rest / g + 1);
        let is_reached = left == time || (time - left >= D && reached_at(D, g, time - left));
        let operands = i128::from(left + 1) - i128::from((o + 1) * children);
        hold!(
            !is_reached || operands >= 0,
            "T_i = {left}, {children} children: {operands} operands"
        )?;
    }
    Ok(())
}

/// Whether a node of the full tree has this label, `a·D + b·g` with `a >= 1`.
fn reached_at(D: u64, g: u64, label: u64) -> bool {
    (1..=label / D).any(|hops| (label - hops * D).is_multiple_of(g))
}

thread_local! {
    /// The last machine and processors of [`fewest`], and its answer. The operands vary fastest, and S* on `N_S` operands is the
    /// same for all of them.
    static LAST_FEWEST: Cell<Option<([u64; 4], [u64; 2])>> = const { Cell::new(None) };
}

/// `N_S` as the processors of S* add it, and `T_B`; outside where the point has fewer operands, or the tree collides.
fn fewest(p: &Point<'_>) -> Result<[u64; 2], Objection> {
    let ([_, _, _, _, operands], machine) = (p.values(), p.values());
    let known = LAST_FEWEST.get().filter(|(own, _)| *own == machine);
    let found = match known {
        Some((_, found)) => found,
        None => {
            let (_, processors, finish) = s_star(p)?;
            [own(&processors), finish]
        }
    };
    LAST_FEWEST.set(Some((machine, found)));
    only(found[0] <= operands)?;
    Ok(found)
}

/// The time of theorem 6.
fn by_theorem_6(p: &Point<'_>) -> Result<u64, Objection> {
    let ([_, _, _, P, operands], [least, finish]) = (p.values(), fewest(p)?);
    Ok(finish + (operands - least).div_ceil(P))
}

/// The claimed number of operands is summed in time, and one more is not.
fn most_in(T: u64, most: u64, in_time: u64, too_many: u64) -> Verdict {
    let holds = in_time <= T && T < too_many;
    hold!(holds, "{most} operands take {in_time}, one more {too_many}")
}

/// The smallest labels below the root of the tree with hop D and this gap, none above `most`.
fn smallest_labels(D: u64, gap: u64, count: u64, most: u64) -> Vec<u64> {
    let mut nodes = vec![D];
    let mut labels = Vec::new();
    while labels.len() as u64 != count {
        let Some(next) = (0..nodes.len())
            .min_by_key(|&at| nodes[at])
            .map(|at| nodes.swap_remove(at))
        else {
            break;
        };
        if next > most {
            break;
        }
        labels.push(next);
        // Its first child, and its next sibling.
        nodes.extend([next + D, next + gap]);
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checks of claims that hold never report a failure elsewhere.
    #[test]
    fn what_would_not_hold_is_told() {
        let fails = |found: &str| Err(Objection::Fails(found.to_owned()));
        assert_eq!(sums_in([9, 5], [9, 5]), Ok(()));
        assert_eq!(
            sums_in([9, 6], [9, 5]),
            fails("9 operands in 6, claimed 9 in 5")
        );
        assert_eq!(
            sums_in([8, 5], [9, 5]),
            fails("8 operands in 5, claimed 9 in 5")
        );
        assert_eq!(
            [most_in(5, 9, 5, 6), most_in(5, 9, 4, 7)],
            [const { Ok(()) }; 2]
        );
        assert_eq!(most_in(5, 9, 6, 7), fails("9 operands take 6, one more 7"));
        assert_eq!(most_in(5, 9, 5, 5), fails("9 operands take 5, one more 5"));
    }
}
