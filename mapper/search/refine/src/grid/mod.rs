//! Local search for hop-bytes on meshes and tori, window by window.
//!
//! The machine is divided into windows of a few thousand ranks. Windows are searched side by side:
//! in each, ranks move while all ranks outside stay. Then the borders between windows shift, so
//! that ranks at a border come to lie inside a window. The partition depends on the machine alone,
//! so the result does not depend on the number of threads.
//!
//! ```text
//! partition 0          partition 1
//! +-----+-----+        --+-----+---
//! |     |     |          |     |          x sits at a border in partition 0
//! |     x     |          |  x  |          and inside a window in partition 1
//! +-----+-----+        --+-----+---
//! |     |     |          |     |
//! ```

mod anneal;
mod exchange;
mod hop_table;
mod local;
mod metropolis;
mod tables;
mod watched;
mod window;

use crate::amount::{Amount, fits_i64};
pub(crate) use anneal::Anneal;
pub use anneal::anneals_once;
use exchange::{ExchangesDone, exchange};
use hop_table::HopTable;
use local::{Board, Local};
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_machine::Grid;
use rankfold_metric as metric;
use rankfold_problem::heuristic::{Diagnostics, Effort, Problem};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use window::{Shape, Window};

/// The approximate number of ranks in a window, such that the window's copy fits a core's cache.
const RANKS: usize = 4096;

/// The most partitions searched one after the other.
const PARTITIONS: usize = 8;

/// The search ends after a partition that saved less than 1 / `WORTHWHILE` of what the first one
/// saved.
const WORTHWHILE: i128 = 100;

/// The search of a window stops after this many edge look-ups, which take about a second. Only
/// dense graphs need more.
const LOOKUPS: u64 = 400_000_000;

/// The most dimensions of two nodes or more that a grid may have here.
const MOST_AXES: usize = 8;

/// Exchanges ranks of a mesh or torus until no candidate saves hop-bytes; `None` if the machine has
/// too many or too long dimensions.
pub(super) fn refine(
    problem: &Problem<'_>,
    grid: &Grid,
    placement: &mut Placement,
) -> Option<Diagnostics> {
    with_sizes(problem, grid, placement, Exchanges::of(problem.effort))
}

/// A search for any number of axes and any width of hop-bytes.
trait BoardSearch {
    fn run<A: Amount, const D: usize>(
        self,
        problem: &Problem<'_>,
        board: &mut Board<'_, D>,
    ) -> Diagnostics;
}

fn with_sizes(
    problem: &Problem<'_>,
    grid: &Grid,
    placement: &mut Placement,
    search: impl BoardSearch,
) -> Option<Diagnostics> {
    let narrow = fits_i64(problem.affinity, problem.machine.topology());
    if let Some(shape) = Shape::<3>::new(grid) {
        let mut board = Board::new(problem, shape, placement)?;
        Some(if narrow {
            search.run::<i64, 3>(problem, &mut board)
        } else {
            search.run::<i128, 3>(problem, &mut board)
        })
    } else {
        let mut board = Board::new(problem, Shape::<MOST_AXES>::new(grid)?, placement)?;
        Some(if narrow {
            search.run::<i64, MOST_AXES>(problem, &mut board)
        } else {
            search.run::<i128, MOST_AXES>(problem, &mut board)
        })
    }
}

impl<'a, const D: usize> Board<'a, D> {
    /// `None` if the machine is too large for a table of distances.
    fn new(problem: &Problem<'a>, shape: Shape<D>, placement: &'a mut Placement) -> Option<Self> {
        let slots = problem.machine.slots();
        Some(Self {
            hop_table: HopTable::new(&shape)?,
            affinity: problem.affinity,
            constraints: problem.constraints,
            slots,
            distances: problem.machine.topology().distances(),
            coordinates: (0..shape.nodes())
                .map(|node| shape.coordinates(NodeId::at(node)))
                .collect(),
            shape,
            occupancy: placement.occupancy(slots),
            placement,
        })
    }

    fn hop_bytes(&self, problem: &Problem<'_>) -> u128 {
        let nodes = self.placement.nodes(self.slots);
        metric::hop_bytes_of_over(problem.affinity, &self.distances, &nodes)
    }

