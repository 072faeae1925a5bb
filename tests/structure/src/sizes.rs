//! Comments that are wider than a page, which formatters leave as they are, and sources that are
//! too long.

use std::fs;
use std::path::{Path, PathBuf};

/// The widest line of a comment, in characters: as wide as rustfmt lets code be.
const WIDEST: usize = 100;

/// File and line of every comment in `root` that is wider than [`WIDEST`], in every language that
/// [`comments_of`] knows.
pub(crate) fn wide_comments(root: &Path) -> Vec<String> {
    let mut files = Vec::new();
    files_below(root, &mut files);
    let commented = files
        .into_iter()
        .filter_map(|file| Some((comments_of(&file)?, file)));
    commented
        .flat_map(|(mut has_comment, file)| {
            faults_of(root, &file, |line| {
                let width = line.chars().count();
                let is_comment = has_comment(line);
                (is_comment && width > WIDEST).then(|| format!("a comment {width} wide"))
            })
        })
        .collect()
}

/// Says of each line of a file, from the first to the last, whether it has a comment.
type Comments = Box<dyn FnMut(&str) -> bool>;

/// The comments of this file's language. `None` for files without comments, and for languages that
/// are not known here.
fn comments_of(file: &Path) -> Option<Comments> {
    let is_script = || fs::read_to_string(file).is_ok_and(|text| text.starts_with("#!"));
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("rs") => Some(Box::new(has_comment)),
        Some("c" | "h" | "cpp" | "js" | "css") => Some(Box::new(has_comment_of_c)),
        Some("py" | "sh" | "toml" | "yml" | "eb" | "tcl" | "def" | "lmp" | "txt") => {
            Some(after_hash())
        }
        Some("lua") => Some(Box::new(|line| line.trim_start().starts_with("--"))),
        Some("F90") => Some(Box::new(|line| line.trim_start().starts_with('!'))),
        None if file.ends_with("Containerfile") || is_script() => Some(after_hash()),
        _ => None,
    }
}

/// Whether a line of C has a comment. In a comment of several lines, each line begins with a star.
fn has_comment_of_c(line: &str) -> bool {
    let begun = line.trim_start();
    has_comment(line) || ["/*", "*"].iter().any(|mark| begun.starts_with(mark))
}

/// Lines that begin with `#`, and the docstrings of Python. A docstring begins a line; a string of
/// several lines that is a value does not.
fn after_hash() -> Comments {
    const QUOTES: &str = "\"\"\"";
    let (mut in_docstring, mut in_value) = (false, false);
    Box::new(move |line| {
        let line = line.trim_start();
        let is_docstring = in_docstring || (!in_value && line.starts_with(QUOTES));
        if line.matches(QUOTES).count() % 2 == 1 {
            if is_docstring {
                in_docstring = !in_docstring;
            } else {
                in_value = !in_value;
            }
        }
        is_docstring || line.starts_with('#')
    })
}

/// File and line of every arm of a `match` on a `bool`, which `if` and `else` say plainer.
pub(crate) fn arms_of_bools(root: &Path) -> Vec<String> {
    faults(root, |line| {
        let arms = ["true =>", "false =>"];
        let is_arm = arms.iter().any(|arm| line.trim_start().starts_with(arm));
        is_arm.then(|| "a match on a bool".to_owned())
    })
}

/// File, line and fault of every line of Rust in `root` in which `fault` finds one.
fn faults(root: &Path, fault: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut files = Vec::new();
    rust_files(root, &mut files);
    assert!(files.len() > 1, "{} has no sources", root.display());
    let of_file = |file: &PathBuf| faults_of(root, file, &fault);
    files.iter().flat_map(of_file).collect()
}

/// File, line and fault of every line of one file in which `fault` finds one.
fn faults_of(
    root: &Path,
    file: &Path,
    mut fault: impl FnMut(&str) -> Option<String>,
) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let shown = file.strip_prefix(root).unwrap_or(file).display();
    let lines = (1..).zip(text.lines());
    let found = lines.filter_map(|(number, line): (usize, _)| Some((number, fault(line)?)));
    found
        .map(|(number, fault)| format!("{shown}:{number}: {fault}"))
        .collect()
}

/// The most lines of a source.
const LONGEST: usize = 400;

