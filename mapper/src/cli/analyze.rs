//! `rankfold analyze`: finds the communication pattern.

use super::document::{self, Document};
use super::input::InputArgs;
use super::terminal::folded;
use super::{heat, output};
use rankfold_base::words::counted;
use rankfold_graph::{CommGraph, DeclaredGraph, GraphCall, KnownTurns, exchange};
use rankfold_pattern::parallel::{self, InWords, ParallelDimension};
use rankfold_pattern::{
    self as pattern, Groups, Numbering, Overlay, Pattern, Source, Stencil, bhatele,
};
use schemars::JsonSchema;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rankfold analyze app.rfp
  rankfold analyze app.rfp --phase solve --collectives --json pattern.json";

/// `rankfold analyze`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// Print every grid that explains as much of the traffic, not only the first of them
    #[arg(long)]
    all: bool,
    /// Print what published methods find, too
    #[arg(long)]
    explain: bool,
    /// Where to write the pattern as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The keys of `--json`.
#[derive(Debug, serde::Serialize, JsonSchema)]
pub struct Analysis<'a> {
    /// Number of ranks.
    ranks: usize,
    /// Number of ordered pairs of different ranks that exchange bytes.
    pairs: usize,
    /// Bytes between different ranks.
    bytes: u128,
    /// The communication pattern.
    pattern: Pattern,
    /// Grid sizes that Bhatele's Algorithm 1 finds, slowest dimension first; null where it finds
    /// none.
    bhatele: Option<[usize; 2]>,
    /// The graph topologies that the program declared. Grids it declared are in the pattern.
    declared_graphs: &'a [DeclaredGraph],
    /// The parallel dimensions of a training job; empty for other programs.
    parallel: Vec<ParallelDimension>,
    /// How ranks exchange messages: 0 with all partners at once, 1 partner by partner, 0.25 if
    /// unknown.
    exchange: f64,
    /// The most turns in which a rank exchanges messages; null where the turns are not known.
    turns: Option<u32>,
    #[serde(skip)]
    graph: &'a CommGraph,
}

impl<'a> Analysis<'a> {
    /// Analyses a graph.
    #[must_use]
    pub fn new(graph: &'a CommGraph) -> Self {
        Self {
            ranks: graph.ranks(),
            pairs: graph.pairs(),
            bytes: graph.total_bytes(),
            pattern: pattern::analyze(graph),
            bhatele: bhatele::algorithm_1(graph, SEED),
            declared_graphs: &graph.declared().graphs,
            parallel: parallel::parallel_dimensions(graph),
            exchange: graph.exchange(),
            turns: match graph.known_turns() {
                KnownTurns::Known(turns) => Some(turns.most()),
                _ => None,
            },
            graph,
        }
    }

    /// The analysis as JSON.
    ///
    /// # Errors
    /// Does not fail: the fields are plain numbers and strings.
    pub fn json(&self) -> serde_json::Result<Vec<u8>> {
        document::text(self)
    }

    /// The analysis in lines of text. With `all`, every grid that explains as much of the traffic
    /// as the first.
    #[must_use]
    pub fn text(&self, all: bool) -> String {
        let mut text = describe(self.graph, &self.pattern, all);
        if !self.parallel.is_empty() {
            let _ = writeln!(text, "training job: {}", InWords(&self.parallel));
        }
        text
    }

    /// What published methods find, in lines of text.
    fn explained(&self) -> String {
        let found = self
            .bhatele
            .map_or("no grid".to_owned(), |[rows, columns]| {
                format!("{rows}x{columns} grid")
            });
        format!("Bhatele's algorithm 1: {found}\n")
    }
}

impl Document for Analysis<'_> {
    const NAME: &'static str = "pattern";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "analyze: the communication pattern of a program";
}

/// Seed of the random choice of ranks in Bhatele's Algorithm 1.
const SEED: u64 = 0;

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    output::check_all(&args.json, args.input.files())?;
    let graph = args.input.graph()?;
    let analysis = Analysis::new(&graph);
    if let Some(path) = &args.json {
        output::write(path, &analysis.json()?)?;
    }
    let mut text = analysis.text(args.all);
    if args.explain {
        text.push_str(&analysis.explained());
    }
    let text = folded(&text, "         ") + "\n";
    output::beside(args.json.as_deref()).write_all(text.as_bytes())?;
    heat::show(graph.ranks(), &|sink| {
        for message in graph.messages() {
            sink(message.from.index(), message.to.index(), message.bytes);
        }
    });
    Ok(())
}

