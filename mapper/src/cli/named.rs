//! Values of options by their names, for callers that have no command line.

use super::exchange::{ExchangeArg, ExchangeArgs};
use super::input;
use super::options::EffortArg;
use crate::error::Error;
use clap::ValueEnum;
use rankfold_formats::Collectives;
use rankfold_problem::heuristic::Effort;
use rankfold_problem::objective::{self, OBJECTIVES, Objective};

/// The effort that `--effort` calls by this name.
///
/// # Errors
/// [`Error::Flag`] with the known names.
pub fn effort(name: &str) -> Result<Effort, Error> {
    value::<EffortArg>("effort", name).map(Into::into)
}

/// What `--exchange` means by this name.
///
/// # Errors
/// [`Error::Flag`] with the known names.
pub fn exchange(name: &str) -> Result<ExchangeArgs, Error> {
    value::<ExchangeArg>("exchange", name).map(|exchange| ExchangeArgs { exchange })
}

/// The objective of this name.
///
/// # Errors
/// [`Error::Flag`] with the known names.
pub fn objective(name: &str) -> Result<&'static dyn Objective, Error> {
    let known = OBJECTIVES.iter().map(|one| one.name().to_owned());
    objective::objective(name).ok_or_else(|| unknown("objective", name, known))
}

/// What `--collectives` means by this name; `by_default` without one.
///
/// # Errors
/// [`Error::Flag`] with the known names.
pub fn collectives(name: Option<&str>, by_default: Collectives) -> Result<Collectives, Error> {
    let is_known = |name: &str| input::models().any(|(known, _)| known == name);
    match name.filter(|name| !is_known(name)) {
        Some(name) => {
            let known = input::models().map(|(known, _)| known.to_owned());
            Err(unknown("collectives", name, known))
        }
        None => Ok(input::named(name, by_default)),
    }
}

fn value<T: ValueEnum>(flag: &'static str, name: &str) -> Result<T, Error> {
    let names = T::value_variants().iter().filter_map(T::to_possible_value);
    T::from_str(name, false)
        .map_err(|_| unknown(flag, name, names.map(|one| one.get_name().to_owned())))
}

fn unknown(flag: &'static str, name: &str, known: impl Iterator<Item = String>) -> Error {
    let known: Vec<String> = known.collect();
    Error::Flag {
        flag,
        value: name.to_owned(),
        problem: format!("unknown; known are {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_command_line() {
        assert_eq!(effort("best").unwrap(), Effort::Best);
        assert_eq!(objective("hop-bytes").unwrap().name(), "hop-bytes");
        exchange("pairwise").unwrap();
        let default = Collectives::LeftOut;
        assert!(matches!(
            collectives(Some("measured"), default),
            Ok(Collectives::AsSent)
        ));
        assert!(matches!(
            collectives(None, default),
            Ok(Collectives::LeftOut)
        ));
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        let message = |error: Error| error.to_string();
        let wrong = message(effort("fastest").unwrap_err());
        assert_eq!(
            wrong,
            "effort fastest: unknown; known are hurried, fast, balanced, best"
        );
        assert!(message(objective("hops").unwrap_err()).contains("hop-bytes"));
        assert!(message(exchange("some").unwrap_err()).contains("pairwise"));
        let wrong = collectives(Some("rign"), Collectives::LeftOut).map(drop);
        assert!(message(wrong.unwrap_err()).contains("measured"));
    }
}
