//! `MPI_Finalize`: the counters of all ranks become one profile.

use crate::gather::World;
use crate::journal::{self, Slot};
use crate::mpi::Result;
use crate::note::note;
use crate::session::{self, Session};
use rankfold_profile::journal::State;
use rankfold_profile::{Manifest, Outcome, Peer, Profile, Row};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of a peer on its way to rank 0: receiver (4), bytes (8), messages (8).
const PEER: usize = 20;

/// `MPI_Finalize` is about to run. Collective. Journals stay when the profile could not be written: the launcher can
/// still recover from them.
pub(crate) fn finish() {
    let Some(session) = session::stop() else {
        return;
    };
    journal::mark(State::Finalized);
    match merge(session) {
        Ok(true) => journal::remove(),
        Ok(false) => {}
        Err(error) => note(format_args!("{error}: the counters stay in the journals")),
    }
}

/// Whether rank 0 has written the profile.
fn merge(session: &Session) -> Result<bool> {
    let world: World = session.world;
    let rows = world.gather(&packed(&journal::segments()))?;
    let hosts = world.gather(session.host.as_bytes())?;
    let written = world.root() && write(session, &rows, &hosts);
    Ok(world.share(u64::from(written))? == 1)
}

fn write(session: &Session, rows: &[Vec<u8>], hosts: &[Vec<u8>]) -> bool {
    let text = |host: &Vec<u8>| String::from_utf8_lossy(host).into_owned();
    let profile = Profile {
        manifest: Manifest {
            program: session.program.clone(),
            mpi: session.mpi.clone(),
            hosts: hosts.iter().map(text).collect(),
            outcome: Outcome::Finalized,
        },
        rows: rows.iter().map(|row| unpacked(row)).collect(),
    };
    let written = profile.write(session.profile);
    if let Err(error) = &written {
        note(error);
    }
    written.is_ok()
}

/// All tables of this process as one row, receivers ascending.
fn packed(segments: &[&[Slot]]) -> Vec<u8> {
    let mut peers = BTreeMap::new();
    for slot in segments.iter().copied().flatten() {
        if let Some(rank) = slot.key.load(Relaxed).checked_sub(1) {
            let (bytes, messages) = peers.entry(rank as u32).or_insert((0_u64, 0_u64));
            *bytes = bytes.wrapping_add(slot.bytes.load(Relaxed));
            *messages = messages.wrapping_add(slot.messages.load(Relaxed));
        }
    }
    let mut row = Vec::with_capacity(peers.len() * PEER);
    for (rank, (bytes, messages)) in peers {
        row.extend(rank.to_le_bytes());
        row.extend(bytes.to_le_bytes());
        row.extend(messages.to_le_bytes());
    }
    row
}

fn unpacked(row: &[u8]) -> Row {
    let peer = |bytes: &[u8]| {
        let (rank, bytes) = bytes.split_first_chunk()?;
        let (sent, bytes) = bytes.split_first_chunk()?;
        Some(Peer {
            rank: u32::from_le_bytes(*rank),
            bytes: u64::from_le_bytes(*sent),
            messages: u64::from_le_bytes(*bytes.first_chunk()?),
        })
    };
    Row {
        peers: row.chunks_exact(PEER).filter_map(peer).collect(),
    }
}
