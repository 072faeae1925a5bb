//! Intel MPI's `mpiexec`: Hydra with options of its own.

use super::cores;
use super::hydra::{Hydra, Interleaves};
use crate::launch::{LauncherOption, Role, known};

pub(super) static INTEL: Hydra = Hydra {
    name: "Intel MPI",
    recognises: |version| version.contains("Intel(R) MPI Library"),
    options: OPTIONS,
    // With -f, Intel MPI regroups the ranks by host, whatever the order of the lines.
    machine_file: "-machinefile",
    interleaves: Interleaves::ByLines,
    bind: |list| {
        let list = cores::joined(list, ":", |cores| cores::numbers(cores, ","));
        ["-cpu-bind".into(), format!("list:{list}").into()]
    },
    binding: &["cpu-bind"],
    binding_variables: &["I_MPI_PIN"],
    split: |line| {
        let words = shlex::split(line).unwrap_or_else(|| vec![line.to_owned()]);
        words.into_iter().map(Into::into).collect()
    },
};

/// The options, from `mpiexec.hydra --help`, 2021.18, and Hydra's environment options, which that
/// help does not list.
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
            "hosts-group",
        ],
        1,
        Role::Hosts,
    ),
    known(&["ppn", "perhost", "grr"], 1, Role::Mapping),
    known(&["rr", "nolocal"], 0, Role::Mapping),
    known(&["configfile"], 1, Role::Programs),
    known(
        &[
            "genvlist",
            "envlist",
            "wdir",
            "umask",
            "path",
            "launcher",
            "launcher-exec",
            "bootstrap",
            "bootstrap-exec",
            "bootstrap-exec-args",
            "rmk",
            "iface",
            "prepend-pattern",
            "outfile-pattern",
            "errfile-pattern",
            "nameserver",
            "localhost",
            "usize",
            "s",
            "cpu-bind",
            "gtool",
            "gtoolfile",
            "gdb-args",
            "branch-count",
            "tmpdir",
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
            "print-all-exitcodes",
            "print-rank-map",
            "prepend-rank",
            "prepend-timestamp",
            "l",
            "prot",
            "silent-abort",
            "disable-auto-cleanup",
            "disable-hostname-propagation",
            "aps",
            "mps",
            "gdb",
        ],
        0,
        Role::Other,
    ),
];
