//! The command line of both binaries: help begins with examples, colour follows `--color`, mistakes
//! end with status 2.

use super::examples::laid_out;
use super::terminal::Color;
use clap::error::{ContextKind, ContextValue};
use clap::{ColorChoice, Command, FromArgMatches, ValueEnum};
use std::ffi::OsString;

/// Template of every help text. Examples come before the usage.
const HELP: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// Last lines of the help of a whole program.
const MORE: &str = "\
More:
  rankfold help COMMAND     the full help of a command
  rankfold help machines    a topic; others: mapfiles, heuristics, metrics,
                            environment, status";

/// Gives a binary's command line the common template and the common last lines.
#[must_use]
pub fn dressed(whole: Command) -> Command {
    // clap's own `help` command is disabled: ours knows topics, too.
    with_template(whole.disable_help_subcommand(true)).after_help(MORE)
}

fn with_template(command: Command) -> Command {
    let examples = command.get_before_help().map(ToString::to_string);
    let command = match examples {
        Some(examples) => command.before_help(laid_out(&examples)),
        None => command,
    };
    command
        .help_template(HELP)
        .disable_help_subcommand(true)
        .mut_args(|argument| {
            // A number below 0 is a wrong value of the flag before it, and no flag of its own.
            let is_valued = argument.get_action().takes_values();
            argument.allow_negative_numbers(is_valued)
        })
        .mut_subcommands(with_template)
}

/// The optional features this mapper was built with and without, for `--version`.
#[must_use]
pub fn features() -> &'static str {
    if cfg!(feature = "mpi") {
        "mpi (map --mpi)"
    } else {
        "none; without mpi (map --mpi)"
    }
}

/// Parses the command line of this process. Help and version end the process with status 0,
/// mistakes with status 2. `tip` is asked for a way out of a mistake.
#[must_use]
pub fn parse<P: FromArgMatches>(
    whole: Command,
    tip: impl FnOnce(&clap::Error) -> Option<String>,
) -> P {
    parse_from(whole, std::env::args_os(), tip)
}

/// Parses as [`parse`] does, the words of another command line.
#[must_use]
pub fn parse_from<P: FromArgMatches>(
    whole: Command,
    words: impl IntoIterator<Item = OsString>,
    tip: impl FnOnce(&clap::Error) -> Option<String>,
) -> P {
    let words: Vec<OsString> = words.into_iter().collect();
    let color = color(words.iter());
    let mut whole = whole.color(match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    });
    let read = whole.try_get_matches_from_mut(&words);
    let read = read.and_then(|matches| P::from_arg_matches(&matches));
    read.unwrap_or_else(|mut error| {
        if !error.use_stderr() {
            error.exit();
        }
        if let Some(tip) = tip(&error) {
            error.insert(
                ContextKind::Suggested,
                ContextValue::StyledStrs(vec![tip.into()]),
            );
        }
        color.apply();
        // Its exit status is that of bad input.
        let _ = super::refused(in_brief(&error, &command_of(&whole, &words)));
        std::process::exit(error.exit_code())
    })
}

/// The command that the words name: rankfold machine show.
fn command_of(whole: &Command, words: &[OsString]) -> String {
    let (mut at, mut names) = (whole, vec![whole.get_name()]);
    let is_option = |word: &&OsString| word.as_encoded_bytes().starts_with(b"-");
    for word in words.iter().skip(1).filter(|word| !is_option(word)) {
        let Some(below) = at.find_subcommand(word) else {
            break;
        };
        names.push(below.get_name());
        at = below;
    }
    names.join(" ")
}

/// A mistake in two lines: the cause, and what may be meant or else where `command` is explained.
fn in_brief(error: &clap::Error, command: &str) -> String {
    /// Letters of a line behind the name of the program.
    const ROOM: usize = 89;
    let whole = error.render().to_string();
    let mut lines = whole.lines().map(str::trim);
    let first = lines.next().unwrap_or_default();
    let first = first.replace("invalid digit found in string", "not a whole number");
    let mut cause = first.strip_prefix("error: ").unwrap_or(&first).to_owned();
    for more in lines.by_ref().take_while(|line| !line.is_empty()) {
        if cause.chars().count() + more.chars().count() < ROOM {
            cause = format!("{cause} {more}");
        }
    }
    // No word of ours begins with a dash, so that none is passed behind `--`.
    let mut tips = lines.filter_map(|line| line.strip_prefix("tip: "));
    match tips.find(|tip| !tip.starts_with("to pass '-")) {
        Some(tip) => format!("{cause}\n{tip}"),
        // Such a cause says what to write.
        None if cause.chars().count() > ROOM => cause,
        None => format!("{cause}\nall options and values: {command} --help"),
    }
}

/// Finds `--color` among the words. clap may print before it has parsed the whole command line, so
/// the option is looked up here first.
fn color<'a>(words: impl Iterator<Item = &'a OsString>) -> Color {
    let ours = words.map(|word| word.to_string_lossy().into_owned());
    let ours: Vec<String> = ours.take_while(|word| word != "--").collect();
    let joined = ours.iter().filter_map(|word| word.strip_prefix("--color="));
    let apart = ours.windows(2).filter(|pair| pair[0] == "--color");
    let given = joined.chain(apart.map(|pair| &*pair[1])).next_back();
    let given = given.and_then(|word| Color::from_str(word, false).ok());
    given.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_is_what_our_own_words_say() {
        let of = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            color(words.iter())
        };
        assert_eq!(of("rankfold --color=never map"), Color::Never);
        assert_eq!(of("rankfold map --color always"), Color::Always);
        assert_eq!(of("rankfold run -- app --color always"), Color::Auto);
    }

    #[test]
    fn a_mistake_is_told_in_two_lines() {
        let known = ["spectral", "multisection", "round-robin", "analytical-bft"].repeat(9);
        let name = clap::Arg::new("heuristic").long("heuristic");
        let name = name.value_parser(clap::builder::PossibleValuesParser::new(known));
        let machine = clap::Arg::new("machine").long("machine").required(true);
        let runs = clap::Arg::new("runs").long("runs");
        let runs = runs.value_parser(clap::value_parser!(u64));
        let map = Command::new("map").args([name, machine, runs]);
        let whole = Command::new("rankfold").subcommand(map);
        let text = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let error = whole.clone().try_get_matches_from(&words).unwrap_err();
            in_brief(&error, &command_of(&whole, &words))
        };
        for (line, cause) in [
            ("rankfold map", "arguments were not provided: --machine"),
            (
                "rankfold map --machine x --heuristic spectrall",
                "'spectrall'",
            ),
            (
                "rankfold map --machine x --heuristic 7",
                "invalid value '7'",
            ),
            ("rankfold map --machine x --runs two", "not a whole number"),
            ("rankfold map x", "unexpected argument 'x'"),
            ("rankfold mpa", "'mpa'"),
        ] {
            let text = text(line);
            let lines: Vec<&str> = text.lines().collect();
            assert!(lines[0].contains(cause) && lines.len() == 2, "{text}");
            assert!(lines.iter().all(|line| line.len() < 90), "{text}");
        }
        assert!(text("rankfold map --machine x --heuristic spectrall").contains("'spectral'"));
        assert!(text("rankfold map").ends_with("rankfold map --help"));
    }
}
