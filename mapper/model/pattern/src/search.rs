//! The order in which the analyser tries its methods.
//!
//! Cheap methods come before costly ones: declared and numbered grids before grids in any order,
//! all traffic before parts of it. The search ends at the first step where any grid is found; all
//! grids found at this step are kept.

use super::grid_fit::{GridFit, MemberGrid};
use super::groups::{self, Groups};
use super::permuted::{self, MemberCells};
use super::radix;
use super::traffic::PairTraffic;
use super::{
    ACCEPT, MOSTLY, Numbering, Overlay, Pattern, Source, Stencil, crossing, declared, partial,
    thresholds,
};
use rankfold_graph::{CommGraph, DeclaredGrid};
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
    if let Some(lines) = crossing::of(&active, graph.total_bytes()) {
        sort(&mut stencils);
        overlays.extend(lines);
        return Pattern::Irregular {
            explained: search.explained,
            partly: stencils.into_iter().next().map(Box::new),
            overlays,
        };
    }
    let mut nearly = search.nearly.take();
    // In a small box, cells exchange messages with nearly all others too. Such cliques are no
    // groups if the box explains them.
    let plain = stencils.iter().any(|s| s.neighbours().is_some());
    let likely = stencils.is_empty() || (!plain && groups::are_likely(&active, graph.ranks()));
    let mut explained = false;
    if (likely || !plain)
        && let Some(groups) = groups::peel(&active)
        && (likely || most_of(graph, groups.bytes))
    {
        explained = most_of(graph, groups.bytes);
        let rest = search.of(&groups.rest.active());
        if explained || !rest.is_empty() {
            stencils = rest;
        }
        overlays.push(overlay(&groups));
        // That grid took messages of the groups for its own.
        nearly = None;
    }
    sort(&mut stencils);
    let mut partly = None;
    if stencils.is_empty() && !explained && active.members() == graph.ranks() {
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
    if stencils.is_empty() && partly.is_none() && overlays.is_empty() {
        overlays.extend(crossing::apart(&active));
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

/// Whether these bytes give the traffic of a graph its name.
fn most_of(graph: &CommGraph, bytes: u128) -> bool {
    bytes as f64 >= MOSTLY * graph.total_bytes() as f64
}

/// Readings whose confidence differs by less than this are equally plausible. Chosen by hand.
const EQUAL: f64 = 0.01;

/// Sorts readings by confidence. Among equally plausible ones, the order is: declared by the
/// program; symmetric offsets; simpler numbering; complete sets of faces, edges or corners; then
/// higher confidence, fewer offsets, fewer dimensions.
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

/// Most ranks for which all orders of a grid's dimensions are tried. Chosen by hand.
const MANY: usize = 1 << 14;

/// All permutations of these sizes.
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
    /// Grids that the program declares.
    grids: &'a [DeclaredGrid],
    /// All bytes of the graph.
    bytes: u128,
    /// Bytes below the current threshold.
    beyond: u128,
    /// The largest share of the bytes that any grid explained.
    explained: f64,
    /// The most confident grid of all ranks that explains most of the traffic, but not nearly all.
    nearly: Option<Stencil>,
}

impl GridSearch<'_> {
    /// Grids of traffic in which all members take part. Hubs may be in the grid or outside.
    ///
    /// The first threshold at which a grid is found decides, unless a hub has no cell in it. A
    /// higher threshold may remove the light messages that made the member a hub, so that it gets a
    /// cell.
    fn of(&mut self, traffic: &PairTraffic) -> Vec<Stencil> {
        let mut best = Vec::new();
        let mut seats = 0;
        for threshold in thresholds::thresholds(traffic) {
            let mut found = match threshold {
                0 => self.above(traffic, 0),
                _ => {
                    let heavy = traffic.filtered(|p| p.bytes() >= threshold);
                    let beyond = traffic.bytes_beside_hubs() - heavy.bytes_beside_hubs();
                    self.above(&heavy.into_active().with_fewer_hubs(), beyond)
                }
            };
            // Two or three ranks beside a hub are always a grid of some kind.
            let is_small = |s: &Stencil| 2 * s.seats(self.ranks) < self.ranks;
            found.retain(|s| s.source == Source::Declared || s.carried >= MOSTLY || !is_small(s));
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

    /// Grids of the traffic above a threshold. `beyond` are the bytes below the threshold that no
    /// hub accounts for.
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
        if found.is_empty() {
            self.permuted(heavy).unwrap_or_default()
        } else {
            found
        }
    }

    /// Grids that the program declares and the traffic confirms.
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
                    periodic: declared::periodic(grid, &stencil.periodic),
                    ..stencil
                });
            }
        }
        self.beyond = beyond;
        found
    }

    /// Grids whose members are numbered by rows or blocks; `None` if there are none.
    fn numbered(&mut self, traffic: &PairTraffic) -> Option<Vec<Stencil>> {
        let mut found = Vec::new();
        for radix in radix::numberings(traffic) {
            let numbering = radix.numbering();
            let members = (0..traffic.members()).into_par_iter();
            let cells = members.map(|m| numbering.cell(m, &radix.dims).unwrap_or_default());
            let grid = MemberGrid::new(radix.dims.clone(), cells);
            let of_ranks = |search: &Self| {
                if traffic.members() == search.ranks {
                    numbering
                } else {
                    search.spread(traffic, |m| numbering.cell(m, &radix.dims))
                }
            };
            found.extend(self.read(traffic, &grid, of_ranks));
        }
        Some(found).filter(|found| !found.is_empty())
    }

    /// Grids whose members are numbered in any order; `None` if there are none.
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

    /// The grid of `stencil` with its ranks in row order, if this explains as much. Stray messages
    /// can hide the row order from the histogram, but not from this test.
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

    /// The stencil of a grid with this numbering, if it explains enough.
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

    /// Whether a grid is more confident than the best near miss so far, or equally confident with
    /// fewer dimensions.
    fn is_better(&self, stencil: &Stencil) -> bool {
        self.nearly.as_ref().is_none_or(|nearly| {
            let ahead = stencil.confidence - nearly.confidence;
            if stencil.dims.len() < nearly.dims.len() {
                ahead > -EQUAL
            } else {
                ahead > EQUAL
            }
        })
    }

    /// Turns cells of members into cells of ranks.
    fn spread(&self, traffic: &PairTraffic, cell: impl Fn(usize) -> Option<usize>) -> Numbering {
        let mut cells = vec![None; self.ranks];
        for (member, rank) in traffic.ranks.iter().enumerate() {
            cells[rank.index()] = cell(member).map(|c| c as u32);
        }
        Numbering::Permuted { cells }
    }
}
