//! The slots of each node, and the nodes that complete them.

use super::super::hypercube::Cube;

/// The vertices, the pool, and the slots of both, counted from 0.
pub(super) struct Layout {
    pub(super) cube: Cube,
    k: u64,
    /// N.
    pub(super) vertices: u64,
    /// M.
    pub(super) pool: u64,
    /// D.
    shared: u64,
    /// How many slots each vertex has.
    sizes: Vec<u64>,
}

impl Layout {
    /// For n above k + 1, so that there are at least k + 1 vertices; a last batch of `ending` messages ends early.
    pub(super) fn new(vertices: u64, pool: u64, k: u64, ending: u64) -> Self {
        let cube = Cube::new(vertices, k);
        let rotations = (vertices - 1) / k;
        let shared = pool.min(vertices - (ending - 1) * rotations);
        let (size, larger) = (
            (vertices - shared) / rotations,
            (vertices - shared) % rotations,
        );
        let first: Vec<u64> = (0..vertices)
            .map(|vertex| first_of_rotation(&cube, k, vertex))
            .collect();
        // The rotations with a slot more, by the first vertex of each.
        let mut is_larger = vec![false; first.len()];
        let firsts = (1..)
            .zip(&first[1..])
            .filter(|&(vertex, first)| vertex == *first);
        for (vertex, _) in firsts.take(index(larger)) {
            is_larger[index(vertex)] = true;
        }
        let sizes = first
            .iter()
            .map(|&first| size + u64::from(is_larger[index(first)]))
            .collect();
        Self {
            cube,
            k,
            vertices,
            pool,
            shared,
            sizes,
        }
    }

    /// Whether a vertex has a slot of the batch that is spread in this round.
    pub(super) fn vertex_has(&self, round: u64, vertex: u64, slot: u64) -> bool {
        let own = self.cube.digit(vertex, self.cube.unit(round, 0));
        let first = if own > 0 {
            own
        } else {
            self.cube.passed_on(round, vertex).0
        };
        (slot + self.k - (first - 1)) % self.k < self.sizes[index(vertex)]
    }

    /// Whether a node of the pool has a slot.
    pub(super) fn pool_has(&self, node: u64, slot: u64) -> bool {
        let start = |node: u64| node * self.k / self.pool;
        let (first, end) = (start(node), start(node + self.shared));
        (slot + self.k - first) % self.k < end - first
    }

    /// The nodes that have a slot of the batch that is spread in this round, or those that lack it. All are counted from 1, the pool
    /// behind the vertices.
    pub(super) fn nodes(
        &self,
        round: u64,
        slot: u64,
        having: bool,
    ) -> impl Iterator<Item = u64> + '_ {
        let vertices = (1..self.vertices)
            .filter(move |&vertex| self.vertex_has(round, vertex, slot) == having);
        let pool = (0..self.pool).filter(move |&node| self.pool_has(node, slot) == having);
        vertices.chain(pool.map(|node| self.vertices + node))
    }

    /// The node of the pool that makes the send of a slot with this number.
    pub(super) fn completes(&self, slot: u64, send: u64) -> u64 {
        self.vertices + (slot * self.pool + send) / self.k
    }
}

/// The vertex whose lowest nonzero digit is 1 among the rotations of the nonzero digits, where 1 follows k.
fn first_of_rotation(cube: &Cube, k: u64, vertex: u64) -> u64 {
    let digits = || {
        cube.units()
            .iter()
            .map(|&unit| (cube.digit(vertex, unit), unit))
            .filter(|(digit, _)| *digit > 0)
    };
    let lowest = digits().next().map_or(1, |(digit, _)| digit);
    digits()
        .map(|(digit, unit)| ((digit + k - lowest) % k + 1) * unit)
        .sum()
}

/// A number that counts something in memory.
pub(super) fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All statements of the module on the layout, at all sizes of a few powers, and for all last batches that fit.
    #[test]
    fn slots_are_held_as_often_and_completed_by_those_who_hold_them() {
        for (k, vertices) in [
            (2, 3),
            (2, 9),
            (2, 27),
            (2, 81),
            (3, 4),
            (3, 16),
            (4, 25),
            (5, 6),
            (5, 36),
            (7, 8),
            (11, 12),
            (24, 25),
        ] {
            for pool in 1..=vertices * (k + 1) / 2 {
                for ending in
                    (2..=k).take_while(|ending| ending * (vertices - 1 + pool) < vertices * (k + 1))
                {
                    check(&Layout::new(vertices, pool, k, ending), ending);
                }
            }
        }
    }

    fn check(layout: &Layout, ending: u64) {
        let &Layout {
            k, vertices, pool, ..
        } = layout;
        let what = format!("k = {k}, N = {vertices}, M = {pool}, r' = {ending}");
        let mut before: Option<Vec<usize>> = None;
        for round in 1..=layout.cube.dimensions() {
            let unit = layout.cube.unit(round, 0);
            let mut counts = vec![0; index(vertices + pool)];
            for slot in 0..k {
                let holders: Vec<u64> = layout.nodes(round, slot, true).collect();
                assert_eq!(holders.len(), index(vertices), "{what}");
                holders.iter().for_each(|&node| counts[index(node)] += 1);
                let owns =
                    (1..vertices).filter(|&vertex| layout.cube.digit(vertex, unit) == slot + 1);
                assert!(
                    owns.clone()
                        .all(|vertex| layout.vertex_has(round, vertex, slot)),
                    "{what}"
                );
                let sends: Vec<u64> = (0..pool - 1)
                    .map(|send| layout.completes(slot, send))
                    .collect();
                assert!(
                    sends.iter().all(|node| holders.contains(node)),
                    "{what}, slot {slot}"
                );
            }
            assert!(
                (1..vertices).all(|vertex| counts[index(vertex)] + 1 >= index(ending)),
                "{what}"
            );
            assert!(
                (vertices..vertices + pool).all(|node| counts[index(node)] >= index(ending)),
                "{what}"
            );
            assert!(
                before.is_none_or(|before| before == counts),
                "{what}: a node has more slots than before"
            );
            before = Some(counts);
        }
        // The sends are distributed in order, so that no node has more than k.
        assert!(
            (0..k * pool)
                .all(|send| layout.completes(send / pool, send % pool) == vertices + send / k),
            "{what}"
        );
    }
}
