//! Follows single messages through forwarding tables, for comparison with the output of
//! `ibtracert`.

use super::super::{ImportError, Result, Source};
use super::discover::bracketed;
use super::load;
use rankfold_machine::Description;
use std::collections::HashMap;

/// A cable on the path of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cable {
    /// The port by which the message enters the cable.
    pub out: u32,
    /// The host or switch at the other end.
    pub device: String,
    /// The port at the other end.
    pub into: u32,
}

/// A subnet with forwarding tables.
#[derive(Debug)]
pub struct Subnet {
    description: Description,
    /// The two ends of every link: vertex and port.
    ends: Vec<[(usize, u32); 2]>,
    /// The name of every vertex in [`Cable::device`].
    names: Vec<String>,
}

impl Subnet {
    /// Reads the files of the importer `infiniband`.
    ///
    /// # Errors
    /// [`ImportError`] if a file is wrong, or if there are no forwarding tables.
    pub fn new(sources: &[Source]) -> Result<Self> {
        let loaded = load(sources)?;
        if loaded.description.tables.is_none() {
            let file = sources.first().map_or("infiniband", |s| &s.file);
            return Err(ImportError::whole(
                file,
                "there are no forwarding tables to follow",
            ));
        }
        let mut ends: HashMap<u32, Vec<(usize, u32)>> = HashMap::new();
        for (&(device, port), &link) in &loaded.cables {
            let vertex = loaded.vertices.of[&device] as usize;
            ends.entry(link).or_default().push((vertex, port));
        }
        let first = |vertex| &loaded.network.devices[loaded.vertices.first(vertex)];
        Ok(Self {
            ends: (0..loaded.description.links.len() as u32)
                .map(|link| [ends[&link][0], ends[&link][1]])
                .collect(),
            names: (0..loaded.vertices.devices.len())
                .map(|vertex| first(vertex).name.clone())
                .collect(),
            description: loaded.description,
        })
    }

    /// Names of the hosts.
    #[must_use]
    pub fn hosts(&self) -> &[String] {
        &self.description.hosts
    }

    /// The cables on the path from one host to another; `None` if there is no host of either name.
    #[must_use]
    pub fn path(&self, from: &str, to: &str) -> Option<Vec<Cable>> {
        let host = |name: &str| self.hosts().iter().position(|h| h == name);
        let (mut at, to) = (host(from)?, host(to)?);
        let mut path = Vec::new();
        while at != to {
            let link = match at.checked_sub(self.hosts().len()) {
                None => self
                    .ends
                    .iter()
                    .position(|e| e[0].0 == at || e[1].0 == at)?,
                Some(switch) => self.description.tables.as_ref()?.link(switch, to) as usize,
            };
            let [one, other] = self.ends[link];
            let (here, there) = if one.0 == at {
                (one, other)
            } else {
                (other, one)
            };
            path.push(Cable {
                out: here.1,
                device: self.names[there.0].clone(),
                into: there.1,
            });
            at = there.0;
        }
        Some(path)
    }
}

/// The path between two hosts that `ibtracert` printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// The sending host.
    pub from: String,
    /// The receiving host.
    pub to: String,
    /// The cables of the path.
    pub path: Vec<Cable>,
}

/// Reads the output of one or several runs of `ibtracert`. Lines that cannot be read are skipped.
#[must_use]
pub fn traces(text: &str) -> Vec<Traced> {
    let mut traces: Vec<Traced> = Vec::new();
    for line in text.lines() {
        let Some(name) = device(line) else {
            continue;
        };
        if line.starts_with("From ") {
            traces.push(Traced {
                from: name,
                to: String::new(),
                path: Vec::new(),
            });
            continue;
        }
        let Some(trace) = traces.last_mut() else {
            continue;
        };
        if line.starts_with("To ") {
            trace.to = name;
        } else if let Some(cable) = cable(line, name) {
            trace.path.push(cable);
        }
    }
    traces
}

/// Reads a cable: `[1] -> switch port {0x0000000000200002}[1] lid 9-9 "leaf00"`.
fn cable(line: &str, device: String) -> Option<Cable> {
    let (out, rest) = line.split_once(" -> ")?;
    let (_, into) = rest.split_once('}')?;
    Some(Cable {
        out: bracketed(out)?,
        device,
        into: bracketed(into)?,
    })
}

/// The name in quotes; for an adapter, the name of its host.
fn device(line: &str) -> Option<String> {
    let text = line.split('"').nth(1)?;
    let adapter =
        line.contains(" ca port ") || line.starts_with("From ca") || line.starts_with("To ca");
    let name = if adapter {
        text.split_whitespace().next()?
    } else {
        text.trim()
    };
    Some(name.to_owned())
}
