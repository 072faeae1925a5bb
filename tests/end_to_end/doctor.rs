//! `rankfold doctor` under every MPI library: `rankfold` runs as the ranks of the launch, and
//! reports what is wrong with the launcher or the MPI library.

use crate::fact::{Fact, Need, fact};
use anyhow::{Result, ensure};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::process::{self, Finished};
use rankfold_tests::{program, rankfold};
use std::fs;
use std::process::Command;

const HOSTS: &str = "fake:3";
/// The daemons of Open MPI 5 need a network interface besides the loopback.
const NETWORK: &str = "tree:1x3@1e8,1e8";

pub(crate) fn facts() -> Vec<Fact> {
    let healthy = Mpi::ALL.map(|mpi| {
        fact(
            format!(
                "doctor::ranks_and_collectives_are_well_under_{}",
                mpi.name()
            ),
            &[Need::Mpi(mpi)],
            move || is_well(mpi),
        )
    });
    let cores = [Mpi::OpenMpi, Mpi::OpenMpi5].map(|mpi| {
        fact(
            format!(
                "doctor::ranks_that_rankfold_places_keep_the_users_cores_under_{}",
                mpi.name()
            ),
            &[Need::Mpi(mpi), Need::Cluster(NETWORK)],
            move || cores_are_kept(mpi),
        )
    });
    let fast_paths = [Mpi::OpenMpi, Mpi::Mpich].map(|mpi| {
        fact(
            format!(
                "doctor::a_fast_path_of_the_world_alone_is_kept_from_then_on_under_{}",
                mpi.name()
            ),
            &[Need::Mpi(mpi)],
            move || fast_path_is_kept(mpi),
        )
    });
    let others = vec![
        fact(
            "doctor::the_wrong_data_of_open_mpi_5_under_an_irregular_rankfile_is_caught",
            &[Need::Mpi(Mpi::OpenMpi5), Need::Cluster(NETWORK)],
            wrong_data_is_caught,
        ),
        fact(
            "doctor::open_mpi_5_is_well_where_rankfold_places_the_same_ranks",
            &[Need::Mpi(Mpi::OpenMpi5), Need::Cluster(NETWORK)],
            our_placement_is_well,
        ),
        fact(
            "doctor::ranks_of_a_host_that_mpich_takes_for_several_are_told",
            &[Need::Mpi(Mpi::Mpich), Need::Cluster(HOSTS)],
            lost_shared_memory_is_told,
        ),
        fact(
            "doctor::a_library_of_another_mpi_than_the_launchers_is_told",
            &[Need::Mpi(Mpi::OpenMpi), Need::Mpi(Mpi::Mpich)],
            another_mpi_is_told,
        ),
        fact(
            "doctor::input_that_is_bad_is_refused_with_status_2",
            &[Need::Mpi(Mpi::OpenMpi)],
            bad_input,
        ),
    ];
    let all = healthy.into_iter().chain(cores).chain(fast_paths);
    all.chain(others).collect()
}

/// The launcher and its options without a program.
fn launch(mpi: Mpi, ranks: u32) -> Vec<String> {
    let mut words = mpi.launch(ranks, "program".as_ref(), &[]);
    words.pop();
    words
}

/// `rankfold doctor ARGS -- LAUNCH`.
fn doctor(args: &[&str], launch: &[String]) -> Result<Finished> {
    let mut command = rankfold::command(&["doctor", "--time", "60"]);
    command.args(args).arg("--").args(launch);
    process::run(&mut command, "")
}

fn is_well(mpi: Mpi) -> Result<()> {
    let library = match mpi {
        Mpi::Mpich5Abi | Mpi::IntelAbi => {
            let root = mpi.environment().unwrap_or_default();
            Some(root.join("lib/libmpi_abi.so.1").display().to_string())
        }
        _ => None,
    };
    let scratch = tempfile::tempdir()?;
    let findings = scratch.path().join("findings.json").display().to_string();
    let mut args = vec!["--json", &findings];
    args.extend(library.iter().flat_map(|path| ["--mpi", path]));
    let found = doctor(&args, &launch(mpi, 5))?.success()?;
    for phrase in ["ranks 0-4", "11 kinds, every one of 5 roots", "healthy"] {
        ensure!(
            found.stdout.contains(phrase),
            "no {phrase:?}: {}",
            found.stdout
        );
    }
    let own = mpi.environment().unwrap_or_else(|| "/usr".into());
    let own = own.canonicalize()?.display().to_string();
    ensure!(
        found.stdout.contains(&format!("({own}/")) || library.is_some(),
        "not the launcher's own library: {}",
        found.stdout
    );
    Ok(())
}

