//! A profile without the rows of its matrices, and how its rows are written.

use super::phase_sums::PhaseSums;
use crate::error::ProfileError;
use crate::profile::{Matrix, Plane, Profile, Row};
use crate::turns::Turns;
use std::io;
use std::path::Path;

/// A profile without the rows of its matrices.
pub struct Outline {
    pub(super) profile: Profile,
    ranks: usize,
    planes: Vec<Plane>,
    /// Number of phases, where the whole run counts as one.
    phases: u32,
}

impl Outline {
    /// The outline for `ranks` ranks. `profile` has neither rows nor phases yet.
    pub(super) fn new(profile: Profile, ranks: usize) -> Self {
        Self {
            profile,
            ranks,
            planes: Vec::new(),
            phases: 0,
        }
    }

    /// Adds the matrices of the next phase. `monitored` says whether the MPI library has
    /// reported to every rank what it sent inside collectives.
    pub(super) fn add(&mut self, phase: &str, part: &PhaseSums, monitored: bool) {
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
        self.planes.extend(monitored.then(|| plane(Matrix::AsSent)));
    }

    /// The matrices of the profile, in the order in which [`Self::write`] asks for them.
    #[must_use]
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// Writes the profile while its rows arrive. `source` passes the rows of one matrix, of all
    /// ranks in rank order. No more than one section of the file is held in memory.
    ///
    /// # Errors
    /// [`ProfileError::Unwritable`], with the error of the system or of `source`. The file at
    /// `path` is then unchanged.
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

    /// A row as a rank sent it, without receivers outside the world.
    pub(super) fn complete(&self, mut row: Row) -> Row {
        row.peers.retain(|peer| (peer.rank as usize) < self.ranks);
        row.order.retain(|&rank| (rank as usize) < self.ranks);
        if !row.turns.name_only(|rank| (rank as usize) < self.ranks) {
            row.turns = Turns::NotRecorded;
        }
        row
    }
}
