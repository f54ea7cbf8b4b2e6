//! The claims of Ding, Li, "Algorithm and analysis of multiple messages broadcast in the multiport model".
//!
//! Heights are those of the trees as built, rounds those of the execution. The paper does not say how the trees are built
//! where k does not divide n - 2; here they are built as in `multiport::k_tree`.

use super::axis::Axis;
use super::claim::{Cause, Claim, Outcome, Paper, agreed, as_published, at_most, claim, equal};
use crate::cost::Limits;
use crate::multiport::RoundBroadcast;
use crate::multiport::balanced::BalancedHypercube;
use crate::multiport::bounds::{least_rounds, theorem_2};
use crate::multiport::chain::PipelinedChain;
use crate::multiport::circulant::Circulant;
use crate::multiport::hypercube::Hypercube;
use crate::multiport::k_tree::KTree;
use crate::multiport::packed::PackedTrees;
use crate::multiport::problem::{KPortBroadcast, KPortPoint};
use crate::multiport::repeated::Repeated;
use crate::problem::Problem as _;

const PAPER: Paper = Paper::KTree;

/// All are executed.
const LIMITS: Limits = Limits {
    nodes: 1 << 20,
    ..super::claim::LIMITS
};

/// Trees, including those with fewer than k + 2 nodes.
const TREES: [Axis; 2] = [Axis::range("n", 2, 300), Axis::range("k", 2, 16)];

/// Broadcasts that are executed, from k on.
fn broadcasts(least: u64) -> [Axis; 3] {
    [
        Axis::range("n", 2, 40),
        Axis::range("k", least, 6),
        Axis::range("m", 1, 20),
    ]
}

/// The rounds of an algorithm, executed; `None` where it does not exist.
fn rounds(algorithm: &'static dyn RoundBroadcast, v: &[u64]) -> Result<Option<u64>, Cause> {
    if algorithm.rounds(v[0], v[1], v[2]).is_err() {
        return Ok(None);
    }
    Ok(Some(
        agreed(KPortBroadcast::at(
            algorithm,
            KPortPoint {
                n: v[0],
                k: v[1],
                m: v[2],
            },
            &LIMITS,
        )?)?
        .0,
    ))
}

/// The fewest rounds of any algorithm in the catalogue, executed.
fn fewest(v: &[u64]) -> Result<u64, Cause> {
    let all: [&dyn RoundBroadcast; 7] = [
        &KTree,
        &PackedTrees,
        &Circulant,
        &Hypercube,
        &BalancedHypercube,
        &Repeated,
        &PipelinedChain,
    ];
    let mut least = u64::MAX;
    for algorithm in all {
        least = rounds(algorithm, v)?.map_or(least, |rounds| least.min(rounds));
    }
    Ok(least)
}

/// The height of the paper's trees as built.
fn height(algorithm: &dyn RoundBroadcast, n: u64, k: u64) -> u64 {
    let [n, k] = [n, k].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
    algorithm
        .trees(n, k)
        .map_or(u64::MAX, |trees| trees.height().into())
}

/// `f(n, k) = ceil(log_k(nk-n+1)) - 1`, of property 2.
fn f(n: u64, k: u64) -> u64 {
    let nodes = n * k - n + 1;
    u64::from((0..).find(|&power| k.pow(power) >= nodes).unwrap_or(1)).saturating_sub(1)
}

pub(super) fn claims() -> Vec<Claim> {
    let mut claims = Vec::from(shortest());
    claims.extend(properties());
    claims.extend(heights());
    claims.extend(times());
    claims
}

