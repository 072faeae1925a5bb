//! What the launcher asked for.

use rankfold_profile::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

/// The environment variables of [`rankfold_profile::env`], as they were at the start of the process.
pub(crate) struct Config {
    pub(crate) profile: Option<PathBuf>,
    pub(crate) seats: Option<PathBuf>,
    pub(crate) time: bool,
    pub(crate) eager: Option<OsString>,
    pub(crate) journals: PathBuf,
    pub(crate) run: String,
    /// How long other ranks are waited for.
    pub(crate) patience: Duration,
}

/// What is usual.
const PATIENCE: Duration = Duration::from_secs(30);
/// Nobody waits for ever.
const LONGEST: Duration = Duration::from_secs(86_400);

static CONFIG: OnceLock<Config> = OnceLock::new();

pub(crate) fn read() {
    let path = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let run = std::env::var(env::RUN).unwrap_or_default();
    let _ = CONFIG.set(Config {
        profile: path(env::PROFILE),
        // Where ranks are renumbered, the library that does so writes the record.
        seats: path(env::SEATS).filter(|_| path(env::WORLD).is_none()),
        time: path(env::TIME).is_some(),
        eager: std::env::var_os(env::EAGER),
        journals: path(env::JOURNALS).unwrap_or_else(|| PathBuf::from("/dev/shm")),
        // Part of a file name.
        run: run
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c))
            .collect(),
        patience: std::env::var(env::PATIENCE)
            .ok()
            .and_then(|seconds| Duration::try_from_secs_f64(seconds.parse().ok()?).ok())
            .map_or(PATIENCE, |patience| patience.min(LONGEST)),
    });
}

pub(crate) fn get() -> Option<&'static Config> {
    CONFIG.get()
}
