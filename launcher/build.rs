//! Tells `rankfold --version` the commit that is built. With the feature `carry`, the preload
//! libraries are built for the program.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// `git archive` writes the commit in here: see `.gitattributes`.
const ARCHIVED: &str = "$Format:%H$";
/// How many of a commit's digits are told.
const DIGITS: usize = 10;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if env::var_os("CARGO_FEATURE_CARRY").is_some() {
        carry(&root);
    }
    tell_commit(&root);
}

/// Builds the preload libraries with the profile of this build, in a directory of their own, as
/// cargo holds that of this build.
fn carry(root: &Path) {
    let variable = |name: &str| env::var(name).expect("cargo sets it for build scripts");
    let out = PathBuf::from(variable("OUT_DIR"));
    // OUT_DIR is TARGET/PROFILE/build/rankfold-HASH/out.
    let named = out.ancestors().nth(3).and_then(Path::file_name);
    let profile = match named.and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let target = variable("TARGET");
    let built = out.join("libraries");
    let mut cargo = Command::new(variable("CARGO"));
    cargo.current_dir(root).args(["build", "--locked"]);
    cargo.args(["--profile", profile, "--target", &target]);
    cargo.arg("--target-dir").arg(&built);
    println!("cargo::rerun-if-changed=../Cargo.lock");
    println!("cargo::rerun-if-changed=../profiler");
    let files = built.join(&target).join(named.unwrap_or("debug".as_ref()));
    for (package, file, variable) in [
        ("rankfold-profiler", "librankfold.so", "PROFILER"),
        ("rankfold-world", "librankfold_world.so", "WORLD"),
        ("rankfold-nccl", "librankfold_nccl.so", "NCCL"),
    ] {
        cargo.args(["--package", package]);
        let path = files.join(file);
        println!(
            "cargo::rustc-env=RANKFOLD_CARRIED_{variable}={}",
            path.display()
        );
    }
    let status = cargo.status().expect("cargo is there");
    assert!(status.success(), "the preload libraries were not built");
}

fn tell_commit(root: &Path) {
    // A tarball may be unpacked inside of somebody else's repository.
    let is_ours =
        git(root, &["rev-parse", "--show-prefix"]).is_some_and(|prefix| prefix.is_empty());
    let commit = git(root, &["rev-parse", "HEAD"]).filter(|_| is_ours);
    let commit = commit.unwrap_or_else(|| ARCHIVED.to_owned());
    if commit.starts_with('$') {
        return;
    }
    println!("cargo::rustc-env=RANKFOLD_COMMIT={commit:.DIGITS$}");
    if !is_ours {
        return;
    }
    // A commit changes the branch, and a checkout changes HEAD.
    let branch = git(root, &["symbolic-ref", "--quiet", "HEAD"]);
    let names = ["HEAD".to_owned(), "packed-refs".to_owned()]
        .into_iter()
        .chain(branch);
    for path in names.filter_map(|name| git(root, &["rev-parse", "--git-path", &name])) {
        let path = root.join(path);
        // Cargo runs this again at every build for a file that does not exist.
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
}

/// What git prints; `None` if it fails or is not installed.
fn git(directory: &Path, words: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(directory)
        .args(words)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}
