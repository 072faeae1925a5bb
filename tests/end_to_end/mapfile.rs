//! One command reads the mapfile that another has written.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::{process, rankfold};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Formats that can express every placement on full nodes of a torus.
const FORMATS: &[&str] = &[
    "nodes", "openmpi4", "openmpi5", "seq", "mpich", "mpich5", "intel", "slurm", "cray", "flux",
    "pals", "fujitsu", "jsrun", "tracer", "json",
];

pub(crate) fn facts() -> Vec<Fact> {
    FORMATS
        .iter()
        .map(|format| {
            fact(
                format!("mapfile::eval_of_a_{format}_file_gives_the_figures_of_the_mapping"),
                &[],
                || round_trip(format),
            )
        })
        .chain([
            fact(
                "mapfile::the_same_seed_gives_the_same_bytes",
                &[],
                same_seed_same_bytes,
            ),
            fact(
                "mapfile::one_launchers_file_becomes_anothers_and_back",
                &[],
                conversions,
            ),
            fact(
                "mapfile::open_mpi_5_would_start_8192_ranks_on_just_the_cores_of_a_rankfile",
                &[Need::Mpi(Mpi::OpenMpi5), Need::Tool("lstopo-no-graphics")],
                simulated,
            ),
            fact(
                "mapfile::what_cannot_be_converted_is_refused_and_nothing_is_written",
                &[],
                refusals,
            ),
        ])
        .collect()
}

fn round_trip(format: &str) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let path = |name: &str| scratch.path().join(name).display().to_string();
    ring(&path("ring.mtx"), 16)?;
    host_names(&path("hosts"), 8)?;
    let machine = [
        "--machine",
        "torus:4x2",
        "--cores",
        "2",
        "--hosts",
        &path("hosts"),
    ];
    let (input, map, mapped, judged) = (
        path("ring.mtx"),
        path("map"),
        path("mapped.json"),
        path("judged.json"),
    );
    let map_args = ["map", &input, "--to", format, "-o", &map, "--json", &mapped];
    rankfold::run(&[&map_args[..], &machine].concat())?.success()?;
    let eval_args = [
        "eval",
        &input,
        "--placement",
        &map,
        "--from",
        format,
        "--json",
        &judged,
    ];
    rankfold::run(&[&eval_args[..], &machine].concat())?.success()?;

    let (mapped, judged) = (json(&mapped)?, json(&judged)?);
    for key in ["hop_bytes", "max_congestion", "max_dilation"] {
        let value = mapped
            .get(key)
            .with_context(|| format!("no {key} in {mapped}"))?;
        ensure!(
            judged.get(key) == Some(value),
            "{key}: mapped {value}, judged {judged}"
        );
    }
    Ok(())
}

/// A placement of four ranks on two hosts is converted to every format that names the hosts or
/// counts them, and back.
fn conversions() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let path = |name: &str| scratch.path().join(name).display().to_string();
    let start = "n1\nn0\nn0\nn1\n";
    fs::write(path("start"), start)?;
    let hosts = ["--hosts", "n0,n1"];
    for format in [
        "openmpi4", "openmpi5", "mpich", "mpich5", "intel", "slurm", "cray", "flux", "pals",
        "jsrun", "json",
    ] {
        let (there, back) = (path(format), path("back"));
        let to = ["mapfile", &path("start"), "--to", format, "-o", &there];
        let text = rankfold::run(&[&to[..], &hosts].concat())?
            .success()?
            .stdout;
        ensure!(
            text.contains(&there) || format == "json",
            "{format}: no line to run in {text:?}"
        );
        let to = [
            "mapfile", &there, "--from", format, "--to", "seq", "-o", &back,
        ];
        rankfold::run(&[&to[..], &hosts].concat())?.success()?;
        let back = fs::read_to_string(back)?;
        ensure!(back == start, "{format}: {start:?} came back as {back:?}");
    }
    let order = fs::read_to_string(path("cray"))?;
    ensure!(order == "1,2\n0,3\n", "{order:?}");
    let hosts = fs::read_to_string(path("pals.hosts"))?;
    ensure!(hosts == "n0\nn1\n", "{hosts:?}");
    Ok(())
}

