//! End-to-end tests: real launches of real programs under every MPI library found.
//!
//! A test that cannot run here is ignored, and says why on standard error.
#![forbid(unsafe_code)]

mod bad_input;
mod fact;
mod lammps;
mod languages;
mod launch;
mod mapfile;
mod matrix;
mod placement;
mod subnet;
mod torus;
mod ways;

use libtest_mimic::Arguments;

fn main() -> std::process::ExitCode {
    let mut arguments = Arguments::from_args();
    // One launch keeps every core busy by itself.
    arguments.test_threads.get_or_insert(1);
    let tests = [
        matrix::facts(),
        languages::facts(),
        ways::facts(),
        launch::facts(),
        mapfile::facts(),
        placement::facts(),
        subnet::facts(),
        bad_input::facts(),
        lammps::facts(),
        torus::facts(),
    ];
    let trials = tests
        .into_iter()
        .flatten()
        .map(|fact| fact.into_trial(&arguments))
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}
