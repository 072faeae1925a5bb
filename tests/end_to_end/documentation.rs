//! Checks the documents. Commands in fenced `console` blocks are run and must print what the
//! document shows. Every option of `rankfold` in any block must exist.
//!
//! All blocks of a document run in one directory, which holds links to `tests` and `scripts` of the
//! repository. A line `...` in the shown output stands for any number of lines. A block marked
//! `console not-run` holds commands that cannot run in a test; only their options are checked.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::{documents, process, rankfold};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The documents that are checked.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "SECURITY.md",
    "launcher/README.md",
    "launcher/COMPARISON.md",
    "launcher/FAQ.md",
    "launcher/FIRST_JOB.md",
    "launcher/INSTALL.md",
    "launcher/GALLERY.md",
    "launcher/PREDICTIONS.md",
    "launcher/SITES.md",
    "launcher/LINES.md",
    "launcher/schemas/README.md",
    "mapper/README.md",
    "mapper/MACHINES.md",
    "mapper/GPU_JOBS.md",
    "mapper/HEURISTICS.md",
    "mapper/report/README.md",
    "profiler/README.md",
    "profiler/world/README.md",
    "scripts/README.md",
];

pub(crate) fn facts() -> Vec<Fact> {
    let mut facts: Vec<Fact> = DOCUMENTS
        .iter()
        .map(|document| {
            let name = document
                .trim_end_matches(".md")
                .replace('/', "_")
                .to_lowercase();
            fact(
                format!("documentation::what_{name}_shows_is_so"),
                needs(document),
                move || is_so(document),
            )
        })
        .collect();
    facts.push(fact(
        "documentation::the_site_has_no_dead_link",
        &[Need::SiteTools],
        site_builds,
    ));
    facts.push(fact(
        "documentation::every_heuristic_is_described",
        &[],
        heuristics,
    ));
    facts.push(fact(
        "documentation::the_readme_lists_every_platform",
        &[],
        platforms,
    ));
    facts
}

/// What a machine must have to run the commands of a document.
fn needs(document: &str) -> &'static [Need] {
    match document {
        "launcher/GALLERY.md" => &[Need::Mpi(Mpi::OpenMpi), Need::Tool("lmp")],
        _ => &[Need::Mpi(Mpi::OpenMpi)],
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A command in a document, and its output as the document shows it.
struct Shown {
    line: usize,
    command: String,
    output: Vec<String>,
}

/// The commands of all blocks that are run.
fn shown(text: &str) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    let mut inside = false;
    // A block inside a list is indented.
    let mut indent = 0;
    for (line, words) in (1..).zip(text.lines()) {
        if let Some(kind) = words.trim_start().strip_prefix("```") {
            indent = words.len() - words.trim_start().len();
            inside = kind == "console";
            continue;
        }
        let words = words.get(indent..).unwrap_or_default();
        match (inside, words.strip_prefix("$ ")) {
            (false, _) => {}
            (true, Some(command)) => commands.push(Shown {
                line,
                command: command.to_owned(),
                output: Vec::new(),
            }),
            (true, None) => {
                if let Some(last) = commands.last_mut() {
                    last.output.push(words.trim_end().to_owned());
                }
            }
        }
    }
    commands
}

/// Whether `printed` is the output that the document shows, where `...` stands for any number of
/// lines.
fn agrees(shown: &[String], printed: &[&str]) -> bool {
    match (shown.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first == "..." => {
            (0..=printed.len()).any(|skipped| agrees(rest, &printed[skipped..]))
        }
        (Some((first, rest)), Some((line, others))) => {
            first == line.trim_end() && agrees(rest, others)
        }
        _ => false,
    }
}

