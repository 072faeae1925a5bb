//! The checks can fail: small made-up workspaces with one thing wrong each.

use crate::references::{self, Reference};
use crate::sources::Sources;
use crate::{circles, documents, floors};
use std::fs;

/// A workspace of `files`, each a path and its text; every crate gets a manifest with the
/// dependencies named.
fn workspace(crates: &[(&str, &[&str])], files: &[(&str, &str)]) -> (Sources, Vec<Reference>) {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let names: Vec<&str> = crates.iter().map(|(name, _)| *name).collect();
    write("Cargo.toml", &format!("[workspace]\nmembers = {names:?}\n"));
    for (name, dependencies) in crates {
        let dependencies: String = dependencies
            .iter()
            .map(|other| format!("{other}.workspace = true\n"))
            .collect();
        write(
            &format!("{name}/Cargo.toml"),
            &format!("[package]\nname = {name:?}\n[dependencies]\n{dependencies}"),
        );
    }
    for (path, text) in files {
        write(path, text);
    }
    let sources = Sources::read(folder.path());
    let references = references::all(&sources);
    (sources, references)
}

/// One crate, `a`, with a module for each text; told are the references found.
fn named(modules: &[(&str, &str)]) -> Vec<String> {
    let (sources, references) = one_crate(modules);
    references
        .iter()
        .map(|reference| sources.tell(reference))
        .collect()
}

fn one_crate(modules: &[(&str, &str)]) -> (Sources, Vec<Reference>) {
    let root: String = modules
        .iter()
        .map(|(name, _)| format!("mod {name};\n"))
        .collect();
    let paths: Vec<String> = modules
        .iter()
        .map(|(name, _)| format!("a/src/{name}.rs"))
        .collect();
    let texts = modules.iter().map(|(_, text)| *text);
    let mut files: Vec<(&str, &str)> = paths.iter().map(String::as_str).zip(texts).collect();
    files.push(("a/src/lib.rs", &root));
    workspace(&[("a", &[])], &files)
}

#[test]
fn a_reference_is_seen_however_it_is_written() {
    let ways = [
        "use crate::low::Thing;",
        "use super::low::Thing;",
        "use crate::{low::{Thing as Other}};",
        "use crate::low::*;",
        "fn f(_: crate::low::Thing) {}",
        "fn f() { let _ = super::low::Thing; }",
        "fn f() { println!(\"{:?}\", crate::low::Thing) }",
        "#[error(\"{}\", crate::low::name())] struct S;",
        "macro_rules! m { () => { $crate::low::Thing } }",
        "fn f() { use crate::low; let _ = low::Thing; }",
        "mod inner { use super::super::low::Thing; }",
        "impl S { fn f(self) -> Option<Vec<crate::low::Thing>> { None } } struct S;",
    ];
    for way in ways {
        let found = named(&[
            ("low", "pub struct Thing;\npub fn name() {}"),
            ("high", way),
        ]);
        let from = "a/src/high.rs:1: a::high";
        assert!(
            !found.is_empty() && found.iter().all(|text| text.starts_with(from)),
            "{way}: {found:?}"
        );
        assert!(found[0].ends_with("refers to a::low"), "{way}: {found:?}");
    }
}

#[test]
fn what_is_no_reference_is_not_taken_for_one() {
    let ways = [
        "#[cfg(test)] use crate::low::Thing;",
        "#[cfg(test)] mod tests { use crate::low::Thing; }",
        "struct S; impl S { #[cfg(test)] fn f() { crate::low::name() } }",
        "// crate::low::Thing\nconst TEXT: &str = \"crate::low::Thing\";",
        "fn f(low: u32) -> u32 { low }",
        "use std::low::Thing;",
        "pub(in crate::high) struct S;",
    ];
    for way in ways {
        let found = named(&[
            ("low", "pub struct Thing;\npub fn name() {}"),
            ("high", way),
        ]);
        assert_eq!(found, [""; 0], "{way}");
    }
}

#[test]
fn a_reexport_leads_to_the_file_that_defines_the_name() {
    let (sources, references) = workspace(
        &[("a", &[]), ("b", &["a"])],
        &[
            ("a/src/lib.rs", "mod deep;\npub use deep::Thing;"),
            ("a/src/deep/mod.rs", "mod below;\npub use below::*;"),
            ("a/src/deep/below.rs", "pub struct Thing;"),
            ("b/src/lib.rs", "\nuse a::Thing;"),
        ],
    );
    let found: Vec<String> = references
        .iter()
        .map(|reference| sources.tell(reference))
        .collect();
    assert_eq!(found, ["b/src/lib.rs:2: b refers to a::deep::below"]);
}

