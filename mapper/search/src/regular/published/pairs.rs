//! `pairs`: pairwise exchanges (heuristic 7 of section V, after Bokhari 1981 and Lee and Aggarwal
//! 1987).
//!
//! Cost: O(n) for each round of exchanges and O(1) for each jump on average, for n ranks; several
//! times the cost of all other published heuristics.

use super::member::{CellMap, PlaneSize, about};
use super::object::ObjectGrid;
use super::plane::{hops, neighbours};
use super::{AFFN, COCE, EXCO, MXOV_AL, MXOVLP, PlaneHeuristic, STEP};
use crate::heuristic::{About, Diagnostics, Effort, Heuristic, NotApplicable, Placed, Problem};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// Exchanges of objects that start from every other 2D heuristic's mapping, with random jumps: the
/// paper's estimate of the optimum.
///
/// The paper leaves open where the search starts and how it jumps. Here exchanges first improve
/// every start until none saves hops. Then, repeatedly, a few objects that are close on the mesh
/// change places, and exchanges that save hops follow around them. A result that is worse by d hops
/// is accepted with probability exp(-d/t), where t falls to 0. The best mapping of all searches is
/// returned.
#[derive(Clone, Copy, Debug)]
pub struct Pairs;

const STARTS: [PlaneHeuristic; 6] = [AFFN, MXOVLP, MXOV_AL, EXCO, COCE, STEP];

/// Exchanges of random objects tried in each round, for every object, from the affine mapping on.
/// Chosen by hand; not measured.
const TRIES: usize = 64;

/// Number of jumps from each start: proportional to the objects, up to a limit; none at low
/// efforts. Chosen by hand; not measured.
fn jumps(effort: Effort, objects: usize) -> usize {
    let each = match effort {
        // The paper also calls the method too expensive to be practical.
        Effort::Hurried | Effort::Fast | Effort::Balanced => 0,
        Effort::Best => 20,
    };
    (each * objects).min(1 << 13)
}

/// First temperature: the number of hops by which a jump may be worse and still be accepted with
/// probability 1/e. Chosen by hand; not measured.
const FIRST_TEMPERATURE: f64 = 2.0;

/// Most exchanges in a jump, and most steps on the mesh between the objects of an exchange. Chosen
/// by hand; not measured.
const MOST_JUMP_STEPS: usize = 3;

impl Heuristic for Pairs {
    fn about(&self) -> &About {
        const ABOUT: About = about(
            "pairs",
            "exchanges and probabilistic jumps from the other mappings of the plane on (Bhatele 2010, V.7)",
        );
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let object = ObjectGrid::of(problem, 2)?;
        let (size, mesh) = (object.size(), (object.mesh()[0], object.mesh()[1]));
        let jumps = jumps(problem.effort, size.0 * size.1);
        let found = STARTS.par_iter().enumerate().map(|(number, start)| {
            let layout = improved(start, (size, mesh), problem.seed ^ number as u64, jumps);
            (hops(size, mesh, &layout), number, layout)
        });
        let best = found.min_by_key(|&(hops, number, _)| (hops, number));
        let (hops, number, layout) = best.expect("there are starts");
        let mut placed = object.seat(problem, &layout)?;
        placed.diagnostics = Diagnostics {
            passes: jumps as u32,
            notes: vec![format!(
                "from {}, {hops} hops between objects",
                STARTS[number].about.name
            )],
            ..Diagnostics::default()
        };
        Ok(placed)
    }
}

/// The best mapping that the search finds from a start.
pub(super) fn improved(
    start: &PlaneHeuristic,
    (object, mesh): (PlaneSize, PlaneSize),
    seed: u64,
    jumps: usize,
) -> CellMap {
    let mut layout = (start.lay)(object, mesh, seed);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    if start.about.name == AFFN.about.name {
        exchange_any(&mut layout, (object, mesh), &mut random);
    }
    PairSearch::new(layout, object, mesh, random).run(jumps)
}

/// Makes random exchanges that save hops until a round gains less than 0.1 %. A round tries as many
/// exchanges as there are pairs, or [`TRIES`] for every object if that is less.
fn exchange_any(
    layout: &mut CellMap,
    (object, mesh): (PlaneSize, PlaneSize),
    random: &mut Xoshiro256PlusPlus,
) {
    let cells = layout.len();
    let tries = (cells * (cells - 1) / 2).min(TRIES * cells);
    let mut total = hops(object, mesh, layout);
    loop {
        let before = total;
        for _ in 0..tries {
            let (a, b) = (random.random_range(0..cells), random.random_range(0..cells));
            let saved = saving(layout, (a, b), object, mesh);
            if saved > 0 {
                layout.swap(a, b);
                total -= saved as usize;
            }
        }
        if 1000 * (before - total) <= before {
            return;
        }
    }
}

