//! The whole loop on a torus and a mesh of shaped links, whether the user maps the job or
//! `rankfold run` does so by itself. How much faster the mapped job communicates is measured by
//! `scripts/bench gain`.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::{self, Finished};
use rankfold_tests::{program, rankfold};
use serde_json::Value;
use std::fmt::Write;
use std::fs;

const TORUS: &str = "torus:4x4@2.5e6,2.5e6";
const MESH: &str = "mesh:4x4@2.5e6,2.5e6";
/// Rank r runs on host r * STEP modulo RANKS. The step has no factor in common with RANKS, so that
/// every host gets a rank, and neighbours in the grid of ranks are no neighbours in the network.
const STEP: usize = 7;
const RANKS: usize = 16;

pub(crate) fn facts() -> Vec<Fact> {
    let on = |network, name: &str, check: fn() -> Result<()>| {
        let needs = [Need::Mpi(Mpi::OpenMpi), Need::Cluster(network)];
        fact(name, &needs, check)
    };
    vec![
        on(
            TORUS,
            "torus::a_mapped_stencil_runs_as_planned_on_a_torus",
            || runs_as_planned(TORUS, "1"),
        ),
        on(
            MESH,
            "torus::a_mapped_open_stencil_runs_as_planned_on_a_mesh",
            || runs_as_planned(MESH, "0"),
        ),
        on(
            TORUS,
            "torus::run_alone_maps_the_second_run_and_tells_what_it_gained",
            alone,
        ),
        on(
            TORUS,
            "torus::a_given_map_is_compared_with_the_order_as_launched",
            compared,
        ),
    ]
}

/// Writes a file of the cluster's hosts, in an order that puts neighbours far apart.
fn scattered(cluster: &Cluster) -> Result<String> {
    let hosts = cluster.hosts()?;
    let scattered: String = (0..RANKS).fold(String::new(), |mut text, r| {
        let _ = writeln!(text, "{} slots=1", hosts[r * STEP % RANKS]);
        text
    });
    let path = cluster.path("scattered");
    fs::write(&path, scattered)?;
    Ok(path.display().to_string())
}

/// A stencil of 4 x 4 ranks on the hosts of a file.
fn launch(hostfile: &str, periodic: &str) -> Result<Vec<String>> {
    let program = program::compile(Mpi::OpenMpi, "stencil2d")?
        .display()
        .to_string();
    let words = [
        "mpirun.openmpi",
        "-n",
        "16",
        "--hostfile",
        hostfile,
        &program,
    ];
    let arguments = ["4", "4", "32768", "3", periodic];
    Ok([&words[..], &arguments]
        .concat()
        .into_iter()
        .map(str::to_owned)
        .collect())
}

/// The map is better than the scattered order by its own figures, and the ranks run where the map
/// has them.
fn runs_as_planned(spec: &str, periodic: &str) -> Result<()> {
    let cluster = Cluster::shared(spec)?;
    let path = |name: &str| cluster.path(name).display().to_string();
    let launch = launch(&scattered(&cluster)?, periodic)?;
    let launch: Vec<&str> = launch.iter().map(String::as_str).collect();
    let (profile, map, figures) = (
        path("stencil.rfp"),
        path("stencil.map"),
        path("stencil.json"),
    );
    let words = [&["profile", "-o", &profile, "--"][..], &launch].concat();
    cluster.rankfold(&words)?.success()?;
    let hosts = path("hosts");
    let machine = ["--machine", spec, "--hosts", &hosts];
    let output = ["--to", "openmpi4", "-o", &map, "--json", &figures];
    rankfold::run(&[&["map", &profile][..], &machine, &output].concat())?.success()?;
    let figures: Value = serde_json::from_str(&fs::read_to_string(&figures)?)?;
    // A 4 x 4 grid on a 4 x 4 network: every neighbour is one link away.
    ensure!(figures["max_dilation"] == 1, "{figures}");
    let words = [&["run", "--map", &map, "--"][..], &launch].concat();
    let mapped = cluster.rankfold(&words)?.success()?;
    ensure!(
        mapped.stderr.contains("placement verified 16/16"),
        "{}",
        mapped.stderr
    );
    Ok(())
}

/// The user names neither a machine nor a map. The site has left a machine file, and the second
/// run uses the map that was made after the first.
fn alone() -> Result<()> {
    let cluster = Cluster::shared(TORUS)?;
    let launch = launch(&scattered(&cluster)?, "1")?;
    let site = cluster.path("site.toml");
    let hosts = cluster.hosts()?;
    fs::write(
        &site,
        format!("network = \"torus:4x4@2.5MB/s/ties=+\"\nhosts = {hosts:?}\n"),
    )?;
    let run = || {
        let binary = rankfold::binary().display().to_string();
        let words = [&[binary, "run".into(), "--".into()][..], &launch].concat();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = cluster.command(&words);
        process::run(command.env("RANKFOLD_TOPOLOGY", &site), "")?.success()
    };
    let promised = printed_number(&run()?, "predicted to be ")?;
    let second = run()?;
    ensure!(
        second.stderr.contains("placement verified 16/16"),
        "{}",
        second.stderr
    );
    ensure!(
        second.stderr.contains("measured once each: too few"),
        "{}",
        second.stderr
    );
    let kept = printed_number(&second, "promised: ")?;
    ensure!((kept - promised).abs() < 1e-9, "{}", second.stderr);
    Ok(())
}

/// The user compares a map of their own: no cache is needed, and every run with the map is
/// verified.
fn compared() -> Result<()> {
    let cluster = Cluster::shared(TORUS)?;
    let path = |name: &str| cluster.path(name).display().to_string();
    let launch = launch(&scattered(&cluster)?, "1")?;
    let launch: Vec<&str> = launch.iter().map(String::as_str).collect();
    let (map, figures) = (path("own.map"), path("compared.json"));
    fs::write(&map, cluster.hosts()?.join("\n"))?;
    let options = ["run", "--map", &map, "--compare", "2", "--json", &figures];
    let run = cluster
        .rankfold(&[&options[..], &["--"], &launch].concat())?
        .success()?;
    let verified = run.stderr.matches("placement verified 16/16").count();
    ensure!(verified == 2, "{verified} of 2: {}", run.stderr);
    printed_number(&run, "from MPI_Init to MPI_Finalize ")?;
    let figures: Value = serde_json::from_str(&fs::read_to_string(&figures)?)?;
    let compared = &figures["comparison"];
    let turns = serde_json::json!(["default", "mapped", "mapped", "default"]);
    ensure!(compared["turns"] == turns, "{figures}");
    for order in ["default", "mapped"] {
        let times = compared["inside_mpi"][order].as_array();
        ensure!(times.is_some_and(|times| times.len() == 2), "{figures}");
    }
    Ok(())
}

/// The number that follows `words` in the messages of rankfold.
fn printed_number(run: &Finished, words: &str) -> Result<f64> {
    let lines = run
        .stderr
        .lines()
        .filter(|line| line.starts_with("rankfold: "));
    let rest = lines.filter_map(|line| line.split_once(words)).next();
    let (_, rest) = rest.with_context(|| format!("no {words:?} in {}", run.stderr))?;
    let rest = rest.trim_start();
    let number = rest.split(|c: char| c != '.' && !c.is_ascii_digit()).next();
    number
        .unwrap_or_default()
        .parse()
        .with_context(|| rest.to_owned())
}
