//! A profile as sections of a container, and back.

use crate::container::{self, LIMIT, Section, Sections, Tag, corrupt, optional};
use crate::error::Fault;
use crate::profile::{Manifest, Outcome, Profile, Row};
use bincode::config::{self, Configuration, Fixint, Limit, LittleEndian};
use serde::{Serialize, de::DeserializeOwned};
use std::io::{Read, Write};

const MANIFEST: Tag = *b"MANI";
const ROWS: Tag = *b"ROWS";
const END: Tag = *b"END ";

/// Peers in one `ROWS` section, give or take a row: about a megabyte, enough to amortise, little to hold.
const CHUNK_PEERS: usize = 1 << 16;
/// Rows in one `ROWS` section, for worlds in which most ranks send nothing.
const CHUNK_ROWS: usize = 1 << 16;

/// Fixed-width little-endian integers: the layout can be written down, and read without this crate.
const CODEC: Configuration<LittleEndian, Fixint, Limit<LIMIT>> = config::standard()
    .with_little_endian()
    .with_fixed_int_encoding()
    .with_limit::<LIMIT>();

/// Writes a whole profile.
pub(crate) fn encode(profile: &Profile, out: &mut dyn Write) -> Result<(), Fault> {
    container::write_head(out)?;
    container::write_section(out, MANIFEST, &body(&profile.manifest, "the manifest")?)?;
    let mut first = 0;
    while first < profile.rows.len() {
        let rows = chunk(&profile.rows[first..]);
        let section = body(&(first as u64, rows), "the row of one rank")?;
        container::write_section(out, ROWS, &section)?;
        first += rows.len();
    }
    let ranks = (profile.rows.len() as u64).to_le_bytes();
    container::write_section(out, END, &ranks)?;
    Ok(())
}

/// Reads a whole profile and checks that its parts agree.
pub(crate) fn decode(input: impl Read) -> Result<Profile, Fault> {
    let mut sections = Sections::open(input)?;
    let head = sections.next()?;
    if head.tag != MANIFEST {
        return Err(corrupt(head.offset, "the manifest does not come first"));
    }
    let manifest: Manifest = parse(&head)?;
    let mut rows = Vec::new();
    loop {
        let section = sections.next()?;
        match section.tag {
            ROWS => append(&mut rows, &section)?,
            END => {
                check_end(&section, &manifest, &rows)?;
                break;
            }
            tag if optional(tag) => {}
            tag => {
                let name = tag.escape_ascii();
                let problem = format!("unknown section \"{name}\" that may not be skipped");
                return Err(corrupt(section.offset, problem));
            }
        }
    }
    sections.finish()?;
    Ok(Profile { manifest, rows })
}

/// The rows of the next section: at least one.
fn chunk(rows: &[Row]) -> &[Row] {
    let mut peers = 0;
    let fitting = rows.iter().take(CHUNK_ROWS).take_while(|row| {
        peers += row.peers.len();
        peers <= CHUNK_PEERS
    });
    let count = fitting.count().max(1);
    &rows[..count]
}

fn body<T: Serialize>(value: &T, what: &'static str) -> Result<Vec<u8>, Fault> {
    let bytes = bincode::serde::encode_to_vec(value, CODEC).map_err(|_| Fault::TooLarge(what))?;
    if bytes.len() > LIMIT {
        return Err(Fault::TooLarge(what));
    }
    Ok(bytes)
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

fn append(rows: &mut Vec<Row>, section: &Section) -> Result<(), Fault> {
    let (first, chunk): (u64, Vec<Row>) = parse(section)?;
    if first != rows.len() as u64 {
        let problem = format!("rows from rank {first} where rank {} is due", rows.len());
        return Err(corrupt(section.offset, problem));
    }
    rows.extend(chunk);
    Ok(())
}

/// What only the whole file can tell: counts, peers in range and order.
fn check_end(end: &Section, manifest: &Manifest, rows: &[Row]) -> Result<(), Fault> {
    let fault = |problem: &str| Err(corrupt(end.offset, problem));
    let ranks: u64 = parse(end)?;
    if ranks != rows.len() as u64 || u32::try_from(ranks).is_err() {
        return fault("the number of ranks and the rows disagree");
    }
    if !manifest.hosts.is_empty() && manifest.hosts.len() as u64 != ranks {
        return fault("the number of ranks and the hosts disagree");
    }
    let in_world = |rank: u32| u64::from(rank) < ranks;
    if let Outcome::Recovered { missing } = &manifest.outcome
        && !missing.iter().all(|&rank| in_world(rank))
    {
        return fault("a missing rank is beyond the world");
    }
    let sorted = |row: &Row| row.peers.is_sorted_by(|a, b| a.rank < b.rank);
    if !rows.iter().all(sorted) {
        return fault("the receivers of a rank are not in ascending order");
    }
    if !rows
        .iter()
        .flat_map(|row| &row.peers)
        .all(|peer| in_world(peer.rank))
    {
        return fault("a receiver is beyond the world");
    }
    Ok(())
}
