//! Reads the forwarding tables of a machine file.

use super::{Description, SpanError};
use crate::network::fabric::{NO_LINK, Tables};
use rankfold_base::words::counted;
use std::collections::{BTreeMap, HashMap};
use toml::Spanned;

/// The forwarding table of every switch.
pub(super) type Rows = BTreeMap<String, Spanned<Vec<i64>>>;

/// The tables of all switches.
pub(super) fn tables(description: &Description, rows: &Rows) -> Result<Tables, SpanError> {
    if description.links.iter().any(|l| l.cables != 1) {
        let problem = "with [tables] every cable must be a link of its own";
        return Err((None, problem.into()));
    }
    let hosts = description.hosts.len();
    let mut tables = Tables::new(description.switches.len(), hosts);
    let numbers: HashMap<&String, usize> = description.switches.iter().zip(0..).collect();
    for (name, row) in rows {
        let bad = |problem| (Some(row.span()), format!("[tables] {name}: {problem}"));
        let Some(&switch) = numbers.get(name) else {
            return Err(bad("there is no switch of this name".into()));
        };
        if row.get_ref().len() != hosts {
            return Err(bad("one number a host is needed".into()));
        }
        let links = description.links_of(switch);
        for (host, &entry) in row.get_ref().iter().enumerate() {
            let link = usize::try_from(entry)
                .ok()
                .and_then(|entry| links.get(entry));
            let link = match (entry, link) {
                (-1, _) => NO_LINK,
                (_, Some(&link)) => link,
                (_, None) => {
                    return Err(bad(format!(
                        "entry {host} is no link of this switch: it has {}, counted from 0",
                        counted(links.len(), "link")
                    )));
                }
            };
            tables.set(switch, host, link);
        }
    }
    Ok(tables)
}
