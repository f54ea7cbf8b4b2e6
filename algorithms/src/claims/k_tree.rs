//! The claims of Ding, Li, "Algorithm and analysis of multiple messages broadcast in the multiport model".
//!
//! Heights are those of the trees as built, rounds those of the execution. The paper does not say how the trees are built
//! where k does not divide n - 2; here they are built as in `multiport::k_tree`.

use super::claim::Point;
use super::claim::{Claim, Objection, Verdict, at_most, ceil_log, claims, equal, hold, only};
use crate::cost::Limits;
use crate::multiport::RoundBroadcast;
use crate::multiport::bounds::{least_rounds, theorem_2};
use crate::multiport::k_tree::KTrees;

/// Trees, including those with fewer than k + 2 nodes.
const TREES: &str = "n = 2..300; k = 2..16";
/// Broadcasts that are executed, on one port or more, and on two or more.
const ANY_PORTS: &str = "n = 2..40; k = 1..6; m = 1..20";
const BROADCASTS: &str = "n = 2..40; k = 2..6; m = 1..20";

pub(super) fn claims() -> Vec<Claim> {
    let claims: Vec<Claim> = claims![
        KTree "k-tree-theorem-1" "theorem 1": "a single message takes ceil(log_(k+1) n) rounds at least, and no more",
            "n = 2..200; k = 1..8; m = 1", "cost repeated", "reached by execution; a count of the nodes that can hold each message shows that no broadcast is faster",
            |p, [n, k]| equal("rounds", fewest(p)?, ceil_log(k + 1, n));
        KTree "k-tree-theorem-2-bound" "theorem 2": "no broadcast takes fewer than ceil(m/k) - 1 + ceil(log_(k+1) n) rounds",
            ANY_PORTS, "cost k-tree", "no algorithm known here, executed, and not the bound by counting either, is below it",
            |p, [n, k, m]| {
                let found = fewest(p)?.min(least_rounds(n, k, m)?);
                let bound = by_theorem_2(n, k, m);
                hold!(u128::from(found) >= bound, "{found} rounds, claimed >= {bound}")
            };
        KTree "k-tree-theorem-2" "theorem 2, as its words have it": "the shortest time of any broadcast is ceil(m/k) - 1 + ceil(log_(k+1) n) rounds",
            ANY_PORTS, "cost k-tree", "the proof is of a lower bound; counting copies shows that the rounds have no room for it",
            |_, [n, k, m]| {
                let (least, bound) = (least_rounds(n, k, m)?, by_theorem_2(n, k, m));
                hold!(u128::from(least) <= bound, "at least {least} rounds by counting, claimed {bound}")
            };
        Castbench "k-tree-counting" mends "k-tree-theorem-2" "multiport::bounds": "the shortest time is ceil(m/k) - 1 + q with q = ceil(log_(k+1) n) where n - 1 <= F(q, (m-1) mod k + 1), and a round more else, wherever hypercube-balanced exists",
            ANY_PORTS, "cost hypercube-balanced", "F counts the copies that each of the last messages can have; reached by execution there, elsewhere a lower bound",
            |p, [n, k, m]| {
                let least = least_rounds(n, k, m)?;
                let found = if rounds(p, "hypercube-balanced")?.is_some() { fewest(p)? } else { least };
                counted(least, by_theorem_2(n, k, m), found)
            };
        KTree "k-tree-properties" "section 4.1, properties 1 and 2": "a full k-ary tree of depth h has (k^h - 1)/(k - 1) nodes, and the depth of n nodes is ceil(log_k(nk-n+1)) - 1",
            "h = 1..8; k = 2..6", "", "property 1 counts levels, property 2 edges, one less",
            |_, [h, k]| equal("by property 2 its depth is", f(full(h, k), k), h);
        Castbench "k-tree-f" mends "k-tree-properties" "multiport::trees": "f(n, k) = ceil(log_k(nk-n+1)) - 1 is the height in edges of the complete k-ary tree of n nodes",
            "n = 1..2000; k = 2..16", "", "against the way up from the last node",
            |_, [n, k]| {
                let up = std::iter::successors(Some(n - 1), |&node| Some(node.checked_sub(1)? / k));
                equal("height", up.count() as u64 - 1, f(n, k))
            };
        KTree "k-tree-height-divides" "section 5": "k divides n-2, n >= k+2: the height is h = 1 + f(n-1, k)",
            TREES, "show k-tree", "the trees are built",
            |_, [n, k]| {
                only(n >= k + 2 && (n - 2).is_multiple_of(k))?;
                equal("height", height(&KTrees::IN_ROW, n, k), 1 + f(n - 1, k))
            };
        KTree "k-tree-height-else" "section 5": "k does not divide n-2, n >= k+2, a = (n-2) mod k: the height is at most h = 1 + f(n-1-a+2k, k)",
            TREES, "show k-tree", "the trees are built, by a reconstruction: the paper leaves out how the a nodes join. Read as a bound",
            |_, [n, k]| {
                only(n >= k + 2 && !(n - 2).is_multiple_of(k))?;
                at_most("height", height(&KTrees::IN_ROW, n, k), bound_else(n, k))
            };
        KTree "k-tree-height-small" "section 5": "2 < n < k+2: the height is at most 3",
            "n = 3..64; k = 2..64", "show k-tree", "the trees are built",
            |_, [n, k]| {
                only(n < k + 2)?;
                at_most("height", height(&KTrees::IN_ROW, n, k), 3u64)
            };
        Castbench "k-tree-height-exact" mends "k-tree-height-else" "multiport::packed": "k trees can have 1 + f(n-1, k), and one more where k trees of that height lack room: a > 0, fewer than k free places, (a+1)·floor(k/a) < k",
            TREES, "show k-tree-packed", "sharper; k-tree-packed as built. That no k trees are lower is proved there and searched in the tests",
            |_, [n, k]| {
                let (level, a) = (f(n - 1, k), (n - 2) % k);
                let no_room = a > 0 && full(level + 1, k) - (n - 1) < k && (a + 1) * (k / a) < k;
                let claimed = if n == 2 { 1 } else { 1 + level + u64::from(no_room) };
                equal("height", height(&KTrees::PACKED, n, k), claimed)
            };
        KTree "k-tree-time" "section 4.2, property 1; section 5": "m messages down k trees of height h take ceil(m/k) - 1 + h rounds",
            BROADCASTS, "cost k-tree", "where only a later tree is that high and the last messages do not use it, a round less",
            |p, [n, k, m]| equal("rounds", p.cost("k-tree")?, by_height(n, k, m));
        Castbench "k-tree-time-mended" mends "k-tree-time" "multiport::trees": "ceil(m/k) - 1 + h rounds at most, one less at least, and just that where k divides m",
            BROADCASTS, "cost k-tree", "executed",
            |p, [n, k, m]| one_less_at_most(p.cost("k-tree")?, by_height(n, k, m), m.is_multiple_of(k));
        KTree "k-tree-time-shortest" "section 4.2, property 1, as its words have it": "given k trees of height h, the shortest time to broadcast m messages is ceil(m/k) - 1 + h rounds",
            BROADCASTS, "cost k-tree", "it is the time of the trees; other algorithms known here, executed, are faster",
            |p, [n, k, m]| {
                let (found, formula) = (fewest(p)?, by_height(n, k, m));
                hold!(found >= formula, "another algorithm takes {found}, claimed {formula}")
            };
        KTree "k-tree-total" "introduction; section 5": "the k-tree algorithm takes at most ceil(m/k) + max(ceil(log_k(n+2k)), 2) rounds, k >= 2",
            BROADCASTS, "cost k-tree", "executed. With room for k = 2: k-tree-two-ports",
            |p, []| p.published("k-tree", "section 5");
        Castbench "k-tree-two-ports" mends "k-tree-total" "multiport::k_tree": "for k = 2 it takes ceil(m/2) - 1 + ceil(log2 n) rounds, n >= 3",
            "n = 3..130; k = 2; m = 1..24", "cost k-tree", "sharper; executed",
            |p, [n, _, m]| equal("rounds", p.cost("k-tree")?, m.div_ceil(2) - 1 + ceil_log(2, n));
        KTree "k-tree-delay" "introduction": "the delay of each message is log(k+1)/log k rounds only",
            "n = 2..40; k = 2..6; m = 1", "cost k-tree", "that is below 2 for all k: the ratio of log_k n, the delay, to log_(k+1) n, the least",
            |p, [_, k]| {
                let delay = p.cost("k-tree")?;
                // delay <= log(k+1)/log k if and only if k^delay <= k+1.
                let holds = u32::try_from(delay).is_ok_and(|delay| k.saturating_pow(delay) <= k + 1);
                hold!(holds, "{delay} rounds for one message")
            };
    ];
    // All are executed.
    let executed = |claim: Claim| Claim {
        limits: Limits {
            nodes: 1 << 20,
            ..claim.limits
        },
        ..claim
    };
    claims.into_iter().map(executed).collect()
}

