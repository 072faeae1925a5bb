//! Installs the packages that `scripts/package` makes, and profiles, maps and relaunches a program
//! with the installed files.

use crate::fact::{Fact, Need, fact};
use crate::made::{KINDS, package, package_with, root, text};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::process::{self, Finished};
use rankfold_tests::{program, rankfold};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn facts() -> Vec<Fact> {
    let mpi = Need::Mpi(Mpi::OpenMpi);
    let mut facts = vec![
        fact(
            "packages::a_wheel_brings_command_library_pages_and_completions_without_root",
            &[mpi, Need::Tool("python3")],
            wheel,
        ),
        fact(
            "packages::a_tarball_runs_where_it_is_unpacked_and_refuses_a_space",
            &[mpi, Need::Tool("tar")],
            tarball,
        ),
        fact(
            "packages::a_debian_package_holds_a_whole_installation",
            &[mpi, Need::Tool("dpkg-deb")],
            debian,
        ),
        fact(
            "packages::made_twice_are_the_same_bytes",
            &[
                Need::Tool("dpkg-deb"),
                Need::Tool("python3"),
                Need::Tool("rpmbuild"),
            ],
            twice,
        ),
        fact(
            "packages::check_lists_the_sections_of_two_compilations_that_differ",
            &[Need::Tool("objdump")],
            check,
        ),
    ];
    for manager in ["rpm", "dnf", "zypper"] {
        facts.push(fact(
            format!("packages::an_rpm_is_installed_and_removed_again_by_{manager}"),
            &[mpi, Need::Tool("rpmbuild"), Need::Tool(manager)],
            move || rpm(manager),
        ));
    }
    for kind in ["environment-modules", "lmod"] {
        facts.push(fact(
            format!("packages::module_files_are_loaded_and_unloaded_by_{kind}"),
            &[Need::Tool("tar"), Need::Modules(kind)],
            move || modules(kind),
        ));
    }
    for (suite, name) in [("bullseye", "11"), ("bookworm", "12")] {
        facts.push(fact(
            format!("packages::start_on_a_bare_debian_{name}"),
            &[Need::Root, Need::Tool("debootstrap"), Need::Portable],
            move || bare(suite),
        ));
    }
    facts.push(fact(
        "packages::need_no_newer_c_library_than_2_17_and_export_the_same_names",
        &[Need::Tool("objdump"), Need::Portable],
        portable,
    ));
    facts
}

pub(crate) fn run(program: impl AsRef<OsStr>, words: &[&OsStr]) -> Result<Finished> {
    process::run(Command::new(program).args(words), "")?.success()
}

/// Runs the whole loop with the programs installed below `prefix`. Fails unless they use the
/// library installed there.
fn must_work(prefix: &Path) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let ring = program::compile(Mpi::OpenMpi, "one_way")?;
    let finished = installed_loop(prefix, scratch.path(), &ring)?.success()?;
    let library = prefix.join("lib/rankfold/librankfold.so");
    ensure!(
        finished.stdout.contains(&*library.to_string_lossy()),
        "{} is not what --version names: {}",
        library.display(),
        finished.stdout
    );
    ensure!(
        finished.stderr.contains("placement verified"),
        "{}",
        finished.stderr
    );
    for file in [
        "share/man/man1/rankfold.1",
        "share/man/man1/rankfold-machine-import.1",
        "share/man/man1/rankfold-map.1",
        "share/man/man1/rankfold-map-map.1",
        "share/bash-completion/completions/rankfold",
        "share/fish/vendor_completions.d/rankfold-map.fish",
    ] {
        let there = prefix.join(file);
        let packed = prefix.join(format!("{file}.gz"));
        ensure!(there.is_file() || packed.is_file(), "{file} is not there");
    }
    Ok(())
}

fn installed_loop(prefix: &Path, scratch: &Path, program: &Path) -> Result<Finished> {
    let mut command = Command::new(root().join("scripts/lib/package/loop"));
    command
        .args(Mpi::OpenMpi.launch(4, program, &[]))
        .current_dir(scratch);
    mpi::environment(&mut command);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", prefix.join("bin").display()));
    process::run(&mut command, "")
}

fn wheel() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let wheel = package(scratch.path(), "wheel")?;
    let environment = scratch.path().join("environment");
    run(
        "python3",
        &["-m", "venv", &text(&environment)].map(OsStr::new),
    )?;
    let words = ["install", "--no-index", "--no-deps", &text(&wheel)];
    run(environment.join("bin/pip"), &words.map(OsStr::new))?;
    must_work(&environment)
}

