//! Heuristics for grids of ranks, and the orders that need no knowledge of the traffic at all.

mod block;
mod digits;
mod factor;
mod folding;
mod gray;
mod maps;
mod roster;
mod target;

pub use block::Block;
pub use folding::Folding;
pub use gray::Gray;

#[cfg(test)]
mod tests;
