//! `map --certificate` writes proofs that `check` verifies, and refuses when they are damaged.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rankfold-map"))
        .args(words)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Places the graph on a machine, and writes a certificate.
fn map(folder: &Path, machine: &str, certificate: &str, more: &[&str]) -> Output {
    let flags = ["-o", "out.map", "--certificate", certificate];
    let words = [
        &["map", "graph.csv", "--machine", machine],
        &flags[..],
        more,
    ];
    run(folder, &words.concat())
}

/// Writes a graph of 18 ranks, each with two partners, and places it with a certificate.
fn certified(folder: &Path) -> String {
    let messages = (0..18).map(|at| (at * 7 % 18, (at * 7 + 5) % 18));
    let lines = messages.map(|(from, to)| format!("{from},{to},10000,10\n"));
    let text = format!("src,dst,bytes,messages\n{}", lines.collect::<String>());
    fs::write(folder.join("graph.csv"), text).unwrap();
    let out = map(folder, "mesh:3x6", "proof", &[]);
    assert!(out.status.success(), "{out:?}");
    fs::read_to_string(folder.join("proof")).unwrap()
}

#[test]
fn a_written_certificate_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    let text = certified(folder.path());
    let stated = |keyword: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(keyword));
        line.unwrap().trim().to_string()
    };
    let out = run(folder.path(), &["check", "proof"]);
    let printed = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{out:?}");
    assert!(
        printed.contains(&format!(
            "with {} hop-bytes (verified)",
            stated("hop-bytes")
        )),
        "{printed}"
    );
    assert!(
        printed.contains(&format!(
            "fewer than {} hop-bytes (verified)",
            stated("bound")
        )),
        "{printed}"
    );
}

#[test]
fn a_certificate_of_the_busiest_link_is_verified_slow() {
    let folder = tempfile::tempdir().unwrap();
    certified(folder.path());
    let busiest = ["--certificate-of", "busiest-link"];
    let out = map(folder.path(), "torus:3x6", "proof", &busiest);
    assert!(out.status.success(), "{out:?}");
    let out = run(folder.path(), &["check", "proof"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{out:?}");
    // A torus of 3x6 is halved by planes at two places with three links each, in each direction.
    let wanted = "links with a bandwidth of 12 leave the groups: the busiest of them has a congestion of at least ";
    assert!(text.contains(wanted), "{text}");
    let congestion = text.trim().rsplit(' ').next().unwrap();
    assert!(congestion.parse::<f64>().unwrap() > 0.0, "{text}");
}

#[test]
fn a_damaged_certificate_is_refused_with_its_line_and_status_2() {
    let folder = tempfile::tempdir().unwrap();
    let text = certified(folder.path());
    let line = text
        .lines()
        .position(|line| line.starts_with("diagonal"))
        .unwrap();
    let damaged = text.replace("diagonal ", "diagonal x");
    fs::write(folder.path().join("proof"), damaged).unwrap();
    let out = run(folder.path(), &["check", "proof"]);
    let printed = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{out:?}");
    assert!(
        printed.contains(&format!("proof line {}:", line + 1)),
        "{printed}"
    );
}

#[test]
fn a_machine_without_certificates_is_refused_before_the_search() {
    let folder = tempfile::tempdir().unwrap();
    certified(folder.path());
    fs::remove_file(folder.path().join("out.map")).unwrap();
    let out = map(folder.path(), "torus:20x20", "new.proof", &[]);
    assert_eq!(out.status.code(), Some(2), "{out:?}");
    assert!(
        String::from_utf8_lossy(&out.stderr).contains("--certificate"),
        "{out:?}"
    );
    assert!(!folder.path().join("new.proof").exists() && !folder.path().join("out.map").exists());
}
