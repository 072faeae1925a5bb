//! The grammar of machine specs, `family:parameters[@bandwidths]`: what families are made of.

use super::Hardware;
use crate::words::counted;

/// A family of topologies, as [`FAMILIES`](super::FAMILIES) lists them.
pub struct Family {
    /// What stands before the colon.
    pub name: &'static str,
    /// The whole grammar, for help and errors.
    pub grammar: &'static str,
    /// Builds a member from what follows the colon; the error says what is wrong.
    pub build: fn(&str) -> Result<Hardware, String>,
}

/// No machine is larger; it keeps channels, two a node and dimension, within 32 bits.
const MOST_NODES: usize = 1 << 24;
const MOST_SIZES: usize = 32;

/// Splits `8x8x16@1,2` into sizes and bandwidths.
pub(super) fn sizes_and_bandwidths(text: &str) -> Result<(Vec<usize>, Option<Vec<f64>>), String> {
    let (sizes, bandwidths) = match text.split_once('@') {
        Some((sizes, bandwidths)) => (sizes, Some(bandwidths)),
        None => (text, None),
    };
    let sizes = list(sizes, 'x', "size")?;
    product(&sizes, "nodes")?;
    let Some(bandwidths) = bandwidths else {
        return Ok((sizes, None));
    };
    let bandwidths = positive(bandwidths)?;
    if bandwidths.len() != sizes.len() {
        return Err(format!(
            "{} for {}: give one each",
            counted(bandwidths.len(), "bandwidth"),
            counted(sizes.len(), "size")
        ));
    }
    Ok((sizes, Some(bandwidths)))
}

/// Splits `4,8@2,1` and reads the bandwidths: those given, or else the usual ones.
pub(super) fn bandwidths<const N: usize>(
    text: &str,
    usual: [f64; N],
) -> Result<(&str, [f64; N]), String> {
    let Some((sizes, given)) = text.split_once('@') else {
        return Ok((text, usual));
    };
    let given = positive(given)?;
    let count = given.len();
    match given.try_into() {
        Ok(bandwidths) => Ok((sizes, bandwidths)),
        Err(_) => Err(format!(
            "{} where {N} are needed",
            counted(count, "bandwidth")
        )),
    }
}

/// The product of some sizes, if it is not too large a number of `what`.
pub(super) fn product(sizes: &[usize], what: &str) -> Result<usize, String> {
    sizes
        .iter()
        .try_fold(1usize, |n, &s| {
            n.checked_mul(s).filter(|&n| n <= MOST_NODES)
        })
        .ok_or_else(|| format!("the sizes multiply to more than 2^24 {what}"))
}

/// Bandwidths joined by commas.
fn positive(text: &str) -> Result<Vec<f64>, String> {
    let bandwidths: Vec<f64> = numbers(text, ',', "bandwidth")?;
    match bandwidths.iter().find(|b| !(b.is_finite() && **b > 0.0)) {
        Some(b) => Err(format!("bandwidth {b} is not positive")),
        None => Ok(bandwidths),
    }
}

/// Positive whole numbers joined by `separator`.
pub(super) fn list(text: &str, separator: char, what: &str) -> Result<Vec<usize>, String> {
    let values = numbers(text, separator, what)?;
    if values.len() > MOST_SIZES {
        return Err(format!("more than {MOST_SIZES} numbers"));
    }
    if values.contains(&0) {
        return Err(format!("{what} 0: every {what} must be at least 1"));
    }
    Ok(values)
}

fn numbers<T: std::str::FromStr>(
    text: &str,
    separator: char,
    what: &str,
) -> Result<Vec<T>, String> {
    text.split(separator)
        .map(|t| {
            t.parse()
                .map_err(|_| format!("{what} {t:?} is not a number"))
        })
        .collect()
}
