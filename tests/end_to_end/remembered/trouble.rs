//! Bad input, damaged files and places that cannot be written to: what the user is told, and that
//! the program runs once and with its own exit status.

use super::*;

pub(super) fn facts() -> Vec<Fact> {
    vec![
        on_open_mpi(
            "a_damaged_profile_is_replaced_by_the_next_run",
            damaged_profile,
        ),
        on_open_mpi(
            "a_cache_that_cannot_be_written_is_told_once_and_with_its_place",
            no_place_for_the_cache,
        ),
        on_open_mpi(
            "hosts_of_another_machine_are_refused_before_the_launch",
            hosts_of_another_machine,
        ),
        on_open_mpi("every_launch_of_a_job_script_is_mapped", job_script),
        fact(
            "remembered::an_older_profile_is_set_aside_where_a_program_leaves_none",
            &[Need::Mpi(Mpi::OpenMpi)],
            older_profile,
        ),
        fact(
            "remembered::a_launcher_that_starts_no_rank_is_quoted_once_and_leaves_nothing",
            &[],
            no_controller,
        ),
        on_open_mpi("on_one_host_no_network_is_missed", one_host),
        on_open_mpi(
            "clients_of_slurm_without_slurm_are_not_mentioned",
            only_clients_of_slurm,
        ),
        slurm::on_slurm(
            "the_doctor_names_the_option_that_srun_lacks",
            srun_without_mpi,
        ),
    ]
}

fn damaged_profile() -> Result<()> {
    let job = Job::new()?;
    job.run(&[])?.success()?;
    let (entry, _) = job.entry()?;
    let profile = entry.with_file_name("profile.rfp");
    let bytes = fs::read(&profile)?;
    fs::write(&profile, &bytes[..bytes.len() / 2])?;
    let healed = job.run(&[])?.success()?;
    must_say(
        &healed,
        &[
            "the program is profiled anew",
            "in communication with the map",
        ],
    )?;
    must_say(&job.run(&[])?.success()?, &["placement verified 8/8"])
}

fn no_place_for_the_cache() -> Result<()> {
    let job = Job::new()?;
    // A directory cannot be made below a file.
    let place = job.path("site.toml");
    let site = job.path("site.toml");
    let variables = [("RANKFOLD_TOPOLOGY", &*site), ("XDG_CACHE_HOME", &*place)];
    let run = job.run_with(&variables, &[])?.success()?;
    must_say(
        &run,
        &[
            "nothing is remembered",
            "site.toml/rankfold",
            "the next run is profiled again",
        ],
    )?;
    let number = run.stderr.matches("remembered: ").count();
    ensure!(number == 1, "{}", run.stderr);
    ensure!(
        !run.stderr.contains("the next run uses it"),
        "{}",
        run.stderr
    );
    Ok(())
}

fn hosts_of_another_machine() -> Result<()> {
    let job = Job::new()?;
    let program = job.program.display().to_string();
    let binary = rankfold::binary().display().to_string();
    // Without a list of hosts, all ranks would run on the login node.
    let words = [
        &*binary,
        "run",
        "--machine",
        "torus:2",
        "--hosts",
        "n000,n001",
        "--",
        "mpirun.openmpi",
        "-n",
        "2",
        &program,
        "1",
        "2",
        "100",
        "1",
    ];
    let refused = process::run(&mut job.cluster.command(&words), "")?;
    ensure!(
        refused.status == 2 && refused.stdout.is_empty(),
        "{refused:?}"
    );
    must_say(&refused, &["has no host login"])
}

fn job_script() -> Result<()> {
    let job = Job::new()?;
    let script = job.path("job.sh");
    let launch = job.launch().join(" ");
    fs::write(&script, format!("cd {}\n{launch}\nexit 7\n", job.path(".")))?;
    let binary = rankfold::binary().display().to_string();
    let run = |options: &[&str]| -> Result<Finished> {
        let words = [&[&*binary, "run"], options, &["--", "bash", &*script]].concat();
        let mut command = job.cluster.command(&words);
        command.env("RANKFOLD_TOPOLOGY", job.path("site.toml"));
        let run = process::run(&mut command, "")?;
        Ok(run)
    };
    let first = run(&[])?;
    ensure!(first.status == 7, "the script's status: {first:?}");
    must_say(&first, &["in communication with the map"])?;
    must_say(&run(&[])?, &["placement verified 8/8"])?;
    let refused = run(&["--json", "figures.json"])?;
    ensure!(refused.status == 2, "{refused:?}");
    must_say(&refused, &["--json", "a script may have several launches"])
}

