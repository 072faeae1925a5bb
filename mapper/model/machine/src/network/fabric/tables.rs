//! Forwarding tables: for each switch and destination node, the link that messages leave by.

/// The entry for a destination whose messages the switch drops.
pub(crate) const NO_LINK: u32 = u32::MAX;

/// The forwarding tables of all switches: for each node the number of a link, or `NO_LINK`.
///
/// In a network with tables every link is a single cable, so that a number of a link is a cable.
#[derive(Clone, Debug)]
pub struct Tables {
    nodes: usize,
    entries: Vec<u32>,
}

/// A destination that some host cannot reach by the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The switch at fault; switches are counted from 0.
    pub(crate) switch: usize,
    /// The destination node.
    pub(crate) node: usize,
    /// What happens to a message for the destination.
    pub(crate) kind: FaultKind,
}

/// What happens to a message that does not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// The message comes back to the switch.
    Loop,
    /// The switch has no entry.
    Missing,
    /// The entry leads to another host, or to a link that the switch does not have.
    Stray,
}

impl Tables {
    /// Tables without entries.
    #[must_use]
    pub fn new(switches: usize, nodes: usize) -> Self {
        Self {
            nodes,
            entries: vec![NO_LINK; switches * nodes],
        }
    }

    /// The link by which messages for `node` leave `switch`.
    #[must_use]
    pub fn link(&self, switch: usize, node: usize) -> u32 {
        self.entries[switch * self.nodes + node]
    }

    /// Sets the link by which messages for `node` leave `switch`.
    pub fn set(&mut self, switch: usize, node: usize, link: u32) {
        self.entries[switch * self.nodes + node] = link;
    }

    /// Checks that the tables deliver messages from every host to every other host. `ends` are the
    /// ends of every link; vertices below the number of nodes are hosts.
    ///
    /// Walks start at the switches at which the first link of a host ends. Cost: O(1) for each
    /// switch and destination, since a walk stops at a switch that an earlier walk to the same
    /// destination has passed.
    ///
    /// # Errors
    /// The first [`Fault`] found.
    pub(crate) fn check(&self, ends: &[(u32, u32)]) -> Result<(), Fault> {
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
        // The number of the walk that last passed each switch.
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

    /// Walks from a switch to the destination, or to a switch that an earlier walk to the same
    /// destination has passed. These walks have numbers above `base`.
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
            if link == NO_LINK {
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
