//! The programs in `tests/programs`. C and Fortran programs are compiled on demand.

use crate::mpi::Mpi;
use crate::process;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A compiler, and the flags that every program needs.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The name or path of the compiler.
    pub command: String,
    /// Flags that follow the source on the command line, as libraries must.
    pub flags: Vec<String>,
}

impl Compiler {
    /// A compiler without flags.
    #[must_use]
    pub fn plain(command: &str) -> Self {
        Self {
            command: command.to_owned(),
            flags: Vec::new(),
        }
    }

    /// Adds a flag.
    #[must_use]
    pub fn with(mut self, flag: &str) -> Self {
        self.flags.push(flag.to_owned());
        self
    }
}

/// The directory of the sources.
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

/// Compiles `programs/NAME.c` for `mpi` so that shared libraries call the program's functions in
/// place of functions of the same names in other shared libraries.
///
/// # Errors
/// The compiler is missing or refuses the program.
pub fn compile_exporting(mpi: Mpi, name: &str) -> Result<PathBuf> {
    let compiler = mpi.compiler().with("-rdynamic").with("-ldl");
    build(&compiler, &format!("{name}.c"), mpi.name())
}

/// A library that makes a waiting rank of MPICH leave its processor to other ranks. Programs of
/// these tests are linked with the same source. Other programs, such as Python, preload the
/// library.
///
/// # Errors
/// The compiler is missing.
pub fn patient() -> Result<PathBuf> {
    let compiler = Compiler::plain("cc").with("-shared").with("-fPIC");
    build(&compiler, "patient.c", "so")
}

/// Compiles `programs/SOURCE` with any compiler. `variant` is a part of the name of the executable,
/// which tells it from others of the same source.
///
/// # Errors
/// The compiler is missing or refuses the program.
pub fn build(compiler: &Compiler, source: &str, variant: &str) -> Result<PathBuf> {
    let program = directory()?.join(format!("{source}.{variant}"));
    // A source may be in a subdirectory.
    program.parent().map_or(Ok(()), fs::create_dir_all)?;
    let source = sources().join(source);
    if is_newer(&program, &source) {
        return Ok(program);
    }
    // Tests run in parallel processes. Each compiles to a file of its own and renames that file.
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
