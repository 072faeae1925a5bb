//! Everything wrong with the input is one paragraph that names the file, line or flag; status 2; and
//! nothing is left under the final name.

use crate::fact::{Fact, Need, fact};
use anyhow::{Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::Finished;
use rankfold_tests::program::{self, Compiler};
use rankfold_tests::rankfold;
use std::fs;
use std::path::Path;

const RING: &str =
    "%%MatrixMarket matrix coordinate integer general\n4 4 4\n1 2 9\n2 3 9\n3 4 9\n4 1 9\n";

/// A wrong call of `rankfold map INPUT --machine MACHINE` and what the message must name.
struct Case {
    fact: &'static str,
    matrix: &'static str,
    flags: &'static [&'static str],
    named: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        fact: "an_unknown_machine_spec_is_named_with_the_known_ones",
        matrix: RING,
        flags: &["--machine", "moebius:4"],
        named: &["moebius:4", "torus:"],
    },
    Case {
        fact: "a_machine_size_that_is_no_number_is_named",
        matrix: RING,
        flags: &["--machine", "torus:2xtwo"],
        named: &["torus:2xtwo", "two"],
    },
    Case {
        fact: "sizes_whose_product_is_beyond_64_bits_are_named",
        matrix: RING,
        flags: &["--machine", "torus:4294967296x4294967296"],
        named: &["torus:4294967296x4294967296", "multiply to more than"],
    },
    Case {
        fact: "a_machine_beyond_all_machines_is_named",
        matrix: RING,
        flags: &["--machine", "mesh:99999999999x3"],
        named: &["mesh:99999999999x3", "multiply to more than"],
    },
    Case {
        fact: "a_bandwidth_list_of_the_wrong_length_is_named",
        matrix: RING,
        flags: &["--machine", "torus:2x2@1"],
        named: &["torus:2x2@1", "bandwidth"],
    },
    Case {
        fact: "fewer_slots_than_ranks_names_both_numbers_and_the_flag",
        matrix: RING,
        flags: &["--machine", "torus:3x1"],
        named: &["4", "3", "--cores"],
    },
    Case {
        fact: "an_empty_file_is_named",
        matrix: "",
        flags: &["--machine", "torus:2x2"],
        named: &["in.mtx"],
    },
    Case {
        fact: "an_empty_matrix_is_named",
        matrix: "%%MatrixMarket matrix coordinate integer general\n0 0 0\n",
        flags: &["--machine", "torus:2x2"],
        named: &["in.mtx"],
    },
    Case {
        fact: "a_matrix_that_is_not_square_is_named_by_line",
        matrix: "%%MatrixMarket matrix coordinate integer general\n4 5 1\n1 2 9\n",
        flags: &["--machine", "torus:2x2"],
        named: &["in.mtx:2"],
    },
    Case {
        fact: "negative_bytes_are_named_by_line",
        matrix: "%%MatrixMarket matrix coordinate integer general\n4 4 2\n1 2 9\n2 3 -9\n",
        flags: &["--machine", "torus:2x2"],
        named: &["in.mtx:4", "-9"],
    },
    Case {
        fact: "an_entry_outside_the_matrix_is_named_by_line",
        matrix: "%%MatrixMarket matrix coordinate integer general\n4 4 1\n1 5 9\n",
        flags: &["--machine", "torus:2x2"],
        named: &["in.mtx:3"],
    },
    Case {
        fact: "a_truncated_matrix_is_named",
        matrix: "%%MatrixMarket matrix coordinate integer general\n4 4 3\n1 2 9\n",
        flags: &["--machine", "torus:2x2"],
        named: &["in.mtx"],
    },
    Case {
        fact: "a_format_that_names_hosts_asks_for_them",
        matrix: RING,
        flags: &["--machine", "torus:2x2", "--to", "seq"],
        named: &["--hosts"],
    },
    Case {
        fact: "an_unknown_format_is_named",
        matrix: RING,
        flags: &["--machine", "torus:2x2", "--to", "papyrus"],
        named: &["papyrus"],
    },
    Case {
        fact: "an_unknown_heuristic_is_named",
        matrix: RING,
        flags: &["--machine", "torus:2x2", "--heuristic", "oracle"],
        named: &["oracle"],
    },
];

