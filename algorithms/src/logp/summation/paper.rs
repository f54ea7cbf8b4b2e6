//! S*: the summation tree of Shou and Chen, a reversed broadcast tree.
//!
//! **Source.** Shou, Chen, "The implementation of optimal broadcast and summation algorithms in the LogP model",
//! Journal of Software 1997, section 3: lemma 1, theorems 5 and 6, algorithm 2.
//!
//! **Symbols.** N operands on P processors; D' = L + 1 + 2o; g' = max(g, o+1); `T_B` the time in which D' and g' let
//! a broadcast reach P; `(i, T_i)` processor i, which must send `T_i` after the beginning, `T_0 = T_B`; `f_t` how
//! many nodes have a time left in the broadcast tree that ends at t.
//!
//! **Algorithm.** The tree is that of the first P nodes in preorder of the optimal broadcast tree that ends at `T_B`
//! (definition 4), with L + 1 for L. Each processor adds its own operands whenever it neither sends nor receives.
//!
//! **Cost.** By `T_B` the tree sums `N_S = sum T_i - oP + o + 1` operands (theorem 5). More of them take
//! `T_B + ceil((N - N_S)/P)` (theorem 6): every processor adds that many more before its first receive. P - 1 messages. The sum of the
//! `T_i` needs no list: whole subtrees and whole chains have closed forms. O(log P) steps, each a bisection.
//!
//! **When it wins.** Never against the [optimum](super::optimal). It is equal where P is a value of f and either o = 0 or N is at least
//! `N_S + oP`. For fewer operands, processors with `T_i < o` cost more than they add. For another P, the cut in preorder keeps late nodes
//! and drops early ones, which can cost a few time units at any N.
//!
//! **Departures from the paper.**
//! 1. Lemma 1 and line (4) of algorithm 2 count `floor((T_i - D')/g) + 1` children, those of the whole tree. Where P
//!    lies between two values of f some are cut off: at L=5 o=2 g=4 P=7 the root would have 13 operands instead of 16, and all
//!    processors 44 instead of theorem 5's 47. Here the children that exist are counted.
//! 2. `(N - N_S)/P` is rounded up. Line (6) gives all processors the same share, which is wrong unless P divides; here as many of the last
//!    processors in preorder as necessary have one less.
//! 3. For `g < o + 1` receiving and adding one partial sum collides with the next (L=4 o=3 g=1 P=16 gives negative
//!    counts of operands); so the gap is g'.
//! 4. The test of step (10) is inverted in the paper: there the root sends and the others print.
//! 5. For N < `N_S` theorem 6 says nothing; such instances are refused.
//! 6. Contrary to the paper it is not optimal: see [`optimal`]. At L=5 o=2 g=4 P=7 five processors sum 51 operands by `T_B = 24`, S* 47
//!    on seven; for 83 operands S* takes 30, the optimum 29.

use super::schedule::Schedule;
use super::tree::Tree;
use super::{LogP, Summation, backwards, check_instance, least, optimal};
use crate::cost::{Published, Relation};
use crate::error::{Error, fit};
use crate::logp::lattice::{reached, time_left};
use crate::logp::multicast::optimal as broadcast;

/// The tree S*. See the module.
pub struct SummationPaper;

/// `N_S` of theorem 5: how many operands S* sums in the time of its broadcast tree.
///
/// Cost: microseconds.
///
/// # Errors
/// [`Error::Parameter`] without a processor, [`Error::Overflow`] where `T_B` does not fit in 64 bits.
///
/// ```
/// use castbench_algorithms::internals::logp::summation::paper;
/// use castbench_algorithms::logp::LogP;
/// assert_eq!(paper::least_operands(LogP::new(5, 2, 4)?, 7)?, 47);
/// # Ok::<(), castbench_algorithms::error::Error>(())
/// ```
pub fn least_operands(model: LogP, P: u64) -> Result<u128, Error> {
    Ok(TheoremTree::new(model, P)?.operands)
}

/// The values of the tree that theorem 6 uses.
struct TheoremTree {
    /// D' and g' as a machine.
    backwards: LogP,
    /// `T_B`.
    time: u64,
    /// `N_S`.
    operands: u128,
}

