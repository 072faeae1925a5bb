#![no_main]

libfuzzer_sys::fuzz_target!(|input: &str| rankfold_fuzz::importer("nccl-topo", input));
