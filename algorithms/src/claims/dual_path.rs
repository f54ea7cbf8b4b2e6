//! The claims of Xie, Zhu, Kang, Wang, "A network-partition based multicasting routing method", 1996.
//!
//! Means over random multicasts are exact expectations; the simulated sample of every point must agree with them.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::claim::{Claim, Objection, Verdict, claims, hold, only};
use super::claim::{Point, agreed};
use crate::cost::Exact;
use crate::mesh::labelling::Mesh;
use crate::mesh::multicast::Routing;
use crate::mesh::multicast::dual_path::DualPath;
use crate::mesh::multicast::unicast::Unicast;
use crate::mesh::multicast::walk::{Routes, Walker};
use crate::problem::Sides;

/// All meshes up to 12 x 12.
const MESHES: &str = "w = 1..12; h = 1..12";
const MULTICASTS: &str = "w = 2..5; h = 2..5; source = 0..24; first = 0..24; second = 0..24";

pub(super) fn claims() -> Vec<Claim> {
    let claims: Vec<Claim> = claims![
        DualPath "dual-path-labels" "section 2, figure 2": "the labels x·h + y for even x and x·h + h-1-y for odd x number the nodes along a Hamiltonian path",
            MESHES, "", "every label once, consecutive ones are neighbours. The formula is read off figure 2: the paper prints the path only",
            |p, []| {
                let mesh = mesh(p)?;
                numbered(mesh, |x, y| mesh.label(x, y))?;
                (1..mesh.nodes()).try_for_each(|label| {
                    let before = label - 1;
                    hold!(mesh.neighbours(before).any(|next| next == label), "{before} and {label} are not neighbours")
                })
            };
        DualPath "dual-path-tournaments" "sections 1 and 2, figure 1": "the mesh is decomposed into two tournaments: in each, any two nodes are joined in exactly one direction",
            MESHES, "", "a tournament joins every two nodes, a mesh only neighbours; the routing needs no more",
            |p, []| {
                let mesh = mesh(p)?;
                let mut pairs = (0..mesh.nodes()).flat_map(|b| (0..b).map(move |a| (a, b)));
                pairs.try_for_each(|(a, b)| {
                    hold!(mesh.neighbours(a).any(|other| other == b), "no link joins the nodes {a} and {b}")
                })
            };
        Castbench "dual-path-orientations" mends "dual-path-tournaments" "mesh::labelling": "each of the two networks joins any two neighbours in exactly one direction, and has no cycle",
            MESHES, "", "nodes are sorted by the links that enter them until none is left",
            |p, []| {
                let mesh = mesh(p)?;
                let sound = [true, false].into_iter().all(|up| is_orientation(mesh, &links(mesh, up).collect::<Vec<_>>()));
                hold!(sound, "a cycle, or a pair joined twice")
            };
        DualPath "dual-path-deadlock" "section 2, after figure 2": "messages never wait for each other in a ring in either network, so there is no deadlock",
            MESHES, "", "the graph of channels, one waiting for each that can follow it inside its network, is built and has no cycle",
            |p, []| {
                let mesh = mesh(p)?;
                let safe = [true, false].into_iter().all(|up| {
                    let channels: Vec<(usize, usize)> = links(mesh, up).collect();
                    let follows: Vec<(usize, usize)> = (0..channels.len())
                        .flat_map(|a| (0..channels.len()).map(move |b| (a, b)))
                        .filter(|&(a, b)| channels[a].1 == channels[b].0)
                        .collect();
                    is_acyclic(channels.len(), &follows)
                });
                hold!(safe, "channels wait for each other in a ring")
            };
        DualPath "dual-path-legs" "section 3.2, algorithm 2, as in Lin, Ni 1991": "every leg from a node to the next destination is as long as their Manhattan distance, inside its network",
            "w = 1..8; h = 1..8; from = 0..63; to = 0..63", "", "nodes by their labels; the leg is walked link by link",
            |p, [_, _, from, to]| {
                let mesh = mesh(p)?;
                let [from, to] = labels(mesh, [from, to])?;
                only(from != to)?;
                let (walked, paths) = walk(&DualPath, mesh, &[from, to])?;
                let inside = paths.paths().all(|path| path.windows(2).all(|hop| (hop[0] < hop[1]) == (from < to)));
                leg(inside, walked, mesh.distance(from, to).into())
            };
        DualPath "dual-path-redundancy" "section 3.1": "it has none of the redundant transmissions of unicasts and broadcast: no multicast uses more links than unicasts",
            MULTICASTS, "show dual-path", "the words after the colon are a reading. Two destinations, by their labels: the second is reached through the first",
            |p, []| {
                let (mesh, nodes) = multicast(p)?;
                let [(dual, _), (unicast, _)] = [walk(&DualPath, mesh, &nodes)?, walk(&Unicast, mesh, &nodes)?];
                hold!(dual <= unicast, "dual-path {dual} links, unicasts {unicast}")
            };
        Castbench "dual-path-span" mends "dual-path-redundancy" "mesh::multicast::dual_path": "no multicast uses more links than the labels of its nodes span, so none more than broadcast's n - 1",
            MULTICASTS, "show dual-path", "two destinations, by their labels",
            |p, []| {
                let (mesh, nodes) = multicast(p)?;
                let (dual, _) = walk(&DualPath, mesh, &nodes)?;
                hold!(dual <= span(nodes), "dual-path {dual} links")
            };
        DualPath "dual-path-below-unicast" "section 4, figure 3": "on average dual-path uses fewer links than separate unicasts, on 8x8",
            "w = 8; h = 8; K = 2..63", "cost dual-path", "at K = 0 and 1, which are left out, there is no difference to see: one destination is a unicast",
            |p, []| mean(p, "unicast", "unicasts", Ordering::is_lt);
        DualPath "dual-path-below-broadcast" "introduction; section 5": "on average dual-path uses fewer links than broadcast, on 8x8",
            "w = 8; h = 8; K = 1..63", "cost dual-path", "the paper measures unicasts only. At K = 63 everyone is a destination, and no way needs fewer links",
            |p, []| mean(p, "broadcast", "broadcast", Ordering::is_lt);
        Castbench "dual-path-broadcast-tie" mends "dual-path-below-broadcast" "mesh::multicast::dual_path": "on average dual-path uses fewer links than broadcast, and at K = n-1 as many",
            "w = 1..6; h = 1..6; K = 1..35", "cost dual-path", "exact expectations",
            |p, [w, h, K]| mean(p, "broadcast", "broadcast", if K + 1 == w * h { Ordering::is_eq } else { Ordering::is_lt });
        Castbench "dual-path-below-unicast-elsewhere" mends "dual-path-below-unicast" "mesh::multicast::dual_path": "on average dual-path uses fewer links than unicasts for K >= 2, on other meshes, too",
            "w = 1..6; h = 1..6; K = 2..35", "cost dual-path", "all meshes up to 6 x 6, exact expectations",
            |p, []| mean(p, "unicast", "unicasts", Ordering::is_lt);
    ];
    let on_mesh = |claim: Claim| Claim {
        derived: Box::new(|p, key, own| match (key, own) {
            ("n", None) => Sides {
                w: p.value("w")?,
                h: p.value("h")?,
            }
            .value(),
            _ => own,
        }),
        more: |p| nodes(p).unwrap_or_default(),
        ..claim
    };
    claims.into_iter().map(on_mesh).collect()
}

