//! One value as the body of one section, written and read.

use crate::container::{self, LIMIT, Section, Tag, corrupt};
use crate::error::{Fault, Result};
use bincode::config::{self, Configuration, Fixint, Limit, LittleEndian};
use serde::{Serialize, de::DeserializeOwned};
use std::io::Write;

/// Fixed-width little-endian integers: a layout that can be documented, and read without this
/// crate.
pub(super) const CODEC: Configuration<LittleEndian, Fixint, Limit<LIMIT>> = config::standard()
    .with_little_endian()
    .with_fixed_int_encoding()
    .with_limit::<LIMIT>();

/// Writes a section. `what` names its content if that is too large.
pub(super) fn write<T: Serialize>(
    out: &mut dyn Write,
    tag: Tag,
    value: &T,
    what: &'static str,
) -> Result<()> {
    let bytes = bincode::serde::encode_to_vec(value, CODEC).map_err(|_| Fault::TooLarge(what))?;
    if bytes.len() > LIMIT {
        return Err(Fault::TooLarge(what));
    }
    Ok(container::write_section(out, tag, &bytes)?)
}

/// Reads a section's body, which must be used up completely.
pub(super) fn parse<T: DeserializeOwned>(section: &Section) -> Result<T> {
    match bincode::serde::decode_from_slice(&section.body, CODEC) {
        Ok((value, read)) if read == section.body.len() => Ok(value),
        Ok(_) => Err(corrupt(
            section.offset,
            "a section is longer than its content",
        )),
        Err(error) => Err(corrupt(section.offset, error.to_string())),
    }
}
