//! Compares the hosts and shared-memory groups of ranks with a plan.

use super::names::canonical;
use rankfold_wire::Seat;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The first difference between a run and its plan, or between the hosts of ranks and the MPI
/// library's view of them.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages tell what the parts are")]
pub enum Mismatch {
    #[error("{planned} ranks were planned, {seated} ran{}", alone(*.planned, *.seated))]
    Ranks { planned: usize, seated: usize },
    #[error("rank {rank} should be on {planned} and is on {actual}")]
    Host {
        rank: usize,
        planned: String,
        actual: String,
    },
    #[error("ranks {other} and {rank} both run on core {core} of {host}")]
    Core {
        rank: usize,
        other: usize,
        core: u32,
        host: String,
    },
    #[error("rank {rank} is on {host}, but the MPI library {} rank {planned} there", belief(*.rank, *.actual))]
    Group {
        rank: usize,
        host: String,
        /// The lowest rank on the host.
        planned: usize,
        /// The lowest rank of the group.
        actual: u32,
    },
}

/// The part of the message about the MPI library: it lets `rank` share memory with no other rank,
/// or with the group of rank `actual`.
fn belief(rank: usize, actual: u32) -> String {
    if rank == actual as usize {
        "does not let it share memory with".into()
    } else {
        format!("lets it share memory with rank {actual} instead of")
    }
}

/// Compares the hosts of ranks with the plan, and then their shared-memory groups: the ranks of a
/// host must be one group. A group is named after its lowest rank.
///
/// # Errors
/// The first difference.
pub fn verify(planned: &[String], seats: &[Seat]) -> Result<(), Mismatch> {
    if planned.len() != seats.len() {
        return Err(Mismatch::Ranks {
            planned: planned.len(),
            seated: seats.len(),
        });
    }
    for (rank, (planned, seat)) in planned.iter().zip(seats).enumerate() {
        if canonical(planned) != canonical(&seat.host) {
            return Err(Mismatch::Host {
                rank,
                planned: planned.clone(),
                actual: seat.host.clone(),
            });
        }
    }
    let mut lowest = HashMap::new();
    for (rank, seat) in seats.iter().enumerate() {
        let planned = *lowest.entry(canonical(&seat.host)).or_insert(rank);
        if seat.shared_with as usize != planned {
            return Err(Mismatch::Group {
                rank,
                host: seat.host.clone(),
                planned,
                actual: seat.shared_with,
            });
        }
    }
    Ok(())
}

/// A possible cause of a wrong number of ranks, for the message.
fn alone(planned: usize, seated: usize) -> &'static str {
    if seated == 1 && planned > 1 {
        ": each process is a world of its own, as when the launcher is not that of the program's MPI library"
    } else {
        ""
    }
}

/// Compares a run with the plan as [`verify`] does, but accepts two differences, which are returned
/// as remarks. The job may have other hosts, if they are as many and each takes the ranks of one
/// planned host. And where ranks were `renumbered`, rank 0 may have changed places with another
/// rank, since it stays with the launcher's first process.
///
/// # Errors
/// The first other difference.
pub fn accept(
    planned: &[String],
    seats: &[Seat],
    renumbered: bool,
) -> Result<Vec<String>, Mismatch> {
    let mut remarks = Vec::new();
    let mut expected: Vec<String> = planned.to_vec();
    if planned.len() == seats.len() {
        if let Some(hosts) = stand_ins(planned, seats) {
            remarks.push("on other hosts than the map names, of the same shape".into());
            for host in &mut expected {
                host.clone_from(&hosts[host.as_str()]);
            }
        }
        let is = |rank: usize, host: &str| canonical(&seats[rank].host) == canonical(host);
        let exchanged = (1..expected.len())
            .find(|&rank| is(0, &expected[rank]) && is(rank, &expected[0]) && !is(0, &expected[0]));
        if let Some(other) = exchanged.filter(|_| renumbered) {
            expected.swap(0, other);
            remarks.push(format!(
                "ranks 0 and {other} changed places, as standard input stays with rank 0"
            ));
        }
    }
    verify(&expected, seats)?;
    Ok(remarks)
}

/// Checks that no two ranks of a host have a core in common. Ranks that may use the same several
/// cores count as not bound.
///
/// # Errors
/// The first core that two ranks have in common.
pub(super) fn cores(seats: &[Seat]) -> Result<(), Mismatch> {
    let mut taken: HashMap<(String, u32), usize> = HashMap::new();
    for (rank, seat) in seats.iter().enumerate() {
        for &core in seat.cores.numbers() {
            let other = *taken.entry((canonical(&seat.host), core)).or_insert(rank);
            let alike = seats[other].cores == seat.cores && seat.cores.numbers().len() > 1;
            if other != rank && !alike {
                return Err(Mismatch::Core {
                    rank,
                    other,
                    core,
                    host: seat.host.clone(),
                });
            }
        }
    }
    Ok(())
}

