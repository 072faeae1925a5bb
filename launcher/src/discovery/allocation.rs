//! The hosts of a job before it starts, from the launch or from the batch system.

use crate::cache::{Host, cluster};
use crate::launch::{GivenOption, Launch, Role};
use crate::placement::canonical;
use crate::traces;
use rankfold_importers::expand_hosts;
use std::collections::HashMap;
use std::env;
use std::fs;
use std::path::Path;

/// The hosts of a launch, in the order in which they are given; `None` where neither the launch nor
/// the batch system names any.
pub(crate) fn allocation(launch: Option<&Launch>) -> Option<Vec<Host>> {
    let named = launch.map_or_else(Vec::new, |launch| listed(launch, Role::Hosts));
    let excluded = launch.map_or_else(Vec::new, |launch| listed(launch, Role::ExcludedHosts));
    let mut found = if named.is_empty() {
        environment()?
    } else {
        named
    };
    let excluded: Vec<String> = excluded.iter().map(|host| canonical(&host.name)).collect();
    found.retain(|host| !excluded.contains(&canonical(&host.name)));
    Some(merged(found)).filter(|hosts| !hosts.is_empty())
}

/// The name of the cluster that a launch runs on. `allocation` holds the hosts of the launch, where
/// they are known; else this host stands for them.
pub(crate) fn cluster_of(launch: Option<&Launch>, allocation: Option<&[Host]>) -> String {
    let hosts = match allocation {
        Some(hosts) => hosts.iter().map(|host| host.name.clone()).collect(),
        None => vec![traces::host()],
    };
    cluster(
        &hosts,
        launch.is_some_and(|launch| launch.launcher.chooses_hosts()),
    )
}

/// The hosts that the options with this role name.
fn listed(launch: &Launch, role: Role) -> Vec<Host> {
    let options = launch.apps.iter().flat_map(|app| app.options.iter());
    options
        .filter(|given| given.role == role)
        .flat_map(hosts)
        .collect()
}

/// The hosts that an option names, in a file or in a list.
fn hosts(given: &GivenOption) -> Vec<Host> {
    let Some(value) = given.value(0) else {
        return Vec::new();
    };
    match fs::read_to_string(&value) {
        Ok(text) if Path::new(&value).is_file() => text.lines().filter_map(line).collect(),
        _ => {
            let names = expand_hosts(&value).unwrap_or_default();
            // A host that a list names once has one slot.
            let slot = |host: Host| Host {
                slots: host.slots.or(Some(1)),
                ..host
            };
            names
                .iter()
                .filter_map(|entry| line(entry))
                .map(slot)
                .collect()
        }
    }
}

/// The host in a line of a host file: `name`, `name:2`, `name slots=2 max_slots=4`, or `name*2`.
fn line(text: &str) -> Option<Host> {
    let mut words = text.split('#').next()?.split_whitespace();
    let first = words.next()?;
    let (name, count) = first.split_once([':', '*']).unwrap_or((first, ""));
    let slots = words.find_map(|word| word.strip_prefix("slots=")?.parse().ok());
    Some(Host {
        // `user@host` names the login on that host.
        name: name.rsplit('@').next()?.to_owned(),
        slots: slots.or_else(|| count.parse().ok()),
    })
}

/// The hosts that the batch system gives, from environment variables.
fn environment() -> Option<Vec<Host>> {
    if let Ok(list) = env::var("SLURM_JOB_NODELIST") {
        let names = expand_hosts(&list).ok()?;
        let tasks = env::var("SLURM_TASKS_PER_NODE")
            .or_else(|_| env::var("SLURM_JOB_CPUS_PER_NODE"))
            .unwrap_or_default();
        let mut slots = repeated(&tasks).into_iter();
        let host = |name| Host {
            name,
            slots: slots.next(),
        };
        return Some(names.into_iter().map(host).collect());
    }
    let files = [
        "PBS_NODEFILE",
        "LSB_DJOB_HOSTFILE",
        "COBALT_NODEFILE",
        "OAR_NODEFILE",
        "PE_HOSTFILE",
        "HYDRA_HOST_FILE",
        "I_MPI_HYDRA_HOST_FILE",
        "OMPI_MCA_orte_default_hostfile",
        "PRTE_MCA_prte_default_hostfile",
    ];
    let text = files
        .iter()
        .find_map(|name| fs::read_to_string(env::var_os(name)?).ok())?;
    Some(text.lines().filter_map(line).collect())
}

/// The numbers in Slurm's notation: `2(x3),1` stands for 2, 2, 2, 1.
fn repeated(text: &str) -> Vec<u32> {
    let item = |item: &str| {
        let (number, times) = item.split_once("(x").unwrap_or((item, "1)"));
        let times: usize = times.strip_suffix(')')?.parse().ok()?;
        Some(std::iter::repeat_n(
            number.parse().ok()?,
            times.min(1 << 20),
        ))
    };
    text.split(',').filter_map(item).flatten().collect()
}

/// Every host once. A host that is named several times gets the sum of the slots.
fn merged(hosts: Vec<Host>) -> Vec<Host> {
    let mut merged: Vec<Host> = Vec::new();
    let mut place = HashMap::new();
    for host in hosts {
        let next = merged.len();
        match *place.entry(host.name.clone()).or_insert(next) {
            new if new == next => merged.push(host),
            known => {
                let slots = &mut merged[known].slots;
                *slots = Some(slots.unwrap_or(1) + host.slots.unwrap_or(1));
            }
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launchers;

    fn told(text: &str) -> Vec<(String, Option<u32>)> {
        let hosts = merged(text.lines().filter_map(line).collect());
        hosts
            .into_iter()
            .map(|host| (host.name, host.slots))
            .collect()
    }

    #[test]
    fn host_files_of_all_launchers_are_read() {
        let entry = |name: &str, slots| (name.to_owned(), slots);
        let text = "# hosts\nn0 slots=2 max_slots=4\nn1:3\n\nuser@n2\nn3*4\n";
        let expected = [
            entry("n0", Some(2)),
            entry("n1", Some(3)),
            entry("n2", None),
            entry("n3", Some(4)),
        ];
        assert_eq!(told(text), expected);
        assert_eq!(
            told("n0\nn1\nn0\n"),
            [entry("n0", Some(2)), entry("n1", None)]
        );
    }

    #[test]
    fn excluded_hosts_are_not_the_jobs() {
        let line = ["srun", "-w", "n[0-3]", "--exclude=N1.cluster,n3", "./a"];
        let launch = launchers::understand(&line.map(Into::into)).unwrap();
        let found = allocation(Some(&launch)).unwrap();
        let names: Vec<String> = found.into_iter().map(|host| host.name).collect();
        assert_eq!(names, ["n0", "n2"]);
    }

    #[test]
    fn slurm_repeats_counts() {
        assert_eq!(repeated("2(x3),1"), [2, 2, 2, 1]);
        assert!(repeated("").is_empty());
        assert_eq!(repeated("x,4"), [4]);
    }
}
