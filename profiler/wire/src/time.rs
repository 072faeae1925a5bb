//! Time spent inside MPI.

use serde::{Deserialize, Serialize};

/// Classes of calls whose time is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CallClass {
    /// Sends of all kinds, including those that also receive, and starts of persistent sends.
    Send,
    /// Receives and probes.
    Receive,
    /// Waits and tests.
    Wait,
    /// Collectives, but not the creation of communicators.
    Collective,
    /// Neighbourhood collectives.
    Neighbour,
    /// Remote memory access and its synchronisation.
    OneSided,
    /// Input and output.
    Io,
    /// Not a class of calls: the time from the end of `MPI_Init` to the beginning of
    /// `MPI_Finalize`, inside and outside MPI.
    Run,
}

impl CallClass {
    /// All classes, in the order of their numbers in a file.
    pub const ALL: [Self; 8] = [
        Self::Send,
        Self::Receive,
        Self::Wait,
        Self::Collective,
        Self::Neighbour,
        Self::OneSided,
        Self::Io,
        Self::Run,
    ];

    /// The name of the class in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Send => "sends",
            Self::Receive => "receives",
            Self::Wait => "waits",
            Self::Collective => "collectives",
            Self::Neighbour => "neighbourhood collectives",
            Self::OneSided => "one-sided",
            Self::Io => "input and output",
            Self::Run => "run",
        }
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
