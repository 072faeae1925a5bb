//! What collectives take on a renumbered world, beside what they take on the world.
//!
//! Some MPI libraries have fast paths for `MPI_COMM_WORLD` alone, such as collectives in the
//! network. A renumbered world would lose them. The one that is timed here has all ranks in reverse
//! order: it is another communicator for MPI, and every message of a collective has its mirror
//! image. So the order itself makes no difference where all hosts have as many ranks.

use crate::comm;
use crate::gather::own_comm::OwnComm;
use crate::gather::wait::Result;
use libc::{c_int, c_void};
use rankfold_abi::mpi::{self, Result as MpiResult};
use rankfold_abi::{Abi, Handle};
use rankfold_wire::{CallTimes, WorldTimes};
use std::time::{Duration, Instant};

/// Time after which nothing more is timed, once there are enough rounds. Chosen by hand; not
/// measured.
const BUDGET: Duration = Duration::from_millis(100);
/// The rounds that a verdict needs, and the time that they may take where calls are slow or the
/// machine is busy. Chosen by hand; not measured.
const LEAST_ROUNDS: usize = 5;
const PATIENCE: Duration = Duration::from_secs(5);
/// The most rounds that count. Chosen by hand; not measured.
const ROUNDS: usize = 32;
/// Calls that are timed together. The number is even: every other broadcast is one back.
const REPEATS: u32 = 4;

/// A kind of call.
#[derive(Clone, Copy)]
enum Kind {
    Allreduce,
    Bcast,
    Barrier,
}

/// The calls that are timed, and their bytes: a number, and some pages. Libraries choose their
/// algorithms by length. Chosen by hand; not measured.
const CALLS: [(Kind, &str, usize); 5] = [
    (Kind::Barrier, "MPI_Barrier", 0),
    (Kind::Allreduce, "MPI_Allreduce", 8),
    (Kind::Allreduce, "MPI_Allreduce", 16384),
    (Kind::Bcast, "MPI_Bcast", 8),
    (Kind::Bcast, "MPI_Bcast", 16384),
];

/// Times collectives on the world and on a renumbered one, in turns. `None` where the ranks of a
/// host outnumber its cores: times would say nothing. The times are those of rank 0. Collective.
///
/// # Errors
/// Those of MPI. A library that returns one rank an error and leaves the others waiting is not
/// waited for less long than by the program.
pub fn measure(all: &OwnComm, abi: &Abi, version: String) -> Result<Option<WorldTimes>> {
    let (rank, ranks) = (all.endpoint.rank, all.endpoint.ranks);
    let mut bench = Bench {
        abi,
        last: ranks.saturating_sub(1) as c_int,
        worlds: [abi.comm_world; 2],
        from: vec![0; 4096],
        into: vec![0; 4096],
    };
    let yielding = all.yield_timer();
    if ranks < 2 || bench.sum(c_int::from(yielding.is_some()))? > 0 {
        return Ok(None);
    }
    let reversed: Vec<u32> = (0..ranks).rev().collect();
    bench.worlds[1] = comm::permuted(abi.comm_world, &reversed)?;
    let calls = bench.calls(rank == 0)?;
    let mut reversed = bench.worlds[1];
    // SAFETY: the communicator was made above, and no operation is under way on it.
    unsafe { mpi::comm_free(&raw mut reversed) }?;
    let mpi = version;
    Ok(Some(WorldTimes { ranks, mpi, calls }))
}

/// What is called, and with what.
struct Bench<'a> {
    abi: &'a Abi,
    /// The highest rank.
    last: c_int,
    /// The world, and the one with the ranks in reverse order.
    worlds: [Handle; 2],
    from: Vec<c_int>,
    into: Vec<c_int>,
}

impl Bench<'_> {
    /// Times every kind of call in both worlds, round after round, until time is up for the rank
    /// that `leads`.
    fn calls(&mut self, leads: bool) -> MpiResult<Vec<CallTimes>> {
        let clock = Instant::now();
        let mut calls = CALLS.map(|(_, call, bytes)| CallTimes {
            call: call.into(),
            bytes: bytes as u64,
            rounds: Vec::new(),
        });
        'rounds: for round in 0..=ROUNDS {
            // The first round does not count.
            let most = if round <= LEAST_ROUNDS {
                PATIENCE
            } else {
                BUDGET
            };
            for (timed, (kind, _, bytes)) in calls.iter_mut().zip(CALLS) {
                timed.rounds.push(self.both(kind, bytes, round % 2 == 1)?);
                let goes_on = leads && clock.elapsed() < most;
                if self.sum(c_int::from(goes_on))? == 0 {
                    break 'rounds;
                }
            }
        }
        for call in &mut calls {
            // The first round has opened connections.
            call.rounds.drain(..1.min(call.rounds.len()));
        }
        Ok(calls.into())
    }

    /// Nanoseconds of a call on the world and on the renumbered one.
    fn both(&mut self, kind: Kind, bytes: usize, renumbered_first: bool) -> MpiResult<(u64, u64)> {
        let mut took = [0; 2];
        for turn in 0..2 {
            let world = turn ^ usize::from(renumbered_first);
            took[world] = self.time(kind, bytes, world)?;
        }
        Ok((took[0], took[1]))
    }

    /// Nanoseconds of a call, from several.
    fn time(&mut self, kind: Kind, bytes: usize, world: usize) -> MpiResult<u64> {
        self.call(Kind::Barrier, 0, world, 0)?;
        let clock = Instant::now();
        for turn in 0..REPEATS {
            self.call(kind, bytes, world, turn)?;
        }
        let took = clock.elapsed() / REPEATS;
        Ok(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX))
    }

    fn call(&mut self, kind: Kind, bytes: usize, world: usize, turn: u32) -> MpiResult {
        let (comm, number) = (self.worlds[world], (bytes / size_of::<c_int>()) as c_int);
        match kind {
            // SAFETY: the communicator is alive, and all its ranks make the same calls.
            Kind::Barrier => unsafe { mpi::barrier(comm) },
            Kind::Allreduce => self.allreduce(number, comm),
            Kind::Bcast => {
                // The process that the launcher calls rank 0, and the last one, take turns.
                let is_first = turn.is_multiple_of(2) ^ (world == 1);
                let root = if is_first { 0 } else { self.last };
                let into = self.into.as_mut_ptr().cast::<c_void>();
                // SAFETY: the communicator is alive, all its ranks make the same calls, and the
                // buffer holds the largest number of integers.
                unsafe { mpi::bcast(into, number, self.abi.int, root, comm) }
            }
        }
    }

    fn allreduce(&mut self, number: c_int, comm: Handle) -> MpiResult {
        let (from, into) = (self.from.as_ptr().cast(), self.into.as_mut_ptr().cast());
        let Abi { int, sum, .. } = *self.abi;
        // SAFETY: the communicator is alive, all its ranks make the same calls, and both buffers
        // hold the largest number of integers.
        unsafe { mpi::allreduce(from, into, number, int, sum, comm) }
    }

    /// The sum of the numbers of all ranks.
    fn sum(&mut self, own: c_int) -> MpiResult<c_int> {
        self.from[0] = own;
        self.allreduce(1, self.worlds[0])?;
        self.from[0] = 0;
        Ok(self.into[0])
    }
}
