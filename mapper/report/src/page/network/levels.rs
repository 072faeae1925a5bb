//! Draws a tree as an icicle plot: level by level, the top first. Every link is a bar that stands
//! over the nodes below it. Bars of upward links grow upwards, bars of downward links hang.

use super::{Drawn, Scene};
use crate::data::{Level, LowerEnds, VertexPosition};
use crate::page::picture::{Layer, Picture};
use crate::page::words;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Width of the drawing, in units of the SVG.
const WIDE: f64 = 560.0;
/// Gap between parts of the machine.
const GAP: f64 = 9.0;
/// Maximum number of parts with gaps between them. Chosen by hand.
const APART: usize = 32;

pub(super) fn drawn(scene: &Scene<'_>, levels: &[Level], places: &[VertexPosition]) -> Drawn {
    let ruler = Ruler::new(scene.machine.nodes, levels.len(), places);
    let mut picture = Picture::new(&[Layer::Areas], "the tree level by level, every link a bar");
    let mut y = 0.0;
    for (low, level) in levels.iter().enumerate().rev() {
        let high = if low == 0 { 40.0 } else { 54.0 };
        let cables = words::plural(level.cables, "cable");
        picture.under.text("t12 bold", (0.0, y + 11.0), &level.name);
        picture.under.text("t9 end", (WIDE, y + 11.0), cables);
        y += 18.0;
        let columns = columns(scene, places, low as u32, &ruler);
        for up in [true, false] {
            let arrow = if up { "↑" } else { "↓" };
            picture
                .under
                .text("end ink", (-5.0, y + high * 0.55), arrow);
            bars(&mut picture, scene, &columns, up, (y, high - 4.0));
            y += high - 2.0;
        }
        if low > 0 {
            switches(&mut picture, places, low as u32, &ruler, y);
            y += 12.0;
        }
    }
    used(&mut picture, scene, &ruler, y);
    y += 14.0;
    let lowest = match levels.first().map(|level| level.lower_ends) {
        Some(LowerEnds::Nodes) => "nodes ",
        Some(LowerEnds::Switches) | None => "",
    };
    for (number, part) in ruler.parts.iter().enumerate() {
        let (first, last) = *part;
        let middle = f64::midpoint(ruler.x(first), ruler.x(last) + ruler.node);
        let text = match ruler.parts.len() {
            1 => format!("{lowest}{first}–{last}"),
            2..=3 => format!("pod {number} · {lowest}{first}–{last}"),
            4 => format!("pod {number} · {first}–{last}"),
            _ => format!("pod {number}"),
        };
        if ruler.parts.len() <= 12 {
            picture.under.text("mid t9", (middle, y + 9.0), text);
        }
    }
    picture.frame = (-16.0, 0.0, WIDE + 16.0, y + 14.0);
    Drawn {
        id: "levels",
        title: "",
        how: "The tree lies level by level, the top first; every bar is a link and stands over the part of the machine it serves. Upward (↑) and downward (↓) links are apart; height and colour are the load.".into(),
        picture,
    }
}

/// Maps nodes to positions on the horizontal axis.
struct Ruler {
    /// First and last node of each part. There are gaps between parts.
    parts: Vec<(u32, u32)>,
    /// Width of a node.
    node: f64,
}

impl Ruler {
    fn new(nodes: usize, levels: usize, places: &[VertexPosition]) -> Self {
        let below_top = places
            .iter()
            .filter(|place| place.level as usize + 1 == levels);
        let mut parts: Vec<(u32, u32)> = below_top.map(|place| (place.first, place.last)).collect();
        parts.sort_unstable();
        parts.dedup();
        let apart = parts.windows(2).all(|pair| pair[0].1 < pair[1].0);
        if !apart || parts.is_empty() || parts.len() > APART || levels < 2 {
            parts = vec![(0, nodes.saturating_sub(1) as u32)];
        }
        let gaps = GAP * (parts.len() - 1) as f64;
        Self {
            parts,
            node: (WIDE - gaps) / nodes.max(1) as f64,
        }
    }

    fn x(&self, node: u32) -> f64 {
        let before = self.parts.partition_point(|part| part.1 < node);
        f64::from(node) * self.node + before as f64 * GAP
    }
}

/// For each vertex that is the lower end of links: its upward links and its downward links.
type Vertices = BTreeMap<u32, [Vec<usize>; 2]>;

