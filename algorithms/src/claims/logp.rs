//! The claims of Shou, Chen, "The implementation of optimal broadcast and summation algorithms in the LogP model",
//! 1997, on broadcast; those on summation are in [`summation`].
//!
//! The paper's P is K in `castbench cost optimal`, and K here.

mod summation;

use super::axis::Axis;
use super::claim::{Cause, Claim, Outcome, Paper, as_published, at_most, claim, equal};
use super::trees::{evaluation, of_tree, time};
use crate::logp::LogP;
use crate::logp::multicast::Multicast;
use crate::logp::multicast::optimal::{self, Optimal};

const PAPER: Paper = Paper::Logp;

pub(super) fn claims() -> Vec<Claim> {
    let times = [
        Axis::range("L", 1, 10),
        Axis::range("o", 1, 3),
        Axis::range("g", 1, 12),
        Axis::range("T", 0, 50),
    ];
    let nodes = [
        Axis::range("L", 1, 12),
        Axis::range("o", 0, 2),
        Axis::range("g", 1, 12),
        Axis::range("K", 1, 128),
    ];
    let theorem_4 = |section: &'static str| {
        of_tree(move |model, K| as_published(evaluation(&Optimal, model, K, 1)?, section))
    };
    let mut claims = vec![
        claim!(PAPER, "logp-theorem-2", "theorem 2":
            "f_T processors are reached in T: f = 1 below L+2o; 1 + floor(n/(L+2o)) from L+2o to below g; f_(n-g) + f_(n-L-2o) after")
        .on(times)
        .noted("against the sum of binomials, and by executing the tree of f_T nodes; one more never arrives in time")
        .checked(of_tree(|model, T| {
            let f = sequence(model, T);
            let found = optimal::reached_by(model, T, u64::MAX);
            let all = time(&Optimal, model, f, 1)?;
            let one_more = time(&Optimal, model, f + 1, 1)?;
            let holds = found == f && all <= T && T < one_more;
            Ok(Outcome::new(holds, || format!("{found} reached, claimed {f}; {f} take {all}, one more {one_more}")))
        })),
        claim!(PAPER, "logp-theorem-3", "theorem 3, definition 3":
            "child k of a node (P_i, T_i) is processor P_i + 1 + f_(T_i) - f_(T_i - kg), and has T_i - L - 2o - kg")
        .on([Axis::range("L", 1, 8), Axis::range("o", 1, 2), Axis::range("g", 1, 10), Axis::range("T", 0, 40)])
        .noted("every node of the tree of f_T nodes that is executed, up to a few thousand")
        .checked(of_tree(numbering)),
        claim!(PAPER, "logp-theorem-4-lower", "theorem 4": "min(g, L+2o)·log2 P <= T_B")
            .on(nodes)
            .shown_by("cost optimal")
            .noted("K stands for P")
            .checked(theorem_4("theorem 4, lower")),
        claim!(PAPER, "logp-theorem-4-upper", "theorem 4": "T_B < max(g, L+2o)·log2(4P)")
            .on(nodes)
            .shown_by("cost optimal")
            .noted("K stands for P")
            .checked(theorem_4("theorem 4, upper")),
        claim!("logp-theorem-4-sharper" mends "logp-theorem-4-upper", "logp::multicast::optimal":
            "T_B <= max(g, L+2o)·ceil(log2 P)")
        .on(nodes)
        .shown_by("cost optimal")
        .noted("sharper: halving alone does that, and log2(4P) allows more than a doubling beyond it")
        .checked(of_tree(|model, K| {
            let cost = time(&Optimal, model, K, 1)?;
            let bound = model.D().max(model.gap()) * u64::from(K.next_power_of_two().trailing_zeros());
            Ok(at_most("cost", cost, bound))
        })),
    ];
    claims.extend(summation::claims());
    claims
}

/// `f_t` of theorem 2 as printed.
fn sequence(model: LogP, t: u64) -> u64 {
    let (D, g) = (model.D(), model.g());
    let mut f: Vec<u64> = Vec::new();
    let before = |f: &[u64], i: u64, step: u64| usize::try_from(i - step).map_or(1, |at| f[at]);
    for i in 0..=t {
        let next = if i < D {
            1
        } else if i < g {
            1 + i / D
        } else {
            before(&f, i, g).saturating_add(before(&f, i, D))
        };
        f.push(next);
    }
    f.last().copied().unwrap_or(1)
}

/// The most nodes of a tree whose numbering is compared.
const NUMBERED: u64 = 4096;

/// Theorem 3 at every node of the tree of `f_T` nodes.
fn numbering(model: LogP, T: u64) -> Result<Outcome, Cause> {
    let f: Vec<u64> = (0..=T).map(|t| sequence(model, t)).collect();
    let value = |t: Option<u64>| t.and_then(|t| usize::try_from(t).ok()).map_or(0, |t| f[t]);
    let nodes = value(Some(T));
    let Some(K) = u32::try_from(nodes).ok().filter(|_| nodes <= NUMBERED) else {
        return Ok(Outcome::Outside);
    };
    let schedule = Optimal.schedule(model, K, 1);
    // Processor p of the paper is node p + 1 here.
    let mut visit = vec![(0, T)];
    while let Some((p, left)) = visit.pop() {
        let starts = (0..)
            .map(|k| k * model.g())
            .take_while(|gaps| gaps + model.D() <= left);
        let claimed: Vec<(u64, u64)> = starts
            .map(|gaps| {
                (
                    p + 1 + value(Some(left)) - value(left.checked_sub(gaps)),
                    left - gaps - model.D(),
                )
            })
            .collect();
        let node = u32::try_from(p + 1).unwrap_or(u32::MAX);
        let made: Vec<u64> = schedule
            .targets(node)
            .iter()
            .map(|&target| u64::from(target) - 1)
            .collect();
        if !made.iter().copied().eq(claimed.iter().map(|child| child.0)) {
            return Ok(Outcome::Fails(format!(
                "processor {p} has children {made:?}"
            )));
        }
        visit.extend(claimed);
    }
    Ok(equal(
        "processors",
        u64::from(schedule.nodes()),
        nodes.into(),
    ))
}
