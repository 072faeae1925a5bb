//! Errors as Python exceptions.

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

pyo3::create_exception!(
    rankfold,
    Error,
    PyValueError,
    "Bad input: the message names the file and the line, or the argument, to change."
);

/// Options of the command line that the messages of the mapper name, and what Python calls them.
const ARGUMENTS: &[(&str, &str)] = &[
    ("--machine", "machine"),
    ("--cores", "cores"),
    ("--hosts", "hosts"),
    ("--node", "node"),
    ("--phase", "phase"),
    ("--collectives", "collectives"),
    ("--heuristic", "heuristic"),
    ("--to", "format"),
];

/// An error in words as a Python exception.
#[expect(clippy::needless_pass_by_value, reason = "map_err passes errors on")]
pub(crate) fn refused(problem: impl ToString) -> PyErr {
    let problem = problem.to_string();
    let words = problem.split_inclusive([' ', ':']).map(|word| {
        let known = ARGUMENTS.iter().find_map(|(option, argument)| {
            let rest = word.strip_prefix(option)?;
            let whole = !rest.starts_with(|next: char| next.is_alphanumeric() || next == '-');
            whole.then(|| [argument, rest].concat())
        });
        known.unwrap_or_else(|| word.to_owned())
    });
    Error::new_err(words.collect::<String>())
}

/// The exception for an error of the mapper.
pub(crate) fn mapper(error: impl Into<rankfold_mapper::error::Error>) -> PyErr {
    refused(error.into())
}
