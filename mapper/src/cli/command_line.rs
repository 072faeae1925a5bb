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
    let matches = whole
        .color(color(std::env::args_os()))
        .try_get_matches_from(words);
    let matches = matches.unwrap_or_else(|mut error| {
        if let Some(tip) = tip(&error) {
            error.insert(
                ContextKind::Suggested,
                ContextValue::StyledStrs(vec![tip.into()]),
            );
        }
        error.exit()
    });
    P::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// Finds `--color` among the words. clap may print before it has parsed the whole command line, so
/// the option is looked up here first.
fn color(words: impl Iterator<Item = OsString>) -> ColorChoice {
    let ours = words.map(|word| word.to_string_lossy().into_owned());
    let ours: Vec<String> = ours.take_while(|word| word != "--").collect();
    let joined = ours.iter().filter_map(|word| word.strip_prefix("--color="));
    let apart = ours.windows(2).filter(|pair| pair[0] == "--color");
    let given = joined.chain(apart.map(|pair| &*pair[1])).next_back();
    match given.and_then(|word| Color::from_str(word, false).ok()) {
        Some(Color::Always) => ColorChoice::Always,
        Some(Color::Never) => ColorChoice::Never,
        Some(Color::Auto) | None => ColorChoice::Auto,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_is_what_our_own_words_say() {
        let of = |line: &str| color(line.split(' ').map(OsString::from));
        assert_eq!(of("rankfold --color=never map"), ColorChoice::Never);
        assert_eq!(of("rankfold map --color always"), ColorChoice::Always);
        assert_eq!(of("rankfold run -- app --color always"), ColorChoice::Auto);
    }
}
