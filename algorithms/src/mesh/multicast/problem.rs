//! Multicast on a mesh as a problem: axes, algorithms, and one of them at one point.

use std::collections::HashMap;
use std::fmt;

use super::walk::{Routes, Walker};
use super::{
    Routing, broadcast, column_path, counting, dual_path, fixed_path, multi_path, sampling,
    steiner, unicast, xy_tree,
};
use crate::cost::{By, Exact, Limits, Simulated};
use crate::error::Error;
use crate::execution::{Emit, Event, Stage, What, Which};
use crate::mesh::labelling::Mesh;
use crate::mesh::{Sampling, axes, check_destinations, chosen, network, numbered, stage};
use crate::papers;
use crate::problem::{
    At, Case, Listing, Memo, Problem, Setting, Unit, Value, coordinates, listed, needed,
};
use crate::text::plural;

/// Mesh, destinations and sampling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeshMulticastPoint {
    /// The mesh.
    pub mesh: Mesh,
    /// Destinations, without the source; at most `w*h - 1`.
    pub K: u32,
    /// How the simulation draws its multicasts.
    pub sampling: Sampling,
}

const XY_TREE_PAPER: &str =
    "Lin, Ni 1991, Deadlock-free multicast wormhole routing in multicomputer networks";
const STEINER_PAPER: &str = "Dreyfus, Wagner 1971, The Steiner problem in graphs";

/// One message from a random source to K random destinations on a mesh.
pub const MESH_MULTICAST: Problem = Problem {
    unit: Unit::Links,
    fractions: true,
    limits: &[
        [
            "multicast on a mesh, except steiner",
            "a mesh of 16,384 nodes",
            "refused: exact fractions have as many digits as the mesh has nodes",
        ],
        [
            "steiner",
            "the same, with as many trials as the limit of hops allows; a tree to 7 destinations takes about 100,000 steps",
            "no simulated cost; the answer says why",
        ],
    ],
    ..Problem::new(
        ["mesh-multicast", "Multicast on a mesh, in links"],
        &[axes::SIDES, axes::DESTINATIONS, axes::TRIALS, axes::SEED],
        &[&[("n", 8), ("K", 16)]],
        &ROUTINGS,
    )
};

/// The algorithms.
pub static ROUTINGS: Listing<dyn Routing, MeshMulticastPoint> = Listing {
    point,
    entries: listed! {
        "dual-path" => dual_path::DualPath, (papers::DUAL_PATH, "algorithms 1 and 2, figure 3"):
            "one path up and one path down a Hamiltonian snake";
        "unicast" => unicast::Unicast, (papers::DUAL_PATH, "section 4, figure 3"):
            "a separate message to every destination";
        "broadcast" => broadcast::ToAll, (papers::DUAL_PATH, "section 4"):
            "a spanning tree; non-destinations discard the message";
        "multi-path" => multi_path::MultiPath, (papers::MULTI_PATH, "section 4"):
            "up to four paths: each half of dual-path split by rows";
        "fixed-path" => fixed_path::FixedPath, (papers::MULTI_PATH, "section 4"):
            "the Hamiltonian snake itself, up and down, without short cuts";
        "column-path" => column_path::ColumnPath, (papers::COLUMN_PATH, "section 4"):
            "for each column with destinations a path up and a path down it";
        "xy-tree" => xy_tree::XyTree, (XY_TREE_PAPER, "section 4, X-first tree"):
            "along the source's row, then along the columns with destinations";
        "steiner" => steiner::Steiner, (STEINER_PAPER, "beyond 7: Takahashi, Matsuyama 1980"):
            "the floor: a shortest tree up to 7 destinations, a greedy one beyond";
    },
};

fn point(_: &Setting, values: &[Value]) -> Result<MeshMulticastPoint, Error> {
    let [sides, K, trials, seed] = coordinates(values)?;
    let mesh = Mesh::from_sides(needed("n", sides)?)?;
    let K = check_destinations(mesh, needed("K", K)?)?;
    Ok(MeshMulticastPoint {
        mesh,
        K,
        sampling: Sampling::new(needed("trials", trials)?, needed("seed", seed)?)?,
    })
}

