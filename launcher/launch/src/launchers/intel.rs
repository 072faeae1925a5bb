//! Intel MPI's `mpiexec`: Hydra with options of its own.

use super::hydra::{self, Hydra, Interleaves};
use crate::launch::{LauncherOption, Role, known};

pub(super) static INTEL: Hydra = Hydra {
    name: "Intel MPI",
    recognises: |version| version.contains("Intel(R) MPI Library"),
    options: &[hydra::OPTIONS, OPTIONS],
    // With -f, Intel MPI regroups the ranks by host, whatever the order of the lines.
    machine_file: "-machinefile",
    interleaves: Interleaves::ByLines,
    split: |line| {
        let words = shlex::split(line).unwrap_or_else(|| vec![line.to_owned()]);
        words.into_iter().map(Into::into).collect()
    },
};

/// The options beside those of all descendants, from `mpiexec.hydra --help`, 2021.18, and Hydra's
/// environment options, which that help does not list.
const OPTIONS: &[LauncherOption] = &[
    known("hosts-group", 1, Role::Hosts),
    known("perhost grr", 1, Role::Mapping),
    known("rr nolocal", 0, Role::Mapping),
    known(
        "tune umask path bootstrap-exec-args s cpu-bind gtool gtoolfile gdb-args branch-count \
         tmpdir",
        1,
        Role::Other,
    ),
    known(
        "print-rank-map prepend-timestamp prot silent-abort aps mps gdb",
        0,
        Role::Other,
    ),
];
