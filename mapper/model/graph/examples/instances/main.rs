//! Writes a large irregular communication matrix, made by formula. The output is in Matrix Market
//! form, or a profile if a file is named.
//!
//! ```text
//! cargo run --release -p rankfold-model --example instances -- flat 65536 1 > flat.mtx
//! cargo run --release -p rankfold-model --example instances -- flat 65536 1 flat.rfp
//! ```
//!
//! The same kind, number of ranks and seed give the same bytes. Ranks are numbered at random, so
//! that the numbering gives no information.

mod bodies;
mod neighbours;
mod power_law;
mod profile;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Ranks `.0` and `.1` send each other `.2` bytes.
type Pair = (u32, u32, u64);

/// The name of a kind, and the function that makes its pairs for a number of ranks.
type Kind = (
    &'static str,
    fn(usize, &mut Xoshiro256PlusPlus) -> Vec<Pair>,
);

const KINDS: &[Kind] = &[
    ("geometric", bodies::geometric),
    ("graded", bodies::graded),
    ("flat", bodies::flat),
    ("aircraft", bodies::aircraft),
    ("powerlaw", power_law::pairs),
];

/// Makes the pairs of a graph with this number of ranks.
type Make = fn(usize, &mut Xoshiro256PlusPlus) -> Vec<Pair>;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((make, ranks, seed, file)) = parse(&arguments) else {
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.0).collect();
        eprintln!(
            "usage: instances {} RANKS [SEED [FILE.rfp]] > FILE.mtx",
            names.join("|")
        );
        std::process::exit(2);
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut pairs = make(ranks, &mut random);
    renumber(&mut pairs, ranks, &mut random);
    match file {
        Some(file) => profile::write(&pairs, ranks, file),
        None => write(&pairs, ranks),
    }
}

fn parse(arguments: &[String]) -> Option<(Make, usize, u64, Option<&Path>)> {
    let (name, ranks, seed, file) = match arguments {
        [name, ranks] => (name, ranks, "1", None),
        [name, ranks, seed] => (name, ranks, seed.as_str(), None),
        [name, ranks, seed, file] => (name, ranks, seed.as_str(), Some(Path::new(file))),
        _ => return None,
    };
    let kind = KINDS.iter().find(|kind| kind.0 == name)?;
    let ranks = ranks
        .parse()
        .ok()
        .filter(|ranks| (2..=1 << 28).contains(ranks))?;
    Some((kind.1, ranks, seed.parse().ok()?, file))
}

fn renumber(pairs: &mut [Pair], ranks: usize, random: &mut Xoshiro256PlusPlus) {
    let mut number: Vec<u32> = (0..ranks as u32).collect();
    for last in (1..ranks).rev() {
        number.swap(last, random.random_range(0..=last));
    }
    for (a, b, _) in pairs.iter_mut() {
        (*a, *b) = (number[*a as usize], number[*b as usize]);
    }
    pairs.sort_unstable();
}

/// Writes both directions of every pair, so that readers need not support symmetric matrices.
fn write(pairs: &[Pair], ranks: usize) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "%%MatrixMarket matrix coordinate integer general")?;
    writeln!(out, "{ranks} {ranks} {}", 2 * pairs.len())?;
    for (a, b, bytes) in pairs {
        writeln!(
            out,
            "{} {} {bytes}\n{} {} {bytes}",
            a + 1,
            b + 1,
            b + 1,
            a + 1
        )?;
    }
    out.flush()
}
