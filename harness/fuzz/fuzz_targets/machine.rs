//! libFuzzer's program for machine profiles.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::machine::run(input));
