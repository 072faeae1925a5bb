//! What a process finds out about its host without communication: the position of the host in the
//! network, and the inside of the host.

use crate::cores::Cores;
use crate::cray;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

/// A host, as one process on it sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    /// Name of the host, from `gethostname`.
    pub host: String,
    /// The switches from the root of the network down to the host, which Slurm gives its tasks in
    /// `SLURM_TOPOLOGY_ADDR`. Where that names no switch, the cabinet and the chassis of a host of
    /// HPE Cray EX. Empty where neither is known.
    pub address: String,
    /// Bits per second of the fastest network port; 0 if unknown.
    pub rate: u64,
    /// The first processor of every core that the job may use, as a list such as `0-3,8-11`, in the
    /// order in which `levels` count the cores.
    pub cores: String,
    /// The levels inside the host, from the outermost inwards.
    pub levels: Vec<HostLevel>,
}

/// A level inside a host: groups of cores that share something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostLevel {
    /// What the cores of a group share: `package`, `numa` or `l3`.
    pub name: String,
    /// Number of cores in each group, in order.
    pub cores: Vec<u32>,
}

/// The numbers of a core's package, NUMA node and level-3 cache, where the system gives them.
type CorePosition = [Option<u32>; 3];

const NAMES: [&str; 3] = ["package", "numa", "l3"];

impl Surroundings {
    /// Reads what this process sees of its host.
    #[must_use]
    pub fn of_process(host: &str) -> Self {
        let mut seen = Self::read(Path::new("/"));
        seen.host = host.to_owned();
        seen.address = env::var("SLURM_TOPOLOGY_ADDR").unwrap_or_default();
        // Without a topology of its own, Slurm gives the name of the host alone.
        if !seen.address.contains('.')
            && let Some(address) = cray::address(Path::new("/"), host)
        {
            seen.address = address;
        }
        seen
    }

    /// Reads the inside of the host and the rate of its ports from the system files below `root`.
    /// Files that cannot be read are skipped.
    #[must_use]
    pub fn read(root: &Path) -> Self {
        let places = places(&root.join("sys/devices/system"), &allowed(root));
        let mut order: Vec<(CorePosition, u32)> =
            places.into_iter().map(|(cpu, at)| (at, cpu)).collect();
        order.sort_unstable();
        let cpus: Vec<u32> = order.iter().map(|(_, cpu)| *cpu).collect();
        Self {
            rate: rate(&root.join("sys/class")),
            cores: list(&cpus),
            levels: levels(&order),
            ..Self::default()
        }
    }

    /// The number of cores.
    #[must_use]
    pub fn core_count(&self) -> u32 {
        self.core_numbers().len() as u32
    }

    /// The first processor of every core, in the order in which `levels` count the cores.
    #[must_use]
    pub fn core_numbers(&self) -> Vec<u32> {
        self.cores.split(',').flat_map(cpus).collect()
    }

    /// Approximate size of the value in a file, as a number of integers.
    pub(crate) fn size(&self) -> usize {
        let groups: usize = self.levels.iter().map(|level| level.cores.len()).sum();
        16 + self.cores.len() / 8 + groups
    }
}

/// The processors of a list such as `0-3,8`; none if the text is no list.
fn cpus(list: &str) -> Vec<u32> {
    let list: Cores = list.trim().parse().unwrap_or_default();
    list.numbers().to_vec()
}

/// Writes a list like [`Cores`], but keeps the given order.
fn list(cpus: &[u32]) -> String {
    let runs = cpus.chunk_by(|a, b| a + 1 == *b);
    let texts: Vec<String> = runs
        .map(|run| match run {
            [one] => one.to_string(),
            _ => format!("{}-{}", run[0], run[run.len() - 1]),
        })
        .collect();
    texts.join(",")
}

