//! A profile in memory: the run, and what every rank sent to whom.

use crate::burst::Bursts;
use crate::collective::{Collective, MemberBlocks};
use crate::communicator::Communicator;
use crate::cores::Cores;
use crate::function_messages::FunctionMessages;
use crate::nccl_record::NcclRecord;
use crate::parameter::Parameter;
use crate::sizes::SizeCount;
use crate::surroundings::Surroundings;
use crate::time::{FunctionTime, Time};
use crate::topology::Topology;
use crate::turns::Turns;
use crate::unseen::Unseen;
use serde::{Deserialize, Serialize};
use std::io;

/// The profile of a whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// The program, its hosts, and how the run ended.
    pub manifest: Manifest,
    /// What every rank sent point to point, in neighbourhood collectives and by remote memory
    /// access. Entry r belongs to rank r.
    pub rows: Vec<Row>,
    /// What every rank sent in the collectives that are [exchanges](crate::Operation::is_exchange),
    /// counted from the source to the destination, whatever route the library takes. Entry r
    /// belongs to rank r; empty if there were no exchanges.
    pub exchanges: Vec<Row>,
    /// What every rank sent inside collectives, as the monitoring of the MPI library reported it,
    /// including what making communicators takes and without neighbourhood collectives, which are
    /// in `rows`. Entry r belongs to rank r; empty if the library did not report it.
    pub as_sent: Vec<Row>,
    /// The communicators. `collectives`, `phases` and `topologies` refer to them by index.
    pub communicators: Vec<Communicator>,
    /// The collectives of the whole run.
    pub collectives: Vec<Collective>,
    /// The uneven blocks of these collectives, in ascending order of the collective.
    pub blocks: Vec<MemberBlocks>,
    /// The phases that the program named with `MPI_Pcontrol`, sorted by name. Everything in a phase
    /// also counts in the fields of the whole run.
    pub phases: Vec<Phase>,
    /// How many messages each rank has under way at once. Entry r belongs to rank r; empty if not
    /// recorded.
    pub bursts: Vec<Bursts>,
    /// Time inside MPI, with classes in ascending order. Entry r belongs to rank r; empty if not
    /// measured.
    pub times: Vec<Vec<Time>>,
    /// Time inside MPI by function, ordered by class; empty if not measured.
    pub function_times: Vec<FunctionTime>,
    /// What the matrix of the whole run holds, by the function with which it was sent or fetched,
    /// of the ranks whose time was measured; empty if it was not measured.
    pub function_messages: Vec<FunctionMessages>,
    /// The virtual topologies that the program created.
    pub topologies: Vec<Topology>,
    /// What ranks sent to processes outside this world, which were spawned or connected. `rank` is
    /// the sender, in ascending order.
    pub foreign: Vec<Peer>,
    /// Messages and calls that are in no matrix and no list, because the memory of a rank's
    /// counters is bounded (see [`crate::env::MEMORY`]). `rank` is the rank that made them, in
    /// ascending order.
    pub others: Vec<Peer>,
    /// Ways in which the program may have moved data that is not counted here, in ascending order.
    pub unseen: Vec<Unseen>,
    /// The hosts, by name; hosts that provided no information are left out.
    pub surroundings: Vec<Surroundings>,
    /// The launch; `None` if the launcher did not record it.
    pub launch: Option<LaunchRecord>,
    /// The login name of the user who launched the run; empty if unknown or left out.
    pub user: String,
    /// The cores on which the thread that called `MPI_Init` was allowed to run. Entry r belongs to
    /// rank r; empty if not recorded.
    pub cores: Vec<Cores>,
    /// The numbers that the launcher and the MPI library gave every rank; empty if not recorded.
    pub numbers: Vec<Numbers>,
    /// Whether the ranks were on their planned slots; `None` if not checked.
    pub verification: Option<Verification>,
    /// Messages by kind and size over all ranks, with kinds and sizes in ascending order.
    pub sizes: Vec<SizeCount>,
    /// The parameters of the MPI library that were set for the run, in ascending order of name.
    pub parameters: Vec<Parameter>,
    /// What the ranks did with NCCL; `None` if NCCL's profiler plugin counted nothing.
    pub nccl: Option<NcclTraffic>,
}

/// What the processes of a job did with NCCL. `network` and the calls are two views of the same
/// bytes and must not be added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NcclTraffic {
    /// What NCCL's proxies sent over the network. Entry r belongs to rank r; empty if the proxies
    /// sent nothing, as on one node. Pairs of ranks that share memory are not in it.
    pub network: Vec<Row>,
    /// What the program sent with `ncclSend`. Entry r belongs to rank r; empty if there was none.
    pub sent: Vec<Row>,
    /// NCCL's communicators.
    pub communicators: Vec<Communicator>,
    /// The collectives that the program called; `comm` is an index into `communicators`.
    pub collectives: Vec<Collective>,
    /// The versions of the profiler interface that the processes used, and remarks.
    pub record: NcclRecord,
}

/// How a run was launched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchRecord {
    /// The command line as the user gave it, quoted for a shell.
    pub command: String,
    /// Start of the launch in seconds since 1970 UTC.
    pub started: u64,
    /// Duration of the launch, including the start-up of the launcher.
    pub nanoseconds: u64,
    /// The version of rankfold that launched the run.
    pub version: String,
}

