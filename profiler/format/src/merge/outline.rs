//! The profile but for its rows, and its way to the file.

use super::part::{Fetched, Part};
use crate::error::ProfileError;
use crate::ledger::{self, Sums, add};
use crate::profile::{Matrix, Plane, Profile, Row};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// A profile but for the rows of its matrices, and what others than their rank know of them.
pub struct Outline {
    pub(super) profile: Profile,
    ranks: usize,
    planes: Vec<Plane>,
    /// By number of the phase.
    fetched: Vec<Fetched>,
}

impl Outline {
    /// Of a world of `ranks`; `profile` has no rows and no phases yet.
    pub(super) fn new(profile: Profile, ranks: usize) -> Self {
        Self {
            profile,
            ranks,
            planes: Vec::new(),
            fetched: Vec::new(),
        }
    }

    /// Adds the next phase.
    pub(super) fn add(&mut self, phase: &str, part: Part) {
        let number = self.fetched.len() as u32;
        let plane = |matrix| Plane {
            number,
            phase: phase.to_owned(),
            matrix,
        };
        self.planes.push(plane(Matrix::Sent));
        self.planes
            .extend(part.exchanging.then(|| plane(Matrix::Exchanged)));
        self.fetched.push(part.fetched);
    }

    /// The matrices there are, in the order in which [`Self::write`] asks for them.
    #[must_use]
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// Writes the profile while its rows arrive: `tell` hands over those of one matrix, all ranks' in rank order. No
    /// more than a section of the file is held.
    ///
    /// # Errors
    /// [`ProfileError::Unwritable`], with what the system said, or `tell`; what was under `path` is untouched then.
    pub fn write(
        &self,
        path: &Path,
        mut tell: impl FnMut(&Plane, &mut dyn FnMut(Row)) -> io::Result<()>,
    ) -> Result<(), ProfileError> {
        self.profile.write_told(path, &mut |number, matrix, visit| {
            let is_meant = |plane: &&Plane| (plane.number, plane.matrix) == (number, matrix);
            let Some(plane) = self.planes.iter().find(is_meant) else {
                return Ok(());
            };
            let mut rank = 0;
            tell(plane, &mut |row| {
                visit(&self.complete(plane, rank, row));
                rank += 1;
            })
        })
    }

    /// A rank's row as it told it, with what others fetched.
    pub(super) fn complete(&self, plane: &Plane, rank: u32, mut row: Row) -> Row {
        row.peers.retain(|peer| (peer.rank as usize) < self.ranks);
        let fetched = self.fetched.get(plane.number as usize);
        let fetched = fetched.filter(|_| plane.matrix == Matrix::Sent);
        let mut fetched = fetched
            .into_iter()
            .flat_map(|fetched| fetched.range((rank, 0)..=(rank, u32::MAX)))
            .peekable();
        if fetched.peek().is_none() {
            return row;
        }
        let peers = row.peers.iter();
        let mut sums: BTreeMap<u32, Sums> = peers
            .map(|peer| (peer.rank, (peer.bytes, peer.messages)))
            .collect();
        for (&(_, receiver), &(bytes, messages)) in fetched {
            add(sums.entry(receiver).or_default(), bytes, messages);
        }
        ledger::row(sums)
    }
}
