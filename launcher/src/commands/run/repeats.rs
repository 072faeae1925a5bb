//! Programs whose ranks exchange with other partners in every run: no map of one run holds for the
//! next.

use super::context::RunContext;
use super::judge::is_as_profiled;
use rankfold_cache::Entry;
use rankfold_wire::{Peer, Profile};

/// A run that shares less than this part of its bytes with another has other partners. Chosen by
/// hand; not measured.
const SAME_PARTNERS: f64 = 0.5;

/// Why the map of an entry does not hold for a run with this profile; `None` where it may. With
/// other arguments than those profiled a program may well have other partners.
pub(super) fn differs(context: &RunContext, entry: &Entry, profile: &Profile) -> Option<String> {
    if !is_as_profiled(context, entry) {
        return None;
    }
    let mapped_for = context.cache.as_ref()?.profile(&entry.name).ok()?;
    let part = in_common(&mapped_for, profile)?;
    (part < SAME_PARTNERS).then(|| {
        format!(
            "partners differ from run to run ({:.0} % of the bytes are between the same ranks): \
             compare two profiles by rankfold report --diff",
            100.0 * part
        )
    })
}

/// The part of the bytes of each run that goes between the same ranks in both, from 0 to 1; `None`
/// where a run sends none or the numbers of ranks differ.
fn in_common(one: &Profile, other: &Profile) -> Option<f64> {
    let bytes = |peers: &[Peer]| peers.iter().map(|peer| peer.bytes as f64).sum::<f64>();
    let all = |profile: &Profile| {
        profile
            .rows
            .iter()
            .map(|row| bytes(&row.peers))
            .sum::<f64>()
    };
    let totals = [all(one), all(other)];
    if one.rows.len() != other.rows.len() || totals.contains(&0.0) {
        return None;
    }
    let rows = one.rows.iter().zip(&other.rows);
    let shared = rows.flat_map(|(one, other)| {
        one.peers.iter().filter_map(|peer| {
            let found = other
                .peers
                .binary_search_by_key(&peer.rank, |peer| peer.rank);
            let same = &other.peers[found.ok()?];
            Some((peer.bytes as f64 / totals[0]).min(same.bytes as f64 / totals[1]))
        })
    });
    Some(shared.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_wire::Row;

    /// Rank r sends these bytes to the ranks with these numbers.
    fn profile(sent: &[&[(u32, u64)]]) -> Profile {
        let peer = |&(rank, bytes): &(u32, u64)| Peer {
            rank,
            bytes,
            messages: 1,
        };
        let row = |peers: &&[(u32, u64)]| Row {
            peers: peers.iter().map(peer).collect(),
            ..Row::default()
        };
        Profile {
            rows: sent.iter().map(row).collect(),
            ..Profile::default()
        }
    }

    #[test]
    fn twice_the_bytes_between_the_same_ranks_are_the_same_partners() {
        let once = profile(&[&[(1, 10), (2, 10)], &[(0, 20)], &[]]);
        let twice = profile(&[&[(1, 20), (2, 20)], &[(0, 40)], &[]]);
        assert_eq!(in_common(&once, &twice), Some(1.0));
    }

    #[test]
    fn other_partners_have_little_in_common() {
        let ring = profile(&[&[(1, 10)], &[(2, 10)], &[(0, 10)]]);
        let back = profile(&[&[(2, 10)], &[(0, 10)], &[(1, 10)]]);
        assert_eq!(in_common(&ring, &back), Some(0.0));
        let half = profile(&[&[(1, 5), (2, 5)], &[(0, 5), (2, 5)], &[(0, 5), (1, 5)]]);
        assert!((in_common(&ring, &half).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(in_common(&ring, &profile(&[&[], &[], &[]])), None);
    }
}
