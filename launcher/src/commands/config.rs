//! `rankfold config`: what counts, and where it is said.

use super::default_options::{DEFAULT_OPTIONS, argument};
use rankfold_console::{outln, output, terminal};
use rankfold_launch::config::{
    ConfigError, ConfigFile, Configuration, DefaultOption, Origin, SETTINGS, variable_of,
};
use rankfold_launch::error::LaunchError;
use rankfold_mapper::document::{self, Document};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;

/// `rankfold config`.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  rankfold config                                 what counts, and which file or variable says it\n  \
                   rankfold config --example > rankfold.toml       a file with every key, to begin with",
    after_help = help()
)]
pub(super) struct Args {
    /// Where to write the same as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print a file with every key and what it means, and nothing else
    #[arg(long, conflicts_with = "json")]
    example: bool,
}

/// The keys of `--json`.
#[derive(Serialize, JsonSchema)]
pub(super) struct Shown<'a> {
    /// The configuration files, whether they are there or not.
    files: &'a [ConfigFile],
    /// All settings, and the default options that are given.
    settings: Vec<Row>,
    /// Everything that is wrong, in words.
    problems: Vec<String>,
}

impl Document for Shown<'_> {
    const NAME: &'static str = "config";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "config: the settings, and which file or variable says each";
}

/// A key with its value.
#[derive(Serialize, JsonSchema)]
struct Row {
    /// Name of the setting, or of the option.
    name: String,
    /// The value that counts, as text.
    value: String,
    /// Where the value comes from.
    origin: Origin,
}

/// Prints what counts. Problems are printed as well, and the last of them is the error.
pub(super) fn run(
    args: &Args,
    whole: &clap::Command,
    configuration: &Configuration,
) -> anyhow::Result<u8> {
    if args.example {
        outln!("{}", example(whole).trim_end());
        return Ok(0);
    }
    if let Some(path) = &args.json {
        output::check(path)?;
    }
    let shown = Shown {
        files: &configuration.files,
        settings: rows(configuration),
        problems: configuration
            .problems
            .iter()
            .map(ToString::to_string)
            .collect(),
    };
    outln!("{}", table(&shown).trim_end());
    if let Some(path) = &args.json {
        output::write(path, &document::text(&shown)?)?;
    }
    match configuration.problems.split_last() {
        None => Ok(0),
        Some((last, others)) => {
            others.iter().for_each(terminal::error);
            Err(failed(last))
        }
    }
}

fn failed(problem: &ConfigError) -> anyhow::Error {
    LaunchError::from(problem.clone()).into()
}

/// All settings, and the default options that are given.
fn rows(configuration: &Configuration) -> Vec<Row> {
    let row = |name: &str, default: &str| match configuration.given.get(name) {
        Some(given) => Row {
            name: name.to_owned(),
            value: given.text.clone(),
            origin: given.origin.clone(),
        },
        None => Row {
            name: name.to_owned(),
            value: default.to_owned(),
            origin: Origin::Default,
        },
    };
    let settings = SETTINGS.iter().map(|one| row(one.name, one.default));
    let options = DEFAULT_OPTIONS.iter().map(|option| row(&option.name(), ""));
    let options = options.filter(|row| row.origin != Origin::Default);
    settings.chain(options).collect()
}

fn table(shown: &Shown) -> String {
    let mut text = String::new();
    let names = shown.settings.iter().map(|row| row.name.len());
    let values = shown.settings.iter().map(|row| row.value.len());
    let (name, value) = (names.max().unwrap_or(0), values.max().unwrap_or(0));
    // Writing to a string does not fail.
    for row in &shown.settings {
        let _ = writeln!(
            text,
            "{:<name$}  {:<value$}  {}",
            row.name, row.value, row.origin
        );
    }
    for file in shown.files {
        let read = if file.read { "" } else { ", not used" };
        let _ = writeln!(
            text,
            "file of the {}: {}{read}",
            file.of,
            file.path.display()
        );
    }
    text
}