/// Every Rust file in `root` with more than [`LONGEST`] lines.
pub(crate) fn long_files(root: &Path) -> Vec<String> {
    let mut files = Vec::new();
    rust_files(root, &mut files);
    assert!(files.len() > 1, "{} has no sources", root.display());
    let lines_of = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        text.lines().count()
    };
    let counted = files.iter().map(|file| (file, lines_of(file)));
    let long = counted.filter(|(_, lines)| *lines > LONGEST);
    long.map(|(file, lines)| {
        let shown = file.strip_prefix(root).unwrap_or(file).display();
        format!("{shown}: {lines} lines")
    })
    .collect()
}

/// Whether a comment begins in this line. Slashes inside a string are no comment: an odd number of
/// quotation marks stands before them.
fn has_comment(line: &str) -> bool {
    line.match_indices("//")
        .any(|(at, _)| line[..at].matches('"').count().is_multiple_of(2))
}

/// Adds every Rust file below `folder` to `files`. What cargo builds and hidden folders are left
/// out.
pub(crate) fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let before = files.len();
    files_below(folder, files);
    let found = files.split_off(before);
    let is_rust = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "rs");
    files.extend(found.into_iter().filter(is_rust));
}

/// Adds every file below `folder` to `files`. What cargo builds and hidden folders are left out.
fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.expect("an entry of a folder can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                files_below(&path, files);
            }
        } else {
            files.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_comments_are_found_and_wide_strings_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let long = "x".repeat(WIDEST);
        let text = format!("// fits\n// {long}\nlet a = \"https://{long}\";\nf(); // {long}\n");
        fs::write(folder.path().join("a.rs"), text).unwrap();
        fs::write(folder.path().join("b.rs"), "").unwrap();
        fs::create_dir(folder.path().join("target")).unwrap();
        fs::write(folder.path().join("target/c.rs"), format!("// {long}\n")).unwrap();
        let lines: Vec<String> = wide_comments(folder.path())
            .iter()
            .map(|found| found.split(": ").next().unwrap().to_owned())
            .collect();
        assert_eq!(lines, ["a.rs:2", "a.rs:4"]);
    }

    #[test]
    fn wide_comments_are_found_in_other_languages() {
        let folder = tempfile::tempdir().unwrap();
        let long = "x".repeat(WIDEST);
        let of_c = format!("/* fits\n * {long} */\nint a; // {long}\n// {long}\n");
        let of_python = format!("# {long}\na = '{long}'\n");
        let of_docstrings =
            format!("\"\"\"fits\n{long}.\n\"\"\"\na = \"\"\"\n{long}.\n\"\"\"\nb = '{long}'\n");
        for (name, text) in [
            ("a.c", &of_c),
            ("b.py", &of_python),
            ("docstrings.py", &of_docstrings),
            ("script", &format!("#!/bin/sh\n  # {long}\n")),
            ("no-script", &of_python),
            ("c.md", &of_python),
            ("Containerfile", &of_python),
            ("d.lua", &format!("-- {long}\na = '{long}'\n")),
            ("e.F90", &format!("  ! {long}\nprint *, '{long}'\n")),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let mut lines = wide_comments(folder.path());
        lines.sort();
        let message = |place: &str, width: usize| format!("{place}: a comment {width} wide");
        let expected = [
            message("Containerfile:1", WIDEST + 2),
            message("a.c:2", WIDEST + 6),
            message("a.c:3", WIDEST + 10),
            message("a.c:4", WIDEST + 3),
            message("b.py:1", WIDEST + 2),
            message("d.lua:1", WIDEST + 3),
            message("docstrings.py:2", WIDEST + 1),
            message("e.F90:1", WIDEST + 4),
            message("script:2", WIDEST + 4),
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn arms_of_bools_are_found_and_those_of_tuples_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let text =
            "match a {\n    true => 1,\n    false => 2,\n}\nmatch b {\n    (true, _) => 1,\n}\n";
        fs::write(folder.path().join("a.rs"), text).unwrap();
        fs::write(folder.path().join("b.rs"), "").unwrap();
        let message = |line| format!("a.rs:{line}: a match on a bool");
        assert_eq!(arms_of_bools(folder.path()), [message(2), message(3)]);
    }

    #[test]
    fn a_file_is_long_from_one_line_above_the_limit_on() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("fits.rs"), "\n".repeat(LONGEST)).unwrap();
        fs::write(folder.path().join("long.rs"), "\n".repeat(LONGEST + 1)).unwrap();
        let expected = format!("long.rs: {} lines", LONGEST + 1);
        assert_eq!(long_files(folder.path()), [expected]);
    }
}
