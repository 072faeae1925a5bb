//! Spines over the same switches are one switch of the tree: a message may pass any of them.
//! Switches that nothing is below are none of the tree.

use super::Tree;
use std::collections::{HashMap, HashSet};

impl Tree<'_> {
    /// Leaves out switches without hosts, and the switches that are then without.
    pub(super) fn drop_empty(&mut self) {
        let mut below = self.all_below();
        let is_empty = |number: &usize| !self.members[*number].host && below[*number].is_empty();
        let mut empty: Vec<usize> = (0..self.members.len()).filter(is_empty).collect();
        while let Some(gone) = empty.pop() {
            self.members[gone].merged = true;
            let second = self.seconds.iter().filter(|(member, _)| *member == gone);
            let mut uppers: Vec<usize> = second.map(|&(_, above)| above).collect();
            uppers.extend(self.members[gone].parent.take());
            self.seconds.retain(|&(member, _)| member != gone);
            for above in uppers {
                self.members[above].children.retain(|&it| it != gone);
                below[above].retain(|&it| it != gone);
                if below[above].is_empty() {
                    empty.push(above);
                }
            }
        }
    }

    /// Joins switches above the same hosts or switches, and then the switches above these.
    pub(super) fn join_spines(&mut self) {
        loop {
            let mut first: HashMap<Vec<usize>, usize> = HashMap::new();
            let mut same = Vec::new();
            for (switch, below) in self.all_below().into_iter().enumerate() {
                if below.is_empty() {
                    continue;
                }
                match first.get(&below) {
                    Some(&kept) => same.push((kept, switch)),
                    None => drop(first.insert(below, switch)),
                }
            }
            if same.is_empty() {
                return;
            }
            for (kept, gone) in same {
                self.join(kept, gone);
            }
        }
    }

    /// What is directly below each member, with what counts below another switch.
    fn all_below(&self) -> Vec<Vec<usize>> {
        let children = self.members.iter().map(|member| member.children.clone());
        let mut below: Vec<Vec<usize>> = children.collect();
        for &(member, above) in &self.seconds {
            below[above].push(member);
        }
        for members in &mut below {
            members.sort_unstable();
            members.dedup();
        }
        below
    }

    /// Lets one switch stand for another one.
    fn join(&mut self, kept: usize, gone: usize) {
        for child in std::mem::take(&mut self.members[gone].children) {
            self.members[child].parent = Some(kept);
            self.members[kept].children.push(child);
        }
        self.members[gone].merged = true;
        let mut uppers: Vec<usize> = Vec::new();
        if let Some(above) = self.members[gone].parent.take() {
            self.members[above].children.retain(|&it| it != gone);
            uppers.push(above);
        }
        let members = &self.members;
        self.seconds.retain(|&(member, above)| {
            if member == gone {
                uppers.push(above);
            }
            let is_below_kept = above == kept && members[member].parent == Some(kept);
            member != gone && above != gone && !is_below_kept
        });
        uppers.retain(|&above| above != kept);
        uppers
            .into_iter()
            .for_each(|above| self.hang_number(kept, above));
    }

    /// The topmost switches above the hosts of a set, as far as they hang together so far, in the
    /// order of their numbers.
    pub(in super::super) fn tops_of_hosts(&self, hosts: &HashSet<String>) -> Vec<usize> {
        let members = self.members.iter().enumerate();
        let mut tops: Vec<usize> = members
            .filter(|(_, member)| member.host && hosts.contains(&member.name))
            .map(|(host, _)| self.top_of(host))
            .collect();
        tops.sort_unstable();
        tops.dedup();
        tops
    }

    fn top_of(&self, mut member: usize) -> usize {
        // A circle is told later.
        for _ in 0..self.members.len() {
            match self.members[member].parent {
                Some(above) => member = above,
                None => break,
            }
        }
        member
    }
}
