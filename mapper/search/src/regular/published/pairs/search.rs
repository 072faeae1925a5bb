//! The search of `pairs` from one mapping.
//!
//! A round of jumps is an annealing: a random object is exchanged with the object next to one of
//! its neighbours. An exchange that needs d hops more is accepted with probability exp(-d/t), where
//! t falls from the round's first temperature to [`LAST_TEMPERATURE`]. Every round starts from the
//! best mapping so far. Rounds take turns with the [`FIRST_TEMPERATURES`], and a turn without gain
//! is followed by one with twice as many tries, until [`VAIN_TURNS`] turns have gained nothing.

use crate::regular::published::member::{CellMap, PlaneSize};
use crate::regular::published::plane::{hops, neighbours};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Hops by which an exchange may be worse and still be accepted with probability 1/e at the
/// beginning of a round. The hot round finds another shape on small grids, the cooler ones mend the
/// shape that is there. Tried on 16x4 onto 8x8 with 200000 tries from 8 random mappings: from 2.0
/// on, two searches reached the best known mapping and the mean was 1.24 hops; from 1.2, two and
/// 1.31; from 1.0, none and 1.37.
const FIRST_TEMPERATURES: [f64; 3] = [2.0, 1.0, 0.5];

/// Temperature at the end of a round: one hop more is then accepted once in 150 tries.
const LAST_TEMPERATURE: f64 = 0.2;

/// Tries of a round in the first turn for every object, and the most for all objects together.
const ROUND: (usize, usize) = (1 << 10, 1 << 16);

/// Turns without gain after which the search ends.
const VAIN_TURNS: u32 = 4;

/// Exchanges of random objects tried in each pass before the jumps, for every object.
const TRIES: usize = 64;

/// A mapping that is searched on from.
pub(in crate::regular::published) struct PairSearch {
    mesh: PlaneSize,
    /// The objects next to every object.
    partners: Vec<Vec<usize>>,
    /// The processors next to every processor.
    beside: Vec<Vec<usize>>,
    layout: CellMap,
    /// The object on every processor.
    object_on: Vec<usize>,
    hops: i64,
    random: Xoshiro256PlusPlus,
}

impl PairSearch {
    pub(in crate::regular::published) fn new(
        layout: CellMap,
        object: PlaneSize,
        mesh: PlaneSize,
        seed: u64,
    ) -> Self {
        let around = |size: PlaneSize| {
            let cells = 0..size.0 * size.1;
            cells.map(|cell| neighbours(cell, size).collect()).collect()
        };
        let mut search = Self {
            mesh,
            partners: around(object),
            beside: around(mesh),
            hops: hops(object, mesh, &layout) as i64,
            object_on: vec![0; layout.len()],
            layout,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        };
        search.seat_all();
        search
    }

    /// The best mapping found with about `most` exchanges tried in rounds of jumps, and the number
    /// of rounds.
    pub(in crate::regular::published) fn run(mut self, most: usize) -> (CellMap, u32) {
        if self.layout.len() < 2 {
            return (self.layout, 0);
        }
        self.exchange_any();
        let (mut best, mut fewest) = (self.layout.clone(), self.hops);
        let edges = self.partners.iter().map(Vec::len).sum::<usize>() / 2;
        let (mut tries, mut tried, mut vain, mut rounds) =
            (ROUND.1.min(ROUND.0 * self.layout.len()), 0, 0, 0);
        while vain < VAIN_TURNS
            && fewest > edges as i64
            && tried + FIRST_TEMPERATURES.len() * tries <= most
        {
            let before = fewest;
            for temperature in FIRST_TEMPERATURES {
                if self.anneal(temperature, tries) < fewest {
                    (fewest, best) = (self.hops, self.layout.clone());
                } else {
                    self.layout.clone_from(&best);
                    self.hops = fewest;
                    self.seat_all();
                }
            }
            rounds += FIRST_TEMPERATURES.len() as u32;
            tried += FIRST_TEMPERATURES.len() * tries;
            if fewest == before {
                vain += 1;
                tries *= 2;
            } else {
                vain = 0;
            }
        }
        (best, rounds)
    }

    fn seat_all(&mut self) {
        for (object, &processor) in self.layout.iter().enumerate() {
            self.object_on[processor] = object;
        }
    }

    /// Makes random exchanges that save hops until a pass gains less than 0.1 %. A pass tries as
    /// many exchanges as there are pairs, or [`TRIES`] for every object if that is less.
    fn exchange_any(&mut self) {
        let objects = self.layout.len();
        let tries = (objects * (objects - 1) / 2).min(TRIES * objects);
        loop {
            let before = self.hops;
            for _ in 0..tries {
                let pair = [(); 2].map(|()| self.random.random_range(0..objects));
                self.try_exchange(pair, |more, _| more < 0);
            }
            if 1000 * (before - self.hops) <= before {
                return;
            }
        }
    }

    /// One round of jumps; returns the hops afterwards.
    fn anneal(&mut self, first: f64, tries: usize) -> i64 {
        let cooling = (LAST_TEMPERATURE / first).powf(1.0 / tries as f64);
        let mut temperature = first;
        for _ in 0..tries {
            temperature *= cooling;
            let a = self.random.random_range(0..self.layout.len());
            let partner = self.random.random_range(0..self.partners[a].len());
            let near = self.layout[self.partners[a][partner]];
            let side = self.random.random_range(0..self.beside[near].len());
            let b = self.object_on[self.beside[near][side]];
            self.try_exchange([a, b], |more, random| {
                more <= 0 || random.random::<f64>() < (-more as f64 / temperature).exp()
            });
        }
        self.hops
    }

    /// Exchanges two objects if `accepts` agrees to the number of hops that this needs more.
    fn try_exchange(
        &mut self,
        [a, b]: [usize; 2],
        accepts: impl Fn(i64, &mut Xoshiro256PlusPlus) -> bool,
    ) {
        if a == b {
            return;
        }
        // An edge between the two objects keeps its length and is counted twice in both sums.
        let before = self.around(a) + self.around(b);
        self.layout.swap(a, b);
        let more = self.around(a) + self.around(b) - before;
        if !accepts(more, &mut self.random) {
            self.layout.swap(a, b);
            return;
        }
        self.hops += more;
        for object in [a, b] {
            self.object_on[self.layout[object]] = object;
        }
    }

    /// Hops from an object to its neighbours.
    fn around(&self, object: usize) -> i64 {
        let width = self.mesh.1;
        let p = self.layout[object];
        let apart = |&other: &usize| {
            let q = self.layout[other];
            (p / width).abs_diff(q / width) + (p % width).abs_diff(q % width)
        };
        self.partners[object].iter().map(apart).sum::<usize>() as i64
    }
}
