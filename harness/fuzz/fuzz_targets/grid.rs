//! libFuzzer's program for grids.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::grid::run(input));
