//! The hook that counts PyTorch's c10d, under real PyTorch with Gloo on CPUs.

use crate::fact::{Fact, Need, fact};
use crate::made::root;
use anyhow::{Context, Result, ensure};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::{self, Finished};
use rankfold_tests::rankfold;
use rankfold_wire::{NcclTraffic, Operation, Outcome, Profile};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const RANKS: u64 = 4;
/// The programs of Debian's package python3-torch.
const TORCHRUN: &str = "/usr/bin/torchrun";
const PYTHON: &str = "/usr/bin/python3";
/// Debian's torchrun fails under its Python without options for redirections.
const REDIRECTED: [&str; 4] = ["-r", "1", "-t", "1"];
const SLURM: &str = "slurm+fake:4";
const HOSTS: &str = "tree:2x2@1e8,1e8";

pub(crate) fn facts() -> Vec<Fact> {
    type Check = fn() -> Result<()>;
    let with_mpi = [Need::Torch, Need::Mpi(Mpi::OpenMpi)];
    let on_hosts = [with_mpi[0], with_mpi[1], Need::Cluster(HOSTS)];
    let on_slurm = [Need::Torch, Need::Cluster(SLURM)];
    let all: [(&str, &[Need], Check); 8] = [
        ("calls_under_torchrun_are_counted", &[Need::Torch], torchrun),
        ("calls_under_mpirun_are_counted", &with_mpi, mpirun),
        ("calls_before_a_hard_exit_are_counted", &[Need::Torch], exit),
        (
            "trouble_in_the_hook_is_one_line_a_process",
            &[Need::Torch],
            trouble,
        ),
        (
            "a_sitecustomize_of_the_user_runs_all_the_same",
            &[Need::Mpi(Mpi::OpenMpi)],
            theirs,
        ),
        (
            "modelled_bytes_are_those_that_the_interfaces_send",
            &on_hosts,
            moved,
        ),
        (
            "torchrun_on_each_node_gets_the_node_rank_of_the_map",
            &on_slurm,
            node_ranks,
        ),
        (
            "the_loop_orders_the_nodes_of_torchrun",
            &on_slurm,
            whole_loop,
        ),
    ];
    let one =
        |(name, needs, check): (&str, &[Need], Check)| fact(format!("c10d::{name}"), needs, check);
    all.into_iter().map(one).collect()
}

/// Why there is no PyTorch.
pub(crate) fn torch_missing() -> Option<String> {
    (!Path::new(TORCHRUN).exists())
        .then(|| "PyTorch is not installed: run scripts/setup torch".to_owned())
}

/// A port for the meeting of the ranks, another one for each test that runs at the same time.
fn port() -> String {
    (20_000 + std::process::id() % 10_000).to_string()
}

fn script() -> PathBuf {
    root().join("tests/programs/c10d.py")
}

/// A directory for profiles.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Result<Self> {
        Ok(Self(tempfile::tempdir()?))
    }

    fn profile(&self) -> PathBuf {
        self.0.path().join("a.rfp")
    }

    /// `rankfold profile -- WORDS c10d.py MODE`, not started yet.
    fn launch(&self, words: &[&str], mode: &str) -> Command {
        let mut command = rankfold::command(&["profile", "-o"]);
        command.arg(self.profile()).arg("--").args(words);
        command.arg(script()).arg(mode);
        command.env("OMP_NUM_THREADS", "1").env_remove("PYTHONPATH");
        command
    }

    fn torchrun(&self, mode: &str) -> Command {
        let mut words = vec![TORCHRUN];
        words.extend(REDIRECTED);
        let port = port();
        words.extend(["--nproc_per_node", "4", "--master_port", &port]);
        self.launch(&words, mode)
    }

    fn read(&self) -> Result<Profile> {
        Ok(Profile::read(&self.profile())?)
    }
}

/// Sums of bytes and calls by members, operation and root.
type Sums = BTreeMap<(Vec<u32>, Operation, Option<u32>), (u64, u64)>;

