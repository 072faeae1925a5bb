//! Communication graphs of simulations on bodies in space, by formula.

use crate::testing::{graph, message};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_model::CommGraph;

/// Whether a point of the unit cube belongs to the body.
pub(super) type Shape = fn([f64; 3]) -> bool;

/// Mean number of partners aimed at.
const DEGREE: f64 = 13.0;

pub(super) fn cube(_: [f64; 3]) -> bool {
    true
}

/// A long cylinder with a thin, tapering wing and a fin: nothing like a box.
pub(super) fn aircraft([x, y, z]: [f64; 3]) -> bool {
    let (y, z) = (y - 0.5, z - 0.5);
    let hull = y * y + z * z < 0.02;
    let wing = (x - 0.45).abs() < 0.14 - 0.12 * y.abs() && z.abs() < 0.05;
    let fin = x > 0.9 && y.abs() < 0.04 && (0.0..0.4).contains(&z);
    hull || wing || fin
}

/// Ranks at random points of the body, each talking to all within a radius, the closer the more.
pub(super) fn geometric(ranks: usize, shape: Shape, seed: u64) -> CommGraph {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut tried = 0;
    let mut points = Vec::new();
    while points.len() < ranks {
        let point: [f64; 3] = std::array::from_fn(|_| random.random_range(0.0..1.0));
        tried += 1;
        if shape(point) {
            points.push(point);
        }
    }
    let ball = DEGREE / f64::from(tried);
    let radius = (ball * 3.0 / (4.0 * std::f64::consts::PI)).cbrt();
    let mut messages = Vec::new();
    for (a, p) in points.iter().enumerate() {
        for (b, q) in points.iter().enumerate().take(a) {
            let apart = (0..3).map(|d| (p[d] - q[d]).powi(2)).sum::<f64>().sqrt() / radius;
            if apart < 1.0 {
                let bytes = 1 + (1000.0 * (-2.0 * apart * apart).exp()) as u64;
                messages.push(message(a, b, bytes));
                messages.push(message(b, a, bytes));
            }
        }
    }
    graph(ranks, messages)
}
