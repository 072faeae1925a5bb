//! Judges JSON documents by the schemas of their formats.

use rankfold_mapper::cli::schema::DOCUMENTS;
use rankfold_mapper::document::format_name;
use serde_json::Value;
use std::path::Path;

/// The document in a file, which must be as the schema of its format says.
#[track_caller]
pub(crate) fn document(path: &Path) -> Value {
    let document: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut kinds = DOCUMENTS.iter();
    let kind = kinds.find(|kind| document["format"]["name"] == format_name(kind.name));
    let kind = kind.unwrap_or_else(|| panic!("no such format: {}", document["format"]));
    let validator = jsonschema::validator_for(&kind.schema()).unwrap();
    let wrong: Vec<String> = validator
        .iter_errors(&document)
        .map(|error| format!("{}: {:.300}", error.instance_path(), error.to_string()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    document
}
