#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| rankfold_fuzz::graph_file(text));
