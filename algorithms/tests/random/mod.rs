//! Random cases that are the same in every run: what fails once fails again, and nothing is left in the tree.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// So many cases, drawn from this seed.
pub fn cases(count: u32, seed: u64) -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(seed);
    ProptestConfig { cases: count, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}
