//! The claims of Wang, Ying, "The gossiping algorithm in square mesh". Every schedule is executed step by step.
//!
//! A single node is left out: it has no links and nothing to send.

use super::axis::Axis;
use super::claim::{Cause, Claim, LIMITS, Outcome, Paper, agreed, as_published, claim, equal};
use crate::mesh::gossip::coupled::Coupled;
use crate::mesh::gossip::optimal::Optimal;
use crate::mesh::gossip::problem::MeshGossip;
use crate::mesh::gossip::two_phase::TwoPhase;
use crate::mesh::gossip::{Gossip, Transfer, check_side, simulator};
use crate::problem::Problem as _;

const PAPER: Paper = Paper::Gossip;

/// Sides of the mesh.
const SIDES: [Axis; 1] = [Axis::range("n", 2, 26)];

/// How many steps a gossip takes, executed.
fn steps(algorithm: &'static dyn Gossip, n: u64) -> Result<u64, Cause> {
    Ok(agreed(MeshGossip::at(algorithm, check_side(n)?, &LIMITS)?)?.0)
}

/// When the two phases of the paper's schedule end in the execution. A message moves along its own row or column in phase 1
/// and across it in phase 2.
struct Phases {
    /// The last step with a hop of phase 1.
    first_ends: u64,
    /// The first step with a hop of phase 2.
    second_begins: u64,
    /// The last step of phase 2 in a row, and in a column.
    rows_end: u64,
    columns_end: u64,
}

fn phases(v: &[u64]) -> Result<Phases, Cause> {
    let n = check_side(v[0])?;
    let mut schedule = TwoPhase.schedule(n)?;
    let mut found = Phases {
        first_ends: 0,
        second_begins: u64::MAX,
        rows_end: 0,
        columns_end: 0,
    };
    let mut transfers: Vec<Transfer> = Vec::new();
    for step in 1.. {
        transfers.clear();
        if !schedule.round(&mut transfers) {
            break;
        }
        for hop in &transfers {
            let in_row = hop.from / n == hop.to / n;
            let even = (hop.message / n + hop.message % n).is_multiple_of(2);
            if in_row == even {
                found.first_ends = step;
                continue;
            }
            found.second_begins = found.second_begins.min(step);
            let end = if in_row {
                &mut found.rows_end
            } else {
                &mut found.columns_end
            };
            *end = step;
        }
    }
    Ok(found)
}

pub(super) fn claims() -> Vec<Claim> {
    let mut claims = Vec::from(lower_bound());
    claims.extend(step_counts());
    claims.extend(not_optimal());
    claims
}

fn lower_bound() -> [Claim; 2] {
    [
        claim!(PAPER, "gossip-lower-bound", "theorem 1":
            "no gossip on the n x n mesh takes fewer than (n^2+n)/2 steps: n^2(n^2-1) deliveries over 2n(n-1) links")
        .on(SIDES)
        .shown_by("cost gossip-optimal")
        .noted("the division comes out even, and no schedule known here, executed with every link rule, goes below")
        .checked(|v| {
            let n = v[0];
            let (deliveries, links) = (n * n * (n * n - 1), 2 * n * (n - 1));
            if !is_quotient(deliveries, links, (n * n + n) / 2) {
                return Ok(Outcome::Fails(format!("{deliveries} deliveries over {links} links")));
            }
            for algorithm in [&TwoPhase as &dyn Gossip, &Coupled, &Optimal] {
                let side = check_side(n)?;
                let trace = simulator::simulate(side, algorithm.schedule(side)?.as_mut()).map_err(crate::error::Error::from)?;
                let outcome = has_room(&trace, deliveries, links);
                if outcome != Outcome::Holds {
                    return Ok(outcome);
                }
            }
            Ok(Outcome::Holds)
        }),
        claim!(PAPER, "gossip-minimum", "theorem 1, as its words have it": "the minimum of G(M) is (n^2+n)/2")
        .on(SIDES)
        .shown_by("cost gossip-optimal")
        .noted("the paper proves the bound and leaves open whether it is reached; gossip-optimal, executed, reaches it")
        .checked(|v| Ok(equal("steps", steps(&Optimal, v[0])?, u128::from((v[0] * v[0] + v[0]) / 2)))),
    ]
}

/// Whether a division comes out even, with this quotient.
fn is_quotient(dividend: u64, divisor: u64, quotient: u64) -> bool {
    dividend.is_multiple_of(divisor) && dividend / divisor == quotient
}

/// The execution delivered every message, and its steps have enough links.
fn has_room(trace: &simulator::Trace, deliveries: u64, links: u64) -> Outcome {
    let useful = trace.sends - trace.repeated;
    let holds = useful == deliveries && trace.last * links >= deliveries;
    Outcome::new(holds, || {
        format!("{useful} deliveries in {} steps", trace.last)
    })
}

/// Phase 1 ends with step n - 1 and phase 2 begins with the next.
fn first_phase(n: u64, end: u64, begin: u64) -> Outcome {
    let holds = end == n - 1 && begin == n;
    Outcome::new(holds, || {
        format!("phase 1 ends with step {end}, phase 2 begins with {begin}")
    })
}