/// The processors that the job may use: those of its control group. Without a control group, those
/// of this process and of the process that started it; the launcher may have bound this process to
/// some of the job's processors.
fn allowed(root: &Path) -> BTreeSet<u32> {
    let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    let groups = text("proc/self/cgroup");
    let group = groups.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':');
        let (_, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
        let unified = controllers.is_empty();
        let cpuset = controllers.split(',').any(|name| name == "cpuset");
        let (mount, file) = if unified {
            ("sys/fs/cgroup", "cpuset.cpus.effective")
        } else {
            ("sys/fs/cgroup/cpuset", "cpuset.effective_cpus")
        };
        (unified || cpuset).then(|| cpus(&text(&format!("{mount}{path}/{file}"))))
    });
    match group {
        Some(group) if !group.is_empty() => group.into_iter().collect(),
        _ => {
            let own = text("proc/self/status");
            let parent = field(&own, "PPid").unwrap_or("self");
            let above = text(&format!("proc/{parent}/status"));
            let of = |status| cpus(field(status, "Cpus_allowed_list").unwrap_or_default());
            of(&own).into_iter().chain(of(&above)).collect()
        }
    }
}

/// The value in a line `NAME:  VALUE`.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
}

/// The position of each core, by the first of its processors that the job may use.
fn places(system: &Path, allowed: &BTreeSet<u32>) -> BTreeMap<u32, CorePosition> {
    let nodes = nodes(&system.join("node"));
    let text = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let mut places = BTreeMap::new();
    for cpu in cpus(&text(&system.join("cpu/online"))) {
        let at = system.join(format!("cpu/cpu{cpu}"));
        let siblings = cpus(&text(&at.join("topology/thread_siblings_list")));
        let first = siblings.into_iter().find(|one| allowed.contains(one));
        if !allowed.contains(&cpu) || first.is_some_and(|first| first != cpu) {
            continue;
        }
        let package = text(&at.join("topology/physical_package_id"));
        // Some virtual machines report -1.
        let package = package.trim().parse().ok();
        let cache = third(&at.join("cache"));
        places.insert(cpu, [package, nodes.get(&cpu).copied(), cache]);
    }
    places
}

/// The NUMA node of each processor.
fn nodes(directory: &Path) -> BTreeMap<u32, u32> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut nodes = BTreeMap::new();
    for entry in entries {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("node"));
        let Some(node) = number.and_then(|number| number.parse().ok()) else {
            continue;
        };
        let list = fs::read_to_string(entry.path().join("cpulist")).unwrap_or_default();
        nodes.extend(cpus(&list).into_iter().map(|cpu| (cpu, node)));
    }
    nodes
}

/// A number for the level-3 cache: the first processor that shares the cache.
fn third(caches: &Path) -> Option<u32> {
    let entries = fs::read_dir(caches).ok()?.flatten();
    let mut found = entries.filter(|entry| {
        let level = fs::read_to_string(entry.path().join("level"));
        level.is_ok_and(|level| level.trim() == "3")
    });
    let list = fs::read_to_string(found.next()?.path().join("shared_cpu_list")).ok()?;
    cpus(&list).into_iter().min()
}

/// The levels that group the cores, whose order is given. Levels that repeat the groups of the
/// level above are left out.
fn levels(order: &[(CorePosition, u32)]) -> Vec<HostLevel> {
    let mut levels: Vec<HostLevel> = Vec::new();
    for (kind, name) in NAMES.into_iter().enumerate() {
        if order.iter().any(|(place, _)| place[kind].is_none()) {
            continue;
        }
        let runs = order.chunk_by(|a, b| a.0[..=kind] == b.0[..=kind]);
        let cores: Vec<u32> = runs.map(|run| run.len() as u32).collect();
        let says_something = cores.len() > 1 && cores.len() < order.len();
        if says_something && levels.last().is_none_or(|above| above.cores != cores) {
            levels.push(HostLevel {
                name: name.to_owned(),
                cores,
            });
        }
    }
    levels
}

