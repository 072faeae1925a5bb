//! The heuristic that the user asked for by name, with its options.

use super::{Request, SelectError};
use crate::heuristic::Heuristic;
use crate::member_options::MemberOptions;
use crate::team::Team;

/// The heuristic that the user asked for by name, if any, and its options; everything else that can
/// be checked before the work is checked, too.
pub(super) fn named_heuristic(
    request: &Request,
    team: &dyn Team,
) -> Result<(Option<&'static dyn Heuristic>, MemberOptions), SelectError> {
    if request.time.is_some() && team.size() > 1 {
        return Err(SelectError::TimeApart);
    }
    let heuristics = request.portfolio.heuristics;
    let text = request.heuristic.as_deref().filter(|&text| text != "auto");
    let named = text
        .map(|text| heuristic_with_options(heuristics, text))
        .transpose()?;
    let (named, options) = named.unzip();
    if request.loops.is_some()
        && named.is_none_or(|heuristic: &dyn Heuristic| heuristic.about().loops.is_none())
    {
        return Err(SelectError::NoLoops {
            known: repeating(heuristics).join(", "),
        });
    }
    Ok((named, options.unwrap_or_default()))
}

/// The heuristic and the options of `NAME` or `NAME:OPTION=VALUE,...`.
///
/// # Errors
/// [`SelectError::UnknownHeuristic`], [`SelectError::Option`].
pub fn heuristic_with_options(
    heuristics: &'static [&'static dyn Heuristic],
    text: &str,
) -> Result<(&'static dyn Heuristic, MemberOptions), SelectError> {
    let (name, given) = match text.split_once(':') {
        Some((name, given)) => (name, Some(given)),
        None => (text, None),
    };
    let heuristic = heuristic_named(heuristics, name)?;
    let about = heuristic.about();
    let options = given.map(|given| MemberOptions::parse(given, about.options));
    let options = options.transpose().map_err(|reason| SelectError::Option {
        name: about.name,
        reason,
    })?;
    Ok((heuristic, options.unwrap_or_default()))
}

/// The names of the heuristics that take a number of loops, each with what it repeats.
fn repeating(heuristics: &[&dyn Heuristic]) -> Vec<String> {
    let about = heuristics.iter().map(|heuristic| heuristic.about());
    about
        .filter_map(|about| Some(format!("{} ({})", about.name, about.loops?)))
        .collect()
}

fn heuristic_named(
    heuristics: &'static [&'static dyn Heuristic],
    name: &str,
) -> Result<&'static dyn Heuristic, SelectError> {
    let found = heuristics.iter().find(|h| h.about().name == name);
    found.copied().ok_or_else(|| {
        let known: Vec<_> = heuristics.iter().map(|h| h.about().name).collect();
        SelectError::UnknownHeuristic {
            name: name.into(),
            known: known.join(", "),
        }
    })
}
