//! The optimum: no summation under LogP ends earlier.
//!
//! **Source.** Karp, Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993; Culler et
//! al., "LogP: towards a realistic model of parallel computation", PPoPP 1993, section 4.2.
//!
//! **Symbols.** N operands on P processors; D' = L + 1 + 2o; g' = max(g, o+1); a label `λ = aD' + bg'` of the
//! broadcast tree of D' and g', which has `C(a+b-1, b)` of them; Λ the P-th smallest, counting the root's 0: the time of an optimal
//! broadcast there.
//!
//! **Algorithm.** The processors with `T - λ > o` among the P smallest labels take part, each busy without a pause until it sends its
//! partial sum at `T - λ` (the root: until T). T is the least time that suffices for N.
//!
//! **Cost.** The least T with `capacity(T) >= N`, where `capacity(T) = T + 1 + sum of (T - λ - o)` over the P - 1
//! smallest labels below the root with `T - λ > o`. Each row of the lattice of labels has a closed form; from `T = Λ + o` on all
//! processors take part and T follows by division. Microseconds at any P and N. One message from each of them but the root.
//!
//! **Why nothing is better.** N operands take N - 1 additions.
//! 1. A message that forwards a received value unchanged can be removed: its sender's sender sends to its receiver.
//! 2. Then every sent value is a sum of received ones. Let a value be due at T. The last of its messages is received from `T - o - 1` or
//!    earlier, and each one before at least g and at least o + 1 earlier, because it is received and added: number j from the end was
//!    sent by `T - D' - jg'`. (The first can come a unit later where the receiver adds no own operand, but then it idles for that unit.)
//!    So from `T - x` on at most as many messages are sent as there are labels up to x below the root.
//! 3. A processor that begins its last send at s adds for at most s, less o for each earlier message. Every processor that takes part
//!    sends, except the root, so there are as many messages to receive, and the additions are at most T plus the sum of `s - o`. By 2
//!    the best s are `T - λ` for the smallest labels, and a processor with `s <= o` contributes nothing.
//!
//! **When it wins.** Always; [`paper`](super::paper) says by how much. Up to `N = D' + o + 2` a single processor is as fast.
//!
//! **Departures from the papers.** In the first LogP paper a partial sum represents at least o additions; one of exactly o gains nothing
//! and is left out here.

use super::schedule::Schedule;
use super::tree::Tree;
use super::{LogP, Summation, backwards, check_instance, least};
use crate::error::{Error, fit};
use crate::logp::lattice::{reached, time_left};
use crate::logp::multicast::optimal as broadcast;

/// The optimal summation. See the module.
pub struct SummationOptimal;

/// The least time in which any summation ends: the lower bound of the problem. At most `operands - 1`, the time of one processor.
///
/// # Errors
/// [`Error::Parameter`] without a processor or an operand.
///
/// ```
/// use castbench_algorithms::internals::logp::summation::optimal;
/// use castbench_algorithms::logp::LogP;
/// assert_eq!(optimal::time(LogP::new(5, 2, 4)?, 7, 82)?, 29);
/// # Ok::<(), castbench_algorithms::error::Error>(())
/// ```
pub fn time(model: LogP, P: u64, operands: u64) -> Result<u64, Error> {
    check_instance(P, operands)?;
    let alone = operands - 1;
    let Some(labels) = Labels::new(model, P) else {
        return Ok(alone);
    };
    let enough = |t| labels.summed_by(t) >= u128::from(operands);
    match labels.all_busy {
        Some(t) if t < alone && !enough(t) => {
            let missing = u128::from(operands) - labels.summed_by(t);
            fit(u128::from(t) + missing.div_ceil(P.into()))
        }
        Some(t) => Ok(least(0, t.min(alone), enough)),
        None => Ok(least(0, alone, enough)),
    }
}

/// The most operands that can be summed by time `t`.
///
/// Cost: that of an optimal broadcast time; see [`broadcast::time`].
///
/// # Errors
/// [`Error::Parameter`] without a processor.
///
/// ```
/// use castbench_algorithms::internals::logp::summation::optimal;
/// use castbench_algorithms::logp::LogP;
/// assert_eq!(optimal::summed_by(LogP::new(5, 2, 4)?, 7, 24)?, 51);
/// # Ok::<(), castbench_algorithms::error::Error>(())
/// ```
pub fn summed_by(model: LogP, P: u64, t: u64) -> Result<u128, Error> {
    check_instance(P, 1)?;
    Ok(Labels::new(model, P).map_or(u128::from(t) + 1, |labels| labels.summed_by(t)))
}

/// The P smallest labels.
struct Labels {
    backwards: LogP,
    o: u64,
    P: u64,
    /// `Λ`, the largest of them; `None` where it does not fit in 64 bits.
    largest: Option<u64>,
    /// `Λ + o`: from then on every processor adds one operand per time unit.
    all_busy: Option<u64>,
}

impl Labels {
    /// `None` where no message can arrive in 64 bits of time.
    fn new(model: LogP, P: u64) -> Option<Self> {
        let backwards = backwards(model)?;
        let largest = broadcast::time(backwards, P).ok();
        let all_busy = largest.and_then(|label| label.checked_add(model.o()));
        Some(Self {
            backwards,
            o: model.o(),
            P,
            largest,
            all_busy,
        })
    }

    fn summed_by(&self, t: u64) -> u128 {
        let (D, gap) = (self.backwards.D(), self.backwards.gap());
        let (late, everyone) = match self.all_busy {
            Some(all) if t > all => (all, u128::from(t - all) * u128::from(self.P - 1)),
            _ => (t, 0),
        };
        // Fewer than P labels are below Λ, so the closed form holds up to Λ.
        u128::from(t) + 1 + everyone + time_left(D, gap, late.saturating_sub(self.o))
    }

