//! `MPI_Finalize`: the counters of all ranks become one profile.

use crate::gather::World;
use crate::mpi::Result;
use crate::note::note;
use crate::session::{self, Session};
use crate::size_limit::only_refuses;
use crate::{journal, notebook, time};
use rankfold_profile::journal::State;
use rankfold_profile::{CallClass, Ledger, Manifest, Outcome, Profile};
use std::sync::atomic::Ordering::Relaxed;

/// `MPI_Finalize` is about to run. Collective. Journals stay when the profile could not be written: the launcher can
/// still recover from them.
pub(crate) fn finish() {
    let Some(session) = session::stop() else {
        return;
    };
    if let Some(start) = session.timed {
        time::spent(CallClass::Run, start.elapsed());
    }
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
    let ledgers = world.gather(&ledger().pack(world.rank))?;
    let hosts = world.gather(session.host.as_bytes())?;
    let written = world.root() && write(session, &ledgers, &hosts);
    Ok(world.share(u64::from(written))? == 1)
}

fn write(session: &Session, ledgers: &[Vec<u8>], hosts: &[Vec<u8>]) -> bool {
    let text = |host: &Vec<u8>| String::from_utf8_lossy(host).into_owned();
    let manifest = Manifest {
        program: session.program.clone(),
        mpi: session.mpi.clone(),
        hosts: hosts.iter().map(text).collect(),
        outcome: Outcome::Finalized,
    };
    let ledgers = ledgers.iter().map(|bytes| Ledger::unpack(bytes));
    let written = only_refuses(|| Profile::merge(manifest, ledgers).write(session.profile));
    if let Err(error) = &written {
        note(error);
    }
    written.is_ok()
}

/// All tables of this process and all it noted.
fn ledger() -> Ledger {
    let mut ledger = Ledger::default();
    for segment in journal::segments() {
        let tally = ledger.tally(segment.phase.to_owned());
        for slot in segment.slots {
            let fields = [&slot.key, &slot.bytes, &slot.messages, &slot.detail];
            tally.add(fields.map(|field| field.load(Relaxed)));
        }
    }
    notebook::notes()
        .into_iter()
        .for_each(|note| ledger.note(note));
    ledger
}
