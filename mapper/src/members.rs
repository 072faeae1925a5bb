//! The file formats and descriptions of machines that the commands read, and the members that they
//! search with: one list for each kind, of everything that stands in a crate of its own above the
//! core.

use rankfold_formats::Readers;
use rankfold_importers::Importers;
use rankfold_refine::REFINEMENTS;
use rankfold_search::select::{self, Portfolio};

/// What communication is read from.
pub const READERS: Readers = Readers(&[rankfold_formats::READERS, rankfold_gpu_jobs::READERS]);

/// What machines are read from.
pub const IMPORTERS: Importers =
    Importers(&[rankfold_importers::IMPORTERS, rankfold_simgrid::IMPORTERS]);

/// What searches draw from.
pub const PORTFOLIO: Portfolio = Portfolio {
    heuristics: &[select::HEURISTICS, rankfold_papers::HEURISTICS],
    refinements: REFINEMENTS,
};
