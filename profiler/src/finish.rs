//! `MPI_Finalize`: the counters of all ranks become one profile.

use crate::gather::World;
use crate::journal::{self, Slot};
use crate::mpi::Result;
use crate::note::note;
use crate::session::{self, Session};
use crate::size_limit::only_refuses;
use rankfold_profile::journal::State;
use rankfold_profile::tally::{Tally, rank_rows};
use rankfold_profile::{Manifest, Outcome, Profile};
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of a peer on its way to rank 0: key (8), bytes (8), messages (8).
const PEER: usize = 24;

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
        rows: rank_rows(rows.iter().map(|row| Tally::from_iter(unpacked(row)))),
        ..Profile::default()
    };
    let written = only_refuses(|| profile.write(session.profile));
    if let Err(error) = &written {
        note(error);
    }
    written.is_ok()
}

/// All tables of this process as one, keys ascending.
fn packed(segments: &[&[Slot]]) -> Vec<u8> {
    let slots = segments.iter().copied().flatten();
    let tally: Tally = slots
        .map(|slot| {
            let (bytes, messages) = (slot.bytes.load(Relaxed), slot.messages.load(Relaxed));
            (slot.key.load(Relaxed), bytes, messages)
        })
        .collect();
    tally
        .iter()
        .flat_map(|(key, bytes, messages)| [key, bytes, messages])
        .flat_map(u64::to_le_bytes)
        .collect()
}

fn unpacked(row: &[u8]) -> impl Iterator<Item = (u64, u64, u64)> {
    row.chunks_exact(PEER).filter_map(|peer| {
        let (key, rest) = peer.split_first_chunk()?;
        let (bytes, rest) = rest.split_first_chunk()?;
        let number = |field: &[u8; 8]| u64::from_le_bytes(*field);
        Some((number(key), number(bytes), number(rest.first_chunk()?)))
    })
}
