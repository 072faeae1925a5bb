//! `MPI_Finalize`: the counters of all ranks become one profile.

use super::start::{self, Run};
use super::{fetched, unseen};
use crate::config;
use crate::degrade;
use crate::journal::{self, notes, sigbus};
use crate::thread::{self, counters, time};
use rankfold_preload::gather::private::Private;
use rankfold_preload::gather::wait::{Result, Trouble};
use rankfold_preload::size_limit::only_refuses;
use rankfold_preload::warning::{warn, warn_once_a_host};
use rankfold_profile::journal::{State, layout as at};
use rankfold_profile::{
    Brief, CallClass, Ledger, Manifest, Merger, Outcome, Outline, Plane, ProfileError, Row,
};
use std::io;
use std::path::Path;

/// `MPI_Finalize` is about to run. Collective. Journals stay when the profile could not be written:
/// the launcher can still recover from them.
pub(crate) fn finish() {
    let Some(run) = start::stop() else {
        return;
    };
    thread::this().close_burst();
    unseen::look();
    if let Some(start) = run.timed {
        time::spent(CallClass::Run, start.elapsed());
    }
    journal::mark(State::Finalized);
    match merge(run) {
        Ok(true) => journal::remove(),
        Ok(false) => {}
        // Whoever gave up has said so.
        Err(Trouble::GivenUp) => {}
        Err(trouble) => {
            let name = config::get().map_or("", |config| &config.run);
            let seconds = run.private.lane.patience.as_secs_f64();
            warn_once_a_host(
                name,
                "finish",
                format_args!(
                    "MPI_Finalize: {trouble} (RANKFOLD_PATIENCE is {seconds} s): the counters stay in the journals"
                ),
            );
        }
    }
}

/// Makes one profile of what all ranks counted; whether rank 0 has written it. Rank 0 is sent
/// everything but the rows of the matrices first; ranks tell each other what they have fetched;
/// then come the rows, one matrix after the other, and writes them as they come: it never holds
/// what all ranks counted. Collective.
fn merge(run: &Run) -> Result<bool> {
    let (private, process) = (&run.private, &run.process);
    let mut ledger = ledger();
    let mut brief = ledger.brief();
    brief.host.clone_from(&process.host);
    let (taken, uncounted) = (sigbus::lost(), counters::uncounted());
    brief.lost = taken || uncounted > 0 || degrade::is_broken();
    if uncounted > 0 {
        let rank = private.lane.rank;
        warn(format_args!(
            "rank {rank} had no memory to count {uncounted} messages: the profile lacks them"
        ));
    }
    if taken {
        let rank = private.lane.rank;
        warn(format_args!(
            "the journal of rank {rank} was taken away: the profile lacks what it held"
        ));
    }
    let mut merger = Merger::new(if private.lane.is_root() {
        private.lane.ranks as usize
    } else {
        0
    });
    let (mut hosts, mut missing, mut fetching) = (Vec::new(), Vec::new(), false);
    let gathered = private.gather(&brief.pack(private.lane.rank), &mut |bytes| {
        let brief = Brief::unpack(&bytes);
        missing.extend(brief.lost.then_some(hosts.len() as u32));
        fetching |= brief.fetching;
        hosts.push(brief.host.clone());
        merger.add(brief);
    });
    if let Err(trouble) = gathered {
        // Those who have come are told not to wait.
        let _ = private.spread(Vec::new());
        return Err(trouble);
    }
    let outline = merger.outline(Manifest {
        program: process.program.clone(),
        mpi: process.mpi.clone(),
        hosts,
        outcome: if missing.is_empty() {
            Outcome::Finalized
        } else {
            Outcome::Recovered { missing }
        },
    });
    // The byte in front makes a list of no matrices differ from giving up.
    let first = [1 + u8::from(fetching)];
    let told = private.spread([&first, Plane::pack(outline.planes()).as_slice()].concat())?;
    let planes = Plane::unpack(told.get(1..).unwrap_or_default());
    if told.first() == Some(&2) {
        fetched::deliver(&private.lane, &mut ledger, &planes)?;
    }
    let rows = Rows { private, ledger };
    let written = if private.lane.is_root() {
        rows.write(&outline, &planes, run.profile, &process.host)
    } else {
        planes
            .iter()
            .try_for_each(|plane| rows.gather(plane, &mut |_| ()))
            .map(|()| false)
    }?;
    let everywhere = private.spread(vec![1 + u8::from(written)])? == [2];
    private.lane.close()?;
    Ok(everywhere)
}

/// The rows of all ranks.
struct Rows<'a> {
    private: &'a Private,
    ledger: Ledger,
}

impl Rows<'_> {
    /// Hands the rows of one matrix to `visit` on rank 0. Collective.
    fn gather(&self, plane: &Plane, visit: &mut dyn FnMut(Row)) -> Result {
        let own = self.ledger.row(plane).pack();
        self.private
            .gather(&own, &mut |row| visit(Row::unpack(&row)))
    }

    /// Writes the profile, on rank 0; whether that went well. The other ranks send the rows of
    /// every matrix in any case, so those that a failed writer did not ask for are received here
    /// and thrown away.
    ///
    /// Where the directory of the profile is not one of this host's, the profile goes to the
    /// journals, and the launcher looks for it there.
    fn write(&self, outline: &Outline, planes: &[Plane], path: &Path, host: &str) -> Result<bool> {
        let mut asked = 0;
        let mut written = self.try_to_write(outline, path, &mut asked)?;
        let other = config::get().map(|config| {
            let name = at::finished_name(&config.run, host, journal::random());
            config.journals.join(name)
        });
        if let (Err(error), Some(other), 0) = (&written, other, asked) {
            let other_written = self.try_to_write(outline, &other, &mut asked)?;
            if other_written.is_ok() {
                let other = other.display();
                warn(format_args!("{error}: the profile is {other} on {host}"));
                written = other_written;
            }
        }
        for plane in planes.iter().skip(asked) {
            self.gather(plane, &mut |_| ())?;
        }
        if let Err(error) = &written {
            warn(error);
        }
        Ok(written.is_ok())
    }

    /// Tries to write the profile to `path`; `asked` grows by the matrices that the other ranks
    /// were made to send.
    fn try_to_write(
        &self,
        outline: &Outline,
        path: &Path,
        asked: &mut usize,
    ) -> Result<std::result::Result<(), ProfileError>> {
        let mut failed = None;
        let written = only_refuses(|| {
            outline.write(path, |plane, visit| {
                *asked += 1;
                self.gather(plane, visit).map_err(|error| {
                    failed = Some(error);
                    io::Error::other(error.to_string())
                })
            })
        });
        failed.map_or(Ok(written), Err)
    }
}

/// All tables of this process and all it noted.
fn ledger() -> Ledger {
    let mut ledger = Ledger::default();
    for segment in journal::segments() {
        let tally = ledger.tally(segment.phase.to_owned());
        for slot in segment.slots {
            tally.add(slot.fields());
        }
        for (bits, sums) in segment.sizes().each() {
            tally.add_size(bits, sums);
        }
    }
    notes::all().into_iter().for_each(|note| ledger.note(note));
    ledger
}