fn step_counts() -> [Claim; 4] {
    [
        claim!(PAPER, "gossip-phase-1", "section 3, figure 1": "phase 1 takes n-1 steps")
            .on(SIDES)
            .shown_by("show gossip-two-phase")
            .noted("as executed: the last step in which a message runs on its own row or column, before all others")
            .checked(|v| {
                let found = phases(v)?;
                Ok(first_phase(v[0], found.first_ends, found.second_begins))
            }),
        claim!(PAPER, "gossip-phase-2", "section 3, S_even and S_odd":
            "phase 2 takes (n^2+n-2)/2 steps, for even and for odd n")
        .on(SIDES)
        .shown_by("show gossip-two-phase")
        .noted("as executed, in the columns, which are last")
        .checked(|v| {
            let found = phases(v)?;
            let last = found.rows_end.max(found.columns_end);
            Ok(equal("steps", last - found.first_ends, u128::from((v[0] * v[0] + v[0] - 2) / 2)))
        }),
        claim!(PAPER, "gossip-phase-2-fewer", "section 3, S'_odd":
            "for odd n, phase 2 takes (n^2+n-4)/2 steps where the even nodes of a line got a message less than the odd ones")
        .on(SIDES)
        .shown_by("show gossip-two-phase")
        .noted("as executed, in the rows")
        .checked(|v| {
            if v[0].is_multiple_of(2) {
                return Ok(Outcome::Outside);
            }
            let found = phases(v)?;
            Ok(equal("steps", found.rows_end - found.first_ends, u128::from((v[0] * v[0] + v[0] - 4) / 2)))
        }),
        claim!(PAPER, "gossip-total", "section 3, S_sum": "both phases take (n^2+3n-4)/2 steps")
            .on(SIDES)
            .shown_by("cost gossip-two-phase")
            .noted("as executed")
            .checked(|v| as_published(MeshGossip::at(&TwoPhase, check_side(v[0])?, &LIMITS)?, "section 3, S_sum")),
    ]
}

fn not_optimal() -> [Claim; 3] {
    let compare = |v: &[u64]| Ok::<_, Cause>([steps(&TwoPhase, v[0])?, steps(&Optimal, v[0])?]);
    [
        claim!(PAPER, "gossip-not-optimal", "summary": "the algorithm is not optimal yet")
            .on(SIDES)
            .shown_by("cost gossip-two-phase")
            .noted("checked as: gossip-optimal, executed, takes fewer steps. At n = 2 both take the 3 that are needed")
            .checked(move |v| {
                let [two_phase, optimal] = compare(v)?;
                Ok(Outcome::new(optimal < two_phase, || {
                    format!("two phases {two_phase} steps, gossip-optimal {optimal}")
                }))
            }),
        claim!("gossip-distance" mends "gossip-not-optimal", "mesh::gossip::optimal":
            "the two phases take n-2 steps more than needed")
        .on(SIDES)
        .shown_by("cost gossip-two-phase")
        .noted("as executed, both")
        .checked(move |v| {
            let [two_phase, optimal] = compare(v)?;
            Ok(equal("steps more:", two_phase - optimal, u128::from(v[0] - 2)))
        }),
        claim!("gossip-coupling" mends "gossip-not-optimal", "mesh::gossip::coupled":
            "the same routes without phases take floor((n^2+2n-1)/2) steps: about half of what the two phases waste")
        .on(SIDES)
        .shown_by("cost gossip-coupled")
        .noted("as executed. So the phases are half of the reason that the summary gives, the routes the other half")
        .checked(|v| Ok(equal("steps", steps(&Coupled, v[0])?, u128::from((v[0] * v[0] + 2 * v[0] - 1) / 2)))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checks of claims that hold never report a failure elsewhere.
    #[test]
    fn what_would_not_hold_is_told() {
        assert!(is_quotient(12, 4, 3) && !is_quotient(12, 4, 2) && !is_quotient(13, 4, 3));
        assert_eq!(first_phase(5, 4, 5), Outcome::Holds);
        for (end, begin) in [(3, 5), (4, 4)] {
            let text = format!("phase 1 ends with step {end}, phase 2 begins with {begin}");
            assert_eq!(first_phase(5, end, begin), Outcome::Fails(text));
        }
        // 12 deliveries over 4 links; 3 of the 15 transfers are redundant.
        let executed = |transfers, steps| {
            has_room(
                &simulator::Trace {
                    rounds: steps,
                    last: steps,
                    sends: transfers,
                    repeated: 3,
                },
                12,
                4,
            )
        };
        assert_eq!(executed(15, 3), Outcome::Holds);
        assert_eq!(
            executed(15, 2),
            Outcome::Fails("12 deliveries in 2 steps".to_owned())
        );
        assert_eq!(
            executed(14, 3),
            Outcome::Fails("11 deliveries in 3 steps".to_owned())
        );
    }
}
