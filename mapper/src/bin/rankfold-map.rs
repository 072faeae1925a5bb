//! `rankfold-map`: everything of rankfold that needs no launch.
#![forbid(unsafe_code)]

fn main() {}
