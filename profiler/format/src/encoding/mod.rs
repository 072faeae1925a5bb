//! A profile as sections of a container, and back.

mod check;
mod planes;
mod rows;

use crate::container::{self, LIMIT, Section, Sections, Tag, corrupt, optional};
use crate::error::Fault;
use crate::profile::{Manifest, Matrix, Profile, Row, Tell};
use bincode::config::{self, Configuration, Fixint, Limit, LittleEndian};
use serde::{Serialize, de::DeserializeOwned};
use std::io::{Read, Write};

const MANIFEST: Tag = *b"MANI";
const ROWS: Tag = *b"ROWS";
const END: Tag = *b"END ";

/// Items in one section, give or take the largest list of them: about a megabyte, enough to amortise, little to hold.
const CHUNK: usize = 1 << 16;

/// Fixed-width little-endian integers: the layout can be written down, and read without this crate.
const CODEC: Configuration<LittleEndian, Fixint, Limit<LIMIT>> = config::standard()
    .with_little_endian()
    .with_fixed_int_encoding()
    .with_limit::<LIMIT>();

/// Writes a profile whose rows `tell` hands over.
pub(crate) fn encode(profile: &Profile, tell: Tell, out: &mut dyn Write) -> Result<(), Fault> {
    container::write_head(out)?;
    write(out, MANIFEST, &profile.manifest, "the manifest")?;
    let ranks = rows::write(out, ROWS, &[], |visit| tell(0, Matrix::Sent, visit))?;
    planes::encode(profile, tell, out)?;
    write(out, END, &ranks, "the end")
}

/// Reads a whole profile and checks that its parts agree.
pub(crate) fn decode(input: impl Read) -> Result<Profile, Fault> {
    let mut rows = Vec::new();
    let rest = decode_rows(input, &mut |row| rows.push(row))?;
    Ok(Profile { rows, ..rest })
}

/// The same, but the rows of the pair matrix are handed to `visit`, ranks ascending, and not kept. What was visited
/// counts only if all of it is well: whether the receivers are ranks of the world is known in the end.
pub(crate) fn decode_rows(input: impl Read, visit: &mut dyn FnMut(Row)) -> Result<Profile, Fault> {
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
    let mut passed = check::Passed::default();
    loop {
        let section = sections.next()?;
        match section.tag {
            ROWS => {
                let (first, rows): (u64, Vec<Row>) = parse(&section)?;
                continues(first, passed.rows, "rows from rank")
                    .map_err(|problem| corrupt(section.offset, problem))?;
                for row in rows {
                    passed.note(&row);
                    visit(row);
                }
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

fn write<T: Serialize>(
    out: &mut dyn Write,
    tag: Tag,
    value: &T,
    what: &'static str,
) -> Result<(), Fault> {
    let bytes = bincode::serde::encode_to_vec(value, CODEC).map_err(|_| Fault::TooLarge(what))?;
    if bytes.len() > LIMIT {
        return Err(Fault::TooLarge(what));
    }
    Ok(container::write_section(out, tag, &bytes)?)
}

fn parse<T: DeserializeOwned>(section: &Section) -> Result<T, Fault> {
    match bincode::serde::decode_from_slice(&section.body, CODEC) {
        Ok((value, read)) if read == section.body.len() => Ok(value),
        Ok(_) => Err(corrupt(
            section.offset,
            "a section is longer than its content",
        )),
        Err(error) => Err(corrupt(section.offset, error.to_string())),
    }
}

/// Slices of `items` of at least one each and about [`CHUNK`] things inside, with the index of their first.
fn chunks<T>(items: &[T], inside: impl Fn(&T) -> usize) -> impl Iterator<Item = (u64, &[T])> {
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

/// Puts what continues a list behind it.
fn append<T>(list: &mut Vec<T>, first: u64, more: Vec<T>, what: &str) -> Result<(), String> {
    continues(first, list.len() as u64, what)?;
    list.extend(more);
    Ok(())
}

/// Whether a list that starts at `first` continues one of length `due`.
fn continues(first: u64, due: u64, what: &str) -> Result<(), String> {
    (first == due)
        .then_some(())
        .ok_or_else(|| format!("{what} {first} where {due} is due"))
}
