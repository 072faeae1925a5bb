//! Profiles of real runs converted to other formats: phases, collectives expanded into pairs, and
//! the files of Open MPI's monitoring component.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::Finished;
use rankfold_tests::program::Compiler;
use rankfold_tests::{monitoring, process, program, rankfold};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(crate) fn facts() -> Vec<Fact> {
    type Check = fn(&Run) -> Result<()>;
    let all: [(&str, Check); 6] = [
        (
            "monitoring_and_profile_of_one_program_are_one_matrix",
            monitored_and_profiled,
        ),
        (
            "a_real_run_keeps_its_hop_bytes_in_every_format",
            every_format,
        ),
        ("a_phase_is_converted_and_mapped_by_its_name", phase),
        (
            "all_to_all_as_pairs_is_what_the_program_has_to_move",
            modelled,
        ),
        ("the_models_load_the_pairs_that_open_mpi_loads", measured),
        (
            "collectives_that_dominate_are_mapped_unless_left_out",
            dominating,
        ),
    ];
    let one = |(name, check): (&str, Check)| {
        fact(
            format!("convert::{name}"),
            &[Need::Mpi(Mpi::OpenMpi)],
            move || check(&Run::new()?),
        )
    };
    all.into_iter().map(one).collect()
}

const RANKS: u32 = 12;
/// Columns of the grid into which `transpose` arranges [`RANKS`] ranks.
const COLUMNS: &str = "4";

/// A directory in which test programs run and leave their files.
struct Run {
    scratch: TempDir,
}

