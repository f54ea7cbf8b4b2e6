//! libFuzzer's program for CSV.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::csv::run(input));
