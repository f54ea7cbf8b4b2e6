//! How long an evaluation takes, roughly: for cutting a sweep into shards of about the same work, and for no result.

use super::{Algorithm, Entry, Point};
use crate::cost::Limits;

/// An answer by formula with its lower bound, its published figures and its row.
const FORMULA: u64 = 500;

impl Entry {
    /// About how many nanoseconds [`Entry::evaluate`] takes for this point, at least 1.
    ///
    /// The steps that a simulation takes times what a step took on one core of a machine of 2026, and no more than
    /// that: another machine takes more or less for all points alike. It reads neither L, o, g nor the source, so a
    /// grid need not ask for each of them.
    #[must_use]
    pub fn effort(&self, point: &Point, limits: &Limits) -> u64 {
        let simulated = self.simulates(point, limits);
        let steps = |count: u64, each: u64| if simulated { count.saturating_mul(each) } else { 0 };
        let more = match (self.algorithm, *point) {
            (Algorithm::LogpMulticast(_), Point::LogpMulticast { K, .. }) => steps(K, 110),
            (Algorithm::LogpSummation(_), Point::LogpSummation { P, operands, .. }) => {
                // Beyond the operands, idle processors are left out.
                steps(P.min(operands), 400).saturating_add(steps(operands, 20))
            }
            (Algorithm::MeshMulticast(_), Point::MeshMulticast { mesh, K, sampling }) => {
                // The expectation sums over nodes and pairs of labels; a trial draws its destinations and walks.
                let nodes = u64::from(mesh.nodes());
                let expectation = nodes.saturating_mul(K.min(nodes)).saturating_mul(2);
                let trial = 100 + 30 * K + nodes;
                expectation.saturating_add(steps(sampling.trials, trial))
            }
            (Algorithm::MeshGossip(_), Point::MeshGossip { n }) => {
                // Every message to every other node.
                let nodes = n.saturating_mul(n);
                steps(nodes.saturating_mul(nodes.saturating_sub(1)), 30)
            }
            (Algorithm::KPortBroadcast(_), Point::KPortBroadcast { n, k, m }) => {
                // The trees are made once, k of them; then every message reaches every node.
                steps(n.saturating_mul(m.saturating_add(k)), 30)
            }
            _ => 0,
        };
        FORMULA.saturating_add(more)
    }
}
