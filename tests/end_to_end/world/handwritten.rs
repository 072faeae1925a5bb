//! Ways in which a program may look at its world, under every MPI library.

use super::{ORDER, RANKS, Renumbered, compile, hidden, must_be_in_order, plan, sorted, under};
use crate::fact::Fact;
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::{process, program};
use rankfold_wire::read_seats;

/// MPI libraries with sessions, and with a world for sessions without `MPI_Init`.
const WITH_SESSIONS: &[Mpi] = &[
    Mpi::OpenMpi5,
    Mpi::Mpich,
    Mpi::Mpich5,
    Mpi::Mpich5Abi,
    Mpi::Intel,
    Mpi::IntelAbi,
];

/// MPI libraries in which a communicator without an error handler of its own follows the world.
const FOLLOWING_THE_WORLD: &[Mpi] = &[
    Mpi::Mpich,
    Mpi::Mpich5,
    Mpi::Mpich5Abi,
    Mpi::Intel,
    Mpi::IntelAbi,
];

/// MPI libraries whose `MPI_Comm_spawn` works.
const WITH_SPAWN: &[Mpi] = &[Mpi::OpenMpi, Mpi::OpenMpi5, Mpi::Mpich5, Mpi::Intel];

pub(super) fn facts() -> Vec<Fact> {
    let alike = [
        (
            "attributes_and_their_callbacks_are_those_of_the_world",
            "attributes",
        ),
        (
            "what_communicators_derived_from_the_world_inherit_is_the_same",
            "derived",
        ),
        ("error_handlers_see_the_world", "errors"),
        (
            "handles_have_their_numbers_and_variables_their_objects",
            "handles",
        ),
        ("threads_meet_in_one_world", "threads"),
    ];
    let alike = alike
        .into_iter()
        .flat_map(|(name, program)| under(&Mpi::ALL, name, move |mpi| ends_alike(mpi, program)));
    let groups = [
        under(&Mpi::ALL, "ranks_are_those_of_the_plan", numbers),
        under(&Mpi::KINDS, "an_mpi_out_of_sight_is_found", out_of_sight),
        under(
            &Mpi::KINDS,
            "a_program_with_address_sanitizer_is_renumbered",
            sanitized,
        ),
        under(
            FOLLOWING_THE_WORLD,
            "unset_error_handlers_follow_the_world",
            |mpi| ends_alike(mpi, "unset_handler"),
        ),
        under(&Mpi::ALL, "abort_ends_everything", abort),
        under(&Mpi::KINDS, "standard_input_arrives_at_rank_0", input),
        under(&Mpi::KINDS, "ranks_stay_of_their_program", programs),
        under(
            WITH_SPAWN,
            "children_know_their_parents_new_numbers",
            spawned,
        ),
        under(
            WITH_SESSIONS,
            "sessions_have_the_order_of_the_plan",
            sessions,
        ),
        under(
            WITH_SESSIONS,
            "sessions_after_init_have_its_order",
            sessions_after,
        ),
        under(
            &[Mpi::OpenMpi, Mpi::Mpich, Mpi::Intel],
            "fortran_handles_are_those_of_the_world",
            |mpi| fortran(mpi, "-DMODULE"),
        ),
        under(
            &Mpi::DEBIAN,
            "fortran_2008_handles_are_those_of_the_world",
            |mpi| fortran(mpi, "-DF08"),
        ),
    ];
    alike.chain(groups.into_iter().flatten()).collect()
}

fn numbers(mpi: Mpi) -> Result<()> {
    let program = compile(mpi, "numbers")?;
    let file = tempfile::NamedTempFile::new()?;
    let mut run = Renumbered::program(mpi, &program, &[&file.path().display().to_string()])?;
    must_be_in_order(&run.run_well()?, &ORDER)?;
    let seats = read_seats(&run.seats())?;
    let processes: Vec<u32> = seats.iter().map(|seat| seat.launcher_rank).collect();
    ensure!(processes == ORDER, "{seats:?}");
    let shared = seats
        .iter()
        .all(|seat| seat.shared_with == 0 && seat.host == seats[0].host);
    ensure!(shared && !seats[0].cores.is_unknown(), "{seats:?}");
    let words = std::fs::read(file.path())?;
    let written: Vec<u8> = (0..RANKS).flat_map(u32::to_ne_bytes).collect();
    ensure!(words == written, "the file holds {words:?}");
    Ok(())
}

/// The runtime of AddressSanitizer asks to be loaded before any other library.
fn sanitized(mpi: Mpi) -> Result<()> {
    let compiler = mpi.compiler().with("-fsanitize=address");
    let variant = format!("{}.sanitized", mpi.name());
    let program = program::build(&compiler, "world/numbers.c", &variant)?;
    let file = tempfile::NamedTempFile::new()?;
    let mut run = Renumbered::program(mpi, &program, &[&file.path().display().to_string()])?;
    // MPI libraries leave memory behind.
    run.command.env("ASAN_OPTIONS", "detect_leaks=0");
    must_be_in_order(&run.run_well()?, &ORDER)
}

fn out_of_sight(mpi: Mpi) -> Result<()> {
    let (host, plugin) = hidden(mpi, "numbers")?;
    let mut run = Renumbered::program(mpi, &host, &[&plugin.display().to_string()])?;
    must_be_in_order(&run.run_well()?, &ORDER)
}

