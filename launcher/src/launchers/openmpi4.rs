//! Open MPI 4's `mpirun` (`orterun`).

use super::{Launcher, Placing};
use crate::launch::{Given, Known, Launch, Role, known};
use crate::placement::Plan;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

pub(super) struct OpenMpi4;

/// `mpirun --help` of each of its topics, 4.1.
const OPTIONS: &[Known] = &[
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
    known(
        &["app"],
        1,
        Role::Refused("several programs in one launch are not supported yet"),
    ),
    known(&["mca", "gmca"], 2, Role::Other),
    known(
        &[
            "am",
            "bind-to",
            "cf",
            "cartofile",
            "cpu-list",
            "cpu-set",
            "cpus-per-proc",
            "cpus-per-rank",
            "debug-daemons-file",
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
            "debug-devel",
            "disable-recovery",
            "display-allocation",
            "display-devel-allocation",
            "display-devel-map",
            "display-diffable-map",
            "display-map",
            "display-topo",
            "do-not-launch",
            "do-not-resolve",
            "dvm",
            "enable-instant-on-support",
            "enable-recovery",
            "fwd-mpirun-port",
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
        ["(Open MPI) 4.", "(OpenRTE) 4."]
            .iter()
            .any(|own| head.contains(own))
    }

    fn options(&self) -> &'static [Known] {
        OPTIONS
    }

    fn export(&self, launch: &mut Launch, variables: &[(&str, OsString)]) -> Vec<OsString> {
        launch.take(|given| {
            given.role == Role::Export && variables.iter().any(|(name, _)| exports(given, name))
        });
        variables
            .iter()
            .flat_map(|(name, value)| {
                let mut assignment = OsString::from(name);
                assignment.push("=");
                assignment.push(value);
                ["-x".into(), assignment]
            })
            .collect()
    }

    fn preloaded(&self, launch: &Launch) -> Option<String> {
        let given = launch
            .options
            .iter()
            .rfind(|given| given.role == Role::Export && exports(given, "LD_PRELOAD"))?;
        let (_, value) = given.words.get(1)?.to_str()?.split_once('=')?;
        Some(value.to_owned())
    }

    /// A rankfile of the user's is handed on with its core lists; any other map becomes a host list for the
    /// sequential mapper, which leaves binding to the user's own flags.
    fn place(&self, launch: &mut Launch, plan: &Plan, file: &Path) -> Placing {
        let mut replaced = launch.take(|given| given.role == Role::Mapping || binds(given, plan));
        let mut files = Vec::new();
        let mut words: Vec<OsString>;
        if let Some(rankfile) = &plan.rankfile {
            words = vec!["-rf".into(), rankfile.into()];
            // The user's own hosts may be an allocation the rankfile picks from; without any, ours are needed.
            if !launch.options.iter().any(|given| given.role == Role::Hosts) {
                words.extend(["--hostfile".into(), file.into()]);
                files.push((file.to_owned(), slots(&plan.hosts)));
            }
        } else {
            replaced.extend(launch.take(|given| given.role == Role::Hosts));
            words = vec![
                "--hostfile".into(),
                file.into(),
                "--map-by".into(),
                "seq".into(),
            ];
            files.push((file.to_owned(), plan.hosts.join("\n") + "\n"));
        }
        Placing {
            words,
            files,
            replaced: replaced.iter().map(Given::text).collect(),
        }
    }
}

/// Whether `-x NAME` or `-x NAME=VALUE` is about `name`.
fn exports(given: &Given, name: &str) -> bool {
    given
        .words
        .get(1)
        .and_then(|word| word.to_str())
        .is_some_and(|word| {
            word.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })
}

/// A rankfile binds by itself and contradicts any other binding.
fn binds(given: &Given, plan: &Plan) -> bool {
    const BINDING: &[&str] = &[
        "-bind-to",
        "-bind-to-core",
        "-bind-to-socket",
        "-cpu-set",
        "-cpu-list",
    ];
    let word = given.words[0].to_string_lossy();
    plan.rankfile.is_some()
        && BINDING
            .iter()
            .any(|option| word.trim_start_matches('-') == &option[1..])
}

/// A host file with as many slots as every host gets ranks.
fn slots(hosts: &[String]) -> String {
    let mut sorted: Vec<&String> = hosts.iter().collect();
    sorted.sort_unstable();
    let mut text = String::new();
    for run in sorted.chunk_by(|a, b| a == b) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{} slots={}", run[0], run.len());
    }
    text
}
