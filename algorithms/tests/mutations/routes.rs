//! Routes on the mesh, for the walker that counts links.
//!
//! The walker knows the mesh and the nodes that hold the message. Labels that only rise or fall along a path are a rule of
//! some algorithms, not of the mesh; `search/links.rs` checks them.

use std::collections::BTreeSet;

use castbench_algorithms::internals::mesh::labelling::Mesh;
use castbench_algorithms::internals::mesh::multicast::problem::ROUTINGS;
use castbench_algorithms::internals::mesh::multicast::walk::{Routes, Walker};
use castbench_algorithms::internals::violation::Violation;

use super::{Judged, LEGAL, Mutants, Tally, on_snake};

/// A multicast and its paths on a mesh of columns of h nodes.
#[derive(Debug, Clone)]
struct Written {
    w: u32,
    h: u32,
    source: u32,
    to: Vec<u32>,
    paths: Vec<Vec<u32>>,
}

impl Written {
    fn run(&self) -> Result<u64, Violation> {
        let mut routes = Routes::default();
        self.paths
            .iter()
            .for_each(|path| routes.add(path.iter().copied()));
        Walker::new(Mesh::new(self.w.into(), self.h.into()).unwrap()).walk(
            self.source,
            &self.to,
            &routes,
        )
    }

    /// Every path begins at a node with the message, every hop is a link, every destination receives it. Returns the
    /// number of hops.
    fn judge(&self) -> Judged<u64> {
        let mut holds = BTreeSet::from([self.source]);
        let mut broken = BTreeSet::new();
        let mut hops = 0;
        for path in self.paths.iter().filter(|path| path.len() > 1) {
            if !holds.contains(&path[0]) {
                broken.insert("NotHeld");
            }
            for hop in path.windows(2) {
                let ((ax, ay), (bx, by)) = (on_snake(self.h, hop[0]), on_snake(self.h, hop[1]));
                if hop.iter().any(|&label| label >= self.w * self.h)
                    || ax.abs_diff(bx) + ay.abs_diff(by) != 1
                {
                    broken.insert("NoLink");
                }
                holds.insert(hop[1]);
                hops += 1;
            }
        }
        if self.to.iter().any(|node| !holds.contains(node)) {
            broken.insert("Missing");
        }
        if broken.is_empty() {
            Ok(hops)
        } else {
            Err(broken)
        }
    }

    fn mutants(&self) -> Vec<(&'static str, Self)> {
        let mut mutants = Mutants::new(self);
        let mut with = |kind, change: &dyn Fn(&mut Self)| mutants.with(kind, change);
        let nodes = self.w * self.h;
        for path in 0..self.paths.len() {
            with("a path left out", &|mutant| {
                mutant.paths.remove(path);
            });
            with("a path walked twice", &|mutant| {
                mutant.paths.push(mutant.paths[path].clone())
            });
            with("a path backwards", &|mutant| mutant.paths[path].reverse());
            with("a path that ends early", &|mutant| {
                mutant.paths[path].pop();
            });
            with("a path that begins late", &|mutant| {
                mutant.paths[path].remove(0);
            });
            for index in 0..self.paths[path].len() {
                for other in (0..=nodes).filter(|&other| other != self.paths[path][index]) {
                    with("a link that does not exist", &|mutant| {
                        mutant.paths[path][index] = other
                    });
                }
                if index > 0 {
                    let (before, here) = (self.paths[path][index - 1], self.paths[path][index]);
                    with("a node visited twice", &|mutant| {
                        mutant.paths[path].splice(index + 1..index + 1, [before, here]);
                    });
                }
                if index > 0 && index + 1 < self.paths[path].len() {
                    with("a node of a path left out", &|mutant| {
                        mutant.paths[path].remove(index);
                    });
                    with("two nodes of a path exchanged", &|mutant| {
                        mutant.paths[path].swap(index, index + 1)
                    });
                }
            }
        }
        for other in (0..nodes).filter(|other| *other != self.source && !self.to.contains(other)) {
            with("a destination more", &|mutant| mutant.to.push(other));
            with("a wrong source", &|mutant| mutant.source = other);
        }
        with("a wrong source", &|mutant| mutant.source = nodes);
        with("a destination more", &|mutant| mutant.to.push(nodes));
        mutants.made
    }
}

#[test]
fn the_walker_catches_every_mutant() {
    let mut tally = Tally::new("mesh walker");
    for (w, h) in [(3, 3), (4, 2), (2, 5)] {
        let mesh = Mesh::new(w.into(), h.into()).unwrap();
        for entry in ROUTINGS.entries {
            let algorithm = entry.algorithm;
            for source in [0, 4] {
                for set in (1..1u32 << mesh.nodes())
                    .step_by(3)
                    .filter(|set| set >> source & 1 == 0)
                {
                    let to: Vec<u32> = (0..mesh.nodes())
                        .filter(|node| set >> node & 1 == 1)
                        .collect();
                    let mut routes = Routes::default();
                    algorithm.route(mesh, source, &to, &mut routes);
                    let paths: Vec<Vec<u32>> = routes.paths().map(<[u32]>::to_vec).collect();
                    let original = Written {
                        w,
                        h,
                        source,
                        to,
                        paths,
                    };
                    tally.hold_all(&original, original.mutants(), Written::run, Written::judge);
                }
            }
        }
    }
    tally.finish(&[
        (
            "a link that does not exist",
            &[LEGAL, "NoLink", "NotHeld", "Missing"],
        ),
        ("a node of a path left out", &["NoLink"]),
        ("two nodes of a path exchanged", &["NoLink"]),
        ("a node visited twice", &[LEGAL]),
        ("a path walked twice", &[LEGAL]),
        // A path may be left out if no other one depends on it.
        ("a path left out", &[LEGAL, "NotHeld", "Missing"]),
        ("a path that begins late", &[LEGAL, "NotHeld", "Missing"]),
        ("a path that ends early", &[LEGAL, "NotHeld", "Missing"]),
        ("a path backwards", &[LEGAL, "NotHeld"]),
        ("a destination more", &[LEGAL, "Missing"]),
        ("a wrong source", &["NotHeld"]),
    ]);
}
