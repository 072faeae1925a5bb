//! Imports target architecture files of Scotch (`.tgt`), of the kinds that describe links.

use super::technology::Technology;
use super::{ImportError, Importer, Result, Source, SourceLine, lines};
use rankfold_machine::Description;
use rankfold_machine::families;

/// The importer of Scotch's target architectures.
pub(super) const SCOTCH: Importer = Importer {
    name: "scotch",
    about: "a target file of Scotch: tleaf, mesh2D, mesh3D, meshXD, torus2D, torus3D, torusXD, hcub, cmplt, cmpltw",
    recognises: is_target,
    for_job: None,
    technology: Technology::Unknown,
    read,
};

/// The first words of targets.
const KINDS: [&str; 14] = [
    "tleaf", "ltleaf", "mesh2D", "mesh3D", "meshXD", "torus2D", "torus3D", "torusXD", "hcub",
    "cmplt", "cmpltw", "deco", "varcmplt", "varhcub",
];

/// Whether a text is a target: its first word is a kind, and all others are numbers.
fn is_target(source: &Source) -> bool {
    let mut words = source.text.split_whitespace();
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    words.next().is_some_and(|kind| KINDS.contains(&kind)) && words.all(is_number)
}

fn read(sources: &[Source]) -> Result<Description> {
    let [source] = sources else {
        return Err(ImportError::whole(
            "scotch",
            format!("{} files are given: one is needed", sources.len()),
        ));
    };
    let mut words = Words {
        rest: lines(source)
            .flat_map(|(place, line)| line.split_whitespace().map(move |word| (place, word)))
            .collect::<Vec<_>>()
            .into_iter(),
        last: SourceLine { source, line: 1 },
    };
    let (place, kind) = words.next("the kind of target")?;
    let description = target(kind, place, &mut words)?;
    if let Some((place, word)) = words.rest.next() {
        return Err(place.bad(format!("{word:?} is more than a {kind} target has")));
    }
    let network = description.network.as_deref().unwrap_or_default();
    match families::network(network) {
        Ok(_) => Ok(description),
        Err(problem) => Err(place.bad(problem)),
    }
}

/// The words of a file with their lines.
struct Words<'a> {
    rest: std::vec::IntoIter<(SourceLine<'a>, &'a str)>,
    last: SourceLine<'a>,
}

impl<'a> Words<'a> {
    fn next(&mut self, what: &str) -> Result<(SourceLine<'a>, &'a str)> {
        let Some((place, word)) = self.rest.next() else {
            return Err(self.last.bad(format!("the file ends before {what}")));
        };
        self.last = place;
        Ok((place, word))
    }

    /// Reads a positive number; `what` names it in error messages.
    fn number(&mut self, what: &str) -> Result<u32> {
        let (place, word) = self.next(what)?;
        let number = word.parse().ok().filter(|&number| number > 0);
        number.ok_or_else(|| place.bad(format!("{word:?} is no positive number: {what} is due")))
    }

    fn numbers(&mut self, count: usize, what: &str) -> Result<Vec<u32>> {
        (0..count).map(|_| self.number(what)).collect()
    }

    /// Reads the number of values that follow; an error if the file has fewer words.
    fn count(&mut self, what: &str) -> Result<usize> {
        let count = self.number(what)? as usize;
        if count > self.rest.len() {
            return Err(self
                .last
                .bad(format!("the file ends before {count} numbers")));
        }
        Ok(count)
    }
}

