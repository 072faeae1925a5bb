//! The JSON documents that rankfold writes, judged by their published schemas.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory of the published schemas.
const SCHEMAS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../launcher/schemas");

/// Fails unless the JSON that `command` has written with `--json` is as its schema says. Other
/// commands than those of rankfold have written none. `stdout` is what the command has printed.
///
/// # Errors
/// A document has no `format`, an unknown one, or is not as the schema says.
pub fn must_be_valid(command: &Command, stdout: &str) -> Result<()> {
    let directory = command.get_current_dir().unwrap_or(Path::new("."));
    match written(command) {
        Some(Written::File(path)) => {
            let path = directory.join(path);
            let text = fs::read_to_string(&path);
            valid(&text.with_context(|| path.display().to_string())?)
                .with_context(|| path.display().to_string())
        }
        Some(Written::Stdout) => valid(stdout),
        None => Ok(()),
    }
}

enum Written {
    File(PathBuf),
    Stdout,
}

/// Where `command` writes JSON. It may start rankfold through other programs.
fn written(command: &Command) -> Option<Written> {
    let words: Vec<&OsStr> = [command.get_program()]
        .into_iter()
        .chain(command.get_args())
        .collect();
    let is_rankfold = |word: &&OsStr| {
        let name = Path::new(word).file_name().and_then(OsStr::to_str);
        name.is_some_and(|name| name == "rankfold" || name.starts_with("rankfold-map"))
    };
    let ours = &words[words.iter().position(is_rankfold)? + 1..];
    let end = ours.iter().position(|word| *word == "--");
    let ours = &ours[..end.unwrap_or(ours.len())];
    if ours.contains(&OsStr::new("--dry-run")) {
        return None;
    }
    let at = ours.iter().position(|word| *word == "--json")?;
    if ours.first() == Some(&OsStr::new("cache")) {
        return Some(Written::Stdout);
    }
    ours.get(at + 1).map(|path| Written::File(path.into()))
}

/// Fails unless `text` is a document as the schema of its format says.
///
/// # Errors
/// The text is no JSON, has no `format` that is known, or is not as the schema says.
pub fn valid(text: &str) -> Result<()> {
    let document: Value = serde_json::from_str(text)?;
    let name = document["format"]["name"].as_str();
    let name = name.context("a JSON document without a format")?;
    let file = format!(
        "{SCHEMAS}/{}.json",
        name.strip_prefix("rankfold-").unwrap_or(name)
    );
    let schema = fs::read_to_string(&file).with_context(|| file.clone())?;
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema)?)?;
    let wrong: Vec<String> = validator
        .iter_errors(&document)
        .map(|error| format!("{}: {:.300}", error.instance_path(), error.to_string()))
        .collect();
    ensure!(
        wrong.is_empty(),
        "not as {file} says:\n{}",
        wrong.join("\n")
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_the_schema_does_not_name_is_an_error() {
        let text = |key: &str| {
            format!(
                r#"{{"format": {{"name": "rankfold-config", "version": 1}}, "files": [], "{key}": [], "problems": []}}"#
            )
        };
        valid(&text("settings")).unwrap();
        let wrong = format!("{:#}", valid(&text("setings")).unwrap_err());
        assert!(wrong.contains("setings"), "{wrong}");
        let nameless = valid("{}").unwrap_err().to_string();
        assert!(nameless.contains("without a format"), "{nameless}");
    }
}
