//! Imports what Azure's cyclecloud-slurm asks of every host: the NVLink domain, and the ports and
//! leaf switches of InfiniBand.

use super::super::technology::Technology;
use super::super::{Importer, Result, Source, SourceLine, lines};
use super::{Instances, without_label};
use rankfold_machine::hosts::expand;
use std::collections::{BTreeMap, HashMap};

pub(in super::super) const IMPORTER: Importer = Importer {
    name: "azure",
    about: "lines `HOST: ClusterUUID CliqueId` of nvidia-smi, lines `HOST: 0xGUID` of ibstat with the topology file of `sharp_cmd topology`, or both, as cyclecloud-slurm gathers them (topology.conf of azslurm: slurm)",
    recognises: |source| {
        let statements = lines(source).map(|(place, line)| Statement::of(place, line));
        let statements: Result<Vec<_>, _> = statements.collect();
        statements.is_ok_and(|statements| statements.iter().any(Option::is_some))
    },
    for_job: None,
    technology: Technology::Credits,
    read,
};

fn read(sources: &[Source]) -> Result<super::super::Description> {
    let mut hosts: Vec<(SourceLine, String)> = Vec::new();
    let (mut cliques, mut port_hosts, mut leaves) = (HashMap::new(), HashMap::new(), Vec::new());
    for source in sources {
        for (place, line) in lines(source) {
            let Some(statement) = Statement::of(place, line)? else {
                continue;
            };
            if let Statement::Clique(host, _) | Statement::Port(host, _) = &statement
                && !hosts.iter().any(|(_, known)| known == host)
            {
                hosts.push((place, host.clone()));
            }
            match statement {
                Statement::Clique(host, clique) => drop(cliques.insert(host, clique)),
                Statement::Port(host, guid) => drop(port_hosts.insert(guid, host)),
                Statement::Leaf(guids) => leaves.push((place, guids)),
            }
        }
    }
    let torsets = torsets(&leaves, &port_hosts)?;
    let mut instances = Instances::default();
    for (place, host) in hosts {
        let torset = torsets.get(&host).cloned();
        let clique = cliques.get(&host).cloned().flatten();
        let above: Vec<String> = torset.into_iter().chain(clique).collect();
        // A host of no switch and no NVLink domain tells nothing about the network.
        if !above.is_empty() {
            instances.add(place, host, above);
        }
    }
    instances.describe(sources, "an NVLink domain or a port at a leaf switch")
}

/// The leaf switch of every host: the first one that one of its ports hangs off.
fn torsets(
    leaves: &[(SourceLine, Vec<u64>)],
    port_hosts: &HashMap<u64, String>,
) -> Result<BTreeMap<String, String>> {
    let mut torsets: BTreeMap<String, String> = BTreeMap::new();
    for (place, guids) in leaves {
        let known: Option<Vec<&String>> = guids.iter().map(|guid| port_hosts.get(guid)).collect();
        let Some(hosts) = known else {
            let lost = guids.iter().find(|guid| !port_hosts.contains_key(guid));
            let lost = lost.copied().unwrap_or_default();
            return Err(place.bad(format!(
                "no host has a port {lost:#x}: add its line `HOST: {lost:#x}`"
            )));
        };
        // The other ports of the hosts of one leaf hang off further switches of the same set.
        let set = hosts.iter().find_map(|host| torsets.get(*host).cloned());
        let count = torsets
            .values()
            .collect::<std::collections::BTreeSet<_>>()
            .len();
        let set = set.unwrap_or_else(|| format!("torset-{count:02}"));
        for host in hosts {
            torsets.entry(host.clone()).or_insert_with(|| set.clone());
        }
    }
    Ok(torsets)
}

/// What a line says.
enum Statement {
    /// The NVLink domain of a host; `None` where its GPUs are in none.
    Clique(String, Option<String>),
    /// A port of a host.
    Port(String, u64),
    /// The ports at one leaf switch.
    Leaf(Vec<u64>),
}

impl Statement {
    /// Reads a line; `None` for a comment, or for a switch that has no hosts.
    fn of(place: SourceLine, line: &str) -> Result<Option<Self>> {
        let line = line.trim_matches('"');
        if line.starts_with('#') {
            return Ok(None);
        }
        if line.starts_with("SwitchName=") {
            return switch(place, line);
        }
        let words: Vec<&str> = without_label(line).split_whitespace().collect();
        let unknown = || {
            place.bad(format!(
                "{line:?} is neither `HOST: ClusterUUID CliqueId` nor `HOST: 0xGUID`"
            ))
        };
        let [host, rest @ ..] = &words[..] else {
            return Err(unknown());
        };
        let host = host.strip_suffix(':').filter(|host| !host.is_empty());
        let host = host.ok_or_else(unknown)?.to_owned();
        let statement = match rest {
            [guid] if guid.starts_with("0x") => Self::Port(host, number(place, guid)?),
            [uuid] | [uuid, _] if is_uuid(uuid) => {
                let in_domain = uuid.chars().any(|c| c != '0' && c != '-');
                Self::Clique(host, in_domain.then(|| rest.join(".")))
            }
            // nvidia-smi prints this of GPUs without a fabric.
            ["N/A"] | ["N/A", "N/A"] => Self::Clique(host, None),
            _ => return Err(unknown()),
        };
        Ok(Some(statement))
    }
}

