//! The lowest eigenvectors of L x = lambda D x, from the coarsest level to the finest. L is the
//! Laplacian of the graph and D the diagonal matrix of the masses.
//!
//! On every level a Chebyshev filter damps the components above the wanted end of the spectrum, and
//! a Rayleigh-Ritz step separates the remaining ones. The next finer level starts from the coarse
//! vectors, constant on each aggregate. Few digits are enough, since the vectors only order the
//! ranks.
//!
//! Source: Zhou, Saad, Tiago and Chelikowsky, J. Comput. Phys. 219, 2006. Added here: the
//! multilevel start, as is usual. Cost: O(k m) for each filter step of a level with m edges and k
//! vectors.

use super::aggregate::Levels;
use super::dense::{Square, ritz};
use super::graph::{CHUNK, Graph};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// Number of vectors computed together. The last ones converge poorly and only protect the others.
/// From a prototype; other numbers were not recorded.
pub(super) const COLUMNS: usize = 8;

/// Most filter steps on the coarsest level, and the degree of their filter. The degree is a
/// prototype's; the number of steps was chosen by hand.
const COARSEST: (usize, usize) = (40, 24);

/// Number of filter steps on every other level, and the degree of their filter.
///
/// Hops per byte of a 3D graph of 65 536 ranks in a prototype, without relaxation: 2.138 for (1,
/// 6), 2.131 for (2, 6), 2.125 for (2, 10), 2.117 for (4, 16). Relaxation makes up for the
/// difference.
const SMOOTHING: (usize, usize) = (2, 6);

/// The coarsest level is finished when the sum of the three lowest eigenvalues changes by less than
/// this share. From a prototype.
const SETTLED: f64 = 1e-4;

/// For every vertex, one value of each vector.
type Rows = Vec<[f32; COLUMNS]>;

/// Approximate eigenvalues and eigenvectors, lowest first, without the constant vector.
#[derive(Debug)]
pub(super) struct Eigenpairs {
    /// The value of each vector at every vertex of the finest level, with a mass-weighted mean of 0
    /// and mean square of 1.
    pub(super) rows: Rows,
    /// The eigenvalues, between 0 and 2.
    pub(super) values: [f64; COLUMNS],
}

/// The lowest eigenvectors of the finest of the graphs, which must be connected.
pub(super) fn lowest(Levels { levels, parents }: Levels<'_>, seed: u64) -> Eigenpairs {
    let mut solver = Solver::coarsest(&levels[levels.len() - 1], seed);
    for (graph, parent) in levels.iter().zip(parents).rev() {
        solver.descend(graph, parent);
    }
    Eigenpairs {
        rows: solver.rows,
        values: solver.values,
    }
}

struct Solver {
    rows: Rows,
    values: [f64; COLUMNS],
    scratch: Rows,
}

impl Solver {
    fn coarsest(graph: &Graph, seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut start = || std::array::from_fn(|_| random.random_range(-0.5..0.5));
        let mut solver = Self {
            rows: (0..graph.len()).map(|_| start()).collect(),
            values: [0.0; COLUMNS],
            scratch: vec![[0.0; COLUMNS]; graph.len()],
        };
        let (steps, degree) = COARSEST;
        let mut before = f64::INFINITY;
        for _ in 0..steps {
            solver.step(graph, degree);
            let sum: f64 = solver.values[..3].iter().sum();
            if (before - sum).abs() <= SETTLED * sum {
                break;
            }
            before = sum;
        }
        solver
    }

    /// Interpolates the vectors to the next finer level and improves them there.
    fn descend(&mut self, graph: &Graph, parent: &[u32]) {
        self.rows = parent.par_iter().map(|&p| self.rows[p as usize]).collect();
        self.scratch = vec![[0.0; COLUMNS]; graph.len()];
        let (steps, degree) = SMOOTHING;
        for _ in 0..steps {
            self.step(graph, degree);
        }
    }

    fn step(&mut self, graph: &Graph, degree: usize) {
        let top = top_of_spectrum(graph);
        let wanted = 1.5 * self.values[COLUMNS - 1] as f32;
        // A filter of low degree cannot separate eigenvalues below this from the wanted end.
        let sharpest = top * (2.0 / degree as f32).powi(2);
        self.filter(graph, degree, wanted.max(sharpest).min(0.5 * top), top);
        self.rayleigh_ritz(graph);
    }

    /// Applies a Chebyshev polynomial of `degree` that is small between `low` and `high`, and 1 at
    /// 0, by the three-term recurrence.
    fn filter(&mut self, graph: &Graph, degree: usize, low: f32, high: f32) {
        let (half, centre) = ((high - low) / 2.0, f32::midpoint(high, low));
        let first = -half / centre;
        let mut scale = first;
        let factors = [scale / half, -centre * scale / half, 0.0];
        combine(graph, &self.rows, &mut self.scratch, factors);
        for _ in 1..degree {
            let next = 1.0 / (2.0 / first - scale);
            let factors = [
                2.0 * next / half,
                -centre * 2.0 * next / half,
                -scale * next,
            ];
            combine(graph, &self.scratch, &mut self.rows, factors);
            std::mem::swap(&mut self.rows, &mut self.scratch);
            scale = next;
        }
        std::mem::swap(&mut self.rows, &mut self.scratch);
    }

