//! Clustered matter: halos of different sizes, and points between them.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A point in the unit cube.
pub(super) type Point = [f64; 3];

/// Points in a halo, on average. Chosen by hand.
const POINTS_PER_HALO: usize = 4096;
/// Share of all points that lies between the halos. Chosen by hand.
const BETWEEN: f64 = 0.2;
/// Radii of halos, in sides of the cube. Chosen by hand.
const RADII: std::ops::Range<f64> = 0.02..0.1;

/// This many points, the same at every call.
pub(super) fn clustered(count: usize) -> Vec<Point> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
    let number = (count / POINTS_PER_HALO).max(4);
    let halos: Vec<(Point, f64)> = (0..number)
        .map(|_| (anywhere(&mut random), random.random_range(RADII)))
        .collect();
    let one = |_| {
        if random.random_bool(BETWEEN) {
            return anywhere(&mut random);
        }
        let (centre, radius) = halos[random.random_range(0..number)];
        let offset = isothermal(&mut random);
        std::array::from_fn(|axis| (centre[axis] + radius * offset[axis]).rem_euclid(1.0))
    };
    (0..count).map(one).collect()
}

fn anywhere(random: &mut Xoshiro256PlusPlus) -> Point {
    std::array::from_fn(|_| random.random())
}

/// A point of a halo of radius 1, in which the mass within a radius grows with the radius. A point
/// that is uniform in the ball is within a radius with the third power of that radius, so its own
/// distance is raised to the third power. No function is used that machines round differently.
fn isothermal(random: &mut Xoshiro256PlusPlus) -> Point {
    loop {
        let point: Point = std::array::from_fn(|_| random.random_range(-1.0..1.0));
        let squared: f64 = point.iter().map(|side| side * side).sum();
        if squared <= 1.0 {
            return point.map(|side| side * squared);
        }
    }
}
