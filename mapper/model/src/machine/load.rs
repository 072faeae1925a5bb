//! Loads a machine from the value of `--machine`: a spec of a family, a machine file, or a file
//! that an importer knows.

use super::description::machine_file;
use super::import::{Importer, Source, kind_of};
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
    load_part(spec, None)
}

/// As [`load`], for a job on `hosts`: where a file describes several networks that nothing joins,
/// the one that has the hosts of the job ([`Importer::import_part_of_job`]).
///
/// [`Importer::import_part_of_job`]: super::import::Importer::import_part_of_job
///
/// # Errors
/// As [`parse`], or the job is in several of the networks or in none of them.
pub fn load_for_job(spec: &str, hosts: &[String]) -> Result<Hardware, MachineError> {
    load_part(spec, Some(hosts))
}

/// Whether `spec` names a file of a kind that may describe several networks, of which the hosts of
/// a job choose one.
#[must_use]
pub fn depends_on_job(spec: &str) -> bool {
    let path = match ruled(spec) {
        Ok(Some((path, _))) => path,
        _ => spec,
    };
    recognised(path).is_some_and(|(kind, _)| kind.depends_on_job())
}

/// The network of a spec or a file; with the hosts of a job, the part of the file that has them.
fn load_part(spec: &str, job: Option<&[String]>) -> Result<Hardware, MachineError> {
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
        return read(spec, job);
    }
    if let Some((path, rules)) = ruled(spec)? {
        let mut hardware = read(path, job)?;
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
fn read(path: &str, job: Option<&[String]>) -> Result<Hardware, MachineError> {
    let Some((kind, source)) = recognised(path) else {
        return machine_file::read(path);
    };
    let description = match job {
        Some(hosts) => kind.import_part_of_job(vec![source], hosts),
        None => kind.import(vec![source]),
    };
    let description = description.map_err(|error| MachineError::BadFile {
        file: error.file,
        line: error.line,
        problem: error.problem,
    })?;
    description.build(path)
}

/// The importer that recognises a file by its content, and the file. Valid TOML is a machine file,
/// even if a host name in it looks like the mark by which an importer recognises its files. None of
/// these are valid TOML.
fn recognised(path: &str) -> Option<(&'static Importer, Source)> {
    let source = Source::read(Path::new(path)).ok()?;
    let kind = kind_of(&source)?;
    let is_machine_file = source.text.parse::<toml::Table>().is_ok();
    (!is_machine_file).then_some((kind, source))
}

#[cfg(test)]
mod tests {
    use super::{depends_on_job, load, load_for_job};

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
        let marked = machine(
            "site.toml",
            "network = \"torus:2\"\nhosts = ['a\"rackId\"{', 'y']\n",
        );
        assert_eq!(marked.unwrap().names.unwrap(), ["a\"rackId\"{", "y"]);
    }

    #[test]
    fn of_islands_in_a_file_that_of_the_job_is_loaded_with_its_rules_of_routes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("topology.conf");
        let islands = "SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=m[0-2]\n";
        std::fs::write(&path, islands).unwrap();
        let path = path.to_string_lossy();
        let error = load(&path).unwrap_err().to_string();
        assert!(
            error.contains("no path joins a and b: give the hosts of the job"),
            "{error}"
        );
        for spec in [path.to_string(), format!("{path}/routes=spread")] {
            assert!(depends_on_job(&spec));
            let part = load_for_job(&spec, &["m1".to_owned()]).unwrap();
            assert_eq!(part.names.unwrap(), ["m0", "m1", "m2"]);
        }
        assert!(!depends_on_job("torus:4") && !depends_on_job("none.conf"));
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
