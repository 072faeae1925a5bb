//! What packages say of themselves, packages of 64-bit Arm, and the recipe of Spack.

use crate::fact::{Fact, Need, fact};
use crate::made::{package, package_with, root, text};
use crate::packages::{portable_package, run, unpacked};
use anyhow::{Context, Result, ensure};
use rankfold_tests::{process, rankfold};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn facts() -> Vec<Fact> {
    let python = Need::Tool("python3");
    vec![
        fact(
            "packages::no_link_in_an_installed_document_is_dead",
            &[Need::Tool("tar"), python],
            links,
        ),
        fact(
            "packages::a_tarball_comes_and_goes_by_the_lines_of_the_guide",
            &[Need::Tool("bash"), Need::Tool("tar")],
            lines_of_the_guide,
        ),
        fact(
            "packages::a_wheel_tells_a_package_index_what_it_is",
            &[python],
            metadata,
        ),
        fact(
            "packages::the_wheel_is_for_every_glibc_from_2_17",
            &[Need::Portable],
            tags,
        ),
        fact(
            "packages::the_recipe_of_spack_installs_what_a_tarball_holds",
            &[python, Need::Tool("git"), Need::Tool("tar")],
            spack,
        ),
        fact(
            "packages::the_source_of_a_release_knows_its_commit",
            &[Need::Tool("git"), Need::Tool("tar"), Need::Tool("rustc")],
            commit,
        ),
        fact(
            "packages::of_64_bit_arm_place_as_this_machine_does",
            &[Need::Tool("qemu-aarch64"), Need::Arm],
            arm,
        ),
    ]
}

/// The targets of all links in a document, without those in code.
fn targets(document: &str) -> Vec<String> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in document.lines() {
        fenced ^= line.starts_with("```");
        if fenced || line.starts_with("    ") {
            continue;
        }
        // Between backquotes stands code.
        let prose: String = line.split('`').step_by(2).collect();
        for part in prose.split("](").skip(1) {
            found.extend(part.split(')').next().map(str::to_owned));
        }
    }
    found
}

fn is_relative(target: &str) -> bool {
    !target.contains("://") && !target.starts_with('#')
}

/// Every file below a directory.
fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// A home without `~/.local` has nothing left of a tarball that is unpacked and removed.
fn lines_of_the_guide() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let tarball = package(scratch.path(), "tarball")?;
    let there = tarball.parent().context("a file is in a directory")?;
    let guide = fs::read_to_string(root().join("launcher/INSTALL.md"))?;
    let home = scratch.path().join("home");
    fs::create_dir(&home)?;
    let follow = |row: &str| {
        let row = guide.lines().find(|line| line.starts_with(row));
        let line = row.and_then(|row| row.rsplit('`').nth(1));
        let line = line.context("the guide has no such line")?;
        let mut shell = Command::new("bash");
        shell.args(["-c", line]).env("HOME", &home);
        process::run(shell.current_dir(there), "")?.success()
    };
    follow("| nothing but a shell |")?;
    ensure!(home.join(".local/bin/rankfold").is_file());
    follow("| tarball |")?;
    let left = files(&home)?;
    ensure!(left.is_empty(), "{left:?}");
    Ok(())
}

fn links() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let documents = unpacked(scratch.path(), "opt")?.join("share/doc/rankfold");
    let pages = files(&documents)?;
    let pages = pages
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "md"));
    let mut relative = 0;
    for page in pages {
        let below = page.parent().context("a file is in a directory")?;
        for target in targets(&fs::read_to_string(page)?) {
            if is_relative(&target) {
                let path = target.split('#').next().unwrap_or_default();
                ensure!(
                    below.join(path).exists(),
                    "{}: {target} is not there",
                    page.display()
                );
                relative += 1;
            }
        }
    }
    ensure!(relative > 10, "only {relative} links lead to other files");
    Ok(())
}

const ADDRESS: &str = "https://example.org/rankfold";

fn metadata() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let made = package_with(&["--url", ADDRESS], scratch.path(), &["wheel"])?;
    let script = "import sys, zipfile; wheel = zipfile.ZipFile(sys.argv[1]); \
                  print(*wheel.namelist(), sep='\\n'); print(); \
                  print(wheel.read(sys.argv[2]).decode())";
    // Python writes 0.4.0-dev as 0.4.0.dev0.
    let version = env!("CARGO_PKG_VERSION").replace("-dev", ".dev0");
    let name = format!("rankfold-{version}.dist-info/METADATA");
    let words = ["-c", script, &text(&made[0]), &name];
    let printed = run("python3", &words.map(OsStr::new))?.stdout;
    let (names, metadata) = printed.split_once("\n\n").context("names, then metadata")?;
    for name in [
        "rankfold/__init__.py",
        "rankfold/py.typed",
        "licenses/LICENSE-MIT",
    ] {
        ensure!(names.contains(name), "no {name} in {names}");
    }
    let (fields, page) = metadata.split_once("\n\n").context("fields, then a page")?;
    for field in [
        "License-Expression: MIT OR Apache-2.0",
        "Project-URL: Repository, https://example.org/rankfold",
        "Requires-Dist: numpy; extra == \"data\"",
        "Classifier: Operating System :: POSIX :: Linux",
    ] {
        ensure!(
            fields.lines().any(|line| line == field),
            "no {field} in {fields}"
        );
    }
    let required = fields
        .lines()
        .filter(|line| line.starts_with("Requires-Dist"));
    ensure!(
        required.clone().all(|line| line.contains("extra ==")),
        "the commands need other packages: {:?}",
        required.collect::<Vec<_>>()
    );
    let dead: Vec<String> = targets(page)
        .into_iter()
        .filter(|t| is_relative(t))
        .collect();
    ensure!(dead.is_empty(), "an index has no such files: {dead:?}");
    ensure!(page.contains(&format!("]({ADDRESS}/blob/")), "{page}");
    Ok(())
}

