//! Bytes through every link while ranks change nodes: the books of every search on the exact
//! routes.
//!
//! [`LinkBoard`] knows the node of every rank and the bytes through every link. It opens a move,
//! shows what the move changes link by link, and carries the move out or takes it back. What a
//! search lowers (its energy), and which moves it tries, is the search's own:
//! [`congestion`](super::congestion) and
//! [`time`](super::time) are the two.

mod board;
mod nearby;
mod peers;
mod remembered;
mod routes;
mod waits;

pub(super) use board::{LinkBoard, Relocation};
pub(super) use nearby::Nearby;
