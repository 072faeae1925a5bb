//! Rings and tori with a host at most in every place, as schedulers describe them.

use super::super::Description;
use super::super::description::hosts::UNUSABLE;
use super::super::network::grammar;
use super::{ImportError, Place};
use std::collections::HashSet;

/// A torus being filled; the first dimension varies fastest, as schedulers count.
pub(super) struct Lattice<'a> {
    place: Place<'a>,
    dims: Vec<usize>,
    cells: Vec<Option<String>>,
    named: HashSet<String>,
}

impl<'a> Lattice<'a> {
    /// An empty torus.
    pub(super) fn new(place: Place<'a>, dims: &[usize]) -> Result<Self, ImportError> {
        if dims.contains(&0) {
            return Err(place.bad("every dimension must be at least 1"));
        }
        let cells = grammar::product(dims, "places").map_err(|problem| place.bad(problem))?;
        Ok(Self {
            place,
            dims: dims.to_vec(),
            cells: vec![None; cells],
            named: HashSet::new(),
        })
    }

    /// Puts hosts in the places of a box, one each.
    pub(super) fn fill(
        &mut self,
        place: Place<'a>,
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
            let cell = self.cell(anchor, dims, number);
            if let Some(other) = &self.cells[cell] {
                return Err(place.bad(format!("{host} is in the place of {other}")));
            }
            if !self.named.insert(host.clone()) {
                return Err(place.bad(format!("{host} is in two places")));
            }
            self.cells[cell] = Some(host);
        }
        Ok(())
    }

    /// The place of the `number`-th host of a box.
    fn cell(&self, anchor: &[usize], dims: &[usize], number: usize) -> usize {
        let (mut rest, mut stride, mut cell) = (number, 1, 0);
        for d in 0..dims.len() {
            cell += (anchor[d] + rest % dims[d]) * stride;
            rest /= dims[d];
            stride *= self.dims[d];
        }
        cell
    }

    /// The machine; its last dimension varies fastest.
    pub(super) fn describe(self) -> Result<Description, ImportError> {
        if self.named.is_empty() {
            return Err(self.place.bad("there is no host in this torus"));
        }
        let dims: Vec<String> = self.dims.iter().rev().map(ToString::to_string).collect();
        let name = |cell: Option<String>| cell.unwrap_or_else(|| UNUSABLE.into());
        Ok(Description {
            network: Some(format!("torus:{}", dims.join("x"))),
            hosts: self.cells.into_iter().map(name).collect(),
            ..Description::default()
        })
    }
}
