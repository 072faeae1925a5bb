//! Reading and writing profiles.

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

    /// Reads a `.rfp` file of any size without holding its matrix: the rows are passed to `visit`
    /// by ascending rank, one for every rank, and are not in the profile returned. Discard what
    /// `visit` received if this function fails: some checks need the end of the file.
    ///
    /// # Errors
    /// [`ProfileError`], naming the file.
    pub fn read_rows(path: &Path, mut visit: impl FnMut(Row)) -> Result<Self, ProfileError> {
        let file = File::open(path).map_err(|source| Fault::from(source).reading(path))?;
        encoding::decode_rows(BufReader::new(file), &mut visit).map_err(|fault| fault.reading(path))
    }

    /// Writes a `.rfp` file; on an error no partial file is left. Peers must be in ascending order
    /// within a row, and the list of hosts must be empty or hold one host for each rank. Otherwise
    /// [`Profile::read`] refuses the file.
    ///
    /// # Errors
    /// [`ProfileError::Unwritable`]. The file at `path` is then unchanged.
    pub fn write(&self, path: &Path) -> Result<(), ProfileError> {
        self.write_with_rows(path, &mut |number, matrix, visit| {
            self.matrix(number, matrix).iter().for_each(visit);
            Ok(())
        })
    }

    /// As [`Profile::write`], with rows from `source` instead of those of this profile.
    pub(crate) fn write_with_rows(
        &self,
        path: &Path,
        source: RowSource,
    ) -> Result<(), ProfileError> {
        replace_with(path, |out| encoding::encode(self, source, out))
            .map_err(|fault: Fault| fault.writing(path))
    }
}