/// What the script calls, by its source.
fn expected(reduces_scattering: bool) -> Sums {
    let (world, model) = (vec![0, 1, 2, 3], 4 * (100 * 50 + 50 + 50 * 10 + 10));
    let mut all = vec![
        (&world, Operation::Allreduce, None, 4000 + 3 * model, 1 + 3),
        (&world, Operation::Bcast, Some(0), model, 1),
        (&world, Operation::Bcast, Some(1), 2000, 1),
        (&world, Operation::Reduce, Some(2), 1000, 1),
        (&world, Operation::Allgather, None, 400, 1),
        (&world, Operation::Gather, Some(0), 80, 1),
        (&world, Operation::Scatter, Some(3), 80, 1),
        (&world, Operation::Alltoall, None, 16, 1),
        (&world, Operation::Barrier, None, 0, 1),
    ];
    if reduces_scattering {
        all.push((&world, Operation::ReduceScatterBlock, None, 480, 1));
    }
    let (even, odd) = (vec![0, 2], vec![1, 3]);
    all.extend([&even, &odd].map(|group| (group, Operation::Allreduce, None, 1200, 1)));
    let all = all.into_iter();
    all.map(|(members, op, root, bytes, calls)| ((members.clone(), op, root), (bytes, calls)))
        .collect()
}

fn counted(traffic: &NcclTraffic) -> Sums {
    let mut sums = Sums::new();
    for row in &traffic.collectives {
        let group = &traffic.communicators[row.comm as usize];
        let members = group.members.iter().flatten().collect();
        let sum = sums.entry((members, row.op, row.root)).or_default();
        *sum = (sum.0 + row.bytes, sum.1 + row.calls);
    }
    sums
}

/// Checks that the profile holds what the script does.
fn check(profile: &Profile, ran: &Finished) -> Result<()> {
    ensure!(ran.status == 0, "{ran:?}");
    ensure!(ran.stdout.matches("done").count() == 4, "{ran:?}");
    let plane = profile.nccl.as_ref().context("nothing of c10d")?;
    let (found, wanted) = (counted(plane), expected(ran.stdout.contains("counted 0")));
    ensure!(found == wanted, "{found:?}, by the source {wanted:?}");
    ensure!(plane.network.is_empty() && plane.record.is_of_c10d());
    for (rank, row) in (0..).zip(&plane.sent) {
        for peer in &row.peers {
            let sends_more = (rank, peer.rank) == (0, 1);
            let bytes = 8 + if sends_more { 28 } else { 0 };
            ensure!(peer.bytes == bytes, "{rank}: {peer:?}");
        }
        ensure!(row.peers.len() == 3, "{rank}: {row:?}");
    }
    ensure!(ran.stderr.contains("c10d: 1"), "{ran:?}");
    Ok(())
}

fn torchrun() -> Result<()> {
    let scratch = Scratch::new()?;
    let ran = process::run(&mut scratch.torchrun("calls"), "")?;
    let profile = scratch.read().with_context(|| format!("{ran:?}"))?;
    ensure!(profile.manifest.outcome == Outcome::Finalized, "{ran:?}");
    check(&profile, &ran)?;
    let file = scratch.profile().display().to_string();
    let analysed = rankfold::run(&["analyze", &file])?.success()?;
    ensure!(analysed.stderr.contains("as gloo carries"), "{analysed:?}");
    Ok(())
}

fn mpirun() -> Result<()> {
    let scratch = Scratch::new()?;
    let launch = Mpi::OpenMpi.launch(4, Path::new(PYTHON), &[]);
    let words: Vec<&str> = launch.iter().map(String::as_str).collect();
    let mut command = scratch.launch(&words, "calls");
    command
        .env("MASTER_ADDR", "127.0.0.1")
        .env("MASTER_PORT", port());
    let ran = process::run(&mut command, "")?;
    check(&scratch.read().with_context(|| format!("{ran:?}"))?, &ran)
}

fn exit() -> Result<()> {
    let scratch = Scratch::new()?;
    let ran = process::run(&mut scratch.torchrun("exit"), "")?;
    let profile = scratch.read().with_context(|| format!("{ran:?}"))?;
    check(&profile, &ran)?;
    let plane = profile.nccl.context("nothing of c10d")?;
    ensure!(plane.record.unfinished == [0, 1, 2, 3], "{ran:?}");
    Ok(())
}