    fn restore(&mut self, placement: Placement) {
        *self.placement = placement;
        self.occupancy = self.placement.occupancy(self.slots);
    }

    /// The windows of a partition.
    fn windows(&self, partition: usize) -> Vec<Window<D>> {
        let density = self.slots.len().div_ceil(self.shape.nodes()).max(1);
        self.shape.windows((RANKS / density).max(1), partition)
    }

    /// Runs `search` on every window and takes over the new slots; returns the results of `search`,
    /// window by window.
    fn search<A: Amount, T: Send>(
        &mut self,
        windows: &[Window<D>],
        search: impl Fn(usize, &mut Local<A, D>) -> T + Sync,
    ) -> Vec<T> {
        let board = &*self;
        let results: Vec<_> = windows
            .par_iter()
            .enumerate()
            .map(|(index, &window)| {
                let mut local = Local::new(board, window);
                let found = search(index, &mut local);
                (local.moved(), found)
            })
            .collect();
        let mut all = Vec::with_capacity(results.len());
        for (moved, found) in results {
            for &(rank, _) in &moved {
                self.occupancy.set(self.placement.slot(rank), None);
            }
            for (rank, slot) in moved {
                self.placement.set(rank, slot);
                self.occupancy.set(slot, Some(rank));
            }
            all.push(found);
        }
        all
    }
}

/// A flag for every rank, which any window may set. The order in which windows set flags makes no
/// difference.
struct Flags(Vec<AtomicBool>);

impl Flags {
    fn new(ranks: usize, value: bool) -> Self {
        Self((0..ranks).map(|_| AtomicBool::new(value)).collect())
    }

    fn set(&self, rank: Rank) {
        self.0[rank.index()].store(true, Ordering::Relaxed);
    }

    fn is_set(&self, rank: Rank) -> bool {
        self.0[rank.index()].load(Ordering::Relaxed)
    }
}

/// The search by exchanges of ranks.
struct Exchanges {
    /// The search of a window stops after this many look-ups for each edge of the window. Only
    /// ranks with very many partners need more.
    lookups_per_edge: u64,
}

impl Exchanges {
    fn of(effort: Effort) -> Self {
        let lookups_per_edge = match effort {
            Effort::Hurried | Effort::Fast => 80,
            Effort::Balanced | Effort::Best => 160,
        };
        Self { lookups_per_edge }
    }
}

impl BoardSearch for Exchanges {
    fn run<A: Amount, const D: usize>(
        self,
        problem: &Problem<'_>,
        board: &mut Board<'_, D>,
    ) -> Diagnostics {
        let mut hop_bytes = board.hop_bytes(problem) as i128;
        let mut did = Diagnostics {
            history: vec![hop_bytes as u128],
            ..Diagnostics::default()
        };
        let mut dirty = Flags::new(problem.graph.ranks(), true);
        let (mut first, mut unfinished) = (None, false);
        for partition in 0..PARTITIONS {
            let windows = board.windows(partition);
            let before = board.placement.clone();
            let disturbed = Flags::new(problem.graph.ranks(), false);
            let found: Vec<ExchangesDone> = board.search(&windows, |_, local: &mut Local<A, D>| {
                let limit = (self.lookups_per_edge * local.edge_count() as u64).min(LOOKUPS);
                exchange(
                    local,
                    |rank| dirty.is_set(rank),
                    |rank| disturbed.set(rank),
                    limit,
                )
            });
            dirty = disturbed;
            // The savings of windows do not add up where the two ranks of a pair moved in different
            // windows: the hop-bytes are counted again.
            let now = board.hop_bytes(problem) as i128;
            let gain = hop_bytes - now;
            if gain < 0 {
                board.restore(before);
                break;
            }
            hop_bytes = now;
            did.passes += 1;
            did.moves += found.iter().map(|found| found.moves).sum::<u64>();
            did.history.push(hop_bytes as u128);
            unfinished |= found.iter().any(|found| found.unfinished);
            let first = *first.get_or_insert(gain);
            if windows.len() == 1 || gain * WORTHWHILE < first || gain == 0 {
                break;
            }
        }
        if unfinished {
            let note = "some ranks were not looked at again: the graph is too dense";
            did.notes.push(note.into());
        }
        did
    }
}

#[cfg(test)]
mod tests;
