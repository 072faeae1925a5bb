//! Time spent inside MPI.

use serde::{Deserialize, Serialize};

/// Calls whose time is kept together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CallClass {
    /// Sends of all kinds, those that also receive, and starts of persistent ones.
    Send,
    /// Receives and probes.
    Receive,
    /// Waits and tests.
    Wait,
    /// Collectives, the creation of communicators not included.
    Collective,
    /// Neighbourhood collectives.
    Neighbour,
    /// Remote memory access and its synchronisation.
    OneSided,
    /// Input and output.
    Io,
    /// Not a call: from the end of `MPI_Init` to the beginning of `MPI_Finalize`, inside MPI and
    /// outside.
    Run,
}

impl CallClass {
    /// All of them, in the order of their numbers in a file.
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

    /// A word for tables.
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

/// What one rank spent in one class of calls, over all its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Time {
    /// The calls.
    pub class: CallClass,
    /// Wall clock between call and return.
    pub nanoseconds: u64,
    /// How many calls.
    pub calls: u64,
}

impl Time {
    /// The same in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.nanoseconds as f64 * 1e-9
    }
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
