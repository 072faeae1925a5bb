//! The whole loop on a cluster of host names: profile, map, relaunch, verify.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::{self, Finished};
use rankfold_tests::{program, rankfold};
use rankfold_wire::Profile;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const RANKS: usize = 8;
const HOSTS: &str = "fake:8";

pub(crate) fn facts() -> Vec<Fact> {
    let formats = [
        (Mpi::OpenMpi, "openmpi4"),
        (Mpi::OpenMpi, "seq"),
        (Mpi::Mpich, "mpich"),
        (Mpi::Mpich5, "mpich"),
    ];
    let verified = formats.map(|(mpi, format)| {
        fact(
            format!(
                "placement::a_{format}_map_is_verified_rank_by_rank_under_{}",
                mpi.name()
            ),
            &[Need::Mpi(mpi), Need::Cluster(HOSTS)],
            move || is_verified(mpi, format),
        )
    });
    let whole_loop = fact(
        "placement::run_with_machine_does_the_whole_loop",
        &[Need::Mpi(Mpi::OpenMpi), Need::Cluster(HOSTS)],
        whole_loop,
    );
    let constrained = fact(
        "placement::constraints_hold_in_the_run_that_is_mapped",
        &[Need::Mpi(Mpi::OpenMpi), Need::Cluster(HOSTS)],
        constraints_hold,
    );
    let mismatch = fact(
        "placement::a_rank_on_another_host_than_planned_is_named",
        &[Need::Mpi(Mpi::OpenMpi), Need::Cluster(HOSTS)],
        mismatch_is_named,
    );
    let unplanned = fact(
        "placement::a_profile_tells_whether_mpi_knows_who_shares_a_host",
        &[Need::Mpi(Mpi::Mpich), Need::Cluster(HOSTS)],
        unplanned,
    );
    let others = [whole_loop, constrained, mismatch, unplanned];
    verified.into_iter().chain(others).collect()
}

/// A job with one rank on each host of a cluster. The launcher gets the hosts in a scattered order.
struct Job {
    cluster: Cluster,
    mpi: Mpi,
    program: PathBuf,
}

impl Job {
    fn new(mpi: Mpi) -> Result<Self> {
        Ok(Self {
            cluster: Cluster::up(HOSTS)?,
            mpi,
            program: program::compile(mpi, "stencil2d")?,
        })
    }

    fn path(&self, name: &str) -> String {
        self.cluster.path(name).display().to_string()
    }

    /// `mpirun -n 8 HOSTS stencil2d 2 4 1000`.
    fn launch(&self) -> Result<Vec<String>> {
        let hosts = self.cluster.hosts()?;
        let scattered: Vec<String> = (0..RANKS)
            .map(|i| format!("{}:1", hosts[i * 3 % RANKS]))
            .collect();
        let hosts_flag = if self.mpi == Mpi::OpenMpi {
            "--host"
        } else {
            "-hosts"
        };
        let words = [
            &self.mpi.launcher(),
            "-n",
            "8",
            hosts_flag,
            &scattered.join(","),
        ];
        let program = self.program.display().to_string();
        let args = [&program, "2", "4", "1000", "3"];
        Ok(words.into_iter().chain(args).map(str::to_owned).collect())
    }

    fn rankfold(&self, args: &[&str]) -> Result<Finished> {
        let launch = self.launch()?;
        let mut words = args.to_vec();
        words.push("--");
        words.extend(launch.iter().map(String::as_str));
        self.cluster.rankfold(&words)
    }

    /// Profiles the job and maps it; returns the mapfile.
    fn map(&self, format: &str) -> Result<String> {
        let (profile, map, hosts) = (
            self.path("job.rfp"),
            self.path("job.map"),
            self.path("hosts"),
        );
        self.rankfold(&["profile", "-o", &profile])?.success()?;
        rankfold::run(&[
            "map",
            &profile,
            "--machine",
            "torus:4x2",
            "--hosts",
            &hosts,
            "--to",
            format,
            "-o",
            &map,
        ])?
        .success()?;
        Ok(map)
    }
}

