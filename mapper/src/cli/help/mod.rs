//! `rankfold help`: a command, or a topic. One file a topic, listed in [`TOPICS`].

mod environment;
mod heuristics;
mod machines;
mod mapfiles;
mod metrics;
mod status;

pub(super) use environment::ENVIRONMENT;
pub(super) use heuristics::HEURISTICS;
pub(super) use status::STATUS;

use super::terminal::HEADING;
use crate::error::Error;
use clap::Command;
use rankfold_model::words::did_you_mean;
use std::io::Write;

/// Something that several commands speak of.
pub(super) struct Topic {
    /// The word behind `rankfold help`.
    pub(super) name: &'static str,
    /// One line: what it tells.
    pub(super) summary: &'static str,
    /// All of it. Lines that begin with no space and are followed by one that does are headings.
    pub(super) text: fn() -> String,
}

/// Every topic there is.
const TOPICS: &[&Topic] = &[
    &machines::MACHINES,
    &mapfiles::MAPFILES,
    &HEURISTICS,
    &metrics::METRICS,
    &ENVIRONMENT,
    &STATUS,
];

const EXAMPLES: &str = "\
Examples:
  rankfold help map
  rankfold help machine import
  rankfold help metrics";

/// `rankfold help`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, after_help = topics())]
pub struct Args {
    /// A topic, or a command and maybe a command below it
    #[arg(value_name = "COMMAND|TOPIC")]
    words: Vec<String>,
}

pub(super) fn run(args: &Args, mut whole: Command) -> anyhow::Result<()> {
    let mut out = anstream::stdout();
    if let [word] = &args.words[..]
        && let Some(topic) = TOPICS.iter().find(|topic| topic.name == word)
    {
        return Ok(out.write_all(with_headings(&(topic.text)()).as_bytes())?);
    }
    // What commands are called, from the name of the program on, is known once the whole is built.
    whole.build();
    let mut command = &mut whole;
    for word in &args.words {
        let known = names(command);
        command = command.find_subcommand_mut(word).ok_or_else(|| {
            let names = known.iter().map(String::as_str);
            let topics = TOPICS.iter().map(|topic| topic.name);
            let meant = did_you_mean(word, names.chain(topics));
            Error::Flag {
                flag: "help",
                value: args.words.join(" "),
                problem: format!("no such command or topic{meant}; rankfold help lists them all"),
            }
        })?;
    }
    let mut text = command.render_long_help().ansi().to_string();
    if args.words.is_empty() {
        text = format!("{text}\n{}\n", with_headings(&topics()));
    }
    Ok(out.write_all(text.as_bytes())?)
}

/// The commands directly below this one.
fn names(command: &Command) -> Vec<String> {
    let shown = command.get_subcommands().filter(|c| !c.is_hide_set());
    shown.map(|command| command.get_name().to_owned()).collect()
}

fn topics() -> String {
    let lines = TOPICS.iter().map(|topic| (topic.name, topic.summary));
    format!("Topics:\n{}", list(lines).trim_end())
}

/// Lines of names and what they mean, the latter aligned.
pub(super) fn list<'a>(lines: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    lines
        .map(|(name, meaning)| format!("  {name:<18}{meaning}\n"))
        .collect()
}

/// Columns that a line of a topic takes at most.
const WIDTH: usize = 100;

/// A line in as many as it takes, what follows below what it explains.
fn wrapped(line: &str) -> String {
    let words_begin = line.find(|c| c != ' ').unwrap_or(0);
    // What is explained ends with two spaces at least.
    let column = line[words_begin..].find("  ").map(|at| words_begin + at);
    let explained = column.map(|at| at + line[at..].find(|c| c != ' ').unwrap_or(0));
    let indent = " ".repeat(
        explained
            .filter(|&at| at < WIDTH / 2)
            .unwrap_or(words_begin),
    );
    let mut lines = String::new();
    let mut rest = line.to_owned();
    while rest.len() > WIDTH {
        let Some(end) = rest[..=WIDTH].rfind(' ').filter(|&end| end > indent.len()) else {
            break;
        };
        lines += rest[..end].trim_end();
        lines.push('\n');
        rest = format!("{indent}{}", rest[end..].trim_start());
    }
    lines + &rest
}

/// The text with its headings marked as such, and no line too long.
fn with_headings(text: &str) -> String {
    let text: Vec<String> = text.lines().map(wrapped).collect();
    let text = text.join("\n");
    let lines: Vec<&str> = text.lines().collect();
    let mut marked = String::new();
    for (at, line) in lines.iter().enumerate() {
        let below = lines.get(at + 1).is_some_and(|next| next.starts_with(' '));
        if below && !line.is_empty() && !line.starts_with(' ') {
            marked += &format!("{HEADING}{line}{HEADING:#}\n");
        } else {
            marked += line;
            marked.push('\n');
        }
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_fit_a_page_and_say_something() {
        for topic in TOPICS {
            let text = (topic.text)();
            assert!(text.lines().count() > 5, "{}", topic.name);
            assert!(text.ends_with('\n') && !text.contains('\t'), "{text}");
        }
    }

    #[test]
    fn what_is_wrapped_stands_below_what_it_explains() {
        let line = format!("  name      {}", "word ".repeat(40));
        let told = wrapped(line.trim_end());
        assert!(told.lines().count() > 1 && told.lines().all(|line| line.len() <= WIDTH));
        let below = told.lines().skip(1);
        assert!(
            below.clone().all(|line| line.starts_with(&" ".repeat(12))),
            "{told}"
        );
        assert_eq!(wrapped("short"), "short");
        let whole = "x".repeat(2 * WIDTH);
        assert_eq!(wrapped(&whole), whole);
    }

    #[test]
    fn every_shown_figure_has_its_word_in_help_metrics() {
        let text = (metrics::METRICS.text)();
        let table = [
            "predicted time",
            "busiest link",
            "overhead",
            "latency",
            "mean transfer",
            "hop-bytes",
            "hops per byte",
            "dilation",
            "max congestion",
            "dor",
            "static",
            "amp",
            "non-zero",
            "hybrid",
            "lower bound",
            "still to gain",
        ];
        for word in table {
            assert!(text.contains(word), "{word} is not explained");
        }
    }
}
