//! The section on bytes between parts of the machine.

use super::chart::Chart;
use super::elements::{pair, section};
use super::finding::{self, Better, Fact};
use super::scale::ByteScale;
use super::words;
use crate::data::{Machine, NetworkShape, NodeMatrix, Report, Side};
use maud::{Markup, html};

pub(super) fn html(report: &Report, machine: &Machine) -> Markup {
    let sides = &report.sides;
    let matrices = sides.iter().flat_map(|side| &side.nodes);
    let values = matrices.flat_map(|matrix| matrix.bytes.iter().filter(|&&bytes| bytes > 0));
    let scale = ByteScale::of(values.map(|&bytes| bytes as f64));
    let grid = matches!(machine.shape, NetworkShape::Grid { .. });
    let one = sides.iter().all(|side| side.nodes.len() <= 1);
    let picture = |number: usize| {
        let side = &sides[number];
        html! { div class={ "folds f" (side.nodes.len().min(3)) } {
            @for matrix in &side.nodes { div {
                (heat(matrix, &scale, &side.name, if one { 420.0 } else { 150.0 }))
            } }
        } }
    };
    let remark = |number: usize| match (grid, sides[number].nodes.first()) {
        (false, Some(matrix)) => format!("{} on the diagonal", words::share(diagonal(matrix))),
        _ => String::new(),
    };
    let (finding, how) = finding_and_how(sides, grid);
    let body = html! { (scale.legend("Bytes")) (pair(sides, remark, picture)) };
    section("nodes", "Node to node", &finding, &how, &body)
}

fn finding_and_how(sides: &[Side], grid: bool) -> (String, String) {
    if grid {
        let at_rest = |side: &Side| {
            let all: f64 = side.nodes.iter().map(diagonal).sum();
            let value = all / side.nodes.len().max(1) as f64;
            Fact {
                value,
                words: words::share(value),
            }
        };
        let finding = finding::finding(sides, at_rest, Better::Higher, |share| {
            format!("In any one direction, {share} of the bytes need not move at all")
        });
        return (finding, "The bytes between nodes, folded onto each direction of the machine: from one coordinate to another.".into());
    }
    let Some(matrix) = sides.first().and_then(|side| side.nodes.first()) else {
        return (String::new(), String::new());
    };
    let word = &matrix.word;
    let talking = |side: &Side| {
        let pairs = side.nodes.first().map_or(0, |matrix| {
            let cells = matrix.bytes.iter().enumerate();
            cells
                .filter(|(cell, bytes)| **bytes > 0 && cell / matrix.size != cell % matrix.size)
                .count()
        });
        Fact {
            value: pairs as f64,
            words: words::count(pairs),
        }
    };
    let pairs = words::count(matrix.size * matrix.size.saturating_sub(1));
    let finding = finding::finding(sides, talking, Better::Lower, |talking| {
        format!(
            "{talking} of {pairs} pairs of {} exchange bytes",
            words::many(word)
        )
    });
    (
        finding,
        format!("Bytes from {word} to {word}; the diagonal holds the bytes that stay inside."),
    )
}

/// Share of the bytes on the diagonal.
fn diagonal(matrix: &NodeMatrix) -> f64 {
    let all: u64 = matrix.bytes.iter().sum();
    let inside: u64 = matrix.bytes.iter().step_by(matrix.size + 1).sum();
    inside as f64 / (all as f64).max(1.0)
}

/// Left and upper end of a matrix in its drawing, behind its numbers and the names of its axes.
const LEFT: f64 = 40.0;
const TOP: f64 = 29.0;

/// Draws a matrix `wide` units wide, with the numbers of its parts at its axes.
fn heat(matrix: &NodeMatrix, scale: &ByteScale, side: &str, wide: f64) -> Markup {
    let each = wide / matrix.size as f64;
    let space = if each > 4.0 { 0.6 } else { 0.0 };
    let word = &matrix.word;
    let mut chart = Chart::default();
    chart.rect("class=plot", (LEFT, TOP, wide, wide));
    chart.text("mid t9", (LEFT + wide / 2.0, 12.0), format!("to {word}"));
    chart.upwards((13.0, TOP + wide / 2.0), format!("from {word}"));
    let cells = matrix.bytes.iter().enumerate();
    for (cell, &bytes) in cells.filter(|(_, bytes)| **bytes > 0) {
        let (row, column) = (cell / matrix.size, cell % matrix.size);
        let bytes = bytes as f64;
        let tip = format!(
            "{side}: {}|from {word} {row} to {word} {column}",
            words::bytes(bytes)
        );
        let x = LEFT + column as f64 * each + space / 2.0;
        let y = TOP + row as f64 * each + space / 2.0;
        let class = format!("b{}", scale.step(bytes));
        chart.cell(&class, &tip, (x, y, each - space, each - space));
    }
    let labelled = (15.0 / each).ceil().max(1.0) as usize;
    for part in (0..matrix.size).step_by(labelled) {
        let middle = (part as f64 + 0.5) * each;
        chart.text("end t9", (LEFT - 4.0, TOP + middle + 3.0), part);
        chart.text("mid t9", (LEFT + middle, TOP - 4.0), part);
    }
    let label = format!("bytes from {word} to {word}");
    let frame = (0.0, 0.0, wide + LEFT + 4.0, wide + TOP + 4.0);
    chart.at_most(1.5 * frame.2, &label, frame)
}
