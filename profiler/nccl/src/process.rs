//! What the launcher and the user have told this process, and what it says of itself.

use rankfold_preload::process::is_privileged;
use rankfold_wire::{Numbering, env};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where the journal of this process goes.
pub(crate) struct Destination {
    pub(crate) directory: PathBuf,
    /// Name of the run.
    pub(crate) run: String,
}

impl Destination {
    /// The destination that the environment names; `None` if it names none, or is not to be
    /// trusted: another user may have set the environment of a process with raised privileges.
    pub(crate) fn of_environment() -> Option<Self> {
        if is_privileged() {
            return None;
        }
        let run = std::env::var(env::RUN).unwrap_or_default();
        let directory = env::path(env::JOURNALS);
        if run.is_empty() && directory.is_none() {
            return None;
        }
        // The name becomes part of a file name.
        let clean = |c: &char| c.is_ascii_alphanumeric() || "._-".contains(*c);
        let run: String = run.chars().filter(clean).collect();
        Some(Self {
            directory: directory.unwrap_or_else(|| PathBuf::from("/dev/shm")),
            run: if run.is_empty() { "nccl".into() } else { run },
        })
    }
}

/// The number that the launcher gave this process.
pub(crate) fn numbering() -> Option<Numbering> {
    Numbering::of(|name| std::env::var(name).ok())
}

/// The command line of this process.
pub(crate) fn program() -> String {
    let line = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let words = line.split(|&byte| byte == 0).map(String::from_utf8_lossy);
    words.collect::<Vec<_>>().join(" ").trim_end().to_owned()
}

/// A random number from the system; without its help, one made of the time, the process number
/// and an address.
pub(crate) fn random() -> u64 {
    let mut number = [0; 8];
    // SAFETY: the buffer has the length that the call is told.
    let given = unsafe {
        libc::getrandom(
            number.as_mut_ptr().cast(),
            number.len(),
            libc::GRND_NONBLOCK,
        )
    };
    if given == 8 {
        return u64::from_ne_bytes(number);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos() as u64;
    now ^ u64::from(std::process::id()) << 32 ^ (&raw const number).addr() as u64
}
