//! What srun may use of the hosts of a job.

use crate::launch::{GivenOption, Options};
use crate::tool;
use std::env;
use std::sync::LazyLock;
use std::time::Duration;

/// Longest wait for the controller. Chosen by hand; not measured.
const PATIENCE: Duration = Duration::from_secs(5);

/// The environment variable with the number of the job that this process belongs to.
pub(super) const JOB: &str = "SLURM_JOB_ID";

/// Whether the job that this process belongs to has whole hosts. The controller is asked once.
static JOB_IS_EXCLUSIVE: LazyLock<bool> = LazyLock::new(|| {
    let job = env::var(JOB).unwrap_or_default();
    let shown = ["-o", "show", "job", &job];
    let answer = tool::output("scontrol", &shown, PATIENCE);
    answer.is_ok_and(|text| text.is_some_and(|text| is_exclusive(&text)))
});

/// Whether the step gets all cores of its hosts. Inside a job, `--exclusive` and `--exact` give a
/// step only the cores that its ranks need.
pub(super) fn has_whole_hosts(options: &Options) -> bool {
    const LEAST: &str = "exclusive exact";
    const VARIABLES: &[&str] = &["SLURM_EXCLUSIVE", "SLURM_EXACT"];
    let is_least = |given: &GivenOption| given.is_one_of(LEAST);
    let least =
        options.iter().any(is_least) || VARIABLES.iter().any(|name| env::var_os(name).is_some());
    env::var_os(JOB).is_some() && !least && *JOB_IS_EXCLUSIVE
}

/// Whether no other job has cores on the hosts of this job, by `scontrol show job`. From Slurm
/// 26.05 on, `Exclusive=NODE` says so, and `OverSubscribe=NO` stands in jobs that share hosts as
/// well.
fn is_exclusive(job: &str) -> bool {
    let exclusive = job
        .split_whitespace()
        .find_map(|word| word.strip_prefix("Exclusive="));
    match exclusive {
        Some(what) => what == "NODE",
        None => job
            .split_whitespace()
            .any(|word| word == "OverSubscribe=NO"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_has_whole_hosts_where_nobody_shares_them() {
        assert!(is_exclusive(
            "JobId=7 NumCPUs=32 OverSubscribe=NO Contiguous=0"
        ));
        assert!(!is_exclusive(
            "JobId=7 NumCPUs=4 OverSubscribe=OK Contiguous=0"
        ));
        let in_26_05 = |exclusive: &str| {
            is_exclusive(&format!(
                "JobId=7 NumCPUs=4 OverSubscribe=NO Exclusive={exclusive} Contiguous=0"
            ))
        };
        assert!(in_26_05("NODE"));
        assert!(!in_26_05("NO") && !in_26_05("USER") && !in_26_05("TOPO"));
    }
}
