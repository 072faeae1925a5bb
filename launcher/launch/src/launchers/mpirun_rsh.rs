//! MVAPICH's `mpirun_rsh`.

use super::hydra;
use crate::error::Result;
use crate::launch::{
    App, Around, Exports, GivenOption, Launcher, LauncherOption, OneAHost, PlacementFiles, Role,
    assignment, known, texts,
};
use crate::placement::PlacementPlan;
use std::ffi::OsString;
use std::path::Path;

pub(super) struct MpirunRsh;

/// The options, from the user guide of MVAPICH2 2.3.
const OPTIONS: &[LauncherOption] = &[
    known("n np", 1, Role::Ranks),
    known("hostfile hosts", 1, Role::Hosts),
    known("spawnspec tv gdbserver", 1, Role::Other),
    known("sg group dpmspec dpm", 1, Role::Other),
    known(
        "rsh ssh debug xterm show legacy use-lazy export export-all v",
        0,
        Role::Other,
    ),
];

impl Launcher for MpirunRsh {
    fn name(&self) -> &'static str {
        "mpirun_rsh"
    }

    fn called(&self) -> &'static [&'static str] {
        &["mpirun_rsh"]
    }

    fn options(&self) -> &'static [&'static [LauncherOption]] {
        &[OPTIONS]
    }

    fn joins_programs(&self) -> bool {
        false
    }

    fn assigns(&self) -> bool {
        true
    }

    /// Adds words `NAME=VALUE` between the options and the program.
    fn export(&self, apps: &mut [App], exports: &Exports) -> Around {
        for app in apps {
            let theirs = app.assigned.iter().filter_map(|word| word.to_str());
            let theirs = theirs
                .filter_map(|word| word.strip_prefix("LD_PRELOAD="))
                .next_back();
            let variables = exports.beside(theirs);
            let name = |word: &OsString| {
                let word = word.to_string_lossy();
                word.split('=').next().unwrap_or_default().to_owned()
            };
            app.assigned
                .retain(|word| variables.iter().all(|(ours, _)| *ours != name(word)));
            let variables = variables.into_iter();
            app.assigned
                .extend(variables.map(|(name, value)| assignment(name, value)));
        }
        Vec::new()
    }

    /// Writes a file with the host of every rank.
    fn place(&self, apps: &mut [App], plan: &PlacementPlan, file: &Path) -> Result<PlacementFiles> {
        let replaced = apps[0].options.take(|given| given.role == Role::Hosts);
        apps[0].inserted.extend(["-hostfile".into(), file.into()]);
        Ok(PlacementFiles {
            files: vec![(file.to_owned(), plan.hosts.join("\n") + "\n")],
            replaced: texts(&replaced),
        })
    }

    fn one_a_host(&self, options: Vec<&GivenOption>, file: &Path) -> OneAHost {
        let (names, mut words) = hydra::named_hosts(options);
        words.extend(["-np".into(), names.len().max(1).to_string().into()]);
        words.extend(["-hostfile".into(), file.into()]);
        let text = names.iter().map(|host| format!("{host}\n")).collect();
        (words, Some((file.to_owned(), text)))
    }
}