/// The rounds of an algorithm; `None` where it does not exist.
fn rounds(p: &Point<'_>, algorithm: &str) -> Result<Option<u64>, Objection> {
    match p.cost(algorithm) {
        Err(Objection::Outside) => Ok(None),
        rounds => rounds.map(Some),
    }
}

/// The fewest rounds of algorithms of the catalogue, executed.
fn fewest(p: &Point<'_>) -> Result<u64, Objection> {
    let all = [
        "k-tree",
        "k-tree-packed",
        "circulant",
        "hypercube",
        "hypercube-balanced",
        "repeated",
        "pipelined-chain",
    ];
    let mut least = u64::MAX;
    for algorithm in all {
        least = least.min(rounds(p, algorithm)?.unwrap_or(u64::MAX));
    }
    Ok(least)
}

/// The bound of theorem 2.
fn by_theorem_2(n: u64, k: u64, m: u64) -> u128 {
    theorem_2(n, k, m).map_or(0, |claim| claim.value)
}

/// The height of the paper's trees as built.
fn height(algorithm: &dyn RoundBroadcast, n: u64, k: u64) -> u64 {
    let [n, k] = [n, k].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
    algorithm
        .trees(n, k)
        .map_or(u64::MAX, |trees| trees.height().into())
}

/// The rounds of m messages down the trees of k-tree.
fn by_height(n: u64, k: u64, m: u64) -> u64 {
    m.div_ceil(k) - 1 + height(&KTrees::IN_ROW, n, k)
}

