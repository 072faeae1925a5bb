//! The communication a command works on, as the command line names it.

use crate::CommGraph;
use crate::comm::{self, Traffic};
use crate::error::Error;
use std::path::PathBuf;

/// What `map`, `analyze`, `eval` and `convert` read.
#[derive(Clone, Debug, clap::Args)]
pub struct InputArgs {
    /// The communication: .rfp, .mtx, .csv, .mat, .graph, .grf, or .prof files of Open MPI's monitoring component
    /// (all of them, their directory, or the name before .R.prof)
    #[arg(required = true, value_name = "INPUT")]
    input: Vec<PathBuf>,
}

impl InputArgs {
    /// Reads it.
    ///
    /// # Errors
    /// [`Error::Comm`], naming the file.
    pub fn traffic(&self) -> Result<Traffic, Error> {
        Ok(comm::read(&self.input)?)
    }

    /// Reads it for the mapper.
    ///
    /// # Errors
    /// As [`InputArgs::traffic`].
    pub fn graph(&self) -> Result<CommGraph, Error> {
        let graph = self.traffic()?.into_graph();
        Ok(graph.map_err(|error| comm::CommError::refused(&self.input[0], &error))?)
    }
}