fn tags() -> Result<()> {
    let packages = portable_package("_amd64.deb").context("no package")?;
    let below = packages.parent().context("a file is in a directory")?;
    let wheel = files(below)?.into_iter().find(|path| {
        let name = text(path);
        name.ends_with("-cp39-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.whl")
    });
    ensure!(wheel.is_some(), "no wheel in {}", below.display());
    Ok(())
}

/// Unpacks the source of a release in `scratch`. Returns its directory, and its recipe of Spack.
fn source(scratch: &Path) -> Result<(PathBuf, PathBuf)> {
    let mut made = package_with(&[], scratch, &["source"])?;
    let words = ["-xzf", &text(&made[0]), "-C", &text(scratch)];
    run("tar", &words.map(OsStr::new))?;
    let release = format!("rankfold-{}", env!("CARGO_PKG_VERSION"));
    Ok((scratch.join(release), made.swap_remove(1)))
}

/// Runs the build script of the launcher, as cargo does.
fn commit() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let launcher = source(scratch.path())?.0.join("launcher");
    let script = scratch.path().join("build");
    let words = ["--edition=2024", "-o", &text(&script), "build.rs"];
    process::run(Command::new("rustc").args(words).current_dir(&launcher), "")?.success()?;
    let mut command = Command::new(script);
    let told = process::run(command.env("CARGO_MANIFEST_DIR", launcher), "")?.success()?;
    let words = ["-C", &text(&root()), "rev-parse", "HEAD"];
    let commit = run("git", &words.map(OsStr::new))?.stdout;
    let line = format!("cargo::rustc-env=RANKFOLD_COMMIT={commit:.10}\n");
    ensure!(told.stdout.contains(&line), "{told:?}");
    Ok(())
}

/// Runs the recipe with an imitation of Spack, and a cargo that has compiled already.
fn spack() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let (source, recipe) = source(scratch.path())?;
    let prefix = scratch.path().join("prefix");
    let mut command = Command::new("python3");
    command
        .arg(root().join("scripts/lib/package/spack.py"))
        .args([&recipe, &source, &rankfold::build_directory(), &prefix]);
    process::run(&mut command, "")?.success()?;
    let tarball = unpacked(scratch.path(), "opt")?;
    let inside = |prefix: &Path| -> Result<Vec<PathBuf>> {
        let all = files(prefix)?.into_iter();
        let all = all.map(|path| path.strip_prefix(prefix).map(Path::to_owned));
        Ok(all.collect::<Result<_, _>>()?)
    };
    let ours = inside(&prefix)?;
    // Documents behind the README and files of the module command are the tarball's alone.
    let theirs = inside(&tarball)?.into_iter().filter(|path| {
        let documents = path.starts_with("share/doc/rankfold");
        let deep = documents && (path.components().count() > 4 || is_guide(path));
        !deep && !path.starts_with("share/rankfold")
    });
    for path in theirs {
        ensure!(ours.contains(&path), "{} is not installed", path.display());
    }
    Ok(())
}

/// Whether a document is for those who change the project.
fn is_guide(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    ["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"]
        .iter()
        .any(|guide| name == *guide)
}

fn arm() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let package = portable_package("_arm64.deb").context("no package")?;
    let words = ["-x", &text(&package), &text(scratch.path())];
    run("dpkg-deb", &words.map(OsStr::new))?;
    let bin = scratch.path().join("usr/bin");
    let emulated = |program: &str, words: &[&str]| {
        let mut command = Command::new("qemu-aarch64");
        command.args(["-L", "/usr/aarch64-linux-gnu"]);
        command.arg(bin.join(program)).args(words);
        process::run(&mut command, "")?.success()
    };
    let printed = emulated("rankfold", &["--version"])?.stdout;
    ensure!(printed.contains("aarch64 linux"), "{printed}");
    ensure!(
        printed.contains("usr/lib/rankfold/librankfold.so"),
        "{printed}"
    );
    let input = text(&scratch.path().join("ring.csv"));
    let lines: Vec<String> = (0..8)
        .map(|rank| format!("{rank},{},1000", (rank + 3) % 8))
        .collect();
    fs::write(&input, lines.join("\n"))?;
    let words = ["map", &input, "--machine", "torus:2x4", "--seed", "5"];
    let theirs = emulated("rankfold-map", &words)?.stdout;
    let mut ours = Command::new(rankfold::build_directory().join("rankfold-map"));
    let ours = process::run(ours.args(words), "")?.success()?.stdout;
    ensure!(theirs == ours, "another placement: {theirs} and {ours}");
    Ok(())
}
