//! libFuzzer's program for plans of users.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::plan::run(input));
