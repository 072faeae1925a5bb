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
        on_open_mpi("on_one_host_no_network_is_missed", one_host),
        on_open_mpi(
            "clients_of_slurm_without_slurm_are_not_mentioned",
            only_clients_of_slurm,
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
    let told = run.stderr.matches("remembered: ").count();
    ensure!(told == 1, "{}", run.stderr);
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