fn is_verified(mpi: Mpi, format: &str) -> Result<()> {
    let job = Job::new(mpi)?;
    let map = job.map(format)?;
    let run = job.rankfold(&["run", "--map", &map])?.success()?;
    ensure!(
        run.stderr.contains("placement verified 8/8"),
        "{}",
        run.stderr
    );
    ensure!(
        run.stdout.starts_with("stencil2d ranks=8"),
        "{}",
        run.stdout
    );
    Ok(())
}

fn whole_loop() -> Result<()> {
    let job = Job::new(Mpi::OpenMpi)?;
    let (hosts, kept) = (job.path("hosts"), job.path("kept/here"));
    let loop_of = |kept| {
        [
            "run",
            "--machine",
            "torus:4x2",
            "--hosts",
            &hosts,
            "--keep",
            kept,
        ]
    };
    let run = job.rankfold(&loop_of(&kept))?.success()?;
    ensure!(
        run.stderr.contains("placement verified 8/8"),
        "{}",
        run.stderr
    );
    let kept = Path::new(&kept);
    let program = job.program.file_name().unwrap_or_default();
    let name = |ending: &str| format!("{}{ending}", program.display());
    for ending in [".rfp", "-mapped.rfp"] {
        let profile = Profile::read(&kept.join(name(ending)))?;
        ensure!(profile.rows.len() == RANKS, "{:?}", profile.manifest);
    }
    let mapped = Profile::read(&kept.join(name("-mapped.rfp")))?;
    let text = mapped.verification.context("it was not verified")?;
    ensure!(
        text.as_planned && text.line.starts_with("placement verified 8/8"),
        "{text:?}"
    );
    ensure!(mapped.numbers.len() == RANKS, "{:?}", mapped.numbers);
    let map = kept.join(name(".map")).display().to_string();
    let again = job.rankfold(&["run", "--map", &map])?.success()?;
    ensure!(
        again.stderr.contains("placement verified 8/8"),
        "{}",
        again.stderr
    );
    let remembered = job.path("remembered");
    job.rankfold(&loop_of(&remembered))?.success()?;
    let remembered = Path::new(&remembered);
    Profile::read(&remembered.join(name(".rfp")))?;
    let map = |kept: &Path| fs::read(kept.join(name(".map")));
    ensure!(map(kept)? == map(remembered)?, "another map");
    let refused = job.rankfold(&loop_of("/dev/null/here"))?;
    ensure!(
        refused.status == 2 && refused.stderr.contains("/dev/null/here"),
        "{refused:?}"
    );
    Ok(())
}

/// Rank 0 is pinned to another host than the launch gives it. With a pin to a host that the job
/// does not have, the program runs as launched, and a line names the flag.
fn constraints_hold() -> Result<()> {
    let job = Job::new(Mpi::OpenMpi)?;
    let (hosts, kept) = (job.path("hosts"), job.path("kept"));
    let with = |pin| {
        job.rankfold(&[
            "run",
            "--machine",
            "torus:4x2",
            "--hosts",
            &hosts,
            "--keep",
            &kept,
            "--pin",
            pin,
            "--apart",
            "0::3",
            "--effort",
            "fast",
        ])
    };
    let run = with("0=n005")?.success()?;
    for line in ["constraints kept: 2 rules", "placement verified 8/8"] {
        ensure!(run.stderr.contains(line), "{line}: {}", run.stderr);
    }
    let program = job.program.file_name().unwrap_or_default();
    let map = Path::new(&kept).join(format!("{}.map", program.display()));
    let map = fs::read_to_string(map)?;
    let first = map.lines().find(|line| !line.starts_with('#'));
    ensure!(first.is_some_and(|line| line.contains("n005")), "{map}");
    let refused = with("0=n999")?;
    ensure!(
        refused.status == 0 && refused.stderr.contains("nothing is mapped: --pin 0=n999"),
        "{refused:?}"
    );
    Ok(())
}

