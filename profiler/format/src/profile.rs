//! A profile in memory: what a run was, and what every rank sent to whom.

use crate::burst::Bursts;
use crate::collective::Collective;
use crate::communicator::Communicator;
use crate::cores::Cores;
use crate::sizes::SizeCount;
use crate::surroundings::Surroundings;
use crate::time::Time;
use crate::topology::Topology;
use crate::unseen::Unseen;
use serde::{Deserialize, Serialize};
use std::io;

/// A whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// What was run, and how it ended.
    pub manifest: Manifest,
    /// What every rank sent, point to point, in neighbourhood collectives and by remote memory
    /// access; entry r belongs to rank r.
    pub rows: Vec<Row>,
    /// What every rank sent in the collectives that are [exchanges](crate::Operation::is_exchange),
    /// logically, straight from source to destination; entry r belongs to rank r, no entries when
    /// there were none.
    pub exchanges: Vec<Row>,
    /// The communicators that `collectives`, `phases` and `topologies` name by index.
    pub communicators: Vec<Communicator>,
    /// The collectives of the whole run.
    pub collectives: Vec<Collective>,
    /// Parts of the run the program named with `MPI_Pcontrol`, in the order of their names. All
    /// they hold is also in the planes of the whole run.
    pub phases: Vec<Phase>,
    /// How many messages ranks have under way at once; entry r belongs to rank r, no entries when
    /// nobody has told.
    pub bursts: Vec<Bursts>,
    /// Time inside MPI, classes ascending; entry r belongs to rank r, no entries when it was not
    /// measured.
    pub times: Vec<Vec<Time>>,
    /// The virtual topologies the program made.
    pub topologies: Vec<Topology>,
    /// What ranks sent to processes outside this world, spawned or connected; `rank` is the sender,
    /// ascending.
    pub foreign: Vec<Peer>,
    /// How the program may have moved data that is in none of the planes, ascending.
    pub unseen: Vec<Unseen>,
    /// What is known of the hosts, by name; none of a host that did not tell.
    pub surroundings: Vec<Surroundings>,
    /// The launch, if whoever launched has told of it.
    pub launch: Option<LaunchRecord>,
    /// The cores that the thread which started MPI might run on then; entry r belongs to rank r, no
    /// entries when nobody has told.
    pub cores: Vec<Cores>,
    /// What others make of every rank; no entries when nobody has recorded that.
    pub numbers: Vec<Numbers>,
    /// Whether ranks were where they were planned, and those of a host shared memory.
    pub verification: Option<Verification>,
    /// Messages by kind and size, of all ranks together, kinds and sizes ascending.
    pub sizes: Vec<SizeCount>,
}

/// How a run was launched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchRecord {
    /// The command line as the user gave it, quoted for a shell.
    pub command: String,
    /// When it began, in seconds since 1970 UTC.
    pub started: u64,
    /// How long it took, start-up of the launcher included.
    pub nanoseconds: u64,
    /// The version of rankfold that launched it.
    pub version: String,
}

/// A rank as the launcher and the MPI library had it when `MPI_Init` had returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    /// The rank that the launcher gave the process: another number where ranks were renumbered.
    pub launcher_rank: u32,
    /// Lowest rank of the shared-memory group the MPI library puts this rank in.
    pub shared_with: u32,
}

/// What came of comparing where ranks were, on which cores and with whom in one shared-memory
/// group, with a plan; or, without a plan, with each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// Whether all was as planned; without a plan, whether ranks of one host share memory and no
    /// two are bound to one core.
    pub as_planned: bool,
    /// The line that the user was told.
    pub line: String,
}

/// A named part of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// As the program calls it; a number for a numbered one.
    pub name: String,
    /// As [`Profile::rows`].
    pub rows: Vec<Row>,
    /// As [`Profile::exchanges`].
    pub exchanges: Vec<Row>,
    /// As [`Profile::collectives`].
    pub collectives: Vec<Collective>,
    /// As [`Profile::bursts`].
    pub bursts: Vec<Bursts>,
}

/// Bytes and messages by sender and receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Matrix {
    /// [`Profile::rows`].
    Sent,
    /// [`Profile::exchanges`].
    Exchanged,
}

/// A matrix of a phase or of the whole run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plane {
    /// Number of the phase; 0 for the whole run.
    pub number: u32,
    /// Its name; empty for the whole run.
    pub phase: String,
    /// Which one.
    pub matrix: Matrix,
}

/// What was run, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The program, as the profiled ranks were started.
    pub program: String,
    /// First line of the MPI library's own version string.
    pub mpi: String,
    /// Host of every rank, as `gethostname` said; empty where unknown.
    pub hosts: Vec<String>,
    /// How the run ended.
    pub outcome: Outcome,
}

/// How a profiled run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Every rank reached `MPI_Finalize`: the rows are complete.
    #[default]
    Finalized,
    /// Put together from the journals ranks left behind.
    Recovered {
        /// Ranks whose journal was not found, or taken away while they ran: their rows are empty,
        /// or lack something.
        missing: Vec<u32>,
    },
}

/// What one rank sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Receivers, ascending by rank.
    pub peers: Vec<Peer>,
}

/// What one rank sent to one other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// The receiver, a rank of `MPI_COMM_WORLD`.
    pub rank: u32,
    /// Payload bytes.
    pub bytes: u64,
    /// Messages, those of zero bytes included.
    pub messages: u64,
}

impl Profile {
    /// A matrix of phase `number`, 0 for the whole run.
    pub(crate) fn matrix(&self, number: u32, matrix: Matrix) -> &[Row] {
        let phase = (number as usize)
            .checked_sub(1)
            .map(|index| &self.phases[index]);
        match (phase, matrix) {
            (None, Matrix::Sent) => &self.rows,
            (None, Matrix::Exchanged) => &self.exchanges,
            (Some(phase), Matrix::Sent) => &phase.rows,
            (Some(phase), Matrix::Exchanged) => &phase.exchanges,
        }
    }

    /// The same, to change it.
    pub(crate) fn matrix_mut(&mut self, number: u32, matrix: Matrix) -> &mut Vec<Row> {
        let phase = (number as usize)
            .checked_sub(1)
            .map(|index| &mut self.phases[index]);
        match (phase, matrix) {
            (None, Matrix::Sent) => &mut self.rows,
            (None, Matrix::Exchanged) => &mut self.exchanges,
            (Some(phase), Matrix::Sent) => &mut phase.rows,
            (Some(phase), Matrix::Exchanged) => &mut phase.exchanges,
        }
    }
}

/// Hands over the rows of a matrix of a phase, 0 for the whole run, ranks ascending.
pub(crate) type RowSource<'a> =
    &'a mut dyn FnMut(u32, Matrix, &mut dyn FnMut(&Row)) -> io::Result<()>;
