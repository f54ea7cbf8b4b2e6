//! How long an evaluation takes, roughly: for cutting a sweep into shards of about the same work, and for no result.

use super::{Algorithm, Entry, Point};
use crate::cost::Limits;

/// An answer by formula with its lower bound, its published figures and its row.
const FORMULA: u64 = 500;

impl Entry {
    /// About how many nanoseconds [`Entry::evaluate`] takes for this point with its row.
    ///
    /// The steps that a simulation takes times what a step took on one core of a machine of 2026: another machine takes
    /// more or less for all points alike. It reads neither L, o, g nor the source, so a grid need not ask for each of them.
    #[must_use]
    pub fn effort(&self, point: &Point, limits: &Limits) -> u64 {
        let simulated = self.simulates(point, limits);
        let when_simulated = |effort: u64| if simulated { effort } else { 0 };
        let steps = |count: u64| count.saturating_mul(u64::from(self.step_ns));
        let more = match (self.algorithm, *point) {
            (Algorithm::LogpMulticast(_), Point::LogpMulticast { K, .. }) => when_simulated(steps(K)),
            (Algorithm::LogpSummation(_), Point::LogpSummation { P, operands, .. }) => {
                // Beyond the operands processors stand idle; an addition is little beside a processor.
                when_simulated(steps(P.min(operands)).saturating_add(operands.saturating_mul(3)))
            }
            (Algorithm::MeshMulticast(algorithm), Point::MeshMulticast { mesh, K, sampling }) => {
                // The expectation sums over the nodes, and a little over pairs of node and destination.
                let nodes = u64::from(mesh.nodes());
                let expectation = nodes.saturating_mul(150 + K.min(nodes) / 4);
                let links = u32::try_from(K).map_or(0, |K| algorithm.most_links(mesh, K));
                let trial = steps(links).saturating_add(300 + 25 * K.min(nodes));
                expectation.saturating_add(when_simulated(sampling.trials.saturating_mul(trial)))
            }
            (Algorithm::MeshGossip(_), Point::MeshGossip { n }) => {
                // Every message to every other node.
                let nodes = n.saturating_mul(n);
                when_simulated(steps(nodes.saturating_mul(nodes.saturating_sub(1))))
            }
            (Algorithm::KPortBroadcast(_), Point::KPortBroadcast { n, k, m }) => {
                // The trees are made once, k of them; then every message reaches every node.
                when_simulated(steps(n.saturating_mul(m.saturating_add(k))))
            }
            (Algorithm::PipelinedBroadcast(_), Point::PipelinedBroadcast { instance, .. }) => {
                // The recurrence goes over few sizes.
                3_000 + when_simulated(steps(instance.K.saturating_mul(instance.cut().segments)))
            }
            (Algorithm::WormholeMulticast(scheme), Point::WormholeMulticast(setting)) => {
                let K = u32::try_from(setting.K).unwrap_or(u32::MAX);
                let each = 300 + 60 * u64::from(K);
                let hops = steps(setting.check().map_or(0, |K| scheme.most_hops(setting.mesh, K)));
                let multicasts = setting.sampling.trials.saturating_mul(setting.multicasts);
                multicasts.saturating_mul(each.saturating_add(when_simulated(hops)))
            }
            _ => 0,
        };
        FORMULA.saturating_add(more)
    }
}
