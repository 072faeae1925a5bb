//! Journals as a killed run leaves them.

mod bytes;
mod recovery;
mod segments;