impl TheoremTree {
    fn new(model: LogP, P: u64) -> Result<Self, Error> {
        check_instance(P, 1)?;
        let backwards = backwards(model).ok_or(Error::Overflow)?;
        let time = broadcast::time(backwards, P)?;
        let messages = u128::from(P - 1);
        let operands = sum_of_times(backwards, time, P) + 1 - u128::from(model.o()) * messages;
        Ok(Self {
            backwards,
            time,
            operands,
        })
    }

    /// Theorem 6.
    fn time(&self, P: u64, operands: u64) -> Result<u64, Error> {
        let more = u128::from(operands).checked_sub(self.operands).ok_or_else(|| {
            let least = self.operands;
            Error::parameter(
                "operands",
                operands,
                format!(
                    "expected at least N_S = {least} on this machine with P = {P}, below which theorem 6 says nothing; use summation-optimal"
                ),
            )
        })?;
        fit(u128::from(self.time) + more.div_ceil(P.into()))
    }
}

impl Summation for SummationPaper {
    /// ```
    /// use castbench_algorithms::logp::LogP;
    /// use castbench_algorithms::internals::logp::summation::Summation;
    /// use castbench_algorithms::internals::logp::summation::paper::SummationPaper;
    /// assert_eq!(SummationPaper.time(LogP::new(5, 2, 4)?, 7, 82)?, 29);
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn time(&self, model: LogP, P: u64, operands: u64) -> Result<u64, Error> {
        check_instance(P, operands)?;
        TheoremTree::new(model, P)?.time(P, operands)
    }

    fn schedule(&self, model: LogP, P: u32, operands: u64) -> Result<Schedule, Error> {
        check_instance(P.into(), operands)?;
        let shape = TheoremTree::new(model, P.into())?;
        let time = shape.time(P.into(), operands)?;
        Ok(Tree::new(shape.backwards, P, shape.time, u32::MAX)?.schedule(model, P, time, operands))
    }

    fn published(&self, model: LogP, P: u64, operands: u64) -> Vec<Published> {
        let (Ok(time), Ok(least)) = (
            self.time(model, P, operands),
            optimal::time(model, P, operands),
        ) else {
            return Vec::new();
        };
        vec![
            Published {
                section: "theorem 6",
                formula: "T_B + ceil((N - N_S)/P), N_S = sum T_i - oP + o + 1",
                relation: Relation::Equal,
                value: time.into(),
            },
            Published {
                section: "section 3, optimality of S*",
                formula: "least time of any summation",
                relation: Relation::Equal,
                value: least.into(),
            },
        ]
    }
}

/// The sum of the times left of the first P nodes in preorder of the broadcast tree that ends at `time`, the least
/// time that reaches P.
///
/// Goes down to the last of these nodes and sums the nodes before it. Each step but the first goes at least a hop and a gap down, so there
/// are O(log P).
fn sum_of_times(backwards: LogP, time: u64, P: u64) -> u128 {
    let (D, gap) = (backwards.D(), backwards.gap());
    let (mut t, mut nodes) = (time, P);
    let mut sum = 0;
    loop {
        let hops = hops_to_last(D, gap, t, nodes);
        sum += chain(t, D, hops);
        (t, nodes) = (t - hops * D, nodes - hops);
        let (children, below) = whole_children(D, gap, t, nodes);
        let rest = t.checked_sub(children.saturating_mul(gap));
        // The other children are those of a root with `rest` left.
        sum += u128::from(t) + time_left(D, gap, t) - time_left(D, gap, rest.unwrap_or(0));
        nodes -= 1 + below;
        match rest.and_then(|rest| rest.checked_sub(D)) {
            Some(next) if nodes > 0 => t = next,
            _ => return sum,
        }
    }
}

/// How many hops the first `nodes` of the tree with `t` left go down a chain of first children before they fan out.
fn hops_to_last(D: u64, gap: u64, t: u64, nodes: u64) -> u64 {
    let most = (t / D).min(nodes - 1);
    least(0, most, |hops| {
        hops == most || nodes - (hops + 1) > reached(D, gap, t - (hops + 1) * D, nodes)
    })
}

