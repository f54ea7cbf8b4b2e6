//! Walks the routes of a multicast over the mesh, hop by hop, and counts the links. Knows the mesh and
//! nothing of the algorithms.

use crate::error::{Error, Rejected};
use crate::mesh::labelling::Mesh;

/// The routes of one multicast: paths over nodes, in the order in which they are travelled. Kept and
/// refilled between multicasts, so that ten thousand of them allocate nothing.
#[derive(Debug, Default, Clone)]
pub struct Routes {
    nodes: Vec<u32>,
    /// Where each path ends in `nodes`.
    ends: Vec<usize>,
}

impl Routes {
    /// Forgets all paths.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.ends.clear();
    }

    /// Adds a path that visits these nodes; one without a hop is left out.
    pub fn add(&mut self, path: impl IntoIterator<Item = u32>) {
        self.add_by(|nodes| nodes.extend(path));
    }

    /// The same with a path that is appended node by node.
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
        starts.zip(&self.ends).map(|(start, &end)| &self.nodes[start..end])
    }
}

/// A rule that the routes of a multicast broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// Two nodes in a row that no link joins.
    #[error("no link leads from node {0} to node {1}")]
    NoLink(u32, u32),
    /// A path begins where the message is not.
    #[error("a path begins at node {0}, which does not hold the message")]
    NotHeld(u32),
    /// A destination was left out.
    #[error("destination {0} is never visited")]
    Unvisited(u32),
    /// The walk crossed another number of links than the algorithm's formula says.
    #[error("walking crosses {walked} links from source {source_label}, the formula says {formula}")]
    Count {
        /// Links crossed.
        walked: u64,
        /// Links by the algorithm's own formula.
        formula: u64,
        /// The source of the multicast.
        source_label: u32,
    },
}

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        Rejected::new("routes", violation).into()
    }
}

/// Which nodes hold the message, without clearing between multicasts.
#[derive(Debug, Clone)]
pub struct Walker {
    nodes: Vec<Node>,
    round: u32,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    /// Column and row, in 16 bits each.
    place: u32,
    /// The last round in which it held the message.
    held_in: u32,
}

impl Walker {
    /// A walker on this mesh.
    #[must_use]
    pub fn new(mesh: Mesh) -> Self {
        let node = |label| Node { place: place(mesh.position(label)), held_in: 0 };
        Self { nodes: (0..mesh.nodes()).map(node).collect(), round: 0 }
    }

    /// Walks all paths and returns the number of links crossed, with repetition.
    ///
    /// # Errors
    /// A path that begins where the message is not, a hop where there is no link, a destination left out; nodes that are
    /// not on the mesh neither hold the message nor are visited.
    ///
    /// ```
    /// # use castbench_algorithms::mesh::labelling::Mesh;
    /// # use castbench_algorithms::mesh::multicast::walk::{Routes, Walker};
    /// let mesh = Mesh::new(4, 3)?;
    /// let mut routes = Routes::default();
    /// routes.add([0, 1, 2, 3]);
    /// assert_eq!(Walker::new(mesh).walk(0, &[1, 3], &routes)?, 3);
    /// assert!(Walker::new(mesh).walk(0, &[4], &routes).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn walk(&mut self, source: u32, destinations: &[u32], routes: &Routes) -> Result<u64, Violation> {
        self.next_round();
        let round = self.round;
        match self.nodes.get_mut(source as usize) {
            Some(node) => node.held_in = round,
            None => return Err(Violation::NotHeld(source)),
        }
        let mut links = 0;
        for path in routes.paths() {
            if !self.holds(path[0]) {
                return Err(Violation::NotHeld(path[0]));
            }
            let mut place = self.nodes[path[0] as usize].place;
            for hop in path.windows(2) {
                let next = self.nodes.get_mut(hop[1] as usize).filter(|next| are_linked(place, next.place));
                let next = next.ok_or(Violation::NoLink(hop[0], hop[1]))?;
                next.held_in = round;
                place = next.place;
            }
            links += path.len() as u64 - 1;
        }
        match destinations.iter().find(|&&node| !self.holds(node)) {
            Some(&node) => Err(Violation::Unvisited(node)),
            None => Ok(links),
        }
    }

    /// Whether a node, if it is one of the mesh, holds the message.
    fn holds(&self, node: u32) -> bool {
        self.nodes.get(node as usize).is_some_and(|node| node.held_in == self.round)
    }

    fn next_round(&mut self) {
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.nodes.iter_mut().for_each(|node| node.held_in = 0);
            1
        });
    }
}

/// A column and a row, below 2^14, in one number.
fn place((x, y): (u32, u32)) -> u32 {
    x << 16 | y
}

/// Whether a link joins the nodes in these places.
fn are_linked(a: u32, b: u32) -> bool {
    [place((1, 0)), place((0, 1))].contains(&a.abs_diff(b))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(walk(0, &[2], &[&[0, 2]]), Err(Violation::NoLink(0, 2)));
        assert_eq!(walk(0, &[1], &[&[0, 12]]), Err(Violation::NoLink(0, 12)));
        assert_eq!(walk(0, &[2], &[&[1, 2]]), Err(Violation::NotHeld(1)));
        // Off the mesh.
        assert_eq!(walk(0, &[2], &[&[12, 11]]), Err(Violation::NotHeld(12)));
        assert_eq!(walk(12, &[2], &[]), Err(Violation::NotHeld(12)));
        assert_eq!(walk(0, &[12], &[]), Err(Violation::Unvisited(12)));
        assert_eq!(walk(0, &[2, 3], &[&[0, 1, 2]]), Err(Violation::Unvisited(3)));
    }
}
