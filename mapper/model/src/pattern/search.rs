//! The order in which the parts of the analyser are asked.
//!
//! Cheap before costly: declared and numbered grids before permuted ones, all traffic before parts of it. The first
//! question that any grid answers ends the search; all grids that answer it are kept.

use super::grid_fit::{GridFit, MemberGrid};
use super::groups::{self, Groups};
use super::permuted::{self, MemberCells};
use super::radix::{self, Radix};
use super::traffic::PairTraffic;
use super::{ACCEPT, Numbering, Overlay, Pattern, Source, Stencil, declared, thresholds};
use crate::comm::{CommGraph, DeclaredGrid};
use rayon::prelude::*;
use std::borrow::Cow;

pub(super) fn analyze(graph: &CommGraph) -> Pattern {
    let all = PairTraffic::of(graph);
    let mut overlays = hubs(&all);
    let mut search = GridSearch {
        ranks: graph.ranks(),
        grids: &graph.declared().grids,
        bytes: graph.total_bytes(),
        beyond: 0,
        explained: 0.0,
    };
    let active = all.active();
    let mut stencils = search.of(&active);
    if (stencils.is_empty() || groups::are_likely(&all))
        && let Some(groups) = groups::peel(&active)
    {
        let rest = search.of(&groups.rest.active());
        if !rest.is_empty() {
            stencils = rest;
        }
        overlays.push(overlay(&groups));
    }
    sort(&mut stencils);
    let mut stencils = stencils.into_iter();
    match stencils.next() {
        Some(best) => Pattern::Regular {
            best,
            alternatives: stencils.collect(),
            overlays,
        },
        None => Pattern::Irregular {
            explained: search.explained,
            overlays,
        },
    }
}

/// Equally sure: fewer offsets, then fewer dimensions, is the simpler explanation.
fn sort(stencils: &mut [Stencil]) {
    stencils.sort_by(|a, b| {
        b.confidence
            .total_cmp(&a.confidence)
            .then_with(|| (a.points, a.dims.len()).cmp(&(b.points, b.dims.len())))
    });
}

fn hubs(traffic: &PairTraffic) -> Vec<Overlay> {
    let mut bytes = vec![0; traffic.members()];
    for p in &traffic.pairs {
        bytes[p.low as usize] += p.bytes();
        bytes[p.high as usize] += p.bytes();
    }
    let hubs = (0..traffic.members()).filter(|&m| traffic.hub[m]);
    hubs.map(|m| Overlay::Hub {
        rank: traffic.ranks[m],
        bytes: bytes[m],
    })
    .collect()
}

fn overlay(groups: &Groups) -> Overlay {
    Overlay::Groups {
        count: groups.count,
        size: groups.size,
        bytes: groups.bytes,
    }
}

struct GridSearch<'a> {
    ranks: usize,
    /// Grids the program says it is.
    grids: &'a [DeclaredGrid],
    /// All bytes of the graph.
    bytes: u128,
    /// Bytes below the threshold in force.
    beyond: u128,
    /// The largest share any grid explained.
    explained: f64,
}

impl GridSearch<'_> {
    /// Grids of some traffic whose members all take part, with hubs in the grid or beside it.
    fn of(&mut self, traffic: &PairTraffic) -> Vec<Stencil> {
        let thresholds = thresholds::thresholds(traffic);
        for threshold in thresholds {
            let heavy = match threshold {
                0 => Cow::Borrowed(traffic),
                _ => {
                    let heavy = traffic.filtered(|p| p.bytes() >= threshold);
                    Cow::Owned(heavy.active().into_owned())
                }
            };
            self.beyond = traffic.bytes() - heavy.bytes();
            let without = heavy.without_hubs();
            let mut found = self.declared(&heavy);
            let numbered = self.numbered(&heavy);
            let numbered = numbered.or_else(|| without.as_ref().and_then(|t| self.numbered(t)));
            for other in numbered.unwrap_or_default() {
                let known =
                    |s: &Stencil| (&s.dims, &s.numbering) == (&other.dims, &other.numbering);
                if !found.iter().any(known) {
                    found.push(other);
                }
            }
            if found.is_empty() {
                found = self.permuted(&heavy).unwrap_or_default();
            }
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Grids the program says it is, where the traffic bears that out.
    fn declared(&mut self, traffic: &PairTraffic) -> Vec<Stencil> {
        let beyond = self.beyond;
        let mut found = Vec::new();
        for grid in self.grids {
            let Some(layout) = declared::layout(grid, traffic, self.ranks) else {
                continue;
            };
            self.beyond = beyond + declared::outside(&layout, traffic);
            if let Some(stencil) = self.accept(traffic, &layout) {
                found.push(Stencil {
                    source: Source::Declared,
                    numbering: declared::numbering(grid, self.ranks),
                    ..stencil
                });
            }
        }
        self.beyond = beyond;
        found
    }

    /// Grids whose members are numbered by rows or blocks; `None` if there is none.
    fn numbered(&mut self, traffic: &PairTraffic) -> Option<Vec<Stencil>> {
        let mut found = Vec::new();
        for radix in radix::numberings(traffic) {
            let numbering = numbering(&radix);
            let members = (0..traffic.members()).into_par_iter();
            let cells = members.map(|m| numbering.cell(m, &radix.dims).unwrap_or_default());
            let grid = MemberGrid::new(radix.dims.clone(), cells);
            if let Some(mut stencil) = self.read(traffic, &grid) {
                stencil.numbering = match traffic.members() == self.ranks {
                    true => numbering,
                    false => self.spread(traffic, |m| numbering.cell(m, &radix.dims)),
                };
                found.push(stencil);
            }
        }
        Some(found).filter(|found| !found.is_empty())
    }

    /// Grids whose members are numbered in any order; `None` if there is none.
    fn permuted(&mut self, traffic: &PairTraffic) -> Option<Vec<Stencil>> {
        if radix::is_dense(traffic) {
            return None;
        }
        let found = permuted::layouts(traffic, |layout| self.accept(traffic, layout));
        Some(found).filter(|found| !found.is_empty())
    }

    fn accept(&mut self, traffic: &PairTraffic, layout: &MemberCells) -> Option<Stencil> {
        let seated = traffic.only(|m| layout.cells[m].is_some());
        let cells: Vec<usize> = layout.cells.iter().flatten().map(|&c| c as usize).collect();
        let grid = MemberGrid::new(layout.dims.clone(), cells.into_par_iter());
        let mut stencil = self.read(&seated, &grid)?;
        stencil.numbering = self.spread(traffic, |m| layout.cells[m].map(|c| c as usize));
        Some(stencil)
    }

    /// The grid, if it explains enough.
    fn read(&mut self, traffic: &PairTraffic, grid: &MemberGrid) -> Option<Stencil> {
        let fit = GridFit::of(traffic, grid);
        self.explained = self.explained.max(fit.matched(self.beyond));
        let stencil = fit.stencil_of(self.beyond, self.bytes)?;
        (stencil.confidence >= ACCEPT).then_some(stencil)
    }

    /// Cells of the members as cells of all ranks.
    fn spread(&self, traffic: &PairTraffic, cell: impl Fn(usize) -> Option<usize>) -> Numbering {
        let mut cells = vec![None; self.ranks];
        for (member, rank) in traffic.ranks.iter().enumerate() {
            cells[rank.index()] = cell(member).map(|c| c as u32);
        }
        Numbering::Permuted { cells }
    }
}

fn numbering(radix: &Radix) -> Numbering {
    match radix.is_rows() {
        true => Numbering::Rows,
        false => Numbering::Blocks {
            digits: radix.digits.clone(),
        },
    }
}
