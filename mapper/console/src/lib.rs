//! What a command says: messages and progress on the terminal, and result files.
#![forbid(unsafe_code)]

pub mod output;
pub mod progress;
pub mod terminal;
