//! Messages to the user on standard error, and the use of colour.

use anstyle::{AnsiColor, Style};
use std::fmt::Display;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether `--quiet` is given. Set once, before a command begins.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Whether `--verbose` or [`VERBOSE_VARIABLE`] is given. Set once, before a command begins.
static VERBOSE: AtomicBool = AtomicBool::new(false);

/// Whether the command ends with a few lines, and notes are for those who ask for them.
static BRIEF: AtomicBool = AtomicBool::new(false);

/// The variable that means `--verbose` where it is set, for commands inside of scripts.
const VERBOSE_VARIABLE: &str = "RANKFOLD_VERBOSE";

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
    /// Print every step of a run, and every figure behind its verdict
    #[arg(short, long, global = true)]
    verbose: bool,
    /// Colour
    ///
    /// And maps drawn with characters; auto: on a terminal, unless `NO_COLOR` is set
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
    /// Makes `--quiet`, `--verbose` and `--color` valid for everything printed from here on.
    pub fn apply(self) {
        QUIET.store(self.quiet, Ordering::Relaxed);
        let is_set = std::env::var_os(VERBOSE_VARIABLE).is_some_and(|value| !value.is_empty());
        VERBOSE.store(self.verbose || is_set, Ordering::Relaxed);
        self.color.apply();
    }
}

