//! The costs that papers state for their algorithms of collectives.
//!
//! They count in the model of Hockney: a message of n words takes `α + nβ`, combining n words `nγ`, and a rank sends one
//! message and receives one at a time. That is strict LogGP with `o = 0`, `g = β` and `L = α + β`, except that a sender is
//! free after `nβ`. So a cost where a rank sends messages in a row is an upper bound here, which its statement says.

use super::axis::Axis;
use super::claim::{
    Claim, LIMITS, Outcome, Paper, agreed, at_most, by_key, claim, equal, evaluated,
};
use crate::catalogue;

use crate::collectives::{Algorithm, Task, allreduce, broadcast, reduce};
use crate::cost::{self, Evaluation, Exact, Published};
use crate::engine::Machine;
use crate::engine::program::Operation;
use crate::error::Error;
use crate::logp::LogP;
use crate::problem::Value;

/// A cost: how often α, β and γ are in it.
type Cost = fn(CostArguments) -> [u64; 3];

/// Ranks, words of a block (a K-th of a vector), and the radix or the ports.
#[derive(Debug, Clone, Copy)]
struct CostArguments {
    K: u64,
    b: u64,
    of: u64,
}

impl CostArguments {
    /// `ceil(log2 K)`.
    fn rounds(self) -> u64 {
        digits(self.K, 2)
    }

    /// The words of all other blocks.
    fn others(self) -> u64 {
        (self.K - 1) * self.b
    }
}

/// `ceil(log_r K)`.
fn digits(K: u64, r: u64) -> u64 {
    std::iter::successors(Some(1), |power: &u64| Some(power.saturating_mul(r)))
        .take_while(|&power| power < K)
        .count() as u64
}

/// The ranks for which a cost is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ranks {
    Any,
    Even,
    PowersOfTwo,
}

use Ranks::{Any, Even, PowersOfTwo};

/// Whether a cost is stated, or what it is at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Takes,
    AtMost,
}

use Relation::{AtMost, Takes};

