//! The recurrence of Dreyfus and Wagner on the Hanan grid.
//!
//! For a set S of terminals and a crossing v, `best(S, v)` is the length of a shortest tree that connects S and v. Such
//! a tree is a path from v to where it falls into two, one for each part of S; so the trees for S come from merging
//! those of its parts at every crossing and then from walking on to the neighbouring crossings, nearest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::mesh::labelling::Mesh;

/// The root of a tree.
#[derive(Debug, Clone, Copy)]
enum Last {
    /// Nothing: the terminal itself.
    Terminal,
    /// A step to this crossing.
    Step(u32),
    /// Two trees at the same crossing, this part of the terminals and the rest.
    Merge(u32),
}

/// Shortest trees for all sets of all terminals but the first, at all crossings.
pub(super) struct Table {
    columns: Vec<u32>,
    rows: Vec<u32>,
    /// By set and crossing.
    best: Vec<(u32, Last)>,
    terminals: Vec<u32>,
}

impl Table {
    /// The table of these distinct nodes, at least one and at most 31.
    pub(super) fn new(mesh: Mesh, terminals: &[u32]) -> Self {
        let sorted = |mut values: Vec<u32>| {
            values.sort_unstable();
            values.dedup();
            values
        };
        let positions: Vec<(u32, u32)> = terminals
            .iter()
            .map(|&label| mesh.position(label))
            .collect();
        let columns = sorted(positions.iter().map(|at| at.0).collect());
        let rows = sorted(positions.iter().map(|at| at.1).collect());
        let crossing = |(x, y): (u32, u32)| {
            columns.partition_point(|&c| c < x) * rows.len() + rows.partition_point(|&r| r < y)
        };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "at most 31 columns times 31 rows"
        )]
        let terminals = positions
            .into_iter()
            .map(|at| crossing(at) as u32)
            .collect();
        let mut table = Self {
            columns,
            rows,
            best: Vec::new(),
            terminals,
        };
        table.fill();
        table
    }

    fn crossings(&self) -> usize {
        self.columns.len() * self.rows.len()
    }

    /// All sets of terminals but the first.
    fn sets(&self) -> u32 {
        1 << (self.terminals.len() - 1)
    }

    fn at(&self, set: u32, crossing: u32) -> (u32, Last) {
        self.best[set as usize * self.crossings() + crossing as usize]
    }

    fn fill(&mut self) {
        let crossings = self.crossings();
        self.best = vec![(u32::MAX, Last::Terminal); self.sets() as usize * crossings];
        for set in 1..self.sets() {
            let own = set as usize * crossings;
            if set.is_power_of_two() {
                let terminal = self.terminals[set.trailing_zeros() as usize + 1];
                self.best[own + terminal as usize] = (0, Last::Terminal);
            } else {
                self.merge(set);
            }
            self.walk(own);
        }
    }

    /// Merges two trees. Of a set and its rest only the part with the lowest terminal is computed.
    fn merge(&mut self, set: u32) {
        let crossings = self.crossings();
        let lowest = set & set.wrapping_neg();
        let rest = set ^ lowest;
        // All proper subsets of the rest, each combined with the lowest.
        let mut others = rest;
        while others != 0 {
            others = (others - 1) & rest;
            let part = lowest | others;
            let (one, two) = (part as usize * crossings, (set ^ part) as usize * crossings);
            for crossing in 0..crossings {
                // Every set before this one has a tree at every crossing.
                let length = self.best[one + crossing].0 + self.best[two + crossing].0;
                let best = &mut self.best[set as usize * crossings + crossing];
                if length < best.0 {
                    *best = (length, Last::Merge(part));
                }
            }
        }
    }

    /// Dijkstra's algorithm from all crossings at once.
    fn walk(&mut self, own: usize) {
        let crossings = self.crossings();
        let known = self.best[own..own + crossings]
            .iter()
            .enumerate()
            .filter(|(_, best)| best.0 != u32::MAX);
        let mut pending: BinaryHeap<_> = known
            .map(|(crossing, best)| Reverse((best.0, crossing)))
            .collect();
        while let Some(Reverse((length, crossing))) = pending.pop() {
            if length > self.best[own + crossing].0 {
                continue;
            }
            for (next, step) in self.beside(crossing).into_iter().flatten() {
                let best = &mut self.best[own + next];
                if length + step < best.0 {
                    #[expect(
                        clippy::cast_possible_truncation,
                        reason = "at most 31 x 31 crossings"
                    )]
                    let back = crossing as u32;
                    *best = (length + step, Last::Step(back));
                    pending.push(Reverse((length + step, next)));
                }
            }
        }
    }

    /// The neighbouring crossings, each with the links to it.
    fn beside(&self, crossing: usize) -> [Option<(usize, u32)>; 4] {
        let h = self.rows.len();
        let (x, y) = (crossing / h, crossing % h);
        let (columns, rows) = (&self.columns, &self.rows);
        [
            x.checked_sub(1)
                .map(|left| (crossing - h, columns[x] - columns[left])),
            y.checked_sub(1)
                .map(|down| (crossing - 1, rows[y] - rows[down])),
            columns
                .get(x + 1)
                .map(|right| (crossing + h, right - columns[x])),
            rows.get(y + 1).map(|up| (crossing + 1, up - rows[y])),
        ]
    }

    /// The links of a shortest tree of all terminals.
    pub(super) fn links(&self) -> u64 {
        if self.terminals.len() == 1 {
            0
        } else {
            self.at(self.sets() - 1, self.terminals[0]).0.into()
        }
    }

    /// The paths of that tree over the labels of the mesh, from the first terminal outwards.
    pub(super) fn paths(&self, mesh: Mesh) -> Vec<Vec<u32>> {
        let mut paths = Vec::new();
        let mut pending = Vec::new();
        if self.terminals.len() > 1 {
            pending.push((self.sets() - 1, self.terminals[0]));
        }
        while let Some((set, mut crossing)) = pending.pop() {
            let mut path = vec![self.label(mesh, crossing)];
            loop {
                match self.at(set, crossing).1 {
                    Last::Step(next) => {
                        self.extend(mesh, &mut path, next);
                        crossing = next;
                    }
                    Last::Merge(part) => {
                        pending.extend([(set ^ part, crossing), (part, crossing)]);
                        break;
                    }
                    Last::Terminal => break,
                }
            }
            paths.push(path);
        }
        paths
    }

    fn label(&self, mesh: Mesh, crossing: u32) -> u32 {
        let (x, y) = (
            crossing as usize / self.rows.len(),
            crossing as usize % self.rows.len(),
        );
        mesh.label(self.columns[x], self.rows[y])
    }

    /// Walks on to a crossing in the same row or column.
    fn extend(&self, mesh: Mesh, path: &mut Vec<u32>, crossing: u32) {
        let towards = |from: u32, to: u32| {
            if from < to {
                from + 1
            } else {
                from - (from - to).min(1)
            }
        };
        let (to_x, to_y) = mesh.position(self.label(mesh, crossing));
        let (mut x, mut y) = mesh.position(path[path.len() - 1]);
        while (x, y) != (to_x, to_y) {
            (x, y) = (towards(x, to_x), towards(y, to_y));
            path.push(mesh.label(x, y));
        }
    }
}
