//! What is said beside results, and how: notes on standard error, colour where it is wanted.

use anstyle::{AnsiColor, Style};
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether notes are kept back. Set once, before a command begins.
static QUIET: AtomicBool = AtomicBool::new(false);

/// What went wrong.
const ALARM: Style = AnsiColor::Red.on_default().bold();

/// What went as it should.
pub const GOOD: Style = AnsiColor::Green.on_default();

/// What columns and groups are called.
pub const HEADING: Style = Style::new().bold();

/// The options every command takes.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Everywhere")]
pub struct Args {
    /// Say nothing but results, warnings and errors
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Colour, and pictures made of characters; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    color: Color,
}

/// `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// On a terminal, unless the environment is against it
    #[default]
    Auto,
    /// Into files and pipes too
    Always,
    /// Not even on a terminal
    Never,
}

impl Args {
    /// From here on all that is said is said so.
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

/// Whether only results, warnings and errors are wanted.
#[must_use]
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// One line of what went on, on standard error; nothing if `--quiet`.
pub fn note(line: impl Display) {
    if !is_quiet() {
        anstream::eprintln!("rankfold: {line}");
    }
}

/// One line of what went as it should, as [`note`].
pub fn good(line: impl Display) {
    note(format_args!("{GOOD}{line}{GOOD:#}"));
}

/// What went wrong and what to do about it, on standard error.
pub fn error(text: impl Display) {
    anstream::eprintln!("{ALARM}rankfold:{ALARM:#} {text}");
}
