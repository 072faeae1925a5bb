//! Which of the hosts there are is which of the plan's.

use super::{Misfit, Process};
use rankfold_profile::plan::Seating;
use std::collections::HashMap;
use std::net::IpAddr;

/// Hosts, numbered in the order in which the launcher has started processes on them.
pub(super) struct Matched {
    /// Entry p is the host of process p.
    pub(super) of_process: Vec<usize>,
    /// Entry h is the host that is the plan's host h.
    pub(super) of_planned: Vec<usize>,
    /// What the user should know.
    pub(super) note: Option<String>,
}

impl Matched {
    /// By name if all hosts of the plan that have one are there. Otherwise, and where the plan
    /// names none, each takes the first one left that has as many processes as the plan has ranks
    /// on it.
    pub(super) fn new(seating: &Seating, found: &[Process]) -> Result<Self, Misfit> {
        let mut names: Vec<&str> = Vec::new();
        let mut numbers = HashMap::new();
        let of_process: Vec<usize> = found
            .iter()
            .map(|process| {
                *numbers.entry(&process.host).or_insert_with(|| {
                    names.push(&process.host);
                    names.len() - 1
                })
            })
            .collect();
        let mut room = vec![0; names.len()];
        for &host in &of_process {
            room[host] += 1;
        }
        let mut planned = vec![0; seating.hosts().len()];
        for rank in seating.ranks() {
            planned[rank.host as usize] += 1;
        }
        let by_name = named(seating.hosts(), &names);
        let note = by_name.is_none().then(|| {
            "the hosts are not those of the plan, which are taken in their order".to_owned()
        });
        let mut of_planned = by_name.unwrap_or_else(|| vec![None; planned.len()]);
        let mut free = vec![true; names.len()];
        for (&host, &wanted) in of_planned.iter().zip(&planned) {
            let Some(host) = host else { continue };
            // A host on which nobody is planned may be any, or none.
            if wanted > 0 && (room[host] != wanted || !free[host]) {
                return Err(misfit(names[host], wanted));
            }
            free[host] &= wanted == 0;
        }
        for (number, (host, &wanted)) in of_planned.iter_mut().zip(&planned).enumerate() {
            if host.is_some() || wanted == 0 {
                continue;
            }
            let next = (0..names.len()).find(|&host| free[host] && room[host] == wanted);
            let Some(next) = next else {
                let name = seating.hosts()[number].clone();
                return Err(misfit(&name.unwrap_or(format!("host {number}")), wanted));
            };
            free[next] = false;
            *host = Some(next);
        }
        let of_planned = of_planned.into_iter().map(Option::unwrap_or_default);
        Ok(Self {
            of_process,
            of_planned: of_planned.collect(),
            note,
        })
    }
}

fn misfit(host: &str, planned: usize) -> Misfit {
    Misfit::Shape {
        host: host.to_owned(),
        planned,
    }
}

/// For every host of the plan the one that has its name, `None` where it has none; `None` at all
/// where a name is not there.
fn named(planned: &[Option<String>], found: &[&str]) -> Option<Vec<Option<usize>>> {
    let mut full = HashMap::new();
    let mut short = HashMap::new();
    for (number, name) in found.iter().enumerate() {
        full.insert(name.to_ascii_lowercase(), number);
        short.insert(shortened(name), number);
    }
    let host = |name: &Option<String>| match name {
        None => Some(None),
        Some(name) => {
            let whole = name.to_ascii_lowercase();
            let found = full.get(&whole).or_else(|| match shortened(name) {
                // A short name means the host of any domain, a full one that which tells none.
                brief if brief == whole => short.get(&brief),
                brief => full.get(&brief),
            });
            found.map(|&number| Some(number))
        }
    };
    planned.iter().map(host).collect()
}

/// A name without its domain; an address stays whole.
fn shortened(name: &str) -> String {
    let address = name.parse::<IpAddr>().is_ok();
    let short = if address {
        name
    } else {
        name.split('.').next().unwrap_or(name)
    };
    short.to_ascii_lowercase()
}
