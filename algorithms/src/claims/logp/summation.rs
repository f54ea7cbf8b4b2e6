//! Claims on Shou and Chen's summation tree S*: what each processor adds, its time, and whether it is optimal. They are checked
//! on its execution: when each processor sends, what it receives, when it ends.
//!
//! The paper excludes no g. For `g <= o` the receives of a processor collide with its additions, so these points are outside,
//! except for the claim that the algorithm takes any parameters.

use std::cell::Cell;

use crate::claims::axis::Axis;
use crate::claims::claim::{Cause, Claim, LIMITS, Outcome, Paper, agreed, claim, equal};
use crate::logp::LogP;
use crate::logp::summation::optimal::{self, SummationOptimal};
use crate::logp::summation::paper::{self, SummationPaper};
use crate::logp::summation::problem::{LogpSummation, SummationPoint};
use crate::logp::summation::schedule::{Operation, Schedule};
use crate::logp::summation::simulator::{Trace, execute};
use crate::logp::summation::{self, Summation};
use crate::problem::Problem as _;

const PAPER: Paper = Paper::Logp;

/// Machines and processors, including the papers' examples.
const PROCESSORS: [Axis; 4] = [
    Axis::range("L", 1, 7),
    Axis::range("o", 0, 3),
    Axis::range("g", 1, 6),
    Axis::range("P", 2, 19),
];

/// A smaller grid, with operands.
const OPERANDS: [Axis; 5] = [
    Axis::range("L", 1, 5),
    Axis::range("o", 0, 2),
    Axis::range("g", 1, 5),
    Axis::range("P", 1, 12),
    Axis::range("operands", 1, 100),
];

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
fn executed(model: LogP, P: u64, operands: u64) -> Result<(Schedule, Trace), Cause> {
    let schedule =
        SummationPaper.schedule(model, u32::try_from(P).unwrap_or(u32::MAX), operands)?;
    let trace = execute(model, &schedule)?;
    Ok((schedule, trace))
}

/// S* on the fewest operands that it takes: its processors, and when it ends. `None` where the paper's tree collides.
fn s_star(v: &[u64]) -> Result<Option<(LogP, Vec<Executed>, u64)>, Cause> {
    if v[2] <= v[1] {
        return Ok(None);
    }
    let model = LogP::new(v[0], v[1], v[2])?;
    let operands = crate::error::fit(paper::least_operands(model, v[3])?)?;
    let (schedule, trace) = executed(model, v[3], operands)?;
    let one = |p: u32| {
        let spans = trace.spans(p);
        let sends = spans
            .iter()
            .find(|span| matches!(span.operation, Operation::Send { .. }));
        let receives = spans
            .iter()
            .filter(|span| matches!(span.operation, Operation::Receive { .. }));
        Executed {
            time: sends.map_or(trace.finish, |span| span.start),
            operands: schedule.operands(p),
            children: receives.count() as u64,
        }
    };
    Ok(Some((
        model,
        (0..schedule.processors()).map(one).collect(),
        trace.finish,
    )))
}

/// The cost of an algorithm, executed.
fn cost(
    algorithm: &'static dyn Summation,
    model: LogP,
    P: u64,
    operands: u64,
) -> Result<u64, Cause> {
    Ok(agreed(LogpSummation::at(
        algorithm,
        SummationPoint { model, P, operands },
        &LIMITS,
    )?)?
    .0)
}

/// A check of S* as executed.
fn of_s_star(
    check: impl Fn(LogP, &[Executed], u64) -> Result<Outcome, Cause> + Send + Sync + 'static,
) -> impl Fn(&[u64]) -> Result<Outcome, Cause> + Send + Sync + 'static {
    move |v| match s_star(v)? {
        Some((model, processors, finish)) => check(model, &processors, finish),
        None => Ok(Outcome::Outside),
    }
}

