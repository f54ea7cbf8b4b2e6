//! The claims of Xie, Zhu, Kang, Wang, "A network-partition based multicasting routing method", 1996.
//!
//! Means over random multicasts are exact expectations; the simulated sample of every point must agree with them.

use crate::mesh::multicast::problem::{MeshMulticast, MeshMulticastPoint};
use crate::problem::Problem as _;
use std::cmp::Ordering;

use super::axis::Axis;
use super::claim::{Cause, Claim, LIMITS, Outcome, Paper, claim};
use crate::cost::{Agreement, Exact};
use crate::mesh::labelling::Mesh;
use crate::mesh::multicast::Routing;
use crate::mesh::multicast::broadcast::ToAll;
use crate::mesh::multicast::dual_path::DualPath;
use crate::mesh::multicast::unicast::Unicast;
use crate::mesh::multicast::walk::{Routes, Walker};
use crate::mesh::{Sampling, check_destinations};

const PAPER: Paper = Paper::DualPath;

/// All meshes up to 12 x 12.
const MESHES: [Axis; 2] = [Axis::range("w", 1, 12), Axis::range("h", 1, 12)];

/// The mesh of figure 3, and its destinations from K on.
fn figure_3(least: u64) -> [Axis; 3] {
    [
        Axis::few("w", &[8]),
        Axis::few("h", &[8]),
        Axis::range("K", least, 63),
    ]
}

pub(super) fn claims() -> Vec<Claim> {
    let mut claims = Vec::from(networks());
    claims.extend(routes());
    claims.extend(curves());
    claims
}

fn networks() -> [Claim; 4] {
    [
        claim!(PAPER, "dual-path-labels", "section 2, figure 2":
            "the labels x·h + y for even x and x·h + h-1-y for odd x number the nodes along a Hamiltonian path")
        .on(MESHES)
        .noted("every label once, consecutive ones are neighbours. The formula is read off figure 2: the paper prints the path only")
        .checked(|v| {
            let mesh = Mesh::new(v[0], v[1])?;
            let numbered = numbered(mesh, |x, y| mesh.label(x, y));
            if numbered != Outcome::Holds {
                return Ok(numbered);
            }
            let gap = (1..mesh.nodes()).find(|&label| !mesh.neighbours(label - 1).any(|next| next == label));
            Ok(gap.map_or(Outcome::Holds, |label| Outcome::Fails(format!("{} and {label} are not neighbours", label - 1))))
        }),
        claim!(PAPER, "dual-path-tournaments", "sections 1 and 2, figure 1":
            "the mesh is decomposed into two tournaments: in each, any two nodes are joined in exactly one direction")
        .on(MESHES)
        .noted("a tournament joins every two nodes, a mesh only neighbours; the routing needs no more")
        .checked(|v| {
            let mesh = Mesh::new(v[0], v[1])?;
            let pairs = (0..mesh.nodes()).flat_map(|b| (0..b).map(move |a| (a, b)));
            let apart = pairs.into_iter().find(|&(a, b)| !mesh.neighbours(a).any(|other| other == b));
            Ok(apart.map_or(Outcome::Holds, |(a, b)| Outcome::Fails(format!("no link joins the nodes {a} and {b}"))))
        }),
        claim!("dual-path-orientations" mends "dual-path-tournaments", "mesh::labelling":
            "each of the two networks joins any two neighbours in exactly one direction, and has no cycle")
        .on(MESHES)
        .noted("nodes are sorted by the links that enter them until none is left")
        .checked(|v| {
            let mesh = Mesh::new(v[0], v[1])?;
            let sound = [true, false].into_iter().all(|up| is_orientation(mesh, &links(mesh, up).collect::<Vec<_>>()));
            Ok(Outcome::new(sound, || "a cycle, or a pair joined twice".into()))
        }),
        claim!(PAPER, "dual-path-deadlock", "section 2, after figure 2":
            "messages never wait for each other in a ring in either network, so there is no deadlock")
        .on(MESHES)
        .noted("the graph of channels, one waiting for each that can follow it inside its network, is built and has no cycle")
        .checked(|v| {
            let mesh = Mesh::new(v[0], v[1])?;
            let safe = [true, false].into_iter().all(|up| {
                let channels: Vec<(usize, usize)> = links(mesh, up).collect();
                let follows: Vec<(usize, usize)> = (0..channels.len())
                    .flat_map(|a| (0..channels.len()).map(move |b| (a, b)))
                    .filter(|&(a, b)| channels[a].1 == channels[b].0)
                    .collect();
                is_acyclic(channels.len(), &follows)
            });
            Ok(Outcome::new(safe, || "channels wait for each other in a ring".into()))
        }),
    ]
}