fn is_so(document: &str) -> Result<()> {
    let text = fs::read_to_string(root().join(document)).context(document.to_owned())?;
    options_exist(document, &text)?;
    let scratch = tempfile::tempdir()?;
    let tools = tools(scratch.path())?;
    for Shown {
        line,
        command,
        output,
    } in shown(&text)
    {
        let mut shell = Command::new("bash");
        shell.args(["-c", &format!("exec 2>&1\n{command}")]);
        mpi::environment(&mut shell);
        let path = std::env::var("PATH").unwrap_or_default();
        shell
            .current_dir(scratch.path())
            .env("PATH", format!("{}:{path}", tools.display()));
        let finished = process::run(&mut shell, "")?;
        ensure!(
            finished.status == 0,
            "{document}:{line}: exit status {}: {}",
            finished.status,
            finished.stdout
        );
        let printed: Vec<&str> = finished.stdout.lines().collect();
        ensure!(
            agrees(&output, &printed),
            "{document}:{line}: `{command}` prints\n{}",
            finished.stdout
        );
    }
    for entry in fs::read_dir(scratch.path())? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            documents::valid(&fs::read_to_string(&path)?).context(path.display().to_string())?;
        }
    }
    Ok(())
}

/// Builds the documentation site, where a dead link is an error.
fn site_builds() -> Result<()> {
    let script = root().join("scripts/docs");
    let mut command = Command::new(script);
    command.arg("--from").arg(rankfold::build_directory());
    let built = process::run(&mut command, "")?.success()?;
    let index = Path::new(built.stdout.trim());
    let page = fs::read_to_string(index)?;
    ensure!(page.contains("First job in five minutes"), "no menu");
    ensure!(page.contains(env!("CARGO_PKG_VERSION")), "no version");
    let of_command = index.with_file_name("commands/rankfold-machine-import.html");
    ensure!(
        fs::read_to_string(of_command)?.contains("topology"),
        "no help"
    );
    // Searching works without a server: the index is a script, and so is what stands in for
    // workers.
    let script = fs::read_to_string(index.with_file_name("search/search_index.js"))?;
    ensure!(
        script.contains("hop-bytes"),
        "the index of the search is empty"
    );
    ensure!(page.contains("iframe-worker.js"), "workers need a server");
    Ok(())
}

/// Makes the directories in which a document's commands run: one with the programs that a reader
/// has in `PATH`, and beside it links to what a clone of the repository holds.
fn tools(scratch: &Path) -> Result<PathBuf> {
    let tools = scratch.join(".bin");
    fs::create_dir(&tools)?;
    for name in ["rankfold", "rankfold-map"] {
        symlink(rankfold::build_directory().join(name), tools.join(name))?;
    }
    for name in ["mpirun", "mpicc"] {
        let found = process::run(Command::new("which").arg(format!("{name}.openmpi")), "")?;
        symlink(found.success()?.stdout.trim(), tools.join(name))?;
    }
    for name in ["tests", "scripts"] {
        symlink(root().canonicalize()?.join(name), scratch.join(name))?;
    }
    Ok(tools)
}

/// Fails unless every command and option of rankfold in any block of the document exists.
fn options_exist(document: &str, text: &str) -> Result<()> {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut fenced = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let words = line.trim_start();
        let words = words.strip_prefix("$ ").unwrap_or(words);
        let is_code = fenced || line.starts_with("    ");
        let ours = words
            .strip_prefix("rankfold-map ")
            .or_else(|| words.strip_prefix("rankfold "));
        let Some(rest) = ours.filter(|_| is_code) else {
            continue;
        };
        let words: Vec<&str> = rest
            .split_whitespace()
            .take_while(|word| *word != "--" && *word != "#")
            .collect();
        let Some(command) = words
            .first()
            .filter(|word| word.chars().all(char::is_lowercase))
        else {
            continue;
        };
        let path = match &words[..] {
            ["machine", "import", ..] => "machine import",
            _ => command,
        };
        if !known.contains_key(path) {
            let words: Vec<&str> = ["help"].into_iter().chain(path.split(' ')).collect();
            let help = rankfold::run(&words)?;
            ensure!(help.status == 0, "{document}:{number}: no command {path}");
            known.insert(path.to_owned(), help.stdout);
        }
        for option in words.iter().filter(|word| word.starts_with("--")) {
            let option = option.split(['=', '|', ']']).next().unwrap_or(option);
            ensure!(
                known[path].contains(option),
                "{document}:{number}: rankfold {path} has no option {option}"
            );
        }
    }
    Ok(())
}