/// Bits per second of the fastest port of an InfiniBand adapter or a network card.
fn rate(class: &Path) -> u64 {
    let entries = |directory: &Path| {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let infiniband = entries(&class.join("infiniband"));
    let ports = infiniband
        .iter()
        .flat_map(|device| entries(&device.join("ports")));
    // The file holds a text such as "200 Gb/sec (4X HDR)".
    let fast = ports.filter_map(|port| {
        let text = fs::read_to_string(port.join("rate")).ok()?;
        let gigabits: f64 = text.split_whitespace().next()?.parse().ok()?;
        Some((gigabits * 1e9) as u64)
    });
    // Bridges, tunnels and the loopback interface have no `device`. The speed is in Mbit/s, and -1
    // if the port is down.
    let cards = entries(&class.join("net"))
        .into_iter()
        .filter(|card| card.join("device").exists());
    let slow = cards.filter_map(|card| {
        let text = fs::read_to_string(card.join("speed")).ok()?;
        Some(text.trim().parse::<u64>().ok()?.saturating_mul(1_000_000))
    });
    fast.chain(slow).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server with two packages of two NUMA nodes of two cores of two threads each. Linux numbers
    /// second threads last.
    fn server(root: &Path) {
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("sys/devices/system/cpu/online", "0-15\n");
        for cpu in 0..16 {
            let core = cpu % 8;
            let at = format!("sys/devices/system/cpu/cpu{cpu}");
            let file = |name: &str, text: String| write(&format!("{at}/{name}"), &text);
            file("topology/physical_package_id", format!("{}\n", core % 2));
            file(
                "topology/thread_siblings_list",
                format!("{core},{}\n", core + 8),
            );
            file("cache/index0/level", "1\n".into());
            file("cache/index3/level", "3\n".into());
            let sharing = core % 2 + core / 4 * 4;
            file(
                "cache/index3/shared_cpu_list",
                format!("{sharing},{}\n", sharing + 2),
            );
        }
        for node in 0..4 {
            let first = node / 2 + node % 2 * 4;
            let list = format!("{first},{},{},{}\n", first + 2, first + 8, first + 10);
            write(
                &format!("sys/devices/system/node/node{node}/cpulist"),
                &list,
            );
        }
        write(
            "sys/class/infiniband/mlx5_0/ports/1/rate",
            "200 Gb/sec (4X HDR)\n",
        );
        write("sys/class/net/eth0/device/vendor", "x");
        write("sys/class/net/eth0/speed", "25000\n");
        write("sys/class/net/br0/speed", "900000\n");
        write(
            "proc/self/status",
            "PPid:\t7\nCpus_allowed:\tff\nCpus_allowed_list:\t3\n",
        );
        write("proc/7/status", "Cpus_allowed_list:\t0-15\n");
        write("proc/self/cgroup", "0::/job\n");
    }

    fn level(name: &str, cores: &[u32]) -> HostLevel {
        HostLevel {
            name: name.into(),
            cores: cores.into(),
        }
    }

    #[test]
    fn cores_come_depth_first_with_their_packages_and_memories() {
        let root = tempfile::tempdir().unwrap();
        server(root.path());
        let seen = Surroundings::read(root.path());
        assert_eq!(seen.cores, "0,2,4,6,1,3,5,7");
        assert_eq!(seen.core_count(), 8);
        assert_eq!(seen.core_numbers(), [0, 2, 4, 6, 1, 3, 5, 7]);
        // Caches and NUMA nodes group the cores alike, so there is no level for caches.
        let levels = [level("package", &[4, 4]), level("numa", &[2, 2, 2, 2])];
        assert_eq!(seen.levels, levels);
        assert_eq!(seen.rate, 200_000_000_000);
    }

    #[test]
    fn a_control_group_says_which_cores_are_the_jobs() {
        let root = tempfile::tempdir().unwrap();
        server(root.path());
        let group = root.path().join("sys/fs/cgroup/job");
        fs::create_dir_all(&group).unwrap();
        fs::write(group.join("cpuset.cpus.effective"), "2,4,10,12-13\n").unwrap();
        let seen = Surroundings::read(root.path());
        assert_eq!(seen.cores, "2,4,13");
        assert_eq!(seen.levels, [level("package", &[2, 1])]);
    }

    #[test]
    fn a_system_that_tells_nothing_has_no_inside() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(Surroundings::read(root.path()), Surroundings::default());
        let here = Surroundings::of_process("n0");
        assert_eq!(here.host, "n0");
        assert!(here.core_count() > 0, "this test runs on a core: {here:?}");
    }

    #[test]
    fn lists_keep_the_order_of_the_cores() {
        assert_eq!(list(&[0, 2, 4, 1, 2, 3]), "0,2,4,1-3");
        assert_eq!(cpus("8,0-3\n"), [0, 1, 2, 3, 8]);
        assert_eq!(cpus("0-2, x"), []);
    }
}
