//! The claims of the papers as data, and whether they hold at every point of a grid.
//!
//! A [`Claim`] is a statement, its section of the paper, a grid and a check of one point. [`Claim::judge`] checks points and
//! counts failures. No verdict is written down: every run finds the counterexamples again. The *smallest* one is the first in
//! the order of the grid, the first axis slowest.
//!
//! A claim of [`Paper::Castbench`] states what is true instead of a claim that fails, and names the claim that it
//! [corrects](Claim::mends). A claim of a paper that fails is a finding; a claim of castbench that fails is a bug.
//!
//! Costs come from the algorithms of the catalogue. Up to [`EXECUTED`] nodes the simulator also executes the point; if formula
//! and execution differ there, the audit ends.

mod axis;
mod bounds;
mod claim;
mod collectives;
mod dual_path;
mod fibonacci;
mod figures;
mod gossip;
mod grid;
mod guidelines;
mod k_tree;
mod logp;
mod tally;
mod trees;

pub use axis::{Axis, Values};
pub use claim::{Cause, Check, Claim, EXECUTED, Outcome, Paper, Repeat};
pub use figures::{SECTION as FIGURES_SECTION, STATEMENTS as FIGURES_STATEMENTS, figures};
pub use tally::{Tally, Unchecked};

/// All claims that need no machine, those of castbench at the end.
#[must_use]
pub fn all() -> Vec<Claim> {
    let mut claims = fibonacci::claims();
    claims.extend(logp::claims());
    claims.extend(dual_path::claims());
    claims.extend(gossip::claims());
    claims.extend(k_tree::claims());
    claims.extend(collectives::claims());
    claims.extend(guidelines::claims());
    claims.extend(bounds::claims());
    claims.sort_by_key(|claim| claim.paper);
    claims
}