/// The links of one level: each with its direction, and the left and right end of its bar.
fn columns(
    scene: &Scene<'_>,
    places: &[VertexPosition],
    low: u32,
    ruler: &Ruler,
) -> Vec<(usize, bool, f64, f64)> {
    // Sorted by the nodes below the lower end, then by the lower end itself. Vertices above the
    // same nodes share their width.
    let mut serving: BTreeMap<(u32, u32), Vertices> = BTreeMap::new();
    for (number, link) in scene.network.links.iter().enumerate() {
        let up = places[link.from as usize].level == low;
        let lower = if up { link.from } else { link.to };
        if link.kind / 2 == low {
            let place = places[lower as usize];
            let of_vertex = serving
                .entry((place.first, place.last))
                .or_default()
                .entry(lower)
                .or_default();
            of_vertex[usize::from(!up)].push(number);
        }
    }
    let overlap = serving
        .keys()
        .zip(serving.keys().skip(1))
        .any(|(a, b)| a.1 >= b.0);
    let mut columns = Vec::new();
    let several = serving.len() as f64;
    for (group, ((first, last), vertices)) in serving.iter().enumerate() {
        let (left, right) = if overlap {
            // Vertices above interleaved nodes cannot stand over them: they share the width evenly.
            (
                WIDE * group as f64 / several,
                WIDE * (group + 1) as f64 / several,
            )
        } else {
            (ruler.x(*first), ruler.x(*last) + ruler.node)
        };
        let each = (right - left) / vertices.len() as f64;
        let inset = if each > 6.0 { 0.8 } else { 0.0 };
        for (place, ways) in vertices.values().enumerate() {
            let start = left + place as f64 * each + inset;
            for (way, links) in ways.iter().enumerate() {
                let bar = (each - 2.0 * inset) / links.len().max(1) as f64;
                for (nth, &link) in links.iter().enumerate() {
                    let x = start + nth as f64 * bar;
                    columns.push((link, way == 0, x, x + bar));
                }
            }
        }
    }
    columns
}

fn bars(
    picture: &mut Picture,
    scene: &Scene<'_>,
    columns: &[(usize, bool, f64, f64)],
    up: bool,
    (y, high): (f64, f64),
) {
    for &(link, _, left, right) in columns.iter().filter(|column| column.1 == up) {
        let load = scene.side.loads.links[link];
        let space = if right - left > 3.0 { 0.5 } else { 0.1 };
        let wide = right - left - space;
        let tall = if load > 0.0 {
            (high * load / scene.top).max(1.0)
        } else {
            0.0
        };
        let from = if up { y + high - tall } else { y };
        let path = if tall > 0.0 {
            format!(
                "M{:.1} {from:.1}h{wide:.1}v{tall:.1}h{:.1}z",
                left + space / 2.0,
                -wide
            )
        } else {
            String::new()
        };
        let middle = f64::midpoint(left, right);
        let ends = [(middle, y + high), (middle, y)];
        picture.mark(0, link, path, &if up { ends } else { [ends[1], ends[0]] });
    }
    picture.under.rect("class=plot", (0.0, y, WIDE, high));
}

/// Draws the switches of a level as grey slabs.
fn switches(picture: &mut Picture, places: &[VertexPosition], level: u32, ruler: &Ruler, y: f64) {
    let mut serving: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for place in places.iter().filter(|place| place.level == level) {
        *serving.entry((place.first, place.last)).or_default() += 1;
    }
    let mut path = String::new();
    for ((first, last), count) in serving {
        let (left, right) = (ruler.x(first), ruler.x(last) + ruler.node);
        let each = (right - left) / count as f64;
        let space = (each * 0.2).min(1.6);
        for place in 0..count {
            let x = left + place as f64 * each + space / 2.0;
            let _ = write!(
                path,
                "M{x:.1} {:.1}h{:.1}v4h{:.1}z",
                y - 1.0,
                each - space,
                space - each
            );
        }
    }
    picture.under.path("slab", path);
}

/// Draws the nodes that hold ranks.
fn used(picture: &mut Picture, scene: &Scene<'_>, ruler: &Ruler, y: f64) {
    let mut path = String::new();
    for (node, _) in scene
        .ranks()
        .iter()
        .enumerate()
        .filter(|(_, ranks)| !ranks.is_empty())
    {
        let space = (ruler.node * 0.2).min(1.2);
        let x = ruler.x(node as u32) + space / 2.0;
        let wide = ruler.node - space;
        let _ = write!(path, "M{x:.1} {:.1}h{wide:.1}v4h{:.1}z", y + 2.0, -wide);
    }
    picture.under.path("slab", path);
}
