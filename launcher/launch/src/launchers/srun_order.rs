//! The order in which srun itself puts ranks on the hosts of a job.
//!
//! From Slurm 26.05 on, steps follow the order of the topology (blocks and switches depth first,
//! the Morton curve of a torus) and not that of the list of nodes, unless `CR_NO_DIST_TOPO_BLOCK`
//! is set. No variable of the job tells the order, so a short step of the job is asked.

use super::srun_job::JOB;
use crate::launch::{App, Role, words};
use std::env;
use std::ffi::OsString;

/// What every rank prints: its number and its node.
const SCRIPT: &str = "echo \"$SLURM_PROCID $SLURMD_NODENAME\"";

/// Options that would disturb the step: what it prints would go elsewhere or look otherwise, or it
/// would start other programs.
const DISTURBING: &str = "multi-prog pty o output e error i input l label mpi quiet Q v verbose bcast prolog epilog \
     task-prolog task-epilog O kill-on-bad-exit K W wait exclusive exact overlap";

/// The command of the step, for the options of the launch `app`. `None` outside a job, where nobody
/// knows the hosts yet.
pub(super) fn command(app: &App, ranks: usize) -> Option<Vec<OsString>> {
    env::var_os(JOB)?;
    let kept = app.options.iter().filter(|given| {
        !given.is_one_of(DISTURBING) && !matches!(given.role, Role::Ranks | Role::Export)
    });
    let ranks = ranks.to_string();
    let ours = [
        "-n",
        &ranks,
        "--quiet",
        "--mpi=none",
        "--overlap",
        "sh",
        "-c",
        SCRIPT,
    ];
    let ours = ours.map(OsString::from);
    Some([vec!["srun".into()], words(kept), ours.into()].concat())
}

#[cfg(test)]
mod tests {
    use crate::launchers;

    #[test]
    fn outside_a_job_nobody_is_asked() {
        let words = ["srun", "-n", "4", "-N", "2", "-o", "x.out", "./a"].map(Into::into);
        let launch = launchers::understand(&words).unwrap();
        let asked = launch.launcher.asks_for_order(&launch.apps, 4);
        match std::env::var_os(super::JOB) {
            None => assert_eq!(asked, None),
            Some(_) => assert!(!asked.unwrap().contains(&"x.out".into())),
        }
    }
}