/// The names in the table of heuristics are those that the command lists, and the document explains
/// each below the table.
fn heuristics() -> Result<()> {
    let listed = rankfold::run(&["heuristics"])?.success()?.stdout;
    let (names, _) = listed.split_once("\n\n").context("no list")?;
    let names: Vec<&str> = names
        .lines()
        .skip(1)
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    ensure!(names.len() > 20, "{names:?}");
    let text = fs::read_to_string(root().join("mapper/HEURISTICS.md"))?;
    let rows: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    let expected: Vec<&str> = names.iter().copied().chain(["auto"]).collect();
    ensure!(
        rows == expected,
        "the table of mapper/HEURISTICS.md is of other heuristics; scripts/bench heuristics --into mapper/HEURISTICS.md makes it anew"
    );
    for name in names {
        let word = format!("`{name}`");
        let base = name.trim_end_matches("-sorted");
        let message = text.lines().filter(|line| !line.starts_with('|'));
        let mut message =
            message.filter(|line| line.contains(&word) || line.contains(&format!("`{base}`")));
        ensure!(message.next().is_some(), "{name} is not explained");
    }
    Ok(())
}

/// The rows of README's table of platforms name what the command knows: no name is missing, and in
/// rows whose cells are lists of names in backquotes, no other name is there.
fn platforms() -> Result<()> {
    let text = fs::read_to_string(root().join("README.md"))?;
    let row = |name: &str| {
        let start = format!("| {name} |");
        let row = text.lines().find(|line| line.starts_with(&start));
        row.with_context(|| format!("README.md has no row {name}"))
    };
    let version = rankfold::run(&["--version"])?.success()?.stdout;
    let version = version.replace("\n           ", " ");
    let listed = |field: &str| -> Result<Vec<String>> {
        let line = version.lines().find_map(|line| line.strip_prefix(field));
        let line = line.with_context(|| format!("--version has no line {field}"))?;
        Ok(line.split(',').map(|name| name.trim().to_owned()).collect())
    };
    let machines = rankfold::run(&["help", "machines"])?.success()?.stdout;
    let specs = between(&machines, "Specs:\n", "A speed is")?;
    // Lines that go on with the one before have no colon in their first word.
    let families: Vec<&str> = specs
        .lines()
        .filter_map(|line| line.split_whitespace().next()?.split_once(':'))
        .map(|(family, _)| family)
        .collect();
    let importers = between(&machines, "Importers (", "\n\n")?;
    let importers: Vec<&str> = importers
        .lines()
        .skip(1)
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    exactly("Machines", &families, row("Machines")?)?;
    exactly("Importers", &importers, row("Importers")?)?;
    let mapfiles = listed("mapfiles")?;
    let mapfiles: Vec<&str> = mapfiles.iter().map(String::as_str).collect();
    exactly("Mapfiles", &mapfiles, row("Mapfiles")?)?;
    let launchers = row("Launchers")?;
    for launcher in listed("launchers")? {
        ensure!(launchers.contains(&launcher), "Launchers: no {launcher}");
    }
    Ok(())
}

/// What stands between two texts.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> Result<&'a str> {
    let (_, rest) = text
        .split_once(begin)
        .with_context(|| format!("no {begin:?}"))?;
    Ok(rest.split(end).next().unwrap_or(rest))
}

/// The words in backquotes in `row` are `names`, in any order.
fn exactly(title: &str, names: &[&str], row: &str) -> Result<()> {
    ensure!(names.len() > 5, "{title}: {names:?}");
    let shown: BTreeSet<&str> = row.split('`').skip(1).step_by(2).collect();
    let names: BTreeSet<&str> = names.iter().copied().collect();
    ensure!(
        shown == names,
        "{title}: README.md has {shown:?}, the command {names:?}"
    );
    Ok(())
}