/// A library that is slow on every communicator but the world: that is measured once, and later
/// runs do not renumber ranks.
fn fast_path_is_kept(mpi: Mpi) -> Result<()> {
    let slow = program::compile_shared(mpi, "slow_elsewhere")?;
    let seat = program::compile(mpi, "seat")?;
    let scratch = tempfile::tempdir()?;
    let map = scratch.path().join("map");
    let here = fs::read_to_string("/proc/sys/kernel/hostname")?;
    fs::write(&map, format!("{}:2\n", here.trim()))?;
    let run = |command: &mut Command| {
        process::run(command.env("XDG_CACHE_HOME", scratch.path()), "")?.success()
    };
    let dry = || {
        let map = map.display().to_string();
        let mut command = rankfold::command(&["run", "--dry-run", "--map", &map, "--"]);
        run(command.args(mpi.launch(2, &seat, &[])))
    };
    let before = dry()?;
    ensure!(
        before.stderr.contains("by renumbering"),
        "{}",
        before.stderr
    );
    // A machine that is too busy leaves no time for enough rounds.
    let is_told = || -> Result<bool> {
        let mut command = rankfold::command(&["doctor", "--time", "60", "--"]);
        command.args(launch(mpi, 2)).env("LD_PRELOAD", &slow);
        let text = run(&mut command)?.words();
        Ok(text.contains("slower on renumbered ranks: MPI_Allreduce"))
    };
    let mut tries = (0..5).map(|_| is_told());
    ensure!(
        tries.any(|text| text.is_ok_and(|text| text)),
        "it is not told"
    );
    let after = dry()?;
    let text = "slower on renumbered ranks";
    let is_renumbered = after.stderr.contains("by renumbering");
    ensure!(
        !is_renumbered && after.stderr.contains(text),
        "{}",
        after.stderr
    );
    let mut installation = rankfold::command(&["doctor"]);
    let shown = process::run(installation.env("XDG_CACHE_HOME", scratch.path()), "")?;
    ensure!(shown.words().contains(text), "{}", shown.stdout);
    Ok(())
}

/// Runs `rankfold ARGUMENTS` on a cluster of three hosts, with ranks on hosts 0, 1, 1, 0, 2, 2: the
/// smallest case in which collectives of Open MPI 5 deliver wrong data.
fn irregular(arguments: impl Fn(&Cluster) -> Result<Vec<String>>) -> Result<Finished> {
    let cluster = Cluster::up(NETWORK)?;
    let agent = format!("PRTE_MCA_plm_ssh_agent={}", cluster.path("agent").display());
    let binary = rankfold::binary().display().to_string();
    let mut words = vec!["env".to_owned(), agent];
    words.extend(["PRTE_MCA_plm_ssh_no_tree_spawn=1".into(), binary]);
    words.extend(arguments(&cluster)?);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    process::run(&mut cluster.command(&words), "")
}

const OF_RANK: [usize; 6] = [0, 1, 1, 0, 2, 2];

fn wrong_data_is_caught() -> Result<()> {
    let found = irregular(|cluster| {
        let hosts = cluster.hosts()?;
        let (slots, map) = (cluster.path("slots"), cluster.path("rankfile"));
        let lines = hosts.iter().map(|host| format!("{host} slots=2\n"));
        fs::write(&slots, lines.collect::<String>())?;
        let lines = OF_RANK.iter().enumerate();
        let lines = lines.map(|(rank, host)| format!("rank {rank}={}\n", hosts[*host]));
        fs::write(&map, lines.collect::<String>())?;
        let launcher = Mpi::OpenMpi5.launcher();
        let (slots, map) = (slots.display(), map.display());
        let words = format!(
            "doctor --time 60 -- {launcher} -n 6 --hostfile {slots} --map-by rankfile:file={map}"
        );
        Ok(words.split(' ').map(str::to_owned).collect())
    })?;
    ensure!(found.status == 1, "status {}: {found:?}", found.status);
    for phrase in [
        "wrong data: MPI_Gather with root",
        "wrong data: MPI_Scatter with root",
    ] {
        ensure!(found.words().contains(phrase), "no {phrase:?}: {found:?}");
    }
    ensure!(
        !found.stdout.contains("wrong data: MPI_Alltoall"),
        "{found:?}"
    );
    Ok(())
}

