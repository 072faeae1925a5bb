//! The HTML elements that sections are made of.

use super::words;
use crate::data::Side;
use maud::{Markup, html};

/// A section with its anchor, heading, main finding, and how to read its pictures.
pub(super) fn section(id: &str, about: &str, finding: &str, how: &str, body: &Markup) -> Markup {
    html! { section id=(id) {
        h2 { (about) }
        p class="find" { (words::unbroken(finding)) }
        @if !how.is_empty() { p class="how" { (how) } }
        (body)
    } }
}

/// A table. Columns whose heading starts with `>` hold numbers.
pub(super) fn table(head: &[&str], rows: &[Vec<String>]) -> Markup {
    let number = |column: usize| head.get(column).is_some_and(|head| head.starts_with('>'));
    html! { div class="scroll" { table class="mid" {
        thead { tr { @for (column, head) in head.iter().enumerate() {
            th scope="col" class=[number(column).then_some("n")] { (head.trim_start_matches('>')) }
        } } }
        tbody { @for row in rows { tr { @for (column, cell) in row.iter().enumerate() {
            td class=[number(column).then_some("n")] { (cell) }
        } } } }
    } } }
}

/// A command line with a button that copies it.
pub(super) fn command(line: &str) -> Markup {
    html! { div class="cmd" { pre { code { (line) } } button type="button" class="copy" { "copy" } } }
}

/// A part of the page that readers can unfold.
pub(super) fn behind(what: &str, body: &Markup) -> Markup {
    html! { details { summary { (what) } (body) } }
}

/// One picture for each side, with the side's name and a remark.
pub(super) fn pair(
    sides: &[Side],
    remark: impl Fn(usize) -> String,
    picture: impl Fn(usize) -> Markup,
) -> Markup {
    html! { div class={ "pair" @if sides.len() < 2 { " one" } } {
        @for (number, side) in sides.iter().enumerate() { figure {
            figcaption { b { (side.name) } span { (remark(number)) } }
            (picture(number))
        } }
    } }
}

/// Number of nodes or ranks from which a drawing can be enlarged. Chosen by hand: fewer are seen
/// well at the width of a column.
pub(super) const MANY: usize = 96;

/// Drawings with a switch between sizes, which works without the script and by keyboard. The switch
/// enlarges whatever lies in a [`pan`]. The identifiers of its buttons begin with `name`.
pub(super) fn zoomable(name: &str, drawings: &Markup) -> Markup {
    const SIZES: [u8; 4] = [1, 2, 4, 8];
    let id = |size: u8| format!("{name}-zoom-{size}");
    html! { div class="sizes" {
        @for size in SIZES {
            input class={ "vh z" (size) } type="radio" name={ (name) "-zoom" } id=(id(size)) checked[size == 1];
        }
        div class="switch noprint" role="group" aria-label="size of the drawings" {
            span { "Zoom" }
            @for size in SIZES { label class={ "s" (size) } for=(id(size)) { (size) "×" } }
        }
        div class="zoomed" { (drawings) }
    } }
}

/// A drawing that scrolls where it is enlarged.
pub(super) fn pan(label: &str, drawing: &Markup) -> Markup {
    html! { div class="pan" tabindex="0" role="group" aria-label=(label) { (drawing) } }
}

/// A small square of a theme's colour in a line of text.
pub(super) fn swatch(variable: &str) -> Markup {
    html! { span class="sw" style={ "background:var(--" (variable) ")" } {} }
}

/// The names of the first and the last side.
pub(super) fn names(sides: &[Side]) -> (&str, &str) {
    (
        sides.first().map_or("", |side| &side.name),
        sides.last().map_or("", |side| &side.name),
    )
}
