//! MPICH's `mpiexec` (Hydra).

use super::{Launcher, Placing};
use crate::launch::{Given, Known, Launch, Role, known};
use crate::placement::Plan;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

pub(super) struct Mpich;

/// `mpiexec --help`, 4.0.
const OPTIONS: &[Known] = &[
    known(&["n", "np"], 1, Role::Ranks),
    known(&["genv", "env"], 2, Role::Export),
    known(
        &[
            "f",
            "hosts",
            "host",
            "hostfile",
            "machinefile",
            "machine",
            "machines",
        ],
        1,
        Role::Hosts,
    ),
    known(
        &["ppn", "map-by", "rankmap", "order-nodes"],
        1,
        Role::Mapping,
    ),
    known(
        &["configfile"],
        1,
        Role::Refused("several programs in one launch are not supported yet"),
    ),
    known(
        &[
            "genvlist",
            "envlist",
            "wdir",
            "launcher",
            "launcher-exec",
            "bootstrap",
            "bootstrap-exec",
            "rmk",
            "topolib",
            "bind-to",
            "membind",
            "demux",
            "iface",
            "prepend-pattern",
            "outfile-pattern",
            "errfile-pattern",
            "nameserver",
            "localhost",
            "usize",
            "gpus-per-proc",
            "port-range",
            "timeout",
            "env-timeout",
        ],
        1,
        Role::Other,
    ),
    known(
        &[
            "genvnone",
            "genvall",
            "envnone",
            "envall",
            "enable-x",
            "disable-x",
            "verbose",
            "v",
            "vv",
            "vvv",
            "print-all-exitcodes",
            "profile",
            "prepend-rank",
            "l",
            "disable-auto-cleanup",
            "disable-hostname-propagation",
            "pmi-port",
            "skip-launch-node",
            "enable-auto-cleanup",
        ],
        0,
        Role::Other,
    ),
];

impl Launcher for Mpich {
    fn name(&self) -> &'static str {
        "MPICH"
    }

    fn recognises(&self, version: &str) -> bool {
        version.contains("HYDRA build details") && !version.contains("Intel")
    }

    fn options(&self) -> &'static [Known] {
        OPTIONS
    }

    fn export(&self, launch: &mut Launch, variables: &[(&str, OsString)]) -> Vec<OsString> {
        launch.take(|given| variables.iter().any(|(name, _)| exports(given, name)));
        variables
            .iter()
            .flat_map(|(name, value)| ["-genv".into(), name.into(), value.clone()])
            .collect()
    }

    fn preloaded(&self, launch: &Launch) -> Option<String> {
        let given = launch
            .options
            .iter()
            .rfind(|given| exports(given, "LD_PRELOAD"))?;
        given.value(1)
    }

    fn place(&self, launch: &mut Launch, plan: &Plan, file: &Path) -> Placing {
        let replaced = launch.take(|given| matches!(given.role, Role::Mapping | Role::Hosts));
        let mut text = String::new();
        for run in plan.hosts.chunk_by(|a, b| a == b) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}:{}", run[0], run.len());
        }
        Placing {
            words: vec!["-f".into(), file.into()],
            files: vec![(file.to_owned(), text)],
            replaced: replaced.iter().map(Given::text).collect(),
        }
    }
}

/// Whether the option is `-genv NAME VALUE` or `-env NAME VALUE`.
fn exports(given: &Given, name: &str) -> bool {
    given.role == Role::Export && given.value(0).as_deref() == Some(name)
}
