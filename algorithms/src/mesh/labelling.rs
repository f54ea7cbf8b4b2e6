//! The mesh and its Hamiltonian labelling.
//!
//! **Source.** Lin, Ni, "Deadlock-free multicast wormhole routing in multicomputer networks", ISCA 1991;
//! Xie, Zhu, Kang, Wang, "A network-partition based multicasting routing method", 1996, section 2.
//!
//! Nodes are labelled along a snake: x is the slow coordinate, y runs up in even columns and down in odd
//! ones. The *high network* has the links from lower to higher labels, the *low network* the opposite ones. Neither has cycles, so
//! messages within one network cannot wait for each other in a ring.

use std::fmt;
use std::hint::select_unpredictable;

use crate::error::Error;
use crate::problem::Sides;

/// A `w x h` mesh of at most [`Mesh::MAX_NODES`] nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mesh {
    w: u32,
    h: u32,
    /// `2^32 / h`, rounded up: a multiplication instead of a slow division by h. The error is below `label / 2^32`, and so below the `1 / h`
    /// that would change the integer part.
    reciprocal: u64,
}

impl Mesh {
    /// 128 x 128. The exact expectations are fractions of numbers with as many bits as nodes; larger ones take seconds.
    pub const MAX_NODES: u32 = 1 << 14;

    /// Checks the sides of a mesh.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a side of zero, or more than [`Mesh::MAX_NODES`] nodes.
    ///
    /// ```
    /// # use castbench_algorithms::internals::mesh::labelling::Mesh;
    /// let mesh = Mesh::new(4, 3)?;
    /// // Up the first column, down the second.
    /// assert_eq!((mesh.label(0, 2), mesh.label(1, 2), mesh.position(5)), (2, 3, (1, 0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(w: u64, h: u64) -> Result<Self, Error> {
        let refuse = |expected: String| Error::formula("mesh", "n", format!("{w}x{h}"), expected);
        if w == 0 || h == 0 {
            return Err(refuse("expected two sides of at least 1, as in 8x8".into()));
        }
        match (u32::try_from(w), u32::try_from(h), w.checked_mul(h)) {
            (Ok(w), Ok(h), Some(nodes)) if nodes <= u64::from(Self::MAX_NODES) => Ok(Self {
                w,
                h,
                reciprocal: (1u64 << 32).div_ceil(u64::from(h)),
            }),
            _ => Err(refuse(format!(
                "expected at most {} nodes (128x128), for which the exact expectation is computed",
                Self::MAX_NODES
            ))),
        }
    }

    /// The mesh with the [`Sides`] that this value encodes.
    ///
    /// # Errors
    /// Errors of [`Mesh::new`].
    pub fn from_sides(sides: u64) -> Result<Self, Error> {
        let Sides { w, h } = Sides::from_value(sides);
        Self::new(w, h)
    }

    /// Columns.
    #[must_use]
    pub fn w(&self) -> u32 {
        self.w
    }

    /// Rows.
    #[must_use]
    pub fn h(&self) -> u32 {
        self.h
    }

    /// `w*h`.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.w * self.h
    }

    /// The label of the node at column x, row y.
    #[must_use]
    pub fn label(&self, x: u32, y: u32) -> u32 {
        x * self.h
            + if x.is_multiple_of(2) {
                y
            } else {
                self.h - 1 - y
            }
    }

    /// The column of a label of this mesh.
    #[must_use]
    #[inline]
    pub fn column(&self, label: u32) -> u32 {
        ((u64::from(label) * self.reciprocal) >> 32) as u32
    }

    /// The column and row of a label of this mesh.
    #[must_use]
    #[inline]
    pub fn position(&self, label: u32) -> (u32, u32) {
        let x = self.column(label);
        // Wraps only for labels beyond the mesh.
        let along = label.wrapping_sub(x.wrapping_mul(self.h));
        (
            x,
            if x.is_multiple_of(2) {
                along
            } else {
                self.h.wrapping_sub(1).wrapping_sub(along)
            },
        )
    }

    /// Links on a shortest path between two labels.
    #[must_use]
    #[inline]
    pub fn distance(&self, a: u32, b: u32) -> u32 {
        let ((ax, ay), (bx, by)) = (self.position(a), self.position(b));
        ax.abs_diff(bx) + ay.abs_diff(by)
    }

    /// The labels of the neighbours of a node.
    pub fn neighbours(&self, label: u32) -> impl Iterator<Item = u32> + use<> {
        let mesh = *self;
        let (x, y) = self.position(label);
        let left = x.checked_sub(1).map(|x| (x, y));
        let down = y.checked_sub(1).map(|y| (x, y));
        let right = (x + 1 < self.w).then_some((x + 1, y));
        let up = (y + 1 < self.h).then_some((x, y + 1));
        [left, down, right, up]
            .into_iter()
            .flatten()
            .map(move |(x, y)| mesh.label(x, y))
    }
}

