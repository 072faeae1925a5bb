//! Whether collectives are as fast on renumbered ranks on this cluster: found out by the first
//! profiled run, before any rank is renumbered.

use super::context::RunContext;
use crate::commands::profile::Profiled;
use crate::discovery;
use rankfold_cache::{Cache, WorldVerdict};
use rankfold_console::terminal;
use rankfold_launch::config::SiteSettings;
use rankfold_launch::launch::Launch;

/// Whether a profiled run is to find out.
pub(super) fn is_unknown(context: &RunContext) -> bool {
    let cache = context.cache.as_ref();
    cache.is_some_and(|cache| {
        cache
            .world_times(&context.cluster, context.launch)
            .is_none()
    })
}

/// Stores what a profiled run has found out.
pub(super) fn learn(context: &RunContext, profiled: &Profiled) {
    let (Some(cache), Some(times), Some(profile)) =
        (&context.cache, &profiled.world_times, &profiled.profile)
    else {
        return;
    };
    let hosts = &profile.manifest.hosts;
    match cache.keep_world_times(&context.cluster, context.launch, times, hosts) {
        Ok(Ok(verdict)) => terminal::note(verdict),
        Ok(Err(_)) => {}
        Err(error) => terminal::warning(format_args!(
            "how fast renumbered ranks are is not remembered: {error}"
        )),
    }
}

/// Why the ranks of `launch` are not to be renumbered on this cluster; `None` where collectives are
/// as fast, or nothing is known.
pub(super) fn why_not(cache: &Cache, cluster: &str, launch: &Launch) -> Option<String> {
    let verdict = WorldVerdict::of(&cache.world_times(cluster, launch)?)?;
    verdict.is_slower().then(|| verdict.to_string())
}

/// As [`why_not`], for a command that uses nothing else of the cache.
pub(in crate::commands) fn why_not_here(
    settings: &SiteSettings,
    launch: &Launch,
) -> Option<String> {
    let cache = Cache::open(&settings.cache).ok()?;
    why_not(
        &cache,
        &discovery::cluster_of_launch(settings, launch),
        launch,
    )
}
