//! The profile file (`.rfp`) and the rank journals it is merged from: the only crate both the preload
//! library and the tools that read its output share.
#![forbid(unsafe_code)]

pub mod env;
mod error;
mod profile;
mod seats;

pub use error::ProfileError;
pub use profile::{Manifest, Outcome, Peer, Profile, Row};
pub use seats::{Seat, Seats};
