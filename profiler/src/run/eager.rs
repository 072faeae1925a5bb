//! The longest message that a blocking send does not wait with for the receiver.

use crate::config::Config;
use crate::thread::burst;
use rankfold_preload::warning::warn;
use rankfold_profile::env;

/// Takes what the launcher asked for. What is no number of bytes changes nothing, and rank 0 says
/// so.
pub(super) fn configure(config: &Config, rank: u32) {
    let Some(wanted) = &config.eager else { return };
    match wanted.to_str().and_then(|wanted| wanted.parse().ok()) {
        Some(bytes) => burst::set_eager(bytes),
        None if rank == 0 => warn(format_args!(
            "{}={} is no number of bytes: left as it is without",
            env::EAGER,
            wanted.display()
        )),
        None => {}
    }
}
