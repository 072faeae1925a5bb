//! What both binaries make of their command line: help with examples first, colour as asked for,
//! status 2 for mistakes.

use super::terminal::Color;
use clap::{ColorChoice, Command, FromArgMatches, ValueEnum};
use std::ffi::OsString;

/// Examples stand before the usage: what a command is for, before all it can do.
const HELP: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// What the help of a whole program ends with.
const MORE: &str = "\
More:
  rankfold help COMMAND     all of a command
  rankfold help machines    or mapfiles, heuristics, metrics, environment, status: what words mean";

/// The whole command line of a binary as users see it.
#[must_use]
pub fn dressed(whole: Command) -> Command {
    // The command `help` knows topics too.
    with_template(whole.disable_help_subcommand(true)).after_help(MORE)
}

fn with_template(command: Command) -> Command {
    command
        .help_template(HELP)
        .disable_help_subcommand(true)
        .mut_subcommands(with_template)
}

/// What can be left out of the mapper when it is built, and whether it was, for `--version`.
#[must_use]
pub fn features() -> &'static str {
    if cfg!(feature = "mpi") {
        "mpi (map --mpi)"
    } else {
        "none; without mpi (map --mpi)"
    }
}

/// The command line this process was given. Help and version end the process with status 0,
/// mistakes with status 2.
#[must_use]
pub fn parse<P: FromArgMatches>(whole: Command) -> P {
    let matches = whole.color(color(std::env::args_os())).get_matches();
    P::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// Colour of what clap prints, which it may do before the rest of the command line is understood.
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
