//! The `mpiexec` of HPE's Parallel Application Launch Service (PALS).

use super::assignments;
use crate::error::{LaunchError, Result};
use crate::launch::{
    App, Around, Exports, GivenOption, Launcher, LauncherOption, OneAHost, PlacementFiles, Role,
    known, texts, words,
};
use crate::placement::PlacementPlan;
use std::ffi::OsString;
use std::path::Path;

pub(super) struct Pals;

/// The options, from the manual page of PALS's `mpiexec`, 1.4.
const OPTIONS: &[LauncherOption] = &[
    known("n np", 1, Role::Ranks),
    known("env genv", 1, Role::Export),
    known("hosts host hostlist hostfile f machinefile", 1, Role::Hosts),
    known("exclude-hosts", 1, Role::ExcludedHosts),
    known("ppn perhost", 1, Role::Mapping),
    known("configfile", 1, Role::Programs),
    known(
        "envlist genvlist depth d cpu-bind cc mem-bind gpu-bind wdir w umask rlimits pmi mem \
         timeout path procinfo-file fanout sharding vni prefix",
        1,
        Role::Other,
    ),
    known(
        "envall genvall envnone genvnone l label line-buffer no-line-buffer transfer \
         no-transfer exclusive shared no-vni abort-on-failure no-abort-on-failure verbose v debug",
        0,
        Role::Other,
    ),
];

impl Launcher for Pals {
    fn name(&self) -> &'static str {
        "PALS"
    }

    fn recognises(&self, version: &str) -> bool {
        version.contains("PALS") || version.contains("pals")
    }

    fn options(&self) -> &'static [&'static [LauncherOption]] {
        &[OPTIONS]
    }

    fn chooses_hosts(&self) -> bool {
        true
    }

    /// Adds `--env NAME=VALUE` to every program.
    fn export(&self, apps: &mut [App], exports: &Exports) -> Around {
        assignments::export(apps, exports, "--env");
        Vec::new()
    }

    /// Names the hosts in the order in which the plan uses them, and writes a rank order file for
    /// Cray MPICH.
    fn place(&self, apps: &mut [App], plan: &PlacementPlan, file: &Path) -> Result<PlacementFiles> {
        let blocks = plan.by_host();
        let most = blocks.iter().map(|(_, ranks)| ranks.len()).max();
        let most = most.unwrap_or_default();
        if let Some((host, ranks)) = blocks
            .iter()
            .rev()
            .skip(1)
            .find(|(_, ranks)| ranks.len() < most)
        {
            return Err(LaunchError::option(
                "--how native",
                format!(
                    "PALS fills hosts one after the other, and the map puts {} of {most} ranks on {host}: use --how renumber",
                    ranks.len()
                ),
            ));
        }
        let takes = |given: &GivenOption| matches!(given.role, Role::Mapping | Role::Hosts);
        let replaced: Vec<GivenOption> = apps
            .iter_mut()
            .flat_map(|app| app.options.take(takes))
            .collect();
        let hosts = file.with_extension("hosts");
        let mut order = OsString::from("MPICH_RANK_REORDER_FILE=");
        order.push(file);
        apps[0].inserted.extend([
            "--ppn".into(),
            most.to_string().into(),
            "--hostfile".into(),
            hosts.clone().into(),
            "--env".into(),
            "MPICH_RANK_REORDER_METHOD=3".into(),
            "--env".into(),
            order,
        ]);
        let line = |ranks: &Vec<usize>| {
            let ranks: Vec<String> = ranks.iter().map(ToString::to_string).collect();
            ranks.join(",") + "\n"
        };
        let names = blocks.iter().map(|(host, _)| format!("{host}\n"));
        Ok(PlacementFiles {
            files: vec![
                (
                    file.to_owned(),
                    blocks.iter().map(|(_, ranks)| line(ranks)).collect(),
                ),
                (hosts, names.collect()),
            ],
            replaced: texts(&replaced),
        })
    }

    fn one_a_host(&self, options: Vec<&GivenOption>, _: &Path) -> OneAHost {
        let one = ["--ppn".into(), "1".into()];
        ([words(options), one.into()].concat(), None)
    }
}
