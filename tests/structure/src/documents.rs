//! Paths and tests named in documents.

use crate::sizes::rust_files;
use std::fs;
use std::path::Path;

/// The paths in `documents` that do not exist, with file and line. A path is what stands in
/// backquotes or behind a link and begins like a folder or a file of ours: at the top level or, in
/// a link, beside the document.
pub(crate) fn missing(root: &Path, documents: &[&str]) -> Vec<String> {
    let mut missing = Vec::new();
    for document in documents {
        let text = fs::read_to_string(root.join(document))
            .unwrap_or_else(|error| panic!("{document}: {error}"));
        for (line, text) in text.lines().enumerate() {
            let quoted = text
                .split('`')
                .skip(1)
                .step_by(2)
                .filter(|word| is_path(root, word));
            let quoted = quoted.map(|path| (path, root.join(path)));
            let linked = text
                .split("](")
                .skip(1)
                .filter_map(|rest| rest.split([')', '#']).next());
            let linked = linked.filter(|link| !link.is_empty() && !link.contains("://"));
            let beside = root.join(document);
            let linked = linked.map(|path| (path, beside.with_file_name("").join(path)));
            for (path, file) in quoted.chain(linked) {
                if !file.exists() {
                    missing.push(format!("{document}:{}: there is no {path}", line + 1));
                }
            }
        }
    }
    missing
}

/// The tests in the last column of the tables of `document` that no source defines, with file and
/// line. A test stands in backquotes, and its name has many words; `ways::` and the like stand
/// before those that are run under several MPI libraries.
pub(crate) fn unknown_tests(root: &Path, document: &str) -> Vec<String> {
    const WORDS: usize = 4;
    let mut files = Vec::new();
    rust_files(root, &mut files);
    let sources: Vec<String> = files
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok())
        .collect();
    let text =
        fs::read_to_string(root.join(document)).unwrap_or_else(|e| panic!("{document}: {e}"));
    let rows = (1..)
        .zip(text.lines())
        .filter(|(_, line)| line.starts_with("| "));
    let named = rows.flat_map(|(number, row)| {
        let last = row.trim_end_matches(['|', ' ']).rsplit(" | ").next();
        let words = last.unwrap_or_default().split('`').skip(1).step_by(2);
        words.map(move |word| (number, word))
    });
    let unknown = named.filter(|(_, word)| {
        let name = word.rsplit("::").next().unwrap_or(word);
        let is_test = name.matches('_').count() + 1 >= WORDS;
        is_test && !sources.iter().any(|source| source.contains(name))
    });
    unknown
        .map(|(number, word)| format!("{document}:{number}: there is no test {word}"))
        .collect()
}

/// Whether `word` is a path whose first folder is one of the top level's.
fn is_path(root: &Path, word: &str) -> bool {
    let plain = !word.contains(|c: char| c.is_whitespace() || "*<>{}=".contains(c));
    let known = word
        .split_once('/')
        .is_some_and(|(first, _)| !first.is_empty() && root.join(first).is_dir());
    plain && known && !word.starts_with("target/")
}
