#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| rankfold_fuzz::mapfile(input));