pub(crate) fn facts() -> Vec<Fact> {
    let maps = CASES.iter().map(|case| {
        fact(format!("bad_input::{}", case.fact), &[], || {
            map_refuses(case)
        })
    });
    let others = [
        fact("bad_input::a_missing_file_is_named", &[], missing_file),
        fact(
            "bad_input::a_damaged_profile_is_named",
            &[],
            damaged_profile,
        ),
        fact(
            "bad_input::a_placement_of_another_rank_count_is_named",
            &[],
            wrong_rank_count,
        ),
        fact(
            "bad_input::a_map_that_cannot_be_written_is_named",
            &[],
            unwritable_map,
        ),
        fact(
            "bad_input::a_missing_launcher_is_named",
            &[],
            missing_launcher,
        ),
        fact(
            "bad_input::no_launch_command_at_all_is_explained",
            &[],
            no_launch,
        ),
        fact(
            "bad_input::a_profile_that_cannot_be_written_is_named_before_the_run",
            &[Need::Mpi(Mpi::OpenMpi)],
            unwritable_profile,
        ),
        fact(
            "bad_input::a_static_program_is_explained",
            &[Need::Mpi(Mpi::OpenMpi), Need::Tool("cc")],
            static_program,
        ),
        fact(
            "bad_input::a_library_path_with_a_space_is_refused",
            &[Need::Mpi(Mpi::OpenMpi)],
            unloadable_library,
        ),
        fact(
            "bad_input::a_missing_journal_directory_is_named",
            &[Need::Mpi(Mpi::OpenMpi)],
            missing_journals,
        ),
        fact(
            "bad_input::a_launcher_that_takes_no_words_is_refused_with_the_recipe",
            &[],
            by_hand,
        ),
        fact(
            "bad_input::a_full_journal_directory_is_named",
            &[Need::Mpi(Mpi::OpenMpi), Need::Root],
            full_journals,
        ),
    ];
    let silent = Mpi::KINDS.into_iter().flat_map(|mpi| {
        [
            ("no_mpi", "a_program_without_mpi"),
            ("never_init", "a_program_that_never_calls_init"),
        ]
        .map(|(program, name)| {
            fact(
                format!("bad_input::{name}_is_explained_under_{}", mpi.name()),
                &[Need::Mpi(mpi)],
                move || silent_program(mpi, program),
            )
        })
    });
    let relaunched = Mpi::KINDS.into_iter().map(|mpi| {
        fact(
            format!(
                "bad_input::a_relaunched_program_that_never_calls_init_is_explained_under_{}",
                mpi.name()
            ),
            &[Need::Mpi(mpi)],
            move || silent_relaunch(mpi),
        )
    });
    maps.chain(others).chain(silent).chain(relaunched).collect()
}

/// Status 2, one paragraph with every one of `named` in it, and no `output`.
fn refused(run: &Finished, named: &[&str], output: &Path) -> Result<()> {
    ensure!(
        run.status == 2,
        "exit status {}\n{}",
        run.status,
        run.stderr
    );
    for word in named {
        ensure!(
            run.stderr.contains(word),
            "{word:?} is not in the message: {}",
            run.stderr
        );
    }
    ensure!(!run.stderr.contains("panicked"), "{}", run.stderr);
    ensure!(!output.exists(), "{} was left behind", output.display());
    Ok(())
}

/// The program has ended well and its status is ours; why there is no `output` is said.
fn told(run: &Finished, named: &[&str], output: &Path) -> Result<()> {
    ensure!(run.status == 0, "status {}\n{}", run.status, run.stderr);
    for word in named {
        ensure!(
            run.stderr.contains(word),
            "{word:?} is not said: {}",
            run.stderr
        );
    }
    ensure!(!output.exists(), "{} was left behind", output.display());
    Ok(())
}

