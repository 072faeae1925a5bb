//! Draws a mesh or torus of up to three dimensions as slices along the first dimension.

use super::{Drawn, Scene, coordinates};
use crate::page::picture::{Layer, Picture};

pub(super) fn drawn(scene: &Scene<'_>, dims: &[usize], wraps: bool) -> Drawn {
    let slices = if dims.len() > 2 { dims[0] } else { 1 };
    let rows = if dims.len() > 1 {
        dims[dims.len() - 2]
    } else {
        1
    };
    let columns = dims[dims.len() - 1];
    let size = Size::of(rows.max(columns), slices);
    let strokes = Layer::Strokes(1.2, size.pitch * 0.105);
    let mut picture = Picture::new(
        &[strokes],
        "slices of the machine with the load of every link",
    );
    let tiles = match slices {
        2..=4 => 2,
        _ => (slices as f64).sqrt().ceil() as usize,
    };
    let wide = columns as f64 * size.pitch + 2.0 * size.tail + 12.0;
    let high = rows as f64 * size.pitch + 2.0 * size.tail + 20.0;
    let corner = |slice: usize| {
        let (x, y) = ((slice % tiles) as f64 * wide, (slice / tiles) as f64 * high);
        (
            x + size.tail + size.pitch / 2.0,
            y + 22.0 + size.tail + size.pitch / 2.0,
        )
    };
    let place = |node: usize| {
        let at = coordinates(node, dims);
        let slice = if dims.len() > 2 { at[0] } else { 0 };
        let row = if dims.len() > 1 {
            at[dims.len() - 2]
        } else {
            0
        };
        let (x, y) = corner(slice);
        (
            x + at[dims.len() - 1] as f64 * size.pitch,
            y + row as f64 * size.pitch,
        )
    };
    for (number, link) in scene.network.links.iter().enumerate() {
        let (from, to) = (place(link.from as usize), place(link.to as usize));
        let dim = link.kind as usize;
        let (a, b) = (
            coordinates(link.from as usize, dims)[dim],
            coordinates(link.to as usize, dims)[dim],
        );
        let way = Way {
            up: if a.abs_diff(b) == 1 { b > a } else { b < a },
            around: a.abs_diff(b) != 1,
        };
        if dims.len() > 2 && dim == 0 {
            // The cable is drawn at its lower end.
            let node = if way.up { from } else { to };
            size.between_slices(&mut picture, number, node, way.up);
        } else {
            let across = dim == dims.len() - 1;
            size.within(&mut picture, number, from, to, across, way);
        }
    }
    nodes(&mut picture, scene, &size, &place);
    if slices > 1 {
        for slice in 0..slices {
            let (x, y) = corner(slice);
            let at = (x - size.pitch / 2.0, y - size.pitch / 2.0 - size.tail - 6.0);
            picture.under.text("t12 bold", at, format!("x = {slice}"));
        }
    }
    let down = slices.div_ceil(tiles) as f64;
    let tiles = tiles.min(slices) as f64;
    let trim = if slices > 1 { 0.0 } else { 18.0 };
    picture.frame = (0.0, trim, tiles * wide, down * high + 4.0 - trim);
    Drawn {
        id: "slices",
        title: "",
        how: how(size.named(), wraps, slices),
        picture,
    }
}

fn how(named: bool, wraps: bool, slices: usize) -> String {
    format!(
        "Every square is a node{}. The wider and stronger a line, the higher the load; traffic keeps to the right.{}{}",
        if named {
            " with its first rank; hollow ones are not used"
        } else {
            "; hollow ones are not used, and zoom shows the first rank"
        },
        if wraps {
            " Stubs at the rim wrap round to the other side."
        } else {
            ""
        },
        if slices > 1 {
            " The diagonal pair leads to the next slice."
        } else {
            ""
        }
    )
}

/// The direction of a link along its dimension, and whether the link closes a ring.
#[derive(Clone, Copy)]
struct Way {
    up: bool,
    around: bool,
}

