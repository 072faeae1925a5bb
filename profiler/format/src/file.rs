//! Profiles as files.

use crate::encoding;
use crate::error::{Fault, ProfileError};
use crate::profile::{Profile, Row, RowSource};
use crate::replace::replace_with;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

impl Profile {
    /// Reads a `.rfp` file.
    ///
    /// # Errors
    /// [`ProfileError`], naming the file.
    pub fn read(path: &Path) -> Result<Self, ProfileError> {
        let file = File::open(path).map_err(|source| Fault::from(source).reading(path))?;
        encoding::decode(BufReader::new(file)).map_err(|fault| fault.reading(path))
    }

    /// Reads a `.rfp` file of any size in the memory of its other planes: the rows of the pair
    /// matrix are handed to `visit` by ascending rank, one for every rank of the world, and the
    /// profile returned has none. What was visited counts only if this succeeds.
    ///
    /// # Errors
    /// [`ProfileError`], naming the file.
    pub fn read_rows(path: &Path, mut visit: impl FnMut(Row)) -> Result<Self, ProfileError> {
        let file = File::open(path).map_err(|source| Fault::from(source).reading(path))?;
        encoding::decode_rows(BufReader::new(file), &mut visit).map_err(|fault| fault.reading(path))
    }

    /// Writes a `.rfp` file, whole or not at all. Peers must ascend within a row and hosts be none
    /// or one a rank, or [`Profile::read`] will refuse the file.
    ///
    /// # Errors
    /// [`ProfileError::Unwritable`]; what was under `path` is untouched then.
    pub fn write(&self, path: &Path) -> Result<(), ProfileError> {
        self.write_with_rows(path, &mut |number, matrix, visit| {
            self.matrix(number, matrix).iter().for_each(visit);
            Ok(())
        })
    }

    /// The same with rows that `tell` hands over; those of this profile are not looked at.
    pub(crate) fn write_with_rows(
        &self,
        path: &Path,
        source: RowSource,
    ) -> Result<(), ProfileError> {
        replace_with(path, |out| encoding::encode(self, source, out))
            .map_err(|fault: Fault| fault.writing(path))
    }
}