/// Successive hops towards a node within the network that leads there, without divisions. Each goes to the neighbour with the label
/// nearest to that node, not beyond it.
///
/// On a snake this follows a shortest path (Lin, Ni 1991; checked by search in the tests). A node has two
/// neighbours of higher labels, its successor and the one across in the next column, which the snake
/// reaches after the rest of this column and as much of that one; mirrored for the lower labels.
///
/// The labels of a node and of the one across in the next column add up to the same for all nodes of a column, `2h` more
/// than those of a node and of the one across in the column before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hops {
    /// `2h`.
    two_columns: i32,
    at: i32,
    /// The label across in the next column.
    across: i32,
}

impl Hops {
    /// From this node on.
    pub(super) fn new(mesh: Mesh, at: u32) -> Self {
        // Labels are below 2^14.
        let [two_columns, at, column] = [2 * mesh.h, at, mesh.column(at)].map(u32::cast_signed);
        Self {
            two_columns,
            at,
            across: two_columns * (column + 1) - 1 - at,
        }
    }

    /// Goes on to a node of a higher label: across, unless that passes it.
    #[inline]
    fn up(&mut self, to: i32) {
        // Which of the two comes next is as good as random, so it is selected without a branch.
        let Self {
            two_columns,
            at,
            across,
        } = *self;
        let fits = across <= to;
        self.at = select_unpredictable(fits, across, at.wrapping_add(1).min(to));
        self.across =
            select_unpredictable(fits, at.wrapping_add(two_columns), across.wrapping_sub(1));
    }

    /// Goes on to a node of a lower label.
    #[inline]
    fn down(&mut self, to: i32) {
        let Self {
            two_columns,
            at,
            across,
        } = *self;
        let back = across.wrapping_sub(two_columns);
        let fits = back >= to;
        self.at = select_unpredictable(fits, back, at.wrapping_sub(1).max(to));
        self.across = select_unpredictable(fits, at, across.wrapping_add(1));
    }

    /// Goes this many hops towards these nodes, one after the other, and appends the nodes entered. Labels only rise or only fall
    /// from here on. Too many hops repeat the last node, so that no route hides a wrong number.
    #[inline]
    pub(super) fn pass(
        self,
        hops: u32,
        count: usize,
        target: impl Fn(usize) -> u32,
        path: &mut Vec<u32>,
    ) {
        let Some(last) = count.checked_sub(1) else {
            return;
        };
        let target = |index: usize| target(index.min(last)).cast_signed();
        if self.at < target(last) {
            self.pass_by(Self::up, hops, target, path);
        } else {
            self.pass_by(Self::down, hops, target, path);
        }
    }

    /// A loop for each leg would end when the processor does not expect it, so the next target is selected without a branch.
    #[inline]
    fn pass_by(
        mut self,
        step: impl Fn(&mut Self, i32),
        hops: u32,
        target: impl Fn(usize) -> i32,
        path: &mut Vec<u32>,
    ) {
        let mut index = usize::from(self.at == target(0));
        let (mut to, mut next) = (target(index), target(index + 1));
        path.extend((0..hops).map(|_| {
            step(&mut self, to);
            let arrived = self.at == to;
            to = select_unpredictable(arrived, next, to);
            index += usize::from(arrived);
            next = target(index + 1);
            self.at.cast_unsigned()
        }));
    }

    /// Goes this many hops towards one node and appends the nodes entered, as [`Hops::pass`] does.
    #[inline]
    pub(super) fn visit(mut self, to: u32, hops: u32, path: &mut Vec<u32>) {
        let to = to.cast_signed();
        if self.at < to {
            path.extend((0..hops).map(|_| {
                self.up(to);
                self.at.cast_unsigned()
            }));
        } else {
            path.extend((0..hops).map(|_| {
                self.down(to);
                self.at.cast_unsigned()
            }));
        }
    }
}

