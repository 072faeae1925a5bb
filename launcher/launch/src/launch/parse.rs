//! Parses the words after the launcher: options and programs.

use super::NEXT;
use super::app::App;
use super::launcher::Launcher;
use super::options::{self, GivenOption, LauncherOption, Options, Role, join};
use crate::error::{LaunchError, Result};
use std::ffi::OsString;
use std::fs;

/// The options at the beginning of `words`, and the words after them.
pub(super) fn options<'a>(
    launcher: &'static dyn Launcher,
    mut words: &'a [OsString],
) -> Result<(Options, &'a [OsString])> {
    let mut options = Options::default();
    while let Some(given) = next_option(launcher, words)? {
        words = &words[given.words.len()..];
        options.push(given);
    }
    match words {
        [dashes, after @ ..] if dashes == "--" => Ok((options, after)),
        _ => Ok((options, words)),
    }
}

/// The programs in the file that the option `given` names, one a line.
pub(super) fn programs(launcher: &'static dyn Launcher, given: &GivenOption) -> Result<Vec<App>> {
    let path = given.value(0).unwrap_or_default();
    let text = fs::read_to_string(&path)
        .map_err(|error| refused(given, &format!("cannot read {path}: {error}")))?;
    // A line that ends in a backslash continues on the next line, as in Hydra's files.
    let text = text.replace("\\\n", " ");
    let mut apps = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = launcher.split(line);
        if words.last().is_some_and(|last| last == NEXT) {
            words.pop();
        }
        if words.is_empty() {
            continue;
        }
        let (options, program) = options(launcher, &words)?;
        if program.is_empty() || program.iter().any(|word| word == NEXT) {
            let problem = format!(
                "{path}:{}: a line must hold options and one program",
                number + 1
            );
            return Err(refused(given, &problem));
        }
        apps.push(App {
            options,
            program: program.to_vec(),
            ..App::default()
        });
    }
    Ok(apps)
}

pub(super) fn no_program(words: &[OsString]) -> LaunchError {
    LaunchError::NoProgram {
        command: join(words),
    }
}

pub(super) fn refused(given: &GivenOption, problem: &str) -> LaunchError {
    LaunchError::option(given.text(), problem)
}

/// The option at the beginning of `words`, or `None` where the program begins.
fn next_option(launcher: &'static dyn Launcher, words: &[OsString]) -> Result<Option<GivenOption>> {
    let Some(text) = words.first().map(|word| word.to_string_lossy()) else {
        return Ok(None);
    };
    if !text.starts_with('-') || text == "--" {
        return Ok(None);
    }
    let unknown = || LaunchError::UnknownOption {
        option: text.to_string(),
        launcher: launcher.name(),
    };
    if launcher.attaches() && is_short(&text) {
        let role = attached(launcher, &text).ok_or_else(unknown)?;
        let words = words[..1].to_vec();
        return Ok(Some(GivenOption::attached(words, role)));
    }
    let Some(known) = find(launcher, &text) else {
        // Plugins add options to a launcher. Such a word holds its value, so the program starts
        // behind it in any case.
        let is_whole = text.starts_with("--") && text.contains('=');
        let given = GivenOption::new(words[..1].to_vec(), Role::Other);
        return if is_whole {
            Ok(Some(given))
        } else {
            Err(unknown())
        };
    };
    let next = words.get(1).and_then(|word| word.to_str());
    let length = if text.contains('=') {
        1
    } else {
        1 + launcher.values(known, next)
    };
    if words.len() < length {
        return Err(LaunchError::option(text, "its value is missing"));
    }
    Ok(Some(GivenOption::new(words[..length].to_vec(), known.role)))
}

/// The row of the option `text` in the launcher's table. Launchers that parse with `getopt_long`
/// also accept the beginning of a long option's name.
fn find(launcher: &'static dyn Launcher, text: &str) -> Option<&'static LauncherOption> {
    let name = options::name(text);
    let named = |matches: &dyn Fn(&str) -> bool| {
        let rows = launcher.options().iter().copied().flatten();
        let mut rows = rows.filter(|known| known.names().any(matches));
        let first = rows.next();
        first.filter(|_| rows.next().is_none())
    };
    named(&|known| known == name).or_else(|| {
        let cut = launcher.attaches() && text.starts_with("--");
        cut.then(|| named(&|known| known.len() > 1 && known.starts_with(name)))?
    })
}

/// Whether the word holds a short option and more than its letter: `-n4`, `-lu`.
fn is_short(text: &str) -> bool {
    !text.starts_with("--") && text.chars().count() > 2
}

/// The role of a short option whose word also holds its value, or further short options without
/// values.
fn attached(launcher: &'static dyn Launcher, text: &str) -> Option<Role> {
    let row = |letter: char| {
        let mut buffer = [0; 4];
        let letter: &str = letter.encode_utf8(&mut buffer);
        let mut rows = launcher.options().iter().copied().flatten();
        rows.find(|known| known.names().any(|name| name == letter))
    };
    let mut letters = text.chars().skip(1);
    let first = row(letters.next()?)?;
    let flags =
        first.values > 0 || letters.all(|letter| row(letter).is_some_and(|row| row.values == 0));
    flags.then_some(first.role)
}
