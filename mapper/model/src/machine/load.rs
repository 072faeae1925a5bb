//! Machines by what `--machine` says: a spec of a family, or a machine file.

use super::{FAMILIES, Hardware, MachineError, Topology, description, families};
use std::path::Path;
use std::sync::Arc;

/// Builds the topology a spec names; a spec of no family may be a machine file.
///
/// # Errors
/// [`MachineError::UnknownFamily`], [`MachineError::BadSpec`] or [`MachineError::BadFile`].
pub fn parse(spec: &str) -> Result<Arc<dyn Topology>, MachineError> {
    Ok(load(spec)?.topology)
}

/// Builds what a spec or machine file describes: the network, and the names, slots and insides of its nodes.
///
/// # Errors
/// As [`parse`].
pub fn load(spec: &str) -> Result<Hardware, MachineError> {
    if let Some(member) = families::member(spec) {
        return member;
    }
    if spec.ends_with(".toml") || Path::new(spec).is_file() {
        return description::read(spec);
    }
    let known: Vec<&str> = FAMILIES.iter().map(|f| f.grammar).collect();
    Err(MachineError::UnknownFamily {
        spec: spec.into(),
        known: known.join("  "),
    })
}
