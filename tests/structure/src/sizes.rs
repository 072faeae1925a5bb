//! Comments that are wider than a page, which rustfmt leaves as they are, and sources that are too
//! long.

use std::fs;
use std::path::{Path, PathBuf};

/// The widest line of a comment, in characters: as wide as rustfmt lets code be.
const WIDEST: usize = 100;

/// File and line of every comment in `root` that is wider than [`WIDEST`].
pub(crate) fn wide_comments(root: &Path) -> Vec<String> {
    faults(root, |line| {
        let width = line.chars().count();
        let is_wide = width > WIDEST && has_comment(line);
        is_wide.then(|| format!("a comment {width} wide"))
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
    let mut faults = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let shown = file.strip_prefix(root).unwrap_or(&file).display();
        let found = (1..).zip(text.lines());
        let found = found.filter_map(|(number, line)| Some((number, fault(line)?)));
        faults
            .extend(found.map(|(number, fault): (usize, _)| format!("{shown}:{number}: {fault}")));
    }
    faults
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

/// Every Rust file below `folder`; what cargo builds and hidden folders are left out.
pub(crate) fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.expect("an entry of a folder can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                rust_files(&path, files);
            }
        } else if name.ends_with(".rs") {
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
    fn arms_of_bools_are_found_and_those_of_tuples_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let text =
            "match a {\n    true => 1,\n    false => 2,\n}\nmatch b {\n    (true, _) => 1,\n}\n";
        fs::write(folder.path().join("a.rs"), text).unwrap();
        fs::write(folder.path().join("b.rs"), "").unwrap();
        let told = |line| format!("a.rs:{line}: a match on a bool");
        assert_eq!(arms_of_bools(folder.path()), [told(2), told(3)]);
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