fn older_profile() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("app.rfp");
    fs::write(&output, "of an earlier run")?;
    let run = |program: &str| {
        let words = [
            "profile",
            "-o",
            "app.rfp",
            "--",
            "mpirun.openmpi",
            "-n",
            "1",
            program,
        ];
        process::run(rankfold::command(&words).current_dir(scratch.path()), "")
    };
    let mistyped = run("./no-such-program")?;
    ensure!(mistyped.status != 0, "{mistyped:?}");
    must_say(
        &mistyped,
        &["no profile was written", "app.rfp is of an earlier run"],
    )?;
    let stays = fs::read_to_string(&output)?;
    ensure!(stays == "of an earlier run", "{stays}");
    let silent = run("true")?.success()?;
    must_say(&silent, &["no profile was written", "app.rfp.old"])?;
    ensure!(
        !output.exists(),
        "a later command would take it for the profile of this run"
    );
    let aside = fs::read_to_string(scratch.path().join("app.rfp.old"))?;
    ensure!(aside == "of an earlier run", "{aside}");
    Ok(())
}

/// A Slurm whose controller does not answer.
fn no_controller() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let srun = scratch.path().join("srun");
    let said = "srun: error: Unable to contact slurm controller";
    fs::write(&srun, format!("#!/bin/sh\necho {said} >&2\nexit 1\n"))?;
    fs::set_permissions(&srun, fs::Permissions::from_mode(0o755))?;
    let path = format!("{}:{}", scratch.path().display(), std::env::var("PATH")?);
    for command in ["run", "profile"] {
        let mut rankfold = rankfold::command(&[command, "--", "srun", "-n", "2", "./app"]);
        rankfold.current_dir(scratch.path()).env("PATH", &path);
        let run = process::run(&mut rankfold, "")?;
        ensure!(run.status == 1, "{run:?}");
        ensure!(run.stderr.matches(said).count() == 1, "{}", run.stderr);
        for untrue in ["recover", "--after"] {
            ensure!(!run.stderr.contains(untrue), "{}", run.stderr);
        }
    }
    let left: Vec<_> = fs::read_dir(scratch.path())?.collect();
    ensure!(left.len() == 1, "{left:?}");
    Ok(())
}

fn one_host() -> Result<()> {
    let job = Job::new()?;
    fs::write(job.path("allocation"), "n000 slots=8\n")?;
    for _ in 0..2 {
        let run = job.run_with(&[], &[])?.success()?;
        must_say(&run, &["all ranks are on one host"])?;
        for untrue in ["rankfold probe", "1 hosts", "no source knows"] {
            ensure!(!run.stderr.contains(untrue), "{}", run.stderr);
        }
    }
    Ok(())
}

/// The clients of Slurm are installed, and no Slurm runs.
fn only_clients_of_slurm() -> Result<()> {
    let job = Job::new()?;
    let tools = job.cluster.path("tools");
    fs::create_dir(&tools)?;
    let scontrol = tools.join("scontrol");
    fs::write(&scontrol, "#!/bin/sh\nexit 1\n")?;
    fs::set_permissions(&scontrol, fs::Permissions::from_mode(0o755))?;
    let path = format!("{}:{}", tools.display(), std::env::var("PATH")?);
    let run = job.run_with(&[("PATH", &path)], &[])?.success()?;
    ensure!(!run.stderr.contains("scontrol"), "{}", run.stderr);
    Ok(())
}

fn srun_without_mpi() -> Result<()> {
    let cluster = Cluster::shared(slurm::CLUSTER)?;
    let found =
        cluster.rankfold(&["doctor", "--time", "60", "--", "srun", "-n", "2", "-N", "2"])?;
    ensure!(found.status == 1, "{found:?}");
    ensure!(
        found.words().contains("srun is given no --mpi"),
        "{found:?}"
    );
    Ok(())
}