/// Labels are those of the formula, each once.
fn numbered(mesh: Mesh, label: impl Fn(u32, u32) -> u32) -> Outcome {
    let mut seen = vec![false; mesh.nodes() as usize];
    for (x, y) in (0..mesh.w()).flat_map(|x| (0..mesh.h()).map(move |y| (x, y))) {
        let formula = x * mesh.h() + if x % 2 == 0 { y } else { mesh.h() - 1 - y };
        let label = label(x, y);
        let new = seen
            .get_mut(label as usize)
            .is_some_and(|seen| !std::mem::replace(seen, true));
        if label != formula || !new {
            return Outcome::Fails(format!(
                "({x}, {y}) has the label {label}, by formula {formula}"
            ));
        }
    }
    Outcome::Holds
}

/// Whether links join any two neighbours in exactly one direction, without a cycle.
fn is_orientation(mesh: Mesh, links: &[(usize, usize)]) -> bool {
    // As many links as pairs of neighbours, and none of them twice or in both directions.
    let pairs = 2 * mesh.nodes() - mesh.w() - mesh.h();
    let mut pairs_of: Vec<_> = links.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
    pairs_of.sort_unstable();
    pairs_of.dedup();
    pairs_of.len() == pairs as usize
        && links.len() == pairs_of.len()
        && is_acyclic(mesh.nodes() as usize, links)
}

/// The links of the high network, or of the low one.
fn links(mesh: Mesh, up: bool) -> impl Iterator<Item = (usize, usize)> {
    (0..mesh.nodes()).flat_map(move |from| {
        let next = mesh.neighbours(from).filter(move |&to| (to > from) == up);
        next.map(move |to| (from as usize, to as usize))
    })
}

/// Whether all nodes can be removed one after the other, each without incoming edges.
fn is_acyclic(nodes: usize, edges: &[(usize, usize)]) -> bool {
    let mut entering = vec![0u32; nodes];
    let mut leaving = vec![Vec::new(); nodes];
    for &(from, to) in edges {
        entering[to] += 1;
        leaving[from].push(to);
    }
    let mut free: Vec<usize> = (0..nodes).filter(|&node| entering[node] == 0).collect();
    let mut removed = 0;
    while let Some(node) = free.pop() {
        removed += 1;
        for &to in &leaving[node] {
            entering[to] -= 1;
            if entering[to] == 0 {
                free.push(to);
            }
        }
    }
    removed == nodes
}

