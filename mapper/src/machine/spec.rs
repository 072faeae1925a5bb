//! The grammar of machine specs: `family:parameters[@bandwidths]`, and the list of families.

use super::{MachineError, Topology, file, grid, xgft};

/// A family of topologies.
pub struct Family {
    /// What stands before the colon.
    pub name: &'static str,
    /// The whole grammar, for help and errors.
    pub grammar: &'static str,
    /// Builds a member from what follows the colon; the error says what is wrong.
    pub build: fn(&str) -> Result<Box<dyn Topology>, String>,
}

/// Every family there is.
pub const FAMILIES: &[Family] = &[
    grid::TORUS,
    grid::MESH,
    xgft::TREE,
    xgft::XGFT,
    xgft::FATTREE,
    file::FILE,
];

/// Builds the topology a spec names.
///
/// # Errors
/// [`MachineError::UnknownFamily`] or [`MachineError::BadSpec`].
pub fn parse(spec: &str) -> Result<Box<dyn Topology>, MachineError> {
    let (name, parameters) = spec.split_once(':').unwrap_or((spec, ""));
    let Some(family) = FAMILIES.iter().find(|f| f.name == name) else {
        return Err(MachineError::UnknownFamily {
            spec: spec.into(),
            known: FAMILIES
                .iter()
                .map(|f| f.grammar)
                .collect::<Vec<_>>()
                .join("  "),
        });
    };
    (family.build)(parameters).map_err(|problem| MachineError::BadSpec {
        spec: spec.into(),
        problem,
        grammar: family.grammar,
    })
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
    let nodes = sizes.iter().try_fold(1usize, |n, &s| {
        n.checked_mul(s).filter(|&n| n <= MOST_NODES)
    });
    if nodes.is_none() {
        return Err("the sizes multiply to more than 2^24 nodes".into());
    }
    let Some(bandwidths) = bandwidths else {
        return Ok((sizes, None));
    };
    let bandwidths: Vec<f64> = numbers(bandwidths, ',', "bandwidth")?;
    if bandwidths.len() != sizes.len() {
        return Err(format!(
            "{} bandwidths for {} sizes: give one each",
            bandwidths.len(),
            sizes.len()
        ));
    }
    match bandwidths.iter().find(|b| !(b.is_finite() && **b > 0.0)) {
        Some(b) => Err(format!("bandwidth {b} is not positive")),
        None => Ok((sizes, Some(bandwidths))),
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
