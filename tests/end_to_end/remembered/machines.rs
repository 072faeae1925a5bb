//! Which machine a map is made for: networks that become known, machines that are given, measured,
//! edited and forgotten, and clusters that share a cache.

use super::*;

/// A cluster whose login node has network interfaces of its own.
const NETWORK: &str = "torus:2x2@1e8,1e8";

pub(super) fn facts() -> Vec<Fact> {
    vec![
        on_open_mpi(
            "a_network_that_becomes_known_is_mapped_from_then_on",
            becomes_known,
        ),
        on_open_mpi("a_probe_takes_effect_in_the_next_run", is_probed),
        on_open_mpi(
            "a_machine_once_given_is_used_until_it_is_forgotten",
            is_given,
        ),
        on_open_mpi("a_machine_file_that_is_edited_gives_another_map", is_edited),
        on_open_mpi(
            "of_islands_in_a_topology_file_that_of_the_job_is_the_machine",
            islands,
        ),
        fact(
            "remembered::two_clusters_with_the_same_host_names_share_nothing",
            &[Need::Mpi(Mpi::OpenMpi), Need::Cluster(NETWORK)],
            two_clusters,
        ),
    ]
}

/// The beginning of a line of `rankfold cache list` about a machine: the name of the machine.
fn machine_named(job: &Job, source: &str) -> Result<String> {
    let listed = job.cluster.rankfold(&["cache", "list"])?.success()?.stdout;
    let entries = listed.replace("\n    ", " ");
    let line = entries
        .lines()
        .find(|line| line.contains("  machine, ") && line.contains(source));
    let line = line.with_context(|| format!("no machine of {source} in {listed}"))?;
    let name = line.split_whitespace().next();
    Ok(name.context("an empty line")?.to_owned())
}

fn becomes_known() -> Result<()> {
    let job = Job::new()?;
    let first = job.run_with(&[], &[])?.success()?;
    must_say(
        &first,
        &[
            "no source knows the network",
            "rankfold probe -- mpirun.openmpi -n 8 --hostfile",
        ],
    )?;
    let again = job.run_with(&[], &[])?.success()?;
    must_say(
        &again,
        &["the order as launched is used: no source knows the network"],
    )?;
    ensure!(
        !again.stderr.contains("rankfold probe"),
        "it is told once: {}",
        again.stderr
    );
    let known = job.run(&[])?.success()?;
    must_say(
        &known,
        &[
            "no source knew the network when the map was made, and one does now",
            "site.toml (RANKFOLD_TOPOLOGY)",
            "placement verified 8/8",
        ],
    )?;
    // A source that is silent later takes nothing back.
    let silent = job.run_with(&[], &[])?.success()?;
    must_say(&silent, &["placement verified 8/8"])?;
    ensure!(!silent.stderr.contains("made anew"), "{}", silent.stderr);
    Ok(())
}

/// The hosts of the cluster are names of one machine, so a real probe finds no structure: what it
/// has stored is replaced by a torus.
fn is_probed() -> Result<()> {
    let job = Job::new()?;
    job.run_with(&[], &[])?.success()?;
    let binary = rankfold::binary().display().to_string();
    let output = job.path("machine.toml");
    let launch = job.launch();
    let mut words = vec![&*binary, "probe", "--time", "3", "-o", &*output, "--"];
    words.extend(launch.iter().map(String::as_str));
    process::run(
        job.cluster.command(&words).env("RANKFOLD_CLUSTER", CLUSTER),
        "",
    )?
    .success()?;
    let name = machine_named(&job, "rankfold probe")?;
    let stored = job
        .cluster
        .path(&format!("cache/rankfold/2/machines/{name}.toml"));
    let text = fs::read_to_string(&stored)?;
    let head: Vec<&str> = text.lines().take(3).collect();
    let torus = fs::read_to_string(job.path("site.toml"))?;
    fs::write(&stored, head.join("\n") + "\n" + &torus)?;
    let mapped = job.run_with(&[], &[])?.success()?;
    must_say(
        &mapped,
        &["what a probe has measured of n#", "placement verified 8/8"],
    )
}

fn is_given() -> Result<()> {
    let job = Job::new()?;
    job.run_with(&[], &[])?.success()?;
    let site = job.path("site.toml");
    let given = job.run_with(&[], &["--machine", &site])?.success()?;
    must_say(
        &given,
        &["later runs on n# use --machine", "placement verified 8/8"],
    )?;
    let later = job.run_with(&[], &[])?.success()?;
    must_say(&later, &["placement verified 8/8"])?;
    ensure!(
        !later.stderr.contains("made anew"),
        "the same machine: {}",
        later.stderr
    );
    let name = machine_named(&job, "--machine")?;
    job.cluster
        .rankfold(&["cache", "clear", "--machine", &name])?
        .success()?;
    let forgotten = job.run_with(&[], &[])?.success()?;
    must_say(
        &forgotten,
        &["the order as launched is used: no source knows the network"],
    )?;
    let unknown = job
        .cluster
        .rankfold(&["cache", "clear", "--machine", &name])?;
    ensure!(unknown.status == 2, "{unknown:?}");
    Ok(())
}