fn routes() -> [Claim; 3] {
    let multicasts = [
        Axis::range("w", 2, 5),
        Axis::range("h", 2, 5),
        Axis::range("source", 0, 24),
        Axis::range("first", 0, 24),
        Axis::range("second", 0, 24),
    ];
    [
        claim!(PAPER, "dual-path-legs", "section 3.2, algorithm 2, as in Lin, Ni 1991":
            "every leg from a node to the next destination is as long as their Manhattan distance, inside its network")
        .on([Axis::range("w", 1, 8), Axis::range("h", 1, 8), Axis::range("from", 0, 63), Axis::range("to", 0, 63)])
        .noted("nodes by their labels; the leg is walked link by link")
        .checked(|v| {
            let mesh = Mesh::new(v[0], v[1])?;
            let Some([from, to]) = labels(mesh, [v[2], v[3]]).filter(|[from, to]| from != to) else {
                return Ok(Outcome::Outside);
            };
            let mut paths = Routes::default();
            DualPath.route(mesh, from, &[to], &mut paths);
            let walked = Walker::new(mesh).walk(from, &[to], &paths).map_err(crate::error::Error::from)?;
            let inside = paths.paths().all(|path| path.windows(2).all(|hop| (hop[0] < hop[1]) == (from < to)));
            Ok(leg(inside, walked, mesh.distance(from, to).into()))
        }),
        claim!(PAPER, "dual-path-redundancy", "section 3.1":
            "it has none of the redundant transmissions of unicasts and broadcast: no multicast uses more links than unicasts")
        .on(multicasts)
        .noted("the words after the colon are a reading. Two destinations, by their labels: the second is reached through the first")
        .repeated(show)
        .checked(|v| {
            let Some((mesh, nodes)) = multicast(v)? else { return Ok(Outcome::Outside) };
            let [dual, unicast] = [walked(&DualPath, mesh, nodes)?, walked(&Unicast, mesh, nodes)?];
            Ok(Outcome::new(dual <= unicast, || format!("dual-path {dual} links, unicasts {unicast}")))
        }),
        claim!("dual-path-span" mends "dual-path-redundancy", "mesh::multicast::dual_path":
            "no multicast uses more links than the labels of its nodes span, so none more than broadcast's n - 1")
        .on(multicasts)
        .noted("two destinations, by their labels")
        .repeated(show)
        .checked(|v| {
            let Some((mesh, nodes)) = multicast(v)? else { return Ok(Outcome::Outside) };
            let dual = walked(&DualPath, mesh, nodes)?;
            Ok(Outcome::new(dual <= span(nodes), || format!("dual-path {dual} links")))
        }),
    ]
}

/// A leg stays in its network and is a shortest path.
fn leg(inside: bool, walked: u64, distance: u64) -> Outcome {
    Outcome::new(inside && walked == distance, || {
        format!("{walked} links, distance {distance}")
    })
}

/// The largest label minus the smallest.
fn span([a, b, c]: [u32; 3]) -> u64 {
    u64::from(a.max(b).max(c) - a.min(b).min(c))
}

/// Numbers as labels, if the mesh has them.
fn labels<const N: usize>(mesh: Mesh, numbers: [u64; N]) -> Option<[u32; N]> {
    let nodes = numbers.map(|number| u32::try_from(number).unwrap_or(u32::MAX));
    nodes
        .iter()
        .all(|&node| node < mesh.nodes())
        .then_some(nodes)
}

/// A mesh with a source and two destinations in order, if these are three nodes of it.
fn multicast(v: &[u64]) -> Result<Option<(Mesh, [u32; 3])>, Cause> {
    let mesh = Mesh::new(v[0], v[1])?;
    let nodes = labels(mesh, [v[2], v[3], v[4]]);
    Ok(nodes
        .filter(|[source, a, b]| a < b && source != a && source != b)
        .map(|nodes| (mesh, nodes)))
}

fn walked(algorithm: &dyn Routing, mesh: Mesh, [source, a, b]: [u32; 3]) -> Result<u64, Cause> {
    let mut paths = Routes::default();
    algorithm.route(mesh, source, &[a, b], &mut paths);
    Ok(Walker::new(mesh)
        .walk(source, &[a, b], &paths)
        .map_err(crate::error::Error::from)?)
}

/// The command that draws the multicast.
fn show(v: &[u64]) -> String {
    let position = |label: u64| {
        let mesh = Mesh::new(v[0], v[1]).ok()?;
        labels(mesh, [label]).map(|[label]| mesh.position(label))
    };
    let [source, a, b] = [v[2], v[3], v[4]]
        .map(|label| position(label).map_or(String::new(), |(x, y)| format!("{x},{y}")));
    format!(
        "show dual-path --mesh {}x{} --source {source} --to {a} --to {b}",
        v[0], v[1]
    )
}

