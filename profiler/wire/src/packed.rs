//! Rows and planes as bytes that ranks send each other.

use crate::codec::{decode, encode};
use crate::profile::{Plane, Row};

impl Row {
    /// Packs the row for sending to rank 0.
    #[must_use]
    pub fn pack(&self) -> Vec<u8> {
        encode(self)
    }

    /// Unpacks what [`Self::pack`] packed; empty if the bytes are damaged.
    #[must_use]
    pub fn unpack(bytes: &[u8]) -> Self {
        decode(bytes).unwrap_or_default()
    }
}

impl Plane {
    /// Packs several planes for sending to other ranks.
    #[must_use]
    pub fn pack(planes: &[Self]) -> Vec<u8> {
        encode(&planes)
    }

    /// Unpacks what [`Self::pack`] packed; empty if the bytes are damaged.
    #[must_use]
    pub fn unpack(bytes: &[u8]) -> Vec<Self> {
        decode(bytes).unwrap_or_default()
    }
}
