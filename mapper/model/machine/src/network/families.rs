//! The list of families, and the family that a spec names.

use super::grammar::{Family, FamilyMember};
use super::rules::RoutingRules;
use super::{Topology, dragonfly, graph_file, grid_network, ibcore, percs, tianhe3, xgft};
use std::sync::Arc;

/// All families of networks.
pub const FAMILIES: &[Family] = &[
    grid_network::TORUS,
    grid_network::MESH,
    grid_network::HYPERCUBE,
    xgft::TREE,
    xgft::HIERARCHY,
    xgft::XGFT,
    xgft::FATTREE,
    xgft::RAILS,
    ibcore::IBCORE,
    dragonfly::DRAGONFLY,
    percs::PERCS,
    tianhe3::TIANHE3,
    graph_file::FILE,
];

/// The family that a spec names, and the parameters behind the colon; `None` if the spec names no
/// family.
pub(crate) fn family(spec: &str) -> Option<(&'static Family, &str)> {
    let (name, parameters) = spec.split_once(':').unwrap_or((spec, ""));
    let family = FAMILIES.iter().find(|f| f.name == name)?;
    Some((family, parameters))
}

/// The network of a spec, with the rules of its suffix; `None` if the spec names no family. The
/// error is a message that says what is wrong.
pub(crate) fn member(spec: &str) -> Option<(&'static Family, Result<FamilyMember, String>)> {
    let (family, _) = family(spec)?;
    let built = RoutingRules::split(spec).and_then(|(base, rules)| {
        let parameters = base
            .split_once(':')
            .map_or("", |(_, parameters)| parameters);
        let mut member = (family.build)(parameters)?;
        set_rules(&mut member.topology, rules)?;
        Ok(member)
    });
    Some((family, built))
}

/// Sets the rules of a network that was just built.
pub(crate) fn set_rules(
    topology: &mut Arc<dyn Topology>,
    rules: RoutingRules,
) -> Result<(), String> {
    if rules.is_empty() {
        return Ok(());
    }
    Arc::get_mut(topology)
        .expect("nobody else has a network that was just built")
        .set_rules(rules)
}

/// The network that `network = "SPEC"` in a machine file names. Specs of the family `file` are not
/// allowed there.
///
/// # Errors
/// A message that says what is wrong.
pub fn network(spec: &str) -> Result<Arc<dyn Topology>, String> {
    match member(spec).filter(|(family, _)| family.name != graph_file::FILE.name) {
        Some((family, built)) => built
            .map(|member| member.topology)
            .map_err(|problem| format!("{problem} (expected {})", family.grammar)),
        None => Err(format!(
            "{spec:?} is no spec of a machine such as torus:4x4"
        )),
    }
}
