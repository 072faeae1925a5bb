//! The parameters of the MPI library that were set for the run, from the environment of this
//! process and, for Open MPI, from its files of parameters.
//!
//! MPI_T is not asked: Open MPI loads all its components when a program first uses MPI_T, and the
//! defaults, which it would add, follow from the version.

use rankfold_abi::loaded_paths;
use rankfold_wire::Parameter;
use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// How parameters of a library are named.
struct Naming {
    /// What the library's version contains.
    library: &'static str,
    /// The beginnings of the environment variables that hold parameters.
    prefixes: &'static [&'static str],
    /// How much of the beginning of a variable is not part of the parameter's name.
    cut: &'static str,
}

/// The libraries that are told apart; the last one stands for all others.
const NAMINGS: &[Naming] = &[
    Naming {
        library: "Open MPI",
        prefixes: &["OMPI_MCA_coll"],
        cut: OMPI,
    },
    Naming {
        library: "Intel",
        prefixes: &["I_MPI_ADJUST_", "I_MPI_COLL_", "I_MPI_TUNING"],
        cut: "",
    },
    Naming {
        library: "",
        prefixes: &["MPIR_CVAR_", "MPIR_PARAM_", "MPICH_", "MV2_", "MVP_"],
        cut: "",
    },
];

/// The beginning of Open MPI's environment variables for parameters.
pub(crate) const OMPI: &str = "OMPI_MCA_";
/// The beginning of the names of Open MPI's parameters of collectives.
const OMPI_COLLECTIVES: &str = "coll";
/// Maximum length of a file of Open MPI's parameters in bytes. Chosen by hand; not measured.
const LONGEST_SETTINGS: usize = 1 << 20;

/// The parameters that were set, in ascending order of name. `mpi` is the library's version.
/// `original` gives what the user had set as the list of Open MPI's components for collectives,
/// where this library has changed the list.
pub(crate) fn of_run(mpi: &str, original: impl Fn(&str) -> Option<&str>) -> Vec<Parameter> {
    let Some(naming) = NAMINGS.iter().find(|naming| mpi.contains(naming.library)) else {
        return Vec::new();
    };
    let mut set = BTreeMap::new();
    if naming.cut == OMPI {
        for file in settings_files() {
            let text = text_of(&file, LONGEST_SETTINGS).unwrap_or_default();
            set.extend(settings(&text, OMPI_COLLECTIVES));
        }
    }
    // The environment overrules the files.
    set.extend(naming.variables(
        env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }),
    ));
    if let Some(list) = set.remove(OMPI_COLLECTIVES)
        && let Some(list) = original(&list)
    {
        set.insert(OMPI_COLLECTIVES.to_owned(), list.to_owned());
    }
    let fits = |(name, value): &(String, String)| name.len().max(value.len()) <= Parameter::LONGEST;
    let parameters = set.into_iter().filter(fits).take(Parameter::MOST);
    parameters
        .map(|(name, value)| Parameter {
            file: named_file(&name, &value).unwrap_or_default(),
            name,
            value,
        })
        .collect()
}

/// The value of a parameter of Open MPI, from the environment or a file of parameters.
pub(crate) fn value(name: &str) -> Option<String> {
    if let Ok(value) = env::var(format!("{OMPI}{name}")) {
        return Some(value);
    }
    let files = settings_files();
    let values = files.iter().filter_map(|file| {
        let text = text_of(file, LONGEST_SETTINGS)?;
        let found = settings(&text, name).filter(|(found, _)| found == name);
        found.last().map(|(_, value)| value)
    });
    values.reduce(|_, later| later)
}

impl Naming {
    /// The parameters among these environment variables.
    fn variables(
        &self,
        all: impl Iterator<Item = (String, String)>,
    ) -> impl Iterator<Item = (String, String)> {
        all.filter_map(|(name, value)| {
            let mut prefixes = self.prefixes.iter();
            prefixes.any(|prefix| name.starts_with(prefix)).then(|| {
                let own = name.strip_prefix(self.cut).unwrap_or(&name);
                (own.to_owned(), value)
            })
        })
    }
}

