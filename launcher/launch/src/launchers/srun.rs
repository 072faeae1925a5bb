//! Slurm's `srun`, also the launcher of Cray and ParaStation systems under Slurm.

use super::srun_options::{LAYOUT, LAYOUT_VARIABLES, OPTIONS, PLUGINS};
use super::{srun_blocks, srun_job, srun_order};
use crate::error::{LaunchError, Result};
use crate::launch::{
    App, Around, Exports, GivenOption, Launcher, LauncherOption, Library, NativePlacement,
    OneAHost, Options, PlacementFiles, Role, library, texts, words,
};
use crate::placement::{PlacementPlan, short_name};
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;

pub(super) struct Srun;

/// The environment variable that holds `--export` where the launch has no such option.
const DEFAULT: &str = "SLURM_EXPORT_ENV";

impl Launcher for Srun {
    fn name(&self) -> &'static str {
        "Slurm"
    }

    fn called(&self) -> &'static [&'static str] {
        &["srun"]
    }

    fn options(&self) -> &'static [&'static [LauncherOption]] {
        &[OPTIONS, PLUGINS]
    }

    fn layout_options(&self) -> &'static str {
        LAYOUT
    }

    fn layout_variables(&self) -> &'static [&'static str] {
        LAYOUT_VARIABLES
    }

    fn why_alone(&self, apps: &[App]) -> Option<&'static str> {
        let mut options = apps.iter().flat_map(|app| app.options.iter());
        let is_told = options.any(|given| given.name() == Some("mpi"))
            || env::var_os("SLURM_MPI_TYPE").is_some();
        (!is_told).then_some(
            "srun is given no --mpi, without which the processes may not find each other: try --mpi=pmix for Open MPI and --mpi=pmi2 for MPICH and Intel MPI; srun --mpi=list tells which there are",
        )
    }

    fn attaches(&self) -> bool {
        true
    }

    fn chooses_hosts(&self) -> bool {
        true
    }

    /// Adds the variables to the user's `--export` list, or to `ALL` without such a list, since a
    /// list keeps all other variables from the ranks. `--export` cuts a value at a comma or a
    /// quotation mark, so such values are set in srun's own environment. Of any other name in the
    /// list, srun takes the value in its own environment where it has one, so such names are taken
    /// out of that.
    fn export(&self, apps: &mut [App], exports: &Exports) -> Around {
        let mut around = Vec::new();
        for app in apps {
            let list = exported(&app.options);
            let entries: Vec<&str> = entries(&list);
            let theirs = entries
                .iter()
                .find_map(|entry| entry.strip_prefix("LD_PRELOAD="));
            // A list without ALL keeps the user's own environment from the ranks.
            let is_whole = entries
                .iter()
                .any(|entry| ["ALL", "LD_PRELOAD"].contains(entry));
            let theirs = theirs.or((!is_whole).then_some(""));
            let variables = exports.beside(theirs);
            let is_ours = |entry: &&str| {
                let name = entry.split('=').next().unwrap_or_default();
                variables.iter().any(|(ours, _)| *ours == name)
            };
            let kept = entries.into_iter().filter(|entry| !is_ours(entry));
            let mut words: Vec<OsString> = kept.map(OsString::from).collect();
            for (name, value) in variables {
                let mut word = OsString::from(name);
                if is_cut(&value) {
                    around.push((name, Some(value)));
                } else {
                    if exports.is_around(name) {
                        around.push((name, None));
                    }
                    word.push("=");
                    word.push(value);
                }
                words.push(word);
            }
            app.options.take(|given| given.role == Role::Export);
            let mut option = OsString::from("--export=");
            option.push(words.join(OsStr::new(",")));
            app.inserted.push(option);
        }
        around.sort();
        around.dedup();
        around
    }

    /// Writes a file with the host of every rank, and chooses the distribution that follows it.
    fn place(&self, apps: &mut [App], plan: &PlacementPlan, file: &Path) -> Result<PlacementFiles> {
        let [app] = apps else {
            return Err(LaunchError::option(
                ":",
                "srun gives every part of a heterogeneous job hosts of its own, and its ranks cannot be mixed over them: use --how renumber",
            ));
        };
        let takes = |given: &GivenOption| matches!(given.role, Role::Mapping | Role::Hosts);
        let replaced = app.options.take(takes);
        let mut list = OsString::from("--nodelist=");
        list.push(file);
        app.inserted
            .extend([list, "--distribution=arbitrary".into()]);
        let hosts = plan.hosts.iter().map(|host| short_name(host) + "\n");
        Ok(PlacementFiles {
            files: vec![(file.to_owned(), hosts.collect())],
            replaced: texts(&replaced),
        })
    }

    fn natively(&self, apps: &[App], plan: &PlacementPlan, counts_stay: bool) -> NativePlacement {
        let pmix = |given: &GivenOption| {
            given.name() == Some("mpi")
                && given
                    .value(0)
                    .is_some_and(|value| value.starts_with("pmix"))
        };
        if apps.len() > 1 {
            NativePlacement::Impossible(
                "srun cannot mix the ranks of several parts of a heterogeneous job",
            )
        } else if srun_blocks::are_used() {
            NativePlacement::Bad(srun_blocks::REFUSED)
        } else if orders_cores(&apps[0].options) {
            NativePlacement::Bad(
                "an arbitrary distribution takes no second level, and deals out cores in another order than plane",
            )
        } else if !counts_stay && !srun_job::has_whole_hosts(&apps[0].options) {
            NativePlacement::Bad(
                "srun has processors for other numbers of ranks where the job does not have whole hosts",
            )
        } else if plan.by_host().len() == plan.hosts.len() {
            NativePlacement::Verified(
                "every rank has a host of its own, and srun follows a list of hosts",
            )
        } else if env::var_os(srun_job::JOB).is_none() {
            NativePlacement::Bad(
                "outside of a job Slurm chooses hosts and processors before it reads a list of hosts",
            )
        } else if apps[0].options.last(pmix).is_some() && library(apps) == Some(Library::OpenMpi) {
            NativePlacement::Verified(
                "srun follows a list of hosts, and PMIx tells Open MPI who shares one",
            )
        } else {
            NativePlacement::Bad(
                "in an arbitrary distribution PMI tells MPICH that every rank is alone on its host",
            )
        }
    }

    fn asks_for_order(&self, apps: &[App], ranks: usize) -> Option<Vec<OsString>> {
        match apps {
            [app] => srun_order::command(app, ranks),
            _ => None,
        }
    }

    /// Inside an allocation, the processes start on all of its hosts. Otherwise they start on the
    /// hosts that the options name, or on hosts that Slurm chooses again, which may be others.
    fn one_a_host(&self, options: Vec<&GivenOption>, _: &Path) -> OneAHost {
        const DISTURBING: &str = "multi-prog pty ntasks-per-node c cpus-per-task";
        let kept = options
            .into_iter()
            .filter(|given| !given.is_one_of(DISTURBING));
        let mut words = words(kept);
        words.extend(["--quiet", "--mpi=none", "--ntasks-per-node=1"].map(OsString::from));
        if let Some(hosts) = env::var_os("SLURM_JOB_NUM_NODES") {
            words.extend([
                "--overlap".into(),
                "-N".into(),
                hosts.clone(),
                "-n".into(),
                hosts,
            ]);
        }
        (words, None)
    }
}

