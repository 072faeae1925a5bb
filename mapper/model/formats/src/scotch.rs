//! Scotch source graphs: version, sizes, flags, then the neighbours of every vertex.
//!
//! The load of an edge is the bytes that a pair of ranks exchange each way (see [`undirected`]).
//! The load of a vertex is the weight of its rank. The format is defined in the Scotch user's
//! guide, "Graph files"; line breaks have no meaning in it.

use super::text::{Lines, MAX_RANKS, fields, whole};
use super::{Mark, Read, Reader, Reading, Writer};
use crate::undirected::{self, Edges, Given, Lists};
use rankfold_base::Rank;
use rankfold_graph::{CommError, Result, Traffic, WriteError};
use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::path::Path;

/// Entry in [`READERS`](super::READERS).
pub(super) const READER: Reader = Reader {
    mark: Mark::Ending("grf"),
    summary: "Scotch graph, edge load = bytes each way",
    read: Read::Matrix(read),
    phases: None,
};

/// Entry in [`WRITERS`](super::WRITERS).
pub(super) const WRITER: Writer = Writer {
    ending: "grf",
    summary: "Scotch graph, edge load = bytes each way",
    keeps: undirected::KEEPS,
    write,
};

fn read(path: &Path) -> Result<Reading> {
    parse(Lines::open(path)?)
}

fn parse<R: BufRead>(lines: Lines<'_, R>) -> Result<Reading> {
    let mut words = Words {
        lines,
        ahead: VecDeque::new(),
    };
    if words.number("the version")? != 0 {
        return Err(words.malformed("not a Scotch graph of version 0"));
    }
    let vertices = words.number("the number of vertices")?;
    let arcs = words.number("the number of arcs")?;
    let base = words.number("the base value")?;
    // Three decimal digits, each 0 or 1: vertex labels, edge loads, vertex loads are present.
    let flags = words.number("the flags")?;
    let (weighted, loads) = match flags {
        0 => (false, false),
        1 => (false, true),
        10 => (true, false),
        11 => (true, true),
        100..=111 => return Err(words.malformed("vertex labels are not read: number the vertices")),
        _ => return Err(words.malformed(format!("flags {flags:03} are unknown"))),
    };
    if !(1..=MAX_RANKS).contains(&vertices) {
        return Err(words.malformed(format!("{vertices} vertices where 1 to {MAX_RANKS} can be")));
    }
    let given = Given {
        edge_weights: weighted,
        weights: loads.then_some("loads"),
        unused: None,
    };
    let mut lists = Lists::new(vertices as usize, given);
    for vertex in 0..vertices as usize {
        if loads {
            let load = words.number("a vertex load")?;
            let weighed = lists.weigh(load);
            weighed.map_err(|problem| words.malformed(problem))?;
        }
        for _ in 0..words.number("a vertex degree")? {
            let weight = if weighted {
                words.number("an edge load")?
            } else {
                1
            };
            let neighbour = words.number("a neighbour")?;
            let pushed = match neighbour.checked_sub(base) {
                Some(neighbour) => lists.push(vertex, neighbour, weight, words.lines.number()),
                None => Err(format!(
                    "vertices count from {base}, but a neighbour is {neighbour}"
                )),
            };
            pushed.map_err(|problem| words.malformed(problem))?;
        }
    }
    words.end()?;
    if lists.arcs() as u64 != arcs {
        let problem = format!("{} neighbours where {arcs} are announced", lists.arcs());
        return Err(CommError::malformed(words.lines.path(), 2, problem));
    }
    lists.finish(words.lines.path())
}

/// The numbers of a file, whatever lines they are on.
struct Words<'a, R> {
    lines: Lines<'a, R>,
    ahead: VecDeque<Option<u64>>,
}

