//! The order of tasks, and which of them share a cluster.
//!
//! Tasks with the same placement of ranks share a cluster. Every repetition visits all of them in a random order from
//! the seed. So a temporary slowdown of the machine does not affect only one of them.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

use super::task::Task;

/// Tasks on one cluster.
#[derive(Debug)]
pub struct Session {
    /// The host of each rank.
    pub placement: Vec<u32>,
    /// The tasks, by their indices in the list of all.
    pub indices: Vec<usize>,
}

/// The clusters for these tasks: one per distinct placement, because a smaller task can use the first ranks of a larger
/// one.
#[must_use]
pub fn sessions(tasks: &[&Task]) -> Vec<Session> {
    let mut indices: Vec<usize> = (0..tasks.len()).collect();
    // A stable sort: tasks of one size stay in order.
    indices.sort_by_key(|&index| std::cmp::Reverse(tasks[index].placement.len()));
    let mut sessions: Vec<Session> = Vec::new();
    for index in indices {
        let placement = &tasks[index].placement;
        match sessions
            .iter_mut()
            .find(|session| session.placement.starts_with(placement))
        {
            Some(session) => session.indices.push(index),
            None => sessions.push(Session {
                placement: placement.clone(),
                indices: vec![index],
            }),
        }
    }
    sessions
}

/// The indices of a session in the order of one round.
#[must_use]
pub fn shuffled(session: usize, round: u32, indices: &[usize], seed: u64) -> Vec<usize> {
    let key = Sha256::new()
        .chain_update(seed.to_be_bytes())
        .chain_update((session as u64).to_be_bytes())
        .chain_update(round.to_be_bytes())
        .finalize();
    let mut random = ChaCha8Rng::from_seed(key.into());
    let mut order = indices.to_vec();
    for last in (1..order.len()).rev() {
        // Lemire's bounded draw; with a few thousand tasks its bias is below 2^-50.
        let draw = (u128::from(random.next_u64()) * (last as u128 + 1)) >> 64;
        order.swap(last, usize::try_from(draw).unwrap_or(last));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_a_permutation_that_the_seed_decides() {
        let indices: Vec<usize> = (10..40).collect();
        let one = shuffled(0, 1, &indices, 7);
        assert_eq!(one, shuffled(0, 1, &indices, 7));
        for other in [
            shuffled(0, 2, &indices, 7),
            shuffled(1, 1, &indices, 7),
            shuffled(0, 1, &indices, 8),
        ] {
            assert_ne!(one, other);
            let mut sorted = other;
            sorted.sort_unstable();
            assert_eq!(sorted, indices);
        }
    }
}
