//! Distributes the input: the first process reads the files and sends their contents to the others,
//! so that no other process needs access to the files.

use super::{Processes, ReportedElsewhere};
use crate::error::Error;
use rankfold_machine::Machine;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The contents of the files that describe a machine, with the flags that named them.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct FileCopies {
    /// For each file: the flag, the file's name without its directory, and its contents.
    pub(crate) files: Vec<(String, String, Vec<u8>)>,
}

impl FileCopies {
    /// Adds the file that `flag` names.
    ///
    /// # Errors
    /// [`Error::Flag`]: the file cannot be read.
    pub(crate) fn add(&mut self, flag: &'static str, path: &Path) -> Result<(), Error> {
        let content = rankfold_base::files::read(path).map_err(|error| Error::Flag {
            flag,
            value: path.display().to_string(),
            problem: format!("cannot read the file: {error}"),
        })?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.files.push((flag.into(), name.into_owned(), content));
        Ok(())
    }
}

/// A description of a machine that can be sent from the first process to the others.
pub(crate) trait MachineFiles {
    /// Reads the files that describe the machine.
    ///
    /// # Errors
    /// [`Error`]: a file cannot be read.
    fn copies(&self) -> Result<FileCopies, Error>;

    /// Builds the machine from copies of these files, which are written below `directory`.
    ///
    /// # Errors
    /// A copy cannot be written, or the copies describe no machine.
    fn build_from(&self, copies: &FileCopies, directory: &Path) -> anyhow::Result<Machine>;
}

/// Gives the run and the machine to every process: the first process reads them with `read`, the
/// others receive copies. `ranks` tells the number of ranks of a run.
///
/// # Errors
/// On the first process: those of `read`, and [`Error::Processes`] if there are more processes than
/// ranks. On the others: [`ReportedElsewhere`].
pub(crate) fn shared<Run: Serialize + DeserializeOwned>(
    processes: &dyn Processes,
    machine: &dyn MachineFiles,
    ranks: impl FnOnce(&Run) -> usize,
    read: impl FnOnce() -> anyhow::Result<(Run, Machine)>,
) -> anyhow::Result<(Run, Machine)> {
    if processes.size() == 1 {
        return read();
    }
    if processes.me() != 0 {
        let sent = processes.broadcast(None);
        let sent: Option<(Run, FileCopies)> = postcard::from_bytes(&sent)?;
        let (run, copies) = sent.ok_or(ReportedElsewhere)?;
        let scratch = tempfile::tempdir()?;
        let machine = machine.build_from(&copies, scratch.path())?;
        return Ok((run, machine));
    }
    let found = read().and_then(|(run, built)| {
        fits(processes.size(), ranks(&run))?;
        Ok((run, built, machine.copies()?))
    });
    match found {
        Ok((run, built, copies)) => {
            processes.broadcast(Some(postcard::to_allocvec(&Some((&run, &copies)))?));
            Ok((run, built))
        }
        Err(error) => {
            let nothing: Option<(Run, FileCopies)> = None;
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
            "there are {processes} processes for {ranks} ranks: start at most one process per rank"
        )))
    }
}
