//! Hydra, the launcher MPICH and its descendants share: they differ in name, version text and options alone.

use crate::launch::{Given, Known, Launcher, Options, Placing, Role};
use crate::placement::Plan;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

/// A launcher built on Hydra.
pub(super) struct Hydra {
    pub(super) name: &'static str,
    /// Whether what it prints for `--version` is this one's.
    pub(super) recognises: fn(&str) -> bool,
    pub(super) options: &'static [Known],
    /// The option whose file names hosts in the order of the ranks.
    pub(super) machine_file: &'static str,
}

impl Launcher for Hydra {
    fn name(&self) -> &'static str {
        self.name
    }

    fn recognises(&self, version: &str) -> bool {
        (self.recognises)(version)
    }

    fn options(&self) -> &'static [Known] {
        self.options
    }

    /// `-genv NAME VALUE` for every variable.
    fn export(&self, options: &mut Options, variables: &[(&str, OsString)]) -> Vec<OsString> {
        options.take(|given| variables.iter().any(|(name, _)| exports(given, name)));
        variables
            .iter()
            .flat_map(|(name, value)| ["-genv".into(), name.into(), value.clone()])
            .collect()
    }

    /// The value in `-genv LD_PRELOAD VALUE`.
    fn preloaded(&self, options: &Options) -> Option<String> {
        options.last(|given| exports(given, "LD_PRELOAD"))?.value(1)
    }

    /// A machine file with a line `host:count` for every run of consecutive ranks on one host.
    fn place(&self, options: &mut Options, plan: &Plan, file: &Path) -> Placing {
        let replaced = options.take(|given| matches!(given.role, Role::Mapping | Role::Hosts));
        let mut text = String::new();
        for run in plan.hosts.chunk_by(|a, b| a == b) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}:{}", run[0], run.len());
        }
        Placing {
            words: vec![self.machine_file.into(), file.into()],
            files: vec![(file.to_owned(), text)],
            replaced: replaced.iter().map(Given::text).collect(),
        }
    }
}

/// Whether the option is `-genv NAME VALUE` or `-env NAME VALUE`.
fn exports(given: &Given, name: &str) -> bool {
    given.role == Role::Export && given.value(0).as_deref() == Some(name)
}
