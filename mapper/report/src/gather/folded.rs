//! Condensed pictures of networks with too many links to draw each. A pixel or bar shows the
//! highest load of the links it stands for.

use super::links::Links;
use super::names;
use crate::data::{Carpet, Folded, GroupLoads, LevelRow, NetworkShape};

/// Maximum side of a carpet in pixels. Chosen by hand, as the size of a drawing on the page.
const WIDEST: usize = 512;
/// Maximum number of columns in a row of a tree. Chosen by hand: the width of the drawing on the
/// page.
const COLUMNS: usize = 560;
/// Maximum number of groups that are drawn on a circle. Chosen by hand, by looking at drawings.
pub(super) const ON_CIRCLE: usize = 40;
/// Maximum number of rows of a matrix of groups. Chosen by hand.
const GROUPS: usize = 256;

/// The condensed picture of a network; `None` where its links are drawn one by one.
pub(super) fn of(links: &Links<'_>, loads: &[f64]) -> Option<Folded> {
    match &links.layout.shape {
        NetworkShape::Grid { dims, .. } if !links.is_listed() => Some(carpets(links, dims, loads)),
        NetworkShape::Levels { .. } if !links.is_listed() => Some(rows(links, loads)),
        NetworkShape::Groups { groups, .. } if !links.is_listed() || *groups > ON_CIRCLE => {
            let group = |vertex| links.layout.group(vertex);
            Some(between(links, loads, "groups", *groups, group))
        }
        NetworkShape::Other => {
            let vertex = |vertex| vertex as usize;
            let all = links.layout.vertices;
            Some(between(links, loads, "nodes and switches", all, vertex))
        }
        _ => None,
    }
}

/// One picture for each direction of a grid.
fn carpets(links: &Links<'_>, dims: &[usize], loads: &[f64]) -> Folded {
    let nodes = links.layout.nodes();
    let across = dims.last().copied().unwrap_or(1);
    let down = dims.iter().rev().nth(1).copied().unwrap_or(1);
    let slices = nodes / across / down;
    let tiles = (1..)
        .find(|tiles| tiles * tiles * across >= slices * down)
        .unwrap_or(1)
        .clamp(1, slices);
    let rows = slices.div_ceil(tiles);
    let each = (tiles * across).max(rows * down).div_ceil(WIDEST);
    let (tile_width, tile_height) = (across.div_ceil(each), down.div_ceil(each));
    let width = tiles * tile_width;
    let mut carpets: Vec<Carpet> = (0..2 * dims.len())
        .map(|way| Carpet {
            name: format!("{}{}", ["+", "−"][way % 2], names::axis(way / 2)),
            width,
            loads: vec![0.0; width * rows * tile_height],
            nodes_each: each,
        })
        .collect();
    for (&channel, &load) in links.channels.iter().zip(loads) {
        let (way, node) = (channel as usize / nodes, channel as usize % nodes);
        let (slice, rest) = (node / (across * down), node % (across * down));
        let x = slice % tiles * tile_width + rest % across / each;
        let y = slice / tiles * tile_height + rest / across / each;
        let pixel = &mut carpets[way].loads[y * width + x];
        *pixel = pixel.max(load);
    }
    carpets.retain(|carpet| !carpet.loads.is_empty());
    Folded::Carpets {
        tiles,
        slice: (tile_height, tile_width),
        carpets,
    }
}

/// One row of bars for each level and direction of a tree.
fn rows(links: &Links<'_>, loads: &[f64]) -> Folded {
    let layout = &links.layout;
    let kinds = layout.kinds().len();
    let mut of_kind: Vec<Vec<(u32, u32, f64)>> = vec![Vec::new(); kinds];
    for (&channel, &load) in links.channels.iter().zip(loads) {
        if let Some((from, to)) = layout.ends[channel as usize] {
            let kind = layout.kind((from, to), channel as usize);
            let lower = if kind.is_multiple_of(2) { from } else { to };
            let first = layout.places[lower as usize].first;
            of_kind[kind].push((first, lower, load));
        }
    }
    let row = |(kind, mut links): (usize, Vec<(u32, u32, f64)>)| {
        links.sort_by_key(|&(first, lower, _)| (first, lower));
        let columns = links.len().min(COLUMNS);
        let mut loads = vec![0.0f64; columns];
        let all = links.len();
        for (number, (.., load)) in links.into_iter().enumerate() {
            let column = &mut loads[number * columns / all];
            *column = column.max(load);
        }
        LevelRow {
            level: kind / 2,
            up: kind % 2 == 0,
            loads,
        }
    };
    Folded::Rows {
        rows: of_kind.into_iter().enumerate().map(row).collect(),
    }
}

/// A matrix of the highest loads between groups of vertices. `of` gives the group of a vertex.
fn between(
    links: &Links<'_>,
    loads: &[f64],
    word: &str,
    all: usize,
    of: impl Fn(u32) -> usize,
) -> Folded {
    let each = all.div_ceil(GROUPS).max(1);
    let groups = all.div_ceil(each);
    let mut between = vec![0.0f64; groups * groups];
    for (&channel, &load) in links.channels.iter().zip(loads) {
        if let Some((from, to)) = links.layout.ends[channel as usize] {
            let cell = &mut between[of(from) / each * groups + of(to) / each];
            *cell = cell.max(load);
        }
    }
    let loads = GroupLoads {
        word: match each {
            1 => word.into(),
            _ => format!("{word}, {each} at a time"),
        },
        groups,
        loads: between,
    };
    Folded::Groups { loads }
}
