//! Communication graphs: directed bytes between ranks, with what a program declares of them.
//!
//! [`Traffic`] is what a file or a formula says, entry by entry; [`CommGraph`] is what the search
//! and the metrics work on.
#![forbid(unsafe_code)]

mod declared;
mod error;
pub mod exchange;
pub mod generate;
mod graph;
mod partner_orders;
pub mod renumbered;
mod rows;
pub mod samples;
mod traffic;
mod turns;

pub use declared::{Declared, DeclaredGraph, DeclaredGrid, GraphCall};
pub use error::{CommError, Result, WriteError};
pub use graph::{Affinity, CommGraph, Message};
pub use partner_orders::PartnerOrders;
pub use traffic::{Builder, Entry, ToItself, Traffic};
pub use turns::{Held, KnownTurns, ProgramTurns, TurnMessage, TurnsOfRanks};