impl Color {
    /// Makes the choice valid for everything printed from here on.
    pub fn apply(self) {
        let choice = match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// Whether `--quiet` is given.
#[must_use]
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Makes the rest of this process brief: notes are printed with `--verbose` only, and results are
/// printed by [`result`].
pub fn be_brief() {
    BRIEF.store(true, Ordering::Relaxed);
}

/// Whether notes are printed.
#[must_use]
pub fn shows_notes() -> bool {
    !is_quiet() && (!BRIEF.load(Ordering::Relaxed) || VERBOSE.load(Ordering::Relaxed))
}

/// The text with every control character written as an escape, so that a name of a host or a word
/// of a launch neither ends a line nor commands the terminal.
#[must_use]
pub fn printable(text: &str) -> String {
    let whole = |letter: char| match letter {
        letter if letter.is_control() => letter.escape_default().to_string(),
        letter => letter.to_string(),
    };
    text.chars().map(whole).collect()
}

/// The lines of a message. Some messages have several, such as those of the TOML parser.
fn lines(text: &impl Display) -> String {
    let text = text.to_string();
    let lines: Vec<String> = text.lines().map(printable).collect();
    lines.join("\n")
}

/// A message behind the name of this program. Lines of the user's program may stand around it, so
/// what it goes on with begins below its first word.
fn message(text: &impl Display) -> String {
    folded(&format!("rankfold: {}", lines(text)), "          ")
}

/// Writes a message to standard error by one write, so that lines of several processes do not mix.
/// Nothing can be done if that fails.
fn say(message: std::fmt::Arguments<'_>) {
    let choice = anstream::AutoStream::choice(&std::io::stderr());
    let mut whole = anstream::AutoStream::new(Vec::<u8>::new(), choice);
    let _ = writeln!(whole, "{message}");
    let _ = std::io::stderr().write_all(&whole.into_inner());
}

/// Prints a line of information on standard error, except with `--quiet`. Commands that are brief
/// print it with `--verbose` only.
pub fn note(line: impl Display) {
    if shows_notes() {
        say(format_args!("{}", message(&line)));
    }
}

/// Prints a line of a result on standard error, except with `--quiet`. Commands that are brief
/// print it, too.
pub fn result(line: impl Display) {
    if !is_quiet() {
        say(format_args!("{}", message(&line)));
    }
}

/// Prints a line of good news on standard error, except with `--quiet`.
pub fn good(line: impl Display) {
    if !is_quiet() {
        let text = message(&line);
        let text = text.strip_prefix("rankfold: ").unwrap_or(&text);
        say(format_args!("rankfold: {GOOD}{text}{GOOD:#}"));
    }
}

/// Prints a warning on standard error, also with `--quiet`: the command goes on, but without
/// something that the user may count on.
pub fn warning(line: impl Display) {
    say(format_args!("{}", message(&line)));
}

/// Prints what went wrong and what to do about it on standard error.
pub fn error(text: impl Display) {
    let text = folded(&format!("rankfold: {}", lines(&text)), "");
    let text = text.strip_prefix("rankfold:").unwrap_or(&text);
    say(format_args!("{ALARM}rankfold:{ALARM:#}{text}"));
}

/// Longest line of a message, and of a result that people read.
pub const WIDTH: usize = 100;

/// What begins the further lines of an entry in a list.
pub const INDENT: &str = "    ";

/// A command as an entry of a list shows it: in a line of its own, with the words that fit there.
#[must_use]
pub fn command_line(command: &str) -> String {
    first_words(&printable(command), WIDTH - INDENT.len() - "; ".len())
}

/// A line of text, or a term with its explanation, wrapped between words. What goes on begins in
/// the column of the explanation.
#[must_use]
pub fn wrapped(line: &str) -> String {
    let words_begin = line.find(|c| c != ' ').unwrap_or(0);
    // At least two spaces separate a term from its explanation.
    let column = line[words_begin..].find("  ").map(|at| words_begin + at);
    let explained = column.map(|at| at + line[at..].find(|c| c != ' ').unwrap_or(0));
    let indent = " ".repeat(
        explained
            .filter(|&at| at < WIDTH / 2)
            .unwrap_or(words_begin),
    );
    let mut lines = String::new();
    let mut rest = line.to_owned();
    while let Some((at, beyond)) = rest.char_indices().nth(WIDTH) {
        let end = rest[..at + beyond.len_utf8()].rfind(' ');
        let Some(end) = end.filter(|&end| end > indent.len()) else {
            break;
        };
        lines += rest[..end].trim_end();
        lines.push('\n');
        rest = format!("{indent}{}", rest[end..].trim_start());
    }
    lines + &rest
}

/// The first words of a command, as many as `room` letters hold; all with `--verbose`.
#[must_use]
pub fn first_words(command: &str, room: usize) -> String {
    const CUT: &str = " ...";
    if command.chars().count() <= room || VERBOSE.load(Ordering::Relaxed) {
        return command.to_owned();
    }
    let mut words = command;
    while words.chars().count() + CUT.len() > room
        && let Some((before, _)) = words.rsplit_once(' ')
    {
        words = before;
    }
    format!("{words}{CUT}")
}

/// The text with long lines broken between clauses, or else in lists. Words of a command stay on
/// one line, and what is wrong stays behind its place in a file. What is broken off begins with
/// `indent`.
#[must_use]
pub fn folded(text: &str, indent: &str) -> String {
    let mut folded = Vec::new();
    for line in text.lines() {
        let (mut line, mut before) = (line, "");
        while before.len() + line.chars().count() > WIDTH {
            let end = line.char_indices().nth(WIDTH - before.len());
            let room = &line[..end.map_or(line.len(), |(at, _)| at)];
            let ends = ["; ", ": ", " (", ", "].map(|mark| {
                let is_place = |at: usize| mark == ": " && room[..at].ends_with(char::is_numeric);
                let mut found = room.rmatch_indices(mark).map(|(at, _)| at);
                let at = found.find(|&at| !is_place(at))?;
                Some(at + mark.find(' ').unwrap_or(0))
            });
            // What would leave a line nearly empty is no place to break.
            let is_far = |at: &&usize| **at > WIDTH / 3;
            let Some(at) = ends.iter().flatten().find(is_far) else {
                break;
            };
            folded.push(format!("{before}{}", &line[..*at]));
            (line, before) = (&line[at + 1..], indent);
        }
        folded.push(format!("{before}{line}"));
    }
    folded.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_from_outside_command_no_terminal() {
        assert_eq!(
            printable("n0\x1b]0;x\x07\nn1\u{9b}2J"),
            "n0\\u{1b}]0;x\\u{7}\\nn1\\u{9b}2J"
        );
        assert_eq!(printable("nœud-1 ✓"), "nœud-1 ✓");
        assert_eq!(lines(&"a\x1b[2J\nb"), "a\\u{1b}[2J\nb");
    }

    #[test]
    fn continuation_lines_are_indented_to_the_explanation() {
        let line = format!("  name      {}", "word ".repeat(40));
        let text = wrapped(line.trim_end());
        assert!(text.lines().count() > 1 && text.lines().all(|line| line.len() <= WIDTH));
        let below = text.lines().skip(1);
        assert!(
            below.clone().all(|line| line.starts_with(&" ".repeat(12))),
            "{text}"
        );
        assert_eq!(wrapped("short"), "short");
        let whole = "x".repeat(2 * WIDTH);
        assert_eq!(wrapped(&whole), whole);
    }

    #[test]
    fn a_long_command_is_cut_between_words() {
        assert_eq!(first_words("mpirun -n 4 ./app", 17), "mpirun -n 4 ./app");
        assert_eq!(first_words("mpirun -n 4 ./app 1", 18), "mpirun -n 4 ...");
        assert_eq!(first_words("mpirun", 3), "mpirun ...");
        let launch = command_line(&"word ".repeat(40));
        let entry = format!("app-1f2e3d4c  the order as launched, just now: {launch}");
        let lines = folded(&entry, INDENT);
        assert!(lines.lines().all(|line| line.len() <= 100), "{lines}");
    }

    #[test]
    fn long_messages_are_broken_between_clauses() {
        let long = "rankfold: --machine tours:2x2: no machine file and no known family, did you mean torus?; all: rankfold help machines";
        let text = folded(long, "");
        assert_eq!(text.replace('\n', " "), long);
        assert!(
            text.ends_with("torus?;\nall: rankfold help machines"),
            "{text}"
        );
        let place = format!(
            "rankfold: {}/topology.conf:4: no path joins a, b",
            "d".repeat(60)
        );
        let text = folded(&place, "");
        assert!(text.contains(":4: no path joins a,"), "{text}");
        let list = format!("rankfold: known are {}end", "torus, ".repeat(30));
        assert!(folded(&list, "").lines().all(|line| line.len() <= 100));
        let whole = message(&"n0 waits, ".repeat(30));
        assert!(whole.lines().all(|line| line.len() <= 100), "{whole}");
        let rest = whole.strip_prefix("rankfold: ").unwrap_or_default();
        assert!(
            rest.lines()
                .skip(1)
                .all(|line| line.starts_with("          n0")),
            "{whole}"
        );
        let command = format!("rankfold: the launch: mpirun {}", "-x A=B ".repeat(30));
        assert_eq!(folded(&command, ""), command, "it can be copied");
    }
}