impl Case for At<dyn Routing, MeshMulticastPoint> {
    fn why_unknown(&self) -> &'static str {
        "no formula for this expectation is known; the mean of the sampled multicasts is an estimate"
    }

    fn describe(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let MeshMulticastPoint { mesh, K, .. } = self.point;
        let K = plural(K.into(), "destination");
        writeln!(
            out,
            "{K} (without the source) on the {mesh} mesh, all drawn uniformly: expected cost"
        )
    }

    fn analytic(&self, _: &mut Memo) -> Result<Option<(Exact, By)>, Error> {
        let links = self.algorithm.expected_links(self.point.mesh, self.point.K);
        Ok(links.map(|links| (Exact::from(links), By::Formula)))
    }

    fn lower_bound(&self, _: &mut Memo) -> Result<Exact, Error> {
        let point = self.point;
        Ok(Exact::from(counting::lower_bound(point.mesh, point.K)))
    }

    fn too_large(&self, limits: &Limits) -> Option<String> {
        let (algorithm, point) = (self.algorithm, self.point);
        let MeshMulticastPoint { mesh, K, sampling } = point;
        // A trial without a hop also takes time.
        let of_trials = |each: u64| u128::from(each.max(1)) * u128::from(sampling.trials);
        let (hops, steps) = (
            of_trials(algorithm.most_links(mesh, K)),
            of_trials(algorithm.steps(mesh, K)),
        );
        let (trials, most) = (sampling.trials, limits.hops);
        if hops > u128::from(most) {
            return Some(format!(
                "{trials} trials may cross {hops} links, above the {most} that are simulated"
            ));
        }
        (steps > u128::from(most)).then(|| {
            format!(
                "{trials} trials take about {steps} steps, above the {most} that are simulated; draw fewer multicasts"
            )
        })
    }

    /// A trial takes its steps, and one for each drawn node.
    fn work(&self) -> u64 {
        let (algorithm, MeshMulticastPoint { mesh, K, sampling }) = (self.algorithm, self.point);
        sampling
            .trials
            .saturating_mul(algorithm.steps(mesh, K) + u64::from(K) + 1)
    }

    fn simulate(&self) -> Result<Simulated, Error> {
        let (algorithm, point) = (self.algorithm, self.point);
        Ok(Simulated::Mean(sampling::run(
            algorithm,
            point.mesh,
            point.K,
            point.sampling,
        )?))
    }

    /// The model has no time: a hop counts as one.
    fn execute(&self, which: &Which, emit: Emit<'_>) -> Result<Stage, Error> {
        let (algorithm, MeshMulticastPoint { mesh, K, sampling }) = (self.algorithm, self.point);
        let (source, mut destinations) = chosen(mesh, K, sampling.seed, which)?;
        destinations.sort_unstable();
        let mut routes = Routes::default();
        algorithm.route(mesh, source, &destinations, &mut routes);
        Walker::new(mesh).walk(source, &destinations, &routes)?;
        let mut held = HashMap::from([(source, 0)]);
        for (path, transfer) in routes.paths().zip(0..) {
            // A path begins at a node that holds the message, as checked.
            let mut start = held.get(&path[0]).copied().unwrap_or(0);
            for hop in path.windows(2) {
                let [node, peer] = [hop[0], hop[1]].map(|label| numbered(mesh, label));
                let (what, class, end) = (What::Cross, network(path), start + 1);
                emit(Event {
                    start,
                    end,
                    node,
                    what,
                    port: 0,
                    peer,
                    transfer,
                    item: 0,
                    class,
                    size: 0,
                });
                start = end;
                held.entry(hop[1]).or_insert(end);
            }
        }
        Ok(stage(mesh, Some(source), &destinations))
    }

    fn defined(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use num_rational::BigRational;

    use super::*;
    use crate::mesh::multicast::unicast::Unicast;
    use crate::mesh::multicast::walk::Routes;
    use crate::violation::{Rule, Violation};

    /// Unicast whose formula has one link too many.
    struct Wrong;

    impl Routing for Wrong {
        fn expected_links(&self, _: Mesh, _: u32) -> Option<BigRational> {
            None
        }

        fn most_links(&self, _: Mesh, _: u32) -> u64 {
            1
        }

        fn route(&self, mesh: Mesh, source: u32, destinations: &[u32], routes: &mut Routes) -> u64 {
            Unicast.route(mesh, source, destinations, routes) + 1
        }
    }

    #[test]
    fn a_wrong_number_of_links_is_an_error() {
        let sampling = Sampling { trials: 3, seed: 1 };
        let wrong: At<dyn Routing, _> = At {
            algorithm: &Wrong,
            point: MeshMulticastPoint {
                mesh: Mesh::new(3, 3).unwrap(),
                K: 2,
                sampling,
            },
        };
        let counted = wrong.costs(&Limits::default()).unwrap_err();
        assert_eq!(
            counted
                .violation()
                .map(|violation: &Violation| violation.rule),
            Some(Rule::Differs)
        );
        let text = counted.to_string();
        let numbers: Vec<u64> = text
            .split([' ', ','])
            .filter_map(|word| word.parse().ok())
            .collect();
        assert!(
            matches!(numbers[..], [walked, _, formula] if walked + 1 == formula),
            "{text}"
        );
    }
}
