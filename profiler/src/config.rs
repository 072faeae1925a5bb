//! What the launcher asked for, by environment variables.

use rankfold_preload::process;
use rankfold_wire::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

/// The environment variables of [`rankfold_wire::env`], as they were when the library was
/// loaded.
pub(crate) struct Config {
    pub(crate) profile: Option<PathBuf>,
    pub(crate) seats: Option<PathBuf>,
    /// The record of what collectives take on the world and on a renumbered one.
    pub(crate) world_times: Option<PathBuf>,
    /// Whether `librankfold_world.so` renumbers the ranks of this run.
    pub(crate) renumbered: bool,
    pub(crate) time: Timed,
    /// Whether the MPI library is asked to report what it sends inside collectives.
    pub(crate) monitored: bool,
    /// The time after the end of `MPI_Init` at which counting ends.
    pub(crate) until: Option<Duration>,
    pub(crate) eager: Option<OsString>,
    pub(crate) journals: PathBuf,
    pub(crate) run: String,
    /// The most memory for counters in MiB, as it was set.
    pub(crate) memory: Option<String>,
    /// How long this process waits for other ranks.
    pub(crate) patience: Duration,
}

/// Which ranks measure the time of their calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timed {
    Nobody,
    Sample,
    Everybody,
}

impl Timed {
    /// Maximum number of ranks of a sample. Chosen by hand; not measured.
    const SAMPLE: u32 = 64;

    fn of(value: &std::ffi::OsStr) -> Self {
        if value == env::SAMPLE {
            Self::Sample
        } else {
            Self::Everybody
        }
    }

    /// Whether `rank`, one of `ranks` ranks, measures times.
    pub(crate) fn includes(self, rank: u32, ranks: u32) -> bool {
        match self {
            Self::Nobody => false,
            Self::Sample => rank.is_multiple_of(ranks.div_ceil(Self::SAMPLE).max(1)),
            Self::Everybody => true,
        }
    }
}

static CONFIG: OnceLock<Config> = OnceLock::new();

/// Reads the environment. A process with raised privileges asks for nothing: another user may have
/// set its environment.
pub(crate) fn read() {
    if process::is_privileged() {
        return;
    }
    let run = std::env::var(env::RUN).unwrap_or_default();
    let renumbered = env::path(env::WORLD).is_some();
    let _ = CONFIG.set(Config {
        profile: env::path(env::PROFILE),
        // Where ranks are renumbered, `librankfold_world.so` writes this record.
        seats: env::path(env::SEATS).filter(|_| !renumbered),
        world_times: env::path(env::WORLD_TIMES).filter(|_| !renumbered),
        renumbered,
        time: env::path(env::TIME).map_or(Timed::Nobody, |value| Timed::of(value.as_os_str())),
        // The reports have the ranks that the launcher gave.
        monitored: !renumbered && std::env::var(env::COLLECTIVES).as_deref() == Ok(env::MEASURED),
        until: seconds(env::UNTIL),
        eager: std::env::var_os(env::EAGER),
        journals: env::path(env::JOURNALS).unwrap_or_else(|| PathBuf::from("/dev/shm")),
        // The name becomes part of a file name.
        run: run
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c))
            .collect(),
        memory: std::env::var(env::MEMORY).ok(),
        patience: env::patience(std::env::var(env::PATIENCE).ok().as_deref()),
    });
}

/// The value of an environment variable in seconds.
fn seconds(name: &str) -> Option<Duration> {
    let text = std::env::var(name).ok()?;
    Duration::try_from_secs_f64(text.parse().ok()?).ok()
}

pub(crate) fn get() -> Option<&'static Config> {
    CONFIG.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_over_all_ranks_and_never_large() {
        let timed =
            |ranks: u32| (0..ranks).filter(move |&rank| Timed::Sample.includes(rank, ranks));
        assert_eq!(timed(16).count(), 16);
        for ranks in [64, 65, 1000, 4096, 100_000] {
            let sample = timed(ranks).count();
            assert!((32..=64).contains(&sample), "{sample} of {ranks}");
        }
        assert_eq!(timed(4096).max(), Some(4032));
        assert!(Timed::Everybody.includes(7, 9) && !Timed::Nobody.includes(0, 9));
    }
}