fn curves() -> [Claim; 4] {
    [
        claim!(PAPER, "dual-path-below-unicast", "section 4, figure 3":
            "on average dual-path uses fewer links than separate unicasts, on 8x8")
        .on(figure_3(2))
        .shown_by("cost dual-path")
        .noted("at K = 0 and 1, which are left out, there is no difference to see: one destination is a unicast")
        .checked(|v| mean(v, &Unicast, "unicasts", Ordering::is_lt)),
        claim!(PAPER, "dual-path-below-broadcast", "introduction; section 5":
            "on average dual-path uses fewer links than broadcast, on 8x8")
        .on(figure_3(1))
        .shown_by("cost dual-path")
        .noted("the paper measures unicasts only. At K = 63 everyone is a destination, and no way needs fewer links")
        .checked(|v| mean(v, &ToAll, "broadcast", Ordering::is_lt)),
        claim!("dual-path-broadcast-tie" mends "dual-path-below-broadcast", "mesh::multicast::dual_path":
            "on average dual-path uses fewer links than broadcast, and at K = n-1 as many")
        .on([Axis::range("w", 1, 6), Axis::range("h", 1, 6), Axis::range("K", 1, 35)])
        .shown_by("cost dual-path")
        .noted("exact expectations")
        .checked(|v| {
            let all = v[2] + 1 == v[0] * v[1];
            mean(v, &ToAll, "broadcast", if all { Ordering::is_eq } else { Ordering::is_lt })
        }),
        claim!("dual-path-below-unicast-elsewhere" mends "dual-path-below-unicast", "mesh::multicast::dual_path":
            "on average dual-path uses fewer links than unicasts for K >= 2, on other meshes, too")
        .on([Axis::range("w", 1, 6), Axis::range("h", 1, 6), Axis::range("K", 2, 35)])
        .shown_by("cost dual-path")
        .noted("all meshes up to 6 x 6, exact expectations")
        .checked(|v| mean(v, &Unicast, "unicasts", Ordering::is_lt)),
    ]
}

/// Compares the mean of dual-path with that of another algorithm; outside where the mesh has too few nodes.
fn mean(
    v: &[u64],
    other: &'static dyn Routing,
    name: &str,
    holds: fn(Ordering) -> bool,
) -> Result<Outcome, Cause> {
    let mesh = Mesh::new(v[0], v[1])?;
    if v[2] >= mesh.nodes().into() {
        return Ok(Outcome::Outside);
    }
    let [dual, other] = [
        expected(&DualPath, mesh, v[2])?,
        expected(other, mesh, v[2])?,
    ];
    let order = dual.to_rational().cmp(&other.to_rational());
    Ok(Outcome::new(holds(order), || {
        format!("dual-path {dual} links, {name} {other}")
    }))
}

/// An expectation with which a walked sample agrees.
fn expected(algorithm: &'static dyn Routing, mesh: Mesh, K: u64) -> Result<Exact, Cause> {
    let evaluation = MeshMulticast::at(
        algorithm,
        MeshMulticastPoint {
            mesh,
            K: check_destinations(mesh, K)?,
            sampling: Sampling {
                trials: 500,
                seed: 1,
            },
        },
        &LIMITS,
    )?;
    match evaluation.analytic.clone() {
        Some(expected) if evaluation.agreement() != Agreement::Differ => Ok(expected),
        _ => Err(Cause::Disagree(Box::new(evaluation))),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

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
        assert_eq!(numbered(mesh, |x, y| mesh.label(x, y)), Outcome::Holds);
        // Each once, but in another order.
        let other = Outcome::Fails("(0, 0) has the label 3, by formula 0".to_owned());
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
        assert_eq!(leg(true, 5, 5), Outcome::Holds);
        assert_eq!(
            leg(true, 6, 5),
            Outcome::Fails("6 links, distance 5".to_owned())
        );
        assert_eq!(
            leg(false, 5, 5),
            Outcome::Fails("5 links, distance 5".to_owned())
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
