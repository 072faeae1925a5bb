//! Open MPI 4's `mpirun` (`orterun`), and that of IBM Spectrum MPI, which is built on it.

use super::{env_list, openmpi, openmpi_cores};
use crate::error::LaunchError;
use crate::launch::{
    App, Exports, GivenOption, Launcher, LauncherOption, NativePlacement, PlacementFiles, Role,
    known,
};
use crate::placement::PlacementPlan;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(super) struct OpenMpi4;

/// The options, from `mpirun --help` with each of its topics, 4.1.
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
            "rf",
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
        &[
            "bynode",
            "byslot",
            "bycore",
            "pernode",
            "nolocal",
            "loadbalance",
        ],
        0,
        Role::Mapping,
    ),
    known(&["app"], 1, Role::Programs),
    known(&["mca", "gmca"], 2, Role::Other),
    known(
        &[
            "aff",
            "am",
            "bind-to",
            "cf",
            "cartofile",
            "cpu-list",
            "cpu-set",
            "cpus-per-proc",
            "cpus-per-rank",
            "debugger",
            "hnp",
            "launch-agent",
            "max-restarts",
            "max-vm-size",
            "mca-base-param-file",
            "ompi-server",
            "output-filename",
            "path",
            "personality",
            "preload-files",
            "prefix",
            "report-events",
            "report-pid",
            "report-uri",
            "server-wait-time",
            "slot-list",
            "stdin",
            "timeout",
            "tune",
            "wd",
            "wdir",
            "xml-file",
            "xterm",
        ],
        1,
        Role::Other,
    ),
    known(
        &[
            "allow-run-as-root",
            "bind-to-core",
            "bind-to-socket",
            "continuous",
            "d",
            "debug",
            "debug-daemons",
            "debug-daemons-file",
            "debug-devel",
            "disable-recovery",
            "display-allocation",
            "display-devel-allocation",
            "display-devel-map",
            "display-diffable-map",
            "display-map",
            "disable_gpu_hooks",
            "display-topo",
            "do-not-launch",
            "do-not-resolve",
            "dvm",
            "enable-instant-on-support",
            "enable-recovery",
            "fwd-mpirun-port",
            "gpu",
            "get-stack-traces",
            "index-argv-by-rank",
            "leave-session-attached",
            "merge-stderr-to-stdout",
            "nooversubscribe",
            "noprefix",
            "novm",
            "output-proctable",
            "oversubscribe",
            "preload-binary",
            "q",
            "quiet",
            "report-bindings",
            "report-child-jobs-separately",
            "report-state-on-timeout",
            "s",
            "set-cwd-to-session-dir",
            "show-progress",
            "tag-output",
            "timestamp-output",
            "tv",
            "use-hwthread-cpus",
            "use-regexp",
            "v",
            "verbose",
            "xml",
        ],
        0,
        Role::Other,
    ),
];

impl Launcher for OpenMpi4 {
    fn name(&self) -> &'static str {
        "Open MPI 4"
    }

    fn recognises(&self, version: &str) -> bool {
        let head = version.lines().next().unwrap_or_default();
        ["(Open MPI) 4.", "(OpenRTE) 4.", "Spectrum MPI"]
            .iter()
            .any(|own| head.contains(own))
    }

    fn options(&self) -> &'static [LauncherOption] {
        OPTIONS
    }

    fn export(&self, apps: &mut [App], exports: &Exports) -> Vec<(&'static str, OsString)> {
        match env_list::of_user(&apps[0].options, exports.prefix()) {
            Some(list) => env_list::extend(apps, &list, exports),
            None => openmpi::export(apps, exports, false),
        }
        Vec::new()
    }

    /// Passes the user's own rankfile on with its lists of cores. A rankfile is written where the
    /// plan or the user's options give ranks cores. Any other map becomes a host list for each
    /// program and the sequential mapper, which leaves binding to the user's options.
    fn place(
        &self,
        apps: &mut [App],
        plan: &PlacementPlan,
        file: &Path,
    ) -> Result<PlacementFiles, LaunchError> {
        let own = openmpi_cores::rankfile(apps, plan).filter(|_| plan.rankfile.is_none());
        let beside = file.with_extension("ranks");
        let rankfile = plan
            .rankfile
            .clone()
            .or(own.as_ref().map(|_| beside.clone()));
        let takes = |given: &GivenOption| {
            given.role == Role::Mapping || (rankfile.is_some() && binds(given))
        };
        let mut replaced: Vec<GivenOption> = apps
            .iter_mut()
            .flat_map(|app| app.options.take(takes))
            .collect();
        if own.as_ref().is_some_and(|own| own.threads)
            && !apps.iter().any(|app| app.options.iter().any(is_threads))
        {
            let option = format!("--{}", openmpi_cores::THREADS);
            apps[0].inserted.push(option.into());
        }
        let mut files: Vec<(PathBuf, String)> =
            own.map(|own| (beside, own.text)).into_iter().collect();
        let is_host = |given: &GivenOption| given.role == Role::Hosts;
        if let Some(rankfile) = &rankfile {
            // The hosts that the user names may be an allocation from which the rankfile chooses.
            // Without such hosts, the hosts of the plan are given.
            let named = apps.iter().any(|app| app.options.iter().any(is_host));
            let first = &mut apps[0].inserted;
            first.extend(["-rf".into(), rankfile.into()]);
            if !named {
                first.extend(["--hostfile".into(), file.into()]);
                files.push((file.to_owned(), openmpi::slots(&plan.hosts)));
            }
        } else {
            let shares = openmpi::shares(apps, &plan.hosts)?;
            for (number, (app, hosts)) in apps.iter_mut().zip(shares).enumerate() {
                replaced.extend(app.options.take(is_host));
                let path = match number {
                    0 => file.to_owned(),
                    _ => file.with_extension(number.to_string()),
                };
                app.inserted
                    .extend(["--hostfile".into(), path.clone().into()]);
                files.push((path, hosts.join("\n") + "\n"));
            }
            apps[0].inserted.extend(["--map-by".into(), "seq".into()]);
        }
        Ok(PlacementFiles {
            files,
            replaced: replaced.iter().map(GivenOption::text).collect(),
        })
    }

    fn natively(&self, _: &[App], _: &PlacementPlan) -> NativePlacement {
        NativePlacement::Verified(
            "Open MPI 4 follows a rankfile or a list of hosts, and knows where its ranks are",
        )
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

/// Whether the option binds ranks to cores or gives their number, which a rankfile does itself.
fn binds(given: &GivenOption) -> bool {
    given.is_one_of(openmpi_cores::BINDING) || given.is_one_of(openmpi_cores::COUNTS)
}

fn is_threads(given: &GivenOption) -> bool {
    given.name() == Some(openmpi_cores::THREADS)
}
