//! How many messages a rank has under way at once.

use serde::{Deserialize, Serialize};

/// The bursts of one rank, over all its threads.
///
/// A burst is the set of messages that a thread starts between two completions of receives. These
/// messages are under way at the same time. Completions are:
///
/// * `MPI_Recv`, `MPI_Sendrecv` and similar calls,
/// * a wait or a successful test on requests of which one is a receive,
/// * a blocking send above [the eager limit](crate::env::EAGER), as the send waits for its
///   receiver.
///
/// The messages of one call of a neighbourhood collective are a burst. Messages to processes
/// outside the world and remote memory access belong to no burst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bursts {
    /// Bytes of all messages.
    pub bytes: u64,
    /// Sum over all messages of their bytes times the number of messages in their burst; at most
    /// 2^64 - 1.
    pub weighted: u64,
    /// Number of bursts.
    pub number: u64,
}

impl Bursts {
    /// Mean number of messages in a burst, weighted by bytes; `None` without bytes.
    ///
    /// ```
    /// use rankfold_wire::Bursts;
    /// let mut bursts = Bursts::default();
    /// bursts.add(6, 3000, 1);
    /// bursts.add(1, 1000, 10);
    /// assert_eq!(bursts.mean(), Some(4.75));
    /// ```
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.bytes > 0).then(|| self.weighted as f64 / self.bytes as f64)
    }

    /// Adds `number` bursts of `messages` messages each. All of them together hold `bytes`.
    pub fn add(&mut self, messages: u32, bytes: u64, number: u64) {
        let weighted = bytes.saturating_mul(u64::from(messages));
        self.bytes = self.bytes.saturating_add(bytes);
        self.weighted = self.weighted.saturating_add(weighted);
        self.number = self.number.saturating_add(number);
    }
}