/// A file with all keys, each commented out.
fn example(whole: &clap::Command) -> String {
    let mut text = String::from(
        "# Configuration of rankfold. An environment variable comes before the file of the user,\n\
         # the file of the user before the file of the site. Options of the command line come\n\
         # before all of them.\n",
    );
    let mut table = "";
    // Writing to a string does not fail.
    for setting in SETTINGS {
        let key = below(&mut text, &mut table, setting.name);
        let _ = writeln!(
            text,
            "\n# {}\n# default: {}; variable: {}\n# {key} = {}",
            setting.about,
            setting.default,
            variable_of(setting.name),
            setting.example
        );
    }
    for option in DEFAULT_OPTIONS {
        let name = option.name();
        let Some(argument) = argument(whole, option) else {
            continue;
        };
        let key = below_command(&mut text, &mut table, option.command, option.option);
        let about = argument.get_help().map(ToString::to_string);
        let example = example_of(argument);
        let _ = writeln!(
            text,
            "\n# {}\n# variable: {}\n# {key} = {example}",
            about.unwrap_or_default().replace('\n', " "),
            variable_of(&name)
        );
    }
    text
}

/// The key of a name without its table. The head of the table is written where it is a new one.
fn below(text: &mut String, table: &mut &'static str, name: &'static str) -> &'static str {
    match name.split_once('.') {
        None => name,
        Some((command, key)) => below_command(text, table, command, key),
    }
}

fn below_command(
    text: &mut String,
    table: &mut &'static str,
    new: &'static str,
    key: &'static str,
) -> &'static str {
    if *table != new {
        *text += &format!("\n[{new}]\n");
        *table = new;
    }
    key
}

/// A value of an option: its first possible one, true for a flag, a number for everything else.
fn example_of(argument: &clap::Arg) -> String {
    let known = argument.get_possible_values();
    match (known.first(), argument.get_long()) {
        _ if matches!(argument.get_action(), clap::ArgAction::SetTrue) => "true".into(),
        (_, Some("node")) => "\"/etc/rankfold/node.xml\"".into(),
        // A file that is there everywhere, and constrains nothing.
        (_, Some("constraints")) => "\"/dev/null\"".into(),
        (Some(value), _) => format!("{:?}", value.get_name()),
        (None, _) => "1".into(),
    }
}

/// All keys, for `--help`.
fn help() -> String {
    let mut text = String::from("Keys, each with its variable:\n");
    // Writing to a string does not fail.
    for setting in SETTINGS {
        let variable = variable_of(setting.name);
        let _ = writeln!(
            text,
            "  {:<16} {variable:<25} {}",
            setting.name, setting.about
        );
    }
    text += "Options that may have a default, as keys of a table with the name of the command:\n";
    for chunk in DEFAULT_OPTIONS.chunk_by(|a, b| a.command == b.command) {
        let names: Vec<String> = chunk.iter().map(DefaultOption::name).collect();
        let _ = writeln!(text, "  {}", names.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::default_options::check;
    use super::super::whole;
    use super::*;
    use rankfold_launch::config::SITE_FILE;

    #[test]
    fn the_page_for_administrators_has_every_key() {
        let page = include_str!("../../SITES.md");
        let between = |from, to| Some(page.split_once(from)?.1.split_once(to)?.0.trim());
        let table = between("<!-- the keys -->", "<!-- end of the keys -->").unwrap();
        let rows = SETTINGS.iter().map(|setting| {
            let variable = variable_of(setting.name);
            format!("| `{}` | `{variable}` | {} |", setting.name, setting.about)
        });
        assert_eq!(table.lines().collect::<Vec<_>>(), rows.collect::<Vec<_>>());
    }

    #[test]
    fn the_example_has_every_key_with_a_value_that_is_right() {
        let text = example(&whole());
        let commented = |line: &str| match line.strip_prefix("# ") {
            Some(rest) if rest.contains(" = ") => rest.to_owned(),
            _ => line.to_owned(),
        };
        let used: Vec<String> = text.lines().map(commented).collect();
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("rankfold.toml");
        std::fs::write(&path, used.join("\n")).unwrap();
        let variables = |name: &str| match name {
            SITE_FILE => Some(path.clone().into_os_string()),
            "USER" => Some("somebody".into()),
            _ => None,
        };
        let check = |option: &DefaultOption, text: &str| check(&whole(), option, text);
        let read = Configuration::gather(DEFAULT_OPTIONS, check, &variables);
        assert_eq!(read.problems, []);
        let options = DEFAULT_OPTIONS.iter().map(DefaultOption::name);
        let names = SETTINGS
            .iter()
            .map(|one| one.name.to_owned())
            .chain(options);
        let names: std::collections::BTreeSet<String> = names.collect();
        let found = read.given.into_keys().collect();
        assert_eq!(names, found);
    }
}
