//! Environment variables in which batch systems and launchers name the hosts of a job.

use rankfold_machine::HostList;
use std::env;
use std::path::Path;

/// The list of Slurm.
pub const SLURM: &str = "SLURM_JOB_NODELIST";

/// Variables that hold a list.
const LISTS: &[&str] = &[SLURM, "LSB_MCPU_HOSTS", "LSB_HOSTS"];

/// Variables that hold the name of a file with a list.
const FILES: &[&str] = &[
    "PBS_NODEFILE",
    "LSB_AFFINITY_HOSTFILE",
    "LSB_DJOB_HOSTFILE",
    "COBALT_NODEFILE",
    "OAR_NODEFILE",
    "OAR_NODE_FILE",
    "PE_HOSTFILE",
    "HYDRA_HOST_FILE",
    "I_MPI_HYDRA_HOST_FILE",
    "OMPI_MCA_orte_default_hostfile",
    "PRTE_MCA_prte_default_hostfile",
];

/// The hosts that the first of the variables that can be read names.
pub fn of_environment() -> Option<HostList> {
    let listed = |name: &&str| HostList::from_list(&env::var(name).ok()?).ok();
    let in_file = |name: &&str| {
        let file = env::var(name).ok()?;
        let is_file = Path::new(&file).is_file();
        is_file.then(|| HostList::parse(&file).ok()).flatten()
    };
    let list = LISTS.iter().find_map(listed);
    list.or_else(|| FILES.iter().find_map(in_file))
}

/// Whether any of the variables is set.
pub fn are_in_environment() -> bool {
    let mut names = LISTS.iter().chain(FILES);
    names.any(|name| env::var_os(name).is_some())
}
