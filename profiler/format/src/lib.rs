//! The profile file (`.rfp`) and the rank journals it is merged from: the only crate both the preload
//! library and the tools that read its output share.
//!
//! # Byte layout of a profile, version 1
//!
//! All integers are little-endian and of fixed width. A file is a head and sections:
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 8 | magic `89 52 46 50 0D 0A 1A 0A` |
//! | 8 | 4 | version, `1` |
//! | 12 | | sections, up to and including `END ` |
//!
//! A section:
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 4 | tag, four ASCII characters; a reader skips an unknown tag whose first letter is lower case and refuses any other |
//! | 4 | 8 | length of the body, at most 64 MiB |
//! | 12 | 4 | CRC-32 (IEEE 802.3) of tag, length and body |
//! | 16 | | body |
//!
//! `MANI` comes first, then `ROWS` as often as needed, ranks ascending without gaps, then `END `, after which the file ends.
//! A *string* is its length in bytes (8) and its UTF-8 bytes; a *list* is its length (8) and its items.
//!
//! | section | body |
//! |---|---|
//! | `MANI` | string program; string MPI library; list of strings, the host of every rank (or empty); outcome: 4 bytes, 0 = finalized, 1 = recovered, the latter followed by the list of missing ranks (4 bytes each) |
//! | `ROWS` | first rank (8); list of rows, each a list of peers: receiver (4), bytes (8), messages (8), receivers ascending |
//! | `END ` | number of ranks (8) |
//!
//! The layout is what `bincode` 2 writes for the types here in its fixed-width little-endian configuration;
//! the test vectors in `tests/layout.rs` pin it, so the encoder may be replaced but the files not changed.
#![forbid(unsafe_code)]

mod container;
mod encoding;
pub mod env;
mod error;
pub mod journal;
mod profile;
mod recover;
mod replace;
mod seats;
pub mod tally;

pub use error::{Fault, ProfileError};
pub use journal::Journal;
pub use profile::{Manifest, Outcome, Peer, Profile, Row};
pub use recover::{Recovery, recover};
pub use replace::{replace, replace_with};
pub use seats::{Seat, Seats, read_seats, write_seats};
