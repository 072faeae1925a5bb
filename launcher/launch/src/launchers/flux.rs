//! The launcher of Flux: `flux run` and `flux submit`.

use crate::error::Result;
use crate::launch::{
    App, Around, Exports, GivenOption, Launcher, LauncherOption, OneAHost, Options, PlacementFiles,
    Role, known, texts, words,
};
use crate::placement::{PlacementPlan, short_name};
use std::ffi::OsString;
use std::path::Path;

pub(super) struct Flux;

/// The options, from the manual page of `flux run` and `flux submit`, flux-core 0.60 and later.
const OPTIONS: &[LauncherOption] = &[
    known("n ntasks", 1, Role::Ranks),
    known("env env-remove env-file", 1, Role::Export),
    known("requires", 1, Role::Hosts),
    known("taskmap", 1, Role::Mapping),
    known(
        "N nodes c cores-per-task g gpus-per-task cores tasks-per-node tasks-per-core \
         gpus-per-node t time-limit q queue B bank o setopt S setattr add-file rlimit input \
         output error cwd urgency job-name flags dependency begin-time signal conf log \
         log-stderr cc bcc wait-event",
        1,
        Role::Other,
    ),
    known(
        "x exclusive u unbuffered l label-io v verbose debug debug-emulate quiet wait watch \
         progress jps",
        0,
        Role::Other,
    ),
];

impl Launcher for Flux {
    fn name(&self) -> &'static str {
        "Flux"
    }

    fn called(&self) -> &'static [&'static str] {
        &["flux"]
    }

    fn verbs(&self) -> &'static [&'static str] {
        &["run", "submit"]
    }

    fn stays(&self, verb: &str) -> Option<&'static str> {
        (verb == "submit").then_some("--wait")
    }

    fn options(&self) -> &'static [&'static [LauncherOption]] {
        &[OPTIONS]
    }

    fn attaches(&self) -> bool {
        true
    }

    fn joins_programs(&self) -> bool {
        false
    }

    fn chooses_hosts(&self) -> bool {
        true
    }

    /// Adds an `--env` option for each variable. Flux follows these rules in order, so they stand
    /// behind the user's.
    fn export(&self, apps: &mut [App], exports: &Exports) -> Around {
        for app in apps {
            let variables = exports.beside(preloaded(&app.options).as_deref());
            let own = variables.into_iter().flat_map(|(name, value)| {
                // A dollar sign in a rule begins the name of a variable, and two stand for one
                // sign.
                let value = value.to_string_lossy().replace('$', "$$");
                ["--env".into(), OsString::from(format!("{name}={value}"))]
            });
            app.added.extend(own);
        }
        Vec::new()
    }

    /// Writes a file with the host of every task, and makes it the task map.
    fn place(&self, apps: &mut [App], plan: &PlacementPlan, file: &Path) -> Result<PlacementFiles> {
        let takes = |given: &GivenOption| given.role == Role::Mapping;
        let replaced = apps[0].options.take(takes);
        let mut map = OsString::from("--taskmap=hostfile:");
        map.push(file);
        apps[0].inserted.push(map);
        let hosts = plan.hosts.iter().map(|host| short_name(host) + "\n");
        Ok(PlacementFiles {
            files: vec![(file.to_owned(), hosts.collect())],
            replaced: texts(&replaced),
        })
    }

    fn one_a_host(&self, options: Vec<&GivenOption>, _: &Path) -> OneAHost {
        const COUNTING: &str =
            "c cores-per-task g gpus-per-task cores tasks-per-core tasks-per-node";
        let kept = options
            .into_iter()
            .filter(|given| !given.is_one_of(COUNTING));
        let one = vec!["--tasks-per-node=1".into()];
        ([words(kept), one].concat(), None)
    }
}

/// The value in `--env LD_PRELOAD=VALUE`.
fn preloaded(options: &Options) -> Option<String> {
    let values = options.iter().filter(|given| given.role == Role::Export);
    let values = values.filter_map(|given| given.value(0));
    values
        .filter_map(|value| Some(value.strip_prefix("LD_PRELOAD=")?.to_owned()))
        .next_back()
}