/// The library that the hook opens cannot be opened.
fn trouble() -> Result<()> {
    let scratch = Scratch::new()?;
    let libraries = scratch.0.path().join("lib");
    fs::create_dir(&libraries)?;
    let library = libraries.join("librankfold.so");
    fs::copy(rankfold::library(), &library)?;
    fs::write(libraries.join("librankfold_nccl.so"), "no library")?;
    let mut command = scratch.torchrun("calls");
    command.env("RANKFOLD_LIBRARY", &library);
    let ran = process::run(&mut command, "")?;
    ensure!(ran.stdout.matches("done").count() == 4, "{ran:?}");
    let lines = ran.stderr.matches("c10d is not counted").count();
    ensure!(lines == 4, "{ran:?}");
    Ok(())
}

fn theirs() -> Result<()> {
    let scratch = Scratch::new()?;
    let own = scratch.0.path().join("own");
    fs::create_dir(&own)?;
    fs::write(own.join("sitecustomize.py"), "print('of the user')\n")?;
    let line = "import sys, sitecustomize; print(sitecustomize.__file__, sys.path)";
    let program = [PYTHON, "-c", line];
    let run = |options: &[&str]| -> Result<String> {
        let launch = Mpi::OpenMpi.launch(1, Path::new(program[0]), &[]);
        let mut command = rankfold::command(&["profile", "-o"]);
        command.arg(scratch.profile()).arg("--").args(&launch);
        command.args(options).args(&program[1..]);
        command.env("PYTHONPATH", &own);
        Ok(process::run(&mut command, "")?.stdout)
    };
    let ran = run(&[])?;
    let module = own.join("sitecustomize.py").display().to_string();
    ensure!(
        ran.contains("of the user") && ran.contains(&module),
        "{ran}"
    );
    ensure!(
        !ran.contains(".rankfold-"),
        "the path shows the hook: {ran}"
    );
    // With these options Python reads no variables, and the program runs as it is.
    for option in ["-E", "-I"] {
        let ran = run(&[option])?;
        ensure!(!ran.contains("of the user"), "{ran}");
        ensure!(ran.contains("sitecustomize.py"), "{ran}");
    }
    Ok(())
}

/// Payload that an interface sends over the modelled bytes. Barriers and Gloo's own headers are not
/// modelled, and the last segment of a message that TCP sends again may be short.
const AGREES: std::ops::Range<f64> = 0.98..1.02;

fn moved() -> Result<()> {
    let cluster = Cluster::up(HOSTS)?;
    let profile = cluster.path("a.rfp");
    let meeting = cluster.path("meeting").display().to_string();
    let mut command = cluster.command(&["env", "OMP_NUM_THREADS=1"]);
    command
        .arg(rankfold::binary())
        .args(["profile", "-o"])
        .arg(&profile)
        .args(["--", "mpirun.openmpi", "-n", "4", "--map-by", "node"])
        .args(["--host", "n000,n001,n002,n003"])
        .args(["-x", "GLOO_SOCKET_IFNAME=fabric0", PYTHON])
        .arg(script())
        .args(["moved", &meeting]);
    let ran = process::run(&mut command, "")?.success()?;
    let csv = cluster.path("a.csv").display().to_string();
    let file = profile.display().to_string();
    rankfold::run(&["convert", "--collectives", "gloo", &file, &csv])?.success()?;
    let mut modelled = [0; RANKS as usize];
    for line in fs::read_to_string(&csv)?.lines().skip(1) {
        let words: Vec<&str> = line.split(',').map(str::trim).collect();
        modelled[words[0].parse::<usize>()?] += words[2].parse::<u64>()?;
    }
    let lines = ran.stdout.lines();
    let mut measured = 0;
    for line in lines.filter_map(|line| line.strip_prefix("moved ")) {
        let (rank, bytes) = line.split_once(' ').context("a rank and bytes")?;
        let ratio = bytes.trim().parse::<f64>()? / modelled[rank.parse::<usize>()?] as f64;
        ensure!(AGREES.contains(&ratio), "rank {rank}: {ratio}, {ran:?}");
        measured += 1;
    }
    ensure!(measured == RANKS, "{ran:?}");
    Ok(())
}