fn tarball() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    must_work(&unpacked(scratch.path(), "opt")?)?;
    // The loader takes a space in LD_PRELOAD for the end of a path, so a library below a path with
    // a space can never be loaded.
    let ring = program::compile(Mpi::OpenMpi, "one_way")?;
    let refused = installed_loop(
        &unpacked(scratch.path(), "my tools")?,
        scratch.path(),
        &ring,
    )?;
    ensure!(refused.status == 2, "{refused:?}");
    ensure!(
        refused.stderr.contains("RANKFOLD_LIBRARY"),
        "{}",
        refused.stderr
    );
    Ok(())
}

/// Unpacks a tarball in the new directory `name` of `scratch`. Returns its prefix.
pub(crate) fn unpacked(scratch: &Path, name: &str) -> Result<PathBuf> {
    let directory = scratch.join(name);
    fs::create_dir(&directory)?;
    let tarball = package(scratch, "tarball")?;
    let words = ["-xzf", &text(&tarball), "-C", &text(&directory)];
    run("tar", &words.map(OsStr::new))?;
    let mut inside = fs::read_dir(&directory)?;
    Ok(inside.next().context("an empty tarball")??.path())
}

fn debian() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let package = package(scratch.path(), "deb")?;
    let tree = scratch.path().join("tree");
    let words = ["-x", &text(&package), &text(&tree)];
    run("dpkg-deb", &words.map(OsStr::new))?;
    must_work(&tree.join("usr"))
}

/// Installs with a database of packages of its own, below a directory, by the command of a system
/// with RPM.
fn rpm(manager: &str) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let package = text(&package(scratch.path(), "rpm")?);
    let system = text(&scratch.path().join("system"));
    fs::create_dir(&system)?;
    let manage = |words: &[&str]| {
        let root: &[&str] = match manager {
            "dnf" => &["-y", "--disablerepo=*", "--releasever=9", "--installroot"],
            "zypper" => &["-n", "--no-gpg-checks", "--no-refresh", "--root"],
            _ => &["--root"],
        };
        let words = [root, &[&system], words].concat();
        process::run(Command::new(manager).args(words), "")
    };
    let install: &[&str] = match manager {
        "rpm" => &["-i"],
        "zypper" => &["install", "--allow-unsigned-rpm"],
        _ => &["install"],
    };
    let refused = manage(&[install, &[&package]].concat())?;
    let words = [refused.stdout, refused.stderr].concat();
    ensure!(refused.status != 0 && words.contains("glibc"), "{words}");
    let library = text(&c_library(scratch.path())?);
    manage(&[install, &[&library, &package]].concat())?.success()?;
    let prefix = Path::new(&system).join("usr");
    must_work(&prefix)?;
    let remove = if manager == "rpm" { "-e" } else { "remove" };
    manage(&[remove, "rankfold"])?.success()?;
    for left in ["bin/rankfold", "lib/rankfold", "share/doc/rankfold"] {
        ensure!(!prefix.join(left).exists(), "{left} is left");
    }
    Ok(())
}

/// A package with the name of the C library, for a system that has none.
fn c_library(scratch: &Path) -> Result<PathBuf> {
    let directory = format!("_topdir {}", text(&scratch.join("c_library")));
    let spec = text(&root().join("scripts/lib/package/glibc.spec"));
    let words = ["-bb", "--quiet", "--define", &directory, &spec];
    run("rpmbuild", &words.map(OsStr::new))?;
    Ok(scratch.join("c_library/RPMS/noarch/glibc-2.99-1.noarch.rpm"))
}

/// Each kind is made by two runs of `scripts/package`, one of which may be that of other tests.
fn twice() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let kinds = KINDS.map(|(kind, ..)| kind);
    let again = package_with(&[], &scratch.path().join("again"), &kinds)?;
    ensure!(again.len() == kinds.len(), "{again:?}");
    for (kind, second) in kinds.iter().zip(&again) {
        let first = package(&scratch.path().join("first"), kind)?;
        ensure!(first != *second, "{} is one file", first.display());
        ensure!(
            fs::read(&first)? == fs::read(second)?,
            "{} differs",
            first.display()
        );
    }
    Ok(())
}

