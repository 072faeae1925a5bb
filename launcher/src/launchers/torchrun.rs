//! PyTorch's `torchrun`, which starts the processes of one host. On several hosts it is started
//! once on each, by `srun` or by hand.

use crate::error::LaunchError;
use crate::launch::{
    App, Exports, GivenOption, Launcher, LauncherOption, NativePlacement, PlacementFiles, Role,
    known,
};
use crate::placement::PlacementPlan;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(super) struct Torchrun;

/// The options of `torchrun` in PyTorch 2.9, from its documentation. `torchrun` also takes them
/// with underscores in place of hyphens.
const OPTIONS: &[LauncherOption] = &[
    known(
        &[
            "nnodes",
            "nproc-per-node",
            "nproc_per_node",
            "node-rank",
            "node_rank",
            "rdzv-backend",
            "rdzv_backend",
            "rdzv-endpoint",
            "rdzv_endpoint",
            "rdzv-id",
            "rdzv_id",
            "rdzv-conf",
            "rdzv_conf",
            "master-addr",
            "master_addr",
            "master-port",
            "master_port",
            "local-addr",
            "local_addr",
        ],
        1,
        Role::Other,
    ),
    known(
        &[
            "max-restarts",
            "max_restarts",
            "monitor-interval",
            "monitor_interval",
            "start-method",
            "start_method",
            "event-log-handler",
            "event_log_handler",
            "numa-binding",
            "numa_binding",
            "signals-to-handle",
            "signals_to_handle",
            "role",
        ],
        1,
        Role::Other,
    ),
    known(
        &[
            "log-dir",
            "log_dir",
            "logs-specs",
            "logs_specs",
            "local-ranks-filter",
            "local_ranks_filter",
            "redirects",
            "tee",
            "r",
            "t",
        ],
        1,
        Role::Other,
    ),
    known(
        &[
            "standalone",
            "m",
            "module",
            "no-python",
            "no_python",
            "run-path",
            "run_path",
            "virtual-local-rank",
            "virtual_local_rank",
        ],
        0,
        Role::Other,
    ),
];

const NO_PLACE: &str = "torchrun numbers the processes of its host itself: rankfold map --to torchrun writes the order of hosts";

impl Launcher for Torchrun {
    fn name(&self) -> &'static str {
        "torchrun"
    }

    fn called(&self) -> &'static [&'static str] {
        &["torchrun"]
    }

    fn options(&self) -> &'static [LauncherOption] {
        OPTIONS
    }

    fn joins_programs(&self) -> bool {
        false
    }

    /// The number of processes of a host may be a word such as `gpu`.
    fn counts(&self) -> Option<&'static str> {
        None
    }

    /// Processes get the environment of `torchrun`.
    fn export(&self, _: &mut [App], exports: &Exports) -> Vec<(&'static str, OsString)> {
        exports.beside(None)
    }

    fn place(
        &self,
        _: &mut [App],
        _: &PlacementPlan,
        _: &Path,
    ) -> Result<PlacementFiles, LaunchError> {
        Err(LaunchError::Option {
            option: "--map".into(),
            problem: NO_PLACE.into(),
        })
    }

    fn natively(&self, _: &[App], _: &PlacementPlan) -> NativePlacement {
        NativePlacement::Impossible(NO_PLACE)
    }

    /// `torchrun` reaches its own host only, where nothing has to be started for that.
    fn one_a_host(
        &self,
        _: Vec<&GivenOption>,
        _: &Path,
    ) -> (Vec<OsString>, Option<(PathBuf, String)>) {
        let words = ["--no-python", "--nproc-per-node", "1"];
        (words.map(OsString::from).into(), None)
    }
}
