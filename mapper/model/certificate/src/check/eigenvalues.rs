//! Verifies approximate eigenvalues, and bounds a sum of products of them.
//!
//! With P = I - ee'/N, the matrix B is P X P plus the lift in every entry. B is rounded down to
//! whole numbers, which moves its eigenvalues by less than N. With Q the stated eigenvectors over
//! 2^28 and v the stated eigenvalues, the k-th eigenvalue of B differs from the k-th of v by at
//! most |v| times the norm of Q'Q - I (Ostrowski), plus the norm of B - Q diag(v) Q' (Weyl). Norms
//! are rounded up.

use super::super::{Eigenvalues, Refused};

/// Eigenvectors are multiplied by 2 to this power.
const FINE_VECTORS: u32 = 28;

/// Limits of the numbers of an eigenvalue's line, and of the lift.
const VALUE: i64 = 1 << 52;
const COORDINATE: i64 = 1 << 29;
const LIFT: i64 = 1 << 50;

/// A matrix, its stated eigenvalues, and the line where these begin.
pub(super) type Stated<'a> = (&'a [i64], &'a Eigenvalues, usize);

/// A number that the sum of products of the eigenvalues of two centred matrices is not below, in
/// the order in which it is least.
pub(super) fn least_product(
    one: Stated<'_>,
    other: Stated<'_>,
    slots: usize,
) -> Result<i128, Refused> {
    let (of_one, of_other) = (errors(one, slots)?, errors(other, slots)?);
    let ascending = other.1.values.iter().zip(&of_other).rev();
    let descending = one.1.values.iter().zip(&of_one);
    let terms = descending
        .zip(ascending)
        .map(|((&v, &off_v), (&w, &off_w))| {
            let (v, w) = (i128::from(v), i128::from(w));
            v * w - off_v * w.abs() - v.abs() * off_w - off_v * off_w
        });
    // The vector e has N times the lift for an eigenvalue.
    let lifts = i128::from(one.1.lift) * i128::from(other.1.lift) * (slots * slots) as i128;
    Ok(terms.sum::<i128>() - lifts)
}

/// For each stated eigenvalue, by how much the eigenvalue of its place may differ.
fn errors((matrix, stated, line): Stated<'_>, slots: usize) -> Result<Vec<i128>, Refused> {
    limits(stated, line)?;
    let fine = 1i128 << FINE_VECTORS;
    let unit = fine * fine;
    let vectors = &stated.vectors;
    let mut squares: u128 = 0;
    for a in 0..slots {
        for b in 0..=a {
            let product: i128 = vectors[a]
                .iter()
                .zip(&vectors[b])
                .map(|(x, y)| i128::from(x * y))
                .sum();
            let off = product - if a == b { unit } else { 0 };
            // Off by more than this, the vectors prove nothing, and squares could overflow.
            if off.unsigned_abs() > 1 << 48 {
                return Err(Refused::at(
                    line + a,
                    "the eigenvectors are not orthonormal",
                ));
            }
            squares += off.unsigned_abs().pow(2) * if a == b { 1 } else { 2 };
        }
    }
    let share = squares.isqrt() as i128 + 1;
    let left = residual(matrix, stated, slots, line)?;
    let of_value = |&value: &i64| {
        let scaled = share * i128::from(value).abs();
        scaled / unit + 1 + left
    };
    Ok(stated.values.iter().map(of_value).collect())
}

/// The norm of B - Q diag(v) Q', rounded up, with what rounding B has changed.
fn residual(
    matrix: &[i64],
    stated: &Eigenvalues,
    slots: usize,
    line: usize,
) -> Result<i128, Refused> {
    let (count, square) = (slots as i128, (slots * slots) as i128);
    let sums: Vec<i128> = matrix
        .chunks(slots)
        .map(|row| row.iter().map(|&entry| i128::from(entry)).sum())
        .collect();
    let all: i128 = sums.iter().sum();
    let unit = 1i128 << (2 * FINE_VECTORS);
    let mut squares: u128 = 0;
    for a in 0..slots {
        let scaled: Vec<i128> = (0..slots)
            .map(|k| i128::from(stated.vectors[k][a]) * i128::from(stated.values[k]))
            .collect();
        for b in 0..=a {
            let centred =
                square * i128::from(matrix[a * slots + b]) - count * (sums[a] + sums[b]) + all;
            let entry = centred.div_euclid(square) + i128::from(stated.lift);
            let made = scaled
                .iter()
                .zip(&stated.vectors)
                .map(|(x, vector)| x * i128::from(vector[b]));
            let off = unit * entry - made.sum::<i128>();
            let off = off.unsigned_abs().div_ceil(unit.unsigned_abs());
            if off > 1 << 44 {
                return Err(Refused::at(line, "these are not the eigenvalues"));
            }
            squares += off.pow(2) * if a == b { 1 } else { 2 };
        }
    }
    Ok(squares.isqrt() as i128 + 1 + count)
}

fn limits(stated: &Eigenvalues, line: usize) -> Result<(), Refused> {
    if !(-LIFT..LIFT).contains(&stated.lift) {
        return Err(Refused::at(line - 1, "the lift is too large"));
    }
    for (number, (value, vector)) in stated.values.iter().zip(&stated.vectors).enumerate() {
        let fits = |coordinate: &i64| (-COORDINATE..COORDINATE).contains(coordinate);
        if !(-VALUE..VALUE).contains(value) || !vector.iter().all(fits) {
            return Err(Refused::at(line + number, "a number is too large"));
        }
        if number > 0 && *value > stated.values[number - 1] {
            return Err(Refused::at(line + number, "the eigenvalues do not descend"));
        }
    }
    Ok(())
}
