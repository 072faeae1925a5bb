//! MPICH's `mpiexec` (Hydra).

use super::{Launcher, Placing, hydra};
use crate::launch::{Known, Launch, Role, known};
use crate::placement::Plan;
use std::ffi::OsString;
use std::path::Path;

pub(super) struct Mpich;

/// `mpiexec --help`, 4.0 and 5.0.
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
            "memory-alloc-kinds",
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
            "hybrid-hosts",
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
        hydra::export(launch, variables)
    }

    fn preloaded(&self, launch: &Launch) -> Option<String> {
        hydra::preloaded(launch)
    }

    fn place(&self, launch: &mut Launch, plan: &Plan, file: &Path) -> Placing {
        hydra::place(launch, plan, file)
    }
}