/// For every planned host, the host that has taken its ranks. `None` if all planned hosts are
/// there, or the number of hosts differs.
fn stand_ins<'a>(planned: &'a [String], seats: &[Seat]) -> Option<HashMap<&'a str, String>> {
    let there: BTreeSet<String> = seats.iter().map(|seat| canonical(&seat.host)).collect();
    let wanted: BTreeSet<String> = planned.iter().map(|host| canonical(host)).collect();
    if wanted.is_subset(&there) || wanted.len() != there.len() {
        return None;
    }
    let mut votes: HashMap<&str, BTreeMap<&str, usize>> = HashMap::new();
    for (host, seat) in planned.iter().zip(seats) {
        *votes
            .entry(host)
            .or_default()
            .entry(&seat.host)
            .or_default() += 1;
    }
    let most = |votes: BTreeMap<&str, usize>| {
        let most = votes.into_iter().max_by_key(|&(_, count)| count);
        most.map(|(host, _)| host.to_owned())
    };
    let hosts: HashMap<&str, String> = votes
        .into_iter()
        .filter_map(|(host, votes)| Some((host, most(votes)?)))
        .collect();
    let distinct: BTreeSet<&String> = hosts.values().collect();
    (distinct.len() == hosts.len()).then_some(hosts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(hosts: &[(&str, u32)]) -> Vec<Seat> {
        hosts
            .iter()
            .zip(0..)
            .map(|(&(host, shared_with), launcher_rank)| Seat {
                host: host.into(),
                shared_with,
                launcher_rank,
                ..Seat::default()
            })
            .collect()
    }

    fn plan() -> Vec<String> {
        ["n0", "n1.site", "n0"].map(String::from).into()
    }

    #[test]
    fn hosts_are_compared_by_their_short_names() {
        assert_eq!(
            verify(&plan(), &seats(&[("n0.site", 0), ("N1", 1), ("n0", 0)])),
            Ok(())
        );
    }

    #[test]
    fn the_first_rank_on_another_host_is_named() {
        let found = verify(&plan(), &seats(&[("n0", 0), ("n0", 0), ("n1", 2)])).unwrap_err();
        assert_eq!(
            found.to_string(),
            "rank 1 should be on n1.site and is on n0"
        );
    }

    #[test]
    fn a_split_or_merged_shared_memory_group_is_no_verified_placement() {
        let split = verify(&plan(), &seats(&[("n0", 0), ("n1", 1), ("n0", 2)])).unwrap_err();
        assert!(matches!(
            split,
            Mismatch::Group {
                rank: 2,
                planned: 0,
                actual: 2,
                ..
            }
        ));
        let merged = verify(&plan(), &seats(&[("n0", 0), ("n1", 0), ("n0", 0)])).unwrap_err();
        assert!(matches!(
            merged,
            Mismatch::Group {
                rank: 1,
                planned: 1,
                actual: 0,
                ..
            }
        ));
    }

    #[test]
    fn two_ranks_on_one_core_are_both_named() {
        let on = |cores: [&str; 3]| {
            let mut seats = seats(&[("n0", 0), ("n1", 1), ("n0.site", 0)]);
            for (seat, cores) in seats.iter_mut().zip(cores) {
                seat.cores = cores.parse().unwrap();
            }
            super::cores(&seats).map_err(|mismatch| mismatch.to_string())
        };
        assert_eq!(on(["0", "0", "1-2"]), Ok(()));
        assert_eq!(on(["0-3", "0", "0-3"]), Ok(()), "nobody is bound");
        for cores in [["2", "0", "2"], ["0-2", "0", "2-3"]] {
            let expected = "ranks 0 and 2 both run on core 2 of n0.site".to_owned();
            assert_eq!(on(cores), Err(expected));
        }
    }

    #[test]
    fn another_number_of_ranks_is_told() {
        let found = verify(&plan(), &seats(&[("n0", 0), ("n1", 1)])).unwrap_err();
        assert_eq!(found.to_string(), "3 ranks were planned, 2 ran");
    }

    #[test]
    fn rank_0_may_have_stayed_where_it_was_if_another_took_its_place() {
        let planned = ["b", "a", "b", "a"].map(String::from);
        let seats = seats(&[("a", 0), ("b", 1), ("b", 1), ("a", 0)]);
        let remarks = accept(&planned, &seats, true).unwrap();
        assert!(
            remarks[0].starts_with("ranks 0 and 1 changed"),
            "{remarks:?}"
        );
        assert!(accept(&planned, &seats, false).is_err());
    }

    #[test]
    fn other_hosts_may_stand_for_the_planned_ones_in_the_same_shape() {
        let planned = ["b", "a", "b", "a"].map(String::from);
        let alike = seats(&[("x", 0), ("y", 1), ("x", 0), ("y", 1)]);
        let remarks = accept(&planned, &alike, false).unwrap();
        assert!(remarks[0].starts_with("on other hosts"), "{remarks:?}");
        let unlike = seats(&[("x", 0), ("x", 0), ("y", 2), ("y", 2)]);
        assert!(accept(&planned, &unlike, false).is_err());
    }

    #[test]
    fn processes_that_are_each_a_world_are_told_as_such() {
        let found = verify(&plan(), &seats(&[("n0", 0)])).unwrap_err();
        assert!(
            found.to_string().contains("not that of the program"),
            "{found}"
        );
    }
}
