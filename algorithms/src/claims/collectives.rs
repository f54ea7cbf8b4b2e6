//! The costs that papers state for their algorithms of collectives.
//!
//! They count in the model of Hockney: a message of n words takes `α + nβ`, combining n words `nγ`, and a rank sends one
//! message and receives one at a time. That is strict LogGP with `o = 0`, `g = β` and `L = α + β`, except that a sender is
//! free after `nβ`. So a cost where a rank sends messages in a row is an upper bound here, which its statement says.

use std::collections::HashMap;

use super::claim::{
    Claim, Objection, Paper, Verdict, at_most, ceil_log, claims, equal, hold, only,
};
use super::claim::{Point, agreed};
use crate::catalogue;
use crate::cost::{Published, Relation};
use crate::problem::Value;

/// L is α + β, g is β, c is γ, and o is 0; b are the words of a block.
const HOCKNEY: &str = "L = 4, 30; g = 1, 4; c = 0, 3; K = 2..17; b = 1, 5";
const RADIX: &str = "L = 4, 30; g = 1, 4; c = 0, 3; K = 2..17; b = 1, 5; r = 2, 3, 5";
const TORUS: &str = "L = 4, 30; g = 1, 4; c = 0, 3; K = 2..17; b = 12; k = 1, 2, 3, 4";
const PORTS: &str = "L = 4, 30; g = 1, 4; c = 0, 3; K = 2..17; b = 1, 5; k = 1, 2, 3";

/// How often α, β and γ are in a cost, given ranks, words of a block (a K-th of a vector), radix, ports, `ceil(log2 K)` and the
/// words of all other blocks.
type Times = fn([u64; 6]) -> [u64; 3];

/// Names of the arguments; then paper, id, section, grid: the statement, from which algorithm, relation and ranks are read, and
/// the cost by formula.
macro_rules! stated {
    ($names:tt $($paper:ident $id:literal $section:literal $grid:ident: $statement:literal, $times:expr;)*) => {
        vec![$(Claim {
            id: $id.into(),
            ..stated(Paper::$paper, $section, $grid, $statement, |$names| $times)
        }),*]
    };
}

