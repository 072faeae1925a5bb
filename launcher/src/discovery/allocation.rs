//! The hosts of a job before it starts, from the launch or from the batch system.

use crate::traces;
use rankfold_cache::{Host, cluster};
use rankfold_launch::config::SiteSettings;
use rankfold_launch::launch::{GivenOption, Launch, Role, host_lists};
use rankfold_launch::placement::canonical;
use rankfold_machine::HostList;
use std::collections::HashMap;
use std::env;

/// The hosts of a launch, in the order in which they are given; `None` where neither the launch nor
/// the batch system names any.
pub(crate) fn allocation(launch: Option<&Launch>) -> Option<Vec<Host>> {
    let of_role = |role| launch.map_or_else(|| Some(Vec::new()), |launch| listed(launch, role));
    let (named, excluded) = (of_role(Role::Hosts)?, of_role(Role::ExcludedHosts)?);
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

/// The name of the cluster that a launch runs on: the configured one, or that of its hosts.
pub(crate) fn cluster_of_launch(settings: &SiteSettings, launch: &Launch) -> String {
    settings.cluster_or(|| cluster_of(Some(launch), allocation(Some(launch)).as_deref()))
}

/// The hosts that the options with this role name; `None` where one of them cannot be read.
fn listed(launch: &Launch, role: Role) -> Option<Vec<Host>> {
    let options = launch.apps.iter().flat_map(|app| app.options.iter());
    let lists = options.filter(|given| given.role == role).map(hosts);
    Some(lists.collect::<Option<Vec<_>>>()?.concat())
}

/// The hosts that an option names, in a file or in a list. A host that a list names once has one
/// slot.
fn hosts(given: &GivenOption) -> Option<Vec<Host>> {
    let by_default = (!given.names_a_file()).then_some(1);
    Some(known(&given.hosts()?, by_default))
}

/// The hosts of a list; `by_default` is the number of slots of a host that has none there. Hosts
/// without slots take no rank.
fn known(list: &HostList, by_default: Option<u32>) -> Vec<Host> {
    let hosts = list.hosts().iter().map(|host| Host {
        name: host.name.clone(),
        slots: host.slots.or(by_default),
    });
    hosts.filter(|host| host.slots != Some(0)).collect()
}

/// The hosts that the batch system gives, from environment variables.
fn environment() -> Option<Vec<Host>> {
    let list = host_lists::of_environment()?;
    let hosts = known(&list, None);
    if env::var_os(host_lists::SLURM).is_none() {
        return Some(hosts);
    }
    let tasks = env::var("SLURM_TASKS_PER_NODE").or_else(|_| env::var("SLURM_JOB_CPUS_PER_NODE"));
    let mut slots = repeated(&tasks.unwrap_or_default()).into_iter();
    let with_slots = hosts.into_iter().map(|host| Host {
        slots: slots.next(),
        ..host
    });
    Some(with_slots.collect())
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
    use rankfold_launch::launchers;

    fn known_hosts(text: &str) -> Vec<(String, Option<u32>)> {
        let hosts = known(&HostList::from_text(text, "hosts").unwrap(), None);
        let hosts = hosts.into_iter();
        hosts.map(|host| (host.name, host.slots)).collect()
    }

    #[test]
    fn host_files_of_all_launchers_are_read() {
        let entry = |name: &str, slots| (name.to_owned(), slots);
        let text = "# hosts\nn0 slots=2 max_slots=4\nn1:3\n\nuser@n2\nn3*4\nn4 slots=0\n";
        let expected = [
            entry("n0", Some(2)),
            entry("n1", Some(3)),
            entry("n2", None),
            entry("n3", Some(4)),
        ];
        assert_eq!(known_hosts(text), expected);
        let repeated = [entry("n0", Some(2)), entry("n1", Some(1))];
        assert_eq!(known_hosts("n0\nn1\nn0\n"), repeated);
    }

    #[test]
    fn hosts_of_a_list_that_cannot_be_read_are_not_known() {
        let line = ["mpirun.openmpi", "--host", "a,b=", "./a"];
        let launch = launchers::understand(&line.map(Into::into)).unwrap();
        assert!(allocation(Some(&launch)).is_none());
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
