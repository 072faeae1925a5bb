//! Warnings on standard error. Each is one line in one `write`, so that lines of several ranks do
//! not mix.

use rankfold_wire::env;
use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::mem::{self, MaybeUninit};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::sync::OnceLock;

/// Device and inode of standard error; `None` if it is closed.
type File = Option<(libc::dev_t, libc::ino_t)>;

/// The file that was standard error when the library was loaded.
static STANDARD_ERROR: OnceLock<File> = OnceLock::new();

/// Remembers which file standard error is. Called when the library is loaded.
pub fn remember_standard_error() {
    let _ = STANDARD_ERROR.set(standard_error());
}

fn standard_error() -> File {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: `status` has room for the answer.
    let result = unsafe { libc::fstat(libc::STDERR_FILENO, status.as_mut_ptr()) };
    // SAFETY: the call above has filled the answer if it returned 0.
    (result == 0)
        .then(|| unsafe { status.assume_init() })
        .map(|status| (status.st_dev, status.st_ino))
}

/// Writes one line, with the name of the project in front. Nothing is written if the program has
/// closed standard error: its number may be that of a file of the program by now.
pub fn warn(text: impl Display) {
    let remembered = STANDARD_ERROR.get();
    if remembered.is_some_and(|remembered| *remembered != standard_error()) {
        return;
    }
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

/// Writes one line about `topic` if this process is the first of the run to do so, as far as hosts
/// share the directory of `result`. Hosts that do not share it write a line each.
pub fn warn_once_a_run(run: &str, topic: &str, result: Option<&Path>, text: impl Display) {
    if first_of_host(run, topic) && first_of_run(topic, result) {
        warn(text);
    }
}

/// Whether this process makes the file that says that `topic` was warned about. On any other error
/// the line is written.
fn first_of_run(topic: &str, result: Option<&Path>) -> bool {
    let mark = result.and_then(|result| env::warned(result, topic));
    let made = mark.map(std::fs::File::create_new);
    !matches!(made, Some(Err(error)) if error.kind() == ErrorKind::AlreadyExists)
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
        Err(error) => error.kind() != ErrorKind::AddrInUse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_process_of_a_host_speaks_and_no_other() {
        let run = format!("test-{}", std::process::id());
        assert!(first_of_host(&run, "a"));
        assert!(!first_of_host(&run, "a"));
        assert!(first_of_host(&run, "b"));
    }

    #[test]
    fn the_first_process_of_a_run_speaks_about_each_topic_on_all_hosts_that_share_a_directory() {
        let name = format!("{}mark-{}", env::SCRATCH, std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir(&directory).unwrap();
        let shared = directory.join("seats");
        assert!(first_of_run("a", Some(&shared)));
        assert!(!first_of_run("a", Some(&shared)));
        assert!(first_of_run("b", Some(&shared)));
        std::fs::remove_dir_all(&directory).unwrap();
        assert!(first_of_run("a", None));
        assert!(first_of_run("a", Some(&shared)));
    }
}
