//! Slurm: `topology.conf` (tree and block), `scontrol show topology`, `SLURM_TOPOLOGY_ADDR`.

use super::super::Description;
use super::hostlist::expand;
use super::tree::{BLOCKS, Tree};
use super::{ImportError, Importer, Place, Source, lines};

/// What the configuration file or the controller says; the grammar is the same.
pub(super) const TOPOLOGY: Importer = Importer {
    name: "slurm",
    about: "topology.conf, or the output of `scontrol show topology`",
    read: |sources| read(sources, topology),
};

/// What each task of a job sees.
pub(super) const ADDRESSES: Importer = Importer {
    name: "slurm-addr",
    about: "values of SLURM_TOPOLOGY_ADDR, one a line: `srun sh -c 'echo $SLURM_TOPOLOGY_ADDR'`",
    read: |sources| read(sources, address),
};

type ReadLine = for<'a> fn(&mut Tree<'a>, Place<'a>, &str) -> Result<(), ImportError>;

fn read(sources: &[Source], line: ReadLine) -> Result<Description, ImportError> {
    let mut tree = Tree::default();
    let mut end = None;
    for source in sources {
        end = Some(Place { source, line: 1 });
        let mut begun = String::new();
        for (place, text) in lines(source) {
            let text = text.split('#').next().unwrap_or_default().trim();
            // A backslash joins a line to the next.
            if let Some(head) = text.strip_suffix('\\') {
                begun += head;
                begun += " ";
                continue;
            }
            let whole = std::mem::take(&mut begun) + text;
            if !whole.is_empty() {
                line(&mut tree, place, &whole)?;
            }
        }
    }
    match end {
        Some(end) => tree.describe(end),
        None => Err(ImportError {
            file: "slurm".into(),
            line: None,
            problem: "no file is given".into(),
        }),
    }
}

/// `SwitchName=s0 Nodes=n[0-3]`, `SwitchName=s2 Switches=s[0-1]`, `BlockName=b0 Nodes=n[0-3]`.
fn topology<'a>(tree: &mut Tree<'a>, place: Place<'a>, line: &str) -> Result<(), ImportError> {
    let mut settings = Vec::new();
    for word in line.split_whitespace() {
        let (key, value) = word
            .split_once('=')
            .ok_or_else(|| place.bad(format!("{word:?} is not Key=value")))?;
        settings.push((key.to_ascii_lowercase(), value));
    }
    let value = |key: &str| settings.iter().find(|(k, _)| k == key).map(|(_, v)| *v);
    let below = |key| match value(key) {
        Some(list) if !list.is_empty() => expand(list).map_err(|problem| place.bad(problem)),
        _ => Ok(Vec::new()),
    };
    let (name, block) = match (value("switchname"), value("blockname")) {
        (Some(name), _) => (name, false),
        (None, Some(name)) => (name, true),
        // Lines about sizes of blocks say nothing about the network.
        (None, None) if value("blocksizes").is_some() => return Ok(()),
        (None, None) if value("aggregatedblock").is_some() => return Ok(()),
        (None, None) => return Err(place.bad("neither SwitchName= nor BlockName= is here")),
    };
    if tree.is_defined(name) {
        return Err(place.bad(format!("switch {name} is described twice")));
    }
    let switch = tree.define(name, place)?;
    if block {
        let root = tree.define(BLOCKS, place)?;
        tree.hang(name, false, root, place)?;
    }
    let switches = below("switches")?;
    // The controller repeats below upper switches the nodes of the lower ones.
    let hosts = if switches.is_empty() {
        below("nodes")?
    } else {
        Vec::new()
    };
    if hosts.is_empty() && switches.is_empty() {
        return Err(place.bad(format!("switch {name} has neither Nodes= nor Switches=")));
    }
    for lower in &switches {
        tree.hang(lower, false, switch, place)?;
    }
    for host in &hosts {
        tree.hang(host, true, switch, place)?;
    }
    Ok(())
}

