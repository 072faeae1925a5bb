//! Measures the analyser on grids made by formula.
//!
//! ```text
//! analyser DIMS rows|permuted [ROUNDS]
//! ```
//!
//! prints the dimensions found and the seconds of the fastest round for a grid such as
//! `128x128x64`.
//!
//! ```text
//! analyser worlds COUNT [NOISE...]
//! ```
//!
//! counts what the analyser recognises, with noise in percent. Prints one line for each kind of
//! graph: the number of trials, the number recognised and the CPU seconds of the slowest trial.
//! Prints every grid that was missed and every other graph that was taken for a grid to standard
//! error.

mod non_grids;
mod numbering;
mod tally;
mod worlds;

use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng as _;
use rankfold_base::Rank;
use rankfold_graph::{CommGraph, Message};
use rankfold_pattern as pattern;
use std::time::Instant;
use tally::{tally, timed};
use worlds::World;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [command, count, noises @ ..] = &args[..]
        && command == "worlds"
    {
        let noises: Vec<u32> = noises
            .iter()
            .map(|noise| noise.parse().expect("percent"))
            .collect();
        let noises = if noises.is_empty() {
            &NOISES
        } else {
            &noises[..]
        };
        return recognised(count.parse().expect("a number"), noises);
    }
    let (dims, permute) = match &args[..] {
        [dims, order, ..] if order == "rows" || order == "permuted" => (dims, order == "permuted"),
        _ => {
            eprintln!("analyser DIMS rows|permuted [ROUNDS], or analyser worlds COUNT [NOISE...]");
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

/// Default noise, in percent of the messages of a grid.
const NOISES: [u32; 4] = [0, 1, 5, 20];

/// How many times more graphs that are no grid are tried than grids of one level of noise. Almost
/// none may be taken for a grid, which only many trials can show.
const STRANGERS: u64 = 10;

/// Tries `count` grids for every level of noise, and [`STRANGERS`] times as many graphs that are no
/// grid.
fn recognised(count: u64, noises: &[u32]) {
    let drawn = |number: u64| Xoshiro256PlusPlus::seed_from_u64(number);
    for &noise in noises {
        let grids = tally(count, |number| {
            let mut random = drawn(number << 8 | u64::from(noise));
            let world = World::draw(noise, &mut random);
            let graph = world.graph(&mut random);
            let (other, seconds) = timed(|| world.taken_for(&graph));
            if let Some(other) = &other {
                eprintln!("not seen: {world:?}, number {number}: {other}");
            }
            (other.is_none(), seconds)
        });
        println!("noise-{noise} {grids}");
    }
    let others = tally(STRANGERS * count, |number| {
        let (kind, graph) = non_grids::draw(&mut drawn(number << 8 | 0xff));
        let (taken, seconds) = timed(|| non_grids::is_taken_for_a_grid(&graph));
        if taken {
            eprintln!(
                "taken for a grid: {kind}, {} ranks, number {number}",
                graph.ranks()
            );
        }
        (taken, seconds)
    });
    println!("strangers {others}");
}

/// An open grid whose cells exchange messages with their neighbours along every dimension.
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
