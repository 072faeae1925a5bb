//! The cores in rankfiles of Open MPI.

use rankfold_mapfile::{MapfileError, RankPlaces, Seats};
use rankfold_wire::Cores;
use std::collections::HashMap;

/// Whether a rankfile names hosts and gives every rank cores. Any other rankfile holds no more than
/// a list of hosts does.
pub(super) fn binds(text: &str, seats: &Seats) -> bool {
    let bound = text.matches("slot").count() >= seats.ranks();
    bound && matches!(seats.places, RankPlaces::Hosts(_))
}

/// Checks that a rankfile does not bind two ranks to one core. Ranks with the same list of several
/// cores are accepted, since they can move within the list.
///
/// # Errors
/// The first core that two ranks share by single cores or by different lists.
pub(super) fn check_cores(text: &str, hosts: &[String], file: &str) -> Result<(), MapfileError> {
    let mut lists: HashMap<(&str, &str), usize> = HashMap::new();
    let mut taken: HashMap<(&str, &str, u32), usize> = HashMap::new();
    for line in text.lines() {
        let Some((rank, slot)) = slot(line) else {
            continue;
        };
        let Some(host) = hosts.get(rank) else {
            continue;
        };
        let (package, list) = slot.split_once(':').unwrap_or(("", slot));
        let Ok(cores) = list.parse::<Cores>() else {
            continue;
        };
        let misplaced = |core, other| MapfileError::Misplaced {
            file: file.into(),
            rank,
            problem: match package {
                "" => format!("it is on core {core} of {host}, where rank {other} is too"),
                _ => format!("it is on core {package}:{core} of {host}, where rank {other} is too"),
            },
        };
        let same = *lists.entry((host, slot)).or_insert(rank);
        match cores.numbers() {
            &[core] if same != rank => return Err(misplaced(core, same)),
            _ if same != rank => continue,
            numbers if numbers.len() > MOST => continue,
            numbers => {
                for &core in numbers {
                    if let Some(other) = taken.insert((host, package, core), rank) {
                        return Err(misplaced(core, other));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Lists with more cores than this are not checked: no host has as many. Chosen by hand; not
/// measured.
const MOST: usize = 1 << 16;

/// The rank and its list of cores in a line `rank R=HOST slot=LIST`; `None` for any other line.
fn slot(line: &str) -> Option<(usize, &str)> {
    let (rank, rest) = line.trim().strip_prefix("rank")?.split_once('=')?;
    let (_, list) = rest.split_once("slot")?;
    let list = list.trim_start_matches('s').trim().strip_prefix('=')?;
    let list = list.split('#').next().unwrap_or_default().trim();
    Some((rank.trim().parse().ok()?, list))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(slots: [&str; 3]) -> Result<(), String> {
        let hosts = ["a", "b", "a"].map(String::from);
        let lines = slots.iter().zip(&hosts).enumerate();
        let text: String = lines
            .map(|(rank, (slot, host))| format!("rank {rank}={host} slot={slot}\n"))
            .collect();
        check_cores(&text, &hosts, "map").map_err(|error| error.to_string())
    }

    #[test]
    fn two_ranks_on_one_core_are_both_named() {
        for slots in [["1", "1", "1"], ["0-1", "1", "1-2"], ["1", "1", "0-3"]] {
            let message = check(slots).unwrap_err();
            let named = "rank 2: it is on core 1 of a, where rank 0 is too";
            assert!(message.contains(named), "{slots:?}: {message}");
        }
        let message = check(["0:1", "0:1", "0:0-1 # both"]).unwrap_err();
        assert!(
            message.contains("core 0:1 of a, where rank 0 is too"),
            "{message}"
        );
    }

    #[test]
    fn ranks_may_share_a_list_of_several_cores() {
        for slots in [
            ["0-3", "0", "0-3"],
            ["0:*", "0", "0:*"],
            ["0:1", "0:1", "1:1"],
        ] {
            assert_eq!(check(slots), Ok(()), "{slots:?}");
        }
    }
}
