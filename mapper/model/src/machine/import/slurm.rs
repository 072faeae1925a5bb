//! Imports networks from Slurm: `topology.conf` (tree, block, ring), the output of `scontrol show
//! topology` (torus3d as well), and values of `SLURM_TOPOLOGY_ADDR`.

use super::super::Description;
use super::super::network::grammar;
use super::hostlist::expand;
use super::lattice::Lattice;
use super::tree::{BLOCKS, Tree};
use super::{ImportError, Importer, Source, SourceLine, has_line, lines};

/// The importer of the configuration file and of the output of the controller, which have the same
/// grammar.
pub(super) const TOPOLOGY: Importer = Importer {
    name: "slurm",
    about: "topology.conf, or the output of `scontrol show topology`",
    recognises: |source| {
        has_line(
            source,
            &["SwitchName=", "BlockName=", "RingName=", "TorusName="],
        )
    },
    read: |sources| read(sources, topology),
};

/// The importer of the variable that each task of a job has.
pub(super) const ADDRESSES: Importer = Importer {
    name: "slurm-addr",
    about: "values of SLURM_TOPOLOGY_ADDR, one a line: `srun sh -c 'echo $SLURM_TOPOLOGY_ADDR'`",
    recognises: |source| has_line(source, &["SLURM_TOPOLOGY_ADDR="]),
    read: |sources| read(sources, address),
};

/// A network that is being read: a tree of switches, or one ring or torus.
#[derive(Default)]
pub(super) struct SlurmNetwork<'a> {
    pub(super) tree: Tree<'a>,
    lattice: Option<Lattice<'a>>,
}

impl<'a> SlurmNetwork<'a> {
    /// Sets the ring or torus of the network; an error if there is another network already.
    pub(super) fn lattice(
        &mut self,
        place: SourceLine<'a>,
        dims: &[usize],
    ) -> Result<&mut Lattice<'a>, ImportError> {
        if self.lattice.is_some() {
            return Err(place.bad(
                "several rings or tori are described and nothing that joins them: leave one",
            ));
        }
        Ok(self.lattice.insert(Lattice::new(place, dims)?))
    }

    pub(super) fn describe(self, end: SourceLine<'a>) -> Result<Description, ImportError> {
        match self.lattice {
            None => self.tree.describe(end),
            Some(lattice) if self.tree.is_empty() => lattice.describe(),
            Some(_) => Err(end.bad("there are switches and a ring or torus: leave one kind")),
        }
    }
}

type ReadLine = for<'a> fn(&mut SlurmNetwork<'a>, SourceLine<'a>, &str) -> Result<(), ImportError>;

fn read(sources: &[Source], line: ReadLine) -> Result<Description, ImportError> {
    let mut network = SlurmNetwork::default();
    let mut end = None;
    for source in sources {
        end = Some(SourceLine { source, line: 1 });
        let mut begun = String::new();
        for (place, text) in lines(source) {
            let text = text.split('#').next().unwrap_or_default().trim();
            // A line that ends with a backslash continues on the next line.
            if let Some(head) = text.strip_suffix('\\') {
                begun += head;
                begun += " ";
                continue;
            }
            let whole = std::mem::take(&mut begun) + text;
            if !whole.is_empty() {
                line(&mut network, place, &whole)?;
            }
        }
    }
    match end {
        Some(end) => network.describe(end),
        None => Err(ImportError {
            file: "slurm".into(),
            line: None,
            problem: "no file is given".into(),
        }),
    }
}

