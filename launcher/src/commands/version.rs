//! `rankfold --version`: the parts of this installation.

use crate::library;
use rankfold_console::terminal::wrapped;
use rankfold_launch::launchers::launcher_names;
use rankfold_mapfile::FORMATS;
use rankfold_mapper::cli::command_line;

/// The text of `--version` without the name of the program. `-V` prints the first line of it.
pub(super) fn long() -> String {
    let library = match library::find() {
        Ok(path) => path.display().to_string(),
        Err(error) => format!("none: {error}"),
    };
    let mapfiles: Vec<&str> = FORMATS.iter().map(|format| format.name()).collect();
    let commit = option_env!("RANKFOLD_COMMIT").unwrap_or("unknown: built without git");
    let text = format!(
        "{}\n\
         commit     {commit}\n\
         library    {library}\n\
         MPI        {}\n\
         launchers  {}\n\
         mapfiles   {}\n\
         features   {}\n\
         target     {} {}",
        env!("CARGO_PKG_VERSION"),
        rankfold_abi::FAMILIES.join("; "),
        launcher_names().join(", "),
        mapfiles.join(", "),
        command_line::features(),
        std::env::consts::ARCH,
        std::env::consts::OS,
    );
    let lines: Vec<String> = text.lines().map(wrapped).collect();
    lines.join("\n")
}
