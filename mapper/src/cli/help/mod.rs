//! `rankfold help`: explains a command or a topic. One file a topic, listed in [`TOPICS`].

mod environment;
mod heuristics;
mod machines;
mod mapfiles;
mod metrics;
mod status;

pub(super) use environment::ENVIRONMENT;
pub(super) use heuristics::HEURISTICS;
pub(super) use status::STATUS;

use super::terminal::{HEADING, wrapped};
use crate::error::Error;
use clap::Command;
use clap::builder::{PossibleValue, PossibleValuesParser};
use rankfold_base::words::did_you_mean;
use std::io::Write;

/// A subject that concerns several commands, with a help page of its own.
pub(super) struct Topic {
    /// The word after `rankfold help`.
    pub(super) name: &'static str,
    /// What the page is about, in one line.
    pub(super) summary: &'static str,
    /// The text of the page. A line is a heading if it begins without a space and the next line
    /// begins with one.
    pub(super) text: fn() -> String,
}

/// All topics.
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
    /// A topic, or a command, optionally followed by one of its subcommands
    #[arg(value_name = "COMMAND|TOPIC")]
    words: Vec<String>,
}

/// Gives the command `help` of `whole` the words that may follow it, so that shells complete them.
pub(super) fn with_known_words(whole: Command) -> Command {
    let commands = whole.get_subcommands().filter(|c| !c.is_hide_set());
    let commands = commands.map(|c| {
        let about = c.get_about().map(ToString::to_string).unwrap_or_default();
        PossibleValue::new(c.get_name().to_owned()).help(about)
    });
    let topics = TOPICS
        .iter()
        .map(|topic| PossibleValue::new(topic.name).help(topic.summary));
    let known = PossibleValuesParser::new(commands.chain(topics));
    whole.mut_subcommand("help", |help| {
        help.mut_arg("words", |words| words.value_parser(known))
    })
}

pub(super) fn run(args: &Args, mut whole: Command) -> anyhow::Result<()> {
    let mut out = anstream::stdout();
    if let [word] = &args.words[..]
        && let Some(topic) = TOPICS.iter().find(|topic| topic.name == word)
    {
        return Ok(out.write_all(with_headings(&(topic.text)()).as_bytes())?);
    }
    // Full names of commands, with the program's name first, exist only after `build`.
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

/// The names of the commands directly below `command`.
fn names(command: &Command) -> Vec<String> {
    let shown = command.get_subcommands().filter(|c| !c.is_hide_set());
    shown.map(|command| command.get_name().to_owned()).collect()
}

fn topics() -> String {
    let lines = TOPICS.iter().map(|topic| (topic.name, topic.summary));
    format!("Topics:\n{}", list(lines).trim_end())
}

/// One line for each name and its meaning, with the meanings in one column.
pub(super) fn list<'a>(lines: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    lines
        .map(|(name, meaning)| format!("  {name:<18}{meaning}\n"))
        .collect()
}

/// Wraps the lines of a help topic and highlights its headings.
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
    use crate::cli::terminal::WIDTH;
    use rankfold_machine::FAMILIES;

    #[test]
    fn topics_fit_a_page_and_say_something() {
        for topic in TOPICS {
            let text = (topic.text)();
            assert!(text.lines().count() > 5, "{}", topic.name);
            assert!(text.ends_with('\n') && !text.contains('\t'), "{text}");
        }
    }

    #[test]
    fn no_topic_is_wrapped_by_hand() {
        for topic in TOPICS {
            let text = (topic.text)();
            let lines: Vec<&str> = text.lines().collect();
            for pair in lines.windows(2) {
                let next = pair[1].trim_start();
                let goes_on = next.starts_with(|c: char| c.is_lowercase());
                let is_term = next.contains("  ")
                    || next.starts_with("rankfold ")
                    || FAMILIES.iter().any(|family| next.starts_with(family.name));
                let is_one = goes_on && !is_term && pair[0].len() > WIDTH - 20;
                assert!(!is_one, "{}: {pair:?}", topic.name);
            }
        }
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
