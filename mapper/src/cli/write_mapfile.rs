//! Writing a mapfile: its files, and the command line that uses it.

use super::output;
use crate::error::Error;
use rankfold_mapfile::{Mapfile, MapfileError, MapfileFormat};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Checks before the search that all files of `format` can be written.
///
/// # Errors
/// [`Error::Output`].
pub fn check(format: &dyn MapfileFormat, output: Option<&Path>) -> Result<(), Error> {
    let Some(path) = output else { return Ok(()) };
    output::check(path)?;
    for ending in format.endings() {
        output::check(&named(path, ending))?;
    }
    Ok(())
}

/// Writes the main file `path` and the files that accompany it, and returns the line that says how
/// to launch with it; empty where no launcher reads the format.
///
/// # Errors
/// [`Error::Output`].
pub fn write(mapfile: &Mapfile, path: &Path) -> Result<String, Error> {
    output::write(path, &mapfile.content)?;
    for file in &mapfile.companions {
        output::write(&named(path, file.ending), &file.content)?;
    }
    let name = path.to_string_lossy();
    let quoted = shlex::try_quote(&name).unwrap_or(name.clone());
    Ok(match mapfile.usage.as_str() {
        "" => String::new(),
        _ => format!("launch with     {}\n", mapfile.line(&quoted)),
    })
}

/// Writes the main file to standard output.
///
/// # Errors
/// [`MapfileError::NeedsName`] where the format has more than one file.
pub(super) fn to_stdout(format: &dyn MapfileFormat, mapfile: &Mapfile) -> anyhow::Result<()> {
    if !mapfile.companions.is_empty() {
        let format = format.name();
        return Err(Error::from(MapfileError::NeedsName { format }).into());
    }
    Ok(std::io::stdout().write_all(&mapfile.content)?)
}

/// The path of the file whose name is that of `path` plus `ending`.
fn named(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
