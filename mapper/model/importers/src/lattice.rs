//! Rings and tori in the descriptions of schedulers, with at most one host on every node.

use super::{Result, SourceLine};
use rankfold_machine::Description;
use rankfold_machine::grammar;
use rankfold_machine::hosts::UNUSABLE;
use std::collections::HashSet;

/// A torus that is being filled with hosts. The first dimension varies fastest, as schedulers
/// count.
pub(super) struct Lattice<'a> {
    place: SourceLine<'a>,
    /// The name of a torus whose hosts are put one by one.
    pub(super) name: String,
    dims: Vec<usize>,
    nodes: Vec<Option<String>>,
    named: HashSet<String>,
    /// Hosts of which nothing has told where they are.
    unplaced: HashSet<String>,
}

impl<'a> Lattice<'a> {
    /// An empty torus.
    pub(super) fn new(place: SourceLine<'a>, dims: &[usize]) -> Result<Self> {
        if dims.contains(&0) {
            return Err(place.bad("every dimension must be at least 1"));
        }
        let nodes = grammar::product(dims, "places").map_err(|problem| place.bad(problem))?;
        Ok(Self {
            place,
            name: String::new(),
            dims: dims.to_vec(),
            nodes: vec![None; nodes],
            named: HashSet::new(),
            unplaced: HashSet::new(),
        })
    }

    /// Puts one host on each node of a box.
    pub(super) fn fill(
        &mut self,
        place: SourceLine<'a>,
        anchor: &[usize],
        dims: &[usize],
        hosts: Vec<String>,
    ) -> Result<()> {
        let fits = |d: usize| {
            anchor[d]
                .checked_add(dims[d])
                .is_some_and(|end| end <= self.dims[d])
        };
        if !(0..self.dims.len()).all(fits) {
            return Err(place.bad("these places are not all within the torus"));
        }
        let places: usize = dims.iter().product();
        if hosts.len() != places {
            let problem = format!("{} hosts are named for {places} places", hosts.len());
            return Err(place.bad(problem));
        }
        for (number, host) in hosts.into_iter().enumerate() {
            let node = self.node(anchor, dims, number);
            if let Some(other) = &self.nodes[node] {
                return Err(place.bad(format!("{host} is in the place of {other}")));
            }
            if !self.named.insert(host.clone()) {
                return Err(place.bad(format!("{host} is in two places")));
            }
            self.nodes[node] = Some(host);
        }
        Ok(())
    }

    /// Names the torus and hosts that it has somewhere.
    pub(super) fn hold(&mut self, name: &str, hosts: Vec<String>) -> Result<()> {
        if hosts.len() > self.nodes.len() {
            let (hosts, places) = (hosts.len(), self.nodes.len());
            let problem = format!("{hosts} hosts are named for {places} places");
            return Err(self.place.bad(problem));
        }
        name.clone_into(&mut self.name);
        self.unplaced.extend(hosts);
        Ok(())
    }

    /// Puts one host on a node. Repeating the same statement changes nothing.
    pub(super) fn put(
        &mut self,
        place: SourceLine<'a>,
        position: &[usize],
        host: &str,
    ) -> Result<()> {
        if position.len() != self.dims.len() {
            return Err(place.bad("a position has a coordinate for each dimension of the torus"));
        }
        let one = vec![1; self.dims.len()];
        let is_within = position.iter().zip(&self.dims).all(|(at, size)| at < size);
        if is_within && self.nodes[self.node(position, &one, 0)].as_deref() == Some(host) {
            return Ok(());
        }
        self.unplaced.remove(host);
        self.fill(place, position, &one, vec![host.to_owned()])
    }

    /// The node of the `number`-th host of a box.
    fn node(&self, anchor: &[usize], dims: &[usize], number: usize) -> usize {
        let (mut rest, mut stride, mut node) = (number, 1, 0);
        for d in 0..dims.len() {
            node += (anchor[d] + rest % dims[d]) * stride;
            rest /= dims[d];
            stride *= self.dims[d];
        }
        node
    }

    /// The line that describes the torus.
    pub(super) fn place(&self) -> SourceLine<'a> {
        self.place
    }

    /// The names of all hosts.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &str> {
        let all = self.named.iter().chain(&self.unplaced);
        all.map(String::as_str)
    }

    /// The description of the machine, in which the last dimension varies fastest.
    pub(super) fn describe(&self) -> Result<Description> {
        if self.named.is_empty() && !self.unplaced.is_empty() {
            let problem = format!(
                "where the hosts of torus {} are is not told: give topology.yaml in place of this file, or as \
                 well the addresses that `srun sh -c 'echo $SLURM_TOPOLOGY_ADDR'` prints",
                self.name
            );
            return Err(self.place.bad(problem));
        }
        if self.named.is_empty() {
            return Err(self.place.bad("there is no host in this torus"));
        }
        let dims: Vec<String> = self.dims.iter().rev().map(ToString::to_string).collect();
        let name = |host: &Option<String>| host.clone().unwrap_or_else(|| UNUSABLE.into());
        Ok(Description {
            network: Some(format!("torus:{}", dims.join("x"))),
            hosts: self.nodes.iter().map(name).collect(),
            ..Description::default()
        })
    }
}
