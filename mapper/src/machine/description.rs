//! Machine files (`machine.toml`): what importers write and `--machine FILE` reads.
//!
//! ```toml
//! slots = 4                        # of every host, or one number a host; without it --cores holds
//! hosts = ["n0", "n1", "n2"]
//! switches = ["leaf0", "leaf1", "spine"]
//! links = [
//!     ["n0", "leaf0"],             # bandwidth 1, one cable
//!     ["n1", "leaf0"],
//!     ["n2", "leaf1", 2.0],        # bandwidth of each cable
//!     ["leaf0", "spine", 1.0, 2],  # parallel cables
//!     ["leaf1", "spine"],
//! ]
//!
//! [tables]                         # optional: forwarding tables, then every cable is a link of its own
//! leaf0 = [0, 1, 2]                # for every host: by which of its links, counted from 0; -1 drops
//! ```

use super::fabric::{Fabric, FaultKind, Layout, Link, NONE, Tables};
use super::{MachineError, Topology};
use serde::Deserialize;
use std::collections::HashMap;
use std::fmt;
use toml::Spanned;

/// A machine by name: hosts, switches, cables, and maybe forwarding tables.
#[derive(Clone, Debug)]
pub struct Description {
    pub(super) hosts: Vec<String>,
    pub(super) switches: Vec<String>,
    /// Slots of every host, if known.
    pub(super) slots: Option<Vec<u32>>,
    /// Ends are hosts, then switches.
    pub(super) links: Vec<Link>,
    pub(super) tables: Option<Tables>,
}

/// Reads a machine file.
///
/// # Errors
/// [`MachineError::BadFile`], naming file and line.
pub(super) fn read(path: &str) -> Result<Box<dyn Topology>, MachineError> {
    let bad = |line, problem| MachineError::BadFile {
        file: path.into(),
        line,
        problem,
    };
    let text =
        std::fs::read_to_string(path).map_err(|e| bad(None, format!("cannot read it: {e}")))?;
    let description = Description::parse(&text).map_err(|(line, what)| bad(line, what))?;
    let fabric = Fabric::new(description.layout(path)).map_err(|what| bad(None, what))?;
    Ok(Box::new(fabric))
}

type Problem = (Option<usize>, String);

impl Description {
    /// Takes the text of a machine file; an error is a line, counted from 1, and what is wrong there.
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        let line_of = |at: usize| 1 + text[..at].matches('\n').count();
        let file: File = toml::from_str(text)
            .map_err(|e| (e.span().map(|s| line_of(s.start)), e.message().to_owned()))?;
        file.check(line_of)
    }

    pub(super) fn layout(&self, spec: &str) -> Layout {
        let vertices = self.hosts.len() + self.switches.len();
        let mut layout = Layout::new(spec.into(), self.hosts.len(), vertices);
        layout.links.clone_from(&self.links);
        layout.capacities.clone_from(&self.slots);
        layout.names = Some(self.hosts.clone());
        layout.tables.clone_from(&self.tables);
        layout
    }

    /// Why the tables do not deliver, if so: the switch at fault, and what it does.
    pub(super) fn misrouted(&self) -> Option<(usize, String)> {
        let ends: Vec<(u32, u32)> = self.links.iter().map(|l| l.ends).collect();
        let fault = self.tables.as_ref()?.check(&ends).err()?;
        let (switch, host) = (&self.switches[fault.switch], &self.hosts[fault.node]);
        let problem = match fault.kind {
            FaultKind::Loop => format!("messages to host {host} loop through switch {switch}"),
            FaultKind::Missing => format!("switch {switch} has no route to host {host}"),
            FaultKind::Stray => format!("switch {switch} sends messages to host {host} elsewhere"),
        };
        Some((fault.switch, problem))
    }

    fn name(&self, vertex: u32) -> &str {
        let vertex = vertex as usize;
        match vertex.checked_sub(self.hosts.len()) {
            None => &self.hosts[vertex],
            Some(switch) => &self.switches[switch],
        }
    }

    /// The links of a switch, in order.
    fn links_of(&self, switch: usize) -> Vec<u32> {
        links_of(&self.links, (self.hosts.len() + switch) as u32)
    }
}

fn links_of(links: &[Link], vertex: u32) -> Vec<u32> {
    (0..)
        .zip(links)
        .filter(|(_, l)| l.ends.0 == vertex || l.ends.1 == vertex)
        .map(|(number, _)| number)
        .collect()
}

