//! The files of a record: which they are, and what they hold.

use rankfold_formats::content::{self, GZIP};
use rankfold_graph::{CommError, Result};
use std::io::Read;
use std::path::Path;

/// The whole file, decompressed if it is compressed by gzip.
///
/// # Errors
/// [`CommError`] if the file cannot be read or decompressed.
pub(super) fn contents(path: &Path) -> Result<Vec<u8>> {
    let unreadable = |source| CommError::unreadable(path, source);
    let stored = rankfold_base::files::read(path).map_err(unreadable)?;
    if !stored.starts_with(&GZIP) {
        return Ok(stored);
    }
    let mut plain = Vec::new();
    match content::open(path)
        .map_err(unreadable)?
        .read_to_end(&mut plain)
    {
        Ok(_) => Ok(plain),
        Err(error) => super::job_calls::refuse(path, error.to_string()),
    }
}

/// The JSON document of a file.
pub(super) fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    serde_json::from_slice(&contents(path)?).map_err(|error| damaged(path, &error))
}

/// All JSON documents of a file, one after the other.
pub(super) fn documents<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let contents = contents(path)?;
    let documents = serde_json::Deserializer::from_slice(&contents).into_iter();
    documents
        .map(|document| document.map_err(|error| damaged(path, &error)))
        .collect()
}

fn damaged(path: &Path, error: &serde_json::Error) -> CommError {
    let problem = if error.is_eof() {
        "the JSON ends here in the middle: the file is half-written".to_owned()
    } else {
        error.to_string()
    };
    CommError::malformed(path, error.line(), problem)
}

/// The number at the end of a name, endings left out: `trace_rank_12`, `et.12.json.gz`.
pub(super) fn number_of(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let digits = |name: &str| {
        let start = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        name[start..].parse().ok()
    };
    digits(name).or_else(|| digits(name.rsplit_once('.')?.0))
}

/// Whether all of these words are in a text.
pub(super) fn has(text: &[u8], words: &[&str]) -> bool {
    let has = |word: &&str| text.windows(word.len()).any(|part| part == word.as_bytes());
    words.iter().all(has)
}

/// The ranks in a text such as `[0, 1, 2]`.
pub(super) fn ranks_in(text: &str) -> Result<Vec<u32>, String> {
    let inner = text
        .trim()
        .strip_prefix('[')
        .and_then(|t| t.strip_suffix(']'));
    let inner = inner.ok_or_else(|| format!("{text:?} is no list of ranks"))?;
    let words = inner
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty());
    words
        .map(|word| {
            word.parse()
                .map_err(|_| format!("{word:?} in {text:?} is no rank"))
        })
        .collect()
}
