//! Parsers of options whose values are names from a list.

use crate::members::PORTFOLIO;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use rankfold_problem::heuristic::Heuristic;
use rankfold_search::select;
use std::ffi::OsStr;

/// The value of `--heuristic` that tries all of them and takes the best placement.
pub(super) const AUTO: &str = "auto";

/// A parser of names with their meanings. Unknown names are refused with a suggestion, and shells
/// complete the known ones.
pub(super) fn names(
    known: impl IntoIterator<Item = (&'static str, &'static str)>,
) -> PossibleValuesParser {
    let known = known.into_iter();
    PossibleValuesParser::new(known.map(|(name, help)| PossibleValue::new(name).help(help)))
}

/// Parses `--heuristic`: [`AUTO`], or a name from the list with the options that this heuristic
/// takes.
#[derive(Clone, Debug)]
pub(super) struct HeuristicParser;

impl TypedValueParser for HeuristicParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let text = value.to_string_lossy();
        let name = text.split_once(':').map_or(&*text, |(name, _)| name);
        heuristics().parse_ref(command, argument, OsStr::new(name))?;
        if name != &*text {
            select::heuristic_with_options(PORTFOLIO, &text).map_err(|error| {
                let kind = clap::error::ErrorKind::ValueValidation;
                clap::Error::raw(kind, format!("{error}\n")).with_cmd(command)
            })?;
        }
        Ok(text.into_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values: Vec<_> = heuristics().possible_values()?.collect();
        Some(Box::new(values.into_iter()))
    }
}

/// The names of all heuristics, and [`AUTO`].
fn heuristics() -> PossibleValuesParser {
    let about = PORTFOLIO.heuristics().map(Heuristic::about);
    let all = about.map(|about| (about.name, about.summary));
    names(
        [(AUTO, "the best placement of all of them")]
            .into_iter()
            .chain(all),
    )
}
