//! What the first process reads and the others get of it: nobody else needs the files.

use super::{Processes, ToldElsewhere};
use crate::error::Error;
use rankfold_model::CommGraph;
use rankfold_model::machine::Machine;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Files by the flags that name them.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Copies {
    /// The flag, the name of the file without its directory, and what is in it.
    pub(crate) files: Vec<(String, String, Vec<u8>)>,
}

impl Copies {
    /// Adds the file that `flag` names.
    ///
    /// # Errors
    /// [`Error::Flag`]: it cannot be read.
    pub(crate) fn add(&mut self, flag: &'static str, path: &Path) -> Result<(), Error> {
        let content = std::fs::read(path).map_err(|error| Error::Flag {
            flag,
            value: path.display().to_string(),
            problem: format!("cannot read the file: {error}"),
        })?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.files.push((flag.into(), name.into_owned(), content));
        Ok(())
    }
}

/// How processes come by a machine.
pub(crate) trait Sharing {
    /// The files that describe it.
    ///
    /// # Errors
    /// One cannot be read.
    fn copies(&self) -> Result<Copies, Error>;

    /// The machine that copies of the files describe, which may be put below `directory`.
    ///
    /// # Errors
    /// They cannot be written there, or are no machine.
    fn build_from(&self, copies: &Copies, directory: &Path) -> anyhow::Result<Machine>;
}

/// The graph and the machine, on every process: the first one reads them with `read`, the others
/// get copies.
///
/// # Errors
/// On the first process those of `read`, and [`Error::Processes`] where there are more processes
/// than ranks;
/// [`ToldElsewhere`] on the others.
pub(crate) fn shared(
    processes: &dyn Processes,
    machine: &dyn Sharing,
    read: impl FnOnce() -> anyhow::Result<(CommGraph, Machine)>,
) -> anyhow::Result<(CommGraph, Machine)> {
    if processes.size() == 1 {
        return read();
    }
    if processes.me() != 0 {
        let sent = processes.broadcast(None);
        let sent: Option<(CommGraph, Copies)> = postcard::from_bytes(&sent)?;
        let (graph, copies) = sent.ok_or(ToldElsewhere)?;
        let scratch = tempfile::tempdir()?;
        let machine = machine.build_from(&copies, scratch.path())?;
        return Ok((graph, machine));
    }
    let found = read().and_then(|(graph, built)| {
        fits(processes.size(), graph.ranks())?;
        Ok((graph, built, machine.copies()?))
    });
    match found {
        Ok((graph, built, copies)) => {
            processes.broadcast(Some(postcard::to_allocvec(&Some((&graph, &copies)))?));
            Ok((graph, built))
        }
        Err(error) => {
            let nothing: Option<(CommGraph, Copies)> = None;
            processes.broadcast(Some(postcard::to_allocvec(&nothing)?));
            Err(error)
        }
    }
}

fn fits(processes: usize, ranks: usize) -> Result<(), Error> {
    if processes <= ranks {
        Ok(())
    } else {
        Err(Error::Processes(format!(
            "{processes} processes are more than the work is worth: {ranks} ranks are to be placed; start at most as many"
        )))
    }
}