    /// The tree of the processors that take part in a summation that ends at `time`.
    fn tree(&self, time: u64, P: u32) -> Result<Tree, Error> {
        let (D, gap) = (self.backwards.D(), self.backwards.gap());
        // A processor with only o left gains no more than its message costs.
        let useful = time.saturating_sub(self.o + 1);
        match self.largest {
            Some(label) if label <= useful => {
                let below = label
                    .checked_sub(1)
                    .map_or(0, |before| reached(D, gap, before, self.P));
                let at_largest = u32::try_from(self.P - below).unwrap_or(u32::MAX);
                Tree::new(self.backwards, P, label, at_largest)
            }
            _ => Tree::new(self.backwards, P, useful, u32::MAX),
        }
    }
}

impl Summation for SummationOptimal {
    fn time(&self, model: LogP, P: u64, operands: u64) -> Result<u64, Error> {
        time(model, P, operands)
    }

    fn schedule(&self, model: LogP, P: u32, operands: u64) -> Result<Schedule, Error> {
        let time = time(model, P.into(), operands)?;
        let tree = match Labels::new(model, P.into()) {
            Some(labels) => labels.tree(time, P)?,
            None => Tree::alone(),
        };
        Ok(tree.schedule(model, P, time, operands))
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use super::*;
    use crate::logp::summation::simulator::execute;

    fn model(L: u64, o: u64, g: u64) -> LogP {
        LogP::new(L, o, g).unwrap()
    }

    #[test]
    fn five_processors_sum_more_than_the_seven_of_the_paper() {
        let model = model(5, 2, 4);
        assert_eq!(summed_by(model, 7, 24), Ok(51));
        let schedule = SummationOptimal.schedule(model, 7, 51).unwrap();
        let own: Vec<u64> = (0..7).map(|p| schedule.operands(p)).collect();
        assert_eq!(own, [16, 12, 5, 11, 7, 0, 0]);
        assert_eq!(execute(model, &schedule).map(|trace| trace.finish), Ok(24));
    }

    #[test]
    fn surplus_operands_are_taken_from_the_last() {
        let model = model(5, 2, 4);
        assert_eq!(
            (summed_by(model, 7, 23), time(model, 7, 47)),
            (Ok(46), Ok(24))
        );
        let schedule = SummationOptimal.schedule(model, 7, 47).unwrap();
        let own: Vec<u64> = (0..7).map(|p| schedule.operands(p)).collect();
        assert_eq!(own, [16, 11, 4, 10, 6, 0, 0]);
        assert_eq!(execute(model, &schedule).map(|trace| trace.finish), Ok(24));
    }

    /// The formula of the module, label by label.
    #[test]
    fn the_closed_form_by_listing_the_labels() {
        for (L, o, g) in [
            (5, 2, 4),
            (1, 0, 0),
            (0, 1, 0),
            (4, 3, 1),
            (1, 0, 9),
            (9, 1, 2),
            (0, 2, 13),
        ] {
            let (D, gap) = (L + 1 + 2 * o, g.max(o + 1));
            let mut pending = BinaryHeap::from([Reverse(D)]);
            let smallest = std::iter::from_fn(|| {
                let Reverse(label) = pending.pop()?;
                pending.extend([Reverse(label + D), Reverse(label + gap)]);
                Some(label)
            });
            let labels: Vec<u64> = smallest.take(40).collect();
            for P in 1..40 {
                for t in 0..=60u64 {
                    let others = labels.iter().take(P - 1);
                    let listed =
                        t + 1 + others.map(|label| t.saturating_sub(label + o)).sum::<u64>();
                    assert_eq!(
                        summed_by(model(L, o, g), P as u64, t),
                        Ok(listed.into()),
                        "{:?} P={P} t={t}",
                        (L, o, g)
                    );
                }
            }
        }
    }

    #[test]
    fn extreme_parameters_have_an_answer() {
        // A message takes longer than adding on one processor, or exceeds 64 bits.
        assert_eq!(
            time(model(u64::MAX, 0, 0), u64::MAX, u64::MAX),
            Ok(u64::MAX - 1)
        );
        assert_eq!(
            time(model(u64::MAX - 1, 0, 0), u64::MAX, u64::MAX),
            Ok(u64::MAX - 1)
        );
        assert_eq!(
            time(model(0, u64::MAX / 2, 0), u64::MAX, u64::MAX),
            Ok(u64::MAX - 1)
        );
        assert_eq!(summed_by(model(u64::MAX, 0, 0), 9, u64::MAX), Ok(1 << 64));
        let schedule = SummationOptimal
            .schedule(model(u64::MAX, 0, 0), 2, 9)
            .unwrap();
        assert_eq!((schedule.operands(0), schedule.operands(1)), (9, 0));
        for (L, o, g) in [
            (0, 1, 0),
            (1, 0, 0),
            (1 << 62, 0, 1),
            (1, 0, 1 << 62),
            (1, 1 << 62, 3),
            (6, 2, u64::MAX),
            (7, 5, 9),
        ] {
            for P in [1, 2, 3, 1 << 20, 1 << 40, u64::MAX] {
                for operands in [1, 2, 1 << 20, 1 << 40, u64::MAX] {
                    let time = time(model(L, o, g), P, operands).unwrap();
                    let enough = |t| summed_by(model(L, o, g), P, t).unwrap() >= operands.into();
                    assert!(
                        enough(time) && (time == 0 || !enough(time - 1)),
                        "{:?} P={P} N={operands}",
                        (L, o, g)
                    );
                }
            }
        }
    }
}
