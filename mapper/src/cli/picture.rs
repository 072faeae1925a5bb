//! A small picture of a machine for the terminal, in plain ASCII.
//!
//! A mesh or torus is drawn by its last two dimensions. Any other network is drawn by its switches,
//! one line a tier with the nodes at the bottom; gaps separate groups.

use rankfold_base::NodeId;
use rankfold_base::words::counted;
use rankfold_machine::{Device, Edge, Grid, Machine, Structure, Topology};

/// Maximum width of a row of symbols, in columns.
const WIDTH: usize = 48;
/// Maximum number of rows of a mesh or torus that are drawn.
const MOST_LINES: usize = 8;
/// Networks with more channels are drawn without their tiers of switches. Chosen by hand; not
/// measured.
const MOST_CHANNELS: usize = 1 << 20;

/// The lines of the picture.
pub(super) fn picture(machine: &Machine) -> Vec<String> {
    let topology = machine.topology();
    let mut lines = match topology.structure().grid() {
        Some(grid) => lattice(grid),
        None => tiers(topology),
    };
    lines.extend(inside(machine));
    lines
}

/// Draws the last two dimensions of a mesh or torus. Links that close a ring stick out at the ends.
fn lattice(grid: &Grid) -> Vec<String> {
    let dims = grid.dims();
    let columns = dims.last().copied().unwrap_or(1);
    let rows = if dims.len() > 1 {
        dims[dims.len() - 2]
    } else {
        1
    };
    let round = |k: usize| grid.wraps() && k > 2;
    let (wide, high) = (columns.min(WIDTH / 3), rows.min(MOST_LINES));
    let cut = |shown: usize, all: usize, mark: &'static str| if shown < all { mark } else { "" };
    let nodes = vec!["o"; wide].join("--") + cut(wide, columns, "--..");
    let (open, close) = if round(columns) {
        ("-", "-")
    } else {
        (" ", "")
    };
    let between = format!(" {}", vec!["|"; wide].join("  "));
    let mut lines = Vec::new();
    if round(rows) {
        lines.push(between.clone());
    }
    for row in 0..high {
        if row > 0 {
            lines.push(between.clone());
        }
        lines.push(format!("{open}{nodes}{close}"));
    }
    if high < rows {
        lines.push(format!(" {}", vec![":"; wide].join("  ")));
    } else if round(rows) {
        lines.push(between);
    }
    if dims.len() > 2 {
        let above: usize = dims[..dims.len() - 2].iter().product();
        let sizes: Vec<String> = dims[..dims.len() - 2]
            .iter()
            .map(ToString::to_string)
            .collect();
        lines.push(format!(
            " {} such as this, joined node by node along {}",
            counted(above, "plane"),
            sizes.join("x")
        ));
    }
    lines
}

/// Draws one row for each tier of switches, farthest from the nodes first, and one for the nodes.
fn tiers(topology: &dyn Topology) -> Vec<String> {
    if topology.channels() > MOST_CHANNELS || topology.lists_paths() {
        return Vec::new();
    }
    let wiring = topology.wiring();
    let nodes = topology.nodes();
    let mut tier = vec![usize::MAX; wiring.vertices()];
    tier[..nodes].fill(0);
    let mut queue: std::collections::VecDeque<usize> = (0..nodes).collect();
    while let Some(u) = queue.pop_front() {
        for v in wiring.edges.row(u).iter().map(|edge| edge.to as usize) {
            if tier[v] == usize::MAX {
                tier[v] = tier[u] + 1;
                queue.push_back(v);
            }
        }
    }
    let highest = tier.iter().copied().filter(|&t| t < usize::MAX).max();
    let mut lines: Vec<String> = (1..=highest.unwrap_or(0))
        .rev()
        .map(|level| {
            let count = tier.iter().filter(|&&t| t == level).count();
            let links = |other: fn(usize, usize) -> bool| {
                let crossing = |&(from, edge): &(usize, &Edge)| {
                    tier[from] == level && other(tier[edge.to as usize], level)
                };
                wiring.edges.indexed().filter(crossing).count()
            };
            let (across, up) = (links(|a, b| a == b) / 2, links(|a, b| a > b));
            let mut text = match count {
                1 => "1 switch".to_owned(),
                _ => format!("{count} switches"),
            };
            for (links, way) in [(across, "across"), (up, "up")] {
                if links > 0 {
                    text += &format!(", {} {way}", counted(links, "link"));
                }
            }
            let group = routers_a_group(topology, level, count);
            row(&boxes("[]", count, group), &text)
        })
        .collect();
    let below = topology
        .structure()
        .arities()
        .and_then(<[usize]>::last)
        .copied();
    let group = if lines.is_empty() { "group" } else { "switch" };
    let text = match below {
        Some(below) if below < nodes => format!("{}, {below} a {group}", counted(nodes, "node")),
        _ => counted(nodes, "node"),
    };
    lines.push(row(&boxes("o", nodes, below.unwrap_or(nodes)), &text));
    lines
}

