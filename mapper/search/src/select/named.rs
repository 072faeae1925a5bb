//! The heuristic that the user asked for by name, with its options.

use super::{Portfolio, Request, SelectError};
use rankfold_problem::heuristic::Heuristic;
use rankfold_problem::member_options::MemberOptions;
use rankfold_problem::team::Team;

/// The heuristic that the user asked for by name, if any, and its options; everything else that can
/// be checked before the work is checked, too.
pub(super) fn named_heuristic(
    request: &Request,
    team: &dyn Team,
) -> Result<(Option<&'static dyn Heuristic>, MemberOptions), SelectError> {
    if request.time.is_some() && team.size() > 1 {
        return Err(SelectError::TimeApart);
    }
    let portfolio = request.portfolio;
    let text = request.heuristic.as_deref().filter(|&text| text != "auto");
    let named = text
        .map(|text| heuristic_with_options(portfolio, text))
        .transpose()?;
    let (named, options) = named.unzip();
    if request.loops.is_some()
        && named.is_none_or(|heuristic: &dyn Heuristic| heuristic.about().loops.is_none())
    {
        return Err(SelectError::NoLoops {
            known: repeating(portfolio).join(", "),
        });
    }
    Ok((named, options.unwrap_or_default()))
}

/// The heuristic and the options of `NAME` or `NAME:OPTION=VALUE,...`.
///
/// # Errors
/// [`SelectError::UnknownHeuristic`], [`SelectError::Option`].
pub fn heuristic_with_options(
    portfolio: Portfolio,
    text: &str,
) -> Result<(&'static dyn Heuristic, MemberOptions), SelectError> {
    let (name, given) = match text.split_once(':') {
        Some((name, given)) => (name, Some(given)),
        None => (text, None),
    };
    let heuristic = heuristic_named(portfolio, name)?;
    let about = heuristic.about();
    let options = given.map(|given| MemberOptions::parse(given, about.options));
    let options = options.transpose().map_err(|reason| SelectError::Option {
        name: about.name,
        reason,
    })?;
    Ok((heuristic, options.unwrap_or_default()))
}

/// The names of the heuristics that take a number of loops, each with what it repeats.
fn repeating(portfolio: Portfolio) -> Vec<String> {
    let about = portfolio.heuristics().map(Heuristic::about);
    about
        .filter_map(|about| Some(format!("{} ({})", about.name, about.loops?)))
        .collect()
}

fn heuristic_named(
    portfolio: Portfolio,
    name: &str,
) -> Result<&'static dyn Heuristic, SelectError> {
    let found = portfolio.heuristics().find(|h| h.about().name == name);
    found.ok_or_else(|| {
        let known: Vec<_> = portfolio.heuristics().map(|h| h.about().name).collect();
        SelectError::UnknownHeuristic {
            name: name.into(),
            known: known.join(", "),
        }
    })
}
