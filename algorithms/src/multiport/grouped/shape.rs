//! The distribution of nodes to the vertices of a hypercube.

use super::super::bounds::power_from;
use super::super::trees::Deal;
use crate::error::{Error, fit, refuse_if};

/// The numbers of nodes and vertices.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grouping {
    /// q - 1.
    pub dimensions: u32,
    /// N, the root's included.
    pub vertices: u64,
    /// c.
    pub full: u64,
    /// r.
    pub pool: u64,
    /// How the nodes without a vertex share their sends.
    pub deal: Deal,
}

impl Grouping {
    /// The shape for n >= 2 nodes.
    pub fn new(n: u64, k: u64) -> Result<Self, Error> {
        let base = u128::from(k) + 1;
        let (q, power) = power_from(base, n.into());
        // The power before the one that reaches n, which is at most 2^64 times that: at most n - 1.
        let vertices = fit(power / base)?;
        let (full, pool) = ((n - vertices - 1) / k, (n - vertices - 1) % k + 1);
        let deal = Deal::whole_if_possible(n, k);
        refuse_if!(deal == Deal::InRow && full + 1 == vertices, "n" = n =>
            "expected another number: k = {k} ports are too few for the {pool} nodes that share a batch beside vertices that are all full; use k-tree-packed");
        Ok(Self {
            dimensions: q - 1,
            vertices,
            full,
            pool,
            deal,
        })
    }
}
