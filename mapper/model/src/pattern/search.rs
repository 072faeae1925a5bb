//! The order in which the parts of the analyser are asked.
//!
//! Cheap before costly: declared and numbered grids before permuted ones, all traffic before parts
//! of it. The first question that any grid answers ends the search; all grids that answer it are
//! kept.

use super::grid_fit::{GridFit, MemberGrid};
use super::groups::{self, Groups};
use super::permuted::{self, MemberCells};
use super::radix;
use super::traffic::PairTraffic;
use super::{
    ACCEPT, MOSTLY, Numbering, Overlay, Pattern, Source, Stencil, declared, partial, thresholds,
};
use crate::comm::{CommGraph, DeclaredGrid};
use rayon::prelude::*;

pub(super) fn analyze(graph: &CommGraph) -> Pattern {
    let all = PairTraffic::of(graph);
    let mut overlays = hubs(&all);
    let mut search = GridSearch {
        ranks: graph.ranks(),
        grids: &graph.declared().grids,
        bytes: graph.total_bytes(),
        beyond: 0,
        explained: 0.0,
        nearly: None,
    };
    let active = all.into_active();
    let mut stencils = search.of(&active);
    let mut nearly = search.nearly.take();
    // Cells of a small box talk to nearly all others, too: such cliques are no groups where the box
    // explains them.
    let plain = stencils.iter().any(|s| s.neighbours().is_some());
    if (stencils.is_empty() || (!plain && groups::are_likely(&active, graph.ranks())))
        && let Some(groups) = groups::peel(&active)
    {
        let rest = search.of(&groups.rest.active());
        if !rest.is_empty() {
            stencils = rest;
        }
        overlays.push(overlay(&groups));
        // It took the messages of the groups for its own.
        nearly = None;
    }
    sort(&mut stencils);
    let mut partly = None;
    if stencils.is_empty() && active.members() == graph.ranks() {
        let best = partial::best(&active, graph.total_bytes());
        match best {
            Some((stencil, levels)) if stencil.carried >= MOSTLY => {
                overlays.extend(levels);
                stencils.push(stencil);
            }
            best => {
                partly = best.map(|(stencil, _)| Box::new(stencil));
                stencils.extend(nearly);
            }
        }
    }
    if let Some(partly) = &partly {
        search.explained = search.explained.max(partly.carried);
    }
    let mut stencils = stencils.into_iter();
    match stencils.next() {
        Some(best) => Pattern::Regular {
            best,
            alternatives: stencils.collect(),
            overlays,
        },
        None => Pattern::Irregular {
            explained: search.explained,
            partly,
            overlays,
        },
    }
}

/// Readings whose confidence differs by less are equally sure.
const EQUAL: f64 = 0.01;

