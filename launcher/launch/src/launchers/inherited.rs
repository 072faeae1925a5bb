//! Launchers whose processes inherit the launcher's own environment, so that no option is needed to
//! profile or renumber ranks. No mapfile is known for them.

use crate::launch::{
    App, Around, Exports, GivenOption, Launcher, LauncherOption, NativePlacement, OneAHost, Role,
    known, words,
};
use crate::placement::PlacementPlan;
use std::ffi::OsString;
use std::path::Path;

pub(super) struct Inherited {
    name: &'static str,
    called: &'static [&'static str],
    options: &'static [&'static [LauncherOption]],
    /// The option for the number of ranks.
    counts: Option<&'static str>,
    /// Whether a batch system gives the launcher its hosts.
    chooses_hosts: bool,
    joins_programs: bool,
    /// The words that start one process on each host of the job, as far as the launcher has such.
    one_a_host: &'static [&'static str],
    /// Why the launcher cannot place ranks.
    no_place: &'static str,
}

const NO_MAPFILE: &str = "this launcher has no mapfile that is known here";

/// What most of these launchers have in common.
const USUAL: Inherited = Inherited {
    name: "",
    called: &[],
    options: &[],
    counts: Some("-n"),
    chooses_hosts: true,
    joins_programs: false,
    one_a_host: &[],
    no_place: NO_MAPFILE,
};

/// TACC's `ibrun`, which starts the launcher of the loaded MPI.
pub(super) static IBRUN: Inherited = Inherited {
    name: "ibrun",
    called: &["ibrun"],
    // From its own help.
    options: &[&[
        known("n np", 1, Role::Ranks),
        known("o", 1, Role::Mapping),
        known("h help v verbose", 0, Role::Other),
    ]],
    ..USUAL
};

/// `aprun` of Cray's ALPS.
pub(super) static APRUN: Inherited = Inherited {
    name: "aprun",
    called: &["aprun"],
    // From its manual page, CLE 6.
    options: &[&[
        known("n pes", 1, Role::Ranks),
        known("e environment-override", 1, Role::Export),
        known("L node-list l node-list-file", 1, Role::Hosts),
        known(
            "E exclude-node-list exclude-node-list-file",
            1,
            Role::ExcludedHosts,
        ),
        known("N pes-per-node", 1, Role::Mapping),
        known(
            "a architecture B batch-args C cc cpu-binding cp cpu-binding-file d cpus-per-pe D debug \
             F access-mode j cpus-per-cu m memory-per-pe M mpmd-env p protection-domain \
             p-governor p-state r specialized-cpus R relaunch S pes-per-numa-node sl \
             numa-node-list sn numa-nodes-per-node t cpu-time-limit wdir",
            1,
            Role::Other,
        ),
        known(
            "b bypass-app-transfer h help ss strict-memory-containment q quiet T sync-output z \
             zone-sort v version",
            0,
            Role::Other,
        ),
    ]],
    joins_programs: true,
    one_a_host: &["-N", "1"],
    ..USUAL
};

/// HPE MPT's `mpiexec_mpt`.
pub(super) static MPT: Inherited = Inherited {
    name: "mpiexec_mpt",
    called: &["mpiexec_mpt"],
    // From the manual pages `mpiexec_mpt` and `mpirun` of MPT 2.
    options: &[&[
        known("n np", 1, Role::Ranks),
        known(
            "host hosts hostlist f file hostfile machinefile",
            1,
            Role::Hosts,
        ),
        known("ppn perhost", 1, Role::Mapping),
        known("a array d dir i in p prefix P up", 1, Role::Other),
        known("h help s stats v verbose V version", 0, Role::Other),
    ]],
    joins_programs: true,
    one_a_host: &["-perhost", "1"],
    ..USUAL
};

/// HPE MPT's `omplace` as the first word, which pins the processes of a program that starts itself.
pub(super) static OMPLACE: Inherited = Inherited {
    name: "omplace",
    called: &["omplace"],
    // From its manual page.
    options: &[&[
        known("b c d e nt s t w", 1, Role::Other),
        known("h i v vv", 0, Role::Other),
    ]],
    counts: None,
    ..USUAL
};

