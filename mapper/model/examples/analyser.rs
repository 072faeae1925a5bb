//! Times the analyser on grids by formula: `analyser DIMS rows|permuted [ROUNDS]`, as in `128x128x64 rows`.
//!
//! Prints the dimensions found and the seconds of the fastest round, separated by spaces.

use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng as _;
use rankfold_model::comm::{CommGraph, Message};
use rankfold_model::{Rank, pattern};
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (dims, permute) = match &args[..] {
        [dims, order, ..] if order == "rows" || order == "permuted" => (dims, order == "permuted"),
        _ => {
            eprintln!("analyser DIMS rows|permuted [ROUNDS]");
            std::process::exit(2);
        }
    };
    let dims: Vec<usize> = dims
        .split('x')
        .map(|k| k.parse().expect("a size"))
        .collect();
    let rounds: u32 = args.get(2).map_or(1, |r| r.parse().expect("a number"));
    let graph = star(&dims, permute);
    let mut best = f64::INFINITY;
    let mut found = String::from("none");
    for _ in 0..rounds {
        let start = Instant::now();
        let pattern = pattern::analyze(&graph);
        best = best.min(start.elapsed().as_secs_f64());
        if let Some(stencil) = pattern.stencil() {
            let sizes: Vec<String> = stencil.dims.iter().map(ToString::to_string).collect();
            found = sizes.join("x");
        }
    }
    println!("{found} {best:.3}");
}

/// An open grid whose cells talk to their neighbours along every dimension.
fn star(dims: &[usize], permute: bool) -> CommGraph {
    let ranks: usize = dims.iter().product();
    let mut number: Vec<u32> = (0..ranks as u32).collect();
    if permute {
        number.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(1));
    }
    let mut messages = Vec::new();
    let mut stride = 1;
    for &k in dims.iter().rev() {
        for rank in (0..ranks).filter(|rank| rank / stride % k + 1 < k) {
            let (from, to) = (Rank(number[rank]), Rank(number[rank + stride]));
            let message = |from, to| Message {
                from,
                to,
                bytes: 1000,
            };
            messages.extend([message(from, to), message(to, from)]);
        }
        stride *= k;
    }
    CommGraph::from_messages(ranks, messages).expect("a valid graph")
}