/// `spine.leaf0.n0`, maybe after `SLURM_TOPOLOGY_ADDR=`.
fn address<'a>(tree: &mut Tree<'a>, place: Place<'a>, line: &str) -> Result<(), ImportError> {
    let path = line.strip_prefix("SLURM_TOPOLOGY_ADDR=").unwrap_or(line);
    let names: Vec<&str> = path.split('.').collect();
    let [switches @ .., host] = &names[..] else {
        return Ok(());
    };
    if switches.is_empty()
        || names
            .iter()
            .any(|n| n.is_empty() || n.contains(char::is_whitespace))
    {
        return Err(place.bad(format!("{path:?} is not switch.switch.node")));
    }
    let mut above = tree.define(switches[0], place)?;
    for switch in &switches[1..] {
        tree.define(switch, place)?;
        above = tree.hang(switch, false, above, place)?;
    }
    tree.hang(host, true, above, place)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(importer: &Importer, text: &str) -> Result<Description, ImportError> {
        let source = Source {
            file: "t".into(),
            text: text.into(),
        };
        (importer.read)(&[source])
    }

    const CONF: &str = "# two racks\nSwitchName=top Switches=rack[1-0]\n\
        SwitchName=rack0 Nodes=n[0-1]\nSwitchName=rack1 Nodes=n[2-3] # new\n";

    #[test]
    fn hosts_come_depth_first_whatever_the_order_of_lines() {
        let conf = CONF.replace("rack[1-0]", "rack1,rack0");
        let machine = import(&TOPOLOGY, &conf).unwrap();
        assert_eq!(machine.hosts, ["n2", "n3", "n0", "n1"]);
        assert_eq!(machine.switches, ["top", "rack1", "rack0"]);
        assert_eq!(machine.links.len(), 6);
    }

    #[test]
    fn the_controllers_repeated_nodes_are_those_of_the_leaves() {
        let shown = "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tn[0-3] \n\
            SwitchName=s1 Level=0 LinkSpeed=1 Nodes=tn[4-7] \n\
            SwitchName=s2 Level=1 LinkSpeed=1 Nodes=tn[0-7] Switches=s[0-1] \n";
        let machine = import(&TOPOLOGY, shown).unwrap();
        assert_eq!((machine.hosts.len(), machine.links.len()), (8, 10));
    }

    #[test]
    fn blocks_hang_below_one_switch() {
        let blocks = "BlockName=b0 Nodes=n[0-1]\nBlockName=b1 \\\n Nodes=n[2-3]\nBlockSizes=2\n";
        let machine = import(&TOPOLOGY, blocks).unwrap();
        assert_eq!(machine.switches, ["blocks", "b0", "b1"]);
        assert_eq!(machine.hosts.len(), 4);
    }

    #[test]
    fn tasks_addresses_make_the_tree_of_the_job() {
        let seen = "SLURM_TOPOLOGY_ADDR=spine.leaf0.n0\nspine.leaf0.n0\nspine.leaf1.n5\n";
        let machine = import(&ADDRESSES, seen).unwrap();
        assert_eq!(machine.hosts, ["n0", "n5"]);
        assert_eq!(machine.switches, ["spine", "leaf0", "leaf1"]);
    }

    #[test]
    fn mistakes_name_the_line() {
        for (importer, text, expected) in [
            (&TOPOLOGY, CONF, "t:2: the range 1-0 is empty"),
            (&TOPOLOGY, "SwitchName=a Nodes", "t:1: \"Nodes\" is not"),
            (&TOPOLOGY, "SwitchName=a", "t:1: switch a has neither"),
            (&TOPOLOGY, "\nLevel=2", "t:2: neither SwitchName="),
            (&TOPOLOGY, "", "t:1: there is no switch"),
            (
                &TOPOLOGY,
                "SwitchName=a Nodes=n0\nSwitchName=a Nodes=n1",
                "t:2: switch a is described twice",
            ),
            (
                &TOPOLOGY,
                "SwitchName=a Nodes=n0\nSwitchName=b Nodes=n1",
                "t:2: no path joins a and b",
            ),
            (
                &TOPOLOGY,
                "SwitchName=a Nodes=n0\nSwitchName=b Nodes=n0",
                "t:2: n0 is below a and below b",
            ),
            (
                &TOPOLOGY,
                "SwitchName=a Switches=b\nSwitchName=b Switches=a",
                "t:1: every switch is below another",
            ),
            (
                &TOPOLOGY,
                "SwitchName=a Switches=b",
                "t:1: there is no switch named b",
            ),
            (
                &TOPOLOGY,
                "SwitchName=a Nodes=a",
                "t:1: a is a host and a switch",
            ),
            (&ADDRESSES, "n0", "t:1: \"n0\" is not switch"),
            (&ADDRESSES, "a.n0\nb.n0", "t:2: n0 is below a and below b"),
        ] {
            let error = import(importer, text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
