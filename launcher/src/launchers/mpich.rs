//! MPICH's `mpiexec`, which is Hydra.

use super::cores;
use super::hydra::{self, Hydra, Interleaves};
use crate::launch::{LauncherOption, Role, known};

pub(super) const MPICH: Hydra = Hydra {
    name: "MPICH",
    recognises: |version| version.contains("HYDRA build details") && !version.contains("Intel"),
    options: OPTIONS,
    machine_file: "-f",
    interleaves: Interleaves::Badly,
    bind: |list| {
        let list = cores::joined(list, ",", |cores| cores::numbers(cores, "+"));
        ["-bind-to".into(), format!("user:{list}").into()]
    },
    binding: &["bind-to", "map-by", "membind"],
    binding_variables: &["HYDRA_BINDING", "HYDRA_BIND"],
    split: hydra::plain,
};

/// The versions whose `-rankmap` tests have shown to work. Versions 4.2 and 4.3 list the option and
/// start the ranks in another order.
pub(super) static MPICH_5_0: Hydra = Hydra {
    recognises: |version| (MPICH.recognises)(version) && is_5_0(version),
    interleaves: Interleaves::ByRankMap,
    ..MPICH
};

fn is_5_0(version: &str) -> bool {
    let lines = version.lines().map(str::trim);
    let mut numbers = lines.filter_map(|line| line.strip_prefix("Version:"));
    numbers.any(|number| number.trim().starts_with("5.0."))
}

/// The options, from `mpiexec --help`, 4.0 and 5.0.
const OPTIONS: &[LauncherOption] = &[
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
    known(&["ppn", "rankmap", "order-nodes"], 1, Role::Mapping),
    known(&["configfile"], 1, Role::Programs),
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
            "map-by",
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
