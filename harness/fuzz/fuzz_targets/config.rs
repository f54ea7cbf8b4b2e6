//! libFuzzer's program for configurations.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::config::run(input));
