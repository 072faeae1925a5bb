//! Open MPI 4's `mpirun` (`orterun`).

use super::{env_list, openmpi};
use crate::launch::{Given, Known, Launcher, Options, Placing, Role, known};
use crate::placement::Plan;
use std::ffi::OsString;
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

    fn export(&self, options: &mut Options, variables: &[(&str, OsString)]) -> Vec<OsString> {
        match env_list::of_user(options) {
            Some(list) => env_list::extended(options, &list, variables),
            None => openmpi::export(options, variables),
        }
    }

    fn preloaded(&self, options: &Options) -> Option<String> {
        openmpi::preloaded(options).or_else(|| env_list::preloaded(&env_list::of_user(options)?))
    }

    /// A rankfile of the user's is handed on with its core lists; any other map becomes a host list for the
    /// sequential mapper, which leaves binding to the user's own flags.
    fn place(&self, options: &mut Options, plan: &Plan, file: &Path) -> Placing {
        let mut replaced = options.take(|given| given.role == Role::Mapping || binds(given, plan));
        let mut files = Vec::new();
        let mut words: Vec<OsString>;
        if let Some(rankfile) = &plan.rankfile {
            words = vec!["-rf".into(), rankfile.into()];
            // The user's own hosts may be an allocation the rankfile picks from; without any, ours are needed.
            if !options.iter().any(|given| given.role == Role::Hosts) {
                words.extend(["--hostfile".into(), file.into()]);
                files.push((file.to_owned(), openmpi::slots(&plan.hosts)));
            }
        } else {
            replaced.extend(options.take(|given| given.role == Role::Hosts));
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

/// Whether the option binds ranks to cores and the plan is a rankfile, which does so itself.
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
