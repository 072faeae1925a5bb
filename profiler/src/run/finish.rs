//! What the library does in `MPI_Finalize`: the counters of all ranks become one profile.

use super::start::{self, Run};
use super::{fetched, sessions, unseen};
use crate::config;
use crate::degrade;
use crate::journal::{self, notes};
use crate::monitoring;
use crate::objects::sessions as open_sessions;
use crate::thread::{self, counters, time};
use crate::turns;
use rankfold_preload::gather::own_comm::OwnComm;
use rankfold_preload::gather::wait::{Result, Trouble};
use rankfold_preload::process;
use rankfold_preload::sigbus;
use rankfold_preload::size_limit::only_refuses;
use rankfold_preload::warning::{warn, warn_once_a_host};
use rankfold_wire::journal::{State, layout as at};
use rankfold_wire::{
    Brief, CallClass, Ledger, Manifest, Matrix, Merger, Outcome, Outline, Plane, ProfileError, Row,
};
use std::io;
use std::path::Path;

/// Makes the profile, before `MPI_Finalize` runs. If the profile cannot be written, the journals
/// stay, and the launcher can recover the profile from them. Collective.
pub(crate) fn finish() {
    let Some(run) = start::stop() else {
        return;
    };
    thread::this().close_burst();
    turns::finish();
    unseen::look();
    if let Some(start) = run.timed {
        time::spent(CallClass::Run, None, start.elapsed());
    }
    journal::mark(State::Finalized);
    match merge(run) {
        Ok(Ending::Written) => remove_journal(),
        Ok(Ending::Unwritten) => {}
        Ok(Ending::Sessions) => sessions::go_on(run.timed.is_some()),
        // The rank that gave up has printed why.
        Err(Trouble::GivenUp) => {}
        Err(trouble) => {
            let name = config::get().map_or("", |config| &config.run);
            let seconds = run.own_comm.endpoint.patience.as_secs_f64();
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

/// What has become of the counters of all ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// Rank 0 has written the profile.
    Written,
    /// Rank 0 could not write the profile.
    Unwritten,
    /// Some ranks have MPI sessions that go on, and every rank has a journal. The launcher makes
    /// the profile of these.
    Sessions,
}

/// Removes the journal, whose counters are in the profile now.
fn remove_journal() {
    let Err(error) = journal::remove() else {
        return;
    };
    let config = config::get();
    let directory = config.map_or(Path::new(""), |config| &config.journals);
    let (directory, run) = (directory.display(), config.map_or("", |config| &config.run));
    warn_once_a_host(
        run,
        "left",
        format_args!(
            "journals in {directory} cannot be removed by this process ({error}); on the host of rankfold it does so, on others rankfold clean {run} does"
        ),
    );
}

/// Makes one profile of the counters of all ranks.
///
/// First rank 0 receives everything but the rows of the matrices. Then the ranks exchange what they
/// have fetched by remote memory access. Last, rank 0 receives the rows, one matrix after the
/// other, and writes each row as it arrives, so it never holds the counters of all ranks.
/// Collective.
fn merge(run: &Run) -> Result<Ending> {
    let (own_comm, described) = (&run.own_comm, &run.process);
    let mut ledger = ledger();
    let mut brief = ledger.brief();
    brief.host.clone_from(&described.host);
    let (taken, uncounted) = (sigbus::lost(), counters::uncounted());
    brief.in_session = open_sessions::any().is_some();
    brief.in_file = journal::is_file();
    brief.lost = taken || uncounted > 0 || degrade::is_broken();
    if brief.lost {
        journal::lacks_some();
    }
    if uncounted > 0 {
        let rank = own_comm.endpoint.rank;
        warn(format_args!(
            "rank {rank} had no memory to count {uncounted} messages: the profile lacks them"
        ));
    }
    if taken {
        let rank = own_comm.endpoint.rank;
        warn(format_args!(
            "the journal of rank {rank} was truncated by another process: the profile lacks what it held"
        ));
    }
    let mut merger = Merger::new(if own_comm.endpoint.is_root() {
        own_comm.endpoint.ranks as usize
    } else {
        0
    });
    let (mut hosts, mut missing, mut fetching) = (Vec::new(), Vec::new(), false);
    let (mut in_session, mut in_files) = (false, true);
    let gathered = own_comm.gather(&brief.pack(own_comm.endpoint.rank), &mut |bytes| {
        let brief = Brief::unpack(&bytes);
        missing.extend(brief.lost.then_some(hosts.len() as u32));
        fetching |= brief.fetching;
        in_session |= brief.in_session;
        in_files &= brief.in_file;
        hosts.push(brief.host.clone());
        merger.add(brief);
    });
    if let Err(trouble) = gathered {
        // Ranks that wait for rank 0 are released.
        let _ = own_comm.spread(Vec::new());
        return Err(trouble);
    }
    let outline = merger.outline(Manifest {
        program: described.program.clone(),
        mpi: described.mpi.clone(),
        hosts,
        outcome: if missing.is_empty() {
            Outcome::Finalized
        } else {
            Outcome::Recovered { missing }
        },
    });
    let is_monitored = |plane: &Plane| plane.matrix == Matrix::AsSent;
    // A world of one rank sends no messages by which it would know.
    if own_comm.endpoint.is_root()
        && own_comm.endpoint.ranks > 1
        && monitoring::is_wanted()
        && !outline.planes().iter().any(is_monitored)
    {
        warn(
            "the MPI library does not report what it sends inside collectives (Open MPI does, with its component monitoring): the profile holds the calls of collectives only",
        );
    }
    if own_comm.endpoint.is_root() && in_session && !in_files {
        warn(
            "MPI sessions go on after MPI_Finalize: what is sent in them from here on is not counted, since not every rank has a journal",
        );
    }
    // The first byte distinguishes a list without matrices from an empty message, which means that
    // rank 0 has given up.
    let first = if in_session && in_files {
        [3]
    } else if fetching {
        [2]
    } else {
        [1]
    };
    let spread = own_comm.spread([&first, Plane::pack(outline.planes()).as_slice()].concat())?;
    let planes = Plane::unpack(spread.get(1..).unwrap_or_default());
    if spread.first() == Some(&3) {
        own_comm.endpoint.close()?;
        return Ok(Ending::Sessions);
    }
    if spread.first() == Some(&2) {
        fetched::deliver(&own_comm.endpoint, &mut ledger, &planes)?;
    }
    let rows = Rows { own_comm, ledger };
    let written = if own_comm.endpoint.is_root() {
        rows.write(&outline, &planes, run)
    } else {
        planes
            .iter()
            .try_for_each(|plane| rows.gather(plane, &mut |_| ()))
            .map(|()| false)
    }?;
    let everywhere = own_comm.spread(vec![1 + u8::from(written)])? == [2];
    own_comm.endpoint.close()?;
    Ok(if everywhere {
        Ending::Written
    } else {
        Ending::Unwritten
    })
}

/// The rows of all matrices, those of this rank and those that rank 0 receives.
struct Rows<'a> {
    own_comm: &'a OwnComm,
    ledger: Ledger,
}

impl Rows<'_> {
    /// Passes the rows of one matrix to `visit` on rank 0. Collective.
    fn gather(&self, plane: &Plane, visit: &mut dyn FnMut(Row)) -> Result {
        let own = self.ledger.row(plane).pack();
        self.own_comm
            .gather(&own, &mut |row| visit(Row::unpack(&row)))
    }

    /// Writes the profile on rank 0, and returns whether that succeeded.
    ///
    /// The other ranks send the rows of every matrix in any case. If writing fails early, rank 0
    /// receives the remaining rows here and drops them.
    ///
    /// If the profile cannot be written to its path, it is written among the journals, where the
    /// launcher looks for it. The launcher believes files of its own user only, so after a change
    /// of the user it makes the profile of the journals.
    fn write(&self, outline: &Outline, planes: &[Plane], run: &Run) -> Result<bool> {
        let mut asked = 0;
        let mut written = self.try_to_write(outline, run.profile, &mut asked)?;
        let host = &run.process.host;
        let other = config::get().map(|config| {
            let name = at::finished_name(&config.run, host, journal::random());
            config.journals.join(name)
        });
        if let (Err(error), Some(other), 0) = (&written, other, asked)
            && process::user() == run.user
        {
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
            warn(format_args!(
                "{error}: the counters are in the journals, if there are any"
            ));
        }
        Ok(written.is_ok())
    }

    /// Tries to write the profile to `path`. `asked` grows by the number of matrices whose rows the
    /// other ranks have sent.
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

/// All counters and notes of this process.
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
