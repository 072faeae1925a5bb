//! Forwarding tables: where each switch sends what is for each node.

/// No entry for this destination.
pub(in crate::machine) const NONE: u32 = u32::MAX;

/// One table a switch, one entry a node: the number of the link, [`NONE`] where the switch drops.
///
/// Every link is a single cable then, so that its number names the cable.
#[derive(Clone, Debug)]
pub(in crate::machine) struct Tables {
    nodes: usize,
    entries: Vec<u32>,
}

/// A destination some host cannot reach by the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::machine) struct Fault {
    /// The switch at fault, counted from the first switch.
    pub(in crate::machine) switch: usize,
    /// The destination.
    pub(in crate::machine) node: usize,
    /// What happens to the message.
    pub(in crate::machine) kind: FaultKind,
}

/// What happens to a message that does not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::machine) enum FaultKind {
    /// It comes back to the switch.
    Loop,
    /// The switch has no entry.
    Missing,
    /// The entry leads to another host, or names no link of the switch.
    Stray,
}

impl Tables {
    /// Tables without entries.
    pub(in crate::machine) fn new(switches: usize, nodes: usize) -> Self {
        Self {
            nodes,
            entries: vec![NONE; switches * nodes],
        }
    }

    /// The link by which `switch` sends what is for `node`.
    pub(in crate::machine) fn link(&self, switch: usize, node: usize) -> u32 {
        self.entries[switch * self.nodes + node]
    }

    pub(in crate::machine) fn set(&mut self, switch: usize, node: usize, link: u32) {
        self.entries[switch * self.nodes + node] = link;
    }

    /// Follows the tables from every switch where the first link of a host ends to every host.
    ///
    /// `ends` are the ends of every link; vertices below the number of nodes are hosts.
    pub(in crate::machine) fn check(&self, ends: &[(u32, u32)]) -> Result<(), Fault> {
        let nodes = self.nodes as u32;
        let mut has_link = vec![false; self.nodes];
        let mut entries = Vec::new();
        for &(u, v) in ends {
            for (host, other) in [(u, v), (v, u)] {
                let first = host < nodes && !std::mem::replace(&mut has_link[host as usize], true);
                if first && other >= nodes {
                    entries.push(other - nodes);
                }
            }
        }
        entries.sort_unstable();
        entries.dedup();
        // Walk that last passed each switch; a switch passed for this destination needs no second
        // look.
        let mut passed = vec![0u64; self.entries.len() / self.nodes.max(1)];
        let (mut walk, mut base) = (0, 0);
        for node in 0..self.nodes {
            for &entry in &entries {
                walk += 1;
                self.walk(ends, entry as usize, node, (walk, base), &mut passed)?;
            }
            base = walk;
        }
        Ok(())
    }

    /// Walks until the destination or a switch an earlier walk to it (numbered above `base`) has
    /// passed.
    fn walk(
        &self,
        ends: &[(u32, u32)],
        entry: usize,
        node: usize,
        (walk, base): (u64, u64),
        passed: &mut [u64],
    ) -> Result<(), Fault> {
        let mut switch = entry;
        loop {
            let fault = |kind| Fault { switch, node, kind };
            if passed[switch] == walk {
                return Err(fault(FaultKind::Loop));
            }
            if passed[switch] > base {
                return Ok(());
            }
            passed[switch] = walk;
            let link = self.link(switch, node);
            if link == NONE {
                return Err(fault(FaultKind::Missing));
            }
            let here = (self.nodes + switch) as u32;
            let next = match ends.get(link as usize) {
                Some(&(u, v)) if u == here => v as usize,
                Some(&(u, v)) if v == here => u as usize,
                _ => return Err(fault(FaultKind::Stray)),
            };
            if next == node {
                return Ok(());
            }
            if next < self.nodes {
                return Err(fault(FaultKind::Stray));
            }
            switch = next - self.nodes;
        }
    }
}