/// `scripts/package --check` compares two sets of binaries that differ in one byte.
fn check() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let (first, second) = (scratch.path().join("first"), scratch.path().join("second"));
    for directory in [&first, &second] {
        fs::create_dir(directory)?;
        for name in [
            "rankfold",
            "rankfold-map",
            "librankfold.so",
            "librankfold_world.so",
            "librankfold_python.so",
            "librankfold_nccl.so",
        ] {
            fs::copy(rankfold::build_directory().join(name), directory.join(name))?;
        }
    }
    let compare = || {
        let mut command = Command::new(root().join("scripts/package"));
        process::run(command.arg("--check").args([&first, &second]), "")
    };
    compare()?.success()?;
    let changed = second.join("rankfold-map");
    let mut bytes = fs::read(&changed)?;
    let word = b"all commands of rankfold that start no program";
    let at = bytes.windows(word.len()).position(|bytes| bytes == word);
    bytes[at.context("no such word in rankfold-map")?] = b'E';
    fs::write(&changed, bytes)?;
    let finished = compare()?;
    ensure!(finished.status == 1, "{finished:?}");
    let listed = "rankfold-map: 1 of";
    ensure!(
        finished.stdout.contains(listed) && finished.stdout.contains("    .rodata\n"),
        "{}",
        finished.stdout
    );
    ensure!(
        finished.stdout.contains("librankfold.so: the same"),
        "{}",
        finished.stdout
    );
    Ok(())
}

/// Runs the script that loads module files.
fn module_command(words: &[&OsStr]) -> Result<Finished> {
    let script = root().join("scripts/lib/package/modules");
    process::run(Command::new(script).args(words), "")
}

/// Why this machine has no such module command.
pub(crate) fn module_command_missing(kind: &str) -> Option<String> {
    match module_command(&[OsStr::new(kind)]) {
        Ok(fetched) if fetched.status == 0 => None,
        Ok(fetched) => Some(fetched.stderr.trim().to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

fn modules(kind: &str) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let prefix = unpacked(scratch.path(), "opt")?;
    let finished = module_command(&[OsStr::new(kind), prefix.as_os_str()])?.success()?;
    let prefix = prefix.canonicalize()?;
    let prefix = prefix.display();
    let version = env!("CARGO_PKG_VERSION");
    // A variable that was not set before keeps an empty part or the system's directories, as
    // otherwise the defaults of its users would be lost.
    for line in [
        format!("{prefix}/bin/rankfold\nrankfold {version}\n"),
        format!("manual {prefix}/share/man:"),
        format!("data {prefix}/share:/usr/local/share:/usr/share\n"),
        "left \n".into(),
    ] {
        ensure!(
            finished.stdout.contains(&line),
            "no {line:?} in {}",
            finished.stdout
        );
    }
    Ok(())
}

/// The Debian package that `scripts/package` has built for every version of glibc, if it is there.
/// `ending` is that of its name.
pub(crate) fn portable_package(ending: &str) -> Option<PathBuf> {
    let packages = fs::read_dir(root().join("target/packages")).ok()?;
    let mut files = packages.filter_map(|entry| Some(entry.ok()?.path()));
    files.find(|path| text(path).ends_with(ending))
}

fn bare(suite: &str) -> Result<()> {
    let package = portable_package("_amd64.deb").context("no package")?;
    let mut command = Command::new(root().join("scripts/lib/package/bare-debian"));
    let finished = process::run(command.arg(suite).arg(&package), "")?.success()?;
    let phrases = [finished.stdout, finished.stderr].concat();
    ensure!(phrases.contains("placement verified 4/4"), "{phrases}");
    ensure!(
        phrases.contains("/usr/lib/rankfold/librankfold.so"),
        "{phrases}"
    );
    Ok(())
}

fn portable() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let package = portable_package("_amd64.deb").context("no package")?;
    let words = ["-x", &text(&package), &text(scratch.path())];
    run("dpkg-deb", &words.map(OsStr::new))?;
    let usr = scratch.path().join("usr");
    let library = usr.join("lib/rankfold/librankfold.so");
    for file in [
        usr.join("bin/rankfold"),
        usr.join("bin/rankfold-map"),
        library.clone(),
    ] {
        let symbols = run("objdump", &[OsStr::new("-T"), file.as_os_str()])?.stdout;
        let newer = symbols.lines().find(|line| {
            let version = line.split("GLIBC_2.").nth(1).unwrap_or_default();
            let minor: String = version.chars().take_while(char::is_ascii_digit).collect();
            minor.parse().is_ok_and(|minor: u32| minor > 17)
        });
        ensure!(newer.is_none(), "{}: {newer:?}", file.display());
    }
    let names = |library: &Path| -> Result<Vec<String>> {
        let printed = run(
            "nm",
            &["-D", "--defined-only", &text(library)].map(OsStr::new),
        )?
        .stdout;
        let mut names: Vec<String> = printed
            .lines()
            .filter_map(|line| line.split_whitespace().last())
            .filter(|name| name.contains("MPI") || name.contains("mpi"))
            .map(str::to_owned)
            .collect();
        names.sort();
        Ok(names)
    };
    let (theirs, ours) = (names(&library)?, names(&rankfold::library())?);
    ensure!(
        !ours.is_empty() && theirs == ours,
        "other names are exported than by a plain build"
    );
    Ok(())
}
