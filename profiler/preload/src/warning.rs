//! Warnings on standard error. Each is one line in one `write`, so that lines of several ranks do
//! not mix.

use std::fmt::Display;
use std::io::Write;
use std::mem;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

/// Writes one line, with the name of the project in front.
pub fn warn(text: impl Display) {
    let line = format!("rankfold: {text}\n");
    // Standard error may be closed. Then there is no way to report anything.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Writes one line about `topic` if this process is the first of the run on its host to do so.
pub fn warn_once_a_host(run: &str, topic: &str, text: impl Display) {
    if first_of_host(run, topic) {
        warn(text);
    }
}

/// Whether this process is the first of the run on its host that calls this function for `topic`.
/// The first process binds an abstract Unix socket, whose name is in no directory and disappears
/// with the process.
#[must_use]
pub fn first_of_host(run: &str, topic: &str) -> bool {
    let name = format!("rankfold-said-{topic}-{run}");
    match SocketAddr::from_abstract_name(&name).and_then(|name| UnixListener::bind_addr(&name)) {
        Ok(listener) => {
            mem::forget(listener);
            true
        }
        // On any other error the line is written: twice is better than never.
        Err(error) => error.kind() != std::io::ErrorKind::AddrInUse,
    }
}
