//! The communication a command works on, as the command line names it.

use super::options::names;
use super::terminal;
use crate::error::Error;
use clap::builder::PossibleValuesParser;
use rankfold_model::CommGraph;
use rankfold_model::comm::collective::{MODELS, model};
use rankfold_model::comm::{self, Collectives, CommError, Part, Reading, Traffic};
use std::path::{Path, PathBuf};

/// The name of no model.
const NONE: &str = "none";

/// What `map`, `analyze`, `eval` and `convert` read.
#[derive(Clone, Debug, clap::Args)]
pub struct InputArgs {
    /// The communication: .rfp, .mtx, .csv, .mat, .graph, .grf, or .prof files of Open MPI's monitoring component
    /// (all of them, their directory, or the name before .R.prof)
    #[arg(required = true, value_name = "INPUT")]
    input: Vec<PathBuf>,
    /// Only what happened in the phase the program named so with MPI_Pcontrol
    #[arg(long, value_name = "NAME")]
    phase: Option<String>,
    /// Phases follow each other: the predicted time is the sum of theirs, what lies between them included. The only value is all
    #[arg(long, value_name = "WHICH", value_parser = ["all"], conflicts_with = "phase")]
    phases: Option<String>,
    /// Add collectives, as one of the models would carry them out [without a name: auto]
    #[arg(long, value_name = "MODEL", value_parser = models(), num_args = 0..=1, default_missing_value = MODELS[0].name())]
    collectives: Option<String>,
}

impl InputArgs {
    /// Reads all of it, messages included, and tells on stderr what a user should know.
    ///
    /// # Errors
    /// [`Error::Comm`], naming the file; [`Error::Flag`].
    pub fn traffic(&self) -> Result<Traffic, Error> {
        Ok(self.read(Collectives::Told)?.traffic)
    }

    /// Reads it for the mapper.
    ///
    /// # Errors
    /// As [`InputArgs::traffic`].
    pub fn graph(&self) -> Result<CommGraph, Error> {
        let reading = self.read(Collectives::UnlessTheyDominate)?;
        let graph = self.graph_of(reading.traffic)?;
        let graph = graph.with_declared(reading.declared);
        Ok(match self.phases {
            Some(_) => graph.in_phases(self.graphs_of_phases()?),
            None => graph,
        })
    }

    fn graph_of(&self, traffic: Traffic) -> Result<CommGraph, Error> {
        let graph = traffic.into_graph();
        Ok(graph.map_err(|error| CommError::refused(&self.input[0], &error))?)
    }

    /// One graph a phase; what is to be said of the whole has been said.
    fn graphs_of_phases(&self) -> Result<Vec<CommGraph>, Error> {
        let names = comm::phases(&self.input)?;
        if names.is_empty() {
            return Err(Error::Flag {
                flag: "--phases",
                value: "all".into(),
                problem: format!(
                    "{} has no phases: the program names them with MPI_Pcontrol",
                    self.input[0].display()
                ),
            });
        }
        let collectives = self.collectives(Collectives::UnlessTheyDominate);
        let graphs = names.iter().map(|name| {
            let phase = Some(name.as_str());
            let part = Part { phase, collectives };
            self.graph_of(comm::read(&self.input, &part)?.traffic)
        });
        graphs.collect()
    }

    fn collectives(&self, by_default: Collectives) -> Collectives {
        match self.collectives.as_deref() {
            None => by_default,
            Some(name) => model(name).map_or(Collectives::LeftOut, Collectives::By),
        }
    }

    /// All of one file, by the defaults of the options.
    #[must_use]
    pub fn of(file: PathBuf) -> Self {
        Self {
            input: vec![file],
            phase: None,
            phases: None,
            collectives: None,
        }
    }

    /// The first file, by which the input is called.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.input[0]
    }

    fn read(&self, by_default: Collectives) -> Result<Reading, Error> {
        let collectives = self.collectives(by_default);
        let phase = self.phase.as_deref();
        let reading = comm::read(&self.input, &Part { phase, collectives })?;
        for note in &reading.notes {
            terminal::note(note);
        }
        Ok(reading)
    }
}

/// `--collectives`: the name of a model.
fn models() -> PossibleValuesParser {
    let known = MODELS.iter().map(|model| (model.name(), model.summary()));
    names([(NONE, "leave them out")].into_iter().chain(known))
}
