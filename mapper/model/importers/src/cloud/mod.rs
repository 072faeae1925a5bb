//! Imports what clouds tell about their instances. One file a cloud.
//!
//! All of them read saved answers: nothing is asked over a network.

pub(super) mod aws;
pub(super) mod azure;
pub(super) mod gcp;
pub(super) mod kubernetes;
pub(super) mod oci;
pub(super) mod topograph;

use super::layers::{self, PlacedHost};
use super::{ImportError, Result, Source, SourceLine};
use rankfold_machine::Description;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashSet};

/// The instances of a cloud, each with the switches above it, and their other names.
#[derive(Default)]
struct Instances<'a> {
    hosts: Vec<PlacedHost<'a>>,
    /// Other names and addresses, each with the name of its host; `None` where several hosts have
    /// it.
    aliases: BTreeMap<String, Option<String>>,
}

impl<'a> Instances<'a> {
    /// Adds an instance with what is above it, from the outermost in.
    fn add(&mut self, place: SourceLine<'a>, name: String, above: Vec<String>) {
        self.hosts.push((place, name, above));
    }

    /// Adds other names and addresses of the instance `host`.
    fn call<'b>(&mut self, host: &str, names: impl IntoIterator<Item = &'b str>) {
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            let known = self.aliases.entry(name.to_owned());
            let known = known.or_insert_with(|| Some(host.to_owned()));
            if known.as_deref() != Some(host) {
                *known = None;
            }
        }
    }

    /// The machine. `key` names what an answer must have to place a host.
    fn describe(self, sources: &[Source], key: &str) -> Result<Description> {
        let Some(last) = sources.last() else {
            return Err(ImportError::whole("cloud", "no file is given"));
        };
        if self.hosts.is_empty() {
            return Err(ImportError::whole(&last.file, format!("no host has {key}")));
        }
        let mut description = layers::describe(&self.hosts, start_of(last))?;
        let names: HashSet<&String> = description.hosts.iter().collect();
        let aliases = self.aliases.into_iter();
        let aliases = aliases.filter_map(|(alias, host)| Some((alias, host?)));
        let aliases =
            aliases.filter(|(alias, host)| !names.contains(alias) && names.contains(host));
        description.aliases = aliases.collect();
        Ok(description)
    }
}

/// The first line of a source.
fn start_of(source: &Source) -> SourceLine<'_> {
    SourceLine { source, line: 1 }
}

/// The line that first has `name` between quotation marks, or else the first line.
fn place_of<'a>(source: &'a Source, name: &str) -> SourceLine<'a> {
    let quoted = format!("\"{name}\"");
    let before = source.text.find(&quoted).map(|at| &source.text[..at]);
    SourceLine {
        source,
        line: 1 + before.map_or(0, |before| before.matches('\n').count()),
    }
}

/// A line without the number of the task that `srun -l` puts before it.
fn without_label(line: &str) -> &str {
    match line.trim_start().split_once(':') {
        Some((label, rest)) if !label.is_empty() && label.bytes().all(|c| c.is_ascii_digit()) => {
            rest.strip_prefix(' ').unwrap_or(rest)
        }
        _ => line,
    }
}

fn json<T: DeserializeOwned>(source: &Source) -> Result<T> {
    serde_json::from_str(&source.text).map_err(|error| {
        let place = format!(" at line {} column {}", error.line(), error.column());
        let text = error.to_string();
        let line = error.line().max(1);
        SourceLine { source, line }.bad(text.strip_suffix(&place).unwrap_or(&text))
    })
}

fn yaml<T: DeserializeOwned>(source: &Source) -> Result<T> {
    serde_saphyr::from_str(&source.text).map_err(|error| {
        let line = error.location().map_or(1, |at| at.line() as usize);
        SourceLine { source, line }.bad(error.without_snippet().to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ALL, Importer};

    fn source(text: &str) -> Source {
        Source {
            file: "t.json".into(),
            text: text.into(),
        }
    }

    pub(super) fn read(importer: &Importer, texts: &[&str]) -> Result<Description> {
        let sources: Vec<Source> = texts.iter().map(|text| source(text)).collect();
        (importer.read)(&sources)
    }

    pub(super) fn problem(importer: &Importer, texts: &[&str]) -> String {
        match read(importer, texts) {
            Ok(machine) => panic!("it was read: {machine}"),
            Err(error) => error.to_string(),
        }
    }

    /// The name of the importer that recognises a text.
    pub(super) fn recognised(text: &str) -> Option<&'static str> {
        ALL.kind_of(&source(text)).map(|kind| kind.name)
    }

    #[test]
    fn a_name_that_two_hosts_have_is_nobodys() {
        let text = source("");
        let mut instances = Instances::default();
        for host in ["a", "b", "c"] {
            instances.add(start_of(&text), host.into(), vec!["s".into()]);
        }
        instances.call("a", ["10.0.0.1", "x", "b"]);
        instances.call("b", ["x", ""]);
        instances.call("lost", ["y"]);
        let machine = instances
            .describe(std::slice::from_ref(&text), "key")
            .unwrap();
        let aliases: Vec<_> = machine.aliases.iter().collect();
        assert_eq!(aliases, [(&"10.0.0.1".to_owned(), &"a".to_owned())]);
    }
}