fn describe(graph: &CommGraph, pattern: &Pattern, all: bool) -> String {
    let mut text = format!(
        "{}, {} with traffic, {}\n",
        counted(graph.ranks(), "rank"),
        counted(graph.pairs(), "pair"),
        counted(graph.total_bytes(), "byte")
    );
    let own = graph.to_itself();
    if own.ranks > 0 {
        let _ = writeln!(
            text,
            "in addition, {} in messages to themselves of {}, which no placement changes",
            counted(own.bytes, "byte"),
            counted(own.ranks, "rank")
        );
    }
    let groups = pattern.groups(graph.total_bytes());
    if let Some((words, share)) = &groups {
        let share = 100.0 * share;
        let _ = writeln!(text, "groups: {words}, carrying {share:.1} % of the bytes");
    }
    match pattern {
        Pattern::Regular { best, .. } if groups.is_some() => {
            let _ = writeln!(text, "   also: {}", stencil(best));
        }
        Pattern::Regular {
            best, alternatives, ..
        } => {
            let _ = writeln!(text, "regular: {}", stencil(best));
            let shown = if all { alternatives.len() } else { 1 };
            for other in alternatives.iter().take(shown) {
                let _ = writeln!(text, "     or: {}", stencil(other));
            }
        }
        Pattern::Irregular { .. } if groups.is_some() => {}
        Pattern::Irregular { .. } if pattern::has_too_little_traffic(graph) => {
            text.push_str("no pattern: too little traffic to tell one\n");
        }
        Pattern::Irregular {
            partly: Some(grid), ..
        } => {
            let _ = writeln!(
                text,
                "irregular: no grid of ranks explains it;\n         the best is a {}",
                stencil(grid)
            );
        }
        Pattern::Irregular { explained, .. } => {
            let _ = writeln!(
                text,
                "irregular: no grid of ranks fits (the best carries {:.1} % of the bytes)",
                100.0 * explained
            );
        }
    }
    let is_headline =
        |overlay: &&Overlay| groups.is_some() && matches!(overlay, Overlay::Groups { .. });
    for other in pattern
        .overlays()
        .iter()
        .filter(|other| !is_headline(other))
    {
        let _ = writeln!(text, "   also: {}", overlay(other));
    }
    for other in &graph.declared().graphs {
        let in_words = declared(other, graph.total_bytes());
        let _ = writeln!(text, "declared: {in_words}");
    }
    let _ = writeln!(text, "{}", order_of(graph));
    text
}

/// How ranks exchange messages, in words: by the share s, and in turns where they are known.
fn order_of(graph: &CommGraph) -> String {
    let started = format!("messages are started {}", way_of(graph.exchange()));
    match graph.known_turns() {
        KnownTurns::Known(turns) if turns.most() > 1 => {
            let turns = turns.most();
            format!("{started}\nmessages are exchanged in {turns} turns")
        }
        KnownTurns::Unusable => format!("{started}\nthe turns of the ranks do not fit each other"),
        _ => started,
    }
}

/// How ranks exchange messages by the share s, which is told where it lies between the two ways.
fn way_of(share: f64) -> String {
    let words = match share {
        exchange::DEFAULT_SHARE => "mostly all at once, or in an order that is not known",
        ..0.125 => "all at once",
        ..0.5 => "mostly all at once",
        ..=0.875 => "a few at a time",
        _ => "partner by partner",
    };
    match format!("{share:.2}").as_str() {
        "0.00" | "1.00" => words.to_owned(),
        between => format!("{words} (s = {between})"),
    }
}

fn declared(graph: &DeclaredGraph, all: u128) -> String {
    let call = match graph.call {
        GraphCall::Whole => "MPI_Graph_create",
        GraphCall::Distributed => "MPI_Dist_graph_create",
    };
    let used = match graph.used {
        0 => "none with traffic".to_owned(),
        used => format!(
            "{used} with traffic, carrying {:.1} % of the bytes",
            100.0 * graph.bytes as f64 / all as f64
        ),
    };
    format!(
        "graph of {} ({call}), {} of neighbours, {used}",
        counted(graph.ranks, "rank"),
        counted(graph.pairs, "pair")
    )
}

fn overlay(overlay: &Overlay) -> String {
    match overlay {
        Overlay::Hub { rank, bytes } => {
            format!(
                "rank {rank} talks to most ranks, {}",
                counted(*bytes, "byte")
            )
        }
        Overlay::Levels { reaches, bytes } => {
            let reaches: Vec<String> = reaches.iter().map(ToString::to_string).collect();
            format!(
                "the rest reaches {} cells along the dimensions (coarser levels), {}",
                reaches.join(", "),
                counted(*bytes, "byte")
            )
        }
        Overlay::Groups { count, size, bytes } => format!(
            "all-to-alls within {}, {}",
            Groups {
                count: *count,
                size: *size
            },
            counted(*bytes, "byte")
        ),
    }
}

/// The numbering of the ranks in the grid, in words. Row order is the usual case and is not
/// mentioned.
fn order(stencil: &Stencil) -> String {
    match &stencil.numbering {
        Numbering::Rows => String::new(),
        Numbering::Blocks { digits } => {
            let blocks = &digits[stencil.dims.len().min(digits.len())..];
            let size = |dim| -> usize {
                let along = blocks.iter().filter(|d| d.dim == dim);
                along.map(|d| d.size).product()
            };
            let sizes: Vec<String> = (0..stencil.dims.len())
                .map(|dim| size(dim).to_string())
                .collect();
            format!(",\n         ranks in blocks of {}", sizes.join("x"))
        }
        Numbering::Permuted { cells } => {
            let outside = cells.iter().filter(|cell| cell.is_none()).count();
            match outside {
                0 => ",\n         ranks in no order".to_owned(),
                n => format!(",\n         ranks in no order, {n} outside"),
            }
        }
    }
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
    let touched = stencil.neighbours_in_words();
    let touched = touched.map_or(String::new(), |words| format!(" ({words})"));
    format!(
        "{grid}, {periodic}, {}-point stencil{touched}, carrying {:.1} % of the bytes{}{}",
        stencil.points,
        100.0 * stencil.carried,
        order(stencil),
        match stencil.source {
            Source::Traffic => "",
            Source::Declared => ",\n         declared by the program (MPI_Cart_create)",
        }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stencil_is_told_in_words() {
        let text = stencil(&Stencil {
            source: Source::Traffic,
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
        assert_eq!(text, expected);
    }
}