/// Fails unless the program prints the same with and without the library.
fn ends_alike(mpi: Mpi, name: &str) -> Result<()> {
    same_output(mpi, &compile(mpi, name)?)
}

fn same_output(mpi: Mpi, program: &std::path::Path) -> Result<()> {
    let plain = mpi.run(RANKS, program, &[])?.success()?;
    let renumbered = Renumbered::program(mpi, program, &[])?.run_well()?;
    let (plain, renumbered) = (sorted(&plain), sorted(&renumbered));
    ensure!(
        !plain.is_empty() && plain == renumbered,
        "{renumbered:?} instead of {plain:?}"
    );
    Ok(())
}

fn fortran(mpi: Mpi, flag: &str) -> Result<()> {
    let compiler = mpi.fortran().context("no Fortran modules")?;
    let variant = format!("{}{flag}", mpi.name());
    same_output(
        mpi,
        &program::build(&compiler.with(flag), "world/handles.F90", &variant)?,
    )
}

fn abort(mpi: Mpi) -> Result<()> {
    let program = compile(mpi, "abort")?;
    let plain = mpi.run(RANKS, &program, &[])?;
    let renumbered = || Renumbered::program(mpi, &program, &[])?.run();
    let renumbered = mpi::until_the_launcher_survives(renumbered)?;
    let statuses = (plain.status, renumbered.status);
    ensure!(
        statuses.0 != 0 && statuses.0 == statuses.1,
        "{statuses:?}\n{}",
        renumbered.stderr
    );
    Ok(())
}

/// The library also rewrites the variables in which the launcher tells a process its rank.
fn input(mpi: Mpi) -> Result<()> {
    let program = compile(mpi, "input")?;
    for rewritten in [false, true] {
        let mut run = Renumbered::program(mpi, &program, &[])?;
        if rewritten {
            run.command.env("RANKFOLD_WORLD_VARIABLES", "1");
        }
        let finished = process::run(&mut run.command, "some words\n")?.success()?;
        let expected: Vec<String> = (0..)
            .zip(ORDER)
            .map(|(rank, process)| {
                format!(
                    "{rank} some words {}",
                    if rewritten { rank } else { process }
                )
            })
            .collect();
        ensure!(sorted(&finished) == expected, "{:?}", finished.stdout);
    }
    Ok(())
}

fn programs(mpi: Mpi) -> Result<()> {
    let program = compile(mpi, "programs")?.display().to_string();
    let mut words = mpi.launch(2, program.as_ref(), &["a"]);
    let second = mpi.launch(3, program.as_ref(), &["b"]);
    words.push(":".into());
    words.extend(second.into_iter().skip_while(|word| word != "-n"));
    let expected = ["0 a 0", "1 a 0", "2 b 1", "3 b 1", "4 b 1"];
    let kept = Renumbered::launch(&words, &plan(&[0, 1, 4, 2, 3]))?.run_well()?;
    ensure!(sorted(&kept) == expected, "{:?}", kept.stdout);
    let shuffled = Renumbered::launch(&words, "rankfold-plan 1 0\nshuffle 4\n")?.run_well()?;
    ensure!(sorted(&shuffled) == expected, "{:?}", shuffled.stdout);
    let refused = Renumbered::launch(&words, &plan(&[0, 2, 1, 3, 4]))?
        .run()?
        .success()?;
    ensure!(sorted(&refused) == expected, "{:?}", refused.stdout);
    let wanted = "rank 1 would become a rank of another program of the launch, or of another number of cores: ranks keep the launcher's numbers";
    ensure!(refused.stderr.contains(wanted), "{}", refused.stderr);
    Ok(())
}

fn spawned(mpi: Mpi) -> Result<()> {
    let program = compile(mpi, "spawned")?;
    let mut run = Renumbered::program(mpi, &program, &[])?;
    mpi::with_network(&mut run.command);
    let finished = run.run_well()?;
    ensure!(
        finished.stdout.trim() == "parents done",
        "{:?}",
        finished.stdout
    );
    Ok(())
}

fn sessions(mpi: Mpi) -> Result<()> {
    let program = compile(mpi, "sessions")?;
    must_be_in_order(
        &Renumbered::program(mpi, &program, &[])?.run_well()?,
        &ORDER,
    )?;
    // No rank can be asked for its host before there is a world, so the library cannot use a plan
    // that names hosts alone.
    let text =
        "rankfold-plan 1 4\nhost 0 +\nrank 0 0 - -\nrank 1 0 - -\nrank 2 0 - -\nrank 3 0 - -\n";
    let finished = Renumbered::launch(&mpi.launch(RANKS, &program, &[]), text)?
        .run()?
        .success()?;
    must_be_in_order(&finished, &[0, 1, 2, 3])?;
    let number = finished
        .stderr
        .matches("its ranks keep the launcher's numbers")
        .count();
    ensure!(number == 1, "{}", finished.stderr);
    Ok(())
}

fn sessions_after(mpi: Mpi) -> Result<()> {
    let program = compile(mpi, "sessions")?;
    must_be_in_order(
        &Renumbered::program(mpi, &program, &["after"])?.run_well()?,
        &ORDER,
    )
}
