//! What only the whole file can tell: counts, indices in range, order.

use crate::collective::Collective;
use crate::journal::layout::MAX_RANKS;
use crate::profile::{Outcome, Profile, Row};
use crate::topology::{Shape, Topology};

/// Whether the parts of a profile of `ranks` ranks agree.
pub(super) fn whole(profile: &Profile, ranks: u64) -> Result<(), String> {
    let manifest = &profile.manifest;
    must(
        ranks == profile.rows.len() as u64 && u32::try_from(ranks).is_ok(),
        "the number of ranks and the rows disagree",
    )?;
    must(
        none_or(manifest.hosts.len(), ranks),
        "the number of ranks and the hosts disagree",
    )?;
    if let Outcome::Recovered { missing } = &manifest.outcome {
        must(
            missing.iter().all(|&rank| u64::from(rank) < ranks),
            "a missing rank is beyond the world",
        )?;
    }
    rows(&profile.rows, ranks)?;
    part(profile, &[], &profile.exchanges, &profile.collectives)?;
    for phase in &profile.phases {
        part(profile, &phase.rows, &phase.exchanges, &phase.collectives)?;
    }
    let most = u64::from(MAX_RANKS);
    must(
        profile
            .communicators
            .iter()
            .all(|comm| comm.members.fit(ranks, most) && comm.remote.fit(ranks, most)),
        "a member of a communicator is beyond the world",
    )?;
    must(
        none_or(profile.times.len(), ranks),
        "the number of ranks and the times disagree",
    )?;
    profile
        .topologies
        .iter()
        .try_for_each(|topology| fits(profile, topology))?;
    must(
        profile.foreign.is_sorted_by(|a, b| a.rank < b.rank)
            && profile
                .foreign
                .iter()
                .all(|from| u64::from(from.rank) < ranks),
        "a sender to outside is beyond the world, or out of order",
    )
}

/// One phase, or the whole run.
fn part(
    profile: &Profile,
    own: &[Row],
    exchanges: &[Row],
    collectives: &[Collective],
) -> Result<(), String> {
    let ranks = profile.rows.len() as u64;
    for some in [own, exchanges] {
        must(
            none_or(some.len(), ranks),
            "the number of ranks and the rows of a phase or of the exchanges disagree",
        )?;
        rows(some, ranks)?;
    }
    must(
        collectives.iter().all(|row| {
            let comm = profile.communicators.get(row.comm as usize);
            comm.is_some_and(|comm| {
                row.root
                    .is_none_or(|root| (root as usize) < comm.members.len())
            })
        }),
        "a collective has no such communicator or root",
    )
}

fn rows(rows: &[Row], ranks: u64) -> Result<(), String> {
    must(
        rows.iter()
            .all(|row| row.peers.is_sorted_by(|a, b| a.rank < b.rank)),
        "the receivers of a rank are not in ascending order",
    )?;
    must(
        rows.iter()
            .flat_map(|row| &row.peers)
            .all(|peer| u64::from(peer.rank) < ranks),
        "a receiver is beyond the world",
    )
}

fn fits(profile: &Profile, topology: &Topology) -> Result<(), String> {
    let comm = profile.communicators.get(topology.comm as usize);
    let size = comm.map(|comm| comm.members.len());
    let right = match (&topology.shape, size) {
        (_, None) => false,
        (Shape::Cart(dimensions), Some(size)) => {
            let mut extents = dimensions.iter().map(|d| d.extent as usize);
            extents.try_fold(1, usize::checked_mul) == Some(size)
        }
        (Shape::Graph(lists) | Shape::DistGraph(lists), Some(size)) => {
            lists.len() == size && lists.iter().flatten().all(|&to| (to as usize) < size)
        }
    };
    must(right, "a topology does not fit its communicator")
}

/// A list with one entry a rank, or left out.
fn none_or(length: usize, ranks: u64) -> bool {
    length == 0 || length as u64 == ranks
}

fn must(right: bool, otherwise: &str) -> Result<(), String> {
    right.then_some(()).ok_or_else(|| otherwise.to_owned())
}
