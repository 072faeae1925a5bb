//! `rankfold heuristics`: lists everything that can be asked for by name.

use super::terminal::wrapped;
use crate::members::PORTFOLIO;
use rankfold_mapfile::FORMATS;
use rankfold_problem::heuristic::Heuristic;
use std::fmt::{self, Write as _};
use std::io::Write as _;

pub(super) fn run() -> anyhow::Result<()> {
    let lines: Vec<String> = text()?.lines().map(wrapped).collect();
    writeln!(std::io::stdout(), "{}", lines.join("\n"))?;
    Ok(())
}

fn text() -> Result<String, fmt::Error> {
    let mut out = String::new();
    writeln!(out, "heuristics (--heuristic NAME)")?;
    for heuristic in PORTFOLIO.heuristics() {
        let family = heuristic.about().family.to_string();
        let (name, summary) = (heuristic.about().name, heuristic.about().summary);
        writeln!(out, "  {name:14} {family:10} {summary}")?;
    }
    writeln!(
        out,
        "\noptions (--heuristic NAME:OPTION=VALUE,OPTION=VALUE)"
    )?;
    for about in PORTFOLIO.heuristics().map(Heuristic::about) {
        for option in about.options {
            let given = format!("{}:{}", about.name, option.name);
            let expected = option.kind.expected();
            writeln!(out, "  {given:25} {}; {expected}", option.summary)?;
        }
    }
    writeln!(out, "\nrefinements (after every heuristic)")?;
    for refinement in PORTFOLIO.refinements {
        writeln!(
            out,
            "  {:14} {}",
            refinement.about().name,
            refinement.about().summary
        )?;
    }
    writeln!(out, "\nmapfile formats (--to FORMAT)")?;
    for format in FORMATS {
        writeln!(out, "  {:14} {}", format.name(), format.summary())?;
    }
    Ok(out)
}