/// The first processor whose operands differ from a formula.
fn operands_by(processors: &[Executed], formula: impl Fn(&Executed) -> i128) -> Outcome {
    let differs = processors
        .iter()
        .enumerate()
        .find(|(_, one)| i128::from(one.operands) != formula(one));
    match differs {
        None => Outcome::Holds,
        Some((p, one)) => Outcome::Fails(format!(
            "processor {p} with T_{p} = {} and {} children adds {} operands, claimed {}",
            one.time,
            one.children,
            one.operands,
            formula(one)
        )),
    }
}

pub(super) fn claims() -> Vec<Claim> {
    let mut claims = Vec::from(lemma_and_theorem_5());
    claims.extend(theorem_6());
    claims.extend(optimality());
    claims
}

fn lemma_and_theorem_5() -> [Claim; 4] {
    [
        claim!(PAPER, "logp-lemma-1", "lemma 1; algorithm 2, lines 4 and 5":
            "a leaf of S* has T_i + 1 operands, another node T_i - (floor((T_i - (L+2o+1))/g) + 1)·(o+1) + 1")
        .on(PROCESSORS)
        .noted("counts the children of the full tree; where P lies between two values of f some are cut off")
        .checked(of_s_star(|model, processors, _| {
            let (D, g, o) = (i128::from(model.D()) + 1, i128::from(model.g()), i128::from(model.o()));
            Ok(operands_by(processors, |one| {
                let time = i128::from(one.time);
                // A leaf by the paper's own count: no child fits.
                let children = if time < D { 0 } else { (time - D) / g + 1 };
                time - children * (o + 1) + 1
            }))
        })),
        claim!("logp-lemma-1-mended" mends "logp-lemma-1", "logp::summation::paper":
            "a node of S* that receives c partial sums has T_i - c·(o+1) + 1 operands")
        .on(PROCESSORS)
        .noted("T_i and c as executed")
        .checked(of_s_star(|model, processors, _| {
            let busy = i128::from(model.o()) + 1;
            Ok(operands_by(processors, |one| i128::from(one.time) - i128::from(one.children) * busy + 1))
        })),
        claim!(PAPER, "logp-theorem-5", "theorem 5":
            "in T, f_(T-1) < P <= f_T, the tree S* sums N_S = sum of T_i - oP + o + 1 operands")
        .on(PROCESSORS)
        .noted("executed on N_S operands; T_i as executed, T the least time of a broadcast with L+1 for L")
        .checked(of_s_star(|model, processors, finish| {
            let (P, o) = (processors.len() as u64, model.o());
            let times: u64 = processors.iter().map(|one| one.time).sum();
            let operands: u64 = processors.iter().map(|one| one.operands).sum();
            let broadcast = crate::logp::multicast::optimal::time(LogP::new(model.L() + 1, o, model.g())?, P)?;
            let claimed = u128::from(times + o + 1) - u128::from(o * P);
            Ok(sums_in([operands.into(), finish.into()], [claimed, broadcast.into()]))
        })),
        claim!(PAPER, "logp-any-parameters", "introduction; algorithm 2, lines 4 and 5":
            "the algorithm sets no limit to L, o, g, P: no processor gets a negative number of operands")
        .on([Axis::range("L", 1, 7), Axis::range("o", 0, 3), Axis::range("g", 1, 6), Axis::range("P", 2, 200)])
        .noted("where g = o a receive and its addition, o + 1 together, do not fit into a gap: the gap must be o + 1")
        .checked(fewest_operands),
    ]
}

/// Operands and their time are the claimed ones.
fn sums_in(found: [u128; 2], claimed: [u128; 2]) -> Outcome {
    Outcome::new(found == claimed, || {
        format!(
            "{} operands in {}, claimed {} in {}",
            found[0], found[1], claimed[0], claimed[1]
        )
    })
}

