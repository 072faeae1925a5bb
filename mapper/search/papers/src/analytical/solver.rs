//! Solution of symmetric positive definite systems by the method of conjugate gradients.

/// Residual, relative to the right-hand side, at which the solution ends. At 1e-4 the points do not
/// follow their forces and spreading takes three times as many rounds (measured on the tests' cases
/// when the solver was written).
const TOLERANCE: f64 = 1e-6;

/// Most iterations for one system. Springs between a few thousand points need about a hundred.
const MOST_ITERATIONS: usize = 1000;

/// A symmetric operator with a positive diagonal.
pub(super) trait System {
    /// Computes `y = A x`.
    fn apply(&self, x: &[f64], y: &mut [f64]);

    /// The diagonal entry of A in `row`, for the preconditioner.
    fn diagonal(&self, row: usize) -> f64;
}

/// Improves `x` until `A x` equals `rhs` up to [`TOLERANCE`]. The preconditioner is the diagonal.
///
/// The system may be singular if `rhs` is orthogonal to its kernel.
pub(super) fn solve(system: &impl System, rhs: &[f64], x: &mut [f64]) {
    let size = rhs.len();
    let mut image = vec![0.0; size];
    system.apply(x, &mut image);
    let mut residual: Vec<f64> = rhs.iter().zip(&image).map(|(b, a)| b - a).collect();
    let goal = TOLERANCE * dot(rhs, rhs).sqrt();
    let preconditioned = |residual: &[f64]| -> Vec<f64> {
        let rows = residual.iter().enumerate();
        rows.map(|(row, r)| r / system.diagonal(row)).collect()
    };
    let mut scaled = preconditioned(&residual);
    let mut direction = scaled.clone();
    let mut energy = dot(&residual, &scaled);
    for _ in 0..MOST_ITERATIONS {
        if dot(&residual, &residual).sqrt() <= goal || energy <= 0.0 {
            return;
        }
        system.apply(&direction, &mut image);
        let step = energy / dot(&direction, &image);
        for row in 0..size {
            x[row] += step * direction[row];
            residual[row] -= step * image[row];
        }
        scaled = preconditioned(&residual);
        let next = dot(&residual, &scaled);
        let keep = next / energy;
        energy = next;
        for row in 0..size {
            direction[row] = scaled[row] + keep * direction[row];
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
