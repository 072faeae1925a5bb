//! The grammar of machine specs, `family:parameters[@speeds]`: the type of a family, and readers of
//! parameters that several families share.

use super::Topology;
use super::speed::Speeds;
use std::sync::Arc;

/// A family of topologies. [`FAMILIES`](super::FAMILIES) lists all of them.
pub struct Family {
    /// The name before the colon of a spec.
    pub name: &'static str,
    /// The grammar of a spec, for help and error messages.
    pub grammar: &'static str,
    /// Builds a member from the text behind the colon. The error is a message that says what is
    /// wrong.
    pub build: fn(&str) -> Result<FamilyMember, String>,
}

/// One network of a family.
#[derive(Clone, Debug)]
pub struct FamilyMember {
    /// The network.
    pub topology: Arc<dyn Topology>,
    /// Slots of every node, if the spec names a file that lists them.
    pub capacities: Option<Vec<u32>>,
}

impl<T: Topology + 'static> From<T> for FamilyMember {
    fn from(topology: T) -> Self {
        Self {
            topology: Arc::new(topology),
            capacities: None,
        }
    }
}

/// Limit on the number of nodes, so that numbers of channels (two for each node and dimension) fit
/// 32 bits.
const MOST_NODES: usize = 1 << 24;
/// Limit on the length of a list of numbers. Chosen by hand.
const MOST_SIZES: usize = 32;

/// Splits `8x8x16@1,2` into sizes and the speeds of the links along each dimension, if given.
pub(crate) fn sizes_and_speeds(text: &str) -> Result<(Vec<usize>, Option<Speeds>), String> {
    let (sizes, speeds) = Speeds::split(text)?;
    let sizes = list(sizes, 'x', "size")?;
    product(&sizes, "nodes")?;
    let speeds = speeds.map(|speeds| speeds.of_sizes(sizes.len()));
    Ok((sizes, speeds.transpose()?))
}

/// Splits `4,8@2,1` into the text before the `@` and the speeds of the kinds of links. Without
/// speeds in the text, the links have the `usual` relative bandwidths.
pub(crate) fn speeds<'a>(
    text: &'a str,
    kinds: &[&str],
    usual: &[f64],
) -> Result<(&'a str, Speeds), String> {
    let (rest, given) = Speeds::split(text)?;
    match given {
        Some(speeds) => Ok((rest, speeds.of_kinds(kinds)?)),
        None => Ok((rest, Speeds::relative(usual))),
    }
}

/// The product of some sizes; an error if it is too large. `what` names what the product counts.
///
/// # Errors
/// A message that says what is too large.
pub fn product(sizes: &[usize], what: &str) -> Result<usize, String> {
    sizes
        .iter()
        .try_fold(1usize, |n, &s| {
            n.checked_mul(s).filter(|&n| n <= MOST_NODES)
        })
        .ok_or_else(|| format!("the sizes multiply to more than 2^24 {what}"))
}

/// Reads a list of positive integers. `what` names one of them in error messages.
///
/// # Errors
/// A message that names the number at fault.
pub fn list(text: &str, separator: char, what: &str) -> Result<Vec<usize>, String> {
    let read = |t: &str| {
        t.parse()
            .map_err(|_| format!("{what} {t:?} is not a number"))
    };
    let values: Vec<usize> = text.split(separator).map(read).collect::<Result<_, _>>()?;
    if values.len() > MOST_SIZES {
        return Err(format!("more than {MOST_SIZES} numbers"));
    }
    if values.contains(&0) {
        return Err(format!("{what} 0: every {what} must be at least 1"));
    }
    Ok(values)
}
