//! Heuristics for grids of ranks, and rank orders that do not look at the traffic at all.

mod baselines;
mod block;
mod digits;
mod factor;
mod gray;
mod grid_ranks;
mod maps;
mod published;
mod reshape;
mod target;
mod tiles;

pub use baselines::{Order, ROUND_ROBIN, TXYZ, XYZ};
pub use block::Block;
pub use gray::Gray;
pub use published::{
    AFFN, Bhatele, COCE, COCE_SORTED, EXCO, EXCO_SORTED, FOLDING, Hilbert, MXOV_AL, MXOVLP, PAIRS,
    Pairs, PlaneHeuristic, STACKING, STEP, SlabHeuristic,
};
pub use reshape::Reshape;
pub use tiles::Tiles;

#[cfg(test)]
mod tests;
