//! The costs that papers state for their algorithms of collectives.
//!
//! They count in the model of Hockney: a message of n words takes `α + nβ`, combining n words `nγ`, and a rank sends one
//! message and receives one at a time. That is strict LogGP with `o = 0`, `g = β` and `L = α + β`, except that a sender is
//! free after `nβ`. So a cost where a rank sends messages in a row is an upper bound here, which its statement says.

use std::collections::HashMap;

use super::claim::{Claim, Paper, Repeat, Verdict, at_most, ceil_log, claims, equal, hold, only};
use super::point::Point;
use crate::catalogue;
use crate::cost::{Published, Relation};
use crate::problem::Value;

/// L is α + β, g is β, c is γ, and o is 0; b are the words of a block.
const HOCKNEY: &str = "L = 4, 30; g = 1, 4; c = 0, 3; K = 2..17; b = 1, 5";
const RADIX: &str = "L = 4, 30; g = 1, 4; c = 0, 3; K = 2..17; b = 1, 5; r = 2, 3, 5";
const PORTS: &str = "L = 4, 30; g = 1, 4; c = 0, 3; K = 2..17; b = 1, 5; k = 1, 2, 3";

/// The ranks for which a cost is stated: in words, and given K and the ports.
type Ranks = (&'static str, fn(u64, u64) -> bool);

const ANY: Ranks = ("", |_, _| true);
const EVEN: Ranks = (", for even K", |K, _| K.is_multiple_of(2));
const POWERS: Ranks = (", for powers of two K", |K, _| K.is_power_of_two());
/// The formula of the only such cost says so.
const IN_TURN: Ranks = ("", |K, k| (K - 1).is_multiple_of(k));

/// What a paper states of an algorithm.
struct Stated {
    paper: Paper,
    id: &'static str,
    section: &'static str,
    grid: &'static str,
    algorithm: &'static str,
    ranks: Ranks,
    relation: Relation,
    words: &'static str,
    /// How often α, β and γ are in the cost, given ranks, words of a block (a K-th of a vector), radix, ports, `ceil(log2 K)`
    /// and the words of all other blocks.
    cost: fn([u64; 6]) -> [u64; 3],
}

/// Names of the arguments; then paper, id, section, grid: algorithm, ranks, relation, the cost in words, and by formula.
macro_rules! stated {
    ($names:tt $($paper:ident $id:literal $section:literal $grid:ident: $algorithm:literal $ranks:ident $relation:ident $words:literal, $cost:expr;)*) => {
        #[expect(unused_variables, reason = "most formulas use some of them")]
        const STATED: &[Stated] = &[$(Stated {
            paper: Paper::$paper,
            id: $id,
            section: $section,
            grid: $grid,
            algorithm: $algorithm,
            ranks: $ranks,
            relation: Relation::$relation,
            words: $words,
            cost: |$names| $cost,
        },)*];
    };
}

stated! {
    [K, b, r, k, rounds, others]
    Mpich "mpich-allgather-ring" "section 4.1" HOCKNEY: "allgather-ring" ANY Equal "(K-1)α + (K-1)n·β",
        [K - 1, others, 0];
    Mpich "mpich-allgather-recursive-doubling" "section 4.1" HOCKNEY: "allgather-recursive-doubling" POWERS Equal "log2(K)·α + (K-1)n·β",
        [rounds, others, 0];
    Mpich "mpich-allgather-bruck" "section 4.1" HOCKNEY: "allgather-bruck" ANY Equal "ceil(log2 K)·α + (K-1)n·β",
        [rounds, others, 0];
    Mpich "mpich-broadcast-binomial" "section 4.2" HOCKNEY: "broadcast-binomial" ANY AtMost "ceil(log2 K)·(α + nβ)",
        [rounds, rounds * K * b, 0];
    Mpich "mpich-broadcast-scatter-ring" "section 4.2" HOCKNEY: "broadcast-scatter-ring" POWERS AtMost "(log2(K) + K-1)·α + 2(K-1)/K·nβ",
        [rounds + K - 1, 2 * others, 0];
    Mpich "mpich-broadcast-scatter-doubling" "section 4.2" HOCKNEY: "broadcast-scatter-doubling" POWERS AtMost "2·log2(K)·α + 2(K-1)/K·nβ",
        [2 * rounds, 2 * others, 0];
    Mpich "mpich-reduce-scatter-recursive-halving" "section 4.3" HOCKNEY: "reduce-scatter-recursive-halving" POWERS Equal "log2(K)·α + (K-1)n·(β + γ)",
        [rounds, others, others];
    Mpich "mpich-reduce-scatter-pairwise" "section 4.3" HOCKNEY: "reduce-scatter-pairwise" ANY Equal "(K-1)α + (K-1)n·(β + γ)",
        [K - 1, others, others];
    Mpich "mpich-alltoall-bruck" "section 4.4" HOCKNEY: "alltoall-bruck" POWERS Equal "log2(K)·(α + K/2·nβ)",
        [rounds, rounds * K / 2 * b, 0];
    Mpich "mpich-alltoall-pairwise" "section 4.4" HOCKNEY: "alltoall-pairwise" ANY Equal "(K-1)α + (K-1)n·β",
        [K - 1, others, 0];
    Mpich "mpich-reduce-binomial" "section 4.5" HOCKNEY: "reduce-binomial" ANY AtMost "ceil(log2 K)·(α + nβ + nγ)",
        [rounds, rounds * K * b, rounds * K * b];
    Mpich "mpich-allreduce-recursive-doubling" "section 4.5" HOCKNEY: "allreduce-recursive-doubling" POWERS Equal "log2(K)·(α + nβ + nγ)",
        [rounds, rounds * K * b, rounds * K * b];
    Rabenseifner "rabenseifner-allreduce" "section 2.2" HOCKNEY: "allreduce-rabenseifner" POWERS Equal "2·log2(K)·α + (K-1)/K·n·(2β + γ)",
        [2 * rounds, 2 * others, others];
    Rabenseifner "rabenseifner-reduce" "section 2.2" HOCKNEY: "reduce-rabenseifner" POWERS Equal "2·log2(K)·α + (K-1)/K·n·(2β + γ)",
        [2 * rounds, 2 * others, others];
    Bruck "bruck-index" "section 3" RADIX: "alltoall-bruck" ANY AtMost "(r-1)·ceil(log_r K)·(α + ceil(K/r)·nβ)",
        [(r - 1) * ceil_log(r, K), (r - 1) * ceil_log(r, K) * K.div_ceil(r) * b, 0];
    Bruck "bruck-concatenation" "section 4" PORTS: "allgather-bruck" IN_TURN Equal "ceil(log_(k+1) K)·α + (K-1)/k·nβ, if k divides K-1",
        [ceil_log(k + 1, K), others / k, 0];
    Ring "ring-allreduce" "section 3" HOCKNEY: "allreduce-ring" ANY Equal "2(K-1)α + (K-1)/K·n·(2β + γ)",
        [2 * (K - 1), 2 * others, others];
    Circulant "circulant-reduce-scatter" "abstract" HOCKNEY: "reduce-scatter-circulant" ANY Equal "ceil(log2 K)·α + (K-1)n·(β + γ)",
        [rounds, others, others];
    Circulant "circulant-allreduce" "abstract" HOCKNEY: "allreduce-circulant" ANY Equal "2·ceil(log2 K)·α + (K-1)/K·n·(2β + γ)",
        [2 * rounds, 2 * others, others];
    Butterfly "butterfly-reduce-scatter" "for powers of two" HOCKNEY: "reduce-scatter-butterfly" POWERS Equal "log2(K)·α + (K-1)n·(β + γ)",
        [rounds, others, others];
    Swing "swing-allreduce" "for long vectors" HOCKNEY: "allreduce-swing" POWERS Equal "2·log2(K)·α + (K-1)/K·n·(2β + γ)",
        [2 * rounds, 2 * others, others];
    Bine "bine-allreduce" "for long vectors" HOCKNEY: "allreduce-bine" POWERS Equal "2·log2(K)·α + (K-1)/K·n·(2β + γ)",
        [2 * rounds, 2 * others, others];
    Neighbours "neighbours-allgather" "section 2" HOCKNEY: "allgather-neighbour-exchange" EVEN Equal "K/2·α + (K-1)n·β",
        [K / 2, others, 0];
    Sparbit "sparbit-allgather" "abstract" HOCKNEY: "allgather-sparbit" ANY Equal "ceil(log2 K)·α + (K-1)n·β",
        [rounds, others, 0];
}

/// All of them.
pub(super) fn claims() -> Vec<Claim> {
    let others = claims![
        Ring "ring-bandwidth" "title; section 3": "allreduce-ring is optimal in bandwidth: with α = γ = 0 no allreduce takes less than 2(K-1)/K·nβ, its time",
            "L = 1, 4; g = 1, 4; c = 0; K = 2..17; b = 1, 5", ring_shown as fn(&Point<'_>) -> String, "against the lower bound, where L = g",
            |p, [L, g]| {
                only(L == g)?;
                let (cost, evaluation) = p.agreed("allreduce-ring", &hockney(p, "allreduce-ring"))?;
                let bound = evaluation.lower_bound;
                hold!(cost == bound, "cost {cost}, the bound is {bound}")
            };
        Dissemination "dissemination-rounds" "section 3": "barrier-dissemination takes ceil(log2 K) rounds",
            "L = 4, 30; o = 0, 2; g = 1, 4; K = 2..40", "cost barrier-dissemination", "a round takes L+2o where that is not below g",
            |p, [L, o, _, K]| equal("cost", p.cost("barrier-dissemination")?, ceil_log(2, K) * (L + 2 * o));
        TwoTrees "two-trees-broadcast" "title": "broadcast-double-tree: no rank sends or receives more than n words",
            DOUBLE, "", "counted in the program of every rank", |p, [_, n]| busiest(p, "broadcast-double-tree", n);
        TwoTrees "two-trees-reduce" "title": "reduce-double-tree: no rank sends or receives more than n words",
            DOUBLE, "", "counted in the program of every rank", |p, [_, n]| busiest(p, "reduce-double-tree", n);
        TwoTrees "two-trees-allreduce" "title": "allreduce-double-tree: no rank sends or receives more than 2n words",
            DOUBLE, "", "counted in the program of every rank", |p, [_, n]| busiest(p, "allreduce-double-tree", 2 * n);
    ];
    STATED.iter().map(stated).chain(others).collect()
}

fn ring_shown(p: &Point<'_>) -> String {
    p.options("cost allreduce-ring", &hockney(p, "allreduce-ring"))
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
    catalogue::find(algorithm).is_some_and(|entry| vectors.contains(&entry.problem().name()))
}

/// The values of an algorithm's axes that [`HOCKNEY`] does not have.
fn hockney(p: &Point<'_>, algorithm: &str) -> [(&'static str, u64); 2] {
    let [_, _, _, K, b] = p.values();
    let n = if is_vector(algorithm) { K * b } else { b };
    [("o", 0), ("n", n)]
}

impl Stated {
    /// The cost at a point of the algorithm: where o is 0, on words, with equal blocks and one segment, and without the
    /// axes that the paper does not have. L, g and c stand for α + β, β and γ.
    fn figure(&self, value: &dyn Fn(&str) -> Value) -> Option<Published> {
        let [L, g, K, n] = ["L", "g", "K", "n"].map(value);
        let (L, g, K, n) = (L?, g?, K?, n?);
        let [r, k] = ["r", "k"].map(|key| value(key).unwrap_or(if key == "r" { 2 } else { 1 }));
        let is_plain = |(key, plain)| value(key).unwrap_or(plain) == plain;
        let is_small = K >= 2 && K.max(n) <= 1 << 24 && value("machine").is_none();
        let is_meant = is_small
            && (self.grid == RADIX || r == 2)
            && (self.grid == PORTS || k == 1)
            && [("o", 0), ("m", 1), ("ports", 0), ("element", 1)]
                .into_iter()
                .all(is_plain)
            && self.ranks.1(K, k);
        let is_vector = is_vector(self.algorithm);
        if !is_meant || (is_vector && !n.is_multiple_of(K)) {
            return None;
        }
        let b = if is_vector { n / K } else { n };
        let times = (self.cost)([K, b, r, k, ceil_log(2, K), (K - 1) * b]);
        let each = [L.checked_sub(g)?, g, value("c").unwrap_or(0)];
        let cost = times
            .into_iter()
            .zip(each)
            .map(|(times, each)| u128::from(times) * u128::from(each));
        Some(Published {
            section: self.section,
            formula: self.words,
            relation: self.relation,
            value: cost.sum(),
        })
    }
}

fn stated(stated: &'static Stated) -> Claim {
    let &Stated {
        algorithm, words, ..
    } = stated;
    let is_equal = stated.relation == Relation::Equal;
    let most = if is_equal { "" } else { "at most " };
    let check = move |p: &Point<'_>, []: [u64; 0]| {
        let others = hockney(p, algorithm);
        let figure = stated.figure(&|key| p.among(key, &others));
        only(figure.is_some())?;
        let compare = if is_equal { equal } else { at_most };
        compare(
            "cost",
            p.cost_at(algorithm, &others)?,
            figure.map_or(0, |figure| figure.value),
        )
    };
    Claim {
        id: stated.id.into(),
        statement: format!("{algorithm} takes {most}{words}{}", stated.ranks.0).into(),
        note: "α = L-g, β = g, γ = c and o = 0; vectors have K·b words, blocks b",
        figure: Box::new(|value| stated.figure(value)),
        repeat: Repeat::Line(Box::new(move |p| {
            p.options(&format!("cost {algorithm}"), &hockney(p, algorithm))
        })),
        ..Claim::new(stated.paper, stated.section, stated.grid, check)
    }
}
