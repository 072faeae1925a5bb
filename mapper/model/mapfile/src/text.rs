//! Helpers for formats that consist of lines.

use super::{MAX_RANKS, MapfileError, Result};
use std::iter;
use std::sync::Arc;

/// Lines with contents, each with its 1-based number. `#` comments and blank lines are dropped.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..)
        .zip(text.lines())
        .map(|(number, line)| (number, line.split('#').next().unwrap_or_default().trim()))
        .filter(|(_, line)| !line.is_empty())
}

/// Whether a word is a host name: it has no characters with a meaning in the formats.
pub(super) fn is_host(word: &str) -> bool {
    word.chars()
        .all(|c| c.is_ascii_alphanumeric() || "-._".contains(c))
        && word.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// The error for a line that breaks the format.
pub(super) fn malformed(file: &str, line: usize, problem: impl Into<String>) -> MapfileError {
    MapfileError::Malformed {
        file: file.into(),
        line,
        problem: problem.into(),
    }
}

/// The contents as text; `None` if they are binary.
pub(super) fn utf8(content: &[u8]) -> Option<&str> {
    std::str::from_utf8(content).ok()
}

/// Adds `count` ranks on `host` to the hosts of the ranks.
pub(super) fn seat(
    hosts: &mut Vec<Arc<str>>,
    host: &str,
    count: usize,
) -> Result<(), &'static str> {
    if count > MAX_RANKS - hosts.len() {
        return Err("more ranks than any job has");
    }
    hosts.extend(iter::repeat_n(Arc::from(host), count));
    Ok(())
}

/// Reads every line of a file with `read`; one line for each rank.
pub(super) fn each_line<T>(
    text: &str,
    file: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>> {
    lines(text)
        .map(|(number, line)| read(line).map_err(|problem| malformed(file, number, problem)))
        .collect()
}
