//! Open MPI 4's `mpirun` (`orterun`), and that of IBM Spectrum MPI, which is built on it.

use super::{env_list, openmpi};
use crate::error::Result;
use crate::launch::{
    App, Around, Exports, GivenOption, Launcher, LauncherOption, NativePlacement, OneAHost,
    PlacementFiles, Role, known, texts,
};
use crate::placement::PlacementPlan;
use rankfold_wire::Cores;
use std::ffi::OsString;
use std::path::Path;

pub(super) struct OpenMpi4;

/// The option that makes hardware threads count as cores.
const THREADS: &str = "use-hwthread-cpus";

/// The options beside those of both versions, from `mpirun --help` with each of its topics, 4.1.
const OPTIONS: &[LauncherOption] = &[
    known("rf", 1, Role::Mapping),
    known("loadbalance", 0, Role::Mapping),
    known(
        "aff cf cartofile cpus-per-proc cpus-per-rank debugger hnp max-restarts \
         mca-base-param-file ompi-server report-events server-wait-time slot-list xml-file",
        1,
        Role::Other,
    ),
    known(
        "bind-to-socket continuous d debug debug-devel disable-recovery display-diffable-map \
         disable_gpu_hooks do-not-resolve dvm enable-instant-on-support enable-recovery \
         fwd-mpirun-port gpu index-argv-by-rank novm output-proctable q quiet tv use-regexp",
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

    fn options(&self) -> &'static [&'static [LauncherOption]] {
        &[openmpi::OPTIONS, OPTIONS]
    }

    fn export(&self, apps: &mut [App], exports: &Exports) -> Around {
        match env_list::of_user(&apps[0].options, exports.prefix()) {
            Some(list) => env_list::extend(apps, &list, exports),
            None => openmpi::export(apps, exports, false),
        }
        Vec::new()
    }

    /// Passes the user's own rankfile on. Else a rankfile is written with the cores that the plan
    /// has for each rank, by the numbers of the operating system: Open MPI counts processors so if
    /// both options are given.
    fn place(&self, apps: &mut [App], plan: &PlacementPlan, file: &Path) -> Result<PlacementFiles> {
        const PHYSICAL: [&str; 3] = ["--mca", "rmaps_rank_file_physical", "1"];
        const POLICY: &str = "rmaps_base_mapping_policy";
        let mut replaced = openmpi::take_placing(apps);
        let mut files = vec![(file.to_owned(), openmpi::slots(&plan.hosts))];
        let mut words: Vec<OsString> = Vec::new();
        let rankfile = match &plan.rankfile {
            Some(users) => users.clone(),
            None => {
                for app in &mut *apps {
                    replaced.extend(app.options.take(|given| given.name() == Some(THREADS)));
                }
                words.extend(PHYSICAL.map(OsString::from));
                words.push(format!("--{THREADS}").into());
                let own = file.with_extension("ranks");
                let slot = |rank: usize| plan.cores.numbers.get(rank).map(Cores::to_string);
                files.push((own.clone(), openmpi::rankfile(plan, slot)));
                own
            }
        };
        if std::env::var_os(format!("OMPI_MCA_{POLICY}")).is_some() {
            // An empty option takes the place of the variable, which contradicts a rankfile.
            words.extend(["--mca", POLICY, ""].map(OsString::from));
        }
        words.extend(["-rf".into(), rankfile.into()]);
        apps[0].inserted.extend(words);
        for app in apps {
            app.inserted.extend(["--hostfile".into(), file.into()]);
        }
        Ok(PlacementFiles {
            files,
            replaced: texts(&replaced),
        })
    }

    fn start_on(&self, apps: &mut [App], plan: &PlacementPlan, file: &Path) -> Option<String> {
        Some(openmpi::start_on(apps, plan, file))
    }

    fn natively(&self, _: &[App], plan: &PlacementPlan, _: bool) -> NativePlacement {
        if plan.rankfile.is_some() || !plan.cores.is_empty() {
            NativePlacement::Verified("Open MPI 4 follows a rankfile of the launch's own cores")
        } else {
            NativePlacement::Bad(openmpi::NO_CORES)
        }
    }

    fn one_a_host(&self, options: Vec<&GivenOption>, _: &Path) -> OneAHost {
        openmpi::one_a_host(options)
    }
}