fn map_refuses(case: &Case) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let (input, output) = (
        scratch.path().join("in.mtx"),
        scratch.path().join("out.map"),
    );
    fs::write(&input, case.matrix)?;
    let files = [
        "map",
        &input.to_string_lossy(),
        "-o",
        &output.to_string_lossy(),
    ];
    refused(
        &rankfold::run(&[&files[..], case.flags].concat())?,
        case.named,
        &output,
    )?;
    let left = fs::read_dir(scratch.path())?.count();
    ensure!(left == 1, "{left} files where only the input should be");
    Ok(())
}

fn missing_file() -> Result<()> {
    let run = rankfold::run(&["map", "/nonexistent/run.rfp", "--machine", "torus:2x2"])?;
    refused(&run, &["/nonexistent/run.rfp"], Path::new("/nonexistent"))
}

fn damaged_profile() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let input = scratch.path().join("damaged.rfp");
    fs::write(&input, b"certainly not a profile")?;
    let run = rankfold::run(&["analyze", &input.to_string_lossy()])?;
    refused(&run, &["damaged.rfp"], &scratch.path().join("none"))
}

fn wrong_rank_count() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let (input, placement) = (
        scratch.path().join("in.mtx"),
        scratch.path().join("three.map"),
    );
    fs::write(&input, RING)?;
    fs::write(&placement, "0\n1\n2\n")?;
    let run = rankfold::run(&[
        "eval",
        &input.to_string_lossy(),
        "--machine",
        "torus:2x2",
        "--placement",
        &placement.to_string_lossy(),
    ])?;
    refused(&run, &["three.map", "3", "4"], &scratch.path().join("none"))
}

fn unwritable_map() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let input = scratch.path().join("in.mtx");
    fs::write(&input, RING)?;
    let output = scratch.path().join("no/such/directory/out.map");
    let run = rankfold::run(&[
        "map",
        &input.to_string_lossy(),
        "--machine",
        "torus:2x2",
        "-o",
        &output.to_string_lossy(),
    ])?;
    refused(&run, &["no/such/directory"], &output)
}

fn missing_launcher() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("out.rfp");
    let run = rankfold::run(&[
        "profile",
        "-o",
        &output.to_string_lossy(),
        "--",
        "mpirun.nowhere",
        "-n",
        "2",
        "true",
    ])?;
    refused(&run, &["mpirun.nowhere"], &output)
}

fn no_launch() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("out.rfp");
    refused(
        &rankfold::run(&["profile", "-o", &output.to_string_lossy()])?,
        &[],
        &output,
    )
}

fn unwritable_profile() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("no/such/directory/out.rfp");
    let program = program::compile(Mpi::OpenMpi, "echo")?;
    let mut command = rankfold::profile_command(Mpi::OpenMpi, &output, 2, &program, &[]);
    let run = rankfold_tests::process::run(&mut command, "the program ran\n")?;
    refused(&run, &["no/such/directory"], &output)?;
    ensure!(
        run.stdout.is_empty(),
        "the program ran although its profile had no place to go"
    );
    Ok(())
}

fn silent_program(mpi: Mpi, name: &str) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("out.rfp");
    let program = program::compile(mpi, name)?;
    let mut command = rankfold::profile_command(mpi, &output, 2, &program, &[]);
    let run = rankfold_tests::process::run(&mut command, "")?;
    told(&run, &["no profile was written", "MPI_Init"], &output)
}

/// As [`silent_program`], relaunched: nobody can tell where its ranks sit.
fn silent_relaunch(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let map = scratch.path().join("seq.map");
    // Open MPI's sequential mapper does not know the launching host as localhost.
    let host = fs::read_to_string("/proc/sys/kernel/hostname")?;
    fs::write(&map, host.repeat(2))?;
    let program = program::compile(mpi, "never_init")?;
    let mut command = rankfold::command(&["run", "--map"]);
    command
        .arg(&map)
        .arg("--")
        .args(mpi.launch(2, &program, &[]));
    let run = rankfold_tests::process::run(&mut command, "")?;
    told(
        &run,
        &["not verified", "MPI_Init"],
        &scratch.path().join("none"),
    )
}