/// Reads a line `SwitchName=ibsw2 Nodes=0x155dfffd341acb,0x155dfffd341b0b`.
fn switch(place: SourceLine, line: &str) -> Result<Option<Statement>> {
    let nodes = line
        .split_whitespace()
        .find_map(|word| word.strip_prefix("Nodes="));
    let Some(nodes) = nodes else {
        return Ok(None);
    };
    let guids = expand(nodes).map_err(|problem| place.bad(problem))?;
    let guids = guids.iter().map(|guid| number(place, guid));
    Ok(Some(Statement::Leaf(guids.collect::<Result<_, _>>()?)))
}

/// Reads the GUID of a port, with or without leading zeros.
fn number(place: SourceLine, guid: &str) -> Result<u64> {
    let digits = guid.strip_prefix("0x").filter(|digits| !digits.is_empty());
    let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    number.ok_or_else(|| place.bad(format!("{guid:?} is no GUID of a port")))
}

/// Whether a text is of the form 5e797fc6-0f46-421a-8724-0e102c0f723c.
fn is_uuid(text: &str) -> bool {
    let parts: Vec<usize> = text.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{problem, read, recognised};
    use super::*;

    const CLIQUES: &str = "hpc-1: 5e797fc6-0f46-421a-8724-0e102c0f723c 32766\n\
        hpc-2: 5e797fc6-0f46-421a-8724-0e102c0f721e 32766\n\
        hpc-3: 5e797fc6-0f46-421a-8724-0e102c0f723c 32766\n";

    /// Each host has two ports, at two switches of the same set.
    const PORTS: &str = "hpc-1: 0x00155dfffd33ff33\nhpc-1: 0x155dfffd33ff34\n\
        hpc-2: 0x155dfffd33ff43\nhpc-2: 0x155dfffd33ff44\n\
        hpc-3: 0x155dfffd33ff53\nhpc-3: 0x155dfffd33ff54\n";

    const SWITCHES: &str = "SwitchName=ibsw0 Switches=ibsw[1-3]\n\
        SwitchName=ibsw1 Nodes=0x155dfffd33ff33,0x155dfffd33ff43\n\
        SwitchName=ibsw2 Nodes=0x155dfffd33ff34,0x155dfffd33ff44\n\
        SwitchName=ibsw3 Nodes=0x155dfffd33ff53,0x155dfffd33ff54\n";

    #[test]
    fn hosts_of_one_nvlink_domain_are_together() {
        assert_eq!(recognised(CLIQUES), Some("azure"));
        let machine = read(&IMPORTER, &[CLIQUES]).unwrap();
        assert_eq!(machine.hosts, ["hpc-1", "hpc-3", "hpc-2"]);
        assert_eq!(machine.switches.len(), 3);
        assert_eq!(
            machine.switches[1],
            "5e797fc6-0f46-421a-8724-0e102c0f723c.32766"
        );
        let none = CLIQUES.replace("5e797fc6-0f46-421a-8724-0e102c0f721e 32766", "N/A N/A");
        assert_eq!(read(&IMPORTER, &[&none]).unwrap().hosts, ["hpc-1", "hpc-3"]);
    }

    #[test]
    fn hosts_whose_ports_share_a_switch_are_one_torset() {
        assert_eq!(recognised(PORTS), Some("azure"));
        assert_eq!(recognised(SWITCHES), Some("azure"));
        let machine = read(&IMPORTER, &[SWITCHES, PORTS]).unwrap();
        assert_eq!(machine.hosts, ["hpc-1", "hpc-2", "hpc-3"]);
        assert_eq!(machine.switches, ["network", "torset-00", "torset-01"]);
        let four = format!("{CLIQUES}hpc-4: 5e797fc6-0f46-421a-8724-0e102c0f721e 32766\n");
        let ports = format!("{PORTS}hpc-4: 0x155dfffd33ff63\n");
        let switches = SWITCHES.replace("ff54\n", "ff54,0x155dfffd33ff63\n");
        let both = read(&IMPORTER, &[&four, &ports, &switches]).unwrap();
        assert_eq!(both.hosts, ["hpc-1", "hpc-2", "hpc-3", "hpc-4"]);
    }

    #[test]
    fn what_azslurm_writes_is_slurms() {
        let written = "# Number of Nodes in block1: 2\n# ClusterUUID and CliqueID: 5e797fc6 32766\n\
            BlockName=block1 Nodes=hpc-1,hpc-3\nBlockName=block2 Nodes=hpc-2\nBlockSizes=1\n";
        assert_eq!(recognised(written), Some("slurm"));
    }

    #[test]
    fn damaged_copies_are_told_with_their_line() {
        for (texts, expected) in [
            (
                &["hpc-1: 5e797fc6"][..],
                "t.json:1: \"hpc-1: 5e797fc6\" is neither",
            ),
            (&["hpc-1 0x1f"], "t.json:1: \"hpc-1 0x1f\" is neither"),
            (&["hpc-1: 0x1g"], "t.json:1: \"0x1g\" is no GUID"),
            (
                &[PORTS, "SwitchName=s Nodes=0x77"],
                "t.json:1: no host has a port 0x77",
            ),
            (
                &[PORTS, "SwitchName=s Nodes=0x"],
                "t.json:1: \"0x\" is no GUID",
            ),
            (
                &[PORTS],
                "no host has an NVLink domain or a port at a leaf switch",
            ),
        ] {
            let problem = problem(&IMPORTER, texts);
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
