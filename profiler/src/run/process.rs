//! What a journal says about the process that writes it.

use crate::config::Config;
use crate::journal::{self, head::Head, notes};
use crate::memory;
use rankfold_preload::process::{cores, host, library};
use rankfold_preload::warning::warn_once_a_host;
use rankfold_wire::env;
use rankfold_wire::journal::layout::NO_STAMP;

/// The host, the MPI library and the command line of this process.
pub(super) struct Process {
    pub(super) host: String,
    /// The first line of the version that the MPI library reports.
    pub(super) mpi: String,
    /// The command line.
    pub(super) program: String,
}

impl Process {
    /// Describes this process. MPI must allow to ask for its version.
    pub(super) fn describe() -> Self {
        Self {
            host: host(),
            mpi: library(),
            program: program(),
        }
    }

    /// Opens the journal of this process, which is rank `rank` of `ranks`. The journal has no stamp
    /// of the world yet: the ranks agree on it later, or, with sessions, never.
    ///
    /// Returns whether the journal is a file, which a crash leaves behind. If not, a warning gives
    /// the reason and `consequence`.
    pub(super) fn open_journal(
        &self,
        config: &Config,
        rank: u32,
        ranks: u32,
        consequence: &str,
    ) -> bool {
        let head = Head {
            run: &config.run,
            stamp: NO_STAMP,
            rank,
            ranks,
            host: &self.host,
            mpi: &self.mpi,
            program: &self.program,
        };
        memory::bound(env::memory(config.memory.as_deref(), ranks));
        let opened = journal::open(&config.journals, &head);
        notes::cores(cores());
        let Some(error) = opened else {
            return true;
        };
        let directory = config.journals.display();
        let text = format_args!("no journals can be kept in {directory} ({error}): {consequence}");
        warn_once_a_host(&config.run, "journals", text);
        false
    }
}

fn program() -> String {
    let line = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let words = line.split(|&byte| byte == 0).map(String::from_utf8_lossy);
    words.collect::<Vec<_>>().join(" ").trim_end().to_owned()
}
