//! Builds trees of switches from the lines in which schedulers describe them.

mod spines;

use super::job_hosts::JobHosts;
use super::{ImportError, Result, SourceLine};
use rankfold_machine::{Description, Link, Oversubscription, Speed, Unit};
use std::collections::{BTreeSet, HashMap};

/// Name of the switch above all blocks of a block topology.
pub const BLOCKS: &str = "blocks";

/// Name of the switch above all switches that have no other switch above them.
pub(super) const ROOT: &str = "network";

const NO_HOST: &str = "there is no host below these switches";

/// A tree that is being read. Hosts and switches have the names of the text.
#[derive(Default)]
pub(super) struct Tree<'a> {
    members: Vec<Member<'a>>,
    numbers: HashMap<String, usize>,
    /// Hosts and switches that are also below another switch than the one they hang below.
    seconds: Vec<(usize, usize)>,
    /// What the file says of speeds, as it stands there.
    speed_texts: BTreeSet<String>,
}

struct Member<'a> {
    name: String,
    host: bool,
    parent: Option<usize>,
    children: Vec<usize>,
    /// The line that names the host or switch first.
    place: SourceLine<'a>,
    defined: bool,
    /// What the file says of the speed of the links to what is below.
    speed: Option<(Speed, Unit)>,
    /// Whether another switch stands for this one.
    merged: bool,
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

    /// Whether the tree has a host of this name.
    pub(super) fn has_host(&self, name: &str) -> bool {
        let member = self.numbers.get(name).map(|&m| &self.members[m]);
        member.is_some_and(|m| m.host)
    }

    /// Defines a switch, which the line `place` describes; returns the number of the switch.
    pub(super) fn define(&mut self, name: &str, place: SourceLine<'a>) -> Result<usize> {
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
    ) -> Result<usize> {
        let number = self.member(name, host, place)?;
        match self.members[number].parent {
            Some(parent) if parent == below => {}
            Some(parent) => {
                return Err(place.bad(format!(
                    "{name} is below {} and below {}: it can be below one switch only",
                    self.members[parent].name, self.members[below].name
                )));
            }
            None => self.hang_number(number, below),
        }
        Ok(number)
    }

    /// Notes what a file says of the speed of the links from a switch to what is below it. A text
    /// that is no speed says nothing: Slurm itself uses none of them.
    pub(super) fn set_speed(&mut self, switch: usize, text: &str) {
        self.speed_texts.insert(text.to_owned());
        let text = text.replace("b/s", "bit/s").replace("bps", "bit/s");
        let is_positive = |(speed, _): &(Speed, Unit)| speed.bandwidth > 0.0;
        self.members[switch].speed = Speed::parse(&text).ok().filter(is_positive);
    }

    /// As [`hang`](Self::hang), but a host or switch that is below another switch stays there.
    pub(super) fn hang_again(
        &mut self,
        name: &str,
        host: bool,
        below: usize,
        place: SourceLine<'a>,
    ) -> Result<()> {
        let number = self.member(name, host, place)?;
        self.hang_number(number, below);
        Ok(())
    }

    /// As [`hang_again`](Self::hang_again), by number.
    pub(super) fn hang_number(&mut self, member: usize, below: usize) {
        match self.members[member].parent {
            Some(parent) if parent == below => {}
            Some(_) => self.seconds.push((member, below)),
            None => {
                self.members[member].parent = Some(below);
                self.members[below].children.push(member);
            }
        }
    }

    /// The hosts of the job that the tree does not have.
    pub(super) fn lacking(&self, job: &JobHosts) -> Vec<String> {
        let names = self.members.iter().filter(|member| member.host);
        job.not_among(names.map(|member| &*member.name))
    }

    /// Of the switches that a member is below, the one with the most hosts of the job counts, and
    /// else the first.
    fn settle(&mut self, job: &JobHosts) {
        for (member, other) in self.seconds.clone() {
            let Some(parent) = self.members[member].parent else {
                continue;
            };
            let of_job = |switch| {
                let below = self.depth_first(switch).into_keys();
                let others = below.filter(|&m| m != member && self.members[m].host);
                others.filter(|&m| job.has(&self.members[m].name)).count()
            };
            // A switch cannot move below itself.
            let is_circle = self.depth_first(member).contains_key(&other);
            if !is_circle && of_job(other) > of_job(parent) {
                self.members[parent]
                    .children
                    .retain(|child| *child != member);
                self.members[member].parent = Some(other);
                self.members[other].children.push(member);
            }
        }
    }

    /// The note on members that are below several switches.
    fn note(&self) -> Option<String> {
        let (member, _) = *self.seconds.first()?;
        let member = &self.members[member];
        let switch = &self.members[member.parent?].name;
        Some(format!(
            "{}: {} is below several switches, and {} counts for it; there are {} such hosts and switches",
            member.place.source.file,
            member.name,
            switch,
            self.seconds.len()
        ))
    }

    fn member(&mut self, name: &str, host: bool, place: SourceLine<'a>) -> Result<usize> {
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
            speed: None,
            merged: false,
        });
        Ok(number)
    }

    /// The description of the machine, with hosts and switches in depth-first order.
    pub(super) fn describe(&mut self, end: SourceLine<'a>) -> Result<Description> {
        self.check_switches()?;
        self.drop_empty();
        self.join_spines();
        let roots = self.roots();
        match roots[..] {
            [root] => self.below(root, end),
            [] if self.members.is_empty() => Err(end.bad("there is no switch in this file")),
            [] if self.members.iter().all(|m| m.merged) => Err(end.bad(NO_HOST)),
            [] => {
                let problem = "every switch is below another one: they go round in a circle";
                Err(self.members[0].place.bad(problem))
            }
            [one, other, ..] => Err(self.unjoined(one, other)),
        }
    }

    /// As [`describe`](Self::describe), for a job: the tree of its hosts alone, where there are
    /// several that nothing joins. Hosts of the job that are in no tree hang below the root where
    /// the job adds them; they are returned as well.
    pub(super) fn describe_for_job(
        &mut self,
        end: SourceLine<'a>,
        job: &JobHosts,
    ) -> Result<(Description, Vec<String>)> {
        self.check_switches()?;
        self.drop_empty();
        self.join_spines();
        self.settle(job);
        let roots = self.roots();
        let with_host: Vec<(usize, usize)> = roots
            .iter()
            .filter_map(|&root| Some((root, self.host_below(root, job)?)))
            .collect();
        let root = match with_host[..] {
            [(root, _)] => root,
            // The file itself is wrong.
            [] if roots.is_empty() => return Ok((self.describe(end)?, Vec::new())),
            [] => return Err(end.bad("none of the job's hosts is below these switches")),
            [one, other, ..] => return Err(self.job_in_two_islands(one, other)),
        };
        let names = self.members.iter().filter(|m| m.host);
        let added = job.to_add(names.map(|m| &*m.name));
        for host in &added {
            self.hang(host, true, root, end)?;
        }
        Ok((self.below(root, end)?, added))
    }

    /// The first host of the job below a root.
    fn host_below(&self, root: usize, job: &JobHosts) -> Option<usize> {
        let below = self.depth_first(root);
        let is_of_job = |m: &&usize| self.members[**m].host && job.has(&self.members[**m].name);
        below
            .keys()
            .filter(is_of_job)
            .min_by_key(|m| below[m])
            .copied()
    }

    /// Hangs all roots below one new switch, where there are several.
    pub(super) fn join_roots(&mut self, place: SourceLine<'a>) -> Result<()> {
        let roots = self.roots();
        if roots.len() < 2 {
            return Ok(());
        }
        let mut name = ROOT.to_owned();
        while self.numbers.contains_key(&name) {
            name += "'";
        }
        let above = self.define(&name, place)?;
        for root in roots {
            let root = self.members[root].name.clone();
            self.hang(&root, false, above, place)?;
        }
        Ok(())
    }

    /// Checks that every switch that is named is described.
    fn check_switches(&self) -> Result<()> {
        match self.members.iter().find(|m| !m.defined) {
            None => Ok(()),
            Some(member) => {
                let problem = format!("there is no switch named {}", member.name);
                Err(member.place.bad(problem))
            }
        }
    }

    /// The members below no other.
    pub(super) fn roots(&self) -> Vec<usize> {
        let members = self.members.iter().enumerate();
        // A switch whose members all count below other switches is none of the machine.
        let is_empty = |number| self.seconds.iter().any(|&(_, second)| second == number);
        let roots = members.filter(|(number, m)| {
            let is_root = m.parent.is_none() && !m.merged;
            is_root && !(m.children.is_empty() && is_empty(*number))
        });
        roots.map(|(number, _)| number).collect()
    }

    /// The error for two roots, where it is not known in which of both trees a job is.
    fn unjoined(&self, one: usize, other: usize) -> ImportError {
        let (one, other) = (&self.members[one], &self.members[other]);
        other.place.bad(format!(
            "no path joins {} and {}: give the hosts of the job, as by --hosts, or describe the switch above both",
            one.name, other.name
        ))
    }

    /// The error for two roots that each have a host of the job below them, given with these hosts.
    fn job_in_two_islands(&self, one: (usize, usize), other: (usize, usize)) -> ImportError {
        let name = |member: usize| &self.members[member].name;
        self.members[other.0].place.bad(format!(
            "no path joins {}, which is above {}, and {}, which is above {}, and the job has both hosts: \
             start it below one of these switches, or give a file that describes a switch above both \
             (rankfold help machines)",
            name(one.0), name(one.1), name(other.0), name(other.1),
        ))
    }

    /// The description of the tree below a root.
    fn below(&self, root: usize, end: SourceLine<'a>) -> Result<Description> {
        let order = self.depth_first(root);
        let is_alone = self.roots().len() == 1;
        let is_lost = |m: &usize| !order.contains_key(m) && self.members[*m].parent.is_some();
        if let Some(lost) = (0..self.members.len()).find(|m| is_alone && is_lost(m)) {
            let lost = &self.members[lost];
            let problem = format!("{} is in a circle of switches", lost.name);
            return Err(lost.place.bad(problem));
        }
        let mut members: Vec<usize> = order.keys().copied().collect();
        members.sort_by_key(|m| (!self.members[*m].host, order[m]));
        if !self.members[members[0]].host {
            return Err(end.bad(NO_HOST));
        }
        Ok(self.numbered(&members))
    }

    /// What the file says of the speeds of the links below every member, where that tells one link
    /// from another.
    fn told_speeds(&self, members: &[usize]) -> Option<HashMap<usize, (Speed, Unit)>> {
        let switches = || members.iter().filter(|m| !self.members[**m].host);
        let speeds: HashMap<usize, (Speed, Unit)> = switches()
            .map(|&m| Some((m, self.members[m].speed?)))
            .collect::<Option<_>>()?;
        let mut all = speeds.values();
        let first = all.next()?;
        let (is_one_unit, differ) = (
            all.clone().all(|(_, unit)| *unit == first.1),
            all.any(|(speed, _)| *speed != first.0),
        );
        (is_one_unit && differ).then_some(speeds)
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
        let speeds = self.told_speeds(members);
        let speed_below = |switch| match &speeds {
            Some(speeds) => speeds[&switch].0,
            None => Speed::ONE,
        };
        let mut unit = Unit::default();
        if let Some((_, speeds)) = speeds.iter().flat_map(HashMap::values).next() {
            unit = *speeds;
        }
        let links: Vec<Link> = members
            .iter()
            .filter_map(|m| {
                let parent = self.members[*m].parent?;
                Some(Link::single(
                    (vertices[m], vertices[&parent]),
                    speed_below(parent),
                ))
            })
            .collect();
        let names = |host: bool| {
            let of_kind = members.iter().filter(|m| self.members[**m].host == host);
            of_kind.map(|m| self.members[*m].name.clone()).collect()
        };
        let switches: Vec<String> = names(false);
        let is_assumed = speeds.is_none() && switches.len() > 1;
        let unread = (is_assumed && self.speed_texts.len() > 1).then(|| {
            let texts: Vec<&str> = self.speed_texts.iter().map(String::as_str).collect();
            let texts = texts.join(", ");
            format!("LinkSpeed={texts} is not used: every switch needs a bandwidth such as 100Gb/s")
        });
        Description {
            hosts: names(true),
            switches,
            links,
            notes: self.note().into_iter().chain(unread).collect(),
            unit,
            oversubscription: is_assumed.then_some(Oversubscription::UNKNOWN),
            ..Description::default()
        }
    }
}
