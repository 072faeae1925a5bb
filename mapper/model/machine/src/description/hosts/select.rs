//! Finds the hosts of a list among the hosts of a machine that names them.

use super::Result;
use super::{FittedHosts, HostList, UNUSABLE, bad, short};
use rankfold_base::NodeId;
use rankfold_base::words::counted;
use std::collections::HashMap;

impl HostList {
    /// Matches the entries with the names that the machine gives its nodes. Where the machine has
    /// no host of just this name, a name with or without its domain or in other letter case is
    /// taken if it is that of one host alone.
    pub(super) fn select(self, capacities: &[u32], names: &[String]) -> Result<FittedHosts> {
        let number: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        let mut alike: HashMap<String, Vec<usize>> = HashMap::new();
        for (node, name) in names
            .iter()
            .enumerate()
            .filter(|(_, name)| *name != UNUSABLE)
        {
            alike.entry(short(name)).or_default().push(node);
        }
        let mut fitted = FittedHosts {
            names: vec![UNUSABLE.to_owned(); names.len()],
            slots: vec![0; names.len()],
            listed: None,
            note: None,
        };
        let mut others: Vec<(&str, &str)> = Vec::new();
        let mut listed = Vec::new();
        for entry in self.entries.iter().filter(|e| e.name != UNUSABLE) {
            let here = |problem| {
                let at = if self.from_file {
                    format!("{}:{}", self.given, entry.line)
                } else {
                    self.given.clone()
                };
                bad(&at, problem)
            };
            let exact = number.get(entry.name.as_str()).copied();
            let node = match (exact, alike.get(&short(&entry.name)).map(Vec::as_slice)) {
                (Some(node), _) => node,
                (None, Some(&[node])) => {
                    others.push((&names[node], &entry.name));
                    node
                }
                (None, Some(several)) => {
                    let several: Vec<&str> = several.iter().map(|&n| names[n].as_str()).collect();
                    let problem = format!("{} may be any of {}", entry.name, several.join(", "));
                    return Err(here(problem));
                }
                (None, None) => {
                    return Err(here(format!("the machine has no host {}", entry.name)));
                }
            };
            if fitted.names[node] != UNUSABLE {
                let problem = format!("{} and {} are one host", fitted.names[node], entry.name);
                return Err(here(problem));
            }
            fitted.slots[node] = entry.slots.unwrap_or(capacities[node]);
            fitted.names[node].clone_from(&entry.name);
            listed.push(NodeId::at(node));
        }
        fitted.listed = (!listed.is_sorted()).then_some(listed);
        fitted.note = others.first().map(|(machine, list)| {
            let count = counted(others.len(), "host");
            format!("--hosts: {list} is taken for the machine's {machine} ({count} with other domains or letter case)")
        });
        Ok(fitted)
    }
}
