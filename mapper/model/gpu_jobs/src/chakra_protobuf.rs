//! Chakra execution traces in protobuf, schema 0.0.4: the global metadata, then the nodes, each
//! message with its length before it. Fields that no reader here needs are skipped.

use prost::Message;
use serde_json::{Map, Value, json};

/// Attributes of a trace, and the version of the schema.
#[derive(Clone, PartialEq, Message)]
struct GlobalMetadata {
    #[prost(string, tag = "1")]
    version: String,
    #[prost(message, repeated, tag = "2")]
    attributes: Vec<Attribute>,
}

#[derive(Clone, PartialEq, Message)]
struct Node {
    #[prost(int32, tag = "3")]
    kind: i32,
    #[prost(message, repeated, tag = "10")]
    attributes: Vec<Attribute>,
}

#[derive(Clone, PartialEq, Message)]
struct Attribute {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(
        oneof = "Scalar",
        tags = "7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29"
    )]
    value: Option<Scalar>,
}

/// The values of attributes that are one number or text.
#[derive(Clone, PartialEq, prost::Oneof)]
enum Scalar {
    #[prost(int32, tag = "7")]
    Int32(i32),
    #[prost(int64, tag = "9")]
    Int64(i64),
    #[prost(uint32, tag = "11")]
    Uint32(u32),
    #[prost(uint64, tag = "13")]
    Uint64(u64),
    #[prost(sint32, tag = "15")]
    Sint32(i32),
    #[prost(sint64, tag = "17")]
    Sint64(i64),
    #[prost(fixed32, tag = "19")]
    Fixed32(u32),
    #[prost(fixed64, tag = "21")]
    Fixed64(u64),
    #[prost(sfixed32, tag = "23")]
    Sfixed32(i32),
    #[prost(sfixed64, tag = "25")]
    Sfixed64(i64),
    #[prost(bool, tag = "27")]
    Bool(bool),
    #[prost(string, tag = "29")]
    Text(String),
}

/// The names of the node types that readers of traces look for, by number.
const KINDS: [(i32, &str); 2] = [(5, "COMM_SEND_NODE"), (7, "COMM_COLL_NODE")];

/// Whether a file that starts with these bytes is a trace: its first message is global metadata
/// with a version such as `0.0.4`, or with named attributes.
pub(super) fn is_trace(head: &[u8]) -> bool {
    let mut rest = head;
    let Ok(metadata) = GlobalMetadata::decode_length_delimited(&mut rest) else {
        return false;
    };
    let version = metadata.version.as_bytes();
    let is_version = |c: &u8| c.is_ascii_digit() || *c == b'.';
    let mut names = metadata.attributes.iter().map(|it| it.name.as_bytes());
    version.iter().all(is_version)
        && (!version.is_empty() || !metadata.attributes.is_empty())
        && names.all(|name| !name.is_empty() && name.iter().all(u8::is_ascii_graphic))
}

/// The nodes of a trace that communicate, in the form of Chakra's JSON.
///
/// # Errors
/// A message, if the bytes are no trace or end within a message.
pub(super) fn nodes(mut content: &[u8]) -> Result<Vec<Value>, String> {
    let whole = content.len();
    let damaged = |rest: &[u8], error: &prost::DecodeError| {
        let at = whole - rest.len();
        format!(
            "byte {at}: the protobuf message that starts here is damaged or half-written: {error}"
        )
    };
    let mut start = content;
    GlobalMetadata::decode_length_delimited(&mut content).map_err(|e| damaged(start, &e))?;
    let mut found = Vec::new();
    while !content.is_empty() {
        start = content;
        let node = Node::decode_length_delimited(&mut content).map_err(|e| damaged(start, &e))?;
        if let Some((_, kind)) = KINDS.iter().find(|(number, _)| *number == node.kind) {
            let attributes: Vec<Value> = node.attributes.iter().map(Attribute::as_json).collect();
            found.push(json!({"type": kind, "attr": attributes}));
        }
    }
    Ok(found)
}

impl Attribute {
    fn as_json(&self) -> Value {
        let value = self.value.as_ref().map(|scalar| match scalar {
            Scalar::Int32(number) | Scalar::Sint32(number) | Scalar::Sfixed32(number) => {
                json!(number)
            }
            Scalar::Int64(number) | Scalar::Sint64(number) | Scalar::Sfixed64(number) => {
                json!(number)
            }
            Scalar::Uint32(number) | Scalar::Fixed32(number) => json!(number),
            Scalar::Uint64(number) | Scalar::Fixed64(number) => json!(number),
            Scalar::Bool(flag) => json!(flag),
            Scalar::Text(text) => json!(text),
        });
        let mut fields = Map::from_iter([("name".to_owned(), json!(self.name))]);
        fields.extend(value.map(|value| ("val".to_owned(), value)));
        Value::Object(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_and_pickles_are_no_traces() {
        let metadata = |version: &str| GlobalMetadata {
            version: version.into(),
            attributes: Vec::new(),
        };
        assert!(is_trace(
            &metadata("0.0.4").encode_length_delimited_to_vec()
        ));
        assert!(!is_trace(&metadata("").encode_length_delimited_to_vec()));
        assert!(!is_trace(
            &metadata("four").encode_length_delimited_to_vec()
        ));
        for other in [
            &b"{\n  \"version\": \"0.0.4\"}"[..],
            b"\x80\x02}q\x00.",
            b"",
            b"\x00",
        ] {
            assert!(!is_trace(other), "{other:?}");
        }
    }
}
