//! Open MPI 5's `mpirun`, which is PRRTE's `prterun`.

use super::openmpi;
use crate::error::{LaunchError, Result};
use crate::launch::{
    App, Around, Exports, GivenOption, Launcher, LauncherOption, NativePlacement, OneAHost,
    PlacementFiles, Role, known, texts,
};
use crate::placement::PlacementPlan;
use rankfold_mapfile::han_is_right;
use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

pub(super) struct OpenMpi5;

/// The options beside those of both versions, from `prterun --help`, PRRTE 3.0, with the older
/// names that it still accepts.
const OPTIONS: &[LauncherOption] = &[
    known(
        "omca gomca prtemca pmixmca gpmixmca append-env prepend-env",
        2,
        Role::Other,
    ),
    known(
        "add-host add-hostfile app-pmix-prefix display dvm forward-signals gpu-support \
         keepalive output output-directory pmix-prefix pset runtime-options set-env \
         singleton spawn-timeout tmpdir unset-env with-ft",
        1,
        Role::Other,
    ),
    known(
        "hetero-nodes no-app-prefix no-ready-msg set-sid stop-in-app stop-in-init stop-on-exec \
         system-server",
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

    fn options(&self) -> &'static [&'static [LauncherOption]] {
        &[openmpi::OPTIONS, OPTIONS]
    }

    fn export(&self, apps: &mut [App], exports: &Exports) -> Around {
        openmpi::export(apps, exports, true);
        Vec::new()
    }

    /// Places ranks as for version 4, but the mapping directive names the file, and its numbers are
    /// places of cores. A rank whose host has one set of cores for all of its ranks has no numbers,
    /// and stays unbound.
    fn place(&self, apps: &mut [App], plan: &PlacementPlan, file: &Path) -> Result<PlacementFiles> {
        let [app] = &mut *apps else {
            return Err(LaunchError::option(
                ":",
                "placing several programs is not supported under Open MPI 5 yet: start one",
            ));
        };
        let replaced = openmpi::take_placing(std::slice::from_mut(app));
        let slots = file.with_extension("slots");
        let mut files = vec![(slots.clone(), openmpi::slots(&plan.hosts))];
        let users = plan.rankfile.as_ref().filter(|_| !plan.shares_cores);
        let mut directive = OsString::from("rankfile:file=");
        directive.push(users.map_or(file, |users| users));
        if users.is_none() {
            let slot = |rank: usize| Some(slot(plan.cores.places.get(rank)?));
            let slot = |rank| slot(rank).filter(|_| !shares_places(plan, rank));
            files.push((file.to_owned(), openmpi::rankfile(plan, slot)));
        }
        let hosts = ["--hostfile".into(), slots.into()];
        app.inserted.extend(hosts);
        app.inserted.extend(["--map-by".into(), directive]);
        Ok(PlacementFiles {
            files,
            replaced: texts(&replaced),
        })
    }

    fn start_on(&self, apps: &mut [App], plan: &PlacementPlan, file: &Path) -> Option<String> {
        Some(openmpi::start_on(apps, plan, file))
    }

    fn natively(&self, apps: &[App], plan: &PlacementPlan, _: bool) -> NativePlacement {
        let can_say = |rank: usize| {
            let places = &plan.cores.places[rank];
            !places.is_empty() && (!shares_places(plan, rank) || places.start == 0)
        };
        let ranks = 0..plan.cores.places.len();
        if apps.len() > 1 {
            NativePlacement::Impossible("Open MPI 5 is not known to place several programs")
        } else if plan.rankfile.is_some() {
            NativePlacement::Verified("Open MPI 5 follows a rankfile")
        } else if ranks.is_empty() {
            NativePlacement::Bad(openmpi::NO_CORES)
        } else if ranks.clone().all(can_say) {
            NativePlacement::Verified("Open MPI 5 follows a rankfile of the launch's own cores")
        } else {
            NativePlacement::Bad("a rankfile of Open MPI 5 cannot name the cores of the launch")
        }
    }

    /// Switches off `coll/han` where its collectives are known to return wrong data for such a
    /// plan, unless the user chooses the collectives.
    fn guard(&self, apps: &mut [App], plan: &PlacementPlan) {
        let chosen = |given: &GivenOption| given.value(0).as_deref() == Some("coll");
        if apps[0].options.last(chosen).is_none() && !han_is_right(&plan.hosts) {
            let without = ["--mca", "coll", "^han"].map(OsString::from);
            apps[0].inserted.extend(without);
        }
    }

    fn one_a_host(&self, options: Vec<&GivenOption>, _: &Path) -> OneAHost {
        openmpi::one_a_host(options)
    }
}

/// The text of a run of places.
fn slot(places: &Range<u32>) -> String {
    match places.end - places.start {
        1 => places.start.to_string(),
        _ => format!("{}-{}", places.start, places.end - 1),
    }
}

/// Whether another rank of the host has the same places, which a rankfile must not give twice.
fn shares_places(plan: &PlacementPlan, rank: usize) -> bool {
    let (host, places) = (&plan.hosts[rank], &plan.cores.places[rank]);
    let others = plan.hosts.iter().zip(&plan.cores.places).enumerate();
    let mut others = others.filter(|(other, _)| *other != rank);
    others.any(|(_, (at, of))| at == host && of.start < places.end && places.start < of.end)
}
