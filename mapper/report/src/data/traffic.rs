//! Who sends whom how much, and what else a profile counts.

use serde::Serialize;

/// The communication.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Traffic {
    /// World size.
    pub ranks: usize,
    /// Ordered pairs of different ranks with bytes.
    pub pairs: usize,
    /// All their bytes.
    pub bytes: u64,
    /// All their messages, if they were counted.
    pub messages: Option<f64>,
    /// Every pair, by sender, then receiver; where there are few enough to draw one by one.
    pub listed: Option<Vec<Pair>>,
    /// Bytes by blocks of ranks, where pairs are not listed.
    pub blocks: Option<Blocks>,
    /// The heaviest pairs, heaviest first.
    pub heaviest: Vec<Pair>,
    /// Parts of the run that the program named.
    pub phases: Vec<Phase>,
    /// Collectives of the whole run.
    pub collectives: Vec<Collective>,
    /// How large messages are.
    pub sizes: Option<Sizes>,
    /// Time in MPI.
    pub times: Option<Times>,
}

/// What one rank sent one other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
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

/// A named part of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Phase {
    /// As the program calls it.
    pub name: String,
    /// Bytes between ranks.
    pub bytes: u64,
    /// Messages between ranks.
    pub messages: u64,
    /// Calls of collectives.
    pub calls: u64,
    /// Every pair, as in [`Traffic::listed`].
    pub listed: Option<Vec<Pair>>,
}

/// Calls of one collective.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Collective {
    /// Its name.
    pub name: String,
    /// Ranks of the communicator.
    pub members: usize,
    /// Whether that is the world.
    pub world: bool,
    /// The root's rank in the communicator.
    pub root: Option<u32>,
    /// Bytes, as the profile format defines them for the operation.
    pub bytes: u64,
    /// Calls of the communicator as a whole.
    pub calls: u64,
}

/// Messages by size.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Sizes {
    /// Whether each message was counted by its own size, not by the mean size of its pair.
    pub counted: bool,
    /// By kind of message.
    pub classes: Vec<SizeClass>,
}

/// Messages of one kind by size.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SizeClass {
    /// The kind.
    pub name: String,
    /// For each power of two from 2^0: messages from there up to the next, and their bytes. What
    /// has no bytes counts as 2^0.
    pub buckets: Vec<(u64, u64)>,
}

/// Time in MPI.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Times {
    /// Ranks a column of the picture stands for, its values being means.
    pub ranks_each: usize,
    /// Seconds of the whole run, by column.
    pub run: Vec<f64>,
    /// Seconds in each kind of call, by column.
    pub classes: Vec<TimeClass>,
}

/// Time in one kind of call.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TimeClass {
    /// The calls.
    pub name: String,
    /// Seconds, by column.
    pub seconds: Vec<f64>,
    /// Mean over all ranks.
    pub mean: f64,
    /// Most of any rank.
    pub most: f64,
    /// That rank.
    pub most_rank: usize,
    /// Calls of all ranks.
    pub calls: u64,
}

/// A square matrix of blocks of ranks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Blocks {
    /// Blocks an axis.
    pub size: usize,
    /// Places a block.
    pub places_each: usize,
    /// Row, column and bytes of every block with traffic, by row, then column.
    pub cells: Vec<(u32, u32, u64)>,
}
