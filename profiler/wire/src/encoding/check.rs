//! Checks that need the whole file: counts, ranges of indices, order.

use crate::burst::Bursts;
use crate::collective::{Collective, MemberBlocks};
use crate::communicator::Communicator;
use crate::profile::{NcclTraffic, Outcome, Profile, Row};
use crate::topology::Topology;

/// What the checks need to know of the rows of the matrix, which are not kept.
#[derive(Default)]
pub(super) struct RowsSeen {
    /// Number of rows.
    pub(super) rows: u64,
    /// 1 + the highest receiver.
    receivers: u64,
    unsorted: bool,
}

impl RowsSeen {
    /// Adds the next row.
    pub(super) fn note(&mut self, row: &Row) {
        self.rows += 1;
        self.unsorted |= !sorted(row);
        // Receivers are sorted, so the last one is the highest.
        let highest = row.peers.last().map_or(0, |peer| u64::from(peer.rank) + 1);
        self.receivers = self.receivers.max(highest);
    }
}

/// Checks that the parts of a profile agree. `profile` is without its matrix, `passed` is what is
/// known of the matrix, and `ranks` is the number of ranks in the end section.
pub(super) fn whole(profile: &Profile, passed: &RowsSeen, ranks: u64) -> Result<(), String> {
    let manifest = &profile.manifest;
    must(
        ranks == passed.rows && u32::try_from(ranks).is_ok(),
        "the number of ranks and the rows disagree",
    )?;
    must(!passed.unsorted, UNSORTED)?;
    must(passed.receivers <= ranks, BEYOND)?;
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
    part(
        profile,
        ranks,
        &[],
        [&profile.exchanges, &profile.as_sent],
        &profile.collectives,
        &profile.bursts,
    )?;
    blocks(profile, &profile.collectives, &profile.blocks)?;
    for phase in &profile.phases {
        part(
            profile,
            ranks,
            &phase.rows,
            [&phase.exchanges, &phase.as_sent],
            &phase.collectives,
            &phase.bursts,
        )?;
        blocks(profile, &phase.collectives, &phase.blocks)?;
    }
    must(
        profile.communicators.iter().all(|comm| comm.fits(ranks)),
        "a member of a communicator is beyond the world",
    )?;
    must(
        none_or(profile.times.len(), ranks),
        "the number of ranks and the times disagree",
    )?;
    must(
        none_or(profile.cores.len(), ranks),
        "the number of ranks and the cores disagree",
    )?;
    let is_rank = |rank: u32| u64::from(rank) < ranks;
    must(
        profile
            .function_times
            .iter()
            .all(|time| is_rank(time.longest_rank)),
        "the rank with the longest time is beyond the world",
    )?;
    must(
        none_or(profile.numbers.len(), ranks)
            && profile.numbers.iter().all(|of| is_rank(of.launcher_rank)),
        "the number of ranks and their numbers disagree",
    )?;
    must(
        profile
            .sizes
            .is_sorted_by(|a, b| (a.kind, a.bits) < (b.kind, b.bits))
            && profile.sizes.iter().all(|count| count.bits <= u64::BITS),
        "sizes of messages out of order",
    )?;
    profile
        .topologies
        .iter()
        .try_for_each(|topology| fits(profile, topology))?;
    if let Some(traffic) = &profile.nccl {
        nccl(traffic, ranks)?;
    }
    for senders in [&profile.foreign, &profile.others] {
        must(
            senders.is_sorted_by(|a, b| a.rank < b.rank)
                && senders.iter().all(|from| u64::from(from.rank) < ranks),
            "a sender to outside, or without counters, is beyond the world or out of order",
        )?;
    }
    Ok(())
}

/// Checks one phase or the whole run.
fn part(
    profile: &Profile,
    ranks: u64,
    own: &[Row],
    others: [&[Row]; 2],
    collectives: &[Collective],
    bursts: &[Bursts],
) -> Result<(), String> {
    must(
        none_or(bursts.len(), ranks),
        "the number of ranks and the bursts disagree",
    )?;
    for some in [own].into_iter().chain(others) {
        must(
            none_or(some.len(), ranks),
            "the number of ranks and the rows of a phase or of a further matrix disagree",
        )?;
        rows(some, ranks)?;
    }
    called_on(&profile.communicators, collectives)
}

/// Checks what the ranks did with NCCL.
fn nccl(traffic: &NcclTraffic, ranks: u64) -> Result<(), String> {
    for some in [&traffic.network, &traffic.sent] {
        must(
            none_or(some.len(), ranks),
            "the number of ranks and the rows of NCCL disagree",
        )?;
        rows(some, ranks)?;
    }
    let mut unfinished = traffic.record.unfinished.iter();
    must(
        unfinished.all(|&rank| u64::from(rank) < ranks)
            && traffic.communicators.iter().all(|comm| comm.fits(ranks)),
        "a rank of NCCL is beyond the world",
    )?;
    called_on(&traffic.communicators, &traffic.collectives)
}

/// Checks that every collective has its communicator, and its root is a member.
fn called_on(communicators: &[Communicator], collectives: &[Collective]) -> Result<(), String> {
    must(
        collectives.iter().all(|row| {
            let comm = communicators.get(row.comm as usize);
            comm.is_some_and(|comm| {
                row.root
                    .is_none_or(|root| (root as usize) < comm.members.len())
            })
        }),
        "a collective has no such communicator or root",
    )
}

/// Checks the uneven blocks of one phase or of the whole run.
fn blocks(
    profile: &Profile,
    collectives: &[Collective],
    blocks: &[MemberBlocks],
) -> Result<(), String> {
    let members = |blocks: &MemberBlocks| {
        let row = collectives.get(blocks.collective as usize)?;
        let comm = profile.communicators.get(row.comm as usize)?;
        Some(comm.members.len())
    };
    must(
        blocks.is_sorted_by(|a, b| a.collective < b.collective)
            && blocks
                .iter()
                .all(|blocks| members(blocks) == Some(blocks.bytes.len())),
        "the blocks of members fit no collective, or are out of order",
    )
}

const UNSORTED: &str = "the receivers of a rank are not in ascending order";
const BEYOND: &str = "a receiver is beyond the world";

fn rows(rows: &[Row], ranks: u64) -> Result<(), String> {
    must(rows.iter().all(sorted), UNSORTED)?;
    let mut receivers = rows.iter().flat_map(|row| &row.peers);
    must(receivers.all(|peer| u64::from(peer.rank) < ranks), BEYOND)
}

fn sorted(row: &Row) -> bool {
    row.peers.is_sorted_by(|a, b| a.rank < b.rank)
}

fn fits(profile: &Profile, topology: &Topology) -> Result<(), String> {
    let comm = profile.communicators.get(topology.comm as usize);
    let size = comm.map(|comm| comm.members.len());
    let edges = topology.shape.neighbours().iter().flatten();
    let right = size.is_some()
        && topology.shape.size() == size
        && edges.map(|&to| to as usize).all(|to| Some(to) < size);
    must(right, "a topology does not fit its communicator")
}

/// Whether a list is left out or has one entry for each rank.
fn none_or(length: usize, ranks: u64) -> bool {
    length == 0 || length as u64 == ranks
}

fn must(right: bool, otherwise: &str) -> Result<(), String> {
    right.then_some(()).ok_or_else(|| otherwise.to_owned())
}
