//! What a rank records once, not a counter.

use crate::codec::{decode, encode};
use crate::communicator::Communicator;
use crate::cores::Cores;
use crate::nccl_process::{NcclCommunicator, NcclProcess};
use crate::parameter::Parameter;
use crate::profile::Numbers;
use crate::surroundings::Surroundings;
use crate::topology::MemberTopology;
use crate::turns::Turns;
use serde::{Deserialize, Serialize};

/// Information that a rank records once, not a counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Note {
    /// A communicator. Its number is the number of communicators noted before.
    Communicator(Communicator),
    /// A virtual topology.
    Topology(MemberTopology),
    /// What this process sees of its host.
    Surroundings(Surroundings),
    /// The cores that this process may run on.
    Cores(Cores),
    /// The numbers that the launcher and the MPI library gave this rank.
    Numbers(Numbers),
    /// The parameters of the MPI library that were set.
    Parameters(Vec<Parameter>),
    /// The MPI library reports its messages.
    Monitored,
    /// The process uses NCCL.
    NcclProcess(NcclProcess),
    /// A communicator of NCCL.
    NcclCommunicator(NcclCommunicator),
    /// The turns in the phase of this name. Of several for one phase, the last one holds.
    Turns(String, Turns),
}

impl Note {
    /// The bytes of the note in a journal.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        encode(self)
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        decode(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_without_allocation_is_that_of_the_encoder() {
        let communicator = NcclCommunicator {
            number: 3,
            id: 0x0102_0304_0506_0708,
            rank: 5,
            size: 16,
        };
        let encoded = Note::NcclCommunicator(communicator).encode();
        let note = communicator.note();
        assert_eq!(note[..4], (encoded.len() as u32).to_le_bytes());
        assert_eq!(note[4..], encoded);
    }
}
