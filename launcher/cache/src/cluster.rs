//! The name of a cluster, under which maps, machines and measured times are stored.
//!
//! Where the configuration has no name, the name comes from the batch system, and else from a
//! fingerprint. The fingerprint is made of the names of the hosts with `#`
//! in place of numbers, and of the network interfaces of the launching host. So hosts of the same
//! names on another network have another name, and so have hosts that are called otherwise.

use super::key::digits_out;
use rankfold_launch::placement::canonical;
use rankfold_launch::slurm;
use std::env;
use std::fs;
use std::path::Path;

/// The name of the cluster with these hosts. `by_batch_system` says whether a batch system chooses
/// the hosts of the launch.
pub fn cluster(hosts: &[String], by_batch_system: bool) -> String {
    let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let by_slurm = || {
        let asked = by_batch_system || slurm::is_in_job();
        asked.then(slurm::cluster_name).flatten()
    };
    let by_pbs = || {
        let server = server_of_job(&set("PBS_JOBID")?);
        server
            .or_else(|| set("PBS_SERVER"))
            .or_else(|| set("PBS_DEFAULT"))
    };
    by_slurm()
        .or_else(|| set("LSB_CLUSTER_NAME"))
        .or_else(by_pbs)
        .unwrap_or_else(|| fingerprint(hosts, &network()))
}

/// The server in the number of a job of PBS: `pbs1` of `123.pbs1` and of `123[4].pbs1.site`.
fn server_of_job(job: &str) -> Option<String> {
    let (_, server) = job.split_once('.')?;
    let server = server.split('.').next()?;
    (!server.is_empty()).then(|| server.to_owned())
}

/// The most frequent host name with `#` in place of numbers, and a checksum of all such names and
/// of the network.
fn fingerprint(hosts: &[String], network: &[String]) -> String {
    let mut patterns: Vec<String> = hosts
        .iter()
        .map(|host| digits_out(&canonical(host)))
        .collect();
    patterns.sort_unstable();
    let runs = patterns.chunk_by(|a, b| a == b);
    let most = runs.max_by_key(|run| run.len());
    let most = most.map_or_else(|| "hosts".into(), |run| run[0].clone());
    patterns.dedup();
    let whole = format!("{patterns:?} {network:?}");
    format!("{most}-{:08x}", crc32fast::hash(whole.as_bytes()))
}

/// What tells the network of this host from others: the addresses of its network interfaces, or
/// else the identity of its operating system.
fn network() -> Vec<String> {
    let addresses = interfaces(Path::new("/sys/class/net"));
    if addresses.is_empty() {
        let identity = fs::read_to_string("/etc/machine-id").unwrap_or_default();
        return vec![identity.trim().to_owned()];
    }
    addresses
}

/// The hardware addresses of network interfaces, sorted. Addresses that interfaces have for good
/// count alone where there are any: others change whenever a container or a tunnel begins.
fn interfaces(directory: &Path) -> Vec<String> {
    /// The value of `addr_assign_type` of an address that the hardware has for good.
    const PERMANENT: &str = "0";
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let read = |path: &Path, name: &str| {
        let text = fs::read_to_string(path.join(name)).ok()?;
        Some(text.trim().to_owned())
    };
    let mut all: Vec<(bool, String)> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let address = read(&path, "address")?;
            let kind = read(&path, "addr_assign_type").unwrap_or_default();
            // The loopback and some tunnels have no address, or zeros.
            let is_address = address.chars().any(|c| c.is_ascii_hexdigit() && c != '0');
            is_address.then_some((kind == PERMANENT, address))
        })
        .collect();
    if all.iter().any(|(permanent, _)| *permanent) {
        all.retain(|(permanent, _)| *permanent);
    }
    let mut addresses: Vec<String> = all.into_iter().map(|(_, address)| address).collect();
    addresses.sort_unstable();
    addresses
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(hosts: &[&str]) -> Vec<String> {
        hosts.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn clusters_without_a_name_differ_by_their_hosts_and_by_their_network() {
        let [one, other] = ["02:00:00:00:00:01", "02:00:00:00:00:02"].map(|a| vec![a.to_owned()]);
        let first = fingerprint(&names(&["n1", "n2"]), &one);
        assert!(first.starts_with("n#-"), "{first}");
        assert_eq!(first, fingerprint(&names(&["n3", "N12.site"]), &one));
        assert_ne!(first, fingerprint(&names(&["n1", "n2"]), &other));
        assert_ne!(first, fingerprint(&names(&["n1", "gpu1"]), &one));
        assert_ne!(first, fingerprint(&names(&["m1", "m2"]), &one));
    }

    #[test]
    fn the_server_of_pbs_is_behind_the_number_of_the_job() {
        assert_eq!(server_of_job("123.pbs1").as_deref(), Some("pbs1"));
        assert_eq!(server_of_job("123[4].pbs1.site").as_deref(), Some("pbs1"));
        assert_eq!(server_of_job("123"), None);
    }

    #[test]
    fn addresses_that_hardware_has_for_good_count_alone_where_there_are_any() {
        let scratch = tempfile::tempdir().unwrap();
        let interface = |name: &str, address: &str, kind: &str| {
            let directory = scratch.path().join(name);
            fs::create_dir(&directory).unwrap();
            fs::write(directory.join("address"), format!("{address}\n")).unwrap();
            fs::write(directory.join("addr_assign_type"), format!("{kind}\n")).unwrap();
        };
        interface("lo", "00:00:00:00:00:00", "0");
        interface("veth1", "0a:00:00:00:00:01", "1");
        assert_eq!(interfaces(scratch.path()), ["0a:00:00:00:00:01"]);
        interface("eth0", "ac:00:00:00:00:01", "0");
        assert_eq!(interfaces(scratch.path()), ["ac:00:00:00:00:01"]);
    }
}
