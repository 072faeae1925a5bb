//! A network in the descriptions of Slurm: a tree of switches, or rings and tori.

use super::job_hosts::JobHosts;
use super::lattice::Lattice;
use super::slurm_levels::{self, Upper};
use super::tree::Tree;
use super::{Result, SourceLine};
use rankfold_machine::Description;

/// A network that is being read.
#[derive(Default)]
pub(super) struct SlurmNetwork<'a> {
    pub(super) tree: Tree<'a>,
    /// Switches whose nodes tell what is below them.
    pub(super) uppers: Vec<Upper<'a>>,
    /// Hosts in the line of a switch above switches, which may be below these.
    pub(super) others: Vec<(usize, SourceLine<'a>, Vec<String>)>,
    /// Rings and tori, which nothing joins.
    lattices: Vec<Lattice<'a>>,
    /// The switch that all hosts are below which no other switch has, and its line.
    pub(super) all: Option<(usize, SourceLine<'a>)>,
}

impl<'a> SlurmNetwork<'a> {
    /// Adds an empty ring or torus.
    pub(super) fn lattice(
        &mut self,
        place: SourceLine<'a>,
        dims: &[usize],
    ) -> Result<&mut Lattice<'a>> {
        self.lattices.push(Lattice::new(place, dims)?);
        Ok(self.lattices.last_mut().expect("one was added"))
    }

    /// Puts a host on the node of a torus: its name, and a coordinate for each dimension.
    pub(super) fn put(
        &mut self,
        place: SourceLine<'a>,
        position: &[&str],
        host: &str,
    ) -> Result<()> {
        let [name, coordinates @ ..] = position else {
            return Ok(());
        };
        let coordinates: Result<Vec<usize>, _> = coordinates.iter().map(|c| c.parse()).collect();
        let coordinates =
            coordinates.map_err(|_| place.bad("a coordinate in a torus is no number"))?;
        match self.lattices.iter_mut().find(|torus| torus.name == *name) {
            Some(torus) => torus.put(place, &coordinates, host),
            None => Err(place.bad(format!("no line before this one describes a torus {name}"))),
        }
    }

    /// Hangs what lines of upper switches tell, when all other lines are read.
    fn hang_uppers(&mut self) -> Result<()> {
        for (switch, place, hosts) in std::mem::take(&mut self.others) {
            slurm_levels::hang_others(&mut self.tree, (switch, place), hosts)?;
        }
        slurm_levels::hang_all(&mut self.tree, std::mem::take(&mut self.uppers))
    }

    /// The description of the only network there is.
    pub(super) fn describe(mut self, end: SourceLine<'a>) -> Result<Description> {
        if let Some((_, place)) = self.all {
            return Err(place.bad("Nodes=ALL: give the hosts of the job, as by --hosts"));
        }
        self.hang_uppers()?;
        match &self.lattices[..] {
            [] => self.tree.describe(end),
            _ if !self.tree.is_empty() => Err(end.bad(TWO_KINDS)),
            [lattice] => lattice.describe(),
            [_, other, ..] => Err(other.place().bad(SEVERAL)),
        }
    }

    /// As [`describe`](Self::describe), for a job: of rings, tori and trees that nothing joins, the
    /// one with its hosts. Hosts of the job that are added are returned as well; a ring or torus
    /// has no room for others.
    pub(super) fn describe_for_job(
        mut self,
        end: SourceLine<'a>,
        job: &JobHosts,
    ) -> Result<(Description, Vec<String>)> {
        if let Some((switch, place)) = self.all.take() {
            for host in self.tree.lacking(job) {
                self.tree.hang(&host, true, switch, place)?;
            }
        }
        self.hang_uppers()?;
        if self.lattices.is_empty() {
            return self.tree.describe_for_job(end, job);
        }
        if self.tree.is_empty() && self.lattices.len() > 1 {
            let has_host = |lattice: &Lattice| lattice.hosts().any(|host| job.has(host));
            self.lattices.retain(has_host);
            match &self.lattices[..] {
                [] => return Err(end.bad("none of the job's hosts is in these rings or tori")),
                [_] => {}
                [_, other, ..] => return Err(other.place().bad(JOB_IN_SEVERAL)),
            }
        }
        Ok((self.describe(end)?, Vec::new()))
    }
}

const TWO_KINDS: &str = "there are switches and a ring or torus: leave one kind";

const SEVERAL: &str =
    "several rings or tori are described and nothing that joins them: give the hosts of the job";

const JOB_IN_SEVERAL: &str =
    "the job has hosts in several rings or tori, and nothing joins them: start it in one of them";
