//! `rankfold`: profile, map, relaunch, verify.
#![forbid(unsafe_code)]

fn main() {}
