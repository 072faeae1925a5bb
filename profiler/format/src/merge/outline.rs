//! The profile but for its rows, and its way to the file.

use super::phase_sums::PhaseSums;
use crate::error::ProfileError;
use crate::profile::{Matrix, Plane, Profile, Row};
use std::io;
use std::path::Path;

/// A profile but for the rows of its matrices.
pub struct Outline {
    pub(super) profile: Profile,
    ranks: usize,
    planes: Vec<Plane>,
    /// How many there are, the whole run included.
    phases: u32,
}

impl Outline {
    /// Of a world of `ranks`; `profile` has no rows and no phases yet.
    pub(super) fn new(profile: Profile, ranks: usize) -> Self {
        Self {
            profile,
            ranks,
            planes: Vec::new(),
            phases: 0,
        }
    }

    /// Adds the next phase.
    pub(super) fn add(&mut self, phase: &str, part: &PhaseSums) {
        let number = self.phases;
        self.phases += 1;
        let plane = |matrix| Plane {
            number,
            phase: phase.to_owned(),
            matrix,
        };
        self.planes.push(plane(Matrix::Sent));
        self.planes
            .extend(part.exchanging.then(|| plane(Matrix::Exchanged)));
    }

    /// The matrices there are, in the order in which [`Self::write`] asks for them.
    #[must_use]
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// Writes the profile while its rows arrive: `tell` hands over those of one matrix, all ranks'
    /// in rank order. No more than a section of the file is held.
    ///
    /// # Errors
    /// [`ProfileError::Unwritable`], with what the system said, or `tell`; what was under `path` is
    /// untouched then.
    pub fn write(
        &self,
        path: &Path,
        mut source: impl FnMut(&Plane, &mut dyn FnMut(Row)) -> io::Result<()>,
    ) -> Result<(), ProfileError> {
        self.profile
            .write_with_rows(path, &mut |number, matrix, visit| {
                let is_meant = |plane: &&Plane| (plane.number, plane.matrix) == (number, matrix);
                let Some(plane) = self.planes.iter().find(is_meant) else {
                    return Ok(());
                };
                source(plane, &mut |row| visit(&self.complete(row)))
            })
    }

    /// A rank's row as it told it, without receivers beyond the world.
    pub(super) fn complete(&self, mut row: Row) -> Row {
        row.peers.retain(|peer| (peer.rank as usize) < self.ranks);
        row
    }
}
