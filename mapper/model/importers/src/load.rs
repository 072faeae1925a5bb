//! The importers that a program knows, and machines loaded with them.

use crate::named::{NamedMachine, named};
use crate::{ImportError, Importer, Source};
use rankfold_base::words::seems;
use rankfold_machine::{
    Description, Hardware, MachineError, file_of, load_with, read_machine_file,
};
use std::path::Path;

/// The importers that a program knows, as lists of several crates. A text that several recognise is
/// read by the first of them.
///
/// ```
/// use rankfold_importers::{IMPORTERS, Importers, Source};
///
/// let scotch = Importers(&[IMPORTERS]).named("scotch");
/// let source = Source { file: "target".into(), text: "torus2D 4 8".into() };
/// // The first size varies fastest in Scotch, the last one in a spec.
/// assert!(scotch.import(vec![source])?.to_string().contains("torus:8x4"));
/// # Ok::<(), rankfold_importers::ImportError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Importers(pub &'static [&'static [Importer]]);

impl Importers {
    /// All importers.
    pub fn iter(self) -> impl Iterator<Item = &'static Importer> {
        self.0.iter().copied().flatten()
    }

    /// The importer of a name.
    ///
    /// # Panics
    /// If no importer has this name.
    #[must_use]
    pub fn named(self, name: &str) -> &'static Importer {
        let found = self.iter().find(|kind| kind.name == name);
        found.expect("the name is one of the list")
    }

    /// The importer that recognises a text by its content; `None` if no importer does, as with a
    /// list of host names.
    #[must_use]
    pub fn kind_of(self, source: &Source) -> Option<&'static Importer> {
        self.iter().find(|kind| (kind.recognises)(source))
    }

    /// The network of a spec, a [named machine](crate::named), a machine file or a file that an
    /// importer knows, and the names, slots
    /// and insides of its nodes.
    ///
    /// # Errors
    /// As [`rankfold_machine::parse`]; the errors of an importer as [`MachineError::BadFile`].
    pub fn load(self, spec: &str) -> Result<Hardware, MachineError> {
        match named(spec) {
            Some(machine) => of_named(&machine),
            None => load_with(spec, |path| self.read(path, None)),
        }
    }

    /// As [`load`](Self::load), for a job on `hosts`: where a file describes several networks that
    /// nothing joins, the one that has the hosts of the job ([`Importer::import_part_of_job`]).
    ///
    /// # Errors
    /// As [`load`](Self::load), or the job is in several of the networks or in none of them.
    pub fn load_for_job(self, spec: &str, hosts: &[String]) -> Result<Hardware, MachineError> {
        match named(spec) {
            Some(machine) => of_named(&machine),
            None => load_with(spec, |path| self.read(path, Some(hosts))),
        }
    }

    /// What a machine file, a file that an importer knows or the file of a
    /// [named machine](crate::named) says, for a job on `hosts`.
    ///
    /// # Errors
    /// As [`load_for_job`](Self::load_for_job).
    pub fn describe(self, spec: &str, hosts: &[String]) -> Result<Description, MachineError> {
        if let Some(machine) = named(spec) {
            return machine.describe().map_err(|problem| bad(&machine, problem));
        }
        match self.recognised(spec) {
            Some((kind, source)) => kind
                .import_part_of_job(vec![source], hosts)
                .map_err(unreadable),
            None => Description::read(spec),
        }
    }

    /// Whether `spec` names a file of a kind that may describe several networks, of which the hosts
    /// of a job choose one.
    #[must_use]
    pub fn depends_on_job(self, spec: &str) -> bool {
        let found = self.recognised(file_of(spec));
        found.is_some_and(|(kind, _)| kind.depends_on_job())
    }

    /// Reads a machine file, or a file that an importer recognises by its content.
    fn read(self, path: &str, job: Option<&[String]>) -> Result<Hardware, MachineError> {
        let Some((kind, source)) = self.recognised(path) else {
            return match rankfold_base::files::read(path) {
                Ok(bytes) if !path.ends_with(".toml") && !is_like_toml(&bytes) => {
                    Err(MachineError::of_file(
                        path,
                        format!(
                            "nothing reads this file as a machine; it seems to be {}\nrankfold help machines lists what can be read",
                            seems(&bytes)
                        ),
                    ))
                }
                _ => read_machine_file(path),
            };
        };
        let description = match job {
            Some(hosts) => kind.import_part_of_job(vec![source], hosts),
            None => kind.import(vec![source]),
        };
        description.map_err(unreadable)?.build(path)
    }

    /// The importer that recognises a file by its content, and the file. Valid TOML is a machine
    /// file, even if a comment in it looks like the mark by which an importer recognises its
    /// files. None of these are valid TOML.
    fn recognised(self, path: &str) -> Option<(&'static Importer, Source)> {
        let source = Source::read(Path::new(path)).ok()?;
        let kind = self.kind_of(&source)?;
        let is_machine_file = source.text.parse::<toml::Table>().is_ok();
        (!is_machine_file).then_some((kind, source))
    }
}