/// Lengths in the drawing.
struct Size {
    /// Distance from node to node.
    pitch: f64,
    /// Side of the square that shows a node.
    node: f64,
    /// Length of the stub of a link that closes a ring.
    tail: f64,
    /// Distance of a link from the line between its two nodes.
    lane: f64,
}

impl Size {
    fn of(longest: usize, slices: usize) -> Self {
        let pitch = match (longest, slices) {
            (0..=5, _) => 52.0,
            (6..=8, 1) => 60.0,
            (6..=8, _) => 30.0,
            (_, 1) => (520.0 / longest as f64).max(13.0),
            _ => 15.0,
        };
        Self {
            pitch,
            node: pitch * 0.40,
            tail: pitch * 0.32,
            lane: pitch * 0.065,
        }
    }

    /// Whether the square of a node has room for the number of a rank.
    fn named(&self) -> bool {
        self.pitch > 28.0
    }

    /// Draws a link within a slice: one line, or a stub at both rims if it closes a ring.
    fn within(
        &self,
        picture: &mut Picture,
        link: usize,
        from: (f64, f64),
        to: (f64, f64),
        across: bool,
        way: Way,
    ) {
        let sign = if way.up { 1.0 } else { -1.0 };
        let half = self.node / 2.0;
        let lane = self.lane * sign;
        // The point at distance `along` from a node's centre, on the lane of this direction.
        let point = |node: (f64, f64), along: f64| {
            if across {
                (node.0 + along, node.1 + lane)
            } else {
                (node.0 - lane, node.1 + along)
            }
        };
        let letter = if across { 'h' } else { 'v' };
        if !way.around {
            let start = point(from, sign * half);
            let long = sign * (self.pitch - self.node);
            let path = format!("M{:.1} {:.1}{letter}{long:.1}", start.0, start.1);
            picture.mark(0, link, path, &[start, point(to, -sign * half)]);
            return;
        }
        let (start, end) = (point(from, sign * half), point(to, -sign * half));
        let tail = sign * self.tail;
        let path = format!(
            "M{:.1} {:.1}{letter}{tail:.1}M{:.1} {:.1}{letter}{:.1}",
            start.0, start.1, end.0, end.1, -tail
        );
        picture.mark(
            0,
            link,
            path,
            &[start, point(from, sign * (half + self.tail))],
        );
        // The stub at the other rim is already drawn; here the pointer finds the link, too.
        picture.mark(
            0,
            link,
            String::new(),
            &[point(to, -sign * (half + self.tail)), end],
        );
    }

    /// Draws a link to the next slice: one line of the pair at the node's upper right corner.
    fn between_slices(&self, picture: &mut Picture, link: usize, node: (f64, f64), up: bool) {
        let sign = if up { 1.0 } else { -1.0 };
        let (off, half, long) = (self.lane * sign * 0.53, self.node / 2.0, self.pitch * 0.24);
        let start = (node.0 + half + off - 1.0, node.1 - half + off + 1.0);
        let path = format!("M{:.1} {:.1}l{long:.1} {:.1}", start.0, start.1, -long);
        let end = (start.0 + long, start.1 - long);
        picture.mark(0, link, path, &if up { [start, end] } else { [end, start] });
    }
}

fn nodes(
    picture: &mut Picture,
    scene: &Scene<'_>,
    size: &Size,
    place: &dyn Fn(usize) -> (f64, f64),
) {
    let half = size.node / 2.0;
    for (node, ranks) in scene.ranks().iter().enumerate() {
        let (x, y) = place(node);
        let idle = if ranks.is_empty() { " free" } else { "" };
        let look = format!("class=\"nd{idle}\" data-n={node}");
        let square = (x - half, y - half, size.node, size.node);
        let rounded = format!("rx={:.1}", size.node / 8.0);
        picture.over.push(format_args!("<g {look}>"));
        picture.over.rect(&rounded, square);
        if let Some(rank) = ranks.first() {
            let (class, down) = if !size.named() {
                ("mid tiny", 0.7)
            } else if size.pitch < 40.0 || *rank > 999 {
                ("mid t7", 3.4)
            } else {
                ("mid", 3.4)
            };
            picture.over.text(class, (x, y + down), rank);
        }
        picture.over.push("</g>");
    }
}