/// Reads a line such as `SwitchName=s0 Nodes=n[0-3]`, `SwitchName=s2 Switches=s[0-1]`,
/// `BlockName=b0 Nodes=n[0-3]`, `RingName=r0 Nodes=n[0-7]`, `TorusName=t Dims=2x2x2 Nodes=n[0-7]`.
fn topology<'a>(
    network: &mut SlurmNetwork<'a>,
    place: SourceLine<'a>,
    line: &str,
) -> Result<(), ImportError> {
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
    if value("ringname").is_some() {
        let hosts = below("nodes")?;
        let size = [hosts.len()];
        let ring = network.lattice(place, &size)?;
        return ring.fill(place, &[0], &size, hosts);
    }
    if value("torusname").is_some() {
        // The controller also lists the shapes of jobs.
        let Some(dims) = value("dims") else {
            return Ok(());
        };
        let dims = grammar::list(dims, 'x', "size").map_err(|problem| place.bad(problem))?;
        let torus = network.lattice(place, &dims)?;
        return torus.fill(place, &vec![0; dims.len()], &dims, below("nodes")?);
    }
    let tree = &mut network.tree;
    let (name, block) = match (value("switchname"), value("blockname")) {
        (Some(name), _) => (name, false),
        (None, Some(name)) => (name, true),
        // Lines with the sizes of blocks do not describe the network.
        (None, None) if value("blocksizes").is_some() => return Ok(()),
        (None, None) if value("aggregatedblock").is_some() => return Ok(()),
        (None, None) => {
            let problem = "neither SwitchName=, BlockName=, RingName= nor TorusName= is here";
            return Err(place.bad(problem));
        }
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
    // For upper switches the controller repeats the nodes of the lower switches.
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

/// Reads an address such as `spine.leaf0.n0`, with or without `SLURM_TOPOLOGY_ADDR=` before it.
fn address<'a>(
    network: &mut SlurmNetwork<'a>,
    place: SourceLine<'a>,
    line: &str,
) -> Result<(), ImportError> {
    let tree = &mut network.tree;
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
    fn what_the_controller_shows_of_blocks_rings_and_tori_is_understood() {
        let blocks = "BlockName=b0 BlockIndex=0 Nodes=n[0-1] BlockSize=2\n\
            BlockName=b1 BlockIndex=1 Nodes=n[2-3] BlockSize=2\n\
            AggregatedBlock=b0,b1 BlockIndex=2 Nodes=n[0-3] BlockSize=4\n";
        assert_eq!(import(&TOPOLOGY, blocks).unwrap().switches.len(), 3);
        let ring = import(&TOPOLOGY, "RingName=r0 Nodes=n[2-4,0] RingSize=4\n").unwrap();
        assert_eq!(ring.network.unwrap(), "torus:4");
        assert_eq!(ring.hosts, ["n2", "n3", "n4", "n0"]);
        let torus = "TorusName=pod Dims=3x2x1 Nodes=n[0-5]\n  TorusName=pod PlacementDims=3x1x1(3) Anchors=2\n";
        assert_eq!(
            import(&TOPOLOGY, torus).unwrap().network.unwrap(),
            "torus:1x2x3"
        );
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
            (
                &TOPOLOGY,
                "\nLevel=2",
                "t:2: neither SwitchName=, BlockName=",
            ),
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
            (
                &TOPOLOGY,
                "RingName=a Nodes=n0\nRingName=b Nodes=n1",
                "t:2: several rings or tori",
            ),
            (
                &TOPOLOGY,
                "RingName=a Nodes=n0,n0",
                "t:1: n0 is in two places",
            ),
            (&TOPOLOGY, "RingName=a", "t:1: every dimension must be"),
            (
                &TOPOLOGY,
                "TorusName=a Dims=2x2x2 Nodes=n[0-6]",
                "t:1: 7 hosts are named for 8 places",
            ),
            (
                &TOPOLOGY,
                "TorusName=a Dims=99999x99999x2 Nodes=n[0-6]",
                "t:1: the sizes multiply",
            ),
            (
                &TOPOLOGY,
                "RingName=a Nodes=n0\nSwitchName=s Nodes=n1",
                "t:1: there are switches and a ring",
            ),
            (&ADDRESSES, "n0", "t:1: \"n0\" is not switch"),
            (&ADDRESSES, "a.n0\nb.n0", "t:2: n0 is below a and below b"),
        ] {
            let error = import(importer, text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
