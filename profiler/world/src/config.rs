//! What the launcher asked for.

use rankfold_profile::env;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

/// The environment variables of [`rankfold_profile::env`], as they were at the start of the
/// process.
pub(crate) struct Config {
    /// Where the plan is.
    pub(crate) plan: Option<PathBuf>,
    /// Where it is told how topologies are reordered.
    pub(crate) reorder: Option<PathBuf>,
    /// Where it is told how a plan is solved anew.
    pub(crate) solve: Option<PathBuf>,
    /// How long the mapper may take, if that is told.
    pub(crate) budget: Option<Duration>,
    /// Where the seats record goes.
    pub(crate) seats: Option<PathBuf>,
    /// Whether the launcher's variables shall tell the new ranks.
    pub(crate) variables: bool,
    /// How long other ranks are waited for.
    pub(crate) patience: Duration,
    /// The name of the run, for what is said once a host.
    pub(crate) run: String,
}

static CONFIG: OnceLock<Config> = OnceLock::new();

pub(crate) fn read() {
    let (plan, reorder) = (env::path(env::WORLD), env::path(env::REORDER));
    if plan.is_none() && reorder.is_none() {
        return;
    }
    let _ = CONFIG.set(Config {
        // Without a plan the record is the profiler's.
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

/// `None` where nothing was asked for.
pub(crate) fn get() -> Option<&'static Config> {
    CONFIG.get()
}