/// The numbers that the launcher and the MPI library gave a rank, as of the end of `MPI_Init`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    /// The rank that the launcher gave the process. It differs from the profile's rank where ranks
    /// were renumbered.
    pub launcher_rank: u32,
    /// The lowest rank of the shared-memory group that the MPI library put this rank in.
    pub shared_with: u32,
}

/// The result of comparing hosts, cores and shared-memory groups of the ranks with the plan or,
/// without a plan, with each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// With a plan: whether all ranks were where the plan put them. Without a plan: whether ranks
    /// of one host share memory and no two ranks are bound to one core.
    pub as_planned: bool,
    /// The line that was printed for the user.
    pub line: String,
}

/// A phase: a part of a run that the program named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// The name that the program gave; a number for a phase with a number.
    pub name: String,
    /// See [`Profile::rows`].
    pub rows: Vec<Row>,
    /// See [`Profile::exchanges`].
    pub exchanges: Vec<Row>,
    /// See [`Profile::as_sent`].
    pub as_sent: Vec<Row>,
    /// See [`Profile::collectives`].
    pub collectives: Vec<Collective>,
    /// See [`Profile::blocks`].
    pub blocks: Vec<MemberBlocks>,
    /// See [`Profile::bursts`].
    pub bursts: Vec<Bursts>,
}

/// The matrices of bytes and messages by sender and receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Matrix {
    /// [`Profile::rows`].
    Sent,
    /// [`Profile::exchanges`].
    Exchanged,
    /// [`Profile::as_sent`].
    AsSent,
}

/// A matrix of one phase or of the whole run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plane {
    /// Number of the phase; 0 for the whole run.
    pub number: u32,
    /// Name of the phase; empty for the whole run.
    pub phase: String,
    /// Which of the matrices.
    pub matrix: Matrix,
}

/// The program, its hosts, and how the run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The program, as in the command line of the ranks.
    pub program: String,
    /// First line of the MPI library's own version string.
    pub mpi: String,
    /// The host of every rank, from `gethostname`; empty if unknown.
    pub hosts: Vec<String>,
    /// How the run ended.
    pub outcome: Outcome,
}

/// How a profiled run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Every rank reached `MPI_Finalize`: the profile is complete.
    #[default]
    Finalized,
    /// The run ended early, or ranks have lost some of their counters.
    Recovered {
        /// Ranks whose counters are empty or incomplete: their journal was not found, was removed
        /// while they ran, or had no space.
        missing: Vec<u32>,
    },
}

/// What one rank sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The receivers, in ascending order of rank.
    pub peers: Vec<Peer>,
    /// Receivers in the order in which the rank first sent to them. Lacks those from which the
    /// order is not known, such as ranks that fetched the data.
    pub order: Vec<u32>,
    /// The turns in which the rank sends and receives.
    pub turns: Turns,
}

impl Row {
    /// A row whose order is not known.
    #[must_use]
    pub fn of(peers: Vec<Peer>) -> Self {
        Self {
            peers,
            ..Self::default()
        }
    }
}

/// What one rank sent to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// The receiver, a rank of `MPI_COMM_WORLD`.
    pub rank: u32,
    /// Payload bytes.
    pub bytes: u64,
    /// Number of messages, including messages of zero bytes.
    pub messages: u64,
}

impl Profile {
    /// The phase of this number; the first has number 1.
    pub(crate) fn phase(&mut self, number: u32) -> Result<&mut Phase, String> {
        (number as usize)
            .checked_sub(1)
            .and_then(|index| self.phases.get_mut(index))
            .ok_or_else(|| format!("phase {number} has no name"))
    }

    /// The matrix of phase `number`; 0 stands for the whole run.
    pub(crate) fn matrix(&self, number: u32, matrix: Matrix) -> &[Row] {
        let phase = (number as usize)
            .checked_sub(1)
            .map(|index| &self.phases[index]);
        match (phase, matrix) {
            (None, Matrix::Sent) => &self.rows,
            (None, Matrix::Exchanged) => &self.exchanges,
            (None, Matrix::AsSent) => &self.as_sent,
            (Some(phase), Matrix::Sent) => &phase.rows,
            (Some(phase), Matrix::Exchanged) => &phase.exchanges,
            (Some(phase), Matrix::AsSent) => &phase.as_sent,
        }
    }

    /// The matrix of phase `number` for modification; 0 stands for the whole run.
    pub(crate) fn matrix_mut(&mut self, number: u32, matrix: Matrix) -> &mut Vec<Row> {
        let phase = (number as usize)
            .checked_sub(1)
            .map(|index| &mut self.phases[index]);
        match (phase, matrix) {
            (None, Matrix::Sent) => &mut self.rows,
            (None, Matrix::Exchanged) => &mut self.exchanges,
            (None, Matrix::AsSent) => &mut self.as_sent,
            (Some(phase), Matrix::Sent) => &mut phase.rows,
            (Some(phase), Matrix::Exchanged) => &mut phase.exchanges,
            (Some(phase), Matrix::AsSent) => &mut phase.as_sent,
        }
    }
}

/// A source of matrix rows. It is called with a phase (0 for the whole run) and a matrix, and
/// passes the rows to the given function in ascending order of rank.
pub(crate) type RowSource<'a> =
    &'a mut dyn FnMut(u32, Matrix, &mut dyn FnMut(&Row)) -> io::Result<()>;