/// Whether a text has a line that only a machine file has, so that its mistakes are those of one.
fn is_like_toml(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let keys = [
        "network",
        "hosts",
        "switches",
        "links",
        "slots",
        "[time]",
        "[[inside]]",
    ];
    text.lines().any(|line| {
        let key = line.split('=').next().unwrap_or_default().trim();
        keys.contains(&key)
    })
}

fn of_named(machine: &NamedMachine) -> Result<Hardware, MachineError> {
    let described = machine.describe().map_err(|problem| bad(machine, problem));
    described?.build(machine.name)
}

fn bad(machine: &NamedMachine, problem: String) -> MachineError {
    MachineError::of_file(machine.name, problem)
}

fn unreadable(error: ImportError) -> MachineError {
    MachineError::BadFile {
        file: error.file,
        line: error.line,
        problem: error.problem,
    }
}

#[cfg(test)]
mod tests {
    use crate::ALL;

    #[test]
    fn what_importers_know_by_its_content_needs_no_import() {
        let directory = tempfile::tempdir().unwrap();
        let machine = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            ALL.load(&path.to_string_lossy())
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
            "network = \"torus:2\"\nhosts = ['x', 'y'] # \"rackId\"{\n",
        );
        assert_eq!(marked.unwrap().names.unwrap(), ["x", "y"]);
    }

    #[test]
    fn what_nobody_reads_is_told_in_two_lines() {
        let directory = tempfile::tempdir().unwrap();
        let error = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            ALL.load(&path.to_string_lossy()).unwrap_err().to_string()
        };
        for (text, what) in [
            ("", "empty"),
            ("\u{7f}ELF", "a program; profile it first"),
            ("<project/>", "XML with the root <project>"),
            ("n0\nn1\n", "text whose first line is \"n0\""),
        ] {
            let message = error("site", text);
            assert!(
                message.contains(&format!("it seems to be {what}")),
                "{message}"
            );
            let second = message.lines().nth(1);
            assert_eq!(
                second,
                Some("rankfold help machines lists what can be read")
            );
        }
        let message = error("site", "network = \"torus:2\"\nhosts = [\n");
        assert!(message.contains("site:2"), "{message}");
    }

    #[test]
    fn of_islands_in_a_file_that_of_the_job_is_loaded_with_its_rules_of_routes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("topology.conf");
        let islands = "SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=m[0-2]\n";
        std::fs::write(&path, islands).unwrap();
        let path = path.to_string_lossy();
        let error = ALL.load(&path).unwrap_err().to_string();
        assert!(
            error.contains("no path joins a and b: give the hosts of the job"),
            "{error}"
        );
        for spec in [path.to_string(), format!("{path}/routes=spread")] {
            assert!(ALL.depends_on_job(&spec));
            let part = ALL.load_for_job(&spec, &["m1".to_owned()]).unwrap();
            assert_eq!(part.names.unwrap(), ["m0", "m1", "m2"]);
        }
        assert!(!ALL.depends_on_job("torus:4") && !ALL.depends_on_job("none.conf"));
    }

    #[test]
    fn rules_of_routes_may_follow_the_name_of_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("topology.conf");
        let text = "SwitchName=s Switches=a,b\nSwitchName=a Nodes=n0\nSwitchName=b Nodes=n1\n";
        std::fs::write(&path, text).unwrap();
        let path = path.to_string_lossy();
        let spread = ALL.load(&format!("{path}/routes=spread")).unwrap().topology;
        assert_eq!(spread.spec(), format!("{path}/routes=spread"));
        assert_eq!(spread.routing().to_string(), "spread");
        for (suffix, problem) in [
            ("ties=+", "ties: only a torus has half-way ties"),
            ("routes=all", "routes=all: allowed are static, spread"),
        ] {
            let error = ALL
                .load(&format!("{path}/{suffix}"))
                .unwrap_err()
                .to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
