//! The Steiner tree: the fewest links that connect the source with its destinations, a lower bound of every multicast.
//!
//! **Source.** Hanan, "On Steiner's problem with rectilinear distance", SIAM J. Appl. Math. 14, 1966; Dreyfus, Wagner,
//! "The Steiner problem in graphs", Networks 1, 1971; Takahashi, Matsuyama, "An approximate solution for the Steiner
//! problem in graphs", Math. Japonica 24, 1980; Hwang, "On Steiner minimal trees with rectilinear distance", SIAM J.
//! Appl. Math. 30, 1976.
//!
//! **Symbols.** `n = w*h` nodes; K destinations without the source; `t = K+1` terminals.
//!
//! **Algorithm.** Up to [`MAX_EXACT`] destinations a shortest tree, by the recurrence of Dreyfus and Wagner over subsets of
//! the terminals on the Hanan grid, the crossings of the rows and columns with a terminal. For more destinations, because the problem is
//! NP-hard, the tree of Takahashi and Matsuyama: repeatedly the terminal nearest to the tree is joined by a shortest path.
//!
//! **Cost.** No closed form of the expectation is known. On meshes of at most [`MAX_ENUMERATED`] nodes it is computed over all sets of
//! terminals, if the tree is a shortest one; elsewhere there are only samples. The greedy tree is at most 3/2 times as long as a shortest
//! one. Joining a terminal costs at most the shortest edge between terminals that leaves the tree. Any t-1 nested cuts of the terminals can
//! be matched with t-1 edges of their minimum spanning tree that cross them (edges that cross none of j cuts form a forest in j+1 parts, so
//! at least j edges cross one). So the greedy tree is at most as long as that spanning tree, which is at most 3/2 of a shortest tree
//! (Hwang).
//!
//! **When it wins.** Always, in links; a worm cannot follow it, because it branches.
//!
//! **Departures from the papers.** None.

mod dreyfus_wagner;
mod enumeration;
mod greedy;

use num_rational::BigRational;

use super::Routing;
use super::walk::Routes;
use crate::mesh::labelling::Mesh;

/// The most destinations for which the tree is a shortest one: the recurrence takes `3^K` steps at each of up to
/// `(K+1)^2` crossings.
pub const MAX_EXACT: u32 = 7;

/// The most nodes of a mesh on which the expectation is computed over all `2^n` sets.
pub const MAX_ENUMERATED: u32 = 20;

/// A shortest tree, or a greedy one. See the module.
pub struct Steiner;

/// The links of a shortest tree that connects these distinct nodes, of which there is at least one.
///
/// ```
/// use castbench_algorithms::internals::mesh::labelling::Mesh;
/// use castbench_algorithms::internals::mesh::multicast::steiner;
/// let mesh = Mesh::new(3, 3)?;
/// let corners = [(0, 0), (0, 2), (2, 0), (2, 2)].map(|(x, y)| mesh.label(x, y));
/// assert_eq!(steiner::shortest(mesh, &corners), 6);
/// # Ok::<(), castbench_algorithms::error::Error>(())
/// ```
///
/// It takes `O(3^t t^2)` for t nodes, and as much memory as `2^t t^2` numbers.
#[must_use]
pub fn shortest(mesh: Mesh, terminals: &[u32]) -> u64 {
    dreyfus_wagner::Table::new(mesh, terminals).links()
}

impl Steiner {
    /// Whether the tree is a shortest one for all sets of K destinations: by the recurrence, or because all nodes are terminals.
    #[must_use]
    pub fn is_shortest(mesh: Mesh, K: u32) -> bool {
        K <= MAX_EXACT || K + 1 == mesh.nodes()
    }
}

impl Routing for Steiner {
    /// ```
    /// use castbench_algorithms::internals::mesh::labelling::Mesh;
    /// use castbench_algorithms::internals::mesh::multicast::Routing;
    /// use castbench_algorithms::internals::mesh::multicast::steiner::Steiner;
    /// let expected = Steiner.expected_links(Mesh::new(4, 4)?, 3).unwrap();
    /// assert_eq!(expected.to_string(), "4691/910");
    /// assert_eq!(Steiner.expected_links(Mesh::new(8, 8)?, 3), None);
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn expected_links(&self, mesh: Mesh, K: u32) -> Option<BigRational> {
        // The bound by cuts is exact for two terminals (the distance), three (half of the way around them) and all nodes (a spanning tree).
        if K <= 2 || K + 1 == mesh.nodes() {
            return Some(super::counting::lower_bound(mesh, K));
        }
        let counted = mesh.nodes() <= MAX_ENUMERATED && Self::is_shortest(mesh, K);
        counted.then(|| enumeration::mean_links(mesh, K))
    }

    fn most_links(&self, mesh: Mesh, K: u32) -> u64 {
        super::most_of_short_paths(mesh, K)
    }

    /// Twice the steps that fill the table, or that grow the tree.
    fn steps(&self, mesh: Mesh, K: u32) -> u64 {
        let (nodes, terminals) = (u64::from(mesh.nodes()), u64::from(K) + 1);
        if K <= MAX_EXACT {
            2 * 3u64.pow(K) * (terminals * terminals).min(nodes)
        } else {
            4 * (nodes + terminals * u64::from(mesh.w() + mesh.h()) + terminals * terminals / 8)
        }
    }

    fn route(&self, mesh: Mesh, source: u32, destinations: &[u32], routes: &mut Routes) -> u64 {
        let terminals = [&[source], destinations].concat();
        let (links, paths) = if destinations.len() <= MAX_EXACT as usize {
            let table = dreyfus_wagner::Table::new(mesh, &terminals);
            (table.links(), table.paths(mesh))
        } else {
            let paths = greedy::paths(mesh, &terminals);
            (paths.iter().map(|path| path.len() as u64 - 1).sum(), paths)
        };
        paths.into_iter().for_each(|path| routes.add(path));
        links
    }
}