/// A machine file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    slots: Option<Spanned<PerHost>>,
    hosts: Vec<Spanned<String>>,
    #[serde(default)]
    switches: Vec<Spanned<String>>,
    links: Vec<Spanned<Ends>>,
    tables: Option<toml::map::Map<String, toml::Value>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum PerHost {
    Same(u32),
    Each(Vec<u32>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Ends {
    Plain(String, String),
    Weighted(String, String, f64),
    Parallel(String, String, f64, u32),
}

impl File {
    fn check(self, line_of: impl Fn(usize) -> usize) -> Result<Description, Problem> {
        let at = |span: std::ops::Range<usize>| Some(line_of(span.start));
        let mut vertices = HashMap::new();
        for (number, name) in (0u32..).zip(self.hosts.iter().chain(&self.switches)) {
            if vertices.insert(name.get_ref().as_str(), number).is_some() {
                let problem = format!("there are two hosts or switches named {}", name.get_ref());
                return Err((at(name.span()), problem));
            }
        }
        let mut links = Vec::new();
        for ends in &self.links {
            let link = ends
                .get_ref()
                .resolve(&vertices)
                .map_err(|problem| (at(ends.span()), problem))?;
            links.push(link);
        }
        let hosts = names(&self.hosts);
        let slots = match self.slots {
            None => None,
            Some(slots) => {
                let line = at(slots.span());
                Some(match slots.into_inner() {
                    PerHost::Same(slots) => vec![slots; hosts.len()],
                    PerHost::Each(slots) if slots.len() == hosts.len() => slots,
                    PerHost::Each(slots) => {
                        let problem = format!("{} slots for {} hosts", slots.len(), hosts.len());
                        return Err((line, problem));
                    }
                })
            }
        };
        let mut description = Description {
            switches: names(&self.switches),
            hosts,
            slots,
            links,
            tables: None,
        };
        if let Some(written) = self.tables {
            description.tables = Some(tables(&description, &written).map_err(|e| (None, e))?);
            if let Some((_, problem)) = description.misrouted() {
                return Err((None, problem));
            }
        }
        Ok(description)
    }
}

fn names(list: &[Spanned<String>]) -> Vec<String> {
    list.iter().map(|name| name.get_ref().clone()).collect()
}

impl Ends {
    fn resolve(&self, vertices: &HashMap<&str, u32>) -> Result<Link, String> {
        let (u, v, bandwidth, cables) = match self {
            Self::Plain(u, v) => (u, v, 1.0, 1),
            Self::Weighted(u, v, bandwidth) => (u, v, *bandwidth, 1),
            Self::Parallel(u, v, bandwidth, cables) => (u, v, *bandwidth, *cables),
        };
        let find = |name: &String| {
            vertices
                .get(name.as_str())
                .copied()
                .ok_or_else(|| format!("there is no host or switch named {name}"))
        };
        if !(bandwidth.is_finite() && bandwidth > 0.0) {
            return Err(format!("bandwidth {bandwidth} is not positive"));
        }
        if cables == 0 {
            return Err("a link needs one cable at least".into());
        }
        Ok(Link {
            ends: (find(u)?, find(v)?),
            bandwidth,
            cables,
        })
    }
}

fn tables(
    description: &Description,
    written: &toml::map::Map<String, toml::Value>,
) -> Result<Tables, String> {
    if description.links.iter().any(|l| l.cables != 1) {
        return Err("with [tables] every cable must be a link of its own".into());
    }
    let hosts = description.hosts.len();
    let mut tables = Tables::new(description.switches.len(), hosts);
    for (name, row) in written {
        let switch = description.switches.iter().position(|s| s == name);
        let switch = switch.ok_or_else(|| format!("[tables]: there is no switch named {name}"))?;
        let row = row.as_array().filter(|row| row.len() == hosts);
        let row = row.ok_or_else(|| format!("[tables] {name}: one number a host is needed"))?;
        let links = description.links_of(switch);
        for (host, entry) in row.iter().enumerate() {
            let link = match entry.as_integer() {
                Some(-1) => NONE,
                entry => *entry
                    .and_then(|e| links.get(usize::try_from(e).ok()?))
                    .ok_or_else(|| {
                        let last = links.len();
                        format!("[tables] {name}: entry {host} is no link of this switch: it has {last}, counted from 0")
                    })?,
            };
            tables.set(switch, host, link);
        }
    }
    Ok(tables)
}

/// Writes the machine file.
impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(slots) = &self.slots {
            writeln!(f, "slots = {slots:?}")?;
        }
        for (key, names) in [("hosts", &self.hosts), ("switches", &self.switches)] {
            writeln!(f, "{key} = [")?;
            for row in names.chunks(8) {
                let row: Vec<String> = row.iter().map(|name| quoted(name)).collect();
                writeln!(f, "    {},", row.join(", "))?;
            }
            writeln!(f, "]")?;
        }
        writeln!(f, "links = [")?;
        for link in &self.links {
            let (u, v) = (self.name(link.ends.0), self.name(link.ends.1));
            write!(f, "    [{}, {}", quoted(u), quoted(v))?;
            if link.bandwidth != 1.0 || link.cables != 1 {
                write!(f, ", {:?}", link.bandwidth)?;
            }
            if link.cables != 1 {
                write!(f, ", {}", link.cables)?;
            }
            writeln!(f, "],")?;
        }
        writeln!(f, "]")?;
        match &self.tables {
            Some(tables) => self.write_tables(tables, f),
            None => Ok(()),
        }
    }
}

