//! How many messages a rank has under way at once.

use serde::{Deserialize, Serialize};

/// The bursts of one rank, over all its threads.
///
/// A burst is the messages that a thread starts between two completions of receives: they are under
/// way at once. A receive completes in `MPI_Recv`, `MPI_Sendrecv` and the like, and in a wait or a
/// successful test if there is one under way. A blocking send above [the eager
/// limit](crate::env::EAGER) is a completion, too, because it waits for its receiver. What one call
/// of a neighbourhood collective sends is a burst. Messages to processes outside the world and
/// remote memory access are in none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bursts {
    /// Bytes of all messages.
    pub bytes: u64,
    /// Sum over all messages of bytes x messages in their burst; no more than 2^64 - 1.
    pub weighted: u64,
    /// How many bursts.
    pub number: u64,
}

impl Bursts {
    /// Messages in a burst, the mean over all bytes; `None` without bytes.
    ///
    /// ```
    /// use rankfold_profile::Bursts;
    /// let mut bursts = Bursts::default();
    /// bursts.add(6, 3000, 1);
    /// bursts.add(1, 1000, 10);
    /// assert_eq!(bursts.mean(), Some(4.75));
    /// ```
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.bytes > 0).then(|| self.weighted as f64 / self.bytes as f64)
    }

    /// Adds `number` bursts of `messages` each, which hold `bytes` together.
    pub fn add(&mut self, messages: u32, bytes: u64, number: u64) {
        let weighted = bytes.saturating_mul(u64::from(messages));
        self.bytes = self.bytes.saturating_add(bytes);
        self.weighted = self.weighted.saturating_add(weighted);
        self.number = self.number.saturating_add(number);
    }
}
