//! Open MPI 4's parameter `mca_base_env_list`: a list of environment variables for the ranks.
//! `mpirun` refuses `-x` beside this parameter, so rankfold extends the list where the user has set
//! it.

use super::openmpi;
use crate::launch::{App, Exports, GivenOption, Options, assignment};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::{env, fs};

const NAME: &str = "mca_base_env_list";
/// The parameter that sets the separator of the list.
const DELIMITER: &str = "mca_base_env_list_delimiter";
/// The parameter that names other files of parameters than the default files.
const FILES: &str = "mca_base_param_files";

/// The list of variables, and its separator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EnvList {
    text: String,
    delimiter: String,
}

/// The list that the user has set by an option, in the environment or in a file, which is the order
/// in which Open MPI looks. `prefix` is the directory in which Open MPI is installed.
pub(super) fn of_user(options: &Options, prefix: Option<&Path>) -> Option<EnvList> {
    let set = |name| setting(options, name, prefix).filter(|text| !text.is_empty());
    Some(EnvList {
        text: set(NAME)?,
        delimiter: set(DELIMITER).unwrap_or_else(|| ";".into()),
    })
}

/// Sets the list with rankfold's variables in place of the user's own settings of the same
/// variables. The list holds for all programs.
pub(super) fn extend(apps: &mut [App], list: &EnvList, exports: &Exports) {
    let variables = exports.beside(preloaded(list));
    for app in &mut *apps {
        app.options.take(|given| parameter(given, NAME).is_some());
        openmpi::forget(&mut app.options, &variables);
    }
    let theirs = list.text.split(&list.delimiter).filter(|entry| {
        let name = entry.split('=').next().unwrap_or_default();
        !entry.is_empty() && variables.iter().all(|(ours, _)| *ours != name)
    });
    let mut entries: Vec<OsString> = theirs.map(OsString::from).collect();
    let ours = variables.iter().cloned();
    entries.extend(ours.map(|(name, value)| assignment(name, value)));
    let text = entries.join(OsStr::new(&list.delimiter));
    apps[0].inserted.extend(["--mca".into(), NAME.into(), text]);
}

/// The value of `LD_PRELOAD` in the list.
fn preloaded(list: &EnvList) -> Option<&str> {
    let mut entries = list.text.split(&list.delimiter);
    entries.find_map(|entry| entry.strip_prefix("LD_PRELOAD="))
}

fn setting(options: &Options, name: &str, prefix: Option<&Path>) -> Option<String> {
    let by_option = |name: &str| {
        let given = options.last(|given| parameter(given, name).is_some());
        given.and_then(|given| parameter(given, name))
    };
    let in_environment = |name: &str| env::var(format!("OMPI_MCA_{name}")).ok();
    let set = |name: &str| by_option(name).or_else(|| in_environment(name));
    set(name).or_else(|| {
        let files = match set(FILES) {
            Some(list) => list.split([',', ':']).map(PathBuf::from).collect(),
            None => files(prefix),
        };
        let mut texts = files
            .iter()
            .filter_map(|path| fs::read_to_string(path).ok());
        texts.find_map(|text| in_file(&text, name))
    })
}

/// The value in `--mca NAME VALUE`.
fn parameter(given: &GivenOption, name: &str) -> Option<String> {
    let named = given.words.get(1).is_some_and(|word| word == name);
    (matches!(given.name(), Some("mca" | "gmca")) && named).then(|| given.value(1))?
}

/// The files of parameters that Open MPI reads by default: the user's own file, and the file of the
/// installation. Packages of distributions keep the latter in a directory of its own.
fn files(prefix: Option<&Path>) -> Vec<PathBuf> {
    let home = env::var_os("HOME").map(|home| PathBuf::from(home).join(".openmpi/mca-params.conf"));
    let moved = env::var_os("OPAL_PREFIX").map(PathBuf::from);
    let prefix = moved.or_else(|| prefix.map(Path::to_owned));
    let installed = [
        prefix.map(|prefix| prefix.join("etc")),
        Some("/etc/openmpi".into()),
    ];
    let installed = installed
        .into_iter()
        .flatten()
        .map(|directory| directory.join("openmpi-mca-params.conf"));
    home.into_iter()
        .chain(installed.filter(|file| file.exists()).take(1))
        .collect()
}

/// The value in the last line `NAME = VALUE` of a file of parameters.
fn in_file(text: &str, name: &str) -> Option<String> {
    let lines = text.lines().rev();
    lines
        .filter_map(|line| line.split_once('='))
        .find(|(key, _)| key.trim() == name)
        .map(|(_, value)| value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_join_the_list_and_replace_what_has_their_name() {
        let list = EnvList {
            text: "A=1;LD_PRELOAD=/t.so;B".into(),
            delimiter: ";".into(),
        };
        assert_eq!(preloaded(&list), Some("/t.so"));
        let mut apps = [App::default()];
        extend(&mut apps, &list, &Exports::new(vec![], "/l.so".into()));
        let words = &apps[0].inserted;
        assert_eq!(words[..2], ["--mca", NAME]);
        assert_eq!(words[2], "A=1;B;LD_PRELOAD=/l.so:/t.so");
    }

    #[test]
    fn the_file_of_the_installation_is_read() {
        let prefix = tempfile::tempdir().unwrap();
        let etc = prefix.path().join("etc");
        fs::create_dir(&etc).unwrap();
        fs::write(
            etc.join("openmpi-mca-params.conf"),
            "mca_base_env_list = SITE=1\n",
        )
        .unwrap();
        let list = of_user(&Options::default(), Some(prefix.path())).unwrap();
        assert_eq!((&*list.text, &*list.delimiter), ("SITE=1", ";"));
    }

    #[test]
    fn the_last_line_of_a_file_counts() {
        let text = "# mca_base_env_list = no\nmca_base_env_list = A=1;B\n mca_base_env_list=C=2\n";
        assert_eq!(in_file(text, NAME).as_deref(), Some("C=2"));
        assert_eq!(in_file("# mca_base_env_list = no\n", NAME), None);
    }
}
