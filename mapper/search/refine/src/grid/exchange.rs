//! Exchanges of ranks inside a window, until no candidate saves hop-bytes.

use super::local::{FREE, Local};
use super::tables::Tables;
use super::window::Position;
use crate::amount::Amount;
use rankfold_base::Rank;
use std::collections::VecDeque;

/// A rank looks for a seat up to this many hops around its cheapest position.
const REACH: i32 = 2;

/// What the exchanges inside a window did, besides moving ranks.
#[derive(Debug, Default)]
pub(super) struct ExchangesDone {
    pub(super) moves: u64,
    /// Whether the limit on look-ups cut the search short.
    pub(super) unfinished: bool,
}

/// All steps of at most `reach` hops, the shortest first.
pub(super) fn ball<const D: usize>(axes: usize, reach: i32) -> Vec<Position<D>> {
    let mut found: Vec<Position<D>> = vec![[0; D]];
    for axis in 0..axes {
        let steps = |at: &Position<D>| at.iter().map(|step| step.abs()).sum::<i32>();
        found = found
            .iter()
            .flat_map(|at| {
                let left = reach - steps(at);
                (-left..=left).map(|step| {
                    let mut at = *at;
                    at[axis] = step;
                    at
                })
            })
            .collect();
    }
    found.sort_by_key(|at| (at.iter().map(|step| step.abs()).sum::<i32>(), *at));
    found
}

/// Exchanges ranks, starting with those for which `dirty` is true. `disturb` is called with each
/// rank outside the window that has a partner that moved. About `most_lookups` edges are looked up
/// at most.
pub(super) fn exchange<A: Amount, const D: usize>(
    local: &mut Local<A, D>,
    dirty: impl Fn(Rank) -> bool,
    disturb: impl Fn(Rank),
    most_lookups: u64,
) -> ExchangesDone {
    let queue: VecDeque<u32> = (0..local.ranks.len() as u32)
        .filter(|&rank| dirty(local.ranks[rank as usize]))
        .collect();
    let mut queued = vec![false; local.ranks.len()];
    queue.iter().for_each(|&rank| queued[rank as usize] = true);
    let axes = local.window.axes();
    local.watch_hubs();
    let mut search = WindowExchange {
        tables: Tables::new(&local.window.side),
        around_cheapest: ball(axes, REACH),
        around_own: ball(axes, 1),
        candidates: Vec::new(),
        local,
        queue,
        queued,
        outside: disturb,
        found: ExchangesDone::default(),
    };
    search.run(most_lookups);
    search.found
}

struct WindowExchange<'a, A, F, const D: usize> {
    local: &'a mut Local<A, D>,
    tables: Tables<A, D>,
    /// Steps around the cheapest position of a rank.
    around_cheapest: Vec<Position<D>>,
    /// Steps around the present position of a rank.
    around_own: Vec<Position<D>>,
    /// The cells worth a look, with the hop-bytes that the rank itself saves there.
    candidates: Vec<(A, usize)>,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    /// Called with each rank outside the window that has a partner that moved.
    outside: F,
    found: ExchangesDone,
}

impl<A: Amount, F: Fn(Rank), const D: usize> WindowExchange<'_, A, F, D> {
    fn run(&mut self, most_lookups: u64) {
        while let Some(rank) = self.queue.pop_front() {
            if self.local.lookups > most_lookups {
                self.found.unfinished = true;
                break;
            }
            self.queued[rank as usize] = false;
            let rank = rank as usize;
            if let Some(seat) = self.best_exchange(rank) {
                self.found.moves += 1;
                let other = self.local.exchange(rank, seat);
                for moved in std::iter::once(rank).chain(other) {
                    self.disturb(moved);
                }
            }
        }
    }

    /// Queues a rank that moved, and its partners.
    fn disturb(&mut self, rank: usize) {
        for who in self.local.edges(rank).map(|edge| self.local.end_of(edge)) {
            match self.local.outsider(who) {
                Some(outsider) => (self.outside)(outsider),
                None => enqueue(&mut self.queue, &mut self.queued, who),
            }
        }
        enqueue(&mut self.queue, &mut self.queued, rank);
    }

    /// The seat whose exchange saves most hop-bytes, if any saves some.
    fn best_exchange(&mut self, rank: usize) -> Option<u32> {
        self.local.fill(&mut self.tables, rank);
        self.find_candidates(rank);
        let (mut most, mut best) = (A::default(), None);
        for index in 0..self.candidates.len() {
            let (gain, cell) = self.candidates[index];
            let mut free_seen = false;
            for seat in self.local.seats(cell) {
                let other = self.local.occupant[seat as usize];
                let total = if other == FREE {
                    if std::mem::replace(&mut free_seen, true) {
                        continue;
                    }
                    gain
                } else if gain + self.local.cost(other as usize) <= most {
                    // The occupant of the seat saves at most all its cost.
                    continue;
                } else {
                    gain + self.local.gain_of_return(rank, other as usize)
                };
                if total > most {
                    (most, best) = (total, Some(seat));
                }
            }
        }
        best
    }

    /// Lists the cells where the rank itself saves hop-bytes, the cell where it saves most first.
    fn find_candidates(&mut self, rank: usize) {
        let (window, ring) = (self.local.window, self.local.ring);
        let own = *self.local.position(rank);
        let cost = self.local.cost(rank);
        let median = self.tables.median();
        self.candidates.clear();
        let around = self.around_cheapest.iter().map(|steps| (&median, steps));
        let nearby = self.around_own.iter().map(|steps| (&own, steps));
        for (centre, steps) in around.chain(nearby) {
            let position = std::array::from_fn(|axis| {
                let at = centre[axis] + steps[axis];
                if window.side[axis] as i32 == ring[axis] {
                    at.rem_euclid(ring[axis])
                } else {
                    at
                }
            });
            let Some(cell) = window.cell(&position) else {
                continue;
            };
            let gain = cost - self.tables.cost(&position);
            if gain > A::default() {
                self.candidates.push((gain, cell));
            }
        }
        self.candidates.sort_unstable_by(|a, b| b.cmp(a));
        self.candidates.dedup();
    }
}

fn enqueue(queue: &mut VecDeque<u32>, queued: &mut [bool], rank: usize) {
    if !std::mem::replace(&mut queued[rank], true) {
        queue.push_back(rank as u32);
    }
}