/// Ranks are scattered over 64 hosts of 128 cores, none of which exists. Open MPI's launcher
/// simulates the allocation, reads the rankfile, and prints where it would start every rank.
fn simulated() -> Result<()> {
    const HOSTS: usize = 64;
    const CORES: usize = 128;
    let scratch = tempfile::tempdir()?;
    let path = |name: &str| scratch.path().join(name).display().to_string();
    let ranks = HOSTS * CORES;
    // Multiplication by an odd factor permutes the slots, since their number is a power of two.
    let slots: Vec<usize> = (0..ranks).map(|rank| rank * 4093 % ranks).collect();
    let nodes: Vec<usize> = slots.iter().map(|slot| slot / CORES).collect();
    let placement = serde_json::json!({ "ranks": ranks, "slots": slots, "nodes": nodes });
    fs::write(path("map.json"), placement.to_string())?;
    let mut lstopo = Command::new("lstopo-no-graphics");
    lstopo.args(["-i", "package:2 core:64 pu:1", "--of", "xml"]);
    process::run(lstopo.arg(path("node.xml")), "")?.success()?;
    let (map, node, rankfile) = (path("map.json"), path("node.xml"), path("rankfile"));
    let from = ["mapfile", &map, "--from", "json", "--cores", "128"];
    let to = ["--node", &node, "--to", "openmpi5", "-o", &rankfile];
    rankfold::run(&[from, to].concat())?.success()?;

    let line = format!(
        "--prtemca ras_simulator_num_nodes {HOSTS} --prtemca ras_simulator_slots {CORES} \
         --prtemca ras_simulator_topo_files {node} --map-by rankfile:file={rankfile} -n {ranks} \
         --display map:parseable --do-not-launch true"
    );
    let mut command = Command::new(Mpi::OpenMpi5.launcher());
    mpi::environment(&mut command).env_remove("PRTE_MCA_hwloc_default_binding_policy");
    let finished = process::run(command.args(line.split_whitespace()), "")?.success()?;
    let (mut host, mut rank, mut seen) = (None, None, 0);
    for line in finished.stdout.lines() {
        let number = |before: &str| {
            let (_, rest) = line.split_once(before)?;
            let end = rest.find(|c: char| !c.is_ascii_digit())?;
            rest[..end].parse::<usize>().ok()
        };
        host = number("<host name=\"nodeA").or(host);
        rank = number("<rank id=\"").or(rank);
        if let (Some(core), Some(host), Some(rank)) = (number("<core>"), host, rank) {
            let slot = host * CORES + core;
            ensure!(slot == slots[rank], "rank {rank} would be on slot {slot}");
            seen += 1;
        }
    }
    ensure!(
        seen == ranks,
        "{seen} of {ranks} ranks: {}",
        finished.stderr
    );
    Ok(())
}

fn refusals() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let path = |name: &str| scratch.path().join(name).display().to_string();
    fs::write(path("nodes"), "0\n1\n1\n")?;
    fs::write(path("coordinates"), "(0,1)\n")?;
    let cases: [(&[&str], &str); 6] = [
        (
            &[&path("nodes"), "--to", "cray"],
            "--to cray: node 1 has 2 ranks",
        ),
        (
            &[&path("nodes"), "--to", "seq"],
            "--to seq names hosts: pass --hosts",
        ),
        (
            &[&path("nodes"), "--to", "lsf"],
            "invalid value 'lsf' for '--to <FORMAT>'",
        ),
        (
            &[&path("nodes"), "--from", "mpich", "--to", "nodes"],
            "is not of this format",
        ),
        (
            &[&path("coordinates"), "--to", "nodes"],
            "pass --hosts, --cores or --machine",
        ),
        (
            &[&path("nodes"), "--to", "nodes", "--hosts", "a"],
            "node 1 on a machine of 1 node",
        ),
    ];
    for (words, expected) in cases {
        let out = path("out");
        let all = [&["mapfile"], words, &["-o", &out]].concat();
        let output = rankfold::run(&all)?;
        ensure!(output.status == 2, "{words:?}: status {:?}", output.status);
        ensure!(
            output.stderr.contains(expected),
            "{words:?}: {:?}",
            output.stderr
        );
        ensure!(!Path::new(&out).exists(), "{words:?} wrote a file");
    }
    Ok(())
}

fn same_seed_same_bytes() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let path = |name: &str| scratch.path().join(name).display().to_string();
    let input = path("ring.mtx");
    ring(&input, 24)?;
    let map = |options: &[&str]| -> Result<Vec<u8>> {
        let output = path("map");
        let words = [
            "map",
            &input,
            "--machine",
            "torus:6x4",
            "--seed",
            "7",
            "-o",
            &output,
        ];
        rankfold::run(&[&words[..], options].concat())?.success()?;
        Ok(fs::read(output)?)
    };
    let one = map(&["--threads", "1"])?;
    ensure!(
        one == map(&["--threads", "2"])?,
        "one thread and two differ"
    );
    Ok(())
}

/// Writes a shuffled ring of ranks, some of whose edges are heavier, as a Matrix Market file.
fn ring(path: &str, ranks: usize) -> Result<()> {
    let mut text =
        format!("%%MatrixMarket matrix coordinate integer general\n{ranks} {ranks} {ranks}\n");
    for rank in 0..ranks {
        // 5 has no common factor with 16 or 24: the steps form one ring through all ranks.
        let next = (rank + 5) % ranks;
        writeln!(text, "{} {} {}", rank + 1, next + 1, 1000 + 10 * rank)?;
    }
    Ok(fs::write(path, text)?)
}

fn host_names(path: &str, hosts: usize) -> Result<()> {
    let names: String = (0..hosts).map(|i| format!("host{i}\n")).collect();
    Ok(fs::write(path, names)?)
}

fn json(path: &str) -> Result<Value> {
    let text = fs::read_to_string(Path::new(path)).with_context(|| path.to_owned())?;
    Ok(serde_json::from_str(&text)?)
}