/// All of them.
#[expect(unused_variables, reason = "most formulas use some of their arguments")]
pub(super) fn claims() -> Vec<Claim> {
    let stated = stated![
        [K, b, r, k, rounds, others]
        Mpich "mpich-allgather-ring" "section 4.1" HOCKNEY: "allgather-ring takes (K-1)α + (K-1)n·β",
            [K - 1, others, 0];
        Mpich "mpich-allgather-recursive-doubling" "section 4.1" HOCKNEY: "allgather-recursive-doubling takes log2(K)·α + (K-1)n·β, for powers of two K",
            [rounds, others, 0];
        Mpich "mpich-allgather-bruck" "section 4.1" HOCKNEY: "allgather-bruck takes ceil(log2 K)·α + (K-1)n·β",
            [rounds, others, 0];
        Mpich "mpich-broadcast-binomial" "section 4.2" HOCKNEY: "broadcast-binomial takes at most ceil(log2 K)·(α + nβ)",
            [rounds, rounds * K * b, 0];
        Mpich "mpich-broadcast-scatter-ring" "section 4.2" HOCKNEY: "broadcast-scatter-ring takes at most (log2(K) + K-1)·α + 2(K-1)/K·nβ, for powers of two K",
            [rounds + K - 1, 2 * others, 0];
        Mpich "mpich-broadcast-scatter-doubling" "section 4.2" HOCKNEY: "broadcast-scatter-doubling takes at most 2·log2(K)·α + 2(K-1)/K·nβ, for powers of two K",
            [2 * rounds, 2 * others, 0];
        Mpich "mpich-reduce-scatter-recursive-halving" "section 4.3" HOCKNEY: "reduce-scatter-recursive-halving takes log2(K)·α + (K-1)n·(β + γ), for powers of two K",
            [rounds, others, others];
        Mpich "mpich-reduce-scatter-recursive-doubling" "section 4.3" HOCKNEY: "reduce-scatter-recursive-doubling takes log2(K)·α + (K·log2(K) - (K-1))n·(β + γ), for powers of two K",
            [rounds, rounds * K * b - others, rounds * K * b - others];
        Mpich "mpich-reduce-scatter-pairwise" "section 4.3" HOCKNEY: "reduce-scatter-pairwise takes (K-1)α + (K-1)n·(β + γ)",
            [K - 1, others, others];
        Mpich "mpich-alltoall-bruck" "section 4.4" HOCKNEY: "alltoall-bruck takes log2(K)·(α + K/2·nβ), for powers of two K",
            [rounds, rounds * K / 2 * b, 0];
        Mpich "mpich-alltoall-pairwise" "section 4.4" HOCKNEY: "alltoall-pairwise takes (K-1)α + (K-1)n·β",
            [K - 1, others, 0];
        Mpich "mpich-reduce-binomial" "section 4.5" HOCKNEY: "reduce-binomial takes at most ceil(log2 K)·(α + nβ + nγ)",
            [rounds, rounds * K * b, rounds * K * b];
        Mpich "mpich-allreduce-recursive-doubling" "section 4.5" HOCKNEY: "allreduce-recursive-doubling takes log2(K)·(α + nβ + nγ), for powers of two K",
            [rounds, rounds * K * b, rounds * K * b];
        Rabenseifner "rabenseifner-allreduce" "section 2.2" HOCKNEY: "allreduce-rabenseifner takes 2·log2(K)·α + (K-1)/K·n·(2β + γ), for powers of two K",
            [2 * rounds, 2 * others, others];
        Rabenseifner "rabenseifner-reduce" "section 2.2" HOCKNEY: "reduce-rabenseifner takes 2·log2(K)·α + (K-1)/K·n·(2β + γ), for powers of two K",
            [2 * rounds, 2 * others, others];
        Bruck "bruck-index" "section 3" RADIX: "alltoall-bruck takes at most (r-1)·ceil(log_r K)·(α + ceil(K/r)·nβ)",
            [(r - 1) * ceil_log(r, K), (r - 1) * ceil_log(r, K) * K.div_ceil(r) * b, 0];
        Bruck "bruck-concatenation" "section 4" PORTS: "allgather-bruck takes ceil(log_(k+1) K)·α + (K-1)/k·nβ, if k divides K-1",
            [ceil_log(k + 1, K), others / k, 0];
        Ring "ring-allreduce" "section 3" HOCKNEY: "allreduce-ring takes 2(K-1)α + (K-1)/K·n·(2β + γ)",
            [2 * (K - 1), 2 * others, others];
        Circulant "circulant-reduce-scatter" "abstract" HOCKNEY: "reduce-scatter-circulant takes ceil(log2 K)·α + (K-1)n·(β + γ)",
            [rounds, others, others];
        Circulant "circulant-allreduce" "abstract" HOCKNEY: "allreduce-circulant takes 2·ceil(log2 K)·α + (K-1)/K·n·(2β + γ)",
            [2 * rounds, 2 * others, others];
        NBlocks "n-blocks-allgather" "all-broadcast" HOCKNEY: "allgather-n-block-circulant takes ceil(log2 K)·α + (K-1)n·β",
            [rounds, others, 0];
        NBlocks "n-blocks-reduce-scatter" "all-reduction" HOCKNEY: "reduce-scatter-n-block-circulant takes ceil(log2 K)·α + (K-1)n·(β + γ)",
            [rounds, others, others];
        Butterfly "butterfly-reduce-scatter" "for powers of two" HOCKNEY: "reduce-scatter-butterfly takes log2(K)·α + (K-1)n·(β + γ), for powers of two K",
            [rounds, others, others];
        Swing "swing-allreduce" "for long vectors" HOCKNEY: "allreduce-swing takes 2·log2(K)·α + (K-1)/K·n·(2β + γ), for powers of two K",
            [2 * rounds, 2 * others, others];
        Swing "swing-tori" "tori of several dimensions" TORUS: "allreduce-swing-torus takes 2·log2(K)·α + (K-1)/K·n·(2β/k + γ), for powers of two K",
            [2 * rounds, 2 * others / k, others];
        Bine "bine-allreduce" "for long vectors" HOCKNEY: "allreduce-bine takes 2·log2(K)·α + (K-1)/K·n·(2β + γ), for powers of two K",
            [2 * rounds, 2 * others, others];
        Neighbours "neighbours-allgather" "section 2" HOCKNEY: "allgather-neighbour-exchange takes K/2·α + (K-1)n·β, for even K",
            [K / 2, others, 0];
        Sparbit "sparbit-allgather" "abstract" HOCKNEY: "allgather-sparbit takes ceil(log2 K)·α + (K-1)n·β",
            [rounds, others, 0];
        Pat "pat-allgather" "abstract" HOCKNEY: "allgather-pat takes ceil(log2 K)·α + (K-1)n·β",
            [rounds, others, 0];
        Pat "pat-reduce-scatter" "abstract" HOCKNEY: "reduce-scatter-pat takes ceil(log2 K)·α + (K-1)n·(β + γ)",
            [rounds, others, others];
    ];
    let others = claims![
        Ring "ring-bandwidth" "title; section 3": "allreduce-ring is optimal in bandwidth: with α = γ = 0 no allreduce takes less than 2(K-1)/K·nβ, its time",
            "L = 1, 4; g = 1, 4; c = 0; K = 2..17; b = 1, 5", "cost allreduce-ring", "against the lower bound, where L = g",
            |p, [L, g]| {
                only(L == g)?;
                let (cost, evaluation) = agreed(p.evaluate("allreduce-ring", &[])?)?;
                let bound = evaluation.lower_bound;
                hold!(cost == bound, "cost {cost}, the bound is {bound}")
            };
        Trivance "trivance-steps" "abstract": "allreduce-trivance takes log3 K steps",
            "L = 4, 30; g = 1, 4; c = 0; K = 3, 9, 27, 81; n = 1; k = 2", "cost allreduce-trivance", "messages of one word; a step takes L where o = 0",
            |p, [L, _, _, K]| equal("cost", p.cost("allreduce-trivance")?, ceil_log(3, K) * L);
        Dissemination "dissemination-rounds" "section 3": "barrier-dissemination takes ceil(log2 K) rounds",
            "L = 4, 30; o = 0, 2; g = 1, 4; K = 2..40", "cost barrier-dissemination", "a round takes L+2o where that is not below g",
            |p, [L, o, _, K]| equal("cost", p.cost("barrier-dissemination")?, ceil_log(2, K) * (L + 2 * o));
        NBlocks "n-blocks-broadcast" "abstract": "broadcast-n-block-circulant takes at most (m-1+ceil(log2 K))·(α + n/m·β)",
            BLOCKS, "cost broadcast-n-block-circulant", "α = L-g and β = g; a round of the paper", |p, at| in_rounds(p, "broadcast-n-block-circulant", [1, 0], at);
        NBlocks "n-blocks-reduce" "abstract": "reduce-n-block-circulant takes at most (m-1+ceil(log2 K))·(α + n/m·(β + γ))",
            BLOCKS, "cost reduce-n-block-circulant", "α = L-g, β = g and γ = c; a round of the paper", |p, at| in_rounds(p, "reduce-n-block-circulant", [1, 1], at);
        NBlocks "n-blocks-allreduce" "abstract": "allreduce-n-block-circulant takes at most (m-1+ceil(log2 K))·(2α + n/m·(2β + γ))",
            BLOCKS, "cost allreduce-n-block-circulant", "α = L-g, β = g and γ = c; a reduce, then a broadcast", |p, at| in_rounds(p, "allreduce-n-block-circulant", [2, 1], at);
        TwoTrees "two-trees-broadcast" "title": "broadcast-double-tree: no rank sends or receives more than n words",
            DOUBLE, "", "counted in the program of every rank", |p, [_, n]| busiest(p, "broadcast-double-tree", n);
        TwoTrees "two-trees-reduce" "title": "reduce-double-tree: no rank sends or receives more than n words",
            DOUBLE, "", "counted in the program of every rank", |p, [_, n]| busiest(p, "reduce-double-tree", n);
        TwoTrees "two-trees-allreduce" "title": "allreduce-double-tree: no rank sends or receives more than 2n words",
            DOUBLE, "", "counted in the program of every rank", |p, [_, n]| busiest(p, "allreduce-double-tree", 2 * n);
    ];
    let on_words = |claim: Claim| Claim {
        derived: Box::new(on_words),
        ..claim
    };
    stated.into_iter().chain(others).map(on_words).collect()
}

