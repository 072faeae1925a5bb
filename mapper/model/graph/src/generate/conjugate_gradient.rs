//! CG of the NAS Parallel Benchmarks: a sparse matrix in blocks of rows and columns.
//!
//! There are as many rows of ranks as columns, or half as many. A matrix-vector product sums its
//! result over the ranks of a row by exchanges at distances of powers of two. Then each rank swaps
//! the result with the rank at the transposed place. Scalar products are sums over a row as well.
//!
//! Source: `cg.f` of NPB 3.3 (MPI), `setup_submatrix_info` and `conj_grad`. This formula gives
//! all ranks the same number of rows. The program gives some ranks one more, where the number of
//! rows is not a multiple of the number of ranks.

use super::{DOUBLE, Entry, Generator, entry};

pub(super) const CG: Generator = Generator {
    name: "npb-cg",
    about: "NAS CG, class D (1500000 rows, 100 iterations), a power of two of ranks",
    make: |ranks| messages(ranks, 1_500_000, 100),
};

/// Products of the matrix with a vector in one outer iteration: 25 of the method, and the residual.
const PRODUCTS: usize = 26;
/// Sums of one number in one outer iteration, and of two numbers.
const SCALARS: usize = 52;

pub(super) fn messages(ranks: usize, rows: usize, iterations: usize) -> Result<Vec<Entry>, String> {
    if !ranks.is_power_of_two() {
        return Err("it runs on powers of two of ranks".into());
    }
    let down = 1 << (ranks.ilog2() / 2);
    let across = ranks / down;
    // With twice as many columns as rows, two neighbouring columns share a transposed place.
    let wide = across / down;
    // One outer iteration warms up.
    let outer = iterations + 1;
    let vector = rows / down * DOUBLE;
    let vectors = outer * PRODUCTS;
    let summed = vectors * vector + outer * (SCALARS + 2) * DOUBLE;
    let sums = vectors + outer * (SCALARS + 1);
    let mut entries = Vec::new();
    for rank in 0..ranks {
        let (row, column) = (rank / across, rank % across);
        let mut distance = 1;
        while distance < across {
            entries.push(entry(
                rank,
                row * across + (column ^ distance),
                summed,
                sums,
            ));
            distance *= 2;
        }
        let transposed = column / wide * across + row * wide + column % wide;
        entries.push(entry(rank, transposed, vectors * (vector / wide), vectors));
    }
    Ok(entries)
}
