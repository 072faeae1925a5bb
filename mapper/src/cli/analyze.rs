//! `rankfold analyze`: what kind of communication this is.

use super::input::InputArgs;
use super::words::counted;
use super::{output, report};
use crate::CommGraph;
use crate::pattern::{self, Pattern, Stencil};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

/// `rankfold analyze`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// Where to write the pattern as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The keys of `--json`.
#[derive(serde::Serialize)]
struct Analysis<'a> {
    ranks: usize,
    pairs: usize,
    bytes: u128,
    pattern: &'a Pattern,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(path) = &args.json {
        output::check(path)?;
    }
    let graph = args.input.graph()?;
    let pattern = pattern::analyze(&graph);
    if let Some(path) = &args.json {
        let analysis = Analysis {
            ranks: graph.ranks(),
            pairs: graph.pairs(),
            bytes: graph.total_bytes(),
            pattern: &pattern,
        };
        output::write(path, &report::pretty(&analysis)?)?;
    }
    std::io::stdout().write_all(describe(&graph, &pattern).as_bytes())?;
    Ok(())
}

fn describe(graph: &CommGraph, pattern: &Pattern) -> String {
    let mut text = format!(
        "{}, {} with traffic, {}\n",
        counted(graph.ranks(), "rank"),
        counted(graph.pairs(), "pair"),
        counted(graph.total_bytes(), "byte")
    );
    match pattern {
        Pattern::Regular {
            best, alternatives, ..
        } => {
            let _ = writeln!(text, "regular: {}", stencil(best));
            for other in alternatives {
                let _ = writeln!(text, "     or: {}", stencil(other));
            }
        }
        Pattern::Irregular { explained, .. } => {
            let _ = writeln!(
                text,
                "irregular: no grid of ranks fits (the best carries {:.1} % of the bytes)",
                100.0 * explained
            );
        }
    }
    text
}

fn stencil(stencil: &Stencil) -> String {
    let dims: Vec<String> = stencil.dims.iter().map(ToString::to_string).collect();
    let grid = match &dims[..] {
        [only] => format!("1D grid of {only}"),
        several => format!("{} grid", several.join("x")),
    };
    let open = stencil.periodic.iter().filter(|ring| !**ring).count();
    let periodic = match open {
        0 => "periodic".to_owned(),
        n if n == dims.len() => "open".to_owned(),
        _ => format!(
            "periodic along {}",
            (0..dims.len())
                .filter(|&d| stencil.periodic[d])
                .map(|d| format!("dimension {d}"))
                .collect::<Vec<_>>()
                .join(" and ")
        ),
    };
    format!(
        "{grid}, {periodic}, {}-point stencil, carrying {:.1} % of the bytes",
        stencil.points,
        100.0 * stencil.carried
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stencil_is_told_in_one_line() {
        let told = stencil(&Stencil {
            dims: vec![4, 2],
            numbering: pattern::Numbering::Rows,
            periodic: vec![true, false],
            points: 5,
            confidence: 0.9,
            carried: 0.5,
            offsets: Vec::new(),
        });
        let expected =
            "4x2 grid, periodic along dimension 0, 5-point stencil, carrying 50.0 % of the bytes";
        assert_eq!(told, expected);
    }
}
