//! Lists that are longer than one section: they are cut into pieces, and put together again.

use super::section::{parse, write};
use crate::container::{Section, Tag, corrupt};
use crate::error::Result;
use serde::{Serialize, de::DeserializeOwned};
use std::io::Write;

/// Approximate number of items in one section; a single longer list is not cut. Chosen by hand:
/// about a megabyte, small enough to hold in memory and large enough to make the head of a section
/// negligible.
pub(super) const CHUNK: usize = 1 << 16;

/// Cuts `items` into slices of at least one item and about [`CHUNK`] things inside. Each slice
/// comes with the index of its first item.
pub(super) fn chunks<T>(
    items: &[T],
    inside: impl Fn(&T) -> usize,
) -> impl Iterator<Item = (u64, &[T])> {
    let mut first = 0;
    std::iter::from_fn(move || {
        let rest = items.get(first..).filter(|rest| !rest.is_empty())?;
        let mut things = 0;
        let fitting = rest.iter().take(CHUNK).take_while(|item| {
            things += inside(item);
            things <= CHUNK
        });
        let count = fitting.count().max(1);
        let start = first;
        first += count;
        Some((start as u64, &rest[..count]))
    })
}

/// Writes a list in sections, each with the items alone.
pub(super) fn list<T: Serialize>(
    out: &mut dyn Write,
    tag: Tag,
    items: &[T],
    inside: impl Fn(&T) -> usize,
    what: &'static str,
) -> Result<()> {
    chunks(items, inside).try_for_each(|(_, some)| write(out, tag, &some, what))
}

/// Writes a list in sections, each with the index of its first item and the items.
pub(super) fn pieces<T: Serialize>(
    out: &mut dyn Write,
    tag: Tag,
    items: &[T],
    inside: impl Fn(&T) -> usize,
    what: &'static str,
) -> Result<()> {
    chunks(items, inside).try_for_each(|piece| write(out, tag, &piece, what))
}

/// Adds the items of a section that [`list`] wrote.
pub(super) fn extended<T: DeserializeOwned>(items: &mut Vec<T>, section: &Section) -> Result<()> {
    items.extend(parse::<Vec<T>>(section)?);
    Ok(())
}

/// Adds the items of a section that [`pieces`] wrote.
pub(super) fn continued<T: DeserializeOwned>(
    items: &mut Vec<T>,
    section: &Section,
    what: &str,
) -> Result<()> {
    let (first, some) = parse(section)?;
    append(items, first, some, what).map_err(|problem| corrupt(section.offset, problem))
}

/// Appends the continuation of a list.
pub(super) fn append<T>(
    list: &mut Vec<T>,
    first: u64,
    more: Vec<T>,
    what: &str,
) -> Result<(), String> {
    continues(first, list.len() as u64, what)?;
    list.extend(more);
    Ok(())
}

/// Checks that a piece that starts at `first` continues a list of length `due`.
pub(super) fn continues(first: u64, due: u64, what: &str) -> Result<(), String> {
    (first == due)
        .then_some(())
        .ok_or_else(|| format!("{what} {first} where {due} is due"))
}
