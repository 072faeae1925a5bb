#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| rankfold_fuzz::importer("slurm-yaml", text));
