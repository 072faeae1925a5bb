//! Heuristics for any communication graph.
