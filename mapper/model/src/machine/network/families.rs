//! The list of families, and the family that a spec names.

use super::grammar::Family;
use super::{Topology, dragonfly, graph_file, grid_network, ibcore, percs, tianhe3, xgft};
use std::sync::Arc;

/// All families of networks.
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
    graph_file::FILE,
];

/// The family that a spec names, and the parameters behind the colon; `None` if the spec names no
/// family.
pub(in crate::machine) fn family(spec: &str) -> Option<(&'static Family, &str)> {
    let (name, parameters) = spec.split_once(':').unwrap_or((spec, ""));
    let family = FAMILIES.iter().find(|f| f.name == name)?;
    Some((family, parameters))
}

/// The network that `network = "SPEC"` in a machine file names. Specs of the family `file` are not
/// allowed there. The error is a message that says what is wrong.
pub(in crate::machine) fn network(spec: &str) -> Result<Arc<dyn Topology>, String> {
    match family(spec).filter(|(family, _)| family.name != graph_file::FILE.name) {
        Some((family, parameters)) => (family.build)(parameters)
            .map(|member| member.topology)
            .map_err(|problem| format!("{problem} (expected {})", family.grammar)),
        None => Err(format!(
            "{spec:?} is no spec of a machine such as torus:4x4"
        )),
    }
}
