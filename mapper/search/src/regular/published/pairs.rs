//! Pairwise exchanges (heuristic 7 of section V, after Bokhari 1981 and Lee and Aggarwal 1987).

use super::member::{CellMap, Size, about};
use super::object::Object;
use super::plane::{hops, neighbours};
use super::{AFFN, COCE, EXCO, MXOV_AL, MXOVLP, PlaneHeuristic, STEP};
use crate::heuristic::{About, Diagnostics, Effort, Heuristic, NotApplicable, Placed, Problem};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// Exchanges from every other 2D heuristic's mapping on, with probabilistic jumps: the paper's
/// estimate of the optimum.
///
/// The paper leaves open where it starts and how it jumps. Here every start is first improved as
/// far as exchanges go. Then, again and again, a few objects that are close on the mesh change
/// places and exchanges that save hops follow around them; what has become worse by d hops is kept
/// with probability exp(-d/t), t falling to 0. The best mapping met by any start is the result.
#[derive(Clone, Copy, Debug)]
pub struct Pairs;

const STARTS: [PlaneHeuristic; 6] = [AFFN, MXOVLP, MXOV_AL, EXCO, COCE, STEP];

/// Exchanges tried between any two objects, for every object and round, from the affine mapping on.
const TRIES: usize = 64;

/// Jumps from each start: so many an object, and no more than so many; none where time is short.
fn jumps(effort: Effort, objects: usize) -> usize {
    let each = match effort {
        // The paper, too, calls it too expensive to be practical.
        Effort::Hurried | Effort::Fast | Effort::Balanced => 0,
        Effort::Best => 20,
    };
    (each * objects).min(1 << 13)
}

/// Hops by which a jump may make things worse, at first: kept with probability 1/e.
const FIRST_TEMPERATURE: f64 = 2.0;

/// Exchanges of a jump, and steps on the mesh between two objects it exchanges, at most.
const FARTHEST: usize = 3;

impl Heuristic for Pairs {
    fn about(&self) -> &About {
        const ABOUT: About = about(
            "pairs",
            "exchanges and probabilistic jumps from the other mappings of the plane on (Bhatele 2010, V.7)",
        );
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let object = Object::of(problem, 2)?;
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

/// The best mapping met from a start on.
pub(super) fn improved(
    start: &PlaneHeuristic,
    (object, mesh): (Size, Size),
    seed: u64,
    jumps: usize,
) -> CellMap {
    let mut layout = (start.lay)(object, mesh, seed);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    if start.about.name == AFFN.about.name {
        exchange_any(&mut layout, (object, mesh), &mut random);
    }
    Search::new(layout, object, mesh, random).run(jumps)
}

/// Random exchanges that save hops, in rounds of as many tries as there are pairs or [`TRIES`] an
/// object, until one gains less than 0.1 %.
fn exchange_any(
    layout: &mut CellMap,
    (object, mesh): (Size, Size),
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

/// Hops that exchanging two objects saves.
fn saving(layout: &mut CellMap, (a, b): (usize, usize), object: Size, mesh: Size) -> i64 {
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

/// Hops from an object to its neighbours. An edge between the two exchanged keeps its length, so
/// that it counts twice before and after alike.
fn around(layout: &[usize], cell: usize, object: Size, mesh: Size) -> i64 {
    let apart = |other: usize| {
        let (p, q) = (layout[cell], layout[other]);
        (p / mesh.1).abs_diff(q / mesh.1) + (p % mesh.1).abs_diff(q % mesh.1)
    };
    neighbours(cell, object).map(apart).sum::<usize>() as i64
}

/// A mapping under way from jump to jump.
struct Search {
    object: Size,
    mesh: Size,
    layout: CellMap,
    /// The object on every processor.
    object_on: Vec<usize>,
    random: Xoshiro256PlusPlus,
    /// Exchanges since the last jump, to take them back.
    exchanged: Vec<(usize, usize)>,
}

impl Search {
    fn new(layout: CellMap, object: Size, mesh: Size, random: Xoshiro256PlusPlus) -> Self {
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

    /// The best mapping met in so many jumps.
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

    /// Exchanges objects along a short random way over the mesh; returns whom it moved and the hops
    /// saved.
    fn jump(&mut self) -> (Vec<usize>, i64) {
        let mut moved = Vec::new();
        let mut gain = 0;
        let mut at = self.random.random_range(0..self.layout.len());
        for _ in 0..self.random.random_range(1..=FARTHEST) {
            let mut there = at;
            for _ in 0..self.random.random_range(1..=FARTHEST) {
                let beside = neighbours(there, self.mesh);
                let place = self.random.random_range(0..beside.clone().count().max(1));
                there = beside.clone().nth(place).unwrap_or(there);
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

    /// Moves objects beside one of their neighbours, in exchange for who is there, as long as that
    /// saves hops; `open` are those it begins with. Returns the hops saved.
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
