//! MPICH's `mpiexec`, which is Hydra.

use super::hydra::{self, Hydra, Interleaves};
use crate::launch::{LauncherOption, Role, known};

pub(super) const MPICH: Hydra = Hydra {
    name: "MPICH",
    recognises: |version| version.contains("HYDRA build details") && !version.contains("Intel"),
    options: &[hydra::OPTIONS, OPTIONS],
    machine_file: "-f",
    interleaves: Interleaves::Badly,
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

/// The options beside those of all descendants, from `mpiexec --help`, 4.0 and 5.0.
const OPTIONS: &[LauncherOption] = &[
    known("machines", 1, Role::Hosts),
    known("rankmap order-nodes", 1, Role::Mapping),
    known(
        "topolib bind-to map-by membind demux gpus-per-proc port-range timeout env-timeout \
         memory-alloc-kinds",
        1,
        Role::Other,
    ),
    known(
        "vv vvv profile pmi-port skip-launch-node enable-auto-cleanup hybrid-hosts",
        0,
        Role::Other,
    ),
];
