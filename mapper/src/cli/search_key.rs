//! The search options that a placement depends on, in a form that is stored and compared.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use std::time::Duration;

/// The search options that a placement depends on. `--threads` is not among them: the placement is
/// the same for any number of threads.
///
/// The serialised form is stored in caches. An option that is added later is left out of that form
/// where the user does not give it, so that stored keys stay valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchKey {
    /// `--heuristic`, or `auto`.
    pub heuristic: String,
    /// False with `--no-refine`.
    pub refine: bool,
    /// `--loops`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loops: Option<u64>,
    /// `--objective`.
    pub objective: String,
    /// `--exchange`.
    pub exchange: String,
    /// `--pin` and the other constraints, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
    /// `--effort`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// `--time`.
    #[schemars(schema_with = "duration")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Duration>,
    /// `--seed`.
    pub seed: u64,
}

/// The schema of a duration as it is stored.
fn duration(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "properties": {
            "secs": {"description": "Whole seconds.", "type": "integer", "minimum": 0},
            "nanos": {"description": "Nanoseconds beyond them.", "type": "integer", "minimum": 0}
        },
        "required": ["secs", "nanos"]
    })
}
