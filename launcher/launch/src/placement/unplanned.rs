//! Checks a run without a plan: whether the hosts, the cores and the MPI library's shared-memory
//! groups of the ranks agree with each other.

use super::verify::{Mismatch, cores, verify};
use rankfold_wire::{Numbers, Profile, Seat, Verification};

/// The result of the check, with a line for the user. `None` where the profile does not hold the
/// seats of all ranks.
pub fn unplanned(profile: &Profile) -> Option<Verification> {
    let seats = seats(profile);
    let ranks = seats.len();
    if seats.is_empty() {
        return None;
    }
    let found = agree(&seats);
    Some(Verification {
        as_planned: found.is_ok(),
        line: match found {
            Ok(()) => format!("hosts and shared memory verified {ranks}/{ranks}"),
            Err(mismatch) => format!("hosts, cores and shared memory do not agree: {mismatch}"),
        },
    })
}

/// Checks that the ranks of each host are one shared-memory group, and that no two ranks are bound
/// to one core.
fn agree(seats: &[Seat]) -> Result<(), Mismatch> {
    let hosts: Vec<String> = seats.iter().map(|seat| seat.host.clone()).collect();
    verify(&hosts, seats)?;
    cores(seats)
}

/// The seats of all ranks in a profile; empty unless the profile holds all of them.
fn seats(profile: &Profile) -> Vec<Seat> {
    let hosts = &profile.manifest.hosts;
    if hosts.iter().any(String::is_empty) {
        return Vec::new();
    }
    let seat = |((rank, host), numbers): ((usize, &String), &Numbers)| Seat {
        host: host.clone(),
        shared_with: numbers.shared_with,
        launcher_rank: numbers.launcher_rank,
        cores: profile.cores.get(rank).cloned().unwrap_or_default(),
        ..Seat::default()
    };
    let ranks = hosts.iter().enumerate();
    ranks.zip(&profile.numbers).map(seat).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_wire::Manifest;

    fn verification(cores: [&str; 3], shared_with: [u32; 3]) -> Option<Verification> {
        let numbers = |(launcher_rank, shared_with)| Numbers {
            launcher_rank,
            shared_with,
        };
        unplanned(&Profile {
            manifest: Manifest {
                hosts: ["a", "b", "a"].map(String::from).into(),
                ..Manifest::default()
            },
            cores: cores.map(|cores| cores.parse().unwrap()).into(),
            numbers: (0..).zip(shared_with).map(numbers).collect(),
            ..Profile::default()
        })
    }

    #[test]
    fn what_agrees_is_verified_and_what_does_not_is_named() {
        let line = |cores, shared_with| verification(cores, shared_with).map(|found| found.line);
        let well = verification(["0", "0", "1"], [0, 1, 0]).unwrap();
        assert!(well.as_planned && well.line.ends_with("verified 3/3"));
        let alone = line(["0", "0", "1"], [0, 1, 2]).unwrap();
        assert!(
            alone.contains("rank 2 is on a, but the MPI library does not let it share"),
            "{alone}"
        );
        let crowded = line(["0", "0", "0"], [0, 1, 0]).unwrap();
        assert!(crowded.contains("ranks 0 and 2 both run on core 0 of a"));
        assert!(!verification(["0", "0", "0"], [0, 1, 0]).unwrap().as_planned);
        assert_eq!(unplanned(&Profile::default()), None);
    }
}