/// `rankfold profile`, `map` and `run --map` of `srun torchrun`. The user's rendezvous orders nodes
/// by itself; that of the map follows the map.
fn node_ranks() -> Result<()> {
    let cluster = Cluster::up(SLURM)?;
    let [profile, map, hosts] =
        ["a.rfp", "map", "backwards"].map(|name| cluster.path(name).display().to_string());
    let mut order = cluster.hosts()?;
    order.reverse();
    fs::write(&hosts, order.join("\n"))?;
    let launched = |words: &[&str]| -> Result<Finished> {
        let mut command = cluster.command(&[&*rankfold::binary().to_string_lossy()]);
        command
            .args(words)
            .args(["--", "srun", "--quiet", "-N", "4", "--ntasks-per-node=1"])
            .arg(TORCHRUN)
            .args(REDIRECTED)
            .args(["--nnodes", "4", "--nproc_per_node", "2"])
            .args(["--rdzv_backend", "c10d", "--rdzv_endpoint", "n000:29400"])
            .arg(script())
            .arg("hosts")
            .env("OMP_NUM_THREADS", "1");
        process::run(&mut command, "")?.success()
    };
    let ran = launched(&["profile", "-o", &profile])?;
    ensure!(ran.stderr.contains("c10d: 1 collective"), "{ran:?}");
    let machine = ["--machine", "tree:2x2", "--cores", "2", "--hosts", &hosts];
    let words = [
        &["map", &profile][..],
        &machine,
        &["--to", "seq", "-o", &map],
    ];
    rankfold::run(&words.concat())?.success()?;
    let ran = launched(&["run", "--map", &map])?;
    let wanted = [
        "placement verified 4/4 node ranks of torchrun",
        "replaces your --nnodes 4 --rdzv_backend",
    ];
    for line in wanted {
        ensure!(ran.stderr.contains(line), "{ran:?}");
    }
    for (rank, host) in fs::read_to_string(&map)?.lines().enumerate() {
        let line = format!("host {rank} {host}");
        ensure!(ran.stdout.contains(&line), "{line}: {ran:?}");
    }
    Ok(())
}

/// `rankfold run` of `srun torchrun` inside an allocation: the first run is profiled, and a second
/// one follows its map. Ranks 0 and 2 send each other most, but `torchrun` gives consecutive ranks
/// to a host, so the hosts of ranks 0 and 2 share a switch. In the order of their names these hosts
/// do not.
fn whole_loop() -> Result<()> {
    let cluster = Cluster::up(SLURM)?;
    let hosts = cluster.hosts()?;
    let [a, b, c, d] = &hosts[..] else {
        anyhow::bail!("{hosts:?}");
    };
    let machine = cluster.path("site.toml");
    let listed = format!("network = \"tree:2x2\"\nhosts = [{a:?}, {c:?}, {b:?}, {d:?}]\n");
    fs::write(&machine, listed)?;
    let run = format!(
        "{} run --machine {} -- srun --quiet -N 4 --ntasks-per-node=1 {TORCHRUN} {} --nnodes 4 \
         --nproc_per_node 2 --rdzv_backend c10d --rdzv_endpoint {a}:{} {} across",
        rankfold::binary().display(),
        machine.display(),
        REDIRECTED.join(" "),
        port(),
        script().display(),
    );
    let words = ["salloc", "--quiet", "--nodes=4", "sh", "-c", &run];
    let mut command = cluster.command(&words);
    command.env("OMP_NUM_THREADS", "1");
    let ran = process::run(&mut command, "")?.success()?;
    let wanted = [
        "c10d: 1 collective",
        "placement verified 4/4 node ranks of torchrun",
    ];
    for line in wanted {
        ensure!(ran.stderr.contains(line), "no {line:?} in {ran:?}");
    }
    // The last eight lines are those of the run that follows the map.
    let mut order = vec![String::new(); 8];
    for line in ran
        .stdout
        .lines()
        .filter_map(|line| line.split_once("host "))
    {
        let (rank, host) = line.1.split_once(' ').context("a rank and its host")?;
        order[rank.parse::<usize>()?] = host.trim().to_owned();
    }
    let switch = |host: &String| host == a || host == c;
    for rank in [0, 4] {
        ensure!(
            switch(&order[rank]) == switch(&order[rank + 2]),
            "{order:?}"
        );
    }
    ensure!(order.chunks(2).all(|pair| pair[0] == pair[1]), "{order:?}");
    Ok(())
}
