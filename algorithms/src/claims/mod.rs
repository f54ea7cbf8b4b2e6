//! The claims of the papers as data, and whether they hold at every point of a grid.
//!
//! A [`Claim`] is a statement, its section of the paper, a grid and a check of one [`Point`]. [`Claim::judge`] checks points and
//! counts failures. No verdict is written down: every run finds the counterexamples again. The *smallest* one is the first in
//! the order of the grid, the first axis slowest.
//!
//! A claim of [`Paper::Castbench`] states what is true instead of a claim that fails, and names the claim that it
//! [corrects](Claim::mends). A claim of a paper that fails is a finding; a claim of castbench that fails is a bug.
//!
//! Costs come from the algorithms of the catalogue, by their names. Up to [`EXECUTED`] nodes the simulator also executes the
//! point; if formula and execution differ there, the audit ends.

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
mod summation;
mod tally;

pub use claim::{Claim, EXECUTED, Objection, Paper, Point, Verdict};
pub use figures::figures;
pub use grid::Axis;
pub use tally::{Tally, Unchecked};

/// All claims that need no machine, those of castbench at the end.
#[must_use]
pub fn all() -> Vec<Claim> {
    let papers = [
        fibonacci::claims,
        logp::claims,
        summation::claims,
        dual_path::claims,
        gossip::claims,
        k_tree::claims,
        collectives::claims,
        guidelines::claims,
        bounds::claims,
    ];
    let mut claims: Vec<Claim> = papers.into_iter().flat_map(|claims| claims()).collect();
    claims.sort_by_key(|claim| claim.paper);
    claims
}
