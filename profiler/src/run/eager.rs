//! The eager limit: the length of the longest message that a blocking send transfers without
//! waiting for the receiver.

use crate::config::Config;
use crate::thread::burst;
use rankfold_preload::warning::warn;
use rankfold_wire::env;

/// Sets the eager limit for which the launcher has asked. If the value is not a number of bytes,
/// the limit stays as it is, and rank 0 says so.
pub(super) fn configure(config: &Config, rank: u32) {
    let Some(wanted) = &config.eager else { return };
    match wanted.to_str().and_then(|wanted| wanted.parse().ok()) {
        Some(bytes) => burst::set_eager(bytes),
        None if rank == 0 => warn(format_args!(
            "{}={} is not a number of bytes: ignored",
            env::EAGER,
            wanted.display()
        )),
        None => {}
    }
}
