//! The path-based schemes as worms: dual-path, multi-path, fixed path and column-path.
//!
//! **Source.** Those of the multicasts of the same names, [`dual_path`],
//! [`multi_path`], [`fixed_path`] and
//! [`column_path`].
//!
//! **Algorithm.** Each path is a worm that passes its destinations. The longest is sent first, because with few ports the others wait.
//!
//! **Cost.** The paths of dual-path, multi-path and the fixed path share no link: with enough ports the cost is that of the longest, with H
//! hops: `t_s + H t_h + F t_f`; with fewer ports they wait. The paths of column-path share links of the source's row. With one port they
//! never meet: the next header starts when the tail has left, and is not faster. With more ports they queue behind earlier ones.
//!
//! **When it wins.** With one port dual-path, because each further path waits for a startup and a message. With four ports multi-path, whose
//! paths are shorter. Against U-mesh where the hops of a path, `H t_h`, cost less than its steps, `log2(K+1) (t_s + F t_f)`. But routers must
//! copy, and a long path holds many links.
//!
//! **Departures from the papers.** 1. They do not say which path is sent first.

use super::{Mesh, Scheme, Worm};
use crate::mesh::multicast::walk::Routes;
use crate::mesh::multicast::{Routing, column_path, dual_path, fixed_path, multi_path};

/// A path-based multicast done with worms.
#[derive(Clone, Copy)]
pub struct Paths(&'static dyn Routing);

/// Up to two worms along the snake.
pub const DUAL_PATH: Paths = Paths(&dual_path::DualPath);
/// Up to four.
pub const MULTI_PATH: Paths = Paths(&multi_path::MultiPath);
/// Up to two that leave out no node of the snake.
pub const FIXED_PATH: Paths = Paths(&fixed_path::FixedPath);
/// Up to two a column.
pub const COLUMN_PATH: Paths = Paths(&column_path::ColumnPath);

impl Paths {
    /// The paths, the longest first.
    fn routes(&self, mesh: Mesh, source: u32, destinations: &[u32]) -> Vec<Vec<u32>> {
        let mut routes = Routes::default();
        let mut ascending = destinations.to_vec();
        ascending.sort_unstable();
        self.0.route(mesh, source, &ascending, &mut routes);
        let mut paths: Vec<Vec<u32>> = routes.paths().map(<[u32]>::to_vec).collect();
        paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
        paths
    }
}

impl Scheme for Paths {
    fn worms(&self, mesh: Mesh, source: u32, destinations: &[u32]) -> Vec<Worm> {
        let mut waiting = vec![false; mesh.nodes() as usize];
        for &node in destinations {
            waiting[node as usize] = true;
        }
        // The shortest path that passes a destination serves it: none passes the end of a longer one.
        let shortest_first = self.routes(mesh, source, destinations).into_iter().rev();
        let mut worms: Vec<Worm> = shortest_first
            .map(|path| {
                let served = |node: &u32| std::mem::take(&mut waiting[*node as usize]);
                Worm {
                    receivers: path.iter().copied().filter(served).collect(),
                    path,
                }
            })
            .collect();
        worms.reverse();
        worms
    }

    fn most_hops(&self, mesh: Mesh, K: u32) -> u64 {
        self.0.most_links(mesh, K)
    }
}
