//! The programs in `tests/programs`: C and Fortran compiled on demand, Python as it is.

use crate::mpi::Mpi;
use crate::process;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A compiler with the flags every program needs.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Its name or path.
    pub command: String,
    /// Put after the source, as libraries must be.
    pub flags: Vec<String>,
}

impl Compiler {
    /// One that needs no flags.
    #[must_use]
    pub fn plain(command: &str) -> Self {
        Self {
            command: command.to_owned(),
            flags: Vec::new(),
        }
    }

    /// With one more flag.
    #[must_use]
    pub fn with(mut self, flag: &str) -> Self {
        self.flags.push(flag.to_owned());
        self
    }
}

/// The source directory.
#[must_use]
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs")
}

/// Compiles `programs/NAME.c` for `mpi` and returns the executable.
///
/// # Errors
/// The compiler is missing or refuses the program.
pub fn compile(mpi: Mpi, name: &str) -> Result<PathBuf> {
    build(&mpi.compiler(), &format!("{name}.c"), mpi.name())
}

/// Compiles `programs/NAME.c` for `mpi` into a shared object.
///
/// # Errors
/// The compiler is missing or refuses the program.
pub fn compile_shared(mpi: Mpi, name: &str) -> Result<PathBuf> {
    let compiler = mpi.compiler().with("-shared").with("-fPIC");
    let variant = format!("{}.so", mpi.name());
    build(&compiler, &format!("{name}.c"), &variant)
}

/// Compiles `programs/SOURCE` with any compiler; `variant` tells the executable from others of this
/// source.
///
/// # Errors
/// The compiler is missing or refuses the program.
pub fn build(compiler: &Compiler, source: &str, variant: &str) -> Result<PathBuf> {
    let program = directory()?.join(format!("{source}.{variant}"));
    // A source may lie in a directory of its own.
    program.parent().map_or(Ok(()), fs::create_dir_all)?;
    let source = sources().join(source);
    if is_newer(&program, &source) {
        return Ok(program);
    }
    // Tests run in parallel processes: each compiles under its own name, the last one to finish
    // stays.
    let draft = program.with_extension(format!("{variant}.{}.draft", std::process::id()));
    let mut command = Command::new(&compiler.command);
    command
        .arg("-O1")
        .arg("-o")
        .arg(&draft)
        .arg(&source)
        .args(&compiler.flags);
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
