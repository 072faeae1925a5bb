//! Elements of a platform file: their attributes, read and checked, with the line for errors.

use super::units;
use rankfold_importers::{ImportError, Result, Source, SourceLine};
use rankfold_machine::Speed;
use roxmltree::Node;
use std::str::FromStr;

/// An element of a platform file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element<'a> {
    pub(super) source: &'a Source,
    pub(super) node: Node<'a, 'a>,
}

impl<'a> Element<'a> {
    /// The name of the tag.
    pub(super) fn tag(self) -> &'a str {
        self.node.tag_name().name()
    }

    pub(super) fn children(self) -> impl Iterator<Item = Self> {
        let elements = self.node.children().filter(Node::is_element);
        elements.map(move |node| Self {
            source: self.source,
            node,
        })
    }

    /// The line of the element. Takes time in proportion to the text before it.
    pub(super) fn place(self) -> SourceLine<'a> {
        let position = self.node.document().text_pos_at(self.node.range().start);
        SourceLine {
            source: self.source,
            line: position.row as usize,
        }
    }

    pub(super) fn bad(self, problem: impl Into<String>) -> ImportError {
        self.place().bad(problem)
    }

    /// An attribute. One that is given but empty counts as not given, as in SimGrid.
    pub(super) fn attribute(self, key: &str) -> Option<&'a str> {
        self.node.attribute(key).filter(|value| !value.is_empty())
    }

    pub(super) fn required(self, key: &str) -> Result<&'a str> {
        self.attribute(key)
            .ok_or_else(|| self.bad(format!("<{}> has no {key}", self.tag())))
    }

    /// An attribute that is a number, or `usual` where it is not given.
    pub(super) fn number<T: FromStr>(self, key: &str, usual: T) -> Result<T> {
        let Some(text) = self.attribute(key) else {
            return Ok(usual);
        };
        let number = text.trim().parse();
        number.map_err(|_| self.bad(format!("{key}={text:?} is not a whole number")))
    }

    /// An attribute that is a bandwidth in bytes per second, if it is given.
    pub(super) fn bandwidth(self, key: &str) -> Result<Option<f64>> {
        self.read(key, units::bandwidth)
    }

    /// An attribute that is a time in seconds, 0 if it is not given.
    pub(super) fn time(self, key: &str) -> Result<f64> {
        Ok(self.read(key, units::time)?.unwrap_or(0.0))
    }

    /// The speed told by two attributes, of which the bandwidth is required.
    pub(super) fn speed(self, bandwidth: &str, latency: &str) -> Result<Speed> {
        self.required(bandwidth)?;
        Ok(Speed {
            bandwidth: self.bandwidth(bandwidth)?.unwrap_or(f64::NAN),
            latency: self.time(latency)?,
        })
    }

    fn read(self, key: &str, read: fn(&str) -> Result<f64, String>) -> Result<Option<f64>> {
        let given = self.attribute(key);
        let value = given.map(|text| read(text).map_err(|e| self.bad(format!("{key}: {e}"))));
        value.transpose()
    }

    /// An attribute that is one of some words, the first of which holds where it is not given.
    pub(super) fn word(self, key: &str, words: &[&'static str]) -> Result<&'static str> {
        let Some(text) = self.attribute(key) else {
            return Ok(words[0]);
        };
        let known = words.iter().find(|word| **word == text);
        known.copied().ok_or_else(|| {
            self.bad(format!(
                "{key}={text:?}: supported are {}",
                words.join(", ")
            ))
        })
    }
}
