//! Rings and tori in the descriptions of schedulers, with at most one host on every node.

use super::super::Description;
use super::super::description::hosts::UNUSABLE;
use super::super::network::grammar;
use super::{ImportError, SourceLine};
use std::collections::HashSet;

/// A torus that is being filled with hosts. The first dimension varies fastest, as schedulers
/// count.
pub(super) struct Lattice<'a> {
    place: SourceLine<'a>,
    dims: Vec<usize>,
    nodes: Vec<Option<String>>,
    named: HashSet<String>,
}

impl<'a> Lattice<'a> {
    /// An empty torus.
    pub(super) fn new(place: SourceLine<'a>, dims: &[usize]) -> Result<Self, ImportError> {
        if dims.contains(&0) {
            return Err(place.bad("every dimension must be at least 1"));
        }
        let nodes = grammar::product(dims, "places").map_err(|problem| place.bad(problem))?;
        Ok(Self {
            place,
            dims: dims.to_vec(),
            nodes: vec![None; nodes],
            named: HashSet::new(),
        })
    }

    /// Puts one host on each node of a box.
    pub(super) fn fill(
        &mut self,
        place: SourceLine<'a>,
        anchor: &[usize],
        dims: &[usize],
        hosts: Vec<String>,
    ) -> Result<(), ImportError> {
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
        self.named.iter().map(String::as_str)
    }

    /// The description of the machine, in which the last dimension varies fastest.
    pub(super) fn describe(&self) -> Result<Description, ImportError> {
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