/// `f(n, k) = ceil(log_k(nk-n+1)) - 1`, of property 2.
fn f(n: u64, k: u64) -> u64 {
    ceil_log(k, n * k - n + 1).saturating_sub(1)
}

/// The nodes of the first levels of a k-ary tree.
fn full(levels: u64, k: u64) -> u64 {
    std::iter::successors(Some(1), |nodes| Some(nodes * k))
        .zip(0..levels)
        .map(|(nodes, _)| nodes)
        .sum()
}

/// The bound by counting is that of theorem 2 or one above it, and an algorithm reaches it.
fn counted(least: u64, theorem_2: u128, found: u64) -> Verdict {
    let is_between = (theorem_2..=theorem_2 + 1).contains(&least.into());
    hold!(
        is_between && found == least,
        "by counting {least}, executed {found}"
    )
}

/// The bound of section 5 where k does not divide n - 2.
fn bound_else(n: u64, k: u64) -> u64 {
    1 + f(n - 1 - (n - 2) % k + 2 * k, k)
}

/// The rounds are those of the formula, or one less unless the messages fill all batches.
fn one_less_at_most(found: u64, formula: u64, is_filled: bool) -> Verdict {
    let holds = found == formula || (found + 1 == formula && !is_filled);
    hold!(holds, "{found} rounds, formula {formula}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checks of claims that hold never report a failure elsewhere.
    #[test]
    fn what_would_not_hold_is_told() {
        assert_eq!([counted(5, 5, 5), counted(6, 5, 6)], [const { Ok(()) }; 2]);
        for (least, found) in [(7, 7), (4, 4), (5, 6)] {
            let found_text = format!("by counting {least}, executed {found}");
            assert_eq!(counted(least, 5, found), Err(Objection::Fails(found_text)));
        }
        let one_less = [
            one_less_at_most(5, 5, true),
            one_less_at_most(5, 5, false),
            one_less_at_most(4, 5, false),
        ];
        assert_eq!(one_less, [const { Ok(()) }; 3]);
        for (found, is_filled) in [(4, true), (3, false), (6, false)] {
            let found_text = format!("{found} rounds, formula 5");
            assert_eq!(
                one_less_at_most(found, 5, is_filled),
                Err(Objection::Fails(found_text))
            );
        }
    }

    /// 13 is 1 + 3 + 9, the most that fit into height 2 for k = 3; 21 is 1 + 4 + 16.
    #[test]
    fn the_bound_where_k_does_not_divide() {
        assert_eq!(
            [
                bound_else(9, 3),
                bound_else(10, 3),
                bound_else(16, 4),
                bound_else(17, 4)
            ],
            [3; 4]
        );
        assert_eq!([bound_else(12, 3), bound_else(19, 4)], [4; 2]);
    }

    #[test]
    fn two_nodes_are_too_few_for_section_5() {
        let claims = claims();
        let divides = claims
            .iter()
            .find(|claim| claim.id == "k-tree-height-divides")
            .unwrap();
        let verdict = |values: [u64; 2]| (divides.check)(&Point::new(divides, values));
        assert_eq!(verdict([2, 3]), Err(Objection::Outside));
        assert_eq!(verdict([5, 3]), Ok(()));
    }
}
