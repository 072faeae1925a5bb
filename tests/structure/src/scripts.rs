//! What scripts say of themselves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The bash scripts in `folder` that fail with `--help`, or that do not show there how they are
/// called: a line that begins with two blanks and the name of the script.
pub(crate) fn without_help(folder: &Path) -> Vec<String> {
    let scripts = bash_scripts(folder);
    assert!(scripts.len() > 1, "{} has no scripts", folder.display());
    let mut without = Vec::new();
    for script in scripts {
        let shown = script.display();
        let finished = Command::new(&script)
            .arg("--help")
            .output()
            .unwrap_or_else(|error| panic!("{shown}: {error}"));
        let name = script.file_name().unwrap_or_default().to_string_lossy();
        let usage = String::from_utf8_lossy(&finished.stdout);
        let is_called = usage.lines().any(|line| {
            let line = line.strip_prefix("  ").unwrap_or_default().trim_start();
            line == name || line.starts_with(&format!("{name} "))
        });
        if !finished.status.success() || !is_called {
            without.push(format!("{shown}: {}: {usage}", finished.status));
        }
    }
    without
}

fn bash_scripts(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry of a folder can be read").path());
    let is_bash = |path: &PathBuf| {
        fs::read_to_string(path).is_ok_and(|text| text.starts_with("#!/usr/bin/env bash\n"))
    };
    let mut scripts: Vec<PathBuf> = paths
        .filter(|path| path.is_file())
        .filter(is_bash)
        .collect();
    scripts.sort();
    scripts
}
