//! The claims of Wang, Ying, "The gossiping algorithm in square mesh". Every schedule is executed step by step.
//!
//! A single node is left out: it has no links and nothing to send.

use super::claim::Point;
use super::claim::{Claim, Objection, Verdict, claims, equal, hold, only};

/// Sides of the mesh.
const SIDES: &str = "n = 2..26";

pub(super) fn claims() -> Vec<Claim> {
    claims![
        Gossip "gossip-lower-bound" "theorem 1": "no gossip on the n x n mesh takes fewer than (n^2+n)/2 steps: n^2(n^2-1) deliveries over 2n(n-1) links",
            SIDES, "cost gossip-optimal", "the division comes out even, and no schedule known here, executed with every link rule, goes below",
            |p, [n]| {
                let (deliveries, links) = (n * n * (n * n - 1), 2 * n * (n - 1));
                hold!(deliveries == links * ((n * n + n) / 2), "{deliveries} deliveries over {links} links")?;
                for algorithm in ["gossip-two-phase", "gossip-coupled", "gossip-optimal"] {
                    let steps = p.cost(algorithm)?;
                    hold!(steps * links >= deliveries, "{deliveries} deliveries in {steps} steps")?;
                }
                Ok(())
            };
        Gossip "gossip-minimum" "theorem 1, as its words have it": "the minimum of G(M) is (n^2+n)/2",
            SIDES, "cost gossip-optimal", "the paper proves the bound and leaves open whether it is reached; gossip-optimal, executed, reaches it",
            |p, [n]| equal("steps", p.cost("gossip-optimal")?, (n * n + n) / 2);
        Gossip "gossip-phase-1" "section 3, figure 1": "phase 1 takes n-1 steps",
            SIDES, "show gossip-two-phase", "as executed: the last step in which a message runs on its own row or column, before all others",
            |p, [n]| {
                let [end, begin, ..] = phases(p)?;
                first_phase(n, end, begin)
            };
        Gossip "gossip-phase-2" "section 3, S_even and S_odd": "phase 2 takes (n^2+n-2)/2 steps, for even and for odd n",
            SIDES, "show gossip-two-phase", "as executed, in the columns, which are last",
            |p, [n]| {
                let [first, _, rows, columns] = phases(p)?;
                equal("steps", rows.max(columns) - first, (n * n + n - 2) / 2)
            };
        Gossip "gossip-phase-2-fewer" "section 3, S'_odd": "for odd n, phase 2 takes (n^2+n-4)/2 steps where the even nodes of a line got a message less than the odd ones",
            SIDES, "show gossip-two-phase", "as executed, in the rows",
            |p, [n]| {
                only(n % 2 == 1)?;
                let [first, _, rows, _] = phases(p)?;
                equal("steps", rows - first, (n * n + n - 4) / 2)
            };
        Gossip "gossip-total" "section 3, S_sum": "both phases take (n^2+3n-4)/2 steps",
            SIDES, "cost gossip-two-phase", "as executed", |p, []| p.published("gossip-two-phase", "section 3, S_sum");
        Gossip "gossip-not-optimal" "summary": "the algorithm is not optimal yet",
            SIDES, "cost gossip-two-phase", "checked as: gossip-optimal, executed, takes fewer steps. At n = 2 both take the 3 that are needed",
            |p, []| {
                let [two_phase, optimal] = [p.cost("gossip-two-phase")?, p.cost("gossip-optimal")?];
                hold!(optimal < two_phase, "two phases {two_phase} steps, gossip-optimal {optimal}")
            };
        Castbench "gossip-distance" mends "gossip-not-optimal" "mesh::gossip::optimal": "the two phases take n-2 steps more than needed",
            SIDES, "cost gossip-two-phase", "as executed, both",
            |p, [n]| equal("steps more:", p.cost("gossip-two-phase")? - p.cost("gossip-optimal")?, n - 2);
        Castbench "gossip-coupling" mends "gossip-not-optimal" "mesh::gossip::coupled": "the same routes without phases take floor((n^2+2n-1)/2) steps: about half of what the two phases waste",
            SIDES, "cost gossip-coupled", "as executed. So the phases are half of the reason that the summary gives, the routes the other half",
            |p, [n]| equal("steps", p.cost("gossip-coupled")?, (n * n + 2 * n - 1) / 2);
    ]
}

/// The last step of phase 1, the first of phase 2, and the last of phase 2 in a row and in a column, in the execution of the paper's
/// schedule. A message moves along its own row or column in phase 1 and across it in phase 2.
fn phases(p: &Point<'_>) -> Result<[u64; 4], Objection> {
    let [n] = p.values().map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    let (mut first, mut begins, mut ends) = (0, u64::MAX, [0; 2]);
    for hop in p.events("gossip-two-phase", &[])? {
        let is_in_row = hop.node / n == hop.peer / n;
        let is_even = (hop.item / n + hop.item % n).is_multiple_of(2);
        if is_in_row == is_even {
            first = hop.end.max(first);
        } else {
            begins = hop.end.min(begins);
            let end = &mut ends[usize::from(!is_in_row)];
            *end = hop.end.max(*end);
        }
    }
    Ok([first, begins, ends[0], ends[1]])
}

/// Phase 1 ends with step n - 1 and phase 2 begins with the next.
fn first_phase(n: u64, end: u64, begin: u64) -> Verdict {
    hold!(
        [end, begin] == [n - 1, n],
        "phase 1 ends with step {end}, phase 2 begins with {begin}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checks of claims that hold never report a failure elsewhere.
    #[test]
    fn what_would_not_hold_is_told() {
        assert_eq!(first_phase(5, 4, 5), Ok(()));
        for (end, begin) in [(3, 5), (4, 4)] {
            let text = format!("phase 1 ends with step {end}, phase 2 begins with {begin}");
            assert_eq!(first_phase(5, end, begin), Err(Objection::Fails(text)));
        }
    }
}