fn is_edited() -> Result<()> {
    let job = Job::new()?;
    job.run(&[])?.success()?;
    must_say(&job.run(&[])?.success()?, &["placement verified 8/8"])?;
    let site = fs::read_to_string(job.path("site.toml"))?;
    let edited = site.replace("torus:4x3", "torus:6x2");
    fs::write(job.path("site.toml"), "# corrected\n".to_owned() + &edited)?;
    let corrected = job.run(&[])?.success()?;
    must_say(
        &corrected,
        &[
            "told otherwise than when the map was made",
            "placement verified 8/8",
        ],
    )?;
    fs::write(job.path("site.toml"), edited)?;
    let comment = job.run(&[])?.success()?;
    ensure!(
        !comment.stderr.contains("made anew"),
        "a comment: {}",
        comment.stderr
    );
    // The list of `--hosts` is part of the machine, too.
    let mut hosts = job.cluster.hosts()?;
    let list = job.path("list");
    let machine = ["--machine", "torus:4x3", "--hosts", &list];
    fs::write(&list, hosts.join("\n"))?;
    job.run(&machine)?.success()?;
    hosts.swap(1, 6);
    fs::write(&list, hosts.join("\n"))?;
    let swapped = job.run(&machine)?.success()?;
    must_say(
        &swapped,
        &[
            "told otherwise than when the map was made",
            "placement verified 8/8",
        ],
    )
}

/// Two islands of Slurm, one of two racks and one of one, which nothing joins.
fn islands() -> Result<()> {
    let job = Job::new()?;
    let topology = job.path("topology.conf");
    fs::write(
        &topology,
        "SwitchName=large Switches=rack[0-1]\nSwitchName=rack0 Nodes=n[000-003]\n\
         SwitchName=rack1 Nodes=n[004-007]\nSwitchName=small Nodes=n[008-011]\n",
    )?;
    let hosts = |numbers: &[usize]| {
        let lines = numbers
            .iter()
            .map(|number| format!("n{number:03} slots=1\n"));
        fs::write(job.path("allocation"), lines.collect::<String>())
    };
    let run = || job.run_with(&[], &["--machine", &topology]);
    hosts(&[0, 4, 1, 5, 2, 6, 3, 7])?;
    let one = run()?.success()?;
    must_say(
        &one,
        // Up-links of unknown width are non-blocking, so that no order gains.
        &["topology.conf", "8 hosts", "the launcher's order stays"],
    )?;
    hosts(&[0, 4, 8, 5, 9, 6, 10, 7])?;
    let both = run()?;
    ensure!(both.status == 2 && both.stdout.is_empty(), "{both:?}");
    must_say(
        &both,
        &[
            "topology.conf:4: no path joins large,",
            "which is above n000",
            "above n008",
        ],
    )?;
    let joined = job.path("joined.conf");
    let text = format!("include {topology}\nSwitchName=all Switches=large,small\n");
    fs::write(&joined, text)?;
    let all = job.run_with(&[], &["--machine", &joined])?.success()?;
    must_say(&all, &["joined.conf", "12 hosts"])
}

/// Two clusters with hosts of the same names use one cache.
fn two_clusters() -> Result<()> {
    let [one, other] = [Cluster::up(NETWORK)?, Cluster::up(NETWORK)?];
    let program = program::compile(Mpi::OpenMpi, "stencil2d")?
        .display()
        .to_string();
    let cache = one.path("cache").display().to_string();
    for cluster in [&one, &other] {
        let hosts = cluster.hosts()?;
        let lines: String = hosts
            .iter()
            .map(|host| format!("{host} slots=1\n"))
            .collect();
        fs::write(cluster.path("allocation"), lines)?;
    }
    let run = |cluster: &Cluster, name: Option<&str>| -> Result<Finished> {
        let hosts = cluster.path("allocation").display().to_string();
        let binary = rankfold::binary().display().to_string();
        let words = [
            &*binary,
            "run",
            "--",
            "mpirun.openmpi",
            "-n",
            "4",
            "--hostfile",
            &hosts,
            &program,
            "2",
            "2",
            "1000",
            "3",
        ];
        let mut command = cluster.command(&words);
        command.env("XDG_CACHE_HOME", &cache);
        command.envs(name.map(|name| ("RANKFOLD_CLUSTER", name)));
        process::run(&mut command, "")?.success()
    };
    let is_first = |run: &Finished| run.stderr.contains("4 ranks on 4 hosts");
    let first = run(&one, None)?;
    ensure!(is_first(&first), "nothing is known: {}", first.stderr);
    ensure!(!is_first(&run(&one, None)?), "this cluster is known");
    ensure!(is_first(&run(&other, None)?), "the other one is not");
    ensure!(
        is_first(&run(&one, Some("big"))?),
        "nobody has used this name"
    );
    ensure!(
        !is_first(&run(&other, Some("big"))?),
        "the site says that they are one"
    );
    Ok(())
}
