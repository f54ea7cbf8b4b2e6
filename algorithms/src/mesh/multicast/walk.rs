//! Walks the routes of a multicast over the mesh, hop by hop, and counts the links. It knows the mesh and no algorithm.

use crate::mesh::labelling::Mesh;
use crate::violation::{Rule, Violation};

/// The routes of one multicast: paths over nodes, in the order of the walk. They are refilled for each multicast, to avoid allocations.
#[derive(Debug, Default, Clone)]
pub struct Routes {
    nodes: Vec<u32>,
    /// Where each path ends in `nodes`.
    ends: Vec<usize>,
}

impl Routes {
    /// Removes all paths.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.ends.clear();
    }

    /// Adds a path that visits these nodes; one without a hop is left out.
    pub fn add(&mut self, path: impl IntoIterator<Item = u32>) {
        self.add_by(|nodes| nodes.extend(path));
    }

    /// Adds a path that `append` writes node by node.
    #[inline]
    pub(super) fn add_by(&mut self, append: impl FnOnce(&mut Vec<u32>)) {
        let start = self.nodes.len();
        append(&mut self.nodes);
        if self.nodes.len() - start > 1 {
            self.ends.push(self.nodes.len());
        } else {
            self.nodes.truncate(start);
        }
    }

    /// The paths, each with its first node.
    pub fn paths(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.nodes[start..end])
    }
}

/// Which nodes hold the message, without clearing between multicasts.
#[derive(Debug, Clone)]
pub struct Walker {
    nodes: Vec<VisitedNode>,
    /// The next moment. It never repeats, so whatever a node got in an earlier multicast it got too early.
    clock: u64,
}

#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct VisitedNode {
    neighbours: [u32; 4],
    /// When it was first visited, in the last multicast that visited it.
    since: u64,
}

/// Instead of a neighbour beyond the edge.
const NONE: u32 = u32::MAX;

/// The neighbours of what is no node of the mesh. The loop of all others is shorter if this is apart.
#[cold]
fn none() -> [u32; 4] {
    [NONE; 4]
}

impl Walker {
    /// A walker on this mesh.
    #[must_use]
    pub fn new(mesh: Mesh) -> Self {
        let node = |label| {
            let mut neighbours = [NONE; 4];
            neighbours
                .iter_mut()
                .zip(mesh.neighbours(label))
                .for_each(|(slot, neighbour)| *slot = neighbour);
            VisitedNode {
                neighbours,
                since: 0,
            }
        };
        Self {
            nodes: (0..mesh.nodes()).map(node).collect(),
            clock: 1,
        }
    }

    /// Walks all paths and returns the number of links crossed, with repetition.
    ///
    /// # Errors
    /// A path that begins at a node without the message, a hop without a link, or a missing destination. Nodes outside the mesh do not hold the
    /// message.
    ///
    /// ```
    /// # use castbench_algorithms::internals::mesh::labelling::Mesh;
    /// # use castbench_algorithms::internals::mesh::multicast::walk::{Routes, Walker};
    /// let mesh = Mesh::new(4, 3)?;
    /// let mut routes = Routes::default();
    /// routes.add([0, 1, 2, 3]);
    /// assert_eq!(Walker::new(mesh).walk(0, &[1, 3], &routes)?, 3);
    /// assert!(Walker::new(mesh).walk(0, &[4], &routes).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn walk(
        &mut self,
        source: u32,
        destinations: &[u32],
        routes: &Routes,
    ) -> Result<u64, Violation> {
        let start = self.clock;
        let linked = self.visit(routes);
        match self.nodes.get_mut(source as usize) {
            Some(node) => node.since = start,
            None => return Err(not_held(source)),
        }
        // Links that only lead from the end of a path to the beginning of the next are not crossed.
        let (mut links, mut between, mut held) = (routes.nodes.len() as u64, 0, true);
        let mut first = 0;
        for &end in &routes.ends {
            links -= 1;
            held &= self.holds(routes.nodes[first], start, start + first as u64);
            between += u64::from(
                first > 0 && self.are_linked(routes.nodes[first - 1], routes.nodes[first]),
            );
            first = end;
        }
        if !held || linked - between != links {
            self.check(start, routes)?;
        }
        let is_visited = |node: u32| {
            self.nodes
                .get(node as usize)
                .is_some_and(|node| node.since >= start)
        };
        match destinations.iter().find(|&&node| !is_visited(node)) {
            Some(node) => {
                Err(Rule::Missing.broken(format_args!("destination {node} is never visited")))
            }
            None => Ok(links),
        }
    }

    /// Visits all nodes as if all paths were one, and counts the pairs of successive nodes that a link joins: a loop for
    /// each path would end when the processor does not expect it. Backwards, so that of several visits the first stays.
    fn visit(&mut self, routes: &Routes) -> u64 {
        let start = self.clock + 1;
        self.clock = start + routes.nodes.len() as u64;
        // Of each of the four neighbours: how often it came before.
        let mut linked = [0u32; 4];
        let mut neighbours = [NONE; 4];
        let mut moment = self.clock;
        for &label in routes.nodes.iter().rev() {
            moment -= 1;
            let Some(node) = self.nodes.get_mut(label as usize) else {
                neighbours = none();
                continue;
            };
            for (count, neighbour) in linked.iter_mut().zip(neighbours) {
                // Checked additions are several times as slow. It wraps at 2^32 hops, which take 16 GB.
                *count = count.wrapping_add(u32::from(neighbour == label));
            }
            node.since = moment;
            neighbours = node.neighbours;
        }
        linked.into_iter().map(u64::from).sum()
    }

    /// The first violation of these routes, which were visited from this moment on.
    fn check(&self, start: u64, routes: &Routes) -> Result<(), Violation> {
        let mut first = 0;
        for path in routes.paths() {
            if !self.holds(path[0], start, start + first) {
                return Err(not_held(path[0]));
            }
            if let Some(hop) = path.windows(2).find(|hop| !self.are_linked(hop[0], hop[1])) {
                return Err(no_link(hop[0], hop[1]));
            }
            first += path.len() as u64;
        }
        Ok(())
    }

    /// Whether a node, if it is one of the mesh, got the message between these moments.
    fn holds(&self, node: u32, from: u64, to: u64) -> bool {
        self.nodes
            .get(node as usize)
            .is_some_and(|node| (from..=to).contains(&node.since))
    }

    /// Whether a link joins two nodes, if they are of the mesh.
    fn are_linked(&self, a: u32, b: u32) -> bool {
        // All four are compared, because a search would end when the processor does not expect it.
        let is_near = |node: &VisitedNode| {
            node.neighbours
                .iter()
                .fold(false, |found, &other| found | (other == a))
        };
        self.nodes
            .get(b as usize)
            .is_some_and(|node| a != NONE && is_near(node))
    }
}

