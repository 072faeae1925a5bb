//! `rankfold generate` on the command line.

use std::path::Path;
use std::process::{Command, Output};

fn generate(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankfold-map"));
    command
        .current_dir(directory)
        .arg("generate")
        .args(arguments);
    command.output().unwrap()
}

#[test]
fn a_matrix_names_its_generator_and_is_read_back() {
    let directory = tempfile::tempdir().unwrap();
    let printed = generate(directory.path(), &["wrf-surrogate", "12"]);
    let text = String::from_utf8(printed.stdout).unwrap();
    let comment = text.lines().nth(1).unwrap();
    assert!(
        comment.starts_with("% wrf-surrogate: surrogate of WRF"),
        "{comment}"
    );
    assert_eq!(text.lines().nth(2), Some("12 12 34"));

    let written = generate(directory.path(), &["wrf-surrogate", "12", "-o", "wrf.mtx"]);
    assert!(written.status.success() && written.stdout.is_empty());
    let file = directory.path().join("wrf.mtx");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    let mut analyze = Command::new(env!("CARGO_BIN_EXE_rankfold-map"));
    let analyzed = analyze.arg("analyze").arg(&file).output().unwrap();
    let found = String::from_utf8(analyzed.stdout).unwrap();
    assert!(found.contains("4x3") || found.contains("3x4"), "{found}");
}

#[test]
fn what_a_generator_cannot_do_ends_with_status_2_and_leaves_no_file() {
    let directory = tempfile::tempdir().unwrap();
    for (arguments, problem) in [
        (["npb-bt", "24", "-o", "a.mtx"], "RANKS"),
        (["npb-ft", "16", "-o", "a.mtx"], "npb-ft"),
        (["npb-cg", "many", "-o", "a.mtx"], "many"),
        (["npb-cg", "16", "-o", "a.xyz"], "a.xyz"),
    ] {
        let refused = generate(directory.path(), &arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8(refused.stderr).unwrap();
        assert!(message.contains(problem), "{message}");
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}