fn mesh(p: &Point<'_>) -> Result<Mesh, Objection> {
    let [w, h] = p.values();
    Ok(Mesh::new(w, h)?)
}

/// Labels are those of the formula, each once.
fn numbered(mesh: Mesh, label: impl Fn(u32, u32) -> u32) -> Verdict {
    let mut seen = vec![false; mesh.nodes() as usize];
    for (x, y) in (0..mesh.w()).flat_map(|x| (0..mesh.h()).map(move |y| (x, y))) {
        let formula = x * mesh.h() + if x % 2 == 0 { y } else { mesh.h() - 1 - y };
        let label = label(x, y);
        let seen = seen.get_mut(label as usize);
        let is_new = seen.is_some_and(|seen| !std::mem::replace(seen, true));
        hold!(
            label == formula && is_new,
            "({x}, {y}) has the label {label}, by formula {formula}"
        )?;
    }
    Ok(())
}

/// Whether links join any two neighbours in exactly one direction, without a cycle.
fn is_orientation(mesh: Mesh, links: &[(usize, usize)]) -> bool {
    // As many links as pairs of neighbours, and none of them twice or in both directions.
    let pairs = (2 * mesh.nodes() - mesh.w() - mesh.h()) as usize;
    let joined: BTreeSet<_> = links.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
    [joined.len(), links.len()] == [pairs; 2] && is_acyclic(mesh.nodes() as usize, links)
}

/// The links of the high network, or of the low one.
fn links(mesh: Mesh, up: bool) -> impl Iterator<Item = (usize, usize)> {
    (0..mesh.nodes()).flat_map(move |from| {
        let next = mesh.neighbours(from).filter(move |&to| (to > from) == up);
        next.map(move |to| (from as usize, to as usize))
    })
}

/// Whether all edges can be removed, each where no edge enters the node in which it begins.
fn is_acyclic(nodes: usize, edges: &[(usize, usize)]) -> bool {
    let (mut left, mut before) = (edges.to_vec(), usize::MAX);
    while left.len() < before {
        before = left.len();
        let mut is_entered = vec![false; nodes];
        left.iter().for_each(|&(_, to)| is_entered[to] = true);
        left.retain(|&(from, _)| is_entered[from]);
    }
    left.is_empty()
}

/// A leg stays in its network and is a shortest path.
fn leg(inside: bool, walked: u64, distance: u64) -> Verdict {
    hold!(
        inside && walked == distance,
        "{walked} links, distance {distance}"
    )
}

