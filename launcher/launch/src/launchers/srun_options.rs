//! The options of `srun`.

use crate::launch::{LauncherOption, Role, known};

/// The options beside those with the role `Mapping` that decide how many ranks Slurm puts on which
/// hosts.
pub(super) const LAYOUT: &str = "c cpus-per-task cpus-per-gpu B extra-node-info cores-per-socket sockets-per-node \
     threads-per-core ntasks-per-core ntasks-per-socket ntasks-per-gpu gpus-per-node \
     gpus-per-task gpus-per-socket G gpus gres tres-per-task mem mem-per-cpu mem-per-gpu \
     mincpus exclusive exact O overcommit s oversubscribe p partition C constraint";

/// The environment variables that decide the same, inside a job.
pub(super) const LAYOUT_VARIABLES: &[&str] = &[
    "SLURM_NTASKS",
    "SLURM_NNODES",
    "SLURM_NTASKS_PER_NODE",
    "SLURM_CPUS_PER_TASK",
    "SLURM_DISTRIBUTION",
];

/// The options, from `srun --help`, 22.05, the options that 23.11 and 25.05 add, and older names
/// and options that 22.05 takes without a word of help. A value that may be left out stands in the
/// same word.
pub(super) const OPTIONS: &[LauncherOption] = &[
    known("n ntasks", 1, Role::Ranks),
    known("export", 1, Role::Export),
    known("w nodelist F nodefile", 1, Role::Hosts),
    known("x exclude", 1, Role::ExcludedHosts),
    known(
        "m distribution N nodes ntasks-per-node tasks-per-node r relative",
        1,
        Role::Mapping,
    ),
    known("contiguous spread-job use-min-nodes", 0, Role::Mapping),
    known(
        "A accel-bind account acctg-freq bb bbf bcast-exclude begin b c cpus-per-task chdir cluster \
         cluster-constraint clusters comment constraint C container container-id core-spec \
         cores-per-socket cpu-bind cpu_bind cpu-freq cpus-per-gpu D d deadline delay-boot \
         dependency e epilog error export-file extra B extra-node-info G gid gpu-bind gpu-freq \
         gpus gpus-per-node gpus-per-socket gpus-per-task gres gres-flags het-group hint i input J \
         job-name jobid L launcher-opts licenses M mail-type mail-user mcs-label mem mem-bind \
         mem_bind mem-per-cpu mem-per-gpu mincpus mpi msg-timeout network ntasks-per-core \
         ntasks-per-gpu ntasks-per-socket ntasks-per-tres o output p pack-group partition power \
         prefer priority profile prolog q qos reservation S segment signal slurmd-debug \
         sockets-per-node switches t T task-epilog task-prolog thread-spec threads \
         threads-per-core time time-min tmp tree-width tres-bind tres-per-job tres-per-node \
         tres-per-socket tres-per-task uid W wait wckey",
        1,
        Role::Other,
    ),
    known(
        "bcast compress debugger-test disable-status X E preserve-env exact exclusive external h \
         help H hold I immediate interactive k no-kill K kill-on-bad-exit l label launch-cmd \
         multi-prog nice O oom-kill-step overcommit overlap oversubscribe s propagate pty Q quiet \
         quit-on-interrupt reboot resv-ports send-libs stepmgr test-only u unbuffered usage v V \
         verbose version x11 Z no-allocate",
        0,
        Role::Other,
    ),
];

/// Options of plugins that many sites have: containers (Pyxis), user environments (CSCS), X11,
/// caps of power. `--NAME=VALUE` of any other plugin needs no row.
pub(super) const PLUGINS: &[LauncherOption] = &[
    known(
        "container-image container-mounts container-workdir container-name container-save \
         container-env uenv view environment repo power-cap",
        1,
        Role::Other,
    ),
    known(
        "container-mount-home no-container-mount-home container-remap-root \
         no-container-remap-root container-entrypoint no-container-entrypoint \
         container-entrypoint-log container-writable container-readonly",
        0,
        Role::Other,
    ),
];
