//! A machine alone as an SVG file, with or without a placement.

use super::colours::{self, STEPS};
use super::network::{Drawn, drawn};
use super::scale::LoadScale;
use super::words;
use super::xml;
use crate::data::{Folded, GroupLoads, LoadUnit, Machine, Side};
use std::fmt::Write;

/// The step of the load ramp that every link is drawn in: a line of middling width.
const STEP: usize = 3;
/// The namespace of SVG.
const XMLNS: &str = "http://www.w3.org/2000/svg";
/// Width of the drawing on a screen, in pixels, and of its margin, in units of the drawing.
const WIDE: f64 = 960.0;
const MARGIN: f64 = 16.0;
/// Height of the lines of text above the drawing, and of one more line.
const HEAD: f64 = 40.0;
const LINE: f64 = 16.0;

/// A larger network that the drawn one stands for.
#[derive(Clone, Copy, Debug)]
pub struct Folding<'a> {
    /// The larger network.
    pub whole: &'a Machine,
    /// How many of its nodes a drawn node stands for at most.
    pub nodes_each: usize,
    /// What the parts of the drawing stand for, as one sentence without a full stop.
    pub meaning: &'a str,
}

/// A machine as an SVG file. `side` is what `gather::machine_alone` made of it. With a folding, the
/// file describes the larger network.
///
/// # Errors
/// The machine has too many links to draw. The message says how many.
pub fn svg(machine: &Machine, side: &Side, folding: Option<Folding<'_>>) -> Result<String, String> {
    let described = folding.map_or(machine, |folding| folding.whole);
    let scale = LoadScale {
        top: STEPS as f64 / (STEP as f64 + 0.5),
        unit: LoadUnit::Bytes,
    };
    let (frame, inner, how) = match (drawn(machine, side, 1.0).first(), &side.loads.folded) {
        (Some(Drawn { picture, how, .. }), _) => {
            let svg = picture.html("alone", 0, &side.loads.links, &scale, &[]);
            (picture.frame, svg.into_string(), how.clone())
        }
        (None, Some(Folded::Groups { loads })) => matrix(loads),
        (None, _) => {
            return Err(format!(
                "{} links are too many to draw one by one; draw a part of the machine",
                words::count(machine.links)
            ));
        }
    };
    let (left, top, wide, high) = frame;
    let head = HEAD + folding.map_or(0.0, |_| LINE);
    // A short drawing is as wide as the text above it.
    let wide = wide.max(300.0);
    let size = WIDE.min(1.6 * (wide + 2.0 * MARGIN)) / (wide + 2.0 * MARGIN);
    let (across, down) = (wide + 2.0 * MARGIN, high + head + 2.0 * MARGIN);
    let mut file = format!(
        "<svg xmlns=\"{XMLNS}\" role=\"img\" width=\"{:.0}\" height=\"{:.0}\" viewBox=\"{:.1} {:.1} {across:.1} {down:.1}\">\
         <title>{}</title><desc>{}</desc><style>{}{}</style>\
         <rect class=\"ground\" x=\"{:.1}\" y=\"{:.1}\" width=\"{across:.1}\" height=\"{down:.1}\"/>",
        across * size,
        down * size,
        left - MARGIN,
        top - head - MARGIN,
        words::escaped(&described.spec),
        words::escaped(&how),
        colours::css(),
        STYLE,
        left - MARGIN,
        top - head - MARGIN,
    );
    let _ = write!(
        file,
        "<text class=\"name\" x=\"{left:.1}\" y=\"{:.1}\">{}</text><text x=\"{left:.1}\" y=\"{:.1}\">{}</text>",
        top - head + 4.0,
        words::escaped(&described.spec),
        top - head + 22.0,
        built(described, side)
    );
    if let Some(folding) = folding {
        let _ = write!(
            file,
            "<text x=\"{left:.1}\" y=\"{:.1}\">{}</text>",
            top - head + 22.0 + LINE,
            words::escaped(folding.meaning)
        );
    }
    file.push_str(&xml::well_formed(
        inner_of(&inner),
        &titles(machine, side, folding.is_some_and(|of| of.nodes_each > 1)),
    ));
    file.push_str("</svg>\n");
    Ok(file)
}

/// What stands in an `svg` element.
fn inner_of(svg: &str) -> &str {
    let start = svg.find('>').map_or(0, |end| end + 1);
    svg[start..].trim_end_matches("</svg>")
}

/// The parts of the machine, and the ranks on it, in words.
fn built(machine: &Machine, side: &Side) -> String {
    let mut parts = vec![words::plural(machine.nodes, "node")];
    if machine.switches > 0 {
        parts.push(words::plural(machine.switches, "switch"));
    }
    parts.push(format!(
        "{} (one each way)",
        words::plural(machine.links, "link")
    ));
    if !side.name.is_empty() {
        parts.push(format!(
            "{} of {}",
            words::plural(side.place.len(), "rank"),
            words::escaped(&side.name)
        ));
    }
    parts.join(" · ")
}

/// What a viewer shows of each node under the pointer: its name and its ranks. The nodes of a
/// folded network are blocks if `are_blocks`.
fn titles(machine: &Machine, side: &Side, are_blocks: bool) -> Vec<String> {
    let block = if are_blocks { "block " } else { "" };
    let named = |node: usize| match machine.network.as_ref() {
        Some(network) => format!("{block}{}", network.vertices[node]),
        None => format!("node {node}"),
    };
    let mut titles: Vec<String> = (0..machine.nodes).map(named).collect();
    if side.name.is_empty() {
        return titles;
    }
    for (rank, &place) in side.place.iter().enumerate() {
        let title = &mut titles[machine.place_node[place as usize] as usize];
        let word = if title.contains(": rank ") {
            ","
        } else {
            ": rank"
        };
        let _ = write!(title, "{word} {rank}");
    }
    titles
}

/// A matrix with a point for every pair of groups, or of vertices, that a link joins.
fn matrix(loads: &GroupLoads) -> ((f64, f64, f64, f64), String, String) {
    const SIDE: f64 = 512.0;
    let each = SIDE / loads.groups.max(1) as f64;
    let mut path = String::new();
    for (cell, _) in loads
        .loads
        .iter()
        .enumerate()
        .filter(|(_, load)| **load > 0.0)
    {
        let (row, column) = (cell / loads.groups, cell % loads.groups);
        let _ = write!(
            path,
            "M{:.2} {:.2}h{each:.2}v{each:.2}h-{each:.2}z",
            column as f64 * each,
            row as f64 * each
        );
    }
    let how = format!(
        "A point stands for the links from one of the {} (rows) to another (columns).",
        loads.word
    );
    let svg = format!(
        "<svg><rect class=plot width={SIDE} height={SIDE} /><path class=l{STEP} d=\"{path}\"/>\
         <text class=t9 x=0 y=524>{how}</text></svg>"
    );
    ((0.0, 0.0, SIDE, SIDE + 16.0), svg, how)
}

const STYLE: &str = include_str!("alone.css");
