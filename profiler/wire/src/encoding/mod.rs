//! A profile as sections of a container, written and read.

mod behind;
mod check;
mod lists;
mod nccl;
mod orders;
mod planes;
mod rows;
mod section;
mod turns;

use crate::container::{self, Sections, Tag, corrupt, optional};
use crate::error::Result;
use crate::profile::{Manifest, Matrix, Peer, Profile, Row, RowSource};
use behind::LastRows;
use lists::continues;
use section::{parse, write};
use std::io::{Read, Write};

const MANIFEST: Tag = *b"MANI";
const ROWS: Tag = *b"ROWS";
const END: Tag = *b"END ";

/// Writes a profile whose matrix rows come from `source`.
pub(crate) fn encode(profile: &Profile, source: RowSource, out: &mut dyn Write) -> Result<()> {
    container::write_head(out)?;
    write(out, MANIFEST, &profile.manifest, "the manifest")?;
    let ranks = rows::write(out, ROWS, &[], 0, |visit| source(0, Matrix::Sent, visit))?;
    planes::encode(profile, source, out)?;
    write(out, END, &ranks, "the end")
}

/// Reads a whole profile and checks that its parts agree.
pub(crate) fn decode(input: impl Read) -> Result<Profile> {
    let mut rows = Vec::new();
    let rest = decode_rows(input, &mut |row| rows.push(row))?;
    Ok(Profile { rows, ..rest })
}

/// Reads a profile without keeping the rows of its matrix: they are passed to `visit` in ascending
/// order of rank. Discard what `visit` received if this function fails: whether all receivers exist
/// is known only at the end of the file.
pub(crate) fn decode_rows(input: impl Read, visit: &mut dyn FnMut(Row)) -> Result<Profile> {
    let mut sections = Sections::open(input)?;
    let head = sections.next()?;
    if head.tag != MANIFEST {
        return Err(corrupt(head.offset, "the manifest does not come first"));
    }
    let manifest: Manifest = parse(&head)?;
    let mut profile = Profile {
        manifest,
        ..Profile::default()
    };
    let mut passed = check::RowsSeen::default();
    // The rows of the last section, until it is known whether their orders and turns follow.
    let mut last = Vec::new();
    loop {
        let section = sections.next()?;
        if let orders::TAG | turns::TAG = section.tag {
            let rows = LastRows {
                profile: &mut profile,
                rank: passed.rows - last.len() as u64,
                last: &mut last,
            };
            match section.tag {
                orders::TAG => orders::read(&section, rows)?,
                _ => turns::read(&section, rows)?,
            }
            continue;
        }
        last.drain(..).for_each(&mut *visit);
        match section.tag {
            ROWS => {
                let (first, rows): (u64, Vec<Vec<Peer>>) = parse(&section)?;
                continues(first, passed.rows, "rows from rank")
                    .map_err(|problem| corrupt(section.offset, problem))?;
                last = rows.into_iter().map(Row::of).collect();
                last.iter().for_each(|row| passed.note(row));
            }
            END => {
                check::whole(&profile, &passed, parse(&section)?)
                    .map_err(|problem| corrupt(section.offset, problem))?;
                break;
            }
            tag if optional(tag) => planes::decode(&mut profile, &section)?,
            tag => {
                let name = tag.escape_ascii();
                let problem = format!("unknown section \"{name}\" that may not be skipped");
                return Err(corrupt(section.offset, problem));
            }
        }
    }
    sections.finish()?;
    Ok(profile)
}
