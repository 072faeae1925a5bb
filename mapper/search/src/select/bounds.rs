//! How much work the proof of an optimum may take.

use rankfold_problem::heuristic::Effort;

/// The most partial placements that the proof of an optimum may take; `None` without a proof.
/// Measured when the proof was added, 12 ranks on 12 nodes with 3 and with 11 partners each, in ten
/// networks: 33 to 456 000 partial placements, 0.9 s for the most. 16 ranks on meshes and tori with
/// 3 partners: 40 000 to 1 040 000, at most 4.4 s.
pub(super) fn partial_placements(effort: Effort) -> Option<u32> {
    match effort {
        Effort::Hurried | Effort::Fast => None,
        Effort::Balanced => Some(500_000),
        Effort::Best => Some(3_000_000),
    }
}