/// MPICH 4.0 takes every line of its host file for another host. Ranks of one host share memory
/// only if that host is named once, and unless a variable divides the host.
fn unplanned() -> Result<()> {
    let job = Job::new(Mpi::Mpich)?;
    let (hosts, profile, json) = (job.path("lines"), job.path("run.rfp"), job.path("run.json"));
    let program = job.program.display().to_string();
    let launcher = Mpi::Mpich.launcher();
    let verified = "hosts and shared memory verified 4/4";
    let divided: &[&str] = &["-genv", "MPIR_CVAR_NOLOCAL", "1"];
    for (lines, options, line, shared) in [
        ("n000:2\nn001:2\n", &[][..], verified, [0, 0, 2, 2]),
        ("n000:4\n", &[], verified, [0, 0, 0, 0]),
        (
            "n000\nn001\nn000\nn001\n",
            &[],
            "rank 2 is on n000, but the MPI library does not let it share memory",
            [0, 1, 2, 3],
        ),
        (
            "n000:4\n",
            divided,
            "rank 1 is on n000, but the MPI library does not let it share memory",
            [0, 1, 2, 3],
        ),
    ] {
        let as_planned = line == verified;
        let launch = [&launcher, "-f", &hosts, "-n", "4"];
        let app = [&program, "2", "2", "1000", "3"];
        fs::write(&hosts, lines)?;
        let own = ["profile", "-o", &profile, "--"];
        let words = [&own[..], &launch, options, &app].concat();
        let run = job.cluster.rankfold(&words)?.success()?;
        ensure!(run.stderr.contains(line), "{}", run.stderr);
        let found = Profile::read(Path::new(&profile))?.verification;
        let found = found.context("the profile has no verification")?;
        ensure!(
            found.as_planned == as_planned && found.line.contains(line),
            "{found:?}"
        );
        let page = job.path("run.html");
        rankfold::run(&["report", &profile, "-o", &page, "--json", &json])?.success()?;
        let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json)?)?;
        ensure!(
            report["run"]["as_planned"] == as_planned,
            "{}",
            report["run"]
        );
        ensure!(
            report["run"]["shared_with"] == serde_json::json!(shared),
            "{}",
            report["run"]
        );
        ensure!(
            report["run"]["launcher_ranks"] == serde_json::json!([0, 1, 2, 3]),
            "{}",
            report["run"]
        );
    }
    Ok(())
}

/// The remote shell swaps two hosts without the launcher's knowledge: the name of each leads to the
/// other.
fn mismatch_is_named() -> Result<()> {
    let job = Job::new(Mpi::OpenMpi)?;
    let map = job.map("openmpi4")?;
    let agent = job.cluster.path("swapping-agent");
    fs::write(
        &agent,
        format!(
            "#!/bin/sh\nhost=$1; shift\n\
             case $host in n001) host=n002 ;; n002) host=n001 ;; esac\n\
             exec {} \"$host\" \"$@\"\n",
            job.path("agent")
        ),
    )?;
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755))?;
    let binary = rankfold::binary().display().to_string();
    let agent = format!("OMPI_MCA_plm_rsh_agent={}", agent.display());
    let mut words = vec!["env", &agent, &binary, "run", "--map", &map, "--"];
    let launch = job.launch()?;
    words.extend(launch.iter().map(String::as_str));
    let run = process::run(&mut job.cluster.command(&words), "")?;
    ensure!(!run.stderr.contains("placement verified"), "{}", run.stderr);
    ensure!(
        run.stderr.contains("n001") && run.stderr.contains("n002"),
        "{}",
        run.stderr
    );
    ensure!(run.status != 0, "a wrong placement counts as a success");
    Ok(())
}
