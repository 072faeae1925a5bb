//! The house stands: crates and modules know only those below them, nothing runs in a circle, and
//! every path the documents name exists.
//!
//! Who may know whom is stated in `house`, in `CRATES` and `HOUSES`, and told in ARCHITECTURE.md.
//! References are read from the sources: `use` and every path in types, expressions, macros and
//! attributes, followed through re-exports to the file that defines what they name. Not seen is
//! what a method call reaches without naming it. Test code is left out.
#![cfg(test)]
#![forbid(unsafe_code)]

mod circles;
mod dependencies;
mod documents;
mod floors;
mod house;
mod made_up;
mod mentions;
mod references;
mod scripts;
mod sizes;
mod sources;

use house::{CRATES, HOUSES, KNOWN};
use references::Reference;
use sources::Sources;
use std::path::Path;

fn workspace() -> (Sources, Vec<Reference>) {
    let sources = Sources::read(root());
    let references = references::all(&sources);
    (sources, references)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap()
}

#[track_caller]
fn assert_none(broken: &[String]) {
    assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
}

#[test]
fn crates_know_only_those_below_them() {
    let (sources, references) = workspace();
    assert!(
        references.len() > 1000,
        "{} references were read",
        references.len()
    );
    assert_none(&floors::crates(&sources, &references, CRATES));
}

#[test]
fn the_rules_for_crates_lead_downwards() {
    for (at, (name, known)) in CRATES.iter().enumerate() {
        for other in *known {
            let stated = CRATES[..at].iter().any(|(below, _)| below == other);
            assert!(
                stated,
                "{name} may know {other}, which does not stand below it"
            );
        }
    }
}

#[test]
fn modules_know_only_those_on_lower_floors() {
    let (sources, references) = workspace();
    assert_none(&floors::modules(&sources, &references, HOUSES));
}

#[test]
fn no_modules_run_in_a_circle() {
    let (sources, references) = workspace();
    let found = circles::all(&sources, &references);
    let mut broken: Vec<String> = found
        .iter()
        .filter(|circle| !KNOWN.contains(&circle.inside.as_str()))
        .map(ToString::to_string)
        .collect();
    for known in KNOWN {
        if found.iter().all(|circle| circle.inside != *known) {
            broken.push(format!(
                "no parts of {known} run in a circle any more: remove it from KNOWN"
            ));
        }
    }
    assert_none(&broken);
}

#[test]
fn documents_name_paths_that_exist() {
    assert_none(&documents::missing(
        root(),
        &[
            "ARCHITECTURE.md",
            "CONTRIBUTING.md",
            "SECURITY.md",
            "scripts/README.md",
        ],
    ));
}

#[test]
fn every_test_that_the_page_on_security_names_exists() {
    assert_none(&documents::unknown_tests(root(), "SECURITY.md"));
}

#[test]
fn the_table_of_dependencies_is_that_of_the_manifests() {
    let (sources, _) = workspace();
    let declared = dependencies::declared(root(), &sources.packages);
    assert!(declared.len() > 20, "{declared:?}");
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let documented = dependencies::documented(&text, "\n## Dependencies\n");
    assert_none(&dependencies::differences(&documented, &declared));
}

#[test]
fn comments_are_as_narrow_as_code() {
    assert_none(&sizes::wide_comments(root()));
}

#[test]
fn choices_between_two_are_made_by_if_and_else() {
    assert_none(&sizes::arms_of_bools(root()));
}

#[test]
fn no_source_is_longer_than_a_reader_can_hold() {
    assert_none(&sizes::long_files(root()));
}

#[test]
fn every_script_and_benchmark_says_how_it_is_called() {
    for folder in ["scripts", "scripts/bench.d"] {
        assert_none(&scripts::without_help(&root().join(folder)));
    }
}
