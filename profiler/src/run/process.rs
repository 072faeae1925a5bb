//! What a journal says of the process that writes it.

use crate::config::Config;
use crate::journal::{self, head::Head, notes};
use rankfold_preload::process::{cores, host, library};
use rankfold_preload::warning::warn_once_a_host;
use rankfold_profile::journal::layout::NO_STAMP;

/// Where this process runs, and what.
pub(super) struct Process {
    pub(super) host: String,
    /// First line of the MPI library's version.
    pub(super) mpi: String,
    /// The command line.
    pub(super) program: String,
}

impl Process {
    /// This process; the MPI library may be asked for its version from now on.
    pub(super) fn describe() -> Self {
        Self {
            host: host(),
            mpi: library(),
            program: program(),
        }
    }

    /// Opens the journal of this process, which is one of `ranks`. The world's stamp is not in it
    /// yet: the ranks agree on it later, or, with sessions, never. Whether a crash leaves it, as
    /// the reason is told if not, with what follows: `so`.
    pub(super) fn open_journal(&self, config: &Config, rank: u32, ranks: u32, so: &str) -> bool {
        let head = Head {
            run: &config.run,
            stamp: NO_STAMP,
            rank,
            ranks,
            host: &self.host,
            mpi: &self.mpi,
            program: &self.program,
        };
        let opened = journal::open(&config.journals, &head);
        notes::cores(cores());
        let Some(error) = opened else {
            return true;
        };
        let directory = config.journals.display();
        let text = format_args!("{directory} does not hold the journals ({error}): {so}");
        warn_once_a_host(&config.run, "journals", text);
        false
    }
}

fn program() -> String {
    let line = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let words = line.split(|&byte| byte == 0).map(String::from_utf8_lossy);
    words.collect::<Vec<_>>().join(" ").trim_end().to_owned()
}