fn our_placement_is_well() -> Result<()> {
    let found = irregular(|cluster| {
        let map = cluster.path("nodes");
        let lines = OF_RANK.map(|host| format!("{host}\n"));
        fs::write(&map, lines.concat())?;
        let (map, hosts) = (map.display(), cluster.hosts_file());
        let (hosts, launcher) = (hosts.display(), Mpi::OpenMpi5.launcher());
        let words = format!("doctor --time 60 --map {map} --hosts {hosts} -- {launcher} -n 6");
        Ok(words.split(' ').map(str::to_owned).collect())
    })?
    .success()?;
    for phrase in ["placement verified 6/6", "healthy"] {
        ensure!(found.words().contains(phrase), "no {phrase:?}: {found:?}");
    }
    Ok(())
}

/// Each of three hosts has two cores and gets one rank. The user asks for both cores for every
/// rank, or for one core.
fn cores_are_kept(mpi: Mpi) -> Result<()> {
    for (each, cores) in [(2, "cores 0-1"), (1, "cores 0\n")] {
        let found = irregular(|cluster| {
            let map = cluster.path("nodes");
            fs::write(&map, "2\n0\n1\n")?;
            let (map, hosts) = (map.display(), cluster.hosts_file());
            let (hosts, launcher) = (hosts.display(), mpi.launcher());
            let words = format!(
                "doctor --time 60 --map {map} --hosts {hosts} -- env -u PRTE_MCA_hwloc_default_binding_policy -u OMPI_MCA_hwloc_base_binding_policy {launcher} --map-by node:PE={each} -n 3"
            );
            Ok(words.split(' ').map(str::to_owned).collect())
        })?
        .success()?;
        ensure!(found.stdout.contains("placement verified 3/3"), "{found:?}");
        ensure!(
            found.stdout.matches(cores).count() == 3,
            "no {cores:?}: {found:?}"
        );
    }
    Ok(())
}

fn lost_shared_memory_is_told() -> Result<()> {
    let cluster = Cluster::up(HOSTS)?;
    let hosts = cluster.path("repeated");
    fs::write(&hosts, "n000\nn001\nn000\nn001\n")?;
    let hosts = hosts.display().to_string();
    let found = cluster.rankfold(&[
        "doctor",
        "--time",
        "60",
        "--",
        &Mpi::Mpich.launcher(),
        "-n",
        "4",
        "-f",
        &hosts,
    ])?;
    ensure!(found.status == 1, "status {}: {found:?}", found.status);
    ensure!(
        found.words().contains("does not let it share memory"),
        "{found:?}"
    );
    Ok(())
}

fn another_mpi_is_told() -> Result<()> {
    let found = doctor(&["--mpi", "libmpich.so.12"], &launch(Mpi::OpenMpi, 3))?;
    ensure!(found.status == 1, "status {}: {found:?}", found.status);
    let expected = "the launcher has started 3 ranks, and each is a world of its own";
    ensure!(found.words().contains(expected), "{found:?}");
    let found = doctor(&["--mpi", "/no/such/libmpi.so"], &launch(Mpi::OpenMpi, 2))?;
    ensure!(found.status == 1, "status {}: {found:?}", found.status);
    ensure!(found.stdout.contains("/no/such/libmpi.so"), "{found:?}");
    Ok(())
}

fn bad_input() -> Result<()> {
    let two = launch(Mpi::OpenMpi, 2);
    let cases: [(&[&str], &[String], &str); 4] = [
        (&[], &["nobody".into()], "nobody: there is no such command"),
        (&["--map", "/no/map"], &two, "/no/map"),
        (&["--json", "/no/such/file"], &two, "/no/such/file"),
        (&["--time", "0"], &two, "--time"),
    ];
    for (args, launch, expected) in cases {
        let mut command = rankfold::command(&["doctor"]);
        command.args(args).arg("--").args(launch);
        let found = process::run(mpi::environment(&mut command), "")?;
        ensure!(found.status == 2, "status {}: {found:?}", found.status);
        ensure!(
            found.stderr.contains(expected),
            "no {expected:?}: {found:?}"
        );
    }
    Ok(())
}