/// The values of axes that [`HOCKNEY`] does not have.
fn on_words(p: &Point<'_>, key: &str, own: Value) -> Value {
    match (key, own) {
        ("o", None) => Some(0),
        ("n", None) => {
            let is_vector = p.claim.shown.split(' ').any(is_vector);
            Some(p.value("b")? * if is_vector { p.value("K")? } else { 1 })
        }
        _ => own,
    }
}

/// Segments of one size.
const BLOCKS: &str = "L = 4, 30; g = 1, 4; c = 0, 3; K = 2..17; n = 60; m = 1, 4, 15";

/// The cost of some algorithm is at most so many times that of all rounds of Träff's schedule, some of which combine.
fn in_rounds(
    p: &Point<'_>,
    algorithm: &str,
    [times, combined]: [u64; 2],
    [L, g, c, K, n, m]: [u64; 6],
) -> Verdict {
    let round = times * (L - g + n / m * g) + combined * n / m * c;
    let claimed = (m - 1 + ceil_log(2, K)) * round;
    at_most("cost", p.cost(algorithm)?, claimed)
}

/// An even number of segments: with it every rank sends and receives a vector once, the full bandwidth of the title of
/// Sanders, Speck and Träff.
const DOUBLE: &str = "K = 2..40; n = 60; m = 2, 4, 6";

