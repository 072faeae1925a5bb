//! The table of dependencies in a document, compared with the manifests of the workspace.

use crate::sources::Package;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Crates from outside the workspace, by name, each with the members that depend on it.
pub(crate) type Users = BTreeMap<String, BTreeSet<String>>;

/// What the manifests of `packages` in `root` say: dependencies, also those for tests only.
pub(crate) fn declared(root: &Path, packages: &[Package]) -> Users {
    let members: BTreeSet<&str> = packages.iter().map(|p| p.name.as_str()).collect();
    let mut users = Users::new();
    for package in packages {
        let text = fs::read_to_string(root.join(&package.manifest)).expect("a manifest");
        let manifest: toml::Table = text.parse().expect("a manifest is TOML");
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let all = manifest.get(section).and_then(toml::Value::as_table);
            for name in all.into_iter().flat_map(toml::Table::keys) {
                if !members.contains(name.as_str()) {
                    let by = users.entry(name.clone()).or_default();
                    by.insert(package.name.clone());
                }
            }
        }
    }
    users
}

/// What the table below `heading` in `text` says. Its first column names crates in backquotes, its
/// second one the members that use them.
pub(crate) fn documented(text: &str, heading: &str) -> Users {
    let after = text.split_once(heading).map_or("", |(_, after)| after);
    let section = after.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let mut users = Users::new();
    for row in rows {
        let mut columns = row.split('|').skip(1);
        let crates = quoted(columns.next().unwrap_or_default());
        let members = quoted(columns.next().unwrap_or_default());
        for name in crates {
            users.entry(name).or_default().extend(members.clone());
        }
    }
    users
}

/// The words in backquotes.
fn quoted(cell: &str) -> Vec<String> {
    let words = cell.split('`').skip(1).step_by(2);
    words.map(str::to_owned).collect()
}

/// Where the table and the manifests differ.
pub(crate) fn differences(documented: &Users, declared: &Users) -> Vec<String> {
    let mut differences = Vec::new();
    for (name, members) in declared {
        match documented.get(name) {
            None => differences.push(format!("{name}, used by {members:?}, has no row")),
            Some(shown) if shown != members => differences.push(format!(
                "the row of {name} names {shown:?}; the manifests of {members:?} do"
            )),
            Some(_) => {}
        }
    }
    let gone = documented
        .keys()
        .filter(|name| !declared.contains_key(*name));
    differences.extend(gone.map(|name| format!("{name} has a row, and no manifest names it")));
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn users(all: &[(&str, &[&str])]) -> Users {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        all.iter()
            .map(|&(name, members)| (name.to_owned(), owned(members)))
            .collect()
    }

    #[test]
    fn a_table_is_read_row_by_row() {
        let text = "## Other\n| `x` | `y` | |\n## Dependencies\n\n| crate | used by | why |\n\
                    | --- | --- | --- |\n| `a`, `b` | `m`, `n` | `not` me |\n\n## Next\n| `c` | `m` |\n";
        let expected = users(&[("a", &["m", "n"]), ("b", &["m", "n"])]);
        assert_eq!(documented(text, "## Dependencies"), expected);
    }

    #[test]
    fn a_missing_row_a_stale_row_and_another_user_are_told() {
        let table = users(&[("a", &["m"]), ("b", &["m"])]);
        let manifests = users(&[("a", &["m", "n"]), ("c", &["n"])]);
        let text = differences(&table, &manifests);
        assert_eq!(text.len(), 3, "{text:?}");
        assert!(differences(&table, &table).is_empty());
    }
}
