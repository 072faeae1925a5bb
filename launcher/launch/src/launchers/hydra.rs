//! Hydra, the launcher of MPICH and its descendants. Its versions differ in name, version text and
//! options only.

use super::rank_map;
use crate::error::Result;
use crate::launch::{
    App, Around, Exports, GivenOption, Launcher, LauncherOption, NativePlacement, OneAHost,
    PlacementFiles, Role, host_lists, known, words,
};
use crate::placement::PlacementPlan;
use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

/// A launcher built on Hydra.
pub(super) struct Hydra {
    pub(super) name: &'static str,
    /// Whether the output of `--version` belongs to this launcher.
    pub(super) recognises: fn(&str) -> bool,
    pub(super) options: &'static [&'static [LauncherOption]],
    /// The option for a file that names the hosts in the order of the ranks.
    pub(super) machine_file: &'static str,
    pub(super) interleaves: Interleaves,
    /// Splits a line of a file of programs into words.
    pub(super) split: fn(&str) -> Vec<OsString>,
}

/// The way to place ranks of one host that are not consecutive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interleaves {
    /// The host is named on several lines of the machine file.
    ByLines,
    /// As `ByLines`, but the MPI library takes the lines for different hosts.
    Badly,
    /// The option `-rankmap` lists the host of every rank.
    ByRankMap,
}

/// Options of all descendants.
pub(super) const OPTIONS: &[LauncherOption] = &[
    known("n np", 1, Role::Ranks),
    known("genv env", 2, Role::Export),
    known("f hosts host hostfile machinefile machine", 1, Role::Hosts),
    known("ppn", 1, Role::Mapping),
    known("configfile", 1, Role::Programs),
    known(
        "genvlist envlist wdir launcher launcher-exec bootstrap bootstrap-exec rmk iface \
         prepend-pattern outfile-pattern errfile-pattern nameserver localhost usize",
        1,
        Role::Other,
    ),
    known(
        "genvnone genvall envnone envall enable-x disable-x verbose v info print-all-exitcodes \
         prepend-rank l disable-auto-cleanup disable-hostname-propagation",
        0,
        Role::Other,
    ),
];

/// Splits a line at white space; quotation marks have no meaning.
pub(super) fn plain(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

impl Launcher for Hydra {
    fn name(&self) -> &'static str {
        self.name
    }

    fn recognises(&self, version: &str) -> bool {
        (self.recognises)(version)
    }

    fn options(&self) -> &'static [&'static [LauncherOption]] {
        self.options
    }

    /// `-genv NAME=VALUE` is one word, `-genv NAME VALUE` two.
    fn values(&self, known: &LauncherOption, next: Option<&str>) -> usize {
        let joined = known.role == Role::Export && next.is_some_and(|next| next.contains('='));
        if joined { 1 } else { known.values }
    }

    fn split(&self, line: &str) -> Vec<OsString> {
        (self.split)(line)
    }

    /// Adds `-genv NAME VALUE` for every variable, which holds for all programs, and `-env
    /// LD_PRELOAD VALUE` for programs into which the user preloads other libraries.
    fn export(&self, apps: &mut [App], exports: &Exports) -> Around {
        const PRELOAD: &str = "LD_PRELOAD";
        let set = |app: &App, global: bool| {
            let given = app
                .options
                .last(|given| setting(given, PRELOAD).is_some() && (!global || is_global(given)))?;
            setting(given, PRELOAD)
        };
        let everywhere = apps.iter().rev().find_map(|app| set(app, true));
        let theirs: Vec<_> = apps
            .iter()
            .map(|app| set(app, false).or_else(|| everywhere.clone()))
            .collect();
        let mut first = None;
        for (app, theirs) in apps.iter_mut().zip(&theirs) {
            let variables = exports.beside(theirs.as_deref());
            app.options.take(|given| {
                variables
                    .iter()
                    .any(|(name, _)| setting(given, name).is_some())
            });
            let pass = |option: &str, (name, value): &(&str, OsString)| {
                [option.into(), OsString::from(name), value.clone()]
            };
            if first.is_none() {
                app.inserted.extend(
                    variables
                        .iter()
                        .flat_map(|variable| pass("-genv", variable)),
                );
                first = Some(theirs);
            } else if first != Some(theirs) {
                let own = variables.iter().filter(|(name, _)| *name == PRELOAD);
                app.inserted
                    .extend(own.flat_map(|variable| pass("-env", variable)));
            }
        }
        Vec::new()
    }

    /// Writes a machine file with a line `host:count` for every run of consecutive ranks on one
    /// host.
    fn place(&self, apps: &mut [App], plan: &PlacementPlan, file: &Path) -> Result<PlacementFiles> {
        let takes = |given: &GivenOption| matches!(given.role, Role::Mapping | Role::Hosts);
        let replaced = apps.iter_mut().flat_map(|app| app.options.take(takes));
        let replaced: Vec<String> = replaced.map(|given| given.text()).collect();
        if self.interleaves == Interleaves::ByRankMap && !plan.is_in_blocks() {
            return Ok(by_rank_map(apps, plan, file, replaced));
        }
        let mut text = String::new();
        for run in plan.hosts.chunk_by(|a, b| a == b) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}:{}", run[0], run.len());
        }
        apps[0]
            .inserted
            .extend([self.machine_file.into(), file.into()]);
        Ok(PlacementFiles {
            files: vec![(file.to_owned(), text)],
            replaced,
        })
    }

    /// Options that bind ranks stay, and bind by the place of a rank on its host.
    fn natively(&self, _: &[App], plan: &PlacementPlan, _: bool) -> NativePlacement {
        if plan.is_in_blocks() {
            return NativePlacement::Verified(
                "every host is named once, and the library knows which ranks share it",
            );
        }
        match self.interleaves {
            Interleaves::ByLines => NativePlacement::Verified(
                "Intel MPI follows a machine file, and knows where its ranks are",
            ),
            Interleaves::ByRankMap if rank_map::is_announced_rightly(&numbers(plan)) => {
                NativePlacement::Verified(
                    "MPICH 5.0 follows -rankmap, and knows where its ranks are",
                )
            }
            Interleaves::ByRankMap => NativePlacement::Bad(
                "MPICH 5.0 would tell its library that ranks of such a -rankmap are elsewhere",
            ),
            Interleaves::Badly => NativePlacement::Bad(
                "where a host is named twice, MPICH takes it for two, and ranks on it do not share memory",
            ),
        }
    }

    /// Hydra has no option for one process on every host. The number of hosts is given instead, and
    /// where the user names hosts, a file that names each host once.
    fn one_a_host(&self, options: Vec<&GivenOption>, file: &Path) -> OneAHost {
        let (unique, mut words) = named_hosts(options);
        if unique.is_empty() {
            let number = allocated().max(1).to_string();
            words.extend(["-ppn", "1", "-n", &number].map(OsString::from));
            return (words, None);
        }
        words.extend([
            "-f".into(),
            file.into(),
            "-n".into(),
            unique.len().to_string().into(),
        ]);
        let text = unique.iter().map(|host| format!("{host}:1\n")).collect();
        (words, Some((file.to_owned(), text)))
    }
}

