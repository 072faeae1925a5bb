//! Runs the processes of a job: each replays its events through the plugin.

use crate::job::Job;
use rankfold_wire::{Profile, ProfileError, Recovery, Row, recover};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Name of the run.
pub(crate) const RUN: &str = "replayed";

/// The plugin that was built with this test.
fn plugin() -> PathBuf {
    let exe = std::env::current_exe().expect("a path");
    let deps = exe.parent().expect("a directory");
    let built = [
        deps.join("librankfold_nccl.so"),
        deps.with_file_name("librankfold_nccl.so"),
    ];
    let found = built.into_iter().find(|path| path.is_file());
    found.expect("the plugin: build it with cargo build --release --workspace --all-targets")
}

/// The program that stands in for NCCL.
fn replayer() -> &'static Path {
    static BUILT: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, program) = BUILT.get_or_init(|| {
        let directory = tempfile::tempdir().expect("a directory");
        let program = directory.path().join("nccl_replay");
        let source =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/nccl_replay.c");
        let built = Command::new("cc")
            .args(["-O1", "-pthread", "-o"])
            .arg(&program)
            .arg(source)
            .arg("-ldl")
            .status();
        assert!(built.expect("a C compiler").success());
        (directory, program)
    });
    program
}

/// A directory with the events and the journals of a job.
pub(crate) struct Launch {
    directory: TempDir,
    version: u32,
}

impl Launch {
    pub(crate) fn new(version: u32) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        fs::create_dir(directory.path().join("journals")).expect("a directory");
        Self { directory, version }
    }

    pub(crate) fn journals(&self) -> PathBuf {
        self.directory.path().join("journals")
    }

    /// The process of one rank, not started yet.
    pub(crate) fn process(&self, job: &Job, rank: u32) -> Command {
        let events = &job.events[rank as usize];
        let mut command = Command::new(replayer());
        command.arg(plugin()).arg(self.version.to_string());
        let files = [&events.first].into_iter().chain(&events.threads);
        for (number, text) in files.enumerate() {
            let path = self.directory.path().join(format!("{rank}-{number}"));
            fs::write(&path, text).expect("written");
            command.arg(path);
        }
        for name in [
            "RANK",
            "WORLD_SIZE",
            "SLURM_PROCID",
            "PMI_RANK",
            "OMPI_COMM_WORLD_RANK",
        ] {
            command.env_remove(name);
        }
        command
            .env("RANKFOLD_JOURNALS", self.journals())
            .env("RANKFOLD_RUN", RUN)
            .stderr(Stdio::piped());
        command
    }

    /// Runs all ranks at once. `set` adds to the environment of a rank. Returns how each has ended,
    /// and what it has said.
    pub(crate) fn run(
        &self,
        job: &Job,
        set: impl Fn(u32, &mut Command),
    ) -> Vec<(ExitStatus, String)> {
        let start = |rank| {
            let mut command = self.process(job, rank);
            set(rank, &mut command);
            command.spawn().expect("started")
        };
        let children: Vec<Child> = (0..job.ranks).map(start).collect();
        let outputs = children
            .into_iter()
            .map(|child| child.wait_with_output().expect("ended"));
        outputs
            .map(|output| {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                (output.status, said)
            })
            .collect()
    }

    /// Runs all ranks, which must end well without a word.
    pub(crate) fn run_well(&self, job: &Job, set: impl Fn(u32, &mut Command)) {
        for (rank, (status, said)) in self.run(job, set).into_iter().enumerate() {
            assert!(
                status.success() && said.is_empty(),
                "rank {rank}: {status}\n{said}"
            );
        }
    }

    /// The profile that is made of the journals.
    pub(crate) fn recover(&self) -> Result<Recovery, ProfileError> {
        recover(&self.journals(), RUN).map(|found| found.expect("journals"))
    }

    /// The profile of a job that went well, after a round through a file.
    pub(crate) fn profile(&self) -> Profile {
        let recovery = self.recover().expect("a profile");
        let path = self.directory.path().join("a.rfp");
        recovery.profile.write(&path).expect("written");
        let read = Profile::read(&path).expect("read");
        assert_eq!(read, recovery.profile);
        read
    }
}

/// The bytes of all pairs in rows.
pub(crate) fn pairs(rows: &[Row]) -> BTreeMap<(u32, u32), u64> {
    let of = |(from, row): (usize, &Row)| {
        let peers = row.peers.iter();
        peers
            .map(move |peer| ((from as u32, peer.rank), peer.bytes))
            .collect::<Vec<_>>()
    };
    rows.iter().enumerate().flat_map(of).collect()
}
