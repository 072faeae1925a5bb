//! Result files. Commands check before their work that a file can be written. A written file
//! replaces an older one in one step, so no partial file is ever seen. The name `-` is standard
//! output.

use crate::terminal;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Why a result cannot be written. Both are bad input.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// Two results would go to one file.
    #[error("{path} is named for two results: give each its own file")]
    SameFile {
        /// The file named twice.
        path: PathBuf,
    },
    /// A result would go to a file that the command reads.
    #[error("{path} is read by this command: give the result a file of its own")]
    IsInput {
        /// The file.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("cannot write {path}: {source}; choose another place")]
    Unwritable {
        /// The file named on the command line.
        path: PathBuf,
        /// The system's message.
        source: std::io::Error,
    },
}

/// Checks that [`write()`] will be able to write `path`. Nothing is left behind.
///
/// # Errors
/// [`OutputError::Unwritable`].
pub fn check(path: &Path) -> Result<(), OutputError> {
    if is_stdout(path) {
        return Ok(());
    }
    let attempt = match std::fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(std::io::ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => OpenOptions::new().write(true).open(path).map(drop),
        _ => tempfile::tempfile_in(directory(path)).map(drop),
    };
    attempt.map_err(|source| unwritable(path, source))
}

/// Whether a file name stands for standard output.
#[must_use]
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// What [`outln!`](crate::outln) does. Where standard output takes no more, as on a full disk, the
/// command says so and ends with status 1.
pub fn line(words: std::fmt::Arguments<'_>) {
    match writeln!(std::io::stdout(), "{words}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            terminal::error(format_args!("standard output: {error}"));
            std::process::exit(1);
        }
        _ => {}
    }
}

/// Where the text of a command goes that writes its data as JSON: to standard output, or to
/// standard error where the JSON is on standard output.
#[must_use]
pub fn beside(json: Option<&Path>) -> Box<dyn Write> {
    if json.is_some_and(is_stdout) {
        Box::new(std::io::stderr())
    } else {
        Box::new(std::io::stdout())
    }
}

/// As [`check`], for all result files of a command that reads `inputs`. Two results may not go to
/// one file, and none to an input.
///
/// # Errors
/// [`OutputError::Unwritable`], [`OutputError::SameFile`], [`OutputError::IsInput`].
pub fn check_all<'a, 'b>(
    paths: impl IntoIterator<Item = &'a PathBuf>,
    inputs: impl IntoIterator<Item = &'b Path>,
) -> Result<(), OutputError> {
    let mut seen = Vec::new();
    let inputs: Vec<PathBuf> = inputs.into_iter().map(place).collect();
    for path in paths {
        check(path)?;
        let place = place(path);
        // A device such as /dev/null takes any number of results.
        let device = path.exists() && !path.is_file();
        if !device && inputs.contains(&place) {
            return Err(OutputError::IsInput { path: path.clone() });
        }
        if !device && seen.contains(&place) {
            return Err(OutputError::SameFile { path: path.clone() });
        }
        seen.push(place);
    }
    Ok(())
}

/// The absolute path of a file, which need not exist yet.
fn place(path: &Path) -> PathBuf {
    let directory = directory(path).canonicalize();
    path.canonicalize().unwrap_or_else(|_| {
        let name = path.file_name().unwrap_or_default();
        directory.unwrap_or_default().join(name)
    })
}

/// Writes `contents` to the file `path`. The file is replaced as a whole or, on an error, not at
/// all.
///
/// # Errors
/// [`OutputError::Unwritable`].
pub fn write(path: &Path, contents: &[u8]) -> Result<(), OutputError> {
    if is_stdout(path) {
        let written = std::io::stdout().write_all(contents);
        return written.map_err(|source| unwritable(path, source));
    }
    rankfold_wire::replace(path, contents).map_err(|source| unwritable(path, source))
}

/// As [`write()`], with contents written by `fill`. Errors of `fill` are passed on.
///
/// # Errors
/// Those of `fill` and of the system. The file `path` is then unchanged.
pub fn write_with<E: From<std::io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut dyn std::io::Write) -> Result<(), E>,
) -> Result<(), E> {
    rankfold_wire::replace_with(path, fill)
}

/// The directory of a file: the current one for a bare name.
#[must_use]
pub fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The system refuses to write `path`.
#[must_use]
pub fn unwritable(path: &Path, source: std::io::Error) -> OutputError {
    OutputError::Unwritable {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_leaves_no_trace_and_names_what_cannot_be_written() {
        let scratch = tempfile::tempdir().unwrap();
        check(&scratch.path().join("new")).unwrap();
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
        let lost = scratch.path().join("no/such/file");
        let message = check(&lost).unwrap_err().to_string();
        assert!(message.contains("no/such/file"), "{message}");
        assert!(check(scratch.path()).is_err(), "a directory is no file");
        check(Path::new("/dev/null")).unwrap();
    }

    #[test]
    fn a_hyphen_is_standard_output_and_no_file() {
        let hyphen = Path::new("-");
        check(hyphen).unwrap();
        write(hyphen, b"").unwrap();
        assert!(!hyphen.exists());
        let twice = check_all(&[hyphen.to_owned(), hyphen.to_owned()], []);
        assert!(
            matches!(twice, Err(OutputError::SameFile { .. })),
            "{twice:?}"
        );
    }

    #[test]
    fn no_result_goes_to_a_file_that_is_read() {
        let scratch = tempfile::tempdir().unwrap();
        let named = |name: &str| scratch.path().join(name);
        std::fs::write(named("in"), "").unwrap();
        std::os::unix::fs::symlink("in", named("link")).unwrap();
        for result in ["in", "./in", "link"] {
            let over = check_all(&[named(result)], [&*named("in")]);
            assert!(matches!(over, Err(OutputError::IsInput { .. })), "{over:?}");
        }
        let null = Path::new("/dev/null");
        check_all(&[named("out"), null.to_owned()], [&*named("in"), null]).unwrap();
    }

    #[test]
    fn two_results_need_two_files() {
        let scratch = tempfile::tempdir().unwrap();
        let named = |name: &str| scratch.path().join(name);
        check_all(&[named("a"), named("b")], []).unwrap();
        let twice = check_all(&[named("a"), named("./a")], []);
        assert!(
            matches!(twice, Err(OutputError::SameFile { .. })),
            "{twice:?}"
        );
        let device = PathBuf::from("/dev/null");
        check_all(&[device.clone(), device], []).unwrap();
    }
}