/// Number of hops that exchanging two objects saves.
fn saving(layout: &mut CellMap, (a, b): (usize, usize), object: PlaneSize, mesh: PlaneSize) -> i64 {
    if a == b {
        return 0;
    }
    let around =
        |layout: &CellMap| around(layout, a, object, mesh) + around(layout, b, object, mesh);
    let before = around(layout);
    layout.swap(a, b);
    let after = around(layout);
    layout.swap(a, b);
    before - after
}

/// Hops from an object to its neighbours. An edge between the two exchanged objects keeps its
/// length and is counted twice both before and after.
fn around(layout: &[usize], cell: usize, object: PlaneSize, mesh: PlaneSize) -> i64 {
    let apart = |other: usize| {
        let (p, q) = (layout[cell], layout[other]);
        (p / mesh.1).abs_diff(q / mesh.1) + (p % mesh.1).abs_diff(q % mesh.1)
    };
    neighbours(cell, object).map(apart).sum::<usize>() as i64
}

/// A search by jumps and exchanges.
struct PairSearch {
    object: PlaneSize,
    mesh: PlaneSize,
    layout: CellMap,
    /// The object on every processor.
    object_on: Vec<usize>,
    random: Xoshiro256PlusPlus,
    /// Exchanges since the last jump began, so that they can be undone.
    exchanged: Vec<(usize, usize)>,
}

impl PairSearch {
    fn new(
        layout: CellMap,
        object: PlaneSize,
        mesh: PlaneSize,
        random: Xoshiro256PlusPlus,
    ) -> Self {
        let mut object_on = vec![0; layout.len()];
        for (object, &processor) in layout.iter().enumerate() {
            object_on[processor] = object;
        }
        Self {
            object,
            mesh,
            layout,
            object_on,
            random,
            exchanged: Vec::new(),
        }
    }

    /// The best mapping found within the given number of jumps.
    fn run(mut self, jumps: usize) -> CellMap {
        self.descend((0..self.layout.len()).collect());
        let (mut saved, mut most_saved, mut best) = (0, 0, self.layout.clone());
        for jump in 0..jumps {
            self.exchanged.clear();
            let (moved, mut gain) = self.jump();
            gain += self.descend(moved);
            let temperature = FIRST_TEMPERATURE * (1.0 - jump as f64 / jumps as f64);
            if gain < 0 && self.random.random::<f64>() >= (gain as f64 / temperature).exp() {
                while let Some((a, b)) = self.exchanged.pop() {
                    self.swap(a, b);
                }
                continue;
            }
            saved += gain;
            if saved > most_saved {
                most_saved = saved;
                best.clone_from(&self.layout);
            }
        }
        best
    }

    /// Exchanges objects along a short random walk over the mesh. Returns the objects to look at
    /// next, moved objects and their neighbours, and the hops saved.
    fn jump(&mut self) -> (Vec<usize>, i64) {
        let mut moved = Vec::new();
        let mut gain = 0;
        let mut at = self.random.random_range(0..self.layout.len());
        for _ in 0..self.random.random_range(1..=MOST_JUMP_STEPS) {
            let mut there = at;
            for _ in 0..self.random.random_range(1..=MOST_JUMP_STEPS) {
                let beside = neighbours(there, self.mesh);
                let direction = self.random.random_range(0..beside.clone().count().max(1));
                there = beside.clone().nth(direction).unwrap_or(there);
            }
            let (a, b) = (self.object_on[at], self.object_on[there]);
            gain += saving(&mut self.layout, (a, b), self.object, self.mesh);
            self.exchange(a, b);
            moved.extend([a, b]);
            at = there;
        }
        let around: Vec<usize> = moved
            .iter()
            .flat_map(|&o| neighbours(o, self.object))
            .collect();
        moved.extend(around);
        (moved, gain)
    }

    /// Moves objects next to one of their neighbours, in exchange for the object there, as long as
    /// this saves hops. Begins with the objects in `open`; returns the hops saved.
    fn descend(&mut self, mut open: Vec<usize>) -> i64 {
        let mut gain = 0;
        while let Some(a) = open.pop() {
            let beside =
                neighbours(a, self.object).flat_map(|o| neighbours(self.layout[o], self.mesh));
            let others: Vec<usize> = beside.map(|processor| self.object_on[processor]).collect();
            let savings = others
                .into_iter()
                .map(|b| (saving(&mut self.layout, (a, b), self.object, self.mesh), b));
            let Some((most, b)) = savings.max().filter(|&(most, _)| most > 0) else {
                continue;
            };
            self.exchange(a, b);
            gain += most;
            for moved in [a, b] {
                open.push(moved);
                open.extend(neighbours(moved, self.object));
            }
        }
        gain
    }

    fn exchange(&mut self, a: usize, b: usize) {
        self.swap(a, b);
        self.exchanged.push((a, b));
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.layout.swap(a, b);
        for object in [a, b] {
            self.object_on[self.layout[object]] = object;
        }
    }
}
