//! The C programs in `tests/programs`, compiled on demand.

use crate::mpi::Mpi;
use crate::process;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The source directory.
#[must_use]
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs")
}

/// Compiles `programs/NAME.c` with the wrapper of `mpi` and returns the executable.
///
/// # Errors
/// The compiler is missing or refuses the program.
pub fn compile(mpi: Mpi, name: &str) -> Result<PathBuf> {
    compile_with(&mpi.compiler(), &[], name)
}

/// Compiles `programs/NAME.c` with any compiler and further flags.
///
/// # Errors
/// The compiler is missing or refuses the program.
pub fn compile_with(compiler: &str, flags: &[&str], name: &str) -> Result<PathBuf> {
    let source = sources().join(format!("{name}.c"));
    let variant = [&[compiler], flags].concat().join("");
    let program = directory()?.join(format!("{name}.{variant}"));
    if is_newer(&program, &source) {
        return Ok(program);
    }
    // Tests run in parallel processes: each compiles under its own name, the last one to finish stays.
    let draft = program.with_extension(format!("{}.draft", std::process::id()));
    let mut command = Command::new(compiler);
    command
        .arg("-O1")
        .arg("-o")
        .arg(&draft)
        .arg(&source)
        .args(flags);
    process::run(&mut command, "")?
        .success()
        .with_context(|| format!("cannot compile {}", source.display()))?;
    fs::rename(&draft, &program)?;
    Ok(program)
}

fn is_newer(program: &Path, source: &Path) -> bool {
    let modified = |path| fs::metadata(path).and_then(|meta| meta.modified());
    matches!((modified(program), modified(source)), (Ok(p), Ok(s)) if p > s)
}

fn directory() -> Result<PathBuf> {
    let directory = crate::rankfold::build_directory().join("test-programs");
    fs::create_dir_all(&directory)?;
    Ok(directory)
}