impl<R: BufRead> Words<'_, R> {
    fn number(&mut self, what: &str) -> Result<u64> {
        while self.ahead.is_empty() {
            if !self.lines.advance()? {
                let problem = format!("the file ends before {what}: is it complete?");
                return Err(self.malformed(problem));
            }
            self.ahead.extend(fields(self.lines.current()).map(whole));
        }
        match self.ahead.pop_front() {
            Some(Some(number)) => Ok(number),
            _ => Err(self.malformed(format!("{what} is not a whole number"))),
        }
    }

    /// Checks that no number follows.
    fn end(&mut self) -> Result<()> {
        while self.ahead.is_empty() {
            if !self.lines.advance()? {
                return Ok(());
            }
            self.ahead.extend(fields(self.lines.current()).map(whole));
        }
        Err(self.malformed("more numbers than the vertices need"))
    }

    fn malformed(&self, problem: impl Into<String>) -> CommError {
        self.lines.malformed(problem)
    }
}

fn write(traffic: &Traffic, output: &mut dyn Write) -> Result<(), WriteError> {
    let edges = Edges::of(traffic)?;
    let ranks = edges.ranks();
    let arcs = edges.degrees();
    let loads = traffic.weights();
    let given = if loads.is_empty() { "010" } else { "011" };
    writeln!(output, "0\n{ranks}\t{arcs}\n0\t{given}")?;
    for rank in (0..ranks).map(Rank::at) {
        if let Some(load) = loads.get(rank.index()) {
            write!(output, "{load}\t")?;
        }
        write!(output, "{}", edges.degree(rank))?;
        for (partner, weight) in edges.partners(rank) {
            write!(output, "\t{weight}\t{partner}")?;
        }
        writeln!(output)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{entries_of, lines, refusals, round_trip, traffic};
    use super::*;
    use proptest::prelude::*;

    fn text(text: &str) -> Result<Traffic> {
        parse(lines(text, "a.grf")).map(|read| read.traffic)
    }

    #[test]
    fn edge_loads_stand_before_neighbours_and_vertex_loads_are_weights() {
        let loaded = "0\n3 2\n1 011\n8 1 5 3\n8 0\n8 1 5\n1\n";
        let read = text(loaded).unwrap();
        assert_eq!(entries_of(&read), [(0, 2, 5, 0), (2, 0, 5, 0)]);
        assert_eq!(read.weights(), [8, 8, 8]);
        let mut written = Vec::new();
        write(&read, &mut written).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert_eq!(text(&written).unwrap(), read);
        let notes = parse(lines(loaded, "a.grf")).unwrap().notes;
        assert!(
            notes[1].contains("the loads of its vertices are the slots"),
            "{notes:?}"
        );
        let read = text("0\n2 2\n0 000\n1 1\n1 0\n").unwrap();
        assert_eq!(entries_of(&read), [(0, 1, 1, 0), (1, 0, 1, 0)]);
    }

    #[test]
    fn every_mistake_is_named_with_its_line() {
        refusals(
            text,
            &[
                ("", "a.grf:1: the file ends before the version"),
                ("1\n2 2\n0 000\n", "a.grf:1: not a Scotch graph"),
                ("0\nx 2\n", "a.grf:2: the number of vertices is not"),
                ("0\n2 2\n0 100\n", "a.grf:3: vertex labels are not read"),
                ("0\n2 2\n0 020\n", "a.grf:3: flags 020"),
                ("0\n0 0\n0 000\n", "a.grf:3: 0 vertices"),
                ("0\n2 2\n1 000\n1 0\n", "a.grf:4: vertices count from 1"),
                ("0\n2 2\n0 000\n1 2\n", "a.grf:4: a neighbour is beyond"),
                (
                    "0\n2 2\n0 000\n1 1\n",
                    "a.grf:5: the file ends before a vertex",
                ),
                ("0\n2 2\n0 000\n1 1\n1 0\n7\n", "a.grf:6: more numbers"),
                ("0\n2 4\n0 000\n1 1\n1 0\n", "a.grf:2: 2 neighbours where 4"),
                (
                    "0\n2 2\n0 010\n1 5 1\n1 6 0\n",
                    "a.grf:4: an edge is missing",
                ),
            ],
        );
    }

    proptest! {
        #[test]
        fn an_undirected_graph_that_is_written_is_read_back(traffic in traffic(true)) {
            prop_assert_eq!(round_trip(&WRITER, text, &traffic), traffic);
        }
    }
}
