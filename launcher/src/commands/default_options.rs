//! Options of commands that get their defaults from the configuration.

use clap::builder::PossibleValue;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};
use rankfold_base::words::did_you_mean;
use rankfold_launch::config::{Configuration, DefaultOption};

const fn option(command: &'static str, option: &'static str) -> DefaultOption {
    DefaultOption { command, option }
}

/// All options that may have a default. Options that name what one run reads or writes are not
/// among them.
pub(super) const DEFAULT_OPTIONS: &[DefaultOption] = &[
    option("run", "how"),
    option("run", "objective"),
    option("run", "heuristic"),
    option("run", "exchange"),
    option("run", "constraints"),
    option("run", "collectives"),
    option("run", "effort"),
    option("run", "time"),
    option("run", "seed"),
    option("run", "threads"),
    option("run", "cores"),
    option("run", "node"),
    option("profile", "time"),
    option("profile", "collectives"),
    option("probe", "time"),
];

/// Reads the configuration of this process for the command line `whole`.
pub(super) fn configuration(whole: &Command) -> Configuration {
    Configuration::read(DEFAULT_OPTIONS, |option, text| check(whole, option, text))
}

/// The command line with the defaults of the configuration.
pub(super) fn with_defaults(whole: Command, configuration: &Configuration) -> Command {
    DEFAULT_OPTIONS.iter().fold(whole, |whole, option| {
        let Some(value) = configuration.given.get(&option.name()) else {
            return whole;
        };
        let set = |argument: Arg| {
            if argument.get_long() != Some(option.option) {
                return argument;
            }
            let help = argument.get_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            let (text, origin) = (value.text.clone(), &value.origin);
            let here = format!("[here: {text}, by {origin}]");
            let full = argument
                .get_long_help()
                .map(|full| format!("{full} {here}"));
            let argument = match full {
                Some(full) => argument.long_help(full),
                None => argument,
            };
            argument
                .help(format!("{help} {here}"))
                .hide_default_value(true)
                .default_value(text)
        };
        whole.mut_subcommand(option.command, |command| command.mut_args(set))
    })
}

/// The option in the command line.
pub(super) fn argument<'a>(whole: &'a Command, option: &DefaultOption) -> Option<&'a Arg> {
    let command = whole.find_subcommand(option.command)?;
    command
        .get_arguments()
        .find(|argument| argument.get_long() == Some(option.option))
}

/// Whether the option takes this value.
pub(super) fn check(whole: &Command, option: &DefaultOption, text: &str) -> Result<(), String> {
    let Some(argument) = argument(whole, option) else {
        return Err("there is no such option".into());
    };
    if matches!(argument.get_action(), ArgAction::SetTrue) {
        return match text {
            "true" | "false" => Ok(()),
            _ => Err(format!("{text:?} is neither true nor false")),
        };
    }
    let words = [
        "rankfold".to_owned(),
        option.command.to_owned(),
        format!("--{}={text}", option.option),
        "--".to_owned(),
        "launch".to_owned(),
    ];
    let error = match whole.clone().try_get_matches_from(words) {
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    let known = argument.get_possible_values();
    let known: Vec<&str> = known.iter().map(PossibleValue::get_name).collect();
    if error.kind() == ErrorKind::InvalidValue && !known.is_empty() {
        let meant = did_you_mean(text, known.iter().copied());
        return Err(format!("{text:?} is none of {}{meant}", known.join(", ")));
    }
    let message = error.to_string();
    let first = message.lines().next().unwrap_or_default();
    Err(first.strip_prefix("error: ").unwrap_or(first).to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::whole;
    use super::*;

    #[test]
    fn every_option_that_may_have_a_default_is_there() {
        let whole = whole();
        for option in DEFAULT_OPTIONS {
            assert!(argument(&whole, option).is_some(), "{}", option.name());
        }
    }

    #[test]
    fn values_are_those_of_the_command_line() {
        let whole = whole();
        let checked = |name: &str, text| {
            let option = DEFAULT_OPTIONS.iter().find(|option| option.name() == name);
            check(&whole, option.unwrap(), text)
        };
        assert_eq!(checked("run.effort", "best"), Ok(()));
        assert_eq!(checked("profile.time", "true"), Ok(()));
        for (name, text, problem) in [
            ("run.effort", "bst", "did you mean best?"),
            ("run.how", "by hand", "none of native, renumber"),
            ("run.seed", "x", "invalid value 'x' for '--seed <N>'"),
            ("run.time", "0", "must be above 0"),
            ("profile.time", "5", "neither true nor false"),
        ] {
            let wrong = checked(name, text).unwrap_err();
            assert!(wrong.contains(problem), "{name}: {wrong}");
        }
    }
}
