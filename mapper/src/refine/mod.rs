//! Refinements: placements made better, move by move.
