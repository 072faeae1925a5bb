//! NCCL's plugin behind the commands of rankfold: a launch by a stand-in for `torchrun`, whose
//! processes replay events as NCCL would send them, and directories of journals.

use crate::fact::{Fact, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::program::{self, Compiler};
use rankfold_tests::{process, rankfold};
use rankfold_wire::{Outcome, Profile};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Every rank sends 1000 bytes to the next one, over the network, and takes part in an allreduce.
const RANKS: u32 = 4;

pub(crate) fn facts() -> Vec<Fact> {
    type Check = fn(&Job) -> Result<()>;
    let all: [(&str, Check); 4] = [
        (
            "nccl::a_launch_by_torchrun_is_profiled_and_mapped",
            launched,
        ),
        ("nccl::a_plugin_of_the_user_is_left_alone", left_alone),
        ("nccl::a_directory_of_journals_becomes_a_profile", directory),
        ("nccl::journals_that_do_not_fit_are_bad_input", bad_input),
    ];
    let one = |(name, check): (&str, Check)| fact(name, &[], move || check(&Job::new()?));
    all.into_iter().map(one).collect()
}

/// A directory with a program `torchrun` and the events of every rank.
struct Job {
    scratch: TempDir,
    replay: PathBuf,
    plugin: PathBuf,
}

impl Job {
    fn new() -> Result<Self> {
        let scratch = tempfile::tempdir()?;
        let compiler = Compiler::plain("cc").with("-pthread").with("-ldl");
        let replay = program::build(&compiler, "nccl_replay.c", "plain")?;
        let plugin = rankfold::library().with_file_name("librankfold_nccl.so");
        for rank in 0..RANKS {
            let (next, previous) = ((rank + 1) % RANKS, (rank + RANKS - 1) % RANKS);
            let events = format!(
                "init 0 77 {RANKS} {RANKS} {rank}\ncall 0 AllReduce 100 ncclFloat32 0\n\
                 send 0 Send 1000 ncclInt8 {next}\nsend 0 Recv 1000 ncclInt8 {previous}\n\
                 op 1 0 {rank} {next} 1 1\nstep 1 1\nmoved 1 1000\nstop 1\ndone 1\n\
                 op 2 0 {rank} {previous} 0 1\nstep 2 2\nmoved 2 1000\nstop 2\ndone 2\nend 0\n"
            );
            fs::write(scratch.path().join(format!("events-{rank}")), events)?;
        }
        let torchrun = scratch.path().join("torchrun");
        let text = format!(
            "#!/bin/sh\nfor rank in 0 1 2 3; do\n  \
             RANK=$rank WORLD_SIZE={RANKS} {} \"${{NCCL_PROFILER_PLUGIN:-none}}\" 5 {}/events-$rank &\ndone\nwait\n",
            replay.display(),
            scratch.path().display()
        );
        fs::write(&torchrun, text)?;
        fs::set_permissions(&torchrun, fs::Permissions::from_mode(0o755))?;
        Ok(Self {
            scratch,
            replay,
            plugin,
        })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// `rankfold profile -- torchrun`, not started yet.
    fn profile(&self) -> Command {
        let mut command = rankfold::command(&["profile", "-o"]);
        command.arg(self.file("a.rfp")).arg("--");
        command.arg(self.file("torchrun"));
        command.args(["--standalone", "--nproc-per-node", "4", "train.py"]);
        command
    }

    /// Runs all ranks by hand, with their journals in `journals`.
    fn by_hand(&self, journals: &Path, run: &str) -> Result<()> {
        for rank in 0..RANKS {
            let mut command = Command::new(&self.replay);
            command.arg(&self.plugin).arg("3");
            command.arg(self.file(&format!("events-{rank}")));
            command
                .env("RANKFOLD_JOURNALS", journals)
                .env("RANKFOLD_RUN", run);
            ensure!(command.status()?.success());
        }
        Ok(())
    }
}

/// Checks that the profile holds what the events say.
fn check(profile: &Profile) -> Result<()> {
    let nccl = profile.nccl.as_ref().context("nothing of NCCL")?;
    for rows in [&nccl.network, &nccl.sent] {
        ensure!(rows.len() == RANKS as usize, "{rows:?}");
        for (rank, row) in (0..).zip(rows) {
            let peers: Vec<_> = row.peers.iter().map(|p| (p.rank, p.bytes)).collect();
            ensure!(peers == [((rank + 1) % RANKS, 1000)], "{rank}: {peers:?}");
        }
    }
    ensure!(nccl.collectives.len() == 1 && nccl.collectives[0].calls == 1);
    ensure!(nccl.collectives[0].bytes == 400);
    ensure!(profile.manifest.outcome == Outcome::Finalized);
    Ok(())
}

fn launched(job: &Job) -> Result<()> {
    let finished = process::run(&mut job.profile(), "")?;
    ensure!(finished.status == 0, "{finished:?}");
    ensure!(
        finished
            .stderr
            .contains("NCCL (profiler interface 5): 1 collective"),
        "{finished:?}"
    );
    ensure!(
        finished.stderr.contains("sent 4000 bytes over the network"),
        "{finished:?}"
    );
    let profile = Profile::read(&job.file("a.rfp"))?;
    check(&profile)?;
    let launch = profile.launch.context("no launch")?;
    ensure!(
        launch.command.contains("torchrun --standalone"),
        "{launch:?}"
    );
    let file = job.file("a.rfp").display().to_string();
    let analysed = rankfold::run(&["analyze", &file])?;
    ensure!(analysed.status == 0, "{analysed:?}");
    Ok(())
}

fn left_alone(job: &Job) -> Result<()> {
    let mut command = job.profile();
    command.env("NCCL_PROFILER_PLUGIN", "theirs");
    let finished = process::run(&mut command, "")?;
    ensure!(
        finished.stderr.contains("the plugin does not load"),
        "{finished:?}"
    );
    ensure!(!job.file("a.rfp").exists());
    Ok(())
}

fn directory(job: &Job) -> Result<()> {
    let journals = job.file("journals");
    fs::create_dir(&journals)?;
    job.by_hand(&journals, "job7")?;
    let (from, to) = (journals.display().to_string(), job.file("b.rfp"));
    let finished = rankfold::run(&["recover", &from, "-o", &to.display().to_string()])?;
    ensure!(finished.status == 0, "{finished:?}");
    check(&Profile::read(&to)?)
}

fn bad_input(job: &Job) -> Result<()> {
    let journals = job.file("journals");
    fs::create_dir(&journals)?;
    let from = journals.display().to_string();
    let refused = |wanted: &str| -> Result<()> {
        let output = job.file("b.rfp").display().to_string();
        let finished = rankfold::run(&["recover", &from, "-o", &output])?;
        ensure!(finished.status == 2, "{finished:?}");
        ensure!(finished.stderr.contains(wanted), "{finished:?}");
        ensure!(!job.file("b.rfp").exists());
        Ok(())
    };
    refused("no readable journal")?;
    job.by_hand(&journals, "job7")?;
    job.by_hand(&journals, "job8")?;
    refused("the runs job7 and job8")?;
    let mut files = fs::read_dir(&journals)?.map(|entry| Ok(entry?.path()));
    let files = files.by_ref().collect::<Result<Vec<PathBuf>>>()?;
    let of_job8 = |path: &&PathBuf| path.display().to_string().contains("job8");
    files.iter().filter(of_job8).try_for_each(fs::remove_file)?;
    let cut = files
        .iter()
        .find(|path| !of_job8(path))
        .context("a journal")?;
    let bytes = fs::read(cut)?;
    fs::write(cut, &bytes[..5000])?;
    refused(&cut.display().to_string())?;
    fs::remove_file(cut)?;
    job.by_hand(&journals, "job7")?;
    refused("two jobs")
}
