//! Programs that run a script: `python3 -u solver.py input`.

use std::ffi::OsString;
use std::path::Path;

/// Interpreters whose scripts are MPI programs, each with its options that have a value in the next
/// word. A version may follow the name: `python3.11`.
const INTERPRETERS: &[(&str, &[&str])] = &[
    ("python", PYTHON_VALUED),
    ("pypy", PYTHON_VALUED),
    ("julia", &["-J", "-p", "-t", "-L"]),
    ("perl", &["-I"]),
    ("ruby", &["-I", "-r", "-C"]),
    ("Rscript", &[]),
];

const PYTHON_VALUED: &[&str] = &["-W", "-X", "--check-hash-based-pycs"];

/// The place of the script, or of the module behind `-m`, among the words of a program. `None` if
/// the program is no interpreter, or if the command line holds the script's text (`-c`, `-e`).
pub fn script(words: &[OsString]) -> Option<usize> {
    let name = Path::new(words.first()?).file_name()?.to_str()?;
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let (_, valued) = INTERPRETERS.iter().find(|(name, _)| *name == base)?;
    let mut at = 1;
    loop {
        match words.get(at)?.to_str()? {
            // mpi4py's module runs the script behind it.
            "-m" if words.get(at + 1).is_some_and(|module| module == "mpi4py") => at += 2,
            "-m" => return words.get(at + 1).map(|_| at + 1),
            "-c" | "-e" | "-" => return None,
            "--" => return words.get(at + 1).map(|_| at + 1),
            option if option.starts_with('-') => at += 1 + usize::from(valued.contains(&option)),
            _ => return Some(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_found_behind_the_options_of_its_interpreter() {
        let found = |line: &str| {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            script(&words).map(|at| line.split_whitespace().nth(at).unwrap().to_owned())
        };
        for (line, expected) in [
            ("python3 solver.py -n 4", Some("solver.py")),
            (
                "/opt/bin/python3.11 -u -W ignore dir/solver.py",
                Some("dir/solver.py"),
            ),
            ("python3 -I solver.py", Some("solver.py")),
            ("perl -I lib solver.pl", Some("solver.pl")),
            ("python -m mpi4py solver.py", Some("solver.py")),
            ("python -m package.solver 4", Some("package.solver")),
            ("julia --project=. solver.jl", Some("solver.jl")),
            ("python3 -c pass", None),
            ("python3", None),
            ("./solver.py", None),
            ("./app python3", None),
        ] {
            assert_eq!(found(line).as_deref(), expected, "{line}");
        }
    }
}
