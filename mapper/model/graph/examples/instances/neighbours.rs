//! Points sorted into cubic cells, to find the points near a given point.

use rankfold_base::Csr;

/// A point of the unit cube.
pub(super) type Point = [f64; 3];

/// Mean number of points in an occupied cell. Chosen by hand.
const FILL: f64 = 3.0;

pub(super) struct Cells<'a> {
    points: &'a [Point],
    side: f64,
    counts: [usize; 3],
    /// The points in every cell.
    members: Csr<u32>,
}

impl<'a> Cells<'a> {
    /// Cells with this side.
    pub(super) fn new(points: &'a [Point], side: f64) -> Self {
        let mut counts = [1; 3];
        for (axis, count) in counts.iter_mut().enumerate() {
            let longest = points.iter().map(|p| p[axis]).fold(0.0, f64::max);
            *count = (longest / side) as usize + 1;
        }
        let mut cells = Self {
            points,
            side,
            counts,
            members: Csr::default(),
        };
        let homes: Vec<usize> = points.iter().map(|p| cells.index(cells.home(p))).collect();
        cells.members = Csr::grouped(counts.iter().product(), homes.into_iter().zip(0..));
        cells
    }

    /// Cells with a few points each, whatever the shape of the body.
    pub(super) fn for_nearest(points: &'a [Point]) -> Self {
        let flat = points.iter().all(|p| p[2] == points[0][2]);
        let axes = if flat { 2 } else { 3 };
        let mut parts = 4;
        loop {
            let cells = Self::new(points, 1.0 / f64::from(parts));
            let used = cells.members.iter().filter(|cell| !cell.is_empty()).count();
            let fill = points.len() as f64 / used as f64;
            if fill <= FILL {
                return cells;
            }
            let finer = f64::from(parts) * (fill / FILL).powf(1.0 / f64::from(axes));
            parts = (finer as u32).max(parts + 1);
        }
    }

    /// The points in cells at most `reach` away, each as squared distance and number.
    pub(super) fn around(&self, point: &Point, reach: usize) -> Vec<(f64, u32)> {
        let home = self.home(point);
        let range = |axis: usize| {
            home[axis].saturating_sub(reach)..=(home[axis] + reach).min(self.counts[axis] - 1)
        };
        let mut found = Vec::new();
        for x in range(0) {
            for y in range(1) {
                let row = range(2).flat_map(|z| self.members.row(self.index([x, y, z])));
                found.extend(row.map(|&other| {
                    let there = &self.points[other as usize];
                    let square = point
                        .iter()
                        .zip(there)
                        .map(|(a, b)| (a - b) * (a - b))
                        .sum();
                    (square, other)
                }));
            }
        }
        found
    }

    /// The `count` points nearest to `point`, the nearest first. `own` is the number of `point`
    /// itself.
    pub(super) fn nearest(&self, point: &Point, own: u32, count: usize) -> Vec<(f64, u32)> {
        let widest = self.counts.into_iter().max().unwrap_or(1);
        for reach in 1.. {
            let mut found = self.around(point, reach);
            found.retain(|&(_, other)| other != own);
            found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            found.truncate(count);
            let certain = reach as f64 * self.side;
            let complete = found.len() == count && found[count - 1].0 <= certain * certain;
            if complete || reach >= widest {
                return found;
            }
        }
        unreachable!("the reach grows until it covers everything")
    }

    fn home(&self, point: &Point) -> [usize; 3] {
        point.map(|x| (x / self.side) as usize)
    }

    fn index(&self, cell: [usize; 3]) -> usize {
        (cell[0] * self.counts[1] + cell[1]) * self.counts[2] + cell[2]
    }
}