/// The least `A_i` of algorithm 2 over the nodes of the full tree that reaches P, with the paper's own g.
fn fewest_operands(v: &[u64]) -> Result<Outcome, Cause> {
    let [L, o, g, P] = [v[0], v[1], v[2], v[3]];
    if g < o {
        return Ok(Outcome::Outside);
    }
    let (D, time) = (
        L + 2 * o + 1,
        crate::logp::multicast::optimal::time(LogP::new(L + 1, o, g)?, P)?,
    );
    // The root has the most time left and so the most children.
    for left in (0..=time).rev() {
        let children = left.checked_sub(D).map_or(0, |rest| rest / g + 1);
        let reachable = left == time || (time - left >= D && reached_at(D, g, time - left));
        if reachable && (o + 1) * children > left + 1 {
            return Ok(Outcome::Fails(format!(
                "T_i = {left}, {children} children: {} operands",
                i128::from(left) + 1 - i128::from((o + 1) * children)
            )));
        }
    }
    Ok(Outcome::Holds)
}

/// Whether a node of the full tree has this label, `a·D + b·g` with `a >= 1`.
fn reached_at(D: u64, g: u64, label: u64) -> bool {
    (1..=label / D).any(|hops| (label - hops * D).is_multiple_of(g))
}

thread_local! {
    /// The machine and the processors of the last answer of [`fewest`], with `N_S` and `T_B`. The operands vary fastest, and S* on `N_S`
    /// operands is the same for all of them.
    static LAST_FEWEST: Cell<Option<(LogP, u64, [u64; 2])>> = const { Cell::new(None) };
}

/// The machine, `N_S` as the processors of S* add it, and `T_B`; `None` where the point has fewer operands, or the tree collides.
fn fewest(v: &[u64]) -> Result<Option<(LogP, u64, u64)>, Cause> {
    let (model, P) = (LogP::new(v[0], v[1], v[2])?, v[3]);
    let known = LAST_FEWEST
        .get()
        .filter(|&(of, on, _)| (of, on) == (model, P));
    let [least, finish] = match known {
        Some((.., found)) => found,
        None => {
            let Some((_, processors, finish)) = s_star(v)? else {
                return Ok(None);
            };
            let found = [processors.iter().map(|one| one.operands).sum(), finish];
            LAST_FEWEST.set(Some((model, P, found)));
            found
        }
    };
    Ok((least <= v[4]).then_some((model, least, finish)))
}

/// The time of theorem 6 for the operands of [`OPERANDS`]; `None` where there are fewer than `N_S`, or the tree collides.
fn by_theorem_6(v: &[u64]) -> Result<Option<(LogP, u64)>, Cause> {
    let of = |(model, least, finish): (LogP, u64, u64)| {
        let further = (v[4] - least).div_ceil(v[3]);
        (model, finish + further)
    };
    Ok(fewest(v)?.map(of))
}

fn theorem_6() -> [Claim; 3] {
    [
        claim!(PAPER, "logp-theorem-6", "theorem 6":
            "N >= N_S operands take S* T(N) = T_B + (N - N_S)/P, the quotient rounded up")
        .on(OPERANDS)
        .shown_by("cost summation-paper")
        .noted("executed; the paper does not say how it rounds. Below N_S it says nothing")
        .checked(|v| {
            let Some((model, time)) = by_theorem_6(v)? else { return Ok(Outcome::Outside) };
            let paper = cost(&SummationPaper, model, v[3], v[4])?;
            Ok(equal("cost", paper, time.into()))
        }),
        claim!(PAPER, "logp-algorithm-2-shares", "algorithm 2, lines 6 and 7":
            "every processor takes B = [(N - sum of A_i)/P] more operands, and all together have N")
        .on([Axis::range("P", 1, 40), Axis::range("more", 0, 80)])
        .noted("more is N - sum of A_i: rounded down it loses operands, rounded up it invents some, unless P divides")
        .checked(|v| {
            let (P, more) = (v[0], v[1]);
            let shared = [P * (more / P), P * more.div_ceil(P)];
            Ok(Outcome::new(shared.contains(&more), || format!("{} or {} handed out", shared[0], shared[1])))
        }),
        claim!("logp-shares-mended" mends "logp-algorithm-2-shares", "logp::summation::tree":
            "with one operand fewer for each of the last processors all have N, and the time is that of theorem 6")
        .on(OPERANDS)
        .shown_by("cost summation-paper")
        .noted("executed, with the sum checked")
        .checked(|v| {
            let Some((model, time)) = by_theorem_6(v)? else { return Ok(Outcome::Outside) };
            let (schedule, trace) = executed(model, v[3], v[4])?;
            let own: u64 = (0..schedule.processors()).map(|p| schedule.operands(p)).sum();
            let holds = [own, trace.finish] == [v[4], time];
            Ok(Outcome::new(holds, || format!("{own} operands, time {}", trace.finish)))
        }),
    ]
}

