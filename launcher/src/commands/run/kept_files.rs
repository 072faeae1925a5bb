//! `--keep DIR`: the profiles and the map of `rankfold run`, under the names that `rankfold
//! profile` and `map` would give them.

use rankfold_mapper::cli::{output, terminal};
use rankfold_mapper::error::Error;
use rankfold_model::comm::CommError;
use rankfold_profile::Profile;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where they go.
pub(super) struct KeptFiles {
    /// The directory and the name of the program.
    stem: PathBuf,
}

impl KeptFiles {
    /// In `directory`, which is made, for a program.
    ///
    /// # Errors
    /// It cannot be made or written to.
    pub(super) fn new(directory: &Path, program: &OsStr) -> anyhow::Result<Self> {
        let name = Path::new(program).file_name().unwrap_or(program);
        let keep = Self {
            stem: directory.join(name),
        };
        let unwritable = |source| Error::Unwritable {
            path: directory.to_owned(),
            source,
        };
        std::fs::create_dir_all(directory).map_err(unwritable)?;
        output::check(&keep.file(".rfp"))?;
        Ok(keep)
    }

    /// The profile that the map is made of.
    pub(super) fn profile(&self, profile: &Profile) -> anyhow::Result<()> {
        self.write_profile(".rfp", profile)
    }

    /// The profile of a run with the map.
    pub(super) fn mapped(&self, profile: &Profile) -> anyhow::Result<()> {
        self.write_profile("-mapped.rfp", profile)
    }

    /// The map, a host a line, as `--map` takes it.
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
