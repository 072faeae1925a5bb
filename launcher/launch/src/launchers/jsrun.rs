//! IBM's `jsrun` (Job Step Manager).

use super::assignments;
use crate::launch::{
    App, Around, Exports, GivenOption, Launcher, LauncherOption, NativePlacement, OneAHost, Role,
    known, words,
};
use crate::placement::PlacementPlan;
use std::ffi::OsString;
use std::path::Path;

pub(super) struct Jsrun;

/// The options, from the manual page of `jsrun`, 10.3.
const OPTIONS: &[LauncherOption] = &[
    known("p np", 1, Role::Ranks),
    known("E env", 1, Role::Export),
    known("H use_hosts", 1, Role::Hosts),
    known("x exclude_hosts", 1, Role::ExcludedHosts),
    known("U erf_input d launch_distribution", 1, Role::Mapping),
    known(
        "n nrs a tasks_per_rs c cpu_per_rs g gpu_per_rs r rs_per_host K rs_per_socket l \
         latency_priority m memory_per_rs b bind F env_eval D env_no_propagate f appfile h \
         chdir o stdio_stdout k stdio_stderr t stdio_input e stdio_mode M smpiargs X \
         exit_on_error P pre_post_exec S save_resources J use_resources erf_output L \
         use_spindle nest_jobs",
        1,
        Role::Other,
    ),
    known("i immediate A allocate_only v verbose", 0, Role::Other),
];

impl Launcher for Jsrun {
    fn name(&self) -> &'static str {
        "jsrun"
    }

    fn called(&self) -> &'static [&'static str] {
        &["jsrun"]
    }

    fn options(&self) -> &'static [&'static [LauncherOption]] {
        &[OPTIONS]
    }

    fn attaches(&self) -> bool {
        true
    }

    /// The number of ranks is the number of resource sets times the number of tasks in each.
    fn counts(&self) -> Option<&'static str> {
        None
    }

    fn joins_programs(&self) -> bool {
        false
    }

    fn chooses_hosts(&self) -> bool {
        true
    }

    fn export(&self, apps: &mut [App], exports: &Exports) -> Around {
        assignments::export(apps, exports, "--env");
        Vec::new()
    }

    fn natively(&self, _: &[App], _: &PlacementPlan, _: bool) -> NativePlacement {
        NativePlacement::Impossible(
            "a resource file of jsrun says the cores of every rank, which a map of hosts does not know: write one with rankfold map --to jsrun, and give it as --erf_input",
        )
    }

    /// Asks for one resource set with one task on every host.
    fn one_a_host(&self, options: Vec<&GivenOption>, _: &Path) -> OneAHost {
        const SIZES: &str = "n nrs a tasks_per_rs c cpu_per_rs g gpu_per_rs r rs_per_host";
        let kept = options.into_iter().filter(|given| !given.is_one_of(SIZES));
        let one = ["-r", "1", "-a", "1", "-c", "1"].map(OsString::from);
        ([words(kept), one.into()].concat(), None)
    }
}
