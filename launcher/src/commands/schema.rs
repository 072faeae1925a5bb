//! The JSON documents that the commands of this crate write.

use super::config::Shown;
use super::fleet::Fleet;
use super::run::{ComparisonDocument, RunDocument};
use crate::doctor::Findings;
use rankfold_cache::Entry;
use rankfold_mapper::document::DocumentKind;

/// The documents, beside those of the mapper.
pub(super) const DOCUMENTS: &[DocumentKind] = &[
    DocumentKind::of::<RunDocument<'static>>(),
    DocumentKind::of::<ComparisonDocument>(),
    DocumentKind::of::<Findings>(),
    DocumentKind::of::<Shown<'static>>(),
    DocumentKind::of::<Entry>(),
    DocumentKind::of::<Fleet>(),
];

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_mapper::cli::schema;
    use serde_json::Value;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    /// All documents of both binaries.
    fn all() -> Vec<&'static DocumentKind> {
        schema::DOCUMENTS.iter().chain(DOCUMENTS).collect()
    }

    /// The published schemas. Where the variable `RANKFOLD_WRITE_SCHEMAS` is set, they are written
    /// anew.
    #[test]
    fn the_published_schemas_are_those_of_the_types() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
        for kind in all() {
            let path = directory.join(format!("{}.json", kind.name));
            let text = format!("{:#}\n", kind.schema());
            if std::env::var_os("RANKFOLD_WRITE_SCHEMAS").is_some() {
                fs::write(&path, &text).unwrap();
            }
            let published = fs::read_to_string(&path).unwrap_or_default();
            assert!(
                published == text,
                "{} is out of date: RANKFOLD_WRITE_SCHEMAS=1 cargo test -p rankfold writes it anew",
                path.display()
            );
        }
    }

    #[test]
    fn every_document_is_in_the_table_and_nothing_else() {
        let readme = include_str!("../../schemas/README.md");
        let rows = readme.lines().filter_map(|line| line.strip_prefix("| [`"));
        let listed: BTreeSet<String> = rows
            .map(|row| row.split('`').next().unwrap_or_default().to_owned())
            .collect();
        let names: BTreeSet<String> = all()
            .iter()
            .map(|kind| format!("rankfold-{}", kind.name))
            .collect();
        assert_eq!(listed, names);
    }

    #[test]
    fn every_key_is_described() {
        for kind in all() {
            let mut without = Vec::new();
            undescribed(&kind.schema(), kind.name, &mut without);
            assert_eq!(without, Vec::<String>::new());
        }
    }

    /// Collects the keys of objects in a schema that have no description of their own. The key
    /// that tells the variant of an object is described by the variant.
    fn undescribed(schema: &Value, path: &str, without: &mut Vec<String>) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            for (key, value) in properties {
                if value.get("description").is_none() && value.get("const").is_none() {
                    without.push(format!("{path}.{key}"));
                }
            }
        }
        match schema {
            Value::Object(keys) => {
                for (key, value) in keys {
                    undescribed(value, &format!("{path}.{key}"), without);
                }
            }
            Value::Array(items) => {
                for item in items {
                    undescribed(item, path, without);
                }
            }
            _ => {}
        }
    }
}