fn not_held(node: u32) -> Violation {
    Rule::NotHeld.broken(format_args!(
        "a path begins at node {node}, which does not hold the message"
    ))
}

fn no_link(from: u32, to: u32) -> Violation {
    Rule::NoLink.broken(format_args!("no link leads from node {from} to node {to}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unvisited(node: u32) -> Violation {
        Rule::Missing.broken(format_args!("destination {node} is never visited"))
    }

    fn walk(source: u32, destinations: &[u32], paths: &[&[u32]]) -> Result<u64, Violation> {
        let mut routes = Routes::default();
        for path in paths {
            routes.add(path.iter().copied());
        }
        Walker::new(Mesh::new(4, 3).unwrap()).walk(source, destinations, &routes)
    }

    #[test]
    fn links_count_with_repetition() {
        assert_eq!(walk(0, &[2], &[&[0, 1, 2]]), Ok(2));
        assert_eq!(walk(0, &[1, 2], &[&[0, 1], &[0, 1, 2]]), Ok(3));
        assert_eq!(walk(5, &[], &[&[5]]), Ok(0));
    }

    #[test]
    fn broken_routes_are_refused() {
        assert_eq!(walk(0, &[2], &[&[0, 2]]), Err(no_link(0, 2)));
        assert_eq!(walk(0, &[1], &[&[0, 12]]), Err(no_link(0, 12)));
        assert_eq!(walk(0, &[2], &[&[1, 2]]), Err(not_held(1)));
        // Off the mesh.
        assert_eq!(walk(0, &[2], &[&[12, 11]]), Err(not_held(12)));
        assert_eq!(walk(12, &[2], &[]), Err(not_held(12)));
        assert_eq!(walk(0, &[12], &[]), Err(unvisited(12)));
        assert_eq!(walk(0, &[2, 3], &[&[0, 1, 2]]), Err(unvisited(3)));
        assert_eq!(
            walk(0, &[u32::MAX], &[&[0, u32::MAX, 0]]),
            Err(no_link(0, u32::MAX))
        );
    }

    /// From the end of the first path a link leads to the beginning of the second: it makes up for no other.
    #[test]
    fn links_between_paths_do_not_count() {
        assert_eq!(walk(0, &[1, 5], &[&[0, 1], &[0, 5]]), Ok(2));
        assert_eq!(walk(0, &[1, 2], &[&[0, 1], &[0, 2]]), Err(no_link(0, 2)));
    }

    #[test]
    fn a_path_begins_where_an_earlier_one_passed() {
        assert_eq!(walk(0, &[3], &[&[0, 1, 2], &[1, 4], &[2, 3]]), Ok(4));
        assert_eq!(walk(0, &[3], &[&[2, 3], &[0, 1, 2]]), Err(not_held(2)));
        assert_eq!(walk(0, &[3], &[&[0, 1], &[2, 3, 2]]), Err(not_held(2)));
    }

    #[test]
    fn an_earlier_multicast_does_not_count() {
        let (mut walker, mut routes) = (Walker::new(Mesh::new(4, 3).unwrap()), Routes::default());
        routes.add([0, 1, 2]);
        assert_eq!(walker.walk(0, &[2], &routes), Ok(2));
        assert_eq!(walker.walk(1, &[], &routes), Err(not_held(0)));
        routes.clear();
        assert_eq!(walker.walk(0, &[2], &routes), Err(unvisited(2)));
        routes.add([1, 2]);
        assert_eq!(walker.walk(0, &[2], &routes), Err(not_held(1)));
    }
}
