//! From `MPI_Init` to `MPI_Finalize`.

use crate::config::{self, Config};
use crate::epoch;
use crate::gather::{Lane, World};
use crate::journal::{self, Head};
use crate::note::note;
use crate::{seats, world};
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{self as abi, Abi};
use rankfold_profile::journal::State;
use rankfold_profile::journal::layout::NO_STAMP;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Whether `MPI_Init` was dealt with: that happens once in a process.
static STARTED: AtomicBool = AtomicBool::new(false);
static SESSION: OnceLock<Session> = OnceLock::new();
/// Whether counting began without `MPI_Init`.
static ALONE: AtomicBool = AtomicBool::new(false);

/// What `MPI_Init` found, for `MPI_Finalize`.
pub(crate) struct Session {
    pub(crate) profile: &'static Path,
    pub(crate) world: World,
    pub(crate) lane: Lane,
    pub(crate) host: String,
    pub(crate) mpi: String,
    pub(crate) program: String,
    /// When counting began, if time is wanted.
    pub(crate) timed: Option<Instant>,
}

/// Stops counting for good; what was open, if anything was.
pub(crate) fn stop() -> Option<&'static Session> {
    SESSION.get().filter(|_| epoch::stop())
}

/// `MPI_Init` has succeeded.
pub(crate) fn start() {
    let Some(config) = config::get() else { return };
    let wanted = config.profile.is_some() || config.seats.is_some();
    if !wanted || STARTED.swap(true, Ordering::AcqRel) {
        return;
    }
    match open(config, abi::detect()) {
        Ok(true) => {
            ALONE.store(false, Ordering::Release);
            epoch::first(config.time);
        }
        Ok(false) => {}
        Err(error) => note(format_args!("{error}: this run is not profiled")),
    }
}

/// `MPI_Session_init` has succeeded. Without another rank: those may never open a session.
pub(crate) fn start_alone() {
    let Some(config) = config::get().filter(|config| config.profile.is_some()) else {
        return;
    };
    if ALONE.load(Ordering::Acquire) {
        // One was open before, and closed.
        journal::mark(State::Running);
    } else if !STARTED.load(Ordering::Acquire) {
        match open_alone(config, abi::detect()) {
            Ok(()) => {
                ALONE.store(true, Ordering::Release);
                epoch::first(config.time);
            }
            Err(error) => note(format_args!("{error}: this process is not profiled")),
        }
    }
}

/// Whether there are only sessions.
pub(crate) fn alone() -> bool {
    ALONE.load(Ordering::Acquire)
}

fn open_alone(config: &Config, abi: &Abi) -> Result {
    let (mut rank, mut ranks) = (0, 0);
    world::with_group(abi, |all| {
        // SAFETY: a group, made by MPI.
        unsafe { mpi::group_rank(all, &raw mut rank) }?;
        // SAFETY: as above.
        unsafe { mpi::group_size(all, &raw mut ranks) }
    })?;
    let head = Head {
        run: &config.run,
        // Nobody can agree on one without talking to the others.
        stamp: NO_STAMP,
        rank: rank.unsigned_abs(),
        ranks: ranks.unsigned_abs(),
        host: &host(),
        mpi: &library(),
        program: &program(),
    };
    if let Err(error) = journal::open(&config.journals, &head) {
        complain(head.rank, &config.journals, &error);
    }
    Ok(())
}

fn complain(rank: u32, directory: &Path, error: &std::io::Error) {
    let directory = directory.display();
    note(format_args!(
        "rank {rank} cannot make its journal in {directory} ({error}): this run is not profiled"
    ));
}

/// Does what was asked for; whether there is something to count. Collective.
fn open(config: &'static Config, abi: &Abi) -> Result<bool> {
    let world = World::new(abi.comm_world, abi)?;
    if spawned(abi)? {
        if world.root() {
            note("spawned by MPI_Comm_spawn: this world is not profiled, only its parent is");
        }
        return Ok(false);
    }
    let host = host();
    if let Some(path) = &config.seats {
        seats::record(path, &host, world, abi)?;
    }
    let Some(profile) = &config.profile else {
        return Ok(false);
    };
    let session = Session {
        profile,
        world,
        lane: Lane::open(world)?,
        host,
        mpi: library(),
        program: program(),
        timed: config.time.then(Instant::now),
    };
    let opened = session.open_journal(config)?;
    if opened {
        let _ = SESSION.set(session);
    } else {
        session.lane.close()?;
    }
    Ok(opened)
}

impl Session {
    /// One profile needs every rank: where one has no journal, none counts. Collective.
    fn open_journal(&self, config: &Config) -> Result<bool> {
        let head = Head {
            run: &config.run,
            stamp: NO_STAMP,
            rank: self.world.rank,
            ranks: self.world.ranks,
            host: &self.host,
            mpi: &self.mpi,
            program: &self.program,
        };
        let opened = journal::open(&config.journals, &head);
        if let Err(error) = &opened {
            complain(self.world.rank, &config.journals, error);
        }
        let stamp = self.world.agree(opened.is_ok(), nanoseconds)?;
        match stamp {
            Some(stamp) => journal::stamp(stamp.get()),
            None => journal::remove(),
        }
        Ok(stamp.is_some())
    }
}

/// Since 1970.
fn nanoseconds() -> NonZeroU64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = u64::try_from(now.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX);
    NonZeroU64::new(now).unwrap_or(NonZeroU64::MIN)
}

fn spawned(abi: &Abi) -> Result<bool> {
    let mut parent = abi.comm_null;
    // SAFETY: between Init and Finalize.
    unsafe { mpi::comm_get_parent(&raw mut parent) }?;
    Ok(parent & abi.mask != abi.comm_null)
}

fn host() -> String {
    let mut name = [0_u8; 256];
    // SAFETY: the last byte stays 0, whatever is written before it.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(0);
    String::from_utf8_lossy(&name[..end]).into_owned()
}

/// First line of the MPI library's version.
fn library() -> String {
    /// `MPI_MAX_LIBRARY_VERSION_STRING`, the largest of all families.
    const ROOM: usize = 8192;
    let (mut text, mut length) = (vec![0; ROOM], 0);
    // SAFETY: room for the longest string any family writes.
    let asked = unsafe { mpi::library_version(text.as_mut_ptr(), &raw mut length) };
    let text = asked.map_or(String::new(), |()| {
        String::from_utf8_lossy(&text).into_owned()
    });
    let line = text.split(['\n', '\0']).next().unwrap_or("");
    // MPICH sets a tab after its colon.
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The command line of this process.
fn program() -> String {
    let line = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let words = line.split(|&byte| byte == 0).map(String::from_utf8_lossy);
    words.collect::<Vec<_>>().join(" ").trim_end().to_owned()
}
