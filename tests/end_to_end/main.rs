//! End-to-end tests: real launches of real programs under every installed MPI library.
//!
//! A test that cannot run on this machine is ignored, and prints the reason on standard error.
#![forbid(unsafe_code)]

mod abi;
mod as_sent;
mod bad_input;
mod bad_launch;
mod beds;
mod blocks;
mod bursts;
mod by_function;
mod c10d;
mod collectives;
mod configuration;
mod convert;
mod declared;
mod doctor;
mod documentation;
mod fact;
mod full_disk;
mod functions;
mod header;
mod imb;
mod injected;
mod inside;
mod judged;
mod lammps;
mod languages;
mod launch;
mod launchers;
mod made;
mod mapfile;
mod matrix;
mod modelled;
mod nccl;
mod packaged;
mod packages;
mod papers;
mod parallel;
mod partner_order;
mod placement;
mod planes;
mod probe;
mod python;
mod recovery;
mod remembered;
mod report;
mod standard_output;
mod subnet;
mod table;
mod torus;
mod touched;
mod turns;
mod ways;
mod world;

use libtest_mimic::Arguments;
use rankfold_wire::env::SCRATCH;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // One launch keeps all cores busy.
    arguments.test_threads.get_or_insert(1);
    let tests = [
        matrix::facts(),
        languages::facts(),
        ways::facts(),
        collectives::facts(),
        as_sent::facts(),
        configuration::facts(),
        planes::facts(),
        probe::facts(),
        python::facts(),
        bursts::facts(),
        by_function::facts(),
        c10d::facts(),
        partner_order::facts(),
        convert::facts(),
        declared::facts(),
        doctor::facts(),
        launch::facts(),
        launchers::facts(),
        mapfile::facts(),
        modelled::facts(),
        nccl::facts(),
        papers::facts(),
        parallel::facts(),
        placement::facts(),
        recovery::facts(),
        remembered::facts(),
        standard_output::facts(),
        subnet::facts(),
        bad_input::facts(),
        bad_launch::facts(),
        beds::facts(),
        blocks::facts(),
        lammps::facts(),
        torus::facts(),
        touched::facts(),
        turns::facts(),
        judged::facts(),
        abi::facts(),
        functions::facts(),
        imb::facts(),
        injected::facts(),
        inside::facts(),
        world::facts(),
        packages::facts(),
        packaged::facts(),
        documentation::facts(),
        report::facts(),
    ];
    let here = Elsewhere::enter();
    let mut facts: Vec<_> = tests.into_iter().flatten().collect();
    facts.push(table::fact(&facts));
    let trials = facts
        .into_iter()
        .map(|fact| fact.into_trial(&arguments))
        .collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    here.must_be_clean().unwrap_or(conclusion.exit_code())
}

/// A directory in which the tests run, so that files left in the current directory by mistake are
/// found and removed.
struct Elsewhere(tempfile::TempDir);

impl Elsewhere {
    fn enter() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        std::env::set_current_dir(&directory).expect("it is there");
        Self(directory)
    }

    /// A failure if a directory of rankfold was left in the current directory. No test kills
    /// rankfold there, so all of them should be gone.
    fn must_be_clean(&self) -> Option<ExitCode> {
        let entries = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let left: Vec<String> = names.filter(|name| name.starts_with(SCRATCH)).collect();
        if left.is_empty() {
            return None;
        }
        eprintln!("left in the current directory: {}", left.join(" "));
        Some(ExitCode::FAILURE)
    }
}