fn target(kind: &str, place: SourceLine, words: &mut Words) -> Result<Description> {
    let network = match kind {
        "mesh2D" | "torus2D" => grid(kind, &words.numbers(2, "a size")?),
        "mesh3D" | "torus3D" => grid(kind, &words.numbers(3, "a size")?),
        "meshXD" | "torusXD" => {
            let dims = words.count("the number of dimensions")?;
            grid(kind, &words.numbers(dims, "a size")?)
        }
        "hcub" => format!("hypercube:{}", words.number("the number of dimensions")?),
        "tleaf" => tree(words)?,
        "cmplt" => format!("tree:{}", words.number("the number of nodes")?),
        "cmpltw" => {
            let nodes = words.count("the number of nodes")?;
            let slots = Some(words.numbers(nodes, "a weight")?);
            return Ok(Description {
                network: Some(format!("tree:{nodes}")),
                slots,
                ..Description::default()
            });
        }
        "varcmplt" | "varhcub" => {
            return Err(place.bad(format!(
                "a {kind} target has any number of processors: write {} and the number behind it",
                kind.trim_start_matches("var")
            )));
        }
        "deco" => {
            return Err(place.bad(
                "a deco target tells how to bisect the machine, not its links: import another description of it",
            ));
        }
        _ => {
            return Err(place.bad(format!(
                "{kind:?} is none of the targets that describe links: {}",
                SCOTCH.about.rsplit(": ").next().unwrap_or_default()
            )));
        }
    };
    Ok(Description {
        network: Some(network),
        ..Description::default()
    })
}

/// The spec of a mesh or torus. The first dimension varies fastest in Scotch, the last one in a
/// spec, so the order is reversed.
fn grid(kind: &str, sizes: &[u32]) -> String {
    let sizes: Vec<String> = sizes.iter().rev().map(ToString::to_string).collect();
    format!("{}:{}", &kind[..kind.len() - 2], sizes.join("x"))
}

/// Reads a tree: the arity and the cost of a link of every level, from the root down. Bandwidths
/// are the inverse of costs.
fn tree(words: &mut Words) -> Result<String> {
    let levels = words.count("the number of levels")?;
    let (mut arities, mut costs) = (Vec::new(), Vec::new());
    for _ in 0..levels {
        arities.push(words.number("the arity of a level")?.to_string());
        costs.push(words.number("the cost of a level's links")?);
    }
    let highest = costs.iter().copied().max().unwrap_or(1);
    let bandwidth = |&cost: &u32| (f64::from(highest) / f64::from(cost)).to_string();
    let bandwidths: Vec<String> = costs.iter().map(bandwidth).collect();
    Ok(format!(
        "tree:{}@{}",
        arities.join("x"),
        bandwidths.join(",")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(text: &str) -> Result<Description> {
        read(&[Source {
            file: "t".into(),
            text: text.into(),
        }])
    }

    #[test]
    fn targets_that_tell_links_become_specs() {
        for (text, network) in [
            ("mesh2D 4 3", "mesh:3x4"),
            ("torus3D\n4 2 3\n", "torus:3x2x4"),
            ("torusXD 4 2 3 4 5", "torus:5x4x3x2"),
            ("hcub 5", "hypercube:5"),
            ("tleaf\n3 4 20 2 10 3 1", "tree:4x2x3@1,2,20"),
            ("cmplt 9", "tree:9"),
            ("cmplt 1", "tree:1"),
            ("mesh2D 8 1", "mesh:1x8"),
        ] {
            let source = Source {
                file: "t".into(),
                text: text.into(),
            };
            assert!(is_target(&source), "{text}");
            assert_eq!(import(text).unwrap().network.unwrap(), network);
        }
        let weighted = import("cmpltw 3 1 2 4").unwrap();
        assert_eq!(weighted.slots, Some(vec![1, 2, 4]));
    }

    #[test]
    fn mistakes_name_the_line() {
        for (text, problem) in [
            ("", "t:1: the file ends before the kind"),
            ("varhcub\n", "t:1: a varhcub target has any number"),
            ("\ndeco\n0\n", "t:2: a deco target tells how to bisect"),
            ("sub 2", "t:1: \"sub\" is none of the targets"),
            ("mesh2D 4", "t:1: the file ends before a size"),
            (
                "mesh2D 4\n0",
                "t:2: \"0\" is no positive number: a size is due",
            ),
            ("mesh2D 4 4 4", "t:1: \"4\" is more than a mesh2D"),
            ("torusXD 9 2 2", "t:1: the file ends before 9 numbers"),
            ("mesh2D 99999 99999", "t:1: the sizes multiply"),
            ("hcub 60", "t:1: \"60\" is not a number of dimensions"),
        ] {
            let error = import(text).unwrap_err().to_string();
            assert!(error.starts_with(problem), "{text:?}: {error}");
        }
    }
}