fn shortest() -> [Claim; 4] {
    [
        claim!(PAPER, "k-tree-theorem-1", "theorem 1":
            "a single message takes ceil(log_(k+1) n) rounds at least, and no more")
            .on([Axis::range("n", 2, 200), Axis::range("k", 1, 8), Axis::range("m", 1, 1)])
            .shown_by("cost repeated")
            .noted("reached by execution; a count of the nodes that can hold each message shows that no broadcast is faster")
            .checked(|v| {
                let known = std::iter::successors(Some(1u64), |nodes| Some(nodes * (v[1] + 1)));
                let claimed = known.take_while(|&nodes| nodes < v[0]).count() as u128;
                Ok(equal("rounds", fewest(v)?, claimed))
            }),
        claim!(PAPER, "k-tree-theorem-2-bound", "theorem 2":
            "no broadcast takes fewer than ceil(m/k) - 1 + ceil(log_(k+1) n) rounds")
            .on(broadcasts(1))
            .shown_by("cost k-tree")
            .noted("no algorithm known here, executed, and not the bound by counting either, is below it")
            .checked(|v| {
                let bound = theorem_2(v[0], v[1], v[2]).map_or(0, |claim| claim.value);
                let found = fewest(v)?.min(least_rounds(v[0], v[1], v[2])?);
                Ok(Outcome::new(u128::from(found) >= bound, || format!("{found} rounds, claimed >= {bound}")))
            }),
        claim!(PAPER, "k-tree-theorem-2", "theorem 2, as its words have it":
            "the shortest time of any broadcast is ceil(m/k) - 1 + ceil(log_(k+1) n) rounds")
        .on(broadcasts(1))
        .shown_by("cost k-tree")
        .noted("the proof is of a lower bound; counting copies shows that the rounds have no room for it")
        .checked(|v| {
            let bound = theorem_2(v[0], v[1], v[2]).map_or(0, |claim| claim.value);
            let least = least_rounds(v[0], v[1], v[2])?;
            Ok(Outcome::new(u128::from(least) <= bound, || format!("at least {least} rounds by counting, claimed {bound}")))
        }),
        claim!("k-tree-counting" mends "k-tree-theorem-2", "multiport::bounds":
            "the shortest time is ceil(m/k) - 1 + q with q = ceil(log_(k+1) n) where n - 1 <= F(q, (m-1) mod k + 1), and a round more else, wherever hypercube-balanced exists")
        .on(broadcasts(1))
        .shown_by("cost hypercube-balanced")
        .noted("F counts the copies that each of the last messages can have; reached by execution there, elsewhere a lower bound")
        .checked(|v| {
            let least = least_rounds(v[0], v[1], v[2])?;
            let bound = theorem_2(v[0], v[1], v[2]).map_or(0, |claim| claim.value);
            let exists = rounds(&BalancedHypercube, v)?.is_some();
            let found = if exists { fewest(v)? } else { least };
            Ok(counted(least, bound, found))
        }),
    ]
}

/// The bound by counting is that of theorem 2 or one above it, and an algorithm reaches it.
fn counted(least: u64, theorem_2: u128, found: u64) -> Outcome {
    let between = (theorem_2..=theorem_2 + 1).contains(&least.into());
    Outcome::new(between && found == least, || {
        format!("by counting {least}, executed {found}")
    })
}

/// The height in edges of the complete k-ary tree of n nodes, going up from its last node.
fn complete_height(n: u64, k: u64) -> u64 {
    std::iter::successors(Some(n - 1), |&node| (node > 0).then(|| (node - 1) / k)).count() as u64
        - 1
}

fn properties() -> [Claim; 2] {
    let full = [Axis::range("h", 1, 8), Axis::range("k", 2, 6)];
    [
        claim!(PAPER, "k-tree-properties", "section 4.1, properties 1 and 2":
            "a full k-ary tree of depth h has (k^h - 1)/(k - 1) nodes, and the depth of n nodes is ceil(log_k(nk-n+1)) - 1")
        .on(full)
        .noted("property 1 counts levels, property 2 edges, one less")
        .checked(|v| {
            let nodes = (0..v[0]).map(|level| v[1].pow(u32::try_from(level).unwrap_or(0))).sum();
            Ok(equal("by property 2 its depth is", f(nodes, v[1]), v[0].into()))
        }),
        claim!("k-tree-f" mends "k-tree-properties", "multiport::trees":
            "f(n, k) = ceil(log_k(nk-n+1)) - 1 is the height in edges of the complete k-ary tree of n nodes")
        .on([Axis::range("n", 1, 2000), Axis::range("k", 2, 16)])
        .noted("against the way up from the last node")
        .checked(|v| Ok(equal("height", complete_height(v[0], v[1]), f(v[0], v[1]).into()))),
    ]
}

