//! Loads a machine from the value of `--machine`: a spec of a family, a machine file, or a file
//! that an importer knows.

use super::description::machine_file;
use super::import::{Source, kind_of};
use super::network::families;
use super::{FAMILIES, Hardware, MachineError, RoutingRules, Topology};
use crate::words::did_you_mean;
use std::path::Path;
use std::sync::Arc;

/// The topology of a spec or a machine file.
///
/// # Errors
/// [`MachineError::UnknownFamily`], [`MachineError::BadSpec`] or [`MachineError::BadFile`].
pub fn parse(spec: &str) -> Result<Arc<dyn Topology>, MachineError> {
    Ok(load(spec)?.topology)
}

/// The network of a spec or a machine file, and the names, slots and insides of its nodes.
///
/// # Errors
/// As [`parse`].
pub fn load(spec: &str) -> Result<Hardware, MachineError> {
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
        let set = families::set_rules(&mut hardware.topology, rules);
        return set
            .map(|()| hardware)
            .map_err(|problem| bad_rules(path, problem));
    }
    let known: Vec<&str> = FAMILIES.iter().map(|f| f.grammar).collect();
    let typed = spec.split(':').next().unwrap_or(spec);
    Err(MachineError::UnknownFamily {
        spec: spec.into(),
        meant: did_you_mean(typed, FAMILIES.iter().map(|family| family.name)),
        known: known.join("  "),
    })
}

/// A path with the rules of routes behind it, as in `site.toml/routes=spread`.
fn ruled(spec: &str) -> Result<Option<(&str, RoutingRules)>, MachineError> {
    let (path, rules) = RoutingRules::split(spec).map_err(|problem| bad_rules(spec, problem))?;
    let is_file = path.len() < spec.len() && Path::new(path).is_file();
    Ok(is_file.then_some((path, rules)))
}

fn bad_rules(file: &str, problem: String) -> MachineError {
    MachineError::BadFile {
        file: file.into(),
        line: None,
        problem,
    }
}

/// Reads a machine file, or a file that an importer recognises by its content.
fn read(path: &str) -> Result<Hardware, MachineError> {
    let source = Source::read(Path::new(path)).ok();
    let Some((kind, source)) = source.and_then(|source| Some((kind_of(&source)?, source))) else {
        return machine_file::read(path);
    };
    let description = kind
        .import(vec![source])
        .map_err(|error| MachineError::BadFile {
            file: error.file,
            line: error.line,
            problem: error.problem,
        })?;
    description.build(path)
}

#[cfg(test)]
mod tests {
    use super::load;

    #[test]
    fn what_importers_know_by_its_content_needs_no_import() {
        let directory = tempfile::tempdir().unwrap();
        let machine = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            load(&path.to_string_lossy())
        };
        let leaves = |a: &str, b: &str| {
            format!("SwitchName=s Switches={a},{b}\nSwitchName=a Nodes=n0\nSwitchName=b Nodes=n1\n")
        };
        let slurm = machine("topology.conf", &leaves("a", "b")).unwrap();
        assert_eq!(slurm.names.unwrap(), ["n0", "n1"]);
        let error = machine("topology.conf", &leaves("a", "c")).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("topology.conf:1: there is no switch named c"),
            "{error}"
        );
        let graph = r#"{"instances": [{"id": "i", "network_layers": ["l"]}]}"#;
        assert_eq!(machine("t.json", graph).unwrap().names.unwrap(), ["i"]);
        let own = machine(
            "site.toml",
            "network = \"torus:2\"\nhosts = [\"x\", \"y\"]\n",
        );
        assert_eq!(own.unwrap().names.unwrap(), ["x", "y"]);
    }

    #[test]
    fn rules_of_routes_may_follow_the_name_of_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("topology.conf");
        let text = "SwitchName=s Switches=a,b\nSwitchName=a Nodes=n0\nSwitchName=b Nodes=n1\n";
        std::fs::write(&path, text).unwrap();
        let path = path.to_string_lossy();
        let spread = load(&format!("{path}/routes=spread")).unwrap().topology;
        assert_eq!(spread.spec(), format!("{path}/routes=spread"));
        assert_eq!(spread.routing().to_string(), "spread");
        for (suffix, problem) in [
            ("ties=+", "ties: only a torus has half-way ties"),
            ("routes=all", "routes=all: allowed are static, spread"),
        ] {
            let error = load(&format!("{path}/{suffix}")).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