/// What a paper states of an algorithm.
type Stated = (
    (Paper, &'static str, &'static str),
    (&'static str, Ranks),
    (Relation, &'static str, Cost),
);

/// Paper, id, section: algorithm, ranks, relation, the cost in words, and by formula.
macro_rules! stated {
    ($($paper:ident $id:literal $section:literal: $algorithm:literal $ranks:ident $relation:ident $words:literal, $cost:expr;)*) => {
        const STATED: &[Stated] = &[$(((Paper::$paper, $id, $section), ($algorithm, $ranks), ($relation, $words, $cost)),)*];
    };
}

stated! {
    Mpich "mpich-allgather-ring" "section 4.1": "allgather-ring" Any Takes "(K-1)α + (K-1)n·β",
        |p| [p.K - 1, p.others(), 0];
    Mpich "mpich-allgather-recursive-doubling" "section 4.1": "allgather-recursive-doubling" PowersOfTwo Takes "log2(K)·α + (K-1)n·β",
        |p| [p.rounds(), p.others(), 0];
    Mpich "mpich-allgather-bruck" "section 4.1": "allgather-bruck" Any Takes "ceil(log2 K)·α + (K-1)n·β",
        |p| [p.rounds(), p.others(), 0];
    Mpich "mpich-broadcast-binomial" "section 4.2": "broadcast-binomial" Any AtMost "ceil(log2 K)·(α + nβ)",
        |p| [p.rounds(), p.rounds() * p.K * p.b, 0];
    Mpich "mpich-broadcast-scatter-ring" "section 4.2": "broadcast-scatter-ring" PowersOfTwo AtMost "(log2(K) + K-1)·α + 2(K-1)/K·nβ",
        |p| [p.rounds() + p.K - 1, 2 * p.others(), 0];
    Mpich "mpich-broadcast-scatter-doubling" "section 4.2": "broadcast-scatter-doubling" PowersOfTwo AtMost "2·log2(K)·α + 2(K-1)/K·nβ",
        |p| [2 * p.rounds(), 2 * p.others(), 0];
    Mpich "mpich-reduce-scatter-recursive-halving" "section 4.3": "reduce-scatter-recursive-halving" PowersOfTwo Takes "log2(K)·α + (K-1)n·(β + γ)",
        |p| [p.rounds(), p.others(), p.others()];
    Mpich "mpich-reduce-scatter-pairwise" "section 4.3": "reduce-scatter-pairwise" Any Takes "(K-1)α + (K-1)n·(β + γ)",
        |p| [p.K - 1, p.others(), p.others()];
    Mpich "mpich-alltoall-bruck" "section 4.4": "alltoall-bruck" PowersOfTwo Takes "log2(K)·(α + K/2·nβ)",
        |p| [p.rounds(), p.rounds() * p.K / 2 * p.b, 0];
    Mpich "mpich-alltoall-pairwise" "section 4.4": "alltoall-pairwise" Any Takes "(K-1)α + (K-1)n·β",
        |p| [p.K - 1, p.others(), 0];
    Mpich "mpich-reduce-binomial" "section 4.5": "reduce-binomial" Any AtMost "ceil(log2 K)·(α + nβ + nγ)",
        |p| [p.rounds(), p.rounds() * p.K * p.b, p.rounds() * p.K * p.b];
    Mpich "mpich-allreduce-recursive-doubling" "section 4.5": "allreduce-recursive-doubling" PowersOfTwo Takes "log2(K)·(α + nβ + nγ)",
        |p| [p.rounds(), p.rounds() * p.K * p.b, p.rounds() * p.K * p.b];
    Rabenseifner "rabenseifner-allreduce" "section 2.2": "allreduce-rabenseifner" PowersOfTwo Takes "2·log2(K)·α + (K-1)/K·n·(2β + γ)",
        |p| [2 * p.rounds(), 2 * p.others(), p.others()];
    Rabenseifner "rabenseifner-reduce" "section 2.2": "reduce-rabenseifner" PowersOfTwo Takes "2·log2(K)·α + (K-1)/K·n·(2β + γ)",
        |p| [2 * p.rounds(), 2 * p.others(), p.others()];
    Bruck "bruck-index" "section 3": "alltoall-bruck" Any AtMost "(r-1)·ceil(log_r K)·(α + ceil(K/r)·nβ)",
        |p| [(p.of - 1) * digits(p.K, p.of), (p.of - 1) * digits(p.K, p.of) * p.K.div_ceil(p.of) * p.b, 0];
    Bruck "bruck-concatenation" "section 4": "allgather-bruck" Any Takes "ceil(log_(k+1) K)·α + (K-1)/k·nβ, if k divides K-1",
        |p| [digits(p.K, p.of + 1), p.others() / p.of, 0];
    Ring "ring-allreduce" "section 3": "allreduce-ring" Any Takes "2(K-1)α + (K-1)/K·n·(2β + γ)",
        |p| [2 * (p.K - 1), 2 * p.others(), p.others()];
    Circulant "circulant-reduce-scatter" "abstract": "reduce-scatter-circulant" Any Takes "ceil(log2 K)·α + (K-1)n·(β + γ)",
        |p| [p.rounds(), p.others(), p.others()];
    Circulant "circulant-allreduce" "abstract": "allreduce-circulant" Any Takes "2·ceil(log2 K)·α + (K-1)/K·n·(2β + γ)",
        |p| [2 * p.rounds(), 2 * p.others(), p.others()];
    Butterfly "butterfly-reduce-scatter" "for powers of two": "reduce-scatter-butterfly" PowersOfTwo Takes "log2(K)·α + (K-1)n·(β + γ)",
        |p| [p.rounds(), p.others(), p.others()];
    Swing "swing-allreduce" "for long vectors": "allreduce-swing" PowersOfTwo Takes "2·log2(K)·α + (K-1)/K·n·(2β + γ)",
        |p| [2 * p.rounds(), 2 * p.others(), p.others()];
    Bine "bine-allreduce" "for long vectors": "allreduce-bine" PowersOfTwo Takes "2·log2(K)·α + (K-1)/K·n·(2β + γ)",
        |p| [2 * p.rounds(), 2 * p.others(), p.others()];
    Neighbours "neighbours-allgather" "section 2": "allgather-neighbour-exchange" Even Takes "K/2·α + (K-1)n·β",
        |p| [p.K / 2, p.others(), 0];
    Sparbit "sparbit-allgather" "abstract": "allgather-sparbit" Any Takes "ceil(log2 K)·α + (K-1)n·β",
        |p| [p.rounds(), p.others(), 0];
}

/// All of them.
pub(super) fn claims() -> Vec<Claim> {
    let mut claims: Vec<Claim> = STATED.iter().map(stated).collect();
    claims.extend([least_words(), rounds_of_a_barrier()]);
    claims.extend(both_trees());
    claims
}

/// L is α + β, g is β, c is γ, and o is 0.
const MACHINE: [Axis; 3] = [
    Axis::few("L", &[4, 30]),
    Axis::few("g", &[1, 4]),
    Axis::few("c", &[0, 3]),
];

/// Shown by the costs of an algorithm; `b` are the words of a block.
fn shown(claim: Claim, algorithm: &'static str, of: Option<Axis>) -> Claim {
    let (key, is_vector) = (of.map(|axis| axis.symbol), is_vector(algorithm));
    let axes = MACHINE
        .into_iter()
        .chain([Axis::range("K", 2, 17), Axis::few("b", &[1, 5])])
        .chain(of);
    claim.on(axes.collect::<Vec<_>>()).repeated(move |v| {
        let &[L, g, c, K, b, ..] = v else {
            return String::new();
        };
        let n = if is_vector { K * b } else { b };
        let of = key
            .zip(v.last())
            .map_or_else(String::new, |(key, of)| format!(" -{key} {of}"));
        format!(
            "cost {algorithm} -L {L} -o 0 -g {g} -K {K} -n {n}{}{of}",
            combining(algorithm, c)
        )
    })
}

/// The option of a collective that combines words.
fn combining(algorithm: &str, c: u64) -> String {
    let has_c = catalogue::find(algorithm)
        .is_some_and(|entry| entry.axes().iter().any(|axis| axis.key == "c"));
    if has_c {
        format!(" -c {c}")
    } else {
        String::new()
    }
}

/// Whether the words of a collective are a whole vector, not a block for each rank.
fn is_vector(algorithm: &str) -> bool {
    catalogue::find(algorithm)
        .is_some_and(|entry| ["allreduce", "reduce", "broadcast"].contains(&entry.problem().name()))
}

/// The cost that a paper states, with L, g and c for α + β, β and γ; `None` where it states none.
fn claimed(
    &((_, id, _), (_, ranks), (.., cost)): &Stated,
    [L, g, c]: [u64; 3],
    point: CostArguments,
) -> Option<u64> {
    let CostArguments { K, of, .. } = point;
    let is_meant = match ranks {
        Any => true,
        Even => K.is_multiple_of(2),
        PowersOfTwo => K.is_power_of_two(),
    };
    if !is_meant || (id == "bruck-concatenation" && !(K - 1).is_multiple_of(of)) {
        return None;
    }
    let [messages, words, combined] = cost(point);
    let parts = [(messages, L.checked_sub(g)?), (words, g), (combined, c)];
    parts.into_iter().try_fold(0u64, |sum, (count, time)| {
        sum.checked_add(count.checked_mul(time)?)
    })
}

/// The cost that a paper states at a point of the algorithm: where o is 0, on words, with equal blocks and one segment, and without the
/// axes that the paper does not have.
fn figure(
    statement: &'static Stated,
    of: Option<&'static str>,
    value: &dyn Fn(&str) -> Value,
) -> Option<Published> {
    let &((_, _, section), (algorithm, _), (relation, formula, _)) = statement;
    let [L, g, K, n] = ["L", "g", "K", "n"].map(value);
    let (L, g, K, n) = (L?, g?, K?, n?);
    let plain = [
        ("o", 0),
        ("m", 1),
        ("r", 2),
        ("k", 1),
        ("ports", 0),
        ("element", 1),
    ];
    let is_plain =
        |&(key, plain): &(&str, u64)| of == Some(key) || value(key).unwrap_or(plain) == plain;
    let is_large = [K, n].iter().any(|&size| size > 1 << 24);
    if K < 2 || is_large || !plain.iter().all(is_plain) || value("machine").is_some() {
        return None;
    }
    let is_vector = is_vector(algorithm);
    if is_vector && !n.is_multiple_of(K) {
        return None;
    }
    let point = CostArguments {
        K,
        b: if is_vector { n / K } else { n },
        of: of.map_or(Some(1), value)?,
    };
    let claimed = claimed(statement, [L, g, value("c").unwrap_or(0)], point)?;
    Some(Published {
        section,
        formula,
        relation: match relation {
            Takes => cost::Relation::Equal,
            AtMost => cost::Relation::AtMost,
        },
        value: claimed.into(),
    })
}

fn stated(statement: &'static Stated) -> Claim {
    let &((paper, id, section), (algorithm, ranks), (relation, words, _)) = statement;
    let of = match algorithm {
        "alltoall-bruck" if paper == Paper::Bruck => Some(Axis::few("r", &[2, 3, 5])),
        "allgather-bruck" if paper == Paper::Bruck => Some(Axis::few("k", &[1, 2, 3])),
        _ => None,
    };
    let claim = Claim {
        statement: format!(
            "{algorithm} {} {words}{}",
            if relation == Takes {
                "takes"
            } else {
                "takes at most"
            },
            match ranks {
                Any => "",
                Even => ", for even K",
                PowersOfTwo => ", for powers of two K",
            }
        )
        .into(),
        figure: Box::new(move |value| figure(statement, of.map(|axis| axis.symbol), value)),
        ..Claim::new(paper, id, section, "")
    };
    shown(
        claim.noted("α = L-g, β = g, γ = c and o = 0; vectors have K·b words, blocks b"),
        algorithm,
        of,
    )
    .checked(move |v| {
        let &[L, g, c, K, b, ..] = v else {
            return Ok(Outcome::Outside);
        };
        let point = CostArguments {
            K,
            b,
            of: of.and(v.last()).copied().unwrap_or(1),
        };
        let Some(claimed) = claimed(statement, [L, g, c], point) else {
            return Ok(Outcome::Outside);
        };
        let found = agreed(evaluation(algorithm, v, of)?)?.0;
        Ok(match relation {
            Takes => equal("cost", found, claimed.into()),
            AtMost => at_most("cost", found, claimed),
        })
    })
}

/// The costs of an algorithm at a point of the axes of [`shown`].
fn evaluation(algorithm: &str, v: &[u64], of: Option<Axis>) -> Result<Evaluation, Error> {
    let (Some(entry), &[L, g, c, K, b, ..]) = (catalogue::find(algorithm), v) else {
        return Err(Error::Overflow);
    };
    let value = |key: &str| match key {
        "L" => Some(L),
        "o" => Some(0),
        "g" => Some(g),
        "K" => Some(K),
        "n" => Some(if is_vector(algorithm) { K * b } else { b }),
        "c" => Some(c),
        _ => of.filter(|axis| axis.symbol == key).and(v.last()).copied(),
    };
    evaluated(&entry, &LIMITS, value)?.ok_or(Error::Overflow)
}

/// The title of Patarasuk and Yuan.
fn least_words() -> Claim {
    let claim = Claim::new(
        Paper::Ring,
        "ring-bandwidth",
        "title; section 3",
        "allreduce-ring is optimal in bandwidth: with α = γ = 0 no allreduce takes less than 2(K-1)/K·nβ, its time",
    );
    shown(
        claim.noted("against the lower bound, where L = g"),
        "allreduce-ring",
        None,
    )
    .on([
        Axis::few("L", &[1, 4]),
        Axis::few("g", &[1, 4]),
        Axis::few("c", &[0]),
        Axis::range("K", 2, 17),
        Axis::few("b", &[1, 5]),
    ])
    .checked(|v| {
        if v[0] != v[1] {
            return Ok(Outcome::Outside);
        }
        let evaluation = evaluation("allreduce-ring", v, None)?;
        let bound = evaluation.lower_bound.clone();
        let (cost, _) = agreed(evaluation)?;
        Ok(Outcome::new(Exact::Integer(cost) == bound, || {
            format!("cost {cost}, the bound is {bound}")
        }))
    })
}

fn rounds_of_a_barrier() -> Claim {
    claim!(Paper::Dissemination, "dissemination-rounds", "section 3":
        "barrier-dissemination takes ceil(log2 K) rounds")
    .on([
        Axis::few("L", &[4, 30]),
        Axis::few("o", &[0, 2]),
        Axis::few("g", &[1, 4]),
        Axis::range("K", 2, 40),
    ])
    .shown_by("cost barrier-dissemination")
    .noted("a round takes L+2o where that is not below g")
    .checked(|v| {
        let entry = catalogue::find("barrier-dissemination").ok_or(Error::Overflow)?;
        let evaluation =
            evaluated(&entry, &LIMITS, by_key(&["L", "o", "g", "K"], v))?.ok_or(Error::Overflow)?;
        Ok(equal(
            "cost",
            agreed(evaluation)?.0,
            u128::from(digits(v[3], 2) * (v[0] + 2 * v[1])),
        ))
    })
}

/// Full bandwidth, as in the title of Sanders, Speck and Träff: with an even number of segments every rank sends and
/// receives a vector once.
fn both_trees() -> [Claim; 3] {
    let all: [(&str, &'static dyn Algorithm, u64); 3] = [
        ("broadcast", &broadcast::DoubleTree, 1),
        ("reduce", &reduce::DoubleTree, 1),
        ("allreduce", &allreduce::DOUBLE_TREE, 2),
    ];
    all.map(|(collective, algorithm, times)| {
        let most = if times == 1 { "n" } else { "2n" };
        let claim = Claim {
            id: format!("two-trees-{collective}").into(),
            statement: format!(
                "{collective}-double-tree: no rank sends or receives more than {most} words"
            )
            .into(),
            ..Claim::new(Paper::TwoTrees, "", "title", "")
        };
        claim
            .noted("counted in the program of every rank")
            .on([
                Axis::range("K", 2, 40),
                Axis::few("n", &[60]),
                Axis::few("m", &[2, 4, 6]),
            ])
            .checked(move |v| {
                let machine = Machine::Words(LogP::new(1, 0, 1)?);
                let task = Task {
                    m: v[2],
                    ..Task::new(machine, v[0], v[1], 0)
                };
                let most = busiest(algorithm, &task)?;
                Ok(at_most(
                    "words of a rank in one direction",
                    most,
                    times * v[1],
                ))
            })
    })
}

/// The most words that a rank sends or receives.
fn busiest(algorithm: &dyn Algorithm, task: &Task) -> Result<u64, Error> {
    let program = algorithm.compiled(task)?.program;
    let mut most = 0;
    for rank in 0..program.processors() {
        let mut words = [0; 2];
        for operation in program.range(rank) {
            match program.operation(operation) {
                Operation::Send { bytes, .. } => words[0] += bytes,
                Operation::Receive { bytes, .. } => words[1] += bytes,
                _ => {}
            }
        }
        most = words.into_iter().fold(most, u64::max);
    }
    Ok(most)
}
