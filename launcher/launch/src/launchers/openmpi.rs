//! Functions for the launchers of all versions of Open MPI.

use crate::launch::{
    App, Exports, GivenOption, LauncherOption, OneAHost, Options, Role, assignment, known, words,
};
use crate::placement::PlacementPlan;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

/// Adds `-x NAME=VALUE` for every variable to every program, and removes the user's own settings of
/// the same variables. `inherited` says whether all programs also get the variables of the first
/// program.
pub(super) fn export(apps: &mut [App], exports: &Exports, inherited: bool) {
    let first = preloaded(&apps[0].options).filter(|_| inherited);
    for app in apps {
        let theirs = preloaded(&app.options).or_else(|| first.clone());
        let variables = exports.beside(theirs.as_deref());
        forget(&mut app.options, &variables);
        let variables = variables.into_iter();
        app.inserted
            .extend(variables.flat_map(|(name, value)| ["-x".into(), assignment(name, value)]));
    }
}

/// The options `options`, and the option for one process a node.
pub(super) fn one_a_host(options: Vec<&GivenOption>) -> OneAHost {
    let ours = ["--map-by".into(), "ppr:1:node".into()];
    ([words(options), ours.into()].concat(), None)
}

/// Removes the user's own settings of `variables`.
pub(super) fn forget(options: &mut Options, variables: &[(&str, OsString)]) {
    options.take(|given| variables.iter().any(|(name, _)| exports(given, name)));
}

/// The value in `-x LD_PRELOAD=VALUE`.
fn preloaded(options: &Options) -> Option<String> {
    let given = options.last(|given| exports(given, "LD_PRELOAD"))?;
    let (_, value) = given.words.get(1)?.to_str()?.split_once('=')?;
    Some(value.to_owned())
}

/// The text of a host file in which every host has as many slots as it gets ranks.
pub(super) fn slots(hosts: &[String]) -> String {
    let mut sorted: Vec<&String> = hosts.iter().collect();
    sorted.sort_unstable();
    let mut text = String::new();
    for run in sorted.chunk_by(|a, b| a == b) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{} slots={}", run[0], run.len());
    }
    text
}

/// The text of a rankfile with the host of every rank, and what `slot` gives for the rank.
pub(super) fn rankfile(plan: &PlacementPlan, slot: impl Fn(usize) -> Option<String>) -> String {
    let mut text = String::new();
    for (rank, host) in plan.hosts.iter().enumerate() {
        // Writing to a string does not fail.
        let _ = match slot(rank) {
            Some(slot) => writeln!(text, "rank {rank}={host} slot={slot}"),
            None => writeln!(text, "rank {rank}={host}"),
        };
    }
    text
}

/// Why ranks cannot be placed by a rankfile.
pub(super) const NO_CORES: &str =
    "the cores that the launch gives its ranks there are not known, so a rankfile would move them";

/// Options that bind ranks or give their numbers of cores, which a rankfile does itself.
const BINDING: &str =
    "bind-to bind-to-core bind-to-socket cpu-set cpu-list slot-list cpus-per-proc cpus-per-rank";

/// Parameters of `--mca` that do the same, or map ranks.
const PARAMETERS: &str = "rmaps rmaps_base_mapping_policy rmaps_base_ranking_policy rmaps_ppr_pernode \
                          hwloc_base_binding_policy hwloc_base_cpu_set";

/// Replaces the user's hosts by those of the plan. Returns the text of the list in `file`.
pub(super) fn start_on(apps: &mut [App], plan: &PlacementPlan, file: &Path) -> String {
    for app in apps {
        app.options.take(|given| given.role == Role::Hosts);
        app.inserted.extend(["--hostfile".into(), file.into()]);
    }
    slots(&plan.hosts)
}

/// Removes the options that a rankfile replaces, and returns them.
pub(super) fn take_placing(apps: &mut [App]) -> Vec<GivenOption> {
    let is_parameter = |given: &GivenOption| {
        let name = given.value(0).unwrap_or_default();
        given.is_one_of("mca gmca prtemca") && PARAMETERS.split(' ').any(|known| known == name)
    };
    let takes = |given: &GivenOption| {
        matches!(given.role, Role::Mapping | Role::Hosts)
            || given.is_one_of(BINDING)
            || is_parameter(given)
    };
    apps.iter_mut()
        .flat_map(|app| app.options.take(takes))
        .collect()
}

/// Options of both versions.
pub(super) const OPTIONS: &[LauncherOption] = &[
    known("n np c", 1, Role::Ranks),
    known("x", 1, Role::Export),
    known(
        "hostfile machinefile default-hostfile host H",
        1,
        Role::Hosts,
    ),
    known(
        "rankfile map-by mapby rank-by rankby ppr N npernode npersocket",
        1,
        Role::Mapping,
    ),
    known("bynode byslot bycore pernode nolocal", 0, Role::Mapping),
    known("app", 1, Role::Programs),
    known("mca gmca", 2, Role::Other),
    known(
        "am bind-to bindto cpu-list cpu-set h help launch-agent max-vm-size output-filename path \
         personality preload-files prefix report-pid report-uri stdin timeout tune wd wdir xterm",
        1,
        Role::Other,
    ),
    known(
        "allow-run-as-root bind-to-core debug-daemons debug-daemons-file display-allocation \
         display-devel-allocation display-devel-map display-map display-topo do-not-launch \
         get-stack-traces leave-session-attached merge-stderr-to-stdout nooversubscribe noprefix \
         oversubscribe preload-binary report-bindings report-child-jobs-separately \
         report-state-on-timeout s set-cwd-to-session-dir show-progress tag-output \
         timestamp-output use-hwthread-cpus V v verbose version xml",
        0,
        Role::Other,
    ),
];

/// Whether the option is `-x NAME` or `-x NAME=VALUE`.
fn exports(given: &GivenOption, name: &str) -> bool {
    let word = given.words.get(1).and_then(|word| word.to_str());
    given.role == Role::Export
        && word
            .and_then(|word| word.strip_prefix(name))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}
