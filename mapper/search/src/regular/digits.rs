//! Reflected mixed-radix digits: codes in which one step changes one digit by one.
//!
//! A coordinate 0..12 with radices 3 and 4, the fast one first:
//!
//! ```text
//! coordinate   0  1  2  3  4  5  6  7  8  9 10 11
//! fast digit   0  1  2  2  1  0  0  1  2  2  1  0
//! slow digit   0  0  0  1  1  1  2  2  2  3  3  3
//! ```

/// Digits of `value`, fastest first: a digit runs backwards while the number above it is odd.
pub(super) fn split(
    value: usize,
    radices: impl Iterator<Item = usize>,
) -> impl Iterator<Item = usize> {
    let mut rest = value;
    radices.map(move |radix| {
        let digit = rest % radix;
        rest /= radix;
        if rest.is_multiple_of(2) {
            digit
        } else {
            radix - 1 - digit
        }
    })
}

/// The inverse stacking: (digit, radix) pairs, finest first; the lower part is mirrored while the
/// digit above it is odd, so that neighbours across a seam meet.
pub(super) fn stack(digits: impl Iterator<Item = (usize, usize)>) -> usize {
    let (mut value, mut size) = (0, 1);
    for (digit, radix) in digits {
        let low = if digit.is_multiple_of(2) {
            value
        } else {
            size - 1 - value
        };
        value = digit * size + low;
        size *= radix;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_step_changes_one_digit_by_one() {
        let radices = [3, 2, 4];
        let code = |v| split(v, radices.into_iter()).collect::<Vec<_>>();
        for v in 0..23 {
            let (a, b) = (code(v), code(v + 1));
            let change: usize = a.iter().zip(&b).map(|(x, y)| x.abs_diff(*y)).sum();
            assert_eq!(change, 1, "{v}: {a:?} {b:?}");
        }
    }

    #[test]
    fn stacking_undoes_splitting() {
        for v in 0..24 {
            let radices = [2, 4, 3];
            let digits = split(v, radices.into_iter());
            assert_eq!(stack(digits.zip(radices)), v);
        }
    }
}
