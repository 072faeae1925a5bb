//! Open MPI 5's `mpirun`, which is PRRTE's `prterun`.

use super::{openmpi, openmpi_cores};
use crate::error::LaunchError;
use crate::launch::{
    App, Exports, GivenOption, Launcher, LauncherOption, NativePlacement, PlacementFiles, Role,
    known,
};
use crate::placement::PlacementPlan;
use rankfold_mapfile::han_is_right;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(super) struct OpenMpi5;

/// The options, from `prterun --help`, PRRTE 3.0, with the older names that it still accepts.
const OPTIONS: &[LauncherOption] = &[
    known(&["n", "np", "c"], 1, Role::Ranks),
    known(&["x"], 1, Role::Export),
    known(
        &["hostfile", "machinefile", "default-hostfile", "host", "H"],
        1,
        Role::Hosts,
    ),
    known(
        &[
            "rankfile",
            "map-by",
            "rank-by",
            "ppr",
            "N",
            "npernode",
            "npersocket",
        ],
        1,
        Role::Mapping,
    ),
    known(
        &["bynode", "byslot", "bycore", "pernode", "nolocal"],
        0,
        Role::Mapping,
    ),
    known(&["app"], 1, Role::Programs),
    known(
        &[
            "mca",
            "gmca",
            "omca",
            "gomca",
            "prtemca",
            "pmixmca",
            "gpmixmca",
            "append-env",
            "prepend-env",
        ],
        2,
        Role::Other,
    ),
    known(
        &[
            "add-host",
            "add-hostfile",
            "am",
            "app-pmix-prefix",
            "bind-to",
            "cpu-list",
            "cpu-set",
            "display",
            "dvm",
            "forward-signals",
            "gpu-support",
            "keepalive",
            "launch-agent",
            "max-vm-size",
            "output",
            "output-directory",
            "output-filename",
            "path",
            "personality",
            "pmix-prefix",
            "prefix",
            "preload-files",
            "pset",
            "report-pid",
            "report-uri",
            "runtime-options",
            "singleton",
            "spawn-timeout",
            "stdin",
            "timeout",
            "tmpdir",
            "tune",
            "unset-env",
            "wd",
            "wdir",
            "with-ft",
            "xterm",
        ],
        1,
        Role::Other,
    ),
    known(
        &[
            "allow-run-as-root",
            "bind-to-core",
            "debug-daemons",
            "debug-daemons-file",
            "display-allocation",
            "display-devel-allocation",
            "display-devel-map",
            "display-map",
            "display-topo",
            "do-not-launch",
            "get-stack-traces",
            "hetero-nodes",
            "leave-session-attached",
            "merge-stderr-to-stdout",
            "no-app-prefix",
            "nooversubscribe",
            "noprefix",
            "oversubscribe",
            "preload-binary",
            "report-bindings",
            "report-child-jobs-separately",
            "report-state-on-timeout",
            "s",
            "set-cwd-to-session-dir",
            "show-progress",
            "stop-in-app",
            "stop-in-init",
            "stop-on-exec",
            "tag-output",
            "timestamp-output",
            "use-hwthread-cpus",
            "v",
            "verbose",
            "xml",
        ],
        0,
        Role::Other,
    ),
];

impl Launcher for OpenMpi5 {
    fn name(&self) -> &'static str {
        "Open MPI 5"
    }

    fn recognises(&self, version: &str) -> bool {
        let head = version.lines().next().unwrap_or_default();
        head.contains("(Open MPI) 5.")
    }

    fn options(&self) -> &'static [LauncherOption] {
        OPTIONS
    }

    fn export(&self, apps: &mut [App], exports: &Exports) -> Vec<(&'static str, OsString)> {
        openmpi::export(apps, exports, true);
        Vec::new()
    }

    /// Places ranks as for version 4, but the mapping directive names the file, and several ranks
    /// on a host are slots of it. Where the collectives of `coll/han` are known to return wrong
    /// data, they are switched off, unless the user chooses the collectives.
    fn place(
        &self,
        apps: &mut [App],
        plan: &PlacementPlan,
        file: &Path,
    ) -> Result<PlacementFiles, LaunchError> {
        let [app] = apps else {
            return Err(LaunchError::Option {
                option: ":".into(),
                problem:
                    "placing several programs is not supported under Open MPI 5 yet: start one"
                        .into(),
            });
        };
        let users = plan.rankfile.as_deref().filter(|_| !plan.shares_cores);
        let own = match users {
            Some(_) => None,
            None => openmpi_cores::rankfile(std::slice::from_ref(app), plan),
        };
        let replaced = app.options.take(|given| {
            matches!(given.role, Role::Mapping | Role::Hosts) || (own.is_some() && binds(given))
        });
        let slots = file.with_extension("slots");
        let (kind, map) = match users {
            Some(rankfile) => ("rankfile", rankfile),
            None if own.is_some() => ("rankfile", file),
            None => ("seq", file),
        };
        let mut directive = OsString::from(format!("{kind}:file="));
        directive.push(map);
        if own.as_ref().is_some_and(|own| own.threads) {
            directive.push(":HWTCPUS");
        }
        app.inserted.extend([
            "--hostfile".into(),
            slots.clone().into(),
            "--map-by".into(),
            directive,
        ]);
        without_han(app, plan);
        Ok(PlacementFiles {
            files: vec![
                (slots, openmpi::slots(&plan.hosts)),
                (
                    file.to_owned(),
                    own.map_or_else(|| plan.hosts.join("\n") + "\n", |own| own.text),
                ),
            ],
            replaced: replaced.iter().map(GivenOption::text).collect(),
        })
    }

    /// Leaves a launch of several programs as it is.
    fn shape(
        &self,
        apps: &mut [App],
        plan: &PlacementPlan,
        file: &Path,
    ) -> Result<PlacementFiles, LaunchError> {
        let placing = match apps {
            [_] => self.place(apps, &plan.in_blocks(), file)?,
            _ => PlacementFiles::default(),
        };
        without_han(&mut apps[0], plan);
        Ok(placing)
    }

    fn natively(&self, apps: &[App], _: &PlacementPlan) -> NativePlacement {
        match apps {
            [_] => NativePlacement::Verified(
                "Open MPI 5 follows a rankfile or a list of hosts, and knows where its ranks are",
            ),
            _ => NativePlacement::Impossible("Open MPI 5 is not known to place several programs"),
        }
    }

    fn binds(&self, apps: &[App], plan: &PlacementPlan) -> Result<(), &'static str> {
        openmpi_cores::by_plan(apps, plan)
    }

    fn one_a_host(
        &self,
        options: Vec<&GivenOption>,
        _: &Path,
    ) -> (Vec<OsString>, Option<(PathBuf, String)>) {
        (openmpi::one_a_host(&options), None)
    }
}

/// Whether the option binds ranks to cores or says what counts as a core, which the directive for a
/// rankfile does itself.
fn binds(given: &GivenOption) -> bool {
    given.is_one_of(openmpi_cores::BINDING) || given.is_one_of(&[openmpi_cores::THREADS])
}

/// Switches off `coll/han` where its collectives are known to return wrong data for such a plan,
/// unless the user chooses the collectives.
fn without_han(app: &mut App, plan: &PlacementPlan) {
    let chosen = |given: &GivenOption| given.value(0).as_deref() == Some("coll");
    if app.options.last(chosen).is_none() && !han_is_right(&plan.hosts) {
        let without = ["--mca", "coll", "^han"].map(OsString::from);
        app.inserted.extend(without);
    }
}
