//! Jobs whose hosts Slurm chooses when they start.

use super::*;

/// A cluster of four hosts with Slurm.
pub(super) const CLUSTER: &str = "slurm+fake:4";

/// A test under Open MPI on [`CLUSTER`].
pub(super) fn on_slurm(name: &str, check: fn() -> Result<()>) -> Fact {
    let needs = [Need::Mpi(Mpi::OpenMpi), Need::Cluster(CLUSTER)];
    fact(format!("remembered::{name}"), &needs, check)
}

pub(super) fn facts() -> Vec<Fact> {
    vec![
        on_slurm(
            "a_map_goes_to_other_hosts_where_one_of_its_own_is_drained",
            drained,
        ),
        on_slurm(
            "each_number_of_hosts_that_is_asked_for_has_a_map_of_its_own",
            other_shape,
        ),
        on_slurm(
            "a_map_keeps_the_number_of_hosts_inside_a_larger_allocation",
            fewer_hosts_than_the_allocation,
        ),
        on_slurm(
            "a_task_prolog_profiles_launches_until_it_is_switched_off",
            task_prolog,
        ),
    ]
}

/// Six ranks, two on each of three hosts, of a ring of four hosts.
struct SlurmJob {
    cluster: Cluster,
    program: String,
}

impl SlurmJob {
    fn new() -> Result<Self> {
        let cluster = Cluster::up(CLUSTER)?;
        let hosts = cluster.hosts()?;
        let site = format!("network = \"torus:4\"\nhosts = {hosts:?}\n");
        fs::write(cluster.path("site.toml"), site)?;
        let program = program::compile(Mpi::OpenMpi, "stencil2d")?;
        Ok(Self {
            cluster,
            program: program.display().to_string(),
        })
    }

    /// `rankfold run -- srun SRUN stencil2d GRID`.
    fn run(&self, srun: &str, grid: &str) -> Result<Finished> {
        let binary = rankfold::binary().display().to_string();
        let line = format!(
            "srun --quiet --mpi=pmix --time=2 {srun} {} {grid} 1000 3",
            self.program
        );
        let mut words = vec![&*binary, "run", "--"];
        words.extend(line.split_whitespace());
        let mut command = self.cluster.command(&words);
        command.env("RANKFOLD_TOPOLOGY", self.cluster.path("site.toml"));
        process::run(&mut command, "")?.success()
    }
}

fn drained() -> Result<()> {
    let job = SlurmJob::new()?;
    let run = || job.run("-N 3 --ntasks-per-node=2 -n 6", "2 3");
    must_say(&run()?, &["6 ranks on 3 hosts", "with the map"])?;
    must_say(&run()?, &["placement verified 6/6"])?;
    let first = job.cluster.hosts()?[0].clone();
    let node = format!("nodename={first}");
    let drain = ["scontrol", "update", &*node, "state=drain", "reason=test"];
    process::run(&mut job.cluster.command(&drain), "")?.success()?;
    let elsewhere = run()?;
    must_say(&elsewhere, &["placement verified 6/6"])?;
    let phrases = [
        "on other hosts than the map names",
        "of a map solved anew for these hosts",
    ];
    ensure!(
        phrases.iter().any(|text| elsewhere.stderr.contains(text)),
        "{}",
        elsewhere.stderr
    );
    Ok(())
}

fn other_shape() -> Result<()> {
    let job = SlurmJob::new()?;
    let of = |hosts: u32| job.run(&format!("-n 8 -N {hosts}"), "2 4");
    must_say(&of(4)?, &["8 ranks on 4 hosts"])?;
    must_say(&of(2)?, &["8 ranks on 2 hosts"])?;
    let a_host = job.run("-n 8 --ntasks-per-node=8", "2 4")?;
    must_say(&a_host, &["8 ranks on 1 host", "nothing to place"])?;
    let again = of(4)?;
    ensure!(
        !again.stderr.contains("8 ranks on"),
        "it is known: {}",
        again.stderr
    );
    let listed = job.cluster.rankfold(&["cache", "list"])?.success()?.stdout;
    let entries = listed.lines().filter(|line| line.starts_with("stencil2d."));
    ensure!(entries.count() == 3, "{listed}");
    // The cluster has the name that Slurm's configuration gives it.
    let maps = job.cluster.path("cache/rankfold/2/maps");
    for entry in fs::read_dir(maps)? {
        let entry: Value = serde_json::from_slice(&fs::read(entry?.path().join("entry.json"))?)?;
        ensure!(entry["key"]["cluster"] == "rankfold", "{entry}");
    }
    Ok(())
}