/// How many children of the root of the tree with `t` left have their whole subtrees among its first `nodes`,
/// and how many nodes those are: `f_t - f_(t-kg')` for k children (theorem 3).
fn whole_children(D: u64, gap: u64, t: u64, nodes: u64) -> (u64, u64) {
    if t < D {
        return (0, 0);
    }
    // The tree without its first k children; for k > 0 it is smaller than f_t and fits in 64 bits.
    let without = |k: u64| reached(D, gap, t.saturating_sub(k.saturating_mul(gap)), u64::MAX);
    let all = u128::from(reached(D, gap, t - D, u64::MAX)) + u128::from(without(1));
    let kept = all.saturating_sub(u128::from(nodes) - 1);
    let most = (t - D) / gap + 1;
    let whole = least(0, most, |k| k == most || u128::from(without(k + 1)) < kept);
    let below = if whole == 0 {
        0
    } else {
        all - u128::from(without(whole))
    };
    // At most `nodes`.
    (whole, u64::try_from(below).unwrap_or(nodes - 1))
}

/// `t + (t - D) + (t - 2D) + ...`, with this number of terms.
fn chain(t: u64, D: u64, terms: u64) -> u128 {
    let (t, D, n) = (u128::from(t), u128::from(D), u128::from(terms));
    n * t - n * n.saturating_sub(1) / 2 * D
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logp::summation::schedule::Operation;
    use crate::logp::summation::simulator::execute;

    const FIGURE_2: (u64, u64, u64) = (5, 2, 4);

    fn model((L, o, g): (u64, u64, u64)) -> LogP {
        LogP::new(L, o, g).unwrap()
    }

    /// `(T_i, children that exist)` of the first P nodes in preorder, by definition: a node with `t` left has
    /// children with `t - D' - k*gap` left, k = 0, 1, ...
    fn by_definition(D: u64, gap: u64, P: usize) -> Vec<(u64, u64)> {
        fn visit(D: u64, gap: u64, t: u64, P: usize, nodes: &mut Vec<(u64, u64)>) {
            let own = nodes.len();
            nodes.push((t, 0));
            let mut child = t.checked_sub(D);
            while let Some(left) = child.filter(|_| nodes.len() < P) {
                nodes[own].1 += 1;
                visit(D, gap, left, P, nodes);
                child = left.checked_sub(gap);
            }
        }
        for t in 0.. {
            let mut nodes = Vec::new();
            visit(D, gap, t, P, &mut nodes);
            if nodes.len() == P {
                return nodes;
            }
        }
        unreachable!("time goes on")
    }

    #[test]
    fn figure_2() {
        let model = model(FIGURE_2);
        let times: Vec<u64> = by_definition(10, 4, 7).iter().map(|node| node.0).collect();
        assert_eq!(times, [24, 14, 4, 0, 10, 0, 6]);
        assert_eq!(least_operands(model, 7), Ok(47));
        let own = |operands| {
            let schedule = SummationPaper.schedule(model, 7, operands).unwrap();
            (0..7).map(|p| schedule.operands(p)).collect::<Vec<_>>()
        };
        assert_eq!(own(47), [16, 9, 5, 1, 8, 1, 7]);
        assert_eq!(own(82), [21, 14, 10, 6, 13, 6, 12]);
        assert_eq!(SummationPaper.time(model, 7, 47), Ok(24));
        assert_eq!(SummationPaper.time(model, 7, 82), Ok(29));
        // Processor 0 receives from its last child first.
        let trace = execute(model, &SummationPaper.schedule(model, 7, 82).unwrap()).unwrap();
        let received = trace
            .spans(0)
            .iter()
            .filter_map(|span| match span.operation {
                Operation::Receive { from } => Some((span.start, from)),
                _ => None,
            });
        assert_eq!(received.collect::<Vec<_>>(), [(18, 6), (22, 4), (26, 1)]);
    }

    #[test]
    fn operands_that_cannot_be_shared_evenly_leave_the_last_with_one_less() {
        let model = model(FIGURE_2);
        let schedule = SummationPaper.schedule(model, 7, 50).unwrap();
        let own: Vec<u64> = (0..7).map(|p| schedule.operands(p)).collect();
        assert_eq!(own, [17, 10, 6, 1, 8, 1, 7]);
        assert_eq!(execute(model, &schedule).map(|trace| trace.finish), Ok(25));
    }

    /// Lemma 1 counts the children of the whole tree, theorem 5 those that exist.
    #[test]
    fn lemma_1_fails_on_a_pruned_tree() {
        let (D, g, o) = (10, 4, 2);
        let nodes = by_definition(D, g, 7);
        let lemma_1 = |t: u64| {
            if t < D {
                t + 1
            } else {
                t + 1 - ((t - D) / g + 1) * (o + 1)
            }
        };
        let existing = |(t, children): (u64, u64)| t + 1 - children * (o + 1);
        assert_eq!((lemma_1(24), existing(nodes[0])), (13, 16));
        assert_eq!(nodes.iter().map(|node| lemma_1(node.0)).sum::<u64>(), 44);
        assert_eq!(nodes.iter().copied().map(existing).sum::<u64>(), 47);
    }

    /// L=4 o=3 g=1 P=16: with g instead of g' the root could not receive all messages.
    #[test]
    fn a_gap_below_o_plus_1_leaves_no_time_to_add() {
        let (t, children) = by_definition(4 + 1 + 2 * 3, 1, 16)[0];
        assert!(children * (3 + 1) > t + 1);
    }

    #[test]
    fn theorem_5_by_listing_the_nodes() {
        let machines = [
            FIGURE_2,
            (1, 0, 1),
            (0, 1, 0),
            (4, 3, 1),
            (1, 0, 9),
            (2, 0, 17),
            (30, 0, 1),
            (9, 4, 5),
            (0, 2, 40),
        ];
        for machine in machines {
            let model = model(machine);
            for P in (1..130).chain([200, 377, 500, 997]) {
                let nodes = by_definition(
                    model.L() + 1 + 2 * model.o(),
                    model.g().max(model.o() + 1),
                    P,
                );
                let own = nodes
                    .iter()
                    .map(|&(t, children)| u128::from(t + 1 - children * (model.o() + 1)));
                assert_eq!(
                    least_operands(model, P as u64),
                    Ok(own.sum()),
                    "{machine:?} P={P}"
                );
            }
        }
    }

    #[test]
    fn fewer_operands_than_the_tree_sums_are_refused() {
        let error = SummationPaper.time(model(FIGURE_2), 7, 46).unwrap_err();
        assert!(error.to_string().contains("N_S = 47"), "{error}");
        assert_eq!(SummationPaper.schedule(model(FIGURE_2), 7, 46), Err(error));
        assert!(SummationPaper.published(model(FIGURE_2), 7, 46).is_empty());
    }

    #[test]
    fn the_claim_of_optimality_fails() {
        for (operands, paper, least) in [(82, 29, 29), (83, 30, 29), (84, 30, 29), (85, 30, 30)] {
            assert_eq!(SummationPaper.time(model(FIGURE_2), 7, operands), Ok(paper));
            let claims = SummationPaper.published(model(FIGURE_2), 7, operands);
            let holds: Vec<bool> = claims
                .iter()
                .map(|claim| claim.relation.holds(paper, claim.value))
                .collect();
            assert_eq!(holds, [true, paper == least], "N = {operands}");
        }
    }

    #[test]
    fn extreme_parameters_have_an_answer() {
        // A chain of all P, which sends once each g: sum of T_i = P(P-1)/2 hops of 2.
        let P = 1_000_000_000u64;
        let chain = least_operands(model((1, 0, u64::MAX / 2)), P);
        assert_eq!(chain, Ok(u128::from(P) * u128::from(P - 1) + 1));
        // A flat tree: the root receives in every unit, and its first message is in transit for most of the time.
        let long = u64::MAX / 2;
        let flat = (long + 1) + (P - 2) + 1;
        assert_eq!(
            least_operands(model((long, 0, 1)), P),
            Ok(u128::from(flat) + u128::from(P - 2) * u128::from(P - 1) / 2)
        );
        for (L, o, g) in [
            (6, 2, 4),
            (1_000_003, 17, 65_537),
            (0, 1, 0),
            (1, 0, 1 << 40),
            (1 << 40, 0, 1),
        ] {
            for P in [1 << 32, u64::MAX / 3, u64::MAX] {
                let operands = least_operands(model((L, o, g)), P).unwrap();
                assert!(operands >= P.into());
                assert!(
                    SummationPaper.time(model((L, o, g)), P, u64::MAX).is_err()
                        || operands <= u64::MAX.into()
                );
            }
        }
        assert_eq!(
            SummationPaper.time(model((u64::MAX, 0, 0)), 2, 9),
            Err(Error::Overflow)
        );
    }
}
