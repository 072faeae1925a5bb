//! Open MPI's own monitoring component, which counts what rankfold counts.

use crate::mpi::{self, Mpi};
use crate::process;
use anyhow::Result;
use std::path::Path;
use std::process::Command;

/// Runs a program that must succeed, without rankfold, and leaves what the component counted in
/// `DIRECTORY/rank.R.prof`.
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
