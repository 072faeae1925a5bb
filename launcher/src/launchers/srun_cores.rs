//! The cores of a plan as srun's `--cpu-bind`, where srun can bind ranks to them and the user does
//! not say otherwise.

use super::cores;
use crate::launch::{GivenOption, Options};
use crate::placement::PlacementPlan;
use crate::tool;
use rankfold_profile::Cores;
use std::env;
use std::ffi::OsString;
use std::sync::LazyLock;
use std::time::Duration;

const WHOLE_HOSTS: &str = "srun binds ranks to a list of cores only where the job has whole hosts, which --exclusive asks for";

/// A controller that does not answer is not waited for longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The variable by which Slurm tells the number of the job that this process is in.
const JOB: &str = "SLURM_JOB_ID";

/// Whether the job that this process is in has whole hosts. A launch wants to know it twice, where
/// it chooses how to place its ranks and where it places them; the controller is asked once.
static JOB_IS_EXCLUSIVE: LazyLock<bool> = LazyLock::new(|| {
    let job = env::var(JOB).unwrap_or_default();
    let shown = ["-o", "show", "job", &job];
    let told = tool::output("scontrol", &shown, PATIENCE);
    told.is_ok_and(|text| text.is_some_and(|text| is_exclusive(&text)))
});

/// Whether ranks can be bound by a list of masks: nothing of the user's says how, one list is right
/// on every host, and the ranks may use all cores there: srun starts none of them otherwise.
///
/// # Errors
/// Why not.
pub(super) fn bind(options: &Options, plan: &PlacementPlan) -> Result<(), &'static str> {
    if is_bound_by_user(options) {
        Err(cores::BOUND_BY_USER)
    } else if plan.core_list().is_none() {
        Err(cores::LISTS_DIFFER)
    } else if !has_whole_hosts(options) {
        Err(WHOLE_HOSTS)
    } else {
        Ok(())
    }
}

/// The option that binds ranks to the cores of the plan; none where [`bind`] says that it cannot.
pub(super) fn option(options: &Options, plan: &PlacementPlan) -> Option<OsString> {
    let list = plan.core_list()?;
    bind(options, plan).ok()?;
    let masks = cores::joined(&list, ",", Cores::mask);
    Some(format!("--cpu-bind=mask_cpu:{masks}").into())
}

fn is_bound_by_user(options: &Options) -> bool {
    const THEIRS: &[&str] = &[
        "cpu-bind",
        "c",
        "cpus-per-task",
        "B",
        "extra-node-info",
        "hint",
        "ntasks-per-core",
        "threads-per-core",
        "cores-per-socket",
        "ntasks-per-socket",
    ];
    const VARIABLES: &[&str] = &["SLURM_CPU_BIND", "SLURM_CPUS_PER_TASK", "SLURM_HINT"];
    !spread_inside(options).is_empty()
        || options.iter().any(|given| given.is_one_of(THEIRS))
        || are_set(VARIABLES)
}

/// Whether the step is to have all cores of its hosts. In a job, `--exclusive` and `--exact` ask
/// for no more than the ranks need.
fn has_whole_hosts(options: &Options) -> bool {
    const LEAST: &[&str] = &["exclusive", "exact"];
    const VARIABLES: &[&str] = &["SLURM_EXCLUSIVE", "SLURM_EXACT"];
    if env::var_os(JOB).is_some() {
        let least = options.iter().any(|given| given.is_one_of(LEAST)) || are_set(VARIABLES);
        !least && *JOB_IS_EXCLUSIVE
    } else {
        // With a value others are kept away of whom not everybody is.
        let own =
            |given: &GivenOption| given.name() == Some("exclusive") && given.value(0).is_none();
        options.iter().any(own)
    }
}

/// Whether nobody else has cores of the hosts of this job, as `scontrol show job` tells it.
fn is_exclusive(job: &str) -> bool {
    job.split_whitespace()
        .any(|word| word == "OverSubscribe=NO")
}

fn are_set(variables: &[&str]) -> bool {
    variables.iter().any(|name| env::var_os(name).is_some())
}

/// What `--distribution` says of sockets and cores: `:cyclic` of `block:cyclic,Pack`.
pub(super) fn spread_inside(options: &Options) -> String {
    let given = options.last(|given| matches!(given.name(), Some("m" | "distribution")));
    let value = given.and_then(|given| given.value(0)).unwrap_or_default();
    let levels = value.split(',').next().unwrap_or_default();
    levels
        .split_once(':')
        .map_or_else(String::new, |(_, inside)| format!(":{inside}"))
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
    }
}
