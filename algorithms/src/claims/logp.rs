//! The claims of Shou, Chen, "The implementation of optimal broadcast and summation algorithms in the LogP model",
//! 1997, on broadcast; those on summation are in [`summation`](super::summation).
//!
//! The paper's P is K in `castbench cost optimal`, and K here.

use super::claim::Point;
use super::claim::{Claim, Verdict, at_most, ceil_log, claims, equal, hold, only};
use crate::logp::LogP;
use crate::logp::multicast::Multicast as _;
use crate::logp::multicast::optimal::{self, Optimal};

const NODES: &str = "L = 1..12; o = 0..2; g = 1..12; K = 1..128";

pub(super) fn claims() -> Vec<Claim> {
    claims![
        Logp "logp-theorem-2" "theorem 2": "f_T processors are reached in T: f = 1 below L+2o; 1 + floor(n/(L+2o)) from L+2o to below g; f_(n-g) + f_(n-L-2o) after",
            "L = 1..10; o = 1..3; g = 1..12; T = 0..50", "", "against the sum of binomials, and by executing the tree of f_T nodes; one more never arrives in time",
            |p, [_, _, _, T]| {
                let model = p.machine()?;
                let (f, found) = (sequence(model, T), optimal::reached_by(model, T, u64::MAX));
                let all = p.cost_at("optimal", &[("K", f)])?;
                let one_more = p.cost_at("optimal", &[("K", f + 1)])?;
                let holds = found == f && all <= T && T < one_more;
                hold!(holds, "{found} reached, claimed {f}; {f} take {all}, one more {one_more}")
            };
        Logp "logp-theorem-3" "theorem 3, definition 3": "child k of a node (P_i, T_i) is processor P_i + 1 + f_(T_i) - f_(T_i - kg), and has T_i - L - 2o - kg",
            "L = 1..8; o = 1..2; g = 1..10; T = 0..40", "", "every node of the tree of f_T nodes that is executed, up to a few thousand",
            |p, [_, _, _, T]| numbering(p, T);
        Logp "logp-theorem-4-lower" "theorem 4": "min(g, L+2o)·log2 P <= T_B",
            NODES, "cost optimal", "K stands for P", |p, []| p.published("optimal", "theorem 4, lower");
        Logp "logp-theorem-4-upper" "theorem 4": "T_B < max(g, L+2o)·log2(4P)",
            NODES, "cost optimal", "K stands for P", |p, []| p.published("optimal", "theorem 4, upper");
        Castbench "logp-theorem-4-sharper" mends "logp-theorem-4-upper" "logp::multicast::optimal": "T_B <= max(g, L+2o)·ceil(log2 P)",
            NODES, "cost optimal", "sharper: halving alone does that, and log2(4P) allows more than a doubling beyond it",
            |p, [_, _, _, K]| {
                let model = p.machine()?;
                at_most("cost", p.cost("optimal")?, model.D().max(model.gap()) * ceil_log(2, K))
            };
    ]
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
fn numbering(p: &Point<'_>, T: u64) -> Verdict {
    let model = p.machine()?;
    let f: Vec<u64> = (0..=T).map(|t| sequence(model, t)).collect();
    let value = |t: Option<u64>| t.and_then(|t| usize::try_from(t).ok()).map_or(0, |t| f[t]);
    let nodes = value(Some(T));
    only(nodes <= NUMBERED)?;
    let schedule = Optimal.schedule(model, u32::try_from(nodes).unwrap_or(u32::MAX), 1);
    // Processor p of the paper is node p + 1 here.
    let mut visit = vec![(0, T)];
    while let Some((p, left)) = visit.pop() {
        let gaps = (0..).map(|k| k * model.g());
        let child = |gaps| {
            (
                p + 1 + value(Some(left)) - value(left.checked_sub(gaps)),
                left - gaps - model.D(),
            )
        };
        let claimed: Vec<(u64, u64)> = gaps
            .take_while(|gaps| gaps + model.D() <= left)
            .map(child)
            .collect();
        let targets = schedule.targets(u32::try_from(p + 1).unwrap_or(u32::MAX));
        let made: Vec<u64> = targets
            .iter()
            .map(|&target| u64::from(target) - 1)
            .collect();
        let is_equal = made.iter().copied().eq(claimed.iter().map(|child| child.0));
        hold!(is_equal, "processor {p} has children {made:?}")?;
        visit.extend(claimed);
    }
    equal("processors", u64::from(schedule.nodes()), nodes)
}