/// No rank sends or receives more words than these.
fn busiest(p: &Point<'_>, algorithm: &str, most: u64) -> Verdict {
    let mut words: HashMap<_, u64> = HashMap::new();
    for event in p.events(algorithm, &[("L", 1), ("o", 0), ("g", 1)])? {
        if !event.what.is_gap() {
            *words.entry((event.node, event.what)).or_default() += event.size;
        }
    }
    let busiest = words.into_values().max().unwrap_or(0);
    at_most("words of a rank in one direction", busiest, most)
}

/// Whether the words of a collective are a whole vector, not a block for each rank.
fn is_vector(algorithm: &str) -> bool {
    let vectors = ["allreduce", "reduce", "broadcast"];
    catalogue::find(algorithm).is_some_and(|entry| vectors.contains(&entry.problem().name))
}

/// A statement "ALGORITHM takes at most FORMULA, for even K" as a claim. Its cost is stated at a point of the algorithm where o is 0,
/// on words, with equal blocks and one segment, and without the axes that the paper does not have. L, g and c stand for α + β, β
/// and γ.
fn stated(
    paper: Paper,
    section: &'static str,
    grid: &'static str,
    statement: &'static str,
    times: Times,
) -> Claim {
    let (algorithm, formula) = statement.split_once(" takes ").unwrap_or_default();
    let (relation, formula) = match formula.strip_prefix("at most ") {
        Some(formula) => (Relation::AtMost, formula),
        None => (Relation::Equal, formula),
    };
    let (formula, ranks) = formula.split_once(", for ").unwrap_or((formula, "any"));
    let is_meant = move |K: u64, r, k| match ranks {
        "even K" => K.is_multiple_of(2),
        // A torus has at most log2(K) dimensions, with two ports in each.
        "powers of two K" => K.is_power_of_two() && k <= 2 * u64::from(K.ilog2().max(1)),
        _ if grid == PORTS => (K - 1).is_multiple_of(k) && r == 2,
        _ => k == 1 && (r == 2 || grid == RADIX),
    };
    let is_vector = is_vector(algorithm);
    let figure = move |value: &dyn Fn(&str) -> Value| {
        let (L, g, K, n) = (value("L")?, value("g")?, value("K")?, value("n")?);
        let or = |key, plain| value(key).unwrap_or(plain);
        let plain = [
            ("o", 0),
            ("m", 1),
            ("ports", 0),
            ("element", 1),
            ("counts", 0),
        ];
        let is_plain = plain
            .into_iter()
            .all(|(key, plain)| or(key, plain) == plain);
        let (r, k, blocks) = (or("r", 2), or("k", 1), if is_vector { K } else { 1 });
        let is_small = K >= 2 && K.max(n) <= 1 << 24 && value("machine").is_none();
        let parts = if grid == TORUS { k } else { 1 };
        if !(is_small && is_plain && is_meant(K, r, k) && n.is_multiple_of(blocks * parts)) {
            return None;
        }
        let b = n / blocks;
        let each = [L.checked_sub(g)?, g, or("c", 0)];
        let parts = times([K, b, r, k, ceil_log(2, K), (K - 1) * b])
            .into_iter()
            .zip(each);
        Some(Published {
            section,
            formula,
            relation,
            value: parts
                .map(|(times, each)| u128::from(times) * u128::from(each))
                .sum(),
        })
    };
    let check = move |p: &Point<'_>, []: [u64; 0]| {
        let claimed = figure(&|key| p.value(key)).ok_or(Objection::Outside)?.value;
        let compare = if relation == Relation::Equal {
            equal
        } else {
            at_most
        };
        compare("cost", p.cost(algorithm)?, claimed)
    };
    Claim {
        statement: statement.into(),
        note: "α = L-g, β = g, γ = c and o = 0; vectors have K·b words, blocks b",
        shown: format!("cost {algorithm}").into(),
        figure: Box::new(figure),
        ..Claim::new(paper, section, grid, check)
    }
}