/// Whether `--distribution` or its variable says how ranks are dealt out to sockets and cores:
/// `block:cyclic`, `plane=4`.
fn orders_cores(options: &Options) -> bool {
    let given = options.last(|given| matches!(given.name(), Some("m" | "distribution")));
    let value = given.and_then(|given| given.value(0));
    let value = value.or_else(|| env::var("SLURM_DISTRIBUTION").ok());
    value.is_some_and(|value| value.contains(':') || value.starts_with("plane"))
}

/// The value of `--export`, from the launch or else from the environment.
fn exported(options: &Options) -> String {
    let given = options.last(|given| given.role == Role::Export);
    let list = given.and_then(|given| given.value(0));
    let list = list.or_else(|| env::var(DEFAULT).ok());
    match list.as_deref() {
        None | Some("") => "ALL".into(),
        // In a list, the word NONE would be the name of a variable.
        Some("NONE") => String::new(),
        Some(list) => list.to_owned(),
    }
}

/// The entries of an `--export` list. A comma between quotation marks separates no entries.
fn entries(list: &str) -> Vec<&str> {
    let mut quote = None;
    let split = list.split(move |c: char| {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
        c == ',' && quote.is_none()
    });
    split.filter(|entry| !entry.is_empty()).collect()
}

/// Whether `--export` would change the value.
fn is_cut(value: &OsStr) -> bool {
    let bytes = value.as_encoded_bytes();
    bytes.iter().any(|byte| b",'\"\\".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_quotes_do_not_end_an_entry() {
        assert_eq!(entries("ALL,A='x,y',B"), ["ALL", "A='x,y'", "B"]);
        assert!(is_cut(OsStr::new("/a,b")) && !is_cut(OsStr::new("/a b")));
    }
}
