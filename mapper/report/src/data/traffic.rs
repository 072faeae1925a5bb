//! The communication matrix, and what else a profile counts.

use schemars::JsonSchema;
use serde::Serialize;

/// The communication of a run.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Traffic {
    /// Number of ranks.
    pub ranks: usize,
    /// Number of ordered pairs of different ranks that exchange bytes.
    pub pairs: usize,
    /// Bytes between different ranks.
    pub bytes: u64,
    /// Number of messages, if they were counted.
    pub messages: Option<f64>,
    /// All pairs, sorted by sender and receiver; `None` where there are too many to draw each.
    pub listed: Option<Vec<Pair>>,
    /// Bytes between blocks of ranks, where there are many pairs or ranks.
    pub blocks: Option<Blocks>,
    /// The heaviest pairs, heaviest first.
    pub heaviest: Vec<Pair>,
    /// The traffic by origin: point to point, inside collectives, and both together. Empty where
    /// there are no collectives, or too many pairs to draw each.
    pub origins: Vec<Origin>,
    /// The phases that the program named.
    pub phases: Vec<Phase>,
    /// The collectives of the whole run.
    pub collectives: Vec<Collective>,
    /// Message sizes.
    pub sizes: Option<Sizes>,
    /// Messages of the ranks whose time was measured, by the function of MPI that sends or fetches
    /// them, most bytes first; empty if times were not measured.
    pub functions: Vec<SentByFunction>,
    /// Time in MPI.
    pub times: Option<Times>,
}

/// What one rank sent to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Pair {
    /// Sender.
    pub from: u32,
    /// Receiver.
    pub to: u32,
    /// Bytes.
    pub bytes: u64,
    /// Messages; 0 where they were not counted.
    pub messages: u64,
}

/// The traffic of one origin.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Origin {
    /// Name of the origin.
    pub name: String,
    /// Bytes between ranks.
    pub bytes: u64,
    /// All pairs, sorted by sender and receiver.
    pub listed: Vec<Pair>,
}

/// A phase that the program named.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Phase {
    /// Name of the phase.
    pub name: String,
    /// Bytes between ranks.
    pub bytes: u64,
    /// Messages between ranks.
    pub messages: u64,
    /// Calls of collectives.
    pub calls: u64,
    /// All pairs, as in [`Traffic::listed`].
    pub listed: Option<Vec<Pair>>,
}

/// Calls of one collective.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Collective {
    /// Its name.
    pub name: String,
    /// How it was called, such as "nonblocking"; empty for a blocking call with separate buffers
    /// and an operator of MPI.
    pub form: String,
    /// Number of ranks in the communicator.
    pub members: usize,
    /// Whether the communicator has all ranks of the run.
    pub world: bool,
    /// The root's rank in the communicator.
    pub root: Option<u32>,
    /// Bytes, as the profile format defines them for the operation.
    pub bytes: u64,
    /// Number of calls; a call of all members counts once.
    pub calls: u64,
}

/// Messages by size.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Sizes {
    /// Whether each message was counted with its own size. Otherwise each counts with the mean size
    /// of its pair.
    pub counted: bool,
    /// One class for each kind of message.
    pub classes: Vec<SizeClass>,
}

/// Messages of one kind by size.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct SizeClass {
    /// Kind of the messages.
    pub name: String,
    /// For each power of two from 2^0 on: the number of messages from that size up to the next
    /// power, and their bytes. Messages without bytes count under 2^0.
    pub buckets: Vec<(u64, u64)>,
}

/// What all ranks send, or fetch, with one function of MPI.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct SentByFunction {
    /// Name in C, such as `MPI_Isend`.
    pub function: String,
    /// Bytes.
    pub bytes: u64,
    /// Number of messages.
    pub messages: u64,
}

/// Time in MPI.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Times {
    /// Number of ranks in one column of the picture. A column holds the mean of its ranks.
    pub ranks_each: usize,
    /// Seconds of the whole run, by column.
    pub run: Vec<f64>,
    /// Seconds in each kind of call, by column.
    pub classes: Vec<TimeClass>,
    /// Functions of MPI with the longest time of all ranks together, the longest first; empty for
    /// profiles of releases that did not tell functions apart.
    pub functions: Vec<TimeInFunction>,
}

/// Time in one function of MPI.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct TimeInFunction {
    /// Name in C, such as `MPI_Send`.
    pub function: String,
    /// Kind of call that the function belongs to.
    pub class: String,
    /// Mean over all ranks, in seconds.
    pub mean: f64,
    /// Highest value of a rank, in seconds.
    pub most: f64,
    /// The rank with the highest value.
    pub most_rank: usize,
    /// Number of calls by all ranks.
    pub calls: u64,
}

/// Time in one kind of call.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct TimeClass {
    /// Name of the kind.
    pub name: String,
    /// Seconds, by column.
    pub seconds: Vec<f64>,
    /// Mean over all ranks.
    pub mean: f64,
    /// Highest value of a rank.
    pub most: f64,
    /// The rank with the highest value.
    pub most_rank: usize,
    /// Number of calls by all ranks.
    pub calls: u64,
}

/// A square matrix of bytes between blocks of ranks or places.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Blocks {
    /// Number of blocks along an axis.
    pub size: usize,
    /// Number of places in a block.
    pub places_each: usize,
    /// Row, column and bytes of every block with traffic, sorted by row and column.
    pub cells: Vec<(u32, u32, u64)>,
}
