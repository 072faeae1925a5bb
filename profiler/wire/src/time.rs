//! Time spent inside MPI.

use serde::{Deserialize, Serialize};

named! {
    /// Classes of calls whose time is summed.
    pub enum CallClass {
        /// Sends of all kinds, including those that also receive, and starts of persistent sends.
        Send = "sends",
        /// Receives and probes.
        Receive = "receives",
        /// Waits and tests.
        Wait = "waits",
        /// Collectives, but not the creation of communicators.
        Collective = "collectives",
        /// Neighbourhood collectives.
        Neighbour = "neighbourhood collectives",
        /// Remote memory access and its synchronisation.
        OneSided = "one-sided",
        /// Input and output.
        Io = "input and output",
        /// Not a class of calls: the time from the end of `MPI_Init` to the beginning of
        /// `MPI_Finalize`, inside and outside MPI.
        Run = "run",
    }
}

/// The time of one rank in one class of calls, over all its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Time {
    /// The class.
    pub class: CallClass,
    /// Wall-clock time between call and return.
    pub nanoseconds: u64,
    /// Number of calls.
    pub calls: u64,
}

impl Time {
    /// The time in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.nanoseconds as f64 * 1e-9
    }
}

/// The time of all ranks together in one function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionTime {
    /// The class that the function belongs to.
    pub class: CallClass,
    /// The name in C, such as `MPI_Send`.
    pub function: String,
    /// Wall-clock time between call and return.
    pub nanoseconds: u64,
    /// Number of calls.
    pub calls: u64,
    /// Nanoseconds of the rank that spent the longest time in the function.
    pub longest: u64,
    /// That rank.
    pub longest_rank: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_at_its_number() {
        for (number, class) in CallClass::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, number, "{}", class.name());
        }
    }
}