/// Its width and height: `8x8`.
impl fmt::Display for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.w, self.h)
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;

    #[test]
    fn figure_2_of_the_paper() {
        let mesh = Mesh::new(4, 3).unwrap();
        let snake = [
            (0, 0),
            (0, 1),
            (0, 2),
            (1, 2),
            (1, 1),
            (1, 0),
            (2, 0),
            (2, 1),
            (2, 2),
            (3, 2),
            (3, 1),
            (3, 0),
        ];
        for (label, (x, y)) in (0..).zip(snake) {
            assert_eq!(mesh.position(label), (x, y));
            assert_eq!(mesh.label(x, y), label);
        }
    }

    #[test]
    fn consecutive_labels_are_neighbours() {
        for (w, h) in [(1, 1), (1, 7), (7, 1), (4, 3), (5, 7), (8, 8)] {
            let mesh = Mesh::new(w, h).unwrap();
            for label in 1..mesh.nodes() {
                assert_eq!(mesh.distance(label - 1, label), 1);
                assert!(mesh.neighbours(label).any(|other| other == label - 1));
            }
        }
    }

    /// Breadth-first search within one network, which the greedy route must equal.
    fn shortest_inside(mesh: Mesh, from: u32, to: u32) -> u32 {
        let mut frontier = vec![from];
        for steps in 0.. {
            if frontier.contains(&to) {
                return steps;
            }
            frontier = frontier
                .iter()
                .flat_map(|&at| {
                    mesh.neighbours(at)
                        .filter(move |&next| (next > at) == (to > from))
                })
                .collect();
            frontier.sort_unstable();
            frontier.dedup();
            assert!(!frontier.is_empty(), "{to} cannot be reached from {from}");
        }
        unreachable!("the loop has no end of its own")
    }

    fn next_hop(mesh: Mesh, at: u32, to: u32) -> u32 {
        let mut hops = Hops::new(mesh, at);
        match at.cmp(&to) {
            Ordering::Less => hops.up(to.cast_signed()),
            Ordering::Greater => hops.down(to.cast_signed()),
            Ordering::Equal => {}
        }
        hops.at.cast_unsigned()
    }

    #[test]
    fn the_next_hop_is_the_neighbour_nearest_to_the_target() {
        for (w, h) in [(1, 1), (1, 5), (6, 1), (2, 2), (4, 3), (5, 7), (8, 8)] {
            let mesh = Mesh::new(w, h).unwrap();
            for at in 0..mesh.nodes() {
                for to in 0..mesh.nodes() {
                    let nearest = match at.cmp(&to) {
                        Ordering::Less => mesh
                            .neighbours(at)
                            .filter(|&next| next > at && next <= to)
                            .max(),
                        Ordering::Greater => mesh
                            .neighbours(at)
                            .filter(|&next| next < at && next >= to)
                            .min(),
                        Ordering::Equal => Some(at),
                    };
                    assert_eq!(
                        Some(next_hop(mesh, at, to)),
                        nearest,
                        "{mesh}: {at} to {to}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_greedy_route_is_shortest() {
        for (w, h) in [(1, 5), (6, 1), (2, 2), (4, 3), (5, 7), (8, 8)] {
            let mesh = Mesh::new(w, h).unwrap();
            for from in 0..mesh.nodes() {
                for to in (0..mesh.nodes()).filter(|&to| to != from) {
                    let hops = std::iter::successors(Some(from), |&at| {
                        (at != to).then(|| next_hop(mesh, at, to))
                    });
                    let hops = u32::try_from(hops.count()).unwrap() - 1;
                    assert_eq!(hops, mesh.distance(from, to), "{mesh}: {from} to {to}");
                    assert_eq!(
                        hops,
                        shortest_inside(mesh, from, to),
                        "{mesh}: {from} to {to}"
                    );
                }
            }
        }
    }

    #[test]
    fn bad_sides_are_refused() {
        for (w, h) in [
            (0, 8),
            (8, 0),
            (129, 128),
            (99_999_999_999, 1),
            (u64::MAX, 2),
        ] {
            let refused = Mesh::new(w, h);
            assert!(
                matches!(
                    refused,
                    Err(Error::Parameter {
                        symbol: "mesh",
                        axis: "n",
                        ..
                    })
                ),
                "{w}x{h}"
            );
        }
        assert_eq!(Mesh::new(128, 128).unwrap().nodes(), Mesh::MAX_NODES);
    }
}
