//! What the line formats share.

use super::MapfileError;

/// The lines that say something: 1-based number and text, `#` comments and blank lines dropped.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..)
        .zip(text.lines())
        .map(|(number, line)| (number, line.split('#').next().unwrap_or_default().trim()))
        .filter(|(_, line)| !line.is_empty())
}

/// A host name: one word with none of the characters the formats give a meaning.
pub(super) fn is_host(word: &str) -> bool {
    word.chars()
        .all(|c| c.is_ascii_alphanumeric() || "-._".contains(c))
        && word.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// A line that breaks the format.
pub(super) fn malformed(file: &str, line: usize, problem: impl Into<String>) -> MapfileError {
    MapfileError::Malformed {
        file: file.into(),
        line,
        problem: problem.into(),
    }
}