/// The number of every rank's host, in the order in which the ranks first use the hosts.
fn numbers(plan: &PlacementPlan) -> Vec<usize> {
    let mut numbers = vec![0; plan.hosts.len()];
    for (number, (_, ranks)) in plan.by_host().iter().enumerate() {
        ranks.iter().for_each(|&rank| numbers[rank] = number);
    }
    numbers
}

/// The machine file with a line `host:count` for every host, and the rank map, which gives every
/// rank the number of its host's line.
fn by_rank_map(
    apps: &mut [App],
    plan: &PlacementPlan,
    file: &Path,
    replaced: Vec<String>,
) -> PlacementFiles {
    let lines: Vec<String> = numbers(plan).iter().map(usize::to_string).collect();
    let map = lines.join(",").into();
    apps[0]
        .inserted
        .extend(["-f".into(), file.into(), "-rankmap".into(), map]);
    let hosts = plan.by_host();
    let hosts = hosts
        .iter()
        .map(|(host, ranks)| format!("{host}:{}\n", ranks.len()));
    PlacementFiles {
        files: vec![(file.to_owned(), hosts.collect())],
        replaced,
    }
}

/// The name and the value in `-genv NAME VALUE`, `-genv NAME=VALUE` or the same with `-env`.
fn assignment(given: &GivenOption) -> Option<(String, Option<String>)> {
    let first = given.value(0).filter(|_| given.role == Role::Export)?;
    Some(match first.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (first, given.value(1)),
    })
}

/// The value that the option sets the variable `name` to.
fn setting(given: &GivenOption, name: &str) -> Option<String> {
    let (set, value) = assignment(given)?;
    value.filter(|_| set == name)
}

/// The hosts that options name, each once, and the words of the other options. A list that cannot
/// be read names no host.
pub(super) fn named_hosts(options: Vec<&GivenOption>) -> (BTreeSet<String>, Vec<OsString>) {
    let options = options.into_iter();
    let (naming, others): (Vec<_>, Vec<_>) = options.partition(|given| given.role == Role::Hosts);
    let lists = naming.into_iter().filter_map(GivenOption::hosts);
    let names = lists.flat_map(|list| list.names().map(str::to_owned).collect::<Vec<_>>());
    (names.collect(), words(others))
}

/// The number of hosts that the batch system has given to the job; 0 where it does not say.
fn allocated() -> usize {
    let number = ["SLURM_JOB_NUM_NODES", "SLURM_NNODES", "PBS_NUM_NODES"];
    let number = number
        .iter()
        .find_map(|name| env::var(name).ok()?.parse().ok());
    number.unwrap_or_else(|| host_lists::of_environment().map_or(0, |list| list.hosts().len()))
}

/// Whether the option sets its variable for all programs.
fn is_global(given: &GivenOption) -> bool {
    given.name() == Some("genv")
}
