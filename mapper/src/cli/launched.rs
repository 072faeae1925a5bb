//! Where the launcher put the ranks of a profiled run.

use crate::error::Error;
use rankfold_base::{NodeId, Placement};
use rankfold_graph::CommError;
use rankfold_machine::Machine;
use rankfold_wire::Profile;
use std::collections::HashMap;
use std::path::Path;

/// Reads what a profile holds besides its matrix; `None` if the file is no profile.
///
/// # Errors
/// The file cannot be read, or is damaged.
pub fn profile(path: &Path) -> Result<Option<Profile>, Error> {
    if path.extension().is_none_or(|ending| ending != "rfp") {
        return Ok(None);
    }
    let read = Profile::read_rows(path, |_| ());
    Ok(Some(read.map_err(CommError::from)?))
}

/// The placement of the ranks on these hosts, one for each rank; `None` unless the machine has all
/// of them, with room for their ranks.
#[must_use]
pub fn placement(hosts: &[String], machine: &Machine) -> Option<Placement> {
    let names = machine.hosts()?;
    let number: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
    let nodes = hosts.iter().map(|host| {
        let node = number.get(host.as_str()).copied();
        node.map(NodeId::at)
    });
    let nodes: Vec<_> = nodes.collect::<Option<_>>()?;
    (!nodes.is_empty()).then(|| Placement::from_nodes(&nodes, machine.slots()))?
}
