//! libFuzzer's program for GOAL.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::goal::run(input));
