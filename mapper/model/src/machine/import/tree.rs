//! Builds trees of switches from the lines in which schedulers describe them.

use super::super::Description;
use super::super::network::fabric::Link;
use super::super::network::speed::Speed;
use super::job_hosts::JobHosts;
use super::{ImportError, SourceLine};
use std::collections::HashMap;

/// Name of the switch above all blocks of a block topology.
pub(super) const BLOCKS: &str = "blocks";

/// A tree that is being read. Hosts and switches have the names of the text.
#[derive(Default)]
pub(super) struct Tree<'a> {
    members: Vec<Member<'a>>,
    numbers: HashMap<String, usize>,
}

struct Member<'a> {
    name: String,
    host: bool,
    parent: Option<usize>,
    children: Vec<usize>,
    /// The line that names the host or switch first.
    place: SourceLine<'a>,
    defined: bool,
}

impl<'a> Tree<'a> {
    /// Whether the tree has no host and no switch.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether a switch of this name has been [defined](Self::define).
    pub(super) fn is_defined(&self, name: &str) -> bool {
        let member = self.numbers.get(name).map(|&m| &self.members[m]);
        member.is_some_and(|m| m.defined)
    }

    /// Defines a switch, which the line `place` describes; returns the number of the switch.
    pub(super) fn define(
        &mut self,
        name: &str,
        place: SourceLine<'a>,
    ) -> Result<usize, ImportError> {
        let number = self.member(name, false, place)?;
        self.members[number].defined = true;
        Ok(number)
    }

    /// Puts a host or switch below a switch. Repeating the same statement changes nothing.
    pub(super) fn hang(
        &mut self,
        name: &str,
        host: bool,
        below: usize,
        place: SourceLine<'a>,
    ) -> Result<usize, ImportError> {
        let number = self.member(name, host, place)?;
        match self.members[number].parent {
            Some(parent) if parent == below => Ok(number),
            Some(parent) => Err(place.bad(format!(
                "{name} is below {} and below {}: it can be below one switch only",
                self.members[parent].name, self.members[below].name
            ))),
            None => {
                self.members[number].parent = Some(below);
                self.members[below].children.push(number);
                Ok(number)
            }
        }
    }

    fn member(
        &mut self,
        name: &str,
        host: bool,
        place: SourceLine<'a>,
    ) -> Result<usize, ImportError> {
        if let Some(&number) = self.numbers.get(name) {
            if self.members[number].host != host {
                return Err(place.bad(format!("{name} is a host and a switch: rename one")));
            }
            return Ok(number);
        }
        let number = self.members.len();
        self.numbers.insert(name.into(), number);
        self.members.push(Member {
            name: name.into(),
            host,
            parent: None,
            children: Vec::new(),
            place,
            defined: host,
        });
        Ok(number)
    }

    /// The description of the machine, with hosts and switches in depth-first order.
    pub(super) fn describe(&self, end: SourceLine<'a>) -> Result<Description, ImportError> {
        self.check_switches()?;
        let roots = self.roots();
        match roots[..] {
            [root] => self.below(root, end),
            [] if self.members.is_empty() => Err(end.bad("there is no switch in this file")),
            [] => {
                let problem = "every switch is below another one: they go round in a circle";
                Err(self.members[0].place.bad(problem))
            }
            [one, other, ..] => Err(self.unjoined(one, other)),
        }
    }

    /// As [`describe`](Self::describe), for a job: the tree of its hosts alone, where there are
    /// several that nothing joins. Hosts of the job that are in no tree hang below the root; they
    /// are returned as well.
    pub(super) fn describe_for_job(
        &mut self,
        end: SourceLine<'a>,
        job: &JobHosts,
    ) -> Result<(Description, Vec<String>), ImportError> {
        self.check_switches()?;
        let mut with_hosts = Vec::new();
        for root in self.roots() {
            let below = self.depth_first(root);
            let mut hosts = below.keys().filter(|m| self.members[**m].host);
            if hosts.any(|m| job.has(&self.members[*m].name)) {
                with_hosts.push(root);
            }
        }
        let root = match with_hosts[..] {
            [root] => root,
            [] => {
                if self.roots().is_empty() {
                    // The file itself is wrong.
                    return Ok((self.describe(end)?, Vec::new()));
                }
                return Err(end.bad("none of the job's hosts is below these switches"));
            }
            [one, other, ..] => return Err(self.unjoined(one, other)),
        };
        let names = self.members.iter().filter(|m| m.host);
        let added = job.not_among(names.map(|m| &*m.name));
        for host in &added {
            self.hang(host, true, root, end)?;
        }
        Ok((self.below(root, end)?, added))
    }

    /// Checks that every switch that is named is described.
    fn check_switches(&self) -> Result<(), ImportError> {
        match self.members.iter().find(|m| !m.defined) {
            None => Ok(()),
            Some(member) => {
                let problem = format!("there is no switch named {}", member.name);
                Err(member.place.bad(problem))
            }
        }
    }

    /// The members below no other.
    fn roots(&self) -> Vec<usize> {
        let members = self.members.iter().enumerate();
        let roots = members.filter(|(_, m)| m.parent.is_none());
        roots.map(|(number, _)| number).collect()
    }

    fn unjoined(&self, one: usize, other: usize) -> ImportError {
        let (one, other) = (&self.members[one], &self.members[other]);
        other.place.bad(format!(
            "no path joins {} and {}: describe the switch above both",
            one.name, other.name
        ))
    }

    /// The description of the tree below a root.
    fn below(&self, root: usize, end: SourceLine<'a>) -> Result<Description, ImportError> {
        let order = self.depth_first(root);
        let is_alone = self.roots().len() == 1;
        if let Some(lost) = (0..self.members.len()).find(|m| is_alone && !order.contains_key(m)) {
            let lost = &self.members[lost];
            let problem = format!("{} is in a circle of switches", lost.name);
            return Err(lost.place.bad(problem));
        }
        let mut members: Vec<usize> = order.keys().copied().collect();
        members.sort_by_key(|m| (!self.members[*m].host, order[m]));
        if !self.members[members[0]].host {
            return Err(end.bad("there is no host below these switches"));
        }
        Ok(self.numbered(&members))
    }

    /// The position of every member of the tree in depth-first order.
    fn depth_first(&self, root: usize) -> HashMap<usize, usize> {
        let mut order = HashMap::new();
        let mut stack = vec![root];
        while let Some(number) = stack.pop() {
            order.insert(number, order.len());
            stack.extend(self.members[number].children.iter().rev());
        }
        order
    }

    /// The description of the machine with vertices in the order of `members`.
    fn numbered(&self, members: &[usize]) -> Description {
        let vertices: HashMap<usize, u32> = members.iter().copied().zip(0..).collect();
        let links = members
            .iter()
            .filter_map(|m| {
                let parent = self.members[*m].parent?;
                Some(Link {
                    ends: (vertices[m], vertices[&parent]),
                    speed: Speed::ONE,
                    cables: 1,
                })
            })
            .collect();
        let names = |host: bool| {
            let of_kind = members.iter().filter(|m| self.members[**m].host == host);
            of_kind.map(|m| self.members[*m].name.clone()).collect()
        };
        Description {
            hosts: names(true),
            switches: names(false),
            links,
            ..Description::default()
        }
    }
}
