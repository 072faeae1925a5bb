//! The JSON documents that commands write: each has a `format` with a name and a version, and a
//! schema that comes from the types that are written.
//!
//! The version of a document rises when a key goes, or changes its type or its meaning. New keys do
//! not change it.

use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::Serialize;
use serde_json::{Value, json};

/// A kind of JSON documents.
pub trait Document: Serialize + JsonSchema {
    /// Name of the schema. The name in the document's `format` is `rankfold-` and this name.
    const NAME: &'static str;
    /// Version of the document.
    const VERSION: u32;
    /// The commands that write such documents, and what is in them, in one line.
    const SUMMARY: &'static str;
}

/// A kind of documents as a member of a list.
#[derive(Clone, Copy, Debug)]
pub struct DocumentKind {
    /// See [`Document::NAME`].
    pub name: &'static str,
    /// See [`Document::VERSION`].
    pub version: u32,
    /// See [`Document::SUMMARY`].
    pub summary: &'static str,
    schema: fn() -> Schema,
}

/// A document with its format as the first key.
#[derive(Serialize)]
struct Written<'a, D> {
    format: Format,
    #[serde(flatten)]
    content: &'a D,
}

#[derive(Serialize)]
struct Format {
    name: String,
    version: u32,
}

/// The document as indented JSON with a final newline.
///
/// # Errors
/// Does not fail: the fields are plain numbers, strings and lists.
pub fn text<D: Document>(content: &D) -> serde_json::Result<Vec<u8>> {
    let format = Format {
        name: format_name(D::NAME),
        version: D::VERSION,
    };
    let mut text = serde_json::to_vec_pretty(&Written { format, content })?;
    text.push(b'\n');
    Ok(text)
}

/// The name in the `format` of documents of the kind `name`.
#[must_use]
pub fn format_name(name: &str) -> String {
    format!("rankfold-{name}")
}

impl DocumentKind {
    /// The kind of `D`.
    #[must_use]
    pub const fn of<D: Document>() -> Self {
        Self {
            name: D::NAME,
            version: D::VERSION,
            summary: D::SUMMARY,
            schema: schema::<D>,
        }
    }

    /// The JSON schema (draft 2020-12) of such documents. Keys that it does not name are not
    /// allowed.
    #[must_use]
    pub fn schema(&self) -> Value {
        let mut schema = (self.schema)();
        Described.transform(&mut schema);
        let format = json!({
            "description": "Kind of this document.",
            "type": "object",
            "properties": {
                "name": {"description": "Name of the kind.", "const": format_name(self.name)},
                "version": {
                    "description": "Rises when a key goes, or changes its type or its meaning. New keys do not change it.",
                    "const": self.version
                }
            },
            "required": ["name", "version"],
            "additionalProperties": false
        });
        schema.insert("title".into(), format_name(self.name).into());
        schema.insert("description".into(), self.summary.into());
        let mut schema = schema.to_value();
        schema["properties"]["format"] = format;
        if let Some(required) = schema["required"].as_array_mut() {
            required.insert(0, "format".into());
        } else {
            schema["required"] = json!(["format"]);
        }
        schema
    }
}

fn schema<D: Document>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<D>()
}

/// Forbids keys that a schema does not name, and makes descriptions plain text.
#[derive(Clone)]
struct Described;

impl Transform for Described {
    fn transform(&mut self, schema: &mut Schema) {
        if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
            schema.insert("additionalProperties".into(), Value::Bool(false));
        }
        if let Some(Value::String(text)) = schema.get("description") {
            let text = plain(text);
            schema.insert("description".into(), text.into());
        }
        transform_subschemas(self, schema);
    }
}

/// The first paragraphs of a Rust comment as one line: links to code become their words, and what
/// is none is `null`, as in JSON.
fn plain(comment: &str) -> String {
    let prose = comment.split("```").next().unwrap_or(comment);
    let line = prose.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut plain = String::new();
    let mut rest = line.as_str();
    while let Some((before, after)) = rest.split_once('[') {
        let Some((words, after)) = after.split_once(']') else {
            break;
        };
        let is_code = words.starts_with('`');
        let target = after
            .strip_prefix('(')
            .and_then(|after| after.split_once(')'));
        plain += before;
        rest = match target {
            Some((_, after)) => {
                plain += words;
                after
            }
            None if is_code => {
                plain += words;
                after
            }
            None => {
                plain += &format!("[{words}]");
                after
            }
        };
    }
    (plain + rest).replace("`None`", "null").replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_plain_text() {
        let comment = "The cell of a [rank](Self::rank), or `None`;\nsee [`Network`].\n\n```text\n0 1\n```\nMore.";
        assert_eq!(plain(comment), "The cell of a rank, or null; see Network.");
        assert_eq!(plain("Bytes in [0, 1]"), "Bytes in [0, 1]");
    }
}