/// Inside an allocation of all hosts, the map keeps the number of hosts that the user gives.
fn fewer_hosts_than_the_allocation() -> Result<()> {
    let job = SlurmJob::new()?;
    let binary = rankfold::binary().display().to_string();
    let step = format!(
        "{binary} run -- srun --quiet --mpi=pmix -n 6 -N 3 --ntasks-per-node=2 {} 2 3 1000 3",
        job.program
    );
    let both = format!("{step} && {step}");
    // Two slots on every host: in a job with fewer, srun itself does not start two ranks there.
    let words = [
        "salloc",
        "--quiet",
        "-N",
        "4",
        "--ntasks-per-node=2",
        "sh",
        "-c",
        &*both,
    ];
    let mut command = job.cluster.command(&words);
    command.env("RANKFOLD_TOPOLOGY", job.cluster.path("site.toml"));
    let run = process::run(&mut command, "")?.success()?;
    must_say(&run, &["6 ranks on 3 hosts", "placement verified 6/6"])?;
    let maps = job.cluster.path("cache/rankfold/2/maps");
    let entry = fs::read_dir(maps)?
        .next()
        .context("no map is remembered")??;
    let entry: Value = serde_json::from_slice(&fs::read(entry.path().join("entry.json"))?)?;
    let hosts = entry["map"].as_array().context("no map")?.iter();
    let mut hosts: Vec<&str> = hosts.filter_map(Value::as_str).collect();
    hosts.sort_unstable();
    let of_host: Vec<usize> = hosts.chunk_by(|a, b| a == b).map(<[&str]>::len).collect();
    ensure!(of_host == [2, 2, 2], "{entry}");
    Ok(())
}

/// The lines of the site's administrator, with the files of this cluster.
fn install_prolog(cluster: &Cluster) -> Result<PathBuf> {
    let profiles = cluster.path("profiles");
    let site = cluster.path("site.toml");
    fs::write(&site, format!("fleet = \"{}/$USER\"\n", profiles.display()))?;
    let prolog = cluster.path("prolog");
    let script = format!(
        "#!/bin/sh\nRANKFOLD_SITE_CONFIG={} exec {} -q fleet --task-prolog\n",
        site.display(),
        rankfold::binary().display()
    );
    fs::write(&prolog, script)?;
    fs::set_permissions(&prolog, fs::Permissions::from_mode(0o755))?;
    let configuration = cluster.path("slurm/slurm.conf");
    let before = fs::read_to_string(&configuration)?;
    let line = format!("{before}TaskProlog={}\n", prolog.display());
    fs::write(&configuration, line)?;
    let mut reread = cluster.command(&["scontrol", "reconfigure"]);
    process::run(&mut reread, "")?.success()?;
    Ok(profiles.join("ada"))
}

fn task_prolog() -> Result<()> {
    let cluster = Cluster::up(CLUSTER)?;
    let profiles = install_prolog(&cluster)?;
    let program = program::compile(Mpi::OpenMpi, "stencil2d")?;
    let launch = |tasks: &str, off: &str| {
        let line = format!(
            "srun --quiet --mpi=pmix --time=2 {tasks} {} 2 4 1000 3",
            program.display()
        );
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = cluster.command(&words);
        command.env("USER", "ada").env("RANKFOLD_OFF", off);
        process::run(&mut command, "")?.success()
    };
    let left = || fs::read_dir(&profiles).map_or(0, Iterator::count);
    launch("-N 4 -n 8", "1")?;
    ensure!(left() == 0, "it was switched off");
    launch("-N 4 -n 8", "0")?;
    ensure!(left() == 1, "one launch leaves one profile, not {}", left());
    let mode = fs::metadata(&profiles)?.permissions().mode();
    ensure!(mode & 0o777 == 0o700, "others may read {mode:o}");
    let finished = cluster.rankfold(&["fleet", &cluster.path("profiles").to_string_lossy()])?;
    let line = finished.success()?.stdout;
    let line = line.lines().find(|line| line.contains("stencil2d"));
    let cells: Vec<&str> = line
        .context("the program is told")?
        .split_whitespace()
        .collect();
    ensure!(
        cells[2..5] == ["1", "8", "4"],
        "runs, ranks and hosts: {cells:?}"
    );
    Ok(())
}
