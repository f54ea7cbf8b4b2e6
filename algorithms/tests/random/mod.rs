//! Random cases that are the same in every run, so that a failure repeats; no files are written.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// This many cases from this seed.
pub fn cases(count: u32, seed: u64) -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(seed);
    ProptestConfig {
        cases: count,
        rng_seed,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
