//! The list of families, and what a spec names of it.

use super::grammar::Family;
use super::{
    Hardware, MachineError, Topology, dragonfly, file, grid_network, ibcore, percs, tianhe3, xgft,
};
use std::sync::Arc;

/// Every family there is.
pub const FAMILIES: &[Family] = &[
    grid_network::TORUS,
    grid_network::MESH,
    grid_network::HYPERCUBE,
    xgft::TREE,
    xgft::XGFT,
    xgft::FATTREE,
    ibcore::IBCORE,
    dragonfly::DRAGONFLY,
    percs::PERCS,
    tianhe3::TIANHE3,
    file::FILE,
];

/// The family a spec names, and the parameters it gives it.
fn family(spec: &str) -> Option<(&'static Family, &str)> {
    let (name, parameters) = spec.split_once(':').unwrap_or((spec, ""));
    let family = FAMILIES.iter().find(|f| f.name == name)?;
    Some((family, parameters))
}

/// The member of a family that a spec names; `None` if it names no family.
pub(super) fn member(spec: &str) -> Option<Result<Hardware, MachineError>> {
    let (family, parameters) = family(spec)?;
    let member = (family.build)(parameters).map_err(|problem| MachineError::BadSpec {
        spec: spec.into(),
        problem,
        grammar: family.grammar,
    });
    Some(member)
}

/// The network that `network = "SPEC"` in a machine file names; specs of the family `file` are
/// refused there. The error says what is wrong.
pub(super) fn network(spec: &str) -> Result<Arc<dyn Topology>, String> {
    match family(spec).filter(|(family, _)| family.name != file::FILE.name) {
        Some((family, parameters)) => (family.build)(parameters)
            .map(|hardware| hardware.topology)
            .map_err(|problem| format!("{problem} (expected {})", family.grammar)),
        None => Err(format!(
            "{spec:?} is no spec of a machine such as torus:4x4"
        )),
    }
}
