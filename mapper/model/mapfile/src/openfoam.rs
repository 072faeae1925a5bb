//! `openfoam`: the `labelList` that OpenFOAM's `decomposePar` reads with `method manual` in
//! `decomposeParDict`: the part of every cell, which is the rank that gets it. It belongs into the
//! case's `constant`, and its name into `dataFile`.

use super::output::{indices_among, joined};
use super::text::{malformed, utf8};
use super::{Mapfile, MapfileFormat, RankPlaces, Result, Seats};
use rankfold_base::Placement;
use rankfold_machine::Machine;

/// Format `openfoam`.
pub(super) struct OpenFoam;

/// What the file begins with. `decomposePar` asks for the class of the list.
const HEAD: &str = "\
FoamFile
{
    version     2.0;
    format      ascii;
    class       labelList;
    location    \"constant\";
    object      cellDecomposition;
}
";

impl MapfileFormat for OpenFoam {
    described!(
        "openfoam",
        "OpenFOAM: decomposePar with method manual (cellDecomposition, for map --imbalance)"
    );

    fn needs_hosts(&self) -> bool {
        false
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let parts = indices_among(placement, machine, &machine.launch_order());
        let cells = parts.len();
        let text = format!("{HEAD}{cells}\n(\n{}\n)\n", joined(parts, "\n"));
        Ok(Mapfile::new(text, ""))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        let text = utf8(content)?;
        text.trim_start().starts_with("FoamFile").then_some(())?;
        Some(list(text).map_err(|(before, problem)| {
            let line = text[..before].lines().count().max(1);
            malformed(file, line, problem)
        }))
    }
}

/// The list behind the header. An error has the number of bytes before it.
fn list(text: &str) -> Result<Seats, (usize, String)> {
    let begin = text.find('}').map_or(text.len(), |at| at + 1);
    let open = text[begin..].find('(').map(|at| begin + at);
    let close = text
        .rfind(')')
        .filter(|&close| open.is_some_and(|open| open < close));
    let (Some(open), Some(close)) = (open, close) else {
        return Err((text.len(), "there is no list in parentheses".into()));
    };
    let mut parts = Vec::new();
    for word in text[open + 1..close].split_ascii_whitespace() {
        let Ok(part) = word.parse::<u32>() else {
            let before = word.as_ptr() as usize - text.as_ptr() as usize;
            return Err((before + 1, format!("{word:?} is not the number of a part")));
        };
        parts.push(part as usize);
    }
    let announced = text[begin..open].trim();
    if announced.parse() != Ok(parts.len()) {
        let problem = format!("{} parts where {announced:?} are announced", parts.len());
        return Err((open, problem));
    }
    Ok(RankPlaces::Allocated(parts).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_name_the_line() {
        let text = |list: &str| {
            let read = OpenFoam
                .read(format!("{HEAD}{list}").as_bytes(), "cells")
                .unwrap();
            read.unwrap_err().to_string()
        };
        for (list, problem) in [
            ("", "cells:8: there is no list"),
            ("2\n(\n0\n", "cells:11: there is no list"),
            (
                "2\n(\n0\nx\n)",
                "cells:12: \"x\" is not the number of a part",
            ),
            (
                "3\n(\n0\n1\n)",
                "cells:9: 2 parts where \"3\" are announced",
            ),
        ] {
            let text = text(list);
            assert!(text.starts_with(problem), "{text}");
        }
    }
}
