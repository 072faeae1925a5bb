//! Reflected mixed-radix digits: a code in which a step of one changes exactly one digit, by one.
//!
//! This is the reflected Gray code with a radix of its own for every digit. The coordinates 0 to 11
//! with the radices 3 (fast digit) and 4 (slow digit):
//!
//! ```text
//! coordinate   0  1  2  3  4  5  6  7  8  9 10 11
//! fast digit   0  1  2  2  1  0  0  1  2  2  1  0
//! slow digit   0  0  0  1  1  1  2  2  2  3  3  3
//! ```

/// The digits of `value`, fastest digit first.
///
/// A digit counts backwards while the number formed by all slower digits is odd.
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

/// The number that (digit, radix) pairs stand for, finest pair first.
///
/// The number formed by the finer digits is mirrored while the digit above them is odd, so that
/// neighbours on the two sides of a change of that digit stay adjacent. This undoes [`split`].
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
