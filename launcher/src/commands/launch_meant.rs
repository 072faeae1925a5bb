//! What a command line means whose launch does not stand behind `--`.

use clap::error::{ContextKind, ContextValue};
use rankfold_launch::{diagnosis, launch, launchers};
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Whether the words are a command line.
fn is_right(whole: &clap::Command, words: &[OsString]) -> bool {
    let line = [&["rankfold".into()], words].concat();
    whole.clone().try_get_matches_from(line).is_ok()
}

/// The words with `--` before the launch that begins at `at`.
fn with_dashes(words: &[OsString], at: usize) -> Vec<OsString> {
    [&words[..at], &["--".into()], &words[at..]].concat()
}

/// The words with the `--` that is missing before a launch, which begins with a known launcher. A
/// launch in quotes is one word, and taken apart.
pub(super) fn dashes_added(whole: &clap::Command, words: &[OsString]) -> Option<Vec<OsString>> {
    let is_launcher = |word: &OsString| {
        let name = Path::new(word).file_name();
        name.and_then(OsStr::to_str).is_some_and(launchers::is_name)
    };
    let apart = |word: &OsString| -> Vec<OsString> {
        let parts = word.to_str().and_then(shlex::split).unwrap_or_default();
        let parts: Vec<OsString> = parts.into_iter().map(OsString::from).collect();
        let is_launch = parts.len() > 1 && is_launcher(&parts[0]);
        if is_launch { parts } else { vec![word.clone()] }
    };
    let split: Vec<OsString> = words.iter().flat_map(apart).collect();
    let mut launches = (0..split.len()).filter(|at| is_launcher(&split[*at]));
    let is_whole = || words.iter().any(|word| word == "--") || is_right(whole, words);
    launches
        .by_ref()
        .map(|at| with_dashes(&split, at))
        .find(|line| !is_whole() && is_right(whole, line))
}

/// The tip for a launch, or for words of one, that stand where words of ours are expected.
pub(super) fn tip(
    whole: &clap::Command,
    error: &clap::Error,
    words: &[OsString],
) -> Option<String> {
    let kinds = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
    let unknown = kinds.iter().find_map(|kind| error.get(*kind))?;
    let ContextValue::String(unknown) = unknown else {
        return None;
    };
    let starts = |word: &OsString| word.as_encoded_bytes().starts_with(unknown.as_bytes());
    let at = words.iter().position(starts)?;
    let mut before = words[..at].to_vec();
    if before.iter().all(|word| word == "--") {
        before = vec!["run".into()];
    }
    let launcher: &[&str] = match diagnosis::find(unknown.as_ref()) {
        _ if error.get(ContextKind::SuggestedArg).is_some() => return None,
        _ if unknown.starts_with('-') => &["mpirun"],
        Some(_) if diagnosis::starts_mpi_itself(unknown.as_ref()) => &["mpirun", "-n", "4"],
        Some(program) if is_executable(&program) => &[],
        _ => return None,
    };
    before.push("--".into());
    before.extend(launcher.iter().map(OsString::from));
    let line = [&before[..], &words[at..]].concat();
    let is_one_launch = line.iter().filter(|word| *word == "--").count() == 1;
    (is_one_launch && is_right(whole, &line)).then(|| {
        let line = launch::join(&line);
        format!("the launch stands behind --: rankfold {line}")
    })
}

fn is_executable(program: &Path) -> bool {
    program
        .metadata()
        .is_ok_and(|file| file.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::whole;

    #[test]
    fn a_launch_without_dashes_before_it_is_found() {
        let words = |line: &str| -> Vec<OsString> {
            let words = shlex::split(line).unwrap();
            words.into_iter().map(OsString::from).collect()
        };
        let whole = whole();
        let added = |line: &str| {
            let line = dashes_added(&whole, &words(line))?;
            Some(launch::join(&line))
        };
        let launch = "run -- mpirun -n 2 ./app";
        assert_eq!(added("run mpirun -n 2 ./app").as_deref(), Some(launch));
        assert_eq!(added("run 'mpirun -n 2 ./app'").as_deref(), Some(launch));
        let after_option = added("profile -o srun srun ./app");
        assert_eq!(
            after_option.as_deref(),
            Some("profile -o srun -- srun ./app")
        );
        for right in [
            "analyze mpirun",
            "run -- mpirun -n 2 ./app",
            "run --no srun ./app",
        ] {
            assert_eq!(added(right), None, "{right}");
        }
        let told = |line: &str| {
            let words = words(line);
            let whole_line = [&["rankfold".into()], &words[..]].concat();
            let error = whole.clone().try_get_matches_from(whole_line).unwrap_err();
            tip(&whole, &error, &words)
        };
        let started = "-- mpirun -n 2 ./app";
        for (typed, meant) in [
            ("profile -o a.rfp sh -c x", "profile -o a.rfp -- sh -c x"),
            ("run -n 2 ./app", started),
            ("-n 2 ./app", started),
            ("-- sh -c x", "rankfold run -- sh -c x"),
            ("sh -c x", "rankfold run -- sh -c x"),
        ] {
            let text = told(typed).unwrap();
            assert!(text.ends_with(meant), "{text}");
        }
        assert_eq!(told("Cargo.toml"), None, "it is no program");
        assert_eq!(told("profile --outptu a -- mpirun ./app"), None);
        assert_eq!(told("eval app.rfp --machine x app.map y"), None);
    }
}
