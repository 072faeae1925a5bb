//! What the launcher asked for, by environment variables.

use rankfold_preload::process;
use rankfold_wire::env;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

/// The environment variables of [`rankfold_wire::env`], as they were when the library was
/// loaded.
pub(crate) struct Config {
    /// The path of the plan.
    pub(crate) plan: Option<PathBuf>,
    /// The path of the file that says how topologies are reordered.
    pub(crate) reorder: Option<PathBuf>,
    /// The path of the file that says how a plan is made for other hosts.
    pub(crate) solve: Option<PathBuf>,
    /// The time that the mapper may take, if the user has set it.
    pub(crate) budget: Option<Duration>,
    /// The path of the seats record.
    pub(crate) seats: Option<PathBuf>,
    /// Whether the variables in which the launcher gives a process its rank are set to the new
    /// rank.
    pub(crate) variables: bool,
    /// How long this process waits for other ranks.
    pub(crate) patience: Duration,
    /// The name of the run, for warnings that are printed once on each host.
    pub(crate) run: String,
}

static CONFIG: OnceLock<Config> = OnceLock::new();

/// Reads the environment. A process with raised privileges asks for nothing: another user may have
/// set its environment.
pub(crate) fn read() {
    let (plan, reorder) = (env::path(env::WORLD), env::path(env::REORDER));
    if process::is_privileged() || plan.is_none() && reorder.is_none() {
        return;
    }
    let _ = CONFIG.set(Config {
        // Without a plan the profiler writes the seats record.
        seats: env::path(env::SEATS).filter(|_| plan.is_some()),
        plan,
        reorder,
        solve: env::path(env::SOLVE),
        budget: env::budget(std::env::var(env::BUDGET).ok().as_deref()),
        variables: env::path(env::WORLD_VARIABLES).is_some(),
        patience: env::patience(std::env::var(env::PATIENCE).ok().as_deref()),
        run: std::env::var(env::RUN).unwrap_or_default(),
    });
}

/// `None` if the launcher has asked for nothing.
pub(crate) fn get() -> Option<&'static Config> {
    CONFIG.get()
}