/// The bound of section 5 where k does not divide n - 2.
fn bound_else(n: u64, k: u64) -> u64 {
    1 + f(n - 1 - (n - 2) % k + 2 * k, k)
}

fn heights() -> [Claim; 4] {
    [
        claim!(PAPER, "k-tree-height-divides", "section 5":
            "k divides n-2, n >= k+2: the height is h = 1 + f(n-1, k)")
            .on(TREES)
            .shown_by("show k-tree")
            .noted("the trees are built")
            .checked(|v| {
                let (n, k) = (v[0], v[1]);
                if n < k + 2 || !(n - 2).is_multiple_of(k) {
                    return Ok(Outcome::Outside);
                }
                Ok(equal("height", height(&KTree, n, k), u128::from(1 + f(n - 1, k))))
            }),
        claim!(PAPER, "k-tree-height-else", "section 5":
            "k does not divide n-2, n >= k+2, a = (n-2) mod k: the height is at most h = 1 + f(n-1-a+2k, k)")
        .on(TREES)
        .shown_by("show k-tree")
        .noted("the trees are built, by a reconstruction: the paper leaves out how the a nodes join. Read as a bound")
        .checked(|v| {
            let (n, k) = (v[0], v[1]);
            if n < k + 2 || (n - 2).is_multiple_of(k) {
                return Ok(Outcome::Outside);
            }
            Ok(at_most("height", height(&KTree, n, k), bound_else(n, k)))
        }),
        claim!(PAPER, "k-tree-height-small", "section 5": "2 < n < k+2: the height is at most 3")
            .on([Axis::range("n", 3, 64), Axis::range("k", 2, 64)])
            .shown_by("show k-tree")
            .noted("the trees are built")
            .checked(|v| {
                if v[0] >= v[1] + 2 {
                    return Ok(Outcome::Outside);
                }
                Ok(at_most("height", height(&KTree, v[0], v[1]), 3))
            }),
        claim!("k-tree-height-exact" mends "k-tree-height-else", "multiport::packed":
            "k trees can have 1 + f(n-1, k), and one more where k trees of that height lack room: a > 0, fewer than k free places, (a+1)·floor(k/a) < k")
        .on(TREES)
        .shown_by("show k-tree-packed")
        .noted("sharper; k-tree-packed as built. That no k trees are lower is proved there and searched in the tests")
        .checked(|v| {
            let (n, k) = (v[0], v[1]);
            let (level, a) = (f(n - 1, k), (n - 2) % k);
            let full = (0..=level).map(|depth| k.pow(u32::try_from(depth).unwrap_or(0))).sum::<u64>();
            let no_room = a > 0 && full - (n - 1) < k && (a + 1) * (k / a) < k;
            let claimed = if n == 2 { 1 } else { 1 + level + u64::from(no_room) };
            Ok(equal("height", height(&PackedTrees, n, k), claimed.into()))
        }),
    ]
}

/// The rounds are those of the formula, or one less unless the messages fill all batches.
fn one_less_at_most(found: u64, formula: u64, is_filled: bool) -> Outcome {
    let holds = found == formula || (found + 1 == formula && !is_filled);
    Outcome::new(holds, || format!("{found} rounds, formula {formula}"))
}