/// Number of switches of one tier in a group: the routers of a group in networks made of groups,
/// otherwise all switches of the tier.
fn routers_a_group(topology: &dyn Topology, level: usize, count: usize) -> usize {
    match topology.structure() {
        Structure::Groups(&[_, routers, _]) if level == 1 => routers,
        _ => count,
    }
}

fn row(symbols: &str, text: &str) -> String {
    format!(" {symbols:<WIDTH$}  {text}")
}

/// Repeats `symbol` `count` times, with a space after each group, and cuts the row where it would
/// be too wide.
fn boxes(symbol: &str, count: usize, group: usize) -> String {
    let mut text = String::new();
    for number in 0..count {
        if number > 0 && group > 0 && number % group == 0 {
            text.push(' ');
        }
        if text.len() + symbol.len() + 2 > WIDTH {
            text += "..";
            break;
        }
        text += symbol;
    }
    text
}

/// Lists the levels inside the first node whose inside is known.
fn inside(machine: &Machine) -> Vec<String> {
    let mut nodes = (0..machine.slots().nodes()).map(NodeId::at);
    let Some(inside) = nodes.find_map(|node| machine.inside(node)) else {
        return Vec::new();
    };
    let mut lines = vec![format!(
        " inside a node: {}",
        counted(inside.cores(), "core")
    )];
    for level in inside.levels() {
        let groups: Vec<String> = level.cores.iter().map(ToString::to_string).collect();
        let shown = groups.len().min(WIDTH / 4);
        let rest = if shown < groups.len() { " .." } else { "" };
        lines.push(format!(
            "  {:8} {}{rest}",
            level.name,
            groups[..shown].join(" ")
        ));
    }
    for (kind, devices) in [("nics", inside.nics()), ("gpus", inside.gpus())] {
        lines.extend(near(kind, devices));
    }
    lines
}

/// The cores that are near to each device of a kind.
fn near(kind: &str, devices: &[Device]) -> Option<String> {
    let shown = devices.len().min(WIDTH / 12);
    let names = devices[..shown].iter().map(|device| {
        let near = device.near();
        format!("{} at {}-{}", device.name, near.start, near.end - 1)
    });
    let names: Vec<String> = names.collect();
    let rest = if shown < devices.len() { ", .." } else { "" };
    (shown > 0).then(|| format!("  {kind:8} {}{rest}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_machine::parse;

    fn drawn(spec: &str) -> String {
        let machine = Machine::uniform(parse(spec).unwrap(), 1);
        let lines: Vec<String> = picture(&machine)
            .iter()
            .map(|line| line.trim_end().to_owned())
            .collect();
        lines.join("\n")
    }

    #[test]
    fn a_torus_shows_its_rings_and_a_mesh_does_not() {
        assert_eq!(drawn("mesh:2x3"), " o--o--o\n |  |  |\n o--o--o");
        let torus = " |  |  |\n-o--o--o-\n |  |  |\n-o--o--o-\n |  |  |\n-o--o--o-\n |  |  |";
        assert_eq!(drawn("torus:3x3"), torus);
        assert!(
            drawn("torus:4x2x2").ends_with("4 planes such as this, joined node by node along 4")
        );
    }

    #[test]
    fn trees_show_their_tiers_and_dragonflies_their_groups() {
        let tree = drawn("tree:2x4");
        let rows: Vec<Vec<&str>> = tree
            .lines()
            .map(|line| {
                line.split("  ")
                    .map(str::trim)
                    .filter(|part| !part.is_empty())
                    .collect()
            })
            .collect();
        assert_eq!(
            rows,
            [
                ["[]", "1 switch"],
                ["[][]", "2 switches, 2 links up"],
                ["oooo oooo", "8 nodes, 4 a switch"]
            ]
        );
        let dragonfly = drawn("dragonfly:1,3,1,4");
        assert!(
            dragonfly.contains("[][][] [][][] [][][] [][][]"),
            "{dragonfly}"
        );
        assert!(
            dragonfly.contains("12 switches, 18 links across"),
            "{dragonfly}"
        );
    }

    #[test]
    fn pictures_are_ascii_and_fit_the_terminal_whatever_the_machine() {
        for spec in [
            "torus:64x64x64",
            "mesh:1",
            "hypercube:12",
            "tree:20x16x8",
            "fattree:24",
            "ibcore:",
            "dragonfly:16,8,4,8",
            "percs:4",
            "tianhe3:2x2",
        ] {
            let text = drawn(spec);
            assert!(text.is_ascii() && !text.contains('\x1b'), "{spec}");
            assert!(text.lines().all(|line| line.len() <= 100), "{text}");
            assert!(text.lines().count() <= 20, "{text}");
        }
    }
}
