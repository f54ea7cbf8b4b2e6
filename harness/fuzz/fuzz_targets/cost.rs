//! libFuzzer's program for the command line.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::cost::run(input));
