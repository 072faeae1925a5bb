//! Reads configuration files.

use super::{ConfigError, GivenValue, Origin};
use rankfold_base::words::did_you_mean;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Most bytes of a configuration file. Chosen by hand; not measured.
const LIMIT: u64 = 1 << 20;

/// The text of a file; `None` where there is no such file.
///
/// # Errors
/// What keeps the file from being read, in words.
pub(super) fn text(path: &Path) -> Result<Option<String>, String> {
    let there = match std::fs::metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        there => there.map_err(|error| format!("cannot read it: {error}"))?,
    };
    // Opening a named pipe would wait for a writer.
    if !there.is_file() {
        return Err("it is no regular file".into());
    }
    if there.len() > LIMIT {
        return Err(format!("it has {} bytes, more than {LIMIT}", there.len()));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LIMIT).read_to_end(&mut bytes))
        .map_err(|error| format!("cannot read it: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not in UTF-8".to_owned())?;
    Ok(Some(text))
}

/// The values in the text of a file, by the names of their keys. `names` are all keys that are
/// known. A text that is no TOML has no values.
pub(super) fn values(
    path: &Path,
    text: &str,
    names: &[String],
    problems: &mut Vec<ConfigError>,
) -> Vec<(String, GivenValue)> {
    let origin = |at: usize| Origin::File {
        path: path.to_owned(),
        line: 1 + text[..at].matches('\n').count(),
    };
    let root = match DeTable::parse(text) {
        Ok(root) => root,
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            problems.push(origin(at).wrong(error.message().to_owned()));
            return Vec::new();
        }
    };
    let mut values = Vec::new();
    for (name, at, value) in leaves("", root.get_ref()) {
        let origin = origin(at);
        match known(&name, names).and_then(|()| written(&name, value)) {
            Ok(text) => values.push((name, GivenValue { text, origin })),
            Err(problem) => problems.push(origin.wrong(problem)),
        }
    }
    values
}

/// Whether there is a key of this name.
fn known(name: &str, names: &[String]) -> Result<(), String> {
    if names.iter().any(|known| known == name) {
        return Ok(());
    }
    let inside = format!("{name}.");
    if names.iter().any(|known| known.starts_with(&inside)) {
        return Err(format!(
            "{name} is a table: write [{name}] and its keys below"
        ));
    }
    let meant = did_you_mean(name, names.iter().map(String::as_str));
    Err(format!(
        "there is no key {name}{meant}; rankfold config --help lists all"
    ))
}

/// All values that are no tables, with the name of the key and the position of the key in the text.
fn leaves<'a>(above: &str, table: &'a DeTable) -> Vec<(String, usize, &'a DeValue<'a>)> {
    let mut found = Vec::new();
    for (key, value) in table {
        let name = match above {
            "" => key.get_ref().to_string(),
            above => format!("{above}.{}", key.get_ref()),
        };
        match value.get_ref() {
            DeValue::Table(below) if !below.is_empty() => found.extend(leaves(&name, below)),
            // An empty table of a known name says nothing.
            DeValue::Table(_) if above.is_empty() => {}
            leaf => found.push((name, key.span().start, leaf)),
        }
    }
    found.sort_by_key(|(_, at, _)| *at);
    found
}

/// A value in the notation of environment variables. The texts of a list are joined by colons.
fn written(name: &str, value: &DeValue) -> Result<String, String> {
    match value {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) => Ok(number.to_string()),
        DeValue::Float(number) => Ok(number.to_string()),
        DeValue::Boolean(is) => Ok(is.to_string()),
        DeValue::Array(list) => {
            let mark = mark(name);
            let texts = list.iter().map(|item| part(name, item, mark));
            Ok(texts.collect::<Result<Vec<_>, _>>()?.join(mark.0))
        }
        DeValue::Datetime(_) | DeValue::Table(_) => {
            Err(format!("{name} is a text, a number, or true or false"))
        }
    }
}

/// What parts the texts of a list. Ratios have colons.
fn mark(name: &str) -> (&'static str, &'static str) {
    if name.ends_with("oversubscription") {
        (",", "comma")
    } else {
        (":", "colon")
    }
}

/// A text in a list.
fn part<'a>(
    name: &str,
    item: &'a Spanned<DeValue>,
    (mark, word): (&str, &str),
) -> Result<&'a str, String> {
    match item.get_ref() {
        DeValue::String(text) if !text.contains(mark) => Ok(text),
        DeValue::String(text) => Err(format!("{name}: {text:?} has a {word}, which parts a list")),
        _ => Err(format!("{name} is a list of texts")),
    }
}
