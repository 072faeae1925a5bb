//! Tells `rankfold --version` the commit that is built. Sources without git, such as a tarball, are
//! built without one.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // A tarball may be unpacked inside of somebody else's repository.
    let is_ours =
        git(&root, &["rev-parse", "--show-prefix"]).is_some_and(|prefix| prefix.is_empty());
    let commit = git(&root, &["rev-parse", "--short=10", "HEAD"]).filter(|_| is_ours);
    let Some(commit) = commit else {
        return;
    };
    println!("cargo::rustc-env=RANKFOLD_COMMIT={commit}");
    // A commit changes the branch, and a checkout changes HEAD.
    let branch = git(&root, &["symbolic-ref", "--quiet", "HEAD"]);
    let names = ["HEAD".to_owned(), "packed-refs".to_owned()]
        .into_iter()
        .chain(branch);
    for path in names.filter_map(|name| git(&root, &["rev-parse", "--git-path", &name])) {
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
