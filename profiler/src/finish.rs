//! `MPI_Finalize`: the counters of all ranks become one profile.

use crate::gather::{Lane, World};
use crate::note::note;
use crate::session::{self, Session};
use crate::size_limit::only_refuses;
use crate::{bus, journal, notebook, time};
use rankfold_abi::mpi::Result;
use rankfold_profile::journal::State;
use rankfold_profile::{Brief, CallClass, Ledger, Manifest, Merger, Outcome, Outline, Plane, Row};
use std::io;
use std::path::Path;
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

/// Whether rank 0 has written the profile. It is told everything but the rows of the matrices first, then these, one
/// matrix after the other, and writes them as they come: it never holds what all ranks counted.
fn merge(session: &Session) -> Result<bool> {
    let world: World = session.world;
    let ledger = ledger();
    let mut brief = ledger.brief();
    brief.host.clone_from(&session.host);
    brief.lost = bus::lost();
    if brief.lost {
        let rank = world.rank;
        note(format_args!(
            "the journal of rank {rank} was taken away: the profile lacks what it held"
        ));
    }
    let mut merger = Merger::new(if world.root() {
        world.ranks as usize
    } else {
        0
    });
    let (mut hosts, mut missing) = (Vec::new(), Vec::new());
    session.lane.gather(&brief.pack(world.rank), &mut |bytes| {
        let brief = Brief::unpack(&bytes);
        missing.extend(brief.lost.then_some(hosts.len() as u32));
        hosts.push(brief.host.clone());
        merger.add(brief);
    })?;
    let outline = merger.outline(Manifest {
        program: session.program.clone(),
        mpi: session.mpi.clone(),
        hosts,
        outcome: if missing.is_empty() {
            Outcome::Finalized
        } else {
            Outcome::Recovered { missing }
        },
    });
    let planes = Plane::unpack(&world.tell(&Plane::pack(outline.planes()))?);
    let rows = Rows {
        lane: &session.lane,
        ledger,
    };
    let written = if world.root() {
        rows.write(&outline, &planes, session.profile)
    } else {
        planes
            .iter()
            .try_for_each(|plane| rows.gather(plane, &mut |_| ()))
            .map(|()| false)
    }?;
    let everywhere = world.share(u64::from(written))? == 1;
    session.lane.close()?;
    Ok(everywhere)
}

/// The rows of all ranks.
struct Rows<'a> {
    lane: &'a Lane,
    ledger: Ledger,
}

impl Rows<'_> {
    /// Those of one matrix to `visit` on rank 0. Collective.
    fn gather(&self, plane: &Plane, visit: &mut dyn FnMut(Row)) -> Result {
        let own = self.ledger.row(plane).pack();
        self.lane.gather(&own, &mut |row| visit(Row::unpack(&row)))
    }

    /// Writes the profile, on rank 0; whether that went well. The others send in any case: what is not asked for is
    /// received nevertheless.
    fn write(&self, outline: &Outline, planes: &[Plane], path: &Path) -> Result<bool> {
        let mut asked = 0;
        let mut failed = None;
        let written = only_refuses(|| {
            outline.write(path, |plane, visit| {
                asked += 1;
                self.gather(plane, visit).map_err(|error| {
                    failed = Some(error);
                    io::Error::other(error.to_string())
                })
            })
        });
        if let Some(error) = failed {
            return Err(error);
        }
        for plane in planes.iter().skip(asked) {
            self.gather(plane, &mut |_| ())?;
        }
        if let Err(error) = &written {
            note(error);
        }
        Ok(written.is_ok())
    }
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
