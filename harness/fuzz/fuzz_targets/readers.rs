//! libFuzzer's program for outputs of benchmarks.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::readers::run(input));
