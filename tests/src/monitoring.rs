//! Open MPI's monitoring component, which counts the same messages as rankfold.

use crate::mpi::{self, Mpi};
use crate::process;
use anyhow::Result;
use std::path::Path;
use std::process::Command;

/// Runs a program without rankfold, with the monitoring component on. The component writes its
/// counts to `DIRECTORY/rank.R.prof`.
///
/// # Errors
/// The run failed.
pub fn run(directory: &Path, ranks: u32, program: &Path, args: &[&str]) -> Result<()> {
    let words = Mpi::OpenMpi.launch(ranks, program, args);
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .env("OMPI_MCA_pml", "^ucx,cm")
        .env("OMPI_MCA_pml_monitoring_enable", "2")
        .env("OMPI_MCA_pml_monitoring_enable_output", "3")
        .env("OMPI_MCA_pml_monitoring_filename", directory.join("rank"));
    process::run(mpi::environment(&mut command), "")?.success()?;
    Ok(())
}