fn static_program() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("out.rfp");
    let program = program::build(&Compiler::plain("cc").with("-static"), "no_mpi.c", "static")?;
    let mut command = rankfold::profile_command(Mpi::OpenMpi, &output, 2, &program, &[]);
    let run = rankfold_tests::process::run(&mut command, "")?;
    told(&run, &["static"], &output)
}

/// The loader would look for two libraries, and neither is there.
fn unloadable_library() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let library = scratch.path().join("my tools/librankfold.so");
    fs::create_dir(scratch.path().join("my tools"))?;
    fs::copy(rankfold::library(), &library)?;
    let name = library.display().to_string();
    profile_refused("RANKFOLD_LIBRARY", &name, &[&name, "space"])?;
    // A link to it somewhere else will do.
    let link = scratch.path().join("link.so");
    std::os::unix::fs::symlink(&library, &link)?;
    let output = scratch.path().join("out.rfp");
    let program = program::compile(Mpi::OpenMpi, "echo")?;
    let mut command = rankfold::profile_command(Mpi::OpenMpi, &output, 2, &program, &[]);
    rankfold_tests::process::run(command.env("RANKFOLD_LIBRARY", &link), "")?.success()?;
    ensure!(output.exists(), "no profile by a link");
    Ok(())
}

fn missing_journals() -> Result<()> {
    profile_refused(
        "RANKFOLD_JOURNALS",
        "/no/such/place",
        &["/no/such/place", "does not exist"],
    )
}

/// With `variable` set to `value` nothing is launched, and the message has every one of `named`.
fn profile_refused(variable: &str, value: &str, named: &[&str]) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("out.rfp");
    let program = program::compile(Mpi::OpenMpi, "echo")?;
    let mut command = rankfold::profile_command(Mpi::OpenMpi, &output, 2, &program, &[]);
    let run = rankfold_tests::process::run(command.env(variable, value), "")?;
    refused(&run, named, &output)
}

fn by_hand() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let spectrum = scratch.path().join("mpirun");
    let script = "#!/bin/sh\necho 'mpirun (IBM Spectrum MPI) 10.4.0.6'\n";
    fs::write(&spectrum, script)?;
    fs::set_permissions(
        &spectrum,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )?;
    for (launcher, name) in [
        ("srun", "srun"),
        ("mpirun_rsh", "mpirun_rsh"),
        (&*spectrum.to_string_lossy(), "Spectrum"),
    ] {
        let run = rankfold::run(&["profile", "--", launcher, "-n", "2", "true"])?;
        refused(
            &run,
            &[name, "RANKFOLD_PROFILE", "Without our launcher"],
            &scratch.path().join("none"),
        )?;
    }
    Ok(())
}

/// A file system of one page, seen by nobody else.
fn full_journals() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let (journals, output) = (
        scratch.path().join("journals"),
        scratch.path().join("out.rfp"),
    );
    fs::create_dir(&journals)?;
    let program = program::compile(Mpi::OpenMpi, "echo")?;
    let mut command = std::process::Command::new("unshare");
    command
        .args([
            "--mount",
            "sh",
            "-c",
            "mount -t tmpfs -o size=4k full \"$0\" && exec \"$@\"",
        ])
        .arg(&journals)
        .arg(rankfold::binary())
        .args(["profile", "-o"])
        .arg(&output)
        .arg("--")
        .args(Mpi::OpenMpi.launch(2, &program, &[]))
        .env("RANKFOLD_JOURNALS", &journals);
    let run = rankfold_tests::process::run(rankfold_tests::mpi::environment(&mut command), "")?;
    refused(&run, &[&*journals.to_string_lossy()], &output)
}
