//! Random multicasts, the same on every machine.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};

use super::labelling::Mesh;

/// The first multicast that a seed draws: the source, then K destinations.
#[must_use]
pub fn draw(mesh: Mesh, K: u32, seed: u64) -> (u32, Vec<u32>) {
    let mut draws = Draws::new(mesh, K, seed);
    let (source, destinations) = draws.next();
    (source, destinations.to_vec())
}

/// An endless sequence of multicasts, determined by mesh, K and seed. So all algorithms get the same multicasts, and their means can be
/// compared closely.
pub(super) struct Draws {
    random: ChaCha8Rng,
    /// All labels; the first K+1 are the current multicast. The deck stays uniform when it is shuffled again.
    deck: Vec<u32>,
    chosen: usize,
}

impl Draws {
    /// The multicasts to K destinations that this seed draws.
    pub(super) fn new(mesh: Mesh, K: u32, seed: u64) -> Self {
        // Mesh and K are part of the key, so different points draw independently.
        let words = [
            seed,
            u64::from(mesh.w()) << 32 | u64::from(mesh.h()),
            u64::from(K),
            0,
        ];
        let mut key = [0; 32];
        for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Self {
            random: ChaCha8Rng::from_seed(key),
            deck: (0..mesh.nodes()).collect(),
            chosen: K as usize + 1,
        }
    }

    /// The next source and its destinations.
    pub(super) fn next(&mut self) -> (u32, &[u32]) {
        let nodes = self.deck.len();
        for drawn in 0..self.chosen {
            // Lemire's bounded draw: with at most 2^14 nodes, 64 random bits have a bias below 2^-50. The generator's stream is fixed, unlike a
            // library's way of drawing from it.
            let left = (nodes - drawn) as u64;
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the high word is below `left`"
            )]
            let offset = ((u128::from(self.random.next_u64()) * u128::from(left)) >> 64) as usize;
            self.deck.swap(drawn, drawn + offset);
        }
        (self.deck[0], &self.deck[1..self.chosen])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multicast_has_distinct_nodes() {
        let mesh = Mesh::new(4, 3).unwrap();
        for seed in 0..50 {
            let (source, mut nodes) = draw(mesh, 11, seed);
            nodes.push(source);
            nodes.sort_unstable();
            assert!(nodes.iter().copied().eq(0..12));
        }
    }

    /// Pins the stream: a change of generator, key or draw would silently change every published mean.
    #[test]
    fn the_stream_is_portable() {
        let mesh = Mesh::new(8, 8).unwrap();
        assert_eq!(draw(mesh, 5, 1), (52, vec![2, 39, 63, 51, 55]));
    }

    #[test]
    fn every_node_is_drawn_alike() {
        // 20,000 draws of a source and two destinations among 12: 1667 each, standard deviation 39.
        let mesh = Mesh::new(4, 3).unwrap();
        let mut draws = Draws::new(mesh, 2, 7);
        let mut counts = [[0u32; 12]; 3];
        for _ in 0..20_000 {
            let (source, destinations) = draws.next();
            counts[0][source as usize] += 1;
            counts[1][destinations[0] as usize] += 1;
            counts[2][destinations[1] as usize] += 1;
        }
        assert!(
            counts
                .iter()
                .flatten()
                .all(|count| count.abs_diff(1667) < 200),
            "{counts:?}"
        );
    }
}
