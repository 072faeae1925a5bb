//! The sections behind rows that hold one more thing for each of those rows.

use super::section::parse;
use crate::container::{Section, corrupt};
use crate::error::Result;
use crate::profile::{Profile, Row};
use serde::de::DeserializeOwned;

/// The rows that were read before such a section.
pub(super) struct LastRows<'a> {
    /// What was read so far, with all rows of the phases.
    pub(super) profile: &'a mut Profile,
    /// Rows of the whole run: those of the section right before.
    pub(super) last: &'a mut [Row],
    /// The rank of the first of them.
    pub(super) rank: u64,
}

/// Gives each thing of the section, which holds `what`, to its row.
pub(super) fn of_rows<T: DeserializeOwned>(
    section: &Section,
    rows: LastRows<'_>,
    what: &str,
    mut add: impl FnMut(&mut Row, T) -> Result<()>,
) -> Result<()> {
    let (phase, first, things): (u32, u64, Vec<T>) = parse(section)?;
    let (rows, rank) = match phase {
        0 => (rows.last, rows.rank),
        _ => {
            let phase = rows.profile.phase(phase);
            let phase = phase.map_err(|problem| corrupt(section.offset, problem))?;
            (&mut phase.rows[..], 0)
        }
    };
    let start = first.checked_sub(rank).map(usize::try_from);
    let rows = start.and_then(|start| rows.get_mut(start.ok()?..));
    let rows = rows.filter(|rows| rows.len() >= things.len());
    let wrong = || format!("{what} of rows that do not come right before");
    let rows = rows.ok_or_else(|| corrupt(section.offset, wrong()))?;
    let mut pairs = rows.iter_mut().zip(things);
    pairs.try_for_each(|(row, thing)| add(row, thing))
}
