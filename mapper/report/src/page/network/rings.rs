//! Draws a mesh or torus of any dimension as rings: one ring for every line of nodes, one block of
//! rings for every dimension. Rings stay readable in large machines, where slices do not, and work
//! for five dimensions, too.

use super::{Drawn, Scene, coordinates, letter, node_at};
use crate::page::picture::{Layer, Picture};
use std::f64::consts::{PI, TAU};

/// Maximum number of blocks of rings side by side.
const ABREAST: usize = 3;
/// Width of a block and gap between blocks, in units of the SVG.
const WIDE: f64 = 178.0;
const GAP: f64 = 14.0;

pub(super) fn drawn(scene: &Scene<'_>, dims: &[usize], wraps: bool) -> Drawn {
    let blocks: Vec<Block> = (0..dims.len())
        .filter(|&dim| dims[dim] > 1)
        .map(|dim| Block::new(dim, dims))
        .collect();
    let widest = blocks.iter().map(|block| block.cell).fold(0.0, f64::max);
    let mut picture = Picture::new(
        &[Layer::Strokes(0.9, (widest * 0.115).clamp(1.4, 5.0))],
        "every ring of the machine, by dimension",
    );
    let mut corner = (0.0, 0.0);
    let mut bottom: f64 = 0.0;
    for (number, block) in blocks.iter().enumerate() {
        if number > 0 && number % ABREAST == 0 {
            corner = (0.0, bottom + 14.0);
        }
        block.draw(&mut picture, scene, dims, corner);
        bottom = bottom.max(corner.1 + 24.0 + block.rows as f64 * block.cell);
        corner.0 += WIDE + GAP;
    }
    let abreast = blocks.len().min(ABREAST) as f64;
    picture.frame = (0.0, 0.0, abreast * (WIDE + GAP) - GAP, bottom + 4.0);
    let what = if wraps { "ring" } else { "open ring" };
    Drawn {
        id: "rings",
        title: "The same links as rings",
        how: format!(
            "One {what} for every line of nodes in each direction of the machine; the outer arc runs clockwise (+), the inner one back (−)."
        ),
        picture,
    }
}

/// The rings along one dimension.
struct Block {
    dim: usize,
    /// The other dimensions: those that count rows, and those that count columns.
    down: Vec<usize>,
    across: Vec<usize>,
    rows: usize,
    cell: f64,
}

impl Block {
    fn new(dim: usize, dims: &[usize]) -> Self {
        let others: Vec<usize> = (0..dims.len()).filter(|&other| other != dim).collect();
        let size = |dims_of: &[usize]| dims_of.iter().map(|&d| dims[d]).product::<usize>().max(1);
        // The dimensions are split so that the block is as square as possible.
        let split = (0..=others.len())
            .min_by_key(|&split| size(&others[..split]).abs_diff(size(&others[split..])))
            .unwrap_or(0);
        let (down, across) = others.split_at(split);
        let (rows, columns) = (size(down), size(across));
        Self {
            dim,
            down: down.to_vec(),
            across: across.to_vec(),
            rows,
            cell: (WIDE / rows.max(columns) as f64).min(44.0),
        }
    }

    /// Row and column of the ring that a node lies on.
    fn ring(&self, at: &[usize], dims: &[usize]) -> (usize, usize) {
        let part = |of: &[usize]| {
            let (at, dims): (Vec<usize>, Vec<usize>) = of.iter().map(|&d| (at[d], dims[d])).unzip();
            node_at(&at, &dims)
        };
        (part(&self.down), part(&self.across))
    }

    fn draw(&self, picture: &mut Picture, scene: &Scene<'_>, dims: &[usize], corner: (f64, f64)) {
        let name = letter(self.dim);
        let list = |of: &[usize]| of.iter().map(|&d| letter(d)).collect::<String>();
        let (left, base) = (corner.0, corner.1 + 12.0);
        let title = format!("along {name}");
        picture.under.text("t12 bold", (left, base), title);
        if !self.down.is_empty() && !self.across.is_empty() {
            let axes = format!("{} down, {} across", list(&self.down), list(&self.across));
            picture.under.text("end t9", (left + WIDE, base), axes);
        }
        let k = dims[self.dim];
        for (number, link) in scene.network.links.iter().enumerate() {
            if link.kind as usize != self.dim {
                continue;
            }
            let from = coordinates(link.from as usize, dims);
            let to = coordinates(link.to as usize, dims)[self.dim];
            let here = from[self.dim];
            // A link that closes the ring, and both links of a ring of two, are drawn clockwise.
            let up = (here + 1) % k == to && (k > 2 || here < to);
            let (row, column) = self.ring(&from, dims);
            let centre = (
                corner.0 + (column as f64 + 0.5) * self.cell,
                corner.1 + 24.0 + (row as f64 + 0.5) * self.cell,
            );
            let start = if up { here } else { to };
            let radius = self.cell * if up { 0.38 } else { 0.25 };
            self.arc(
                picture,
                number,
                centre,
                radius,
                (start as f64, k as f64, up),
            );
        }
    }

    fn arc(
        &self,
        picture: &mut Picture,
        link: usize,
        centre: (f64, f64),
        radius: f64,
        (start, k, up): (f64, f64, bool),
    ) {
        const SPACE: f64 = 0.09;
        let angle = |place: f64| TAU * (start + place) / k - PI / 2.0;
        let point = |place: f64| {
            let angle = angle(place);
            (
                centre.0 + radius * angle.cos(),
                centre.1 + radius * angle.sin(),
            )
        };
        let (first, last) = (point(SPACE), point(1.0 - SPACE));
        let path = format!(
            "M{:.1} {:.1}a{radius:.1} {radius:.1} 0 0 1 {:.1} {:.1}",
            first.0,
            first.1,
            last.0 - first.0,
            last.1 - first.1
        );
        let mut at = [first, last];
        if !up {
            at.reverse();
        }
        picture.mark(0, link, path, &at);
    }
}
