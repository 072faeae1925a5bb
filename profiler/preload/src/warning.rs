//! How this library speaks: a line on standard error, in one `write`, so that ranks do not mix
//! theirs.

use std::fmt::Display;
use std::io::Write;
use std::mem;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

/// Writes one line.
pub fn warn(text: impl Display) {
    let line = format!("rankfold: {text}\n");
    // Nobody is left to tell when standard error is closed.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// The same, for what every rank may have to say of `topic`: one process of this run does on each
/// host.
pub fn warn_once_a_host(run: &str, topic: &str, text: impl Display) {
    if first_of_host(run, topic) {
        warn(text);
    }
}

/// Whether this process is the first of this run on its host to ask so for `topic`. It is the one
/// that gets a name in the system that ends with the process and is in no directory.
#[must_use]
pub fn first_of_host(run: &str, topic: &str) -> bool {
    let name = format!("rankfold-said-{topic}-{run}");
    match SocketAddr::from_abstract_name(&name).and_then(|name| UnixListener::bind_addr(&name)) {
        Ok(listener) => {
            mem::forget(listener);
            true
        }
        // Better said twice than not at all.
        Err(error) => error.kind() != std::io::ErrorKind::AddrInUse,
    }
}