#[test]
fn a_crate_that_knows_one_above_it_is_told() {
    let (sources, references) = workspace(
        &[("low", &["high"]), ("high", &[])],
        &[
            ("low/src/lib.rs", "fn f() {\n    high::g()\n}"),
            ("high/src/lib.rs", "pub fn g() {}"),
        ],
    );
    let rules: &[floors::Crate] = &[("low", &[]), ("high", &["low"])];
    let broken = [
        "low/Cargo.toml: low may not depend on high",
        "low/src/lib.rs:2: low refers to high; low may not know high",
    ];
    assert_eq!(floors::crates(&sources, &references, rules), broken);
    let broken = floors::crates(&sources, &references, &[("low", &["high"])]);
    assert_eq!(broken, ["high/Cargo.toml: no rule says whom high may know"]);
}

#[test]
fn a_module_that_knows_one_above_or_beside_it_is_told() {
    let (sources, references) = one_crate(&[
        ("low", "use crate::high::High;"),
        ("left", "\nuse super::right::Right;"),
        ("right", "pub struct Right;"),
        ("high", "pub struct High;\nuse crate::low;"),
    ]);
    let rules: &[floors::House] = &[("a", &[&["low"], &["left", "right"], &["high"]])];
    let broken = [
        "a/src/low.rs:1: a::low refers to a::high; that leads from floor 0 to floor 2",
        "a/src/left.rs:2: a::left refers to a::right; that leads from floor 1 to floor 1",
    ];
    assert_eq!(floors::modules(&sources, &references, rules), broken);
    let rules: &[floors::House] = &[("a", &[&["low", "gone"], &["right"], &["left"]])];
    let broken = floors::modules(&sources, &references, rules);
    assert!(
        broken.contains(&"a/src/high.rs: module high of a has no floor".into()),
        "{broken:?}"
    );
    assert!(
        broken.contains(&"a has no module gone, but it has a floor".into()),
        "{broken:?}"
    );
}

#[test]
fn a_circle_is_told_with_what_ties_it() {
    let (sources, references) = one_crate(&[
        ("one", "use crate::two::f;"),
        ("two", "pub fn f() { crate::three::g() }"),
        ("three", "pub fn g() {}\nuse crate::one;"),
        ("four", "use crate::one;"),
    ]);
    let found = circles::all(&sources, &references);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].parts, ["a::one", "a::three", "a::two"]);
    assert_eq!(
        found[0].ties,
        [
            "a/src/one.rs:1: a::one refers to a::two",
            "a/src/two.rs:1: a::two refers to a::three",
            "a/src/three.rs:2: a::three refers to a::one",
        ]
    );
}

#[test]
fn a_trait_and_the_list_of_its_members_may_share_a_file_but_members_know_nobody_who_lists_them() {
    let files = |member| {
        [
            ("a/src/lib.rs", "mod set;\nmod user;"),
            (
                "a/src/set/mod.rs",
                "mod member;\ntrait Member {}\nconst ALL: &[&dyn Member] = &[&member::One];",
            ),
            ("a/src/set/member.rs", member),
            ("a/src/user.rs", "pub fn all() { crate::set::ALL }"),
        ]
    };
    let circles = |member| {
        let (sources, references) = workspace(&[("a", &[])], &files(member));
        let found = circles::all(&sources, &references);
        found
            .into_iter()
            .map(|circle| circle.parts)
            .collect::<Vec<_>>()
    };
    assert!(circles("pub struct One;\nimpl super::Member for One {}").is_empty());
    // Through the list, which names its members, this member knows itself.
    assert_eq!(
        circles("pub struct One;\nuse crate::user::all;"),
        [["a::set", "a::user"]]
    );
}

#[test]
fn floors_hold_inside_a_module_as_they_do_inside_a_crate() {
    let (sources, references) = workspace(
        &[("a", &[])],
        &[
            ("a/src/lib.rs", "mod room;\nmod beside;"),
            ("a/src/beside.rs", "pub struct Thing;"),
            ("a/src/room/mod.rs", "mod low;\nmod high;\npub fn f() {}"),
            (
                "a/src/room/low.rs",
                "use super::high::Thing;\nuse super::f;",
            ),
            (
                "a/src/room/high.rs",
                "pub use crate::beside::Thing as Other;\npub struct Thing;",
            ),
        ],
    );
    let rules: &[floors::House] = &[("a::room", &[&["low"], &["high"]])];
    let broken = [
        "a/src/room/low.rs:1: a::room::low refers to a::room::high; that leads from floor 0 to floor 1",
        "a/src/room/low.rs:2: a::room::low refers to a::room; that leads back to the root",
    ];
    assert_eq!(floors::modules(&sources, &references, rules), broken);
}

#[test]
fn a_path_that_does_not_exist_is_told_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/here.rs"), "").unwrap();
    let text = "`src/here.rs`, [here](src/here.rs), `not/ours`\n`src/gone.rs`\n\
                [gone](gone.md) [far](https://x.y)\n";
    fs::write(folder.path().join("TEXT.md"), text).unwrap();
    assert_eq!(
        documents::missing(folder.path(), &["TEXT.md"]),
        [
            "TEXT.md:2: there is no src/gone.rs",
            "TEXT.md:3: there is no gone.md"
        ]
    );
}