impl Description {
    fn write_tables(&self, tables: &Tables, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n[tables]")?;
        for (switch, name) in self.switches.iter().enumerate() {
            let links = self.links_of(switch);
            let row: Vec<String> = (0..self.hosts.len())
                .map(|host| {
                    let link = tables.link(switch, host);
                    links
                        .binary_search(&link)
                        .map_or("-1".into(), |place| place.to_string())
                })
                .collect();
            writeln!(f, "{} = [{}]", quoted(name), row.join(", "))?;
        }
        Ok(())
    }
}

fn quoted(name: &str) -> String {
    toml::Value::from(name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: &str = r#"
slots = [2, 0, 1]
hosts = ["n0", "n1", "n 2"]
switches = ["leaf", "other \"leaf\""]
links = [["n0", "leaf"], ["n1", "leaf", 2.5], ["leaf", "other \"leaf\""],
    ["leaf", "other \"leaf\""],
    ["n 2", "other \"leaf\""]]
[tables]
leaf = [0, 1, 3]
"other \"leaf\"" = [0, 1, 2]
"#;

    #[test]
    fn what_is_written_reads_back_the_same() {
        let written = Description::parse(PAIR).unwrap().to_string();
        let again = Description::parse(&written).unwrap();
        assert_eq!(again.to_string(), written);
        assert_eq!(again.hosts[2], "n 2");
        assert_eq!(again.links[1].bandwidth, 2.5);
        let tables = again.tables.unwrap();
        // the second of the two cables between the switches
        assert_eq!((tables.link(0, 2), tables.link(1, 1)), (3, 3));
    }

    #[test]
    fn mistakes_name_the_line() {
        for (from, to, line, problem) in [
            ("[2, 0, 1]", "[2, 0]", Some(2), "2 slots for 3 hosts"),
            ("\"n1\", \"n 2\"", "\"n1\", \"n1\"", Some(3), "two hosts"),
            (
                "[\"n1\", \"leaf\", 2.5]",
                "[\"n9\", \"leaf\"]",
                Some(5),
                "named n9",
            ),
            ("2.5", "0.0", Some(5), "not positive"),
            ("slots", "seats", Some(2), "unknown field"),
            (
                "leaf = [0, 1, 3]",
                "leaf = [0, 1, 4]",
                None,
                "entry 2 is no link",
            ),
            (
                "leaf = [0, 1, 3]",
                "leaf = [0, 1]",
                None,
                "one number a host",
            ),
            (
                "leaf = [0, 1, 3]",
                "leaf = [0, 3, 3]",
                None,
                "messages to host n1 loop",
            ),
            (
                "leaf = [0, 1, 3]",
                "leaf = [0, 1, -1]",
                None,
                "no route to host n 2",
            ),
            ("leaf = [0, 1, 3]", "leaf = [0, 1, 0]", None, "elsewhere"),
        ] {
            let text = PAIR.replacen(from, to, 1);
            let (at, what) = Description::parse(&text).unwrap_err();
            assert_eq!(at, line, "{what}");
            assert!(what.contains(problem), "{what}");
        }
    }
}