/// The files in which Open MPI looks for parameters. A later one overrules those before it.
fn settings_files() -> Vec<PathBuf> {
    if let Some(named) = env::var_os("OMPI_MCA_mca_base_param_files") {
        // Open MPI takes the first value of a parameter that it finds.
        let mut files: Vec<PathBuf> = env::split_paths(&named).collect();
        files.reverse();
        return files;
    }
    const NAME: &str = "openmpi-mca-params.conf";
    let is_mpi = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libmpi.so")
    };
    let library = loaded_paths().into_iter().find(is_mpi);
    let beside = library.and_then(|path| Some(path.parent()?.parent()?.join("etc").join(NAME)));
    let given = env::var_os("OPAL_PREFIX").map(|prefix| Path::new(&prefix).join("etc").join(NAME));
    let of_user = env::var_os("HOME").map(|home| Path::new(&home).join(".openmpi/mca-params.conf"));
    // The first is where Debian and its descendants have the file.
    let system = [Some(Path::new("/etc/openmpi").join(NAME)), beside, given];
    system.into_iter().chain([of_user]).flatten().collect()
}

/// The parameters in a file of Open MPI's parameters whose names begin with `prefix`.
fn settings<'a>(text: &'a str, prefix: &'a str) -> impl Iterator<Item = (String, String)> + 'a {
    text.lines().filter_map(move |line| {
        let line = line.split('#').next().unwrap_or_default();
        let (name, value) = line.split_once('=')?;
        let name = name.trim();
        name.starts_with(prefix)
            .then(|| (name.to_owned(), value.trim().to_owned()))
    })
}

/// The text of the file that a parameter names, if the name of the parameter says that it does.
fn named_file(name: &str, value: &str) -> Option<String> {
    let names_file = name.to_ascii_lowercase();
    let names_file = names_file.ends_with("_filename") || names_file.ends_with("_file");
    names_file.then(|| text_of(Path::new(value), Parameter::LONGEST_FILE))?
}

/// The text of a regular file of at most this many bytes.
fn text_of(path: &Path, longest: usize) -> Option<String> {
    // Opening a pipe would wait for its writer.
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut text = String::new();
    let mut file = File::open(path).ok()?.take(longest as u64 + 1);
    file.read_to_string(&mut text).ok()?;
    (text.len() <= longest).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(library: &str, variables: &[(&str, &str)]) -> Vec<(String, String)> {
        let naming = NAMINGS.iter().find(|one| library.contains(one.library));
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        let set = variables.iter().map(owned);
        naming.expect("a library").variables(set).collect()
    }

    #[test]
    fn each_library_has_its_own_parameters() {
        let set = [
            ("OMPI_MCA_coll", "^han"),
            ("OMPI_MCA_coll_tuned_bcast_algorithm", "3"),
            ("OMPI_MCA_btl", "self"),
            ("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial"),
            ("I_MPI_ADJUST_BCAST", "2"),
            ("HOME", "/root"),
        ];
        let names = |library| {
            let all = of(library, &set);
            all.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(
            names("Open MPI v4.1.4, package: Debian"),
            ["coll", "coll_tuned_bcast_algorithm"]
        );
        assert_eq!(
            names("MPICH Version: 4.0.2"),
            ["MPIR_CVAR_BCAST_INTRA_ALGORITHM"]
        );
        assert_eq!(
            names("Intel(R) MPI Library 2021.18 for Linux* OS"),
            ["I_MPI_ADJUST_BCAST"]
        );
    }

    #[test]
    fn parameters_of_collectives_are_read_from_a_file() {
        let text = "# a comment\ncoll_tuned_use_dynamic_rules = 1 # on\n btl=self\ncoll=^hcoll\n";
        let read: Vec<_> = settings(text, OMPI_COLLECTIVES).collect();
        let owned = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            read,
            [
                owned("coll_tuned_use_dynamic_rules", "1"),
                owned("coll", "^hcoll")
            ]
        );
    }

    #[test]
    fn the_text_of_a_named_file_is_kept_unless_it_is_too_long() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("rules");
        let name = "coll_tuned_dynamic_rules_filename";
        let value = path.to_str().expect("a path of UTF-8");
        assert_eq!(named_file(name, value), None);
        fs::write(&path, "1\n").expect("written");
        assert_eq!(named_file(name, value).as_deref(), Some("1\n"));
        assert_eq!(named_file("coll_tuned_bcast_algorithm", value), None);
        fs::write(&path, "x".repeat(Parameter::LONGEST_FILE + 1)).expect("written");
        assert_eq!(named_file(name, value), None);
    }
}