fn times() -> [Claim; 6] {
    [
        claim!(PAPER, "k-tree-time", "section 4.2, property 1; section 5":
            "m messages down k trees of height h take ceil(m/k) - 1 + h rounds")
        .on(broadcasts(2))
        .shown_by("cost k-tree")
        .noted("where only a later tree is that high and the last messages do not use it, a round less")
        .checked(|v| {
            let found = rounds(&KTree, v)?.unwrap_or(u64::MAX);
            Ok(equal("rounds", found, u128::from(v[2].div_ceil(v[1]) - 1 + height(&KTree, v[0], v[1]))))
        }),
        claim!("k-tree-time-mended" mends "k-tree-time", "multiport::trees":
            "ceil(m/k) - 1 + h rounds at most, one less at least, and just that where k divides m")
        .on(broadcasts(2))
        .shown_by("cost k-tree")
        .noted("executed")
        .checked(|v| {
            let found = rounds(&KTree, v)?.unwrap_or(u64::MAX);
            let formula = v[2].div_ceil(v[1]) - 1 + height(&KTree, v[0], v[1]);
            Ok(one_less_at_most(found, formula, v[2].is_multiple_of(v[1])))
        }),
        claim!(PAPER, "k-tree-time-shortest", "section 4.2, property 1, as its words have it":
            "given k trees of height h, the shortest time to broadcast m messages is ceil(m/k) - 1 + h rounds")
        .on(broadcasts(2))
        .shown_by("cost k-tree")
        .noted("it is the time of the trees; other algorithms known here, executed, are faster")
        .checked(|v| {
            let formula = v[2].div_ceil(v[1]) - 1 + height(&KTree, v[0], v[1]);
            let found = fewest(v)?;
            Ok(Outcome::new(found >= formula, || format!("another algorithm takes {found}, claimed {formula}")))
        }),
        claim!(PAPER, "k-tree-total", "introduction; section 5":
            "the k-tree algorithm takes at most ceil(m/k) + max(ceil(log_k(n+2k)), 2) rounds, k >= 2")
        .on(broadcasts(2))
        .shown_by("cost k-tree")
        .noted("executed. With room for k = 2: k-tree-two-ports")
        .checked(|v| {
            as_published(KPortBroadcast::at(&KTree, KPortPoint { n: v[0], k: v[1], m: v[2] }, &LIMITS)?, "section 5")
        }),
        claim!("k-tree-two-ports" mends "k-tree-total", "multiport::k_tree":
            "for k = 2 it takes ceil(m/2) - 1 + ceil(log2 n) rounds, n >= 3")
        .on([Axis::range("n", 3, 130), Axis::few("k", &[2]), Axis::range("m", 1, 24)])
        .shown_by("cost k-tree")
        .noted("sharper; executed")
        .checked(|v| {
            let claimed = v[2].div_ceil(2) - 1 + u64::from(v[0].next_power_of_two().trailing_zeros());
            Ok(equal("rounds", rounds(&KTree, v)?.unwrap_or(u64::MAX), claimed.into()))
        }),
        claim!(PAPER, "k-tree-delay", "introduction": "the delay of each message is log(k+1)/log k rounds only")
            .on([Axis::range("n", 2, 40), Axis::range("k", 2, 6), Axis::range("m", 1, 1)])
            .shown_by("cost k-tree")
            .noted("that is below 2 for all k: the ratio of log_k n, the delay, to log_(k+1) n, the least")
            .checked(|v| {
                let delay = rounds(&KTree, v)?.unwrap_or(u64::MAX);
                // delay <= log(k+1)/log k if and only if k^delay <= k+1.
                let holds = u32::try_from(delay).is_ok_and(|delay| v[1].saturating_pow(delay) <= v[1] + 1);
                Ok(Outcome::new(holds, || format!("{delay} rounds for one message")))
            }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checks of claims that hold never report a failure elsewhere.
    #[test]
    fn what_would_not_hold_is_told() {
        assert_eq!(
            [counted(5, 5, 5), counted(6, 5, 6)],
            [Outcome::Holds, Outcome::Holds]
        );
        for (least, found) in [(7, 7), (4, 4), (5, 6)] {
            let found_text = format!("by counting {least}, executed {found}");
            assert_eq!(counted(least, 5, found), Outcome::Fails(found_text));
        }
        let one_less = [
            one_less_at_most(5, 5, true),
            one_less_at_most(5, 5, false),
            one_less_at_most(4, 5, false),
        ];
        assert_eq!(one_less, [const { Outcome::Holds }; 3]);
        for (found, is_filled) in [(4, true), (3, false), (6, false)] {
            let found_text = format!("{found} rounds, formula 5");
            assert_eq!(
                one_less_at_most(found, 5, is_filled),
                Outcome::Fails(found_text)
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
        let claims = heights();
        let divides = claims
            .iter()
            .find(|claim| claim.id == "k-tree-height-divides")
            .unwrap();
        assert_eq!((divides.check)(&[2, 3]), Ok(Outcome::Outside));
        assert_eq!((divides.check)(&[5, 3]), Ok(Outcome::Holds));
    }
}
