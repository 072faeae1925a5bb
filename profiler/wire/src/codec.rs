//! Values as bytes, between the processes of a run and in its journals.

use bincode::config::{self, Configuration, Fixint};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The encoding of a profile's sections, without their limit of size: the value is in memory
/// anyway.
const CODEC: Configuration<config::LittleEndian, Fixint> = config::standard()
    .with_little_endian()
    .with_fixed_int_encoding();

/// The value as bytes.
pub(crate) fn encode(value: &impl Serialize) -> Vec<u8> {
    // Encoding these types into memory does not fail.
    bincode::serde::encode_to_vec(value, CODEC).unwrap_or_default()
}

/// The value that begins these bytes. `None` for bytes that are no such value.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (value, _) = bincode::serde::decode_from_slice(bytes, CODEC).ok()?;
    Some(value)
}