/// The `ccc_mprun` of TGCC, which starts Slurm's `srun`.
pub(super) static CCC: Inherited = Inherited {
    name: "ccc_mprun",
    called: &["ccc_mprun"],
    // From its own help.
    options: &[&[
        known("n", 1, Role::Ranks),
        known("x", 1, Role::ExcludedHosts),
        known("N", 1, Role::Mapping),
        known(
            "A B c C d D E f F g G j L m M o p q Q r S t T u w",
            1,
            Role::Other,
        ),
        known("a b e h k K l s v X", 0, Role::Other),
    ]],
    one_a_host: &["-E", "--ntasks-per-node=1"],
    ..USUAL
};

/// `likwid-mpirun`.
pub(super) static LIKWID: Inherited = Inherited {
    name: "likwid-mpirun",
    called: &["likwid-mpirun"],
    // From its own help, 5.
    options: &[&[
        known("n np", 1, Role::Ranks),
        known("hostfile", 1, Role::Hosts),
        known("nperdomain t tpp dist", 1, Role::Mapping),
        known(
            "pin s skip mpi omp g group o output mpiopts stats e env",
            1,
            Role::Other,
        ),
        known(
            "h help v version d debug m marker f force O ld nocpubind",
            0,
            Role::Other,
        ),
    ]],
    chooses_hosts: false,
    one_a_host: &["-nperdomain", "N:1"],
    ..USUAL
};

const ORDER_OF_HOSTS: &str = "torchrun numbers the processes of its host itself: rankfold map --to torchrun writes the order of hosts";

/// PyTorch's `torchrun`, which starts the processes of one host. On several hosts it is started
/// once on each, by `srun` or by hand.
pub(super) static TORCHRUN: Inherited = Inherited {
    name: "torchrun",
    called: &["torchrun"],
    // From the documentation of PyTorch 2.9. `torchrun` also takes options with underscores.
    options: &[&[
        known(
            "nnodes nproc-per-node nproc_per_node node-rank node_rank rdzv-backend rdzv_backend \
             rdzv-endpoint rdzv_endpoint rdzv-id rdzv_id rdzv-conf rdzv_conf master-addr \
             master_addr master-port master_port local-addr local_addr max-restarts max_restarts \
             monitor-interval monitor_interval start-method start_method event-log-handler \
             event_log_handler numa-binding numa_binding signals-to-handle signals_to_handle role \
             log-dir log_dir logs-specs logs_specs local-ranks-filter local_ranks_filter \
             redirects tee r t",
            1,
            Role::Other,
        ),
        known(
            "standalone m module no-python no_python run-path run_path virtual-local-rank \
             virtual_local_rank",
            0,
            Role::Other,
        ),
    ]],
    // The number of processes of a host may be a word such as `gpu`.
    counts: None,
    chooses_hosts: false,
    // It reaches its own host only, where nothing has to be started.
    one_a_host: &["--no-python", "--nproc-per-node", "1"],
    no_place: ORDER_OF_HOSTS,
    ..USUAL
};

impl Launcher for Inherited {
    fn name(&self) -> &'static str {
        self.name
    }

    fn called(&self) -> &'static [&'static str] {
        self.called
    }

    fn options(&self) -> &'static [&'static [LauncherOption]] {
        self.options
    }

    fn joins_programs(&self) -> bool {
        self.joins_programs
    }

    fn chooses_hosts(&self) -> bool {
        self.chooses_hosts
    }

    fn counts(&self) -> Option<&'static str> {
        self.counts
    }

    fn export(&self, _: &mut [App], exports: &Exports) -> Around {
        let variables = exports.beside(None).into_iter();
        variables.map(|(name, value)| (name, Some(value))).collect()
    }

    fn natively(&self, _: &[App], _: &PlacementPlan, _: bool) -> NativePlacement {
        NativePlacement::Impossible(self.no_place)
    }

    fn one_a_host(&self, options: Vec<&GivenOption>, _: &Path) -> OneAHost {
        let given = options.into_iter().filter(|_| self.counts.is_some());
        let one = self.one_a_host.iter().map(OsString::from).collect();
        ([words(given), one].concat(), None)
    }
}