impl Run {
    fn new() -> Result<Self> {
        let scratch = tempfile::tempdir()?;
        Ok(Self { scratch })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// Profiles the program into `run.rfp`. Returns what the program printed.
    fn profile(&self, ranks: u32, program: &Path, args: &[&str]) -> Result<String> {
        let output = self.path("run.rfp");
        let mut command = rankfold::profile_command(Mpi::OpenMpi, &output, ranks, program, args);
        Ok(process::run(&mut command, "")?.success()?.stdout)
    }

    /// `rankfold ARGS` in the directory of the files.
    fn rankfold(&self, args: &[&str]) -> Result<Finished> {
        process::run(rankfold::command(args).current_dir(self.scratch.path()), "")
    }

    /// Converts `input` with these options, and reads the resulting matrix.
    fn matrix(&self, input: &str, options: &[&str]) -> Result<Matrix> {
        let args = [&["convert", input, "out.csv"], options].concat();
        self.rankfold(&args)?.success()?;
        of_list(&self.path("out.csv"))
    }
}

/// Reads `source,destination,bytes,messages` lines.
fn of_list(path: &Path) -> Result<Matrix> {
    let text = fs::read_to_string(path)?;
    let mut matrix = Matrix::default();
    for line in text.lines().skip(1) {
        let words: Vec<&str> = line.split(',').collect();
        let (source, destination, bytes, messages) = match words[..] {
            [source, destination, bytes, messages] => (source, destination, bytes, messages),
            // Where no rank sent anything, the file has no column of messages.
            [_, _, "0"] => continue,
            _ => anyhow::bail!("{line:?}"),
        };
        if messages != "0" {
            matrix.add(
                source.parse()?,
                destination.parse()?,
                bytes.parse()?,
                messages.parse()?,
            );
        }
    }
    fs::remove_file(path)?;
    Ok(matrix)
}

fn monitored_and_profiled(run: &Run) -> Result<()> {
    let program = program::compile(Mpi::OpenMpi, "irregular")?;
    let args = &["5", "100000", "3"];
    run.profile(RANKS, &program, args)?;
    monitoring::run(run.scratch.path(), RANKS, &program, args)?;
    let monitored = run.matrix("rank", &[])?;
    ensure!(monitored.pairs() > 30, "{monitored:?}");
    run.matrix("run.rfp", &[])?.must_equal(&monitored)
}

fn every_format(run: &Run) -> Result<()> {
    let program = program::compile(Mpi::OpenMpi, "stencil2d")?;
    run.profile(RANKS, &program, &["3", "4", "1000", "5", "1"])?;
    let hop_bytes = |input: &str| -> Result<String> {
        let mut args = vec!["eval", input, "--machine", "torus:4x3", "--metrics"];
        args.extend(["--placement", "placement"]);
        let text = run.rankfold(&args)?.success()?.stdout;
        let line = text.lines().find(|line| line.starts_with("hop-bytes"));
        Ok(line.context(text.clone())?.to_owned())
    };
    fs::write(
        run.path("placement"),
        "5\n3\n1\n0\n2\n4\n11\n9\n7\n6\n8\n10\n",
    )?;
    let expected = hop_bytes("run.rfp")?;
    for ending in ["mtx", "csv", "prof", "mat", "graph", "grf"] {
        let file = format!("out.{ending}");
        run.rankfold(&["convert", "run.rfp", &file])?.success()?;
        let converted = hop_bytes(&file)?;
        ensure!(converted == expected, "{file}: {converted}, not {expected}");
    }
    Ok(())
}

fn phase(run: &Run) -> Result<()> {
    let compiler: Compiler = Mpi::OpenMpi.compiler().with("-pthread");
    let program = program::build(&compiler, "phases.c", Mpi::OpenMpi.name())?;
    run.profile(4, &program, &[])?;
    let mut solve = Matrix::default();
    for (bytes, rank) in [10, 20, 40]
        .into_iter()
        .flat_map(|b| (0..4).map(move |r| (b, r)))
    {
        solve.add(rank, (rank + 1) % 4, bytes, 1);
    }
    run.matrix("run.rfp", &["--phase", "solve"])?
        .must_equal(&solve)?;
    let map = [
        "map",
        "run.rfp",
        "--metrics",
        "--machine",
        "torus:4",
        "--phase",
    ];
    let finished = run.rankfold(&[&map[..], &["solve", "-o", "map"]].concat())?;
    let finished = finished.success()?.stdout;
    ensure!(
        finished.contains("280"),
        "four ranks send 70 bytes each: {finished}"
    );
    let wrong = run.rankfold(&[&map[..], &["solver"]].concat())?;
    ensure!(
        wrong.status == 2 && wrong.stderr.contains("solver") && wrong.stderr.contains("7, solve"),
        "status {}: {}",
        wrong.status,
        wrong.stderr
    );
    Ok(())
}

/// Profiles the all-to-all exchanges of a Fourier transform. Returns the profile and the matrix of
/// bytes that the exchanges have to move.
fn transpose(run: &Run) -> Result<(PathBuf, Matrix)> {
    let program = program::compile(Mpi::OpenMpi, "transpose")?;
    let said = run.profile(RANKS, &program, &[COLUMNS])?;
    Ok((program, Matrix::of_program(&said)?))
}

fn modelled(run: &Run) -> Result<()> {
    let (_, said) = transpose(run)?;
    let none = run.matrix("run.rfp", &["--collectives", "none"])?;
    ensure!(none.pairs() == 0, "{none:?}");
    for model in ["auto", "pairwise"] {
        run.matrix("run.rfp", &["--collectives", model])?
            .must_equal(&said)
            .context(model)?;
    }
    Ok(())
}

fn measured(run: &Run) -> Result<()> {
    let (program, said) = transpose(run)?;
    monitoring::run(run.scratch.path(), RANKS, &program, &[COLUMNS])?;
    let measured = run.matrix("rank", &["--collectives"])?;
    // MPI creates communicators with small messages of its own.
    let bulk: BTreeMap<(u32, u32), u64> = measured.bytes().filter(|&(_, b)| b > 1000).collect();
    for (pair, bytes) in said.bytes() {
        let is = bulk.get(&pair).copied().unwrap_or(0);
        ensure!(
            is >= bytes && is < bytes + 1000,
            "{pair:?}: {is} bytes, modelled {bytes}"
        );
    }
    ensure!(bulk.len() == said.pairs(), "other pairs: {bulk:?}");
    Ok(())
}

fn dominating(run: &Run) -> Result<()> {
    transpose(run)?;
    let map = |collectives: &[&str]| {
        let args = [
            "map",
            "run.rfp",
            "--metrics",
            "--machine",
            "torus:4x3",
            "-o",
            "map",
        ];
        run.rankfold(&[&args[..], collectives].concat())?.success()
    };
    let finished = map(&[])?;
    ensure!(
        finished.stderr.contains("modelled and added"),
        "{}",
        finished.stderr
    );
    // The rows are rings of four ranks, the columns rings of three. Every rank sends 300000 bytes
    // over each of 1 + 2 + 1 + 1 + 1 hops.
    ensure!(finished.stdout.contains("21600000"), "{}", finished.stdout);
    fs::remove_file(run.path("map"))?;
    let finished = map(&["--collectives", "none"])?;
    ensure!(!finished.stderr.contains("modelled"), "{}", finished.stderr);
    Ok(())
}