fn optimality() -> [Claim; 3] {
    [
        claim!(PAPER, "logp-optimal-operands", "theorem 5, \"at most\"; section 3":
            "S* is optimal: in the time T_B of its tree no summation on P processors sums more than N_S operands")
        .on(PROCESSORS)
        .noted("a child with T_i < o hands over less than the o + 1 additions its message costs; and cutting in preorder keeps late nodes")
        .checked(of_s_star(|model, processors, finish| {
            let P = processors.len() as u64;
            let operands: u64 = processors.iter().map(|one| one.operands).sum();
            let most = crate::error::fit(optimal::summed_by(model, P, finish)?)?;
            let best = cost(&SummationOptimal, model, P, most)?;
            let more = best <= finish && most > operands;
            Ok(Outcome::new(!more, || format!("N_S = {operands}, summation-optimal sums {most} in {best}, T_B = {finish}")))
        })),
        claim!(PAPER, "logp-optimal-time", "section 3":
            "S* is optimal: no summation of N >= N_S operands ends before it")
            .on(OPERANDS)
            .shown_by("cost summation-paper")
            .noted("N is --operands; the faster one is executed, too: summation-optimal")
            .checked(|v| {
                let Some((model, ..)) = fewest(v)? else {
                    return Ok(Outcome::Outside);
                };
                let paper = cost(&SummationPaper, model, v[3], v[4])?;
                let best = cost(&SummationOptimal, model, v[3], v[4])?;
                Ok(Outcome::new(paper <= best, || format!("S* takes {paper}, summation-optimal {best}")))
            }),
        claim!("logp-optimum" mends "logp-optimal-operands", "logp::summation::optimal":
            "in T at most T + 1 + sum of (T - x - o) operands, over those of the P - 1 smallest labels x below the root with T - x > o")
        .on([
            Axis::range("L", 1, 5),
            Axis::range("o", 0, 3),
            Axis::range("g", 1, 6),
            Axis::range("P", 1, 12),
            Axis::range("T", 0, 40),
        ])
        .noted("reached by execution, in T and not before; that nothing does better is searched exhaustively in the tests")
        .checked(|v| {
            let [L, o, g, P, T] = [v[0], v[1], v[2], v[3], v[4]];
            let model = LogP::new(L, o, g)?;
            let labels = smallest_labels(L + 1 + 2 * o, summation::gap(model), P - 1, T);
            let most = T + 1 + labels.iter().map(|label| T.saturating_sub(label + o)).sum::<u64>();
            let [in_time, too_many] = [most, most + 1].map(|operands| cost(&SummationOptimal, model, P, operands));
            Ok(most_in(T, most, in_time?, too_many?))
        }),
    ]
}

/// The claimed number of operands is summed in time, and one more is not.
fn most_in(T: u64, most: u64, in_time: u64, too_many: u64) -> Outcome {
    let holds = in_time <= T && T < too_many;
    Outcome::new(holds, || {
        format!("{most} operands take {in_time}, one more {too_many}")
    })
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
        let fails = |found: &str| Outcome::Fails(found.to_owned());
        assert_eq!(sums_in([9, 5], [9, 5]), Outcome::Holds);
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
            [Outcome::Holds, Outcome::Holds]
        );
        assert_eq!(most_in(5, 9, 6, 7), fails("9 operands take 6, one more 7"));
        assert_eq!(most_in(5, 9, 5, 5), fails("9 operands take 5, one more 5"));
    }
}
