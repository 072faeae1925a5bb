//! `--keep DIR`: copies of the profiles and the map of `rankfold run` for the user.

use rankfold_console::{output, terminal};
use rankfold_graph::CommError;
use rankfold_mapper::error::Error;
use rankfold_wire::Profile;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The files in the directory of `--keep`.
pub(super) struct KeptFiles {
    /// The directory with the name of the program: the paths of all files without their endings.
    stem: PathBuf,
}

impl KeptFiles {
    /// The files of `program` in `directory`, which is made if it does not exist.
    ///
    /// # Errors
    /// The directory cannot be made or written to.
    pub(super) fn new(directory: &Path, program: &OsStr) -> anyhow::Result<Self> {
        let name = Path::new(program).file_name().unwrap_or(program);
        let files = Self {
            stem: directory.join(name),
        };
        let unwritable = |source| output::unwritable(directory, source);
        std::fs::create_dir_all(directory).map_err(unwritable)?;
        output::check(&files.file(".rfp"))?;
        Ok(files)
    }

    /// Writes the profile that the map is made from.
    pub(super) fn profile(&self, profile: &Profile) -> anyhow::Result<()> {
        self.write_profile(".rfp", profile)
    }

    /// Writes the profile of a run with the map.
    pub(super) fn mapped(&self, profile: &Profile) -> anyhow::Result<()> {
        self.write_profile("-mapped.rfp", profile)
    }

    /// Writes the map: the host of every rank, one a line, as `--map` reads it.
    pub(super) fn map(&self, hosts: &[String]) -> anyhow::Result<()> {
        let path = self.file(".map");
        let lines: String = hosts.iter().map(|host| format!("{host}\n")).collect();
        output::write(&path, lines.as_bytes())?;
        terminal::good(format_args!("wrote {}", path.display()));
        Ok(())
    }

    fn write_profile(&self, ending: &str, profile: &Profile) -> anyhow::Result<()> {
        let path = self.file(ending);
        let written = profile.write(&path);
        written.map_err(|error| Error::from(CommError::from(error)))?;
        terminal::good(format_args!("wrote {}", path.display()));
        Ok(())
    }

    fn file(&self, ending: &str) -> PathBuf {
        let mut name = self.stem.clone().into_os_string();
        name.push(ending);
        name.into()
    }
}
