//! libFuzzer's program for texts of others.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::text::run(input));
