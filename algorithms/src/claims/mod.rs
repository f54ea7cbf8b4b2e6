//! What the papers claim, each claim as data, and whether it holds: found by trying every point of a grid.
//!
//! A [`Claim`] is a statement of a paper, its place there, the grid on which it is tried and a check of one point.
//! [`Claim::judge`] tries points and counts. Nothing about the verdict is written down: what fails is found anew in
//! every run, and the *smallest* counterexample is the first in the order of the grid, the first axis slowest.
//!
//! Where a claim fails and castbench knows what is true instead, that is a claim of its own, of [`Paper::Castbench`],
//! which says which one it [mends](Claim::mends). One of those that fails is a bug here; one of a paper is a finding.
//!
//! Costs come from the algorithms themselves: up to [`EXECUTED`] nodes a point is also executed by the simulator of
//! its model, and a point where that gives another cost than the formula ends the audit.

mod axis;
mod bounds;
mod claim;
mod dual_path;
mod fibonacci;
mod figures;
mod gossip;
mod grid;
mod k_tree;
mod logp;
mod tally;

pub use axis::{Axis, Values};
pub use claim::{Cause, Check, Claim, EXECUTED, Outcome, Paper, Repeat};
pub use figures::{PLACE as FIGURES_PLACE, STATEMENTS as FIGURES_STATEMENTS, figures};
pub use tally::{Tally, Unchecked};

/// All claims that need no machine, those of castbench at the end.
#[must_use]
pub fn all() -> Vec<Claim> {
    let mut claims = fibonacci::claims();
    claims.extend(logp::claims());
    claims.extend(dual_path::claims());
    claims.extend(gossip::claims());
    claims.extend(k_tree::claims());
    claims.extend(bounds::claims());
    claims.sort_by_key(|claim| claim.paper);
    claims
}