    /// Replaces the vectors by the best approximations in their span, orthogonal to each other and
    /// to the constant vector.
    fn rayleigh_ritz(&mut self, graph: &Graph) {
        let total: f64 = graph.mass.iter().map(|&m| f64::from(m)).sum();
        let means = means(graph, &self.rows).map(|sum| (sum / total) as f32);
        self.rows.par_iter_mut().for_each(|row| {
            for (value, mean) in row.iter_mut().zip(means) {
                *value -= mean;
            }
        });
        combine(graph, &self.rows, &mut self.scratch, [1.0, 0.0, 0.0]);
        let gram = products(graph, &self.rows, &self.rows);
        let energy = products(graph, &self.rows, &self.scratch);
        let (values, turn) = ritz(&gram, &energy);
        self.values = values;
        let scale = total.sqrt();
        let turn = turn.map(|row| row.map(|v| (v * scale) as f32));
        self.rows.par_iter_mut().for_each(|row| {
            let old = *row;
            *row = [0.0; COLUMNS];
            for (value, turn) in old.iter().zip(&turn) {
                for (new, t) in row.iter_mut().zip(turn) {
                    *new += value * t;
                }
            }
        });
    }
}

/// An upper bound on the largest eigenvalue, by Gershgorin's theorem.
fn top_of_spectrum(graph: &Graph) -> f32 {
    let bound = |v: usize| 2.0 * graph.degree(v) / graph.mass[v];
    let largest = (0..graph.len()).into_par_iter().map(bound);
    1.01 * largest.reduce(|| 0.0, f32::max)
}

/// Computes `out = f0 D^-1 L rows + f1 rows + f2 out`.
fn combine(graph: &Graph, rows: &Rows, out: &mut Rows, factors: [f32; 3]) {
    out.par_chunks_mut(CHUNK)
        .enumerate()
        .for_each(|(chunk, out)| {
            for (i, out) in out.iter_mut().enumerate() {
                let vertex = chunk * CHUNK + i;
                let (mut sum, mut degree) = ([0.0; COLUMNS], 0.0);
                for (neighbour, weight) in graph.neighbours(vertex) {
                    degree += weight;
                    for (s, v) in sum.iter_mut().zip(&rows[neighbour]) {
                        *s += weight * v;
                    }
                }
                let f0 = factors[0] / graph.mass[vertex];
                let row = &rows[vertex];
                for k in 0..COLUMNS {
                    out[k] =
                        f0 * (degree * row[k] - sum[k]) + factors[1] * row[k] + factors[2] * out[k];
                }
            }
        });
}

/// The mass-weighted sum of every column.
fn means(graph: &Graph, rows: &Rows) -> [f64; COLUMNS] {
    let sums: Vec<[f64; COLUMNS]> = rows
        .par_chunks(CHUNK)
        .zip(graph.mass.par_chunks(CHUNK))
        .map(|(rows, masses)| {
            let mut sum = [0.0; COLUMNS];
            for (row, &mass) in rows.iter().zip(masses) {
                for (s, &v) in sum.iter_mut().zip(row) {
                    *s += f64::from(v * mass);
                }
            }
            sum
        })
        .collect();
    sums.iter().fold([0.0; COLUMNS], |total, sum| {
        std::array::from_fn(|k| total[k] + sum[k])
    })
}

/// The mass-weighted inner products of the columns of `a` with the columns of `b`.
fn products(graph: &Graph, a: &Rows, b: &Rows) -> Square<COLUMNS> {
    let sums: Vec<Square<COLUMNS>> = a
        .par_chunks(CHUNK)
        .zip(b.par_chunks(CHUNK))
        .zip(graph.mass.par_chunks(CHUNK))
        .map(|((a, b), masses)| {
            let mut sum = [[0.0f32; COLUMNS]; COLUMNS];
            for ((a, b), &mass) in a.iter().zip(b).zip(masses) {
                for (sums, &x) in sum.iter_mut().zip(a) {
                    for (s, y) in sums.iter_mut().zip(b) {
                        *s += mass * x * y;
                    }
                }
            }
            sum.map(|row| row.map(f64::from))
        })
        .collect();
    sums.iter().fold([[0.0; COLUMNS]; COLUMNS], |total, sum| {
        std::array::from_fn(|i| std::array::from_fn(|j| total[i][j] + sum[i][j]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::irregular::spectral::aggregate::Hierarchy;
    use rankfold_base::Rank;
    use rankfold_problem::testing::star_stencil;
    use std::f64::consts::PI;

    fn solve(dims: &[usize], periodic: bool) -> Eigenpairs {
        let graph = star_stencil(dims, periodic);
        let order: Vec<Rank> = (0..graph.ranks()).map(Rank::at).collect();
        let hierarchy = Hierarchy::new(Graph::new(&graph.affinity(), &order));
        lowest(hierarchy.from(0), 0)
    }

    #[test]
    fn a_ring_has_its_cosines() {
        // L x = lambda D x on a ring of n: lambda_k = 1 - cos(2 pi k / n), each twice
        let found = solve(&[200], true);
        for (i, value) in found.values[..4].iter().enumerate() {
            let exact = 1.0 - (2.0 * PI * (1 + i / 2) as f64 / 200.0).cos();
            assert!((value / exact - 1.0).abs() < 0.02, "{i}: {value} {exact}");
        }
    }

    #[test]
    fn a_long_body_has_its_length_in_the_first_vector_on_several_levels() {
        let found = solve(&[60, 8, 8], false);
        let first = |x: usize| found.rows[x * 64][0];
        let rising = first(59) > first(0);
        let ordered = (1..60).filter(|&x| (first(x) > first(x - 1)) == rising);
        assert!(ordered.count() >= 57);
        assert!(found.values.is_sorted());
    }
}
