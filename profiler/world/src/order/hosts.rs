//! Matches the hosts of the plan to the hosts of the job.

use super::{Misfit, Process};
use rankfold_wire::plan::Seating;
use std::collections::HashMap;
use std::net::IpAddr;

/// The hosts of the job, numbered in the order in which the launcher has started processes on them.
pub(super) struct Matched {
    /// The host of each process.
    pub(super) of_process: Vec<usize>,
    /// The host of the job for each host of the plan.
    pub(super) of_planned: Vec<usize>,
    /// A warning for the user.
    pub(super) note: Option<String>,
}

impl Matched {
    /// Matches hosts by name if all named hosts of the plan are there. Otherwise, and if the plan
    /// names none, each host of the plan gets the first host left that has as many processes as the
    /// plan has ranks on it.
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
            "the hosts are not those of the plan: its hosts were matched to them in order"
                .to_owned()
        });
        let mut of_planned = by_name.unwrap_or_else(|| vec![None; planned.len()]);
        let mut free = vec![true; names.len()];
        for (&host, &wanted) in of_planned.iter().zip(&planned) {
            let Some(host) = host else { continue };
            // A host of the plan without ranks may be any host, or none.
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

/// For every host of the plan the host with its name, or `None` if it has no name. `None` for all
/// if a host of the plan is not there.
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
                // A short name stands for the host in any domain, and a full name for a host that
                // reports no domain.
                brief if brief == whole => short.get(&brief),
                brief => full.get(&brief),
            });
            found.map(|&number| Some(number))
        }
    };
    planned.iter().map(host).collect()
}

/// A name without its domain. An address is not cut.
fn shortened(name: &str) -> String {
    let address = name.parse::<IpAddr>().is_ok();
    let short = if address {
        name
    } else {
        name.split('.').next().unwrap_or(name)
    };
    short.to_ascii_lowercase()
}