/// Equally sure: declared by the program, then offsets that do not lean to one side, then the
/// simpler order of ranks, then all faces, edges or corners rather than some, is the simpler
/// explanation; then the surer one, fewer offsets, fewer dimensions.
fn sort(stencils: &mut [Stencil]) {
    stencils.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let surest = stencils.first().map_or(0.0, |best| best.confidence);
    let equal = stencils.partition_point(|s| s.confidence > surest - EQUAL);
    let simplicity = |s: &Stencil| {
        let order = match s.numbering {
            Numbering::Rows => 0,
            Numbering::Blocks { .. } => 1,
            Numbering::Permuted { .. } => 2,
        };
        let found = s.source == Source::Traffic;
        (found, s.is_skewed(), order, s.neighbours().is_none())
    };
    stencils[..equal].sort_by(|a, b| {
        let size = |s: &Stencil| (s.points, s.dims.len());
        simplicity(a)
            .cmp(&simplicity(b))
            .then_with(|| b.confidence.total_cmp(&a.confidence))
            .then_with(|| size(a).cmp(&size(b)))
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

/// Ranks above which the order of a grid's dimensions is not tried out.
const MANY: usize = 1 << 14;

/// Every order of these sizes.
fn orders(sizes: &[usize]) -> Vec<Vec<usize>> {
    if sizes.is_empty() {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for at in (0..sizes.len()).filter(|&at| !sizes[..at].contains(&sizes[at])) {
        let mut others = sizes.to_vec();
        let first = others.remove(at);
        let behind = orders(&others).into_iter();
        found.extend(behind.map(|rest| [&[first], &rest[..]].concat()));
    }
    found
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
    /// The surest of the grids of all ranks that explain most of the traffic and not nearly all.
    nearly: Option<Stencil>,
}

impl GridSearch<'_> {
    /// Grids of some traffic whose members all take part, with hubs in the grid or beside it.
    ///
    /// The first threshold that shows any decides, unless a hub has no cell in these: without the
    /// light messages that made it one it may have.
    fn of(&mut self, traffic: &PairTraffic) -> Vec<Stencil> {
        let mut best = Vec::new();
        let mut seats = 0;
        for threshold in thresholds::thresholds(traffic) {
            let found = match threshold {
                0 => self.above(traffic, 0),
                _ => {
                    let heavy = traffic.filtered(|p| p.bytes() >= threshold);
                    let beyond = traffic.bytes_beside_hubs() - heavy.bytes_beside_hubs();
                    self.above(&heavy.into_active().with_fewer_hubs(), beyond)
                }
            };
            let most = found.iter().map(|s| s.seats(self.ranks)).max();
            if most.is_some_and(|most| most > seats) {
                seats = most.unwrap_or_default();
                best = found;
            }
            if seats >= traffic.members() {
                break;
            }
        }
        best
    }

    /// Grids of the traffic above a threshold, below which are `beyond` bytes that no hub accounts
    /// for.
    fn above(&mut self, heavy: &PairTraffic, beyond: u128) -> Vec<Stencil> {
        self.beyond = beyond;
        let without = heavy.without_hubs();
        let mut found = self.declared(heavy);
        let numbered = self.numbered(heavy);
        let numbered = numbered.or_else(|| without.as_ref().and_then(|t| self.numbered(t)));
        for other in numbered.unwrap_or_default() {
            let known = |s: &Stencil| (&s.dims, &s.numbering) == (&other.dims, &other.numbering);
            if !found.iter().any(known) {
                found.push(other);
            }
        }
        match found.is_empty() {
            true => self.permuted(heavy).unwrap_or_default(),
            false => found,
        }
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
            let numbering = radix.numbering();
            let members = (0..traffic.members()).into_par_iter();
            let cells = members.map(|m| numbering.cell(m, &radix.dims).unwrap_or_default());
            let grid = MemberGrid::new(radix.dims.clone(), cells);
            let of_ranks = |search: &Self| match traffic.members() == search.ranks {
                true => numbering,
                false => search.spread(traffic, |m| numbering.cell(m, &radix.dims)),
            };
            found.extend(self.read(traffic, &grid, of_ranks));
        }
        Some(found).filter(|found| !found.is_empty())
    }

    /// Grids whose members are numbered in any order; `None` if there is none.
    fn permuted(&mut self, traffic: &PairTraffic) -> Option<Vec<Stencil>> {
        if radix::is_dense(traffic) {
            return None;
        }
        let mut found = permuted::layouts(traffic, |layout| self.accept(traffic, layout));
        if traffic.members() == self.ranks && self.ranks <= MANY {
            for stencil in &mut found {
                if let Some(rows) = self.in_rows(traffic, stencil) {
                    *stencil = rows;
                }
            }
        }
        Some(found).filter(|found| !found.is_empty())
    }

    /// The grid of `stencil` with its ranks in row order, if that explains as much: stray messages
    /// hide the order of ranks from the histogram, not from this.
    fn in_rows(&mut self, traffic: &PairTraffic, stencil: &Stencil) -> Option<Stencil> {
        let read = |dims| {
            let cells = (0..traffic.members()).into_par_iter();
            let grid = MemberGrid::new(dims, cells);
            let rows = self.read(traffic, &grid, |_| Numbering::Rows)?;
            (rows.confidence > stencil.confidence - EQUAL).then_some(rows)
        };
        let readings = orders(&stencil.dims).into_iter().filter_map(read);
        readings.min_by_key(|rows| rows.points)
    }

    fn accept(&mut self, traffic: &PairTraffic, layout: &MemberCells) -> Option<Stencil> {
        let seated = traffic.only(|m| layout.cells[m].is_some());
        let cells: Vec<usize> = layout.cells.iter().flatten().map(|&c| c as usize).collect();
        let grid = MemberGrid::new(layout.dims.clone(), cells.into_par_iter());
        self.read(&seated, &grid, |search| {
            search.spread(traffic, |m| layout.cells[m].map(|c| c as usize))
        })
    }

    /// The grid with its ranks numbered so, if it explains enough.
    fn read(
        &mut self,
        traffic: &PairTraffic,
        grid: &MemberGrid,
        numbering: impl FnOnce(&Self) -> Numbering,
    ) -> Option<Stencil> {
        let fit = GridFit::of(traffic, grid);
        self.explained = self.explained.max(fit.matched(self.beyond));
        let stencil = fit.stencil_of(self.beyond, self.bytes)?;
        if stencil.confidence >= ACCEPT {
            let numbering = numbering(self);
            return Some(Stencil {
                numbering,
                ..stencil
            });
        }
        if grid.at.len() == self.ranks && stencil.confidence >= MOSTLY && self.is_better(&stencil) {
            let numbering = numbering(self);
            self.nearly = Some(Stencil {
                numbering,
                ..stencil
            });
        }
        None
    }

    /// Whether a grid is surer than the one that nearly explains the traffic so far, or as sure
    /// with fewer dimensions.
    fn is_better(&self, stencil: &Stencil) -> bool {
        self.nearly.as_ref().is_none_or(|nearly| {
            let ahead = stencil.confidence - nearly.confidence;
            match stencil.dims.len() < nearly.dims.len() {
                true => ahead > -EQUAL,
                false => ahead > EQUAL,
            }
        })
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
