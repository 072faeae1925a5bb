//! The paths of the configuration files.

use super::file;
use super::{ConfigError, GivenValue, Variables};
use schemars::JsonSchema;
use std::path::PathBuf;

/// The site's file, unless [`SITE_FILE`] names another.
const SITE: &str = "/etc/rankfold.toml";

/// The environment variable with the path of the site's file. It is for sites with several
/// configurations. An empty value stands for no file.
pub const SITE_FILE: &str = "RANKFOLD_SITE_CONFIG";

/// The name of the user's file, in the user's directory of configuration files.
const USER_FILE: &str = "rankfold.toml";

/// A configuration file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
pub struct ConfigFile {
    /// Whose file it is: "user" or "site".
    pub of: &'static str,
    /// Path of the file.
    pub path: PathBuf,
    /// Whether the file is there and was read.
    pub read: bool,
}

impl ConfigFile {
    /// The values in the file. A file that does not exist has none.
    pub(super) fn values(
        &mut self,
        names: &[String],
        problems: &mut Vec<ConfigError>,
    ) -> Vec<(String, GivenValue)> {
        match file::text(&self.path) {
            Ok(None) => Vec::new(),
            Ok(Some(text)) => {
                self.read = true;
                file::values(&self.path, &text, names, problems)
            }
            Err(problem) => {
                problems.push(ConfigError {
                    place: self.path.display().to_string(),
                    problem,
                });
                Vec::new()
            }
        }
    }
}

/// The files to look for, the user's before the site's.
pub(super) fn files(variables: Variables) -> Vec<ConfigFile> {
    let set = |name: &str| variables(name).filter(|value| !value.is_empty());
    let configured = set("XDG_CONFIG_HOME").map(PathBuf::from);
    let user = configured
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(set("HOME")?).join(".config")));
    let site = match variables(SITE_FILE) {
        None => Some(PathBuf::from(SITE)),
        Some(named) => Some(PathBuf::from(named)).filter(|path| !path.as_os_str().is_empty()),
    };
    let file = |of, path| ConfigFile {
        of,
        path,
        read: false,
    };
    let user = user.map(|directory| file("user", directory.join(USER_FILE)));
    user.into_iter()
        .chain(site.map(|path| file("site", path)))
        .collect()
}
