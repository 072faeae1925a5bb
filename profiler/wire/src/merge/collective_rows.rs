//! The collectives of a phase as rows of a profile.

use super::calls;
use super::index::Index;
use super::phase_sums::PhaseSums;
use crate::collective::{Collective, MemberBlocks};
use crate::communicator::Communicator;
use std::collections::HashMap;

/// The communicators of a run.
pub(super) struct RunCommunicators<'a> {
    pub(super) index: &'a Index,
    /// The communicators by their hash.
    pub(super) communicators: &'a HashMap<u64, Communicator>,
}

impl RunCommunicators<'_> {
    /// The collectives of one phase as rows of the profile, and their uneven blocks.
    pub(super) fn rows(&self, part: &PhaseSums) -> (Vec<Collective>, Vec<MemberBlocks>) {
        let mut collectives = Vec::new();
        let mut all = Vec::new();
        for (row, key) in calls::collectives(&part.calls, self.index) {
            let members = self.communicators.get(&key.0);
            let blocks = members.and_then(|members| part.blocks.of(key, members));
            all.extend(blocks.map(|bytes| MemberBlocks {
                collective: collectives.len() as u32,
                bytes,
            }));
            collectives.push(row);
        }
        (collectives, all)
    }
}