/// The largest label minus the smallest.
fn span([a, b, c]: [u32; 3]) -> u64 {
    u64::from(a.max(b).max(c) - a.min(b).min(c))
}

/// Numbers as labels; outside where the mesh does not have them.
fn labels<const N: usize>(mesh: Mesh, numbers: [u64; N]) -> Result<[u32; N], Objection> {
    let nodes = numbers.map(|number| u32::try_from(number).unwrap_or(u32::MAX));
    only(nodes.iter().all(|&node| node < mesh.nodes()))?;
    Ok(nodes)
}

/// A mesh with a source and two destinations in order; outside where these are not three nodes of it.
fn multicast(p: &Point<'_>) -> Result<(Mesh, [u32; 3]), Objection> {
    let [_, _, source, a, b] = p.values();
    only(a < b && source != a && source != b)?;
    let mesh = mesh(p)?;
    Ok((mesh, labels(mesh, [source, a, b])?))
}

/// The links from a source to its destinations, and their paths.
fn walk(algorithm: &dyn Routing, mesh: Mesh, nodes: &[u32]) -> Result<(u64, Routes), Objection> {
    let mut paths = Routes::default();
    algorithm.route(mesh, nodes[0], &nodes[1..], &mut paths);
    Ok((
        Walker::new(mesh).walk(nodes[0], &nodes[1..], &paths)?,
        paths,
    ))
}

/// The options for the nodes of a multicast; none where the point has no such nodes.
fn nodes(p: &Point<'_>) -> Option<String> {
    let mesh = mesh(p).ok()?;
    let option = |(name, key)| {
        let [label] = labels(mesh, [p.value(key)?]).ok()?;
        let (x, y) = mesh.position(label);
        Some(format!(" --{name} {x},{y}"))
    };
    [("source", "source"), ("to", "first"), ("to", "second")]
        .into_iter()
        .map(option)
        .collect()
}

/// Compares the mean of dual-path with that of another algorithm; outside where the mesh has too few nodes.
fn mean(p: &Point<'_>, other: &str, name: &str, holds: fn(Ordering) -> bool) -> Verdict {
    let expected = |name| -> Result<Exact, Objection> {
        Ok(agreed(p.evaluate(name, &[("trials", 500), ("seed", 1)])?)?.0)
    };
    let (dual, other) = (expected("dual-path")?, expected(other)?);
    hold!(
        holds(dual.cmp(&other)),
        "dual-path {dual} links, {name} {other}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The claims that use it hold, so no claim shows that a ring is found.
    #[test]
    fn rings_are_found() {
        assert!(is_acyclic(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]));
        assert!(!is_acyclic(4, &[(0, 1), (1, 2), (2, 3), (3, 1)]));
        assert!(!is_acyclic(2, &[(0, 1), (1, 0)]));
        assert!(!is_acyclic(1, &[(0, 0)]));
    }

    /// Wrong labels, wrong orientations and rings are found.
    #[test]
    fn what_would_not_hold_is_told() {
        let mesh = Mesh::new(2, 2).unwrap();
        assert_eq!(numbered(mesh, |x, y| mesh.label(x, y)), Ok(()));
        // Each once, but in another order.
        let other = Err(Objection::Fails(
            "(0, 0) has the label 3, by formula 0".to_owned(),
        ));
        assert_eq!(numbered(mesh, |x, y| 3 - mesh.label(x, y)), other);
        assert!(is_orientation(mesh, &[(0, 1), (0, 3), (1, 2), (2, 3)]));
        // One is missing, one is there twice, one in both directions, and a ring.
        assert!(!is_orientation(mesh, &[(0, 1), (0, 3), (1, 2)]));
        assert!(!is_orientation(
            mesh,
            &[(0, 1), (0, 3), (1, 2), (2, 3), (2, 3)]
        ));
        assert!(!is_orientation(
            mesh,
            &[(0, 1), (0, 3), (1, 2), (2, 3), (3, 2)]
        ));
        assert!(!is_orientation(mesh, &[(0, 1), (3, 0), (1, 2), (2, 3)]));
        assert_eq!(leg(true, 5, 5), Ok(()));
        assert_eq!(
            leg(true, 6, 5),
            Err(Objection::Fails("6 links, distance 5".to_owned()))
        );
        assert_eq!(
            leg(false, 5, 5),
            Err(Objection::Fails("5 links, distance 5".to_owned()))
        );
        assert_eq!(span([5, 3, 9]), 6);
    }

    #[test]
    fn each_network_has_the_links_of_its_direction() {
        let mesh = Mesh::new(2, 2).unwrap();
        // Labels 0 and 1 go up the first column, 2 and 3 down the second.
        let up: BTreeSet<_> = links(mesh, true).collect();
        assert_eq!(up, BTreeSet::from([(0, 1), (0, 3), (1, 2), (2, 3)]));
        assert_eq!(
            links(mesh, false)
                .map(|(from, to)| (to, from))
                .collect::<BTreeSet<_>>(),
            up
        );
    }
}
