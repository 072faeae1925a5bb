//! Fortran and Python programs. The profiler intercepts the C functions alone, and must see every
//! call of other languages once.

use crate::fact::{Fact, under};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::{process, program, rankfold};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

/// The three Fortran interfaces of MPI: the compiler flag that selects the interface, its name, and
/// the MPI libraries that have it for `gfortran`.
const FORTRAN: &[(&str, &str, &str, &[Mpi])] = &[
    ("mpif_h", "-DMPIF", "Fortran, `mpif.h`", WITH_FORTRAN),
    (
        "the_module_mpi",
        "-DMODULE",
        "Fortran, `use mpi`",
        WITH_FORTRAN,
    ),
    ("mpi_f08", "-DF08", "Fortran, `use mpi_f08`", &Mpi::DEBIAN),
];

const WITH_FORTRAN: &[Mpi] = &[Mpi::OpenMpi, Mpi::Mpich, Mpi::Intel];

pub(crate) fn facts() -> Vec<Fact> {
    let fortran = FORTRAN.iter().flat_map(|(label, flag, language, mpis)| {
        let name = format!("languages::every_call_through_{label}_is_counted_once");
        let row = (
            *language,
            "sends, persistent sends, remote memory, neighbours",
        );
        under(mpis, row, &name, |mpi| fortran(mpi, flag))
    });
    let operators = under(
        WITH_FORTRAN,
        ("Fortran, `use mpi`", "operators of the program"),
        "languages::operators_of_the_program_are_told_from_those_of_mpi",
        operators,
    );
    let python = under(
        &Mpi::KINDS,
        (
            "Python, mpi4py",
            "pickles, buffers, remote memory, neighbours",
        ),
        "languages::everything_mpi4py_sends_is_counted_once",
        python,
    );
    let suite = under(
        &[Mpi::OpenMpi5, Mpi::Mpich5],
        ("Python, mpi4py", "mpi4py's own tests of what moves bytes"),
        "languages::mpi4pys_own_tests_end_as_they_do_without",
        suite,
    );
    let lacking = under(
        &[Mpi::OpenMpi, Mpi::OpenMpi5, Mpi::Mpich5],
        ("Python, mpi4py", "functions that the MPI lacks"),
        "languages::mpi4py_tells_what_the_mpi_lacks_as_without",
        lacking,
    );
    fortran
        .chain(operators)
        .chain(python)
        .chain(suite)
        .chain(lacking)
        .collect()
}

fn fortran(mpi: Mpi, flag: &str) -> Result<()> {
    let compiler = mpi.fortran().context("no Fortran modules")?;
    let variant = format!("{}{flag}", mpi.name());
    let program = program::build(&compiler.with(flag), "exchange.F90", &variant)?;
    rankfold::profile(mpi, 4, &program, &[])?.must_equal_what_it_says()
}

fn operators(mpi: Mpi) -> Result<()> {
    let compiler = mpi.fortran().context("no Fortran modules")?;
    let program = program::build(&compiler, "operators.F90", mpi.name())?;
    let profile = rankfold::profile(mpi, 3, &program, &[])?.profile;
    let rows = profile.collectives.iter();
    let mut forms: Vec<_> = rows.map(|row| (row.form.to_string(), row.calls)).collect();
    forms.sort_unstable();
    let expected = [
        "",
        "commutative operator of the program",
        "nonblocking",
        "ordered operator of the program",
    ];
    let expected = expected.map(|form| (form.to_owned(), 1));
    ensure!(forms == expected, "{forms:?} instead of {expected:?}");
    Ok(())
}

fn python(mpi: Mpi) -> Result<()> {
    let script = program::sources().join("exchange.py").display().to_string();
    let links = tempfile::tempdir()?;
    let mut launch = mpi.launch(4, &interpreter(mpi), &[&script]);
    if mpi == Mpi::Mpich {
        // mpi4py loads the library by the name that all descendants of MPICH have agreed on.
        // Debian's MPICH has an older name.
        symlink(mpich_library()?, links.path().join("libmpi.so.12"))?;
        let place = links.path().display().to_string();
        let words = [
            "-genv",
            "LD_LIBRARY_PATH",
            &place,
            "-genv",
            "MPI4PY_MPIABI",
            "mpich",
        ];
        launch.splice(1..1, words.map(str::to_owned));
    }
    rankfold::profile_launch(&launch, |command| command)?.must_equal_what_it_says()
}

/// A program that tries a function which the MPI library may lack, and has a fallback, takes the
/// same way as without the profiler.
fn lacking(mpi: Mpi) -> Result<()> {
    let script = program::sources().join("lacking.py").display().to_string();
    let launch = mpi.launch(1, &interpreter(mpi), &[&script]);
    let mut bare = Command::new(&launch[0]);
    let bare = process::run(mpi::environment(bare.args(&launch[1..])), "")?.success()?;
    let profiled = rankfold::profile_launch(&launch, |command| command)?;
    ensure!(
        bare.stdout.contains("Isendrecv ") && bare.stdout == profiled.finished.stdout,
        "without the profiler {:?}, with it {:?}",
        bare.stdout,
        profiled.finished.stdout
    );
    Ok(())
}

/// The modules of mpi4py's tests on messages, windows and neighbourhoods. All modules together take
/// minutes.
fn suite(mpi: Mpi) -> Result<()> {
    let script = program::sources().join("../../scripts/mpi4py-suite");
    let mut command = Command::new(script);
    command.args([mpi.name(), "-i", "test_(p2p_buf|p2p_obj|rma|cco_ngh)"]);
    command.env("RANKFOLD", rankfold::binary());
    if mpi == Mpi::Mpich5 {
        command.env("LD_PRELOAD", program::patient()?);
    }
    let run = process::run(mpi::environment(&mut command), "")?.success()?;
    ensure!(run.stdout.contains("Ran "), "no tests: {}", run.stdout);
    Ok(())
}

/// The Python interpreter that has mpi4py for this library.
pub(crate) fn interpreter(mpi: Mpi) -> PathBuf {
    let environment = mpi
        .environment()
        .unwrap_or_else(|| mpi::environments().join("mpi4py"));
    environment.join("bin/python")
}

/// The shared library that programs of Debian's MPICH load.
fn mpich_library() -> Result<PathBuf> {
    let program = program::compile(Mpi::Mpich, "wait")?;
    let mut command = Command::new("ldd");
    let listed = process::run(command.arg(program), "")?.success()?.stdout;
    let line = listed.lines().find(|line| line.contains("libmpich.so"));
    let path = line.and_then(|line| line.split_whitespace().nth(2));
    let path = fs::canonicalize(path.context("ldd names no libmpich.so")?)?;
    ensure!(path.is_file(), "{} is no file", path.display());
    Ok(path)
}
