//! Binds ranks to the cores of a plan by srun's `--cpu-bind`.

use super::cores;
use crate::launch::{GivenOption, Options};
use crate::placement::PlacementPlan;
use crate::tool;
use rankfold_wire::Cores;
use std::env;
use std::ffi::OsString;
use std::sync::LazyLock;
use std::time::Duration;

const WHOLE_HOSTS: &str = "srun binds ranks to a list of cores only where the job has whole hosts, which --exclusive asks for";

/// Longest wait for the controller. Chosen by hand; not measured.
const PATIENCE: Duration = Duration::from_secs(5);

/// The environment variable with the number of the job that this process belongs to.
const JOB: &str = "SLURM_JOB_ID";

/// Whether the job that this process belongs to has whole hosts. The answer is needed twice, for
/// the choice of the placing method and for the placing, and the controller is asked once.
static JOB_IS_EXCLUSIVE: LazyLock<bool> = LazyLock::new(|| {
    let job = env::var(JOB).unwrap_or_default();
    let shown = ["-o", "show", "job", &job];
    let told = tool::output("scontrol", &shown, PATIENCE);
    told.is_ok_and(|text| text.is_some_and(|text| is_exclusive(&text)))
});

/// Checks that ranks can be bound by a list of masks: the user does not bind them, one list serves
/// all hosts, and the ranks may use all cores of their hosts. Without all cores srun refuses to
/// start.
///
/// # Errors
/// The reason why ranks cannot be bound.
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

/// The option that binds ranks to the cores of the plan; `None` where [`bind`] gives a reason
/// against it.
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

/// Whether the step gets all cores of its hosts. Inside a job, `--exclusive` and `--exact` give a
/// step only the cores that its ranks need.
fn has_whole_hosts(options: &Options) -> bool {
    const LEAST: &[&str] = &["exclusive", "exact"];
    const VARIABLES: &[&str] = &["SLURM_EXCLUSIVE", "SLURM_EXACT"];
    if env::var_os(JOB).is_some() {
        let least = options.iter().any(|given| given.is_one_of(LEAST)) || are_set(VARIABLES);
        !least && *JOB_IS_EXCLUSIVE
    } else {
        // With a value, `--exclusive` keeps only some other jobs away, such as those of other
        // users.
        let own =
            |given: &GivenOption| given.name() == Some("exclusive") && given.value(0).is_none();
        options.iter().any(own)
    }
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

fn are_set(variables: &[&str]) -> bool {
    variables.iter().any(|name| env::var_os(name).is_some())
}

/// The part of `--distribution` about sockets and cores: `:cyclic` of `block:cyclic,Pack`.
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
        let in_26_05 = |exclusive: &str| {
            is_exclusive(&format!(
                "JobId=7 NumCPUs=4 OverSubscribe=NO Exclusive={exclusive} Contiguous=0"
            ))
        };
        assert!(in_26_05("NODE"));
        assert!(!in_26_05("NO") && !in_26_05("USER") && !in_26_05("TOPO"));
    }
}
