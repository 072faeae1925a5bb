//! Messages to the user on standard error, and the use of colour.

use anstyle::{AnsiColor, Style};
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether `--quiet` is given. Set once, before a command begins.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Style of the word that begins an error.
const ALARM: Style = AnsiColor::Red.on_default().bold();

/// Style of good news.
pub const GOOD: Style = AnsiColor::Green.on_default();

/// Style of the headings of tables and groups.
pub const HEADING: Style = Style::new().bold();

/// The options that every command takes.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Everywhere")]
pub struct Args {
    /// Print only results, warnings and errors
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Colour, and maps drawn with characters; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    color: Color,
}

/// `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// On a terminal, unless an environment variable forbids it
    #[default]
    Auto,
    /// Also into files and pipes
    Always,
    /// Not even on a terminal
    Never,
}

impl Args {
    /// Makes `--quiet` and `--color` valid for everything printed from here on.
    pub fn apply(self) {
        QUIET.store(self.quiet, Ordering::Relaxed);
        let choice = match self.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// Whether `--quiet` is given.
#[must_use]
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints a line of information on standard error, except with `--quiet`.
pub fn note(line: impl Display) {
    if !is_quiet() {
        anstream::eprintln!("rankfold: {line}");
    }
}

/// Prints a line of good news on standard error, except with `--quiet`.
pub fn good(line: impl Display) {
    note(format_args!("{GOOD}{line}{GOOD:#}"));
}

/// Prints a warning on standard error, also with `--quiet`: the command goes on, but without
/// something that the user may count on.
pub fn warning(line: impl Display) {
    anstream::eprintln!("rankfold: {line}");
}

/// Prints what went wrong and what to do about it on standard error.
pub fn error(text: impl Display) {
    anstream::eprintln!("{ALARM}rankfold:{ALARM:#} {text}");
}
