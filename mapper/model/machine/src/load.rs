//! Loads a machine from the value of `--machine`: a spec of a family or a file.

use crate::description::Result;
use crate::description::machine_file;
use crate::network::families;
use crate::{FAMILIES, Hardware, MachineError, RoutingRules, Topology};
use rankfold_base::words::did_you_mean;
use std::path::Path;
use std::sync::Arc;

/// The topology of a spec or a machine file.
///
/// # Errors
/// [`MachineError::UnknownFamily`], [`MachineError::BadSpec`] or [`MachineError::BadFile`].
pub fn parse(spec: &str) -> Result<Arc<dyn Topology>> {
    Ok(load(spec)?.topology)
}

/// The network of a spec or a machine file, and the names, slots and insides of its nodes.
///
/// # Errors
/// As [`parse`].
pub fn load(spec: &str) -> Result<Hardware> {
    load_with(spec, machine_file::read)
}

/// As [`load`], with files read by `read`.
///
/// # Errors
/// As [`parse`], and those of `read`.
pub fn load_with(spec: &str, read: impl FnOnce(&str) -> Result<Hardware>) -> Result<Hardware> {
    if let Some((family, member)) = families::member(spec) {
        return member
            .map(Hardware::from)
            .map_err(|problem| MachineError::BadSpec {
                spec: spec.into(),
                problem,
                grammar: family.grammar,
            });
    }
    if spec.ends_with(".toml") || Path::new(spec).is_file() {
        return read(spec);
    }
    if let Some((path, rules)) = ruled(spec)? {
        let mut hardware = read(path)?;
        if let Some(described) = &mut hardware.described {
            Arc::make_mut(described).set_rules(rules.clone());
        }
        let set = families::set_rules(&mut hardware.topology, rules);
        return set
            .map(|()| hardware)
            .map_err(|problem| bad_rules(path, problem));
    }
    let typed = spec.split(':').next().unwrap_or(spec);
    let names = FAMILIES.iter().map(|family| family.name);
    let meant = did_you_mean(typed, names.clone());
    Err(MachineError::UnknownFamily {
        spec: spec.into(),
        meant: match &*meant {
            "" => format!("; known are {}", names.collect::<Vec<_>>().join(", ")),
            _ => meant,
        },
    })
}

/// The path of the file that a spec names, without the rules of routes behind it.
#[must_use]
pub fn file_of(spec: &str) -> &str {
    match ruled(spec) {
        Ok(Some((path, _))) => path,
        _ => spec,
    }
}

/// A path with the rules of routes behind it, as in `site.toml/routes=spread`.
fn ruled(spec: &str) -> Result<Option<(&str, RoutingRules)>> {
    let (path, rules) = RoutingRules::split(spec).map_err(|problem| bad_rules(spec, problem))?;
    let is_file = path.len() < spec.len() && Path::new(path).is_file();
    Ok(is_file.then_some((path, rules)))
}

fn bad_rules(file: &str, problem: String) -> MachineError {
    MachineError::of_file(file, problem)
}
