//! METIS graphs, also read by `KaHIP`: a line `n m fmt`, then the neighbours of every vertex,
//! counted from 1.
//!
//! The weight of an edge is the bytes that a pair of ranks exchange each way (see [`undirected`]).
//! The weight of a vertex is the weight of its rank. Sizes of vertices and several weights a vertex
//! are not used, and a note says so. The format is defined in the METIS 5 manual, section 4.1.1.
//! The 32-bit builds of METIS and KaHIP accept no weight above 2^31 - 1.

use super::text::{Lines, MAX_RANKS, fields, whole};
use super::{Mark, Read, Reader, Reading, Writer};
use crate::undirected::{self, Edges, Given, Lists};
use rankfold_base::Rank;
use rankfold_graph::{CommError, Result, Traffic, WriteError};
use std::io::{BufRead, Write};
use std::path::Path;

/// Entry in [`READERS`](super::READERS).
pub(super) const READER: Reader = Reader {
    mark: Mark::Ending("graph"),
    summary: "METIS or KaHIP graph, edge weight = bytes each way",
    read: Read::Matrix(read),
    phases: None,
};

/// Entry in [`WRITERS`](super::WRITERS).
pub(super) const WRITER: Writer = Writer {
    ending: "graph",
    summary: "METIS or KaHIP graph, edge weight = bytes each way",
    keeps: undirected::KEEPS,
    write,
};

fn read(path: &Path) -> Result<Reading> {
    parse(Lines::open(path)?)
}

fn parse<R: BufRead>(mut lines: Lines<'_, R>) -> Result<Reading> {
    lines.advance_to_data(b'%')?;
    let header = Header::parse(lines.current()).map_err(|problem| lines.malformed(problem))?;
    let mut lists = Lists::new(header.vertices, header.given);
    for vertex in 0..header.vertices {
        if !lines.advance_past(b'%')? {
            return Err(lines.malformed(format!(
                "the file ends after {vertex} of {} vertices: is it complete?",
                header.vertices
            )));
        }
        let number = lines.number();
        list(lines.current(), &header, |entry| match entry {
            VertexEntry::Weight(weight) => lists.weigh(weight),
            VertexEntry::Neighbour(neighbour, weight) => {
                lists.push(vertex, neighbour, weight, number)
            }
        })
        .map_err(|problem| lines.malformed(problem))?;
    }
    if lines.advance_to_data(b'%')? {
        let vertices = header.vertices;
        return Err(lines.malformed(format!("more than the {vertices} lines announced")));
    }
    let found = lists.arcs() as u64;
    if header.edges.checked_mul(2) != Some(found) {
        let edges = header.edges;
        let problem = format!("{found} neighbours in all; {edges} edges need twice as many");
        return Err(CommError::malformed(lines.path(), 1, problem));
    }
    lists.finish(lines.path())
}

struct Header {
    vertices: usize,
    edges: u64,
    /// How many numbers precede the weight and the neighbours of a vertex: its size, or its size
    /// and several weights.
    skipped: usize,
    given: Given,
}

impl Header {
    fn parse(line: &[u8]) -> Result<Self, String> {
        const FORM: &str = "the first line must be: vertices edges [fmt [ncon]]";
        let words: Vec<&[u8]> = fields(line).collect();
        let numbers: Option<Vec<u64>> = words.iter().map(|word| whole(word)).collect();
        let (vertices, edges, fmt, ncon) = match numbers.as_deref() {
            Some(&[vertices, edges]) => (vertices, edges, 0, 1),
            Some(&[vertices, edges, fmt]) => (vertices, edges, fmt, 1),
            Some(&[vertices, edges, fmt, ncon]) => (vertices, edges, fmt, ncon),
            _ => return Err(FORM.into()),
        };
        // Three decimal digits, each 0 or 1: vertex sizes, vertex weights, edge weights are
        // present.
        let flag = |unit| match fmt / unit % 10 {
            bit @ 0..=1 => Ok(bit),
            _ => Err(format!("fmt {fmt} is unknown: its digits are 0 or 1")),
        };
        let (sizes, weights, weighted) = (flag(100)?, flag(10)?, flag(1)?);
        if fmt > 111 || ncon > 1 << 10 {
            return Err(format!("fmt {fmt} with {ncon} weights a vertex is unknown"));
        }
        match vertices {
            0 => Err(CommError::Empty.to_string()),
            1..=MAX_RANKS => Ok(Self {
                vertices: vertices as usize,
                edges,
                skipped: match weights * ncon {
                    1 => sizes as usize,
                    several => (sizes + several) as usize,
                },
                given: Given {
                    edge_weights: weighted == 1,
                    weights: (weights * ncon == 1).then_some("weights"),
                    unused: match (sizes, weights * ncon) {
                        (0, 0 | 1) => None,
                        (0, _) => Some("several weights"),
                        (_, 0 | 1) => Some("sizes"),
                        _ => Some("sizes and several weights"),
                    },
                },
            }),
            _ => Err(format!(
                "{vertices} vertices are more than the {MAX_RANKS} supported"
            )),
        }
    }
}

/// What the line of a vertex holds.
enum VertexEntry {
    /// The weight of the vertex.
    Weight(u64),
    /// A neighbour, counted from 0, and the weight of the edge.
    Neighbour(u64, u64),
}

/// Passes the weight of one vertex and its neighbours to `push`.
fn list(
    line: &[u8],
    header: &Header,
    mut push: impl FnMut(VertexEntry) -> Result<(), String>,
) -> Result<(), String> {
    let mut numbers = fields(line).map(|word| {
        whole(word).ok_or_else(|| {
            let word = String::from_utf8_lossy(word);
            format!("{word:?} is not a whole number")
        })
    });
    for _ in 0..header.skipped {
        numbers.next().ok_or("the vertex lacks its weights")??;
    }
    if header.given.weights.is_some() {
        let weight = numbers.next().ok_or("the vertex lacks its weight")??;
        push(VertexEntry::Weight(weight))?;
    }
    while let Some(neighbour) = numbers.next().transpose()? {
        let weight = if header.given.edge_weights {
            numbers.next().ok_or("a neighbour lacks its weight")??
        } else {
            1
        };
        let neighbour = neighbour
            .checked_sub(1)
            .ok_or("vertices count from 1, but a neighbour is 0")?;
        push(VertexEntry::Neighbour(neighbour, weight))?;
    }
    Ok(())
}

fn write(traffic: &Traffic, output: &mut dyn Write) -> Result<(), WriteError> {
    let edges = Edges::of(traffic)?;
    let ranks = edges.ranks();
    let weights = traffic.weights();
    let given = if weights.is_empty() { "001" } else { "011" };
    writeln!(output, "{ranks} {} {given}", edges.degrees() / 2)?;
    for rank in (0..ranks).map(Rank::at) {
        let own = weights.get(rank.index()).map(ToString::to_string);
        let list = edges
            .partners(rank)
            .map(|(partner, weight)| format!("{} {weight}", partner.0 + 1));
        let list: Vec<String> = own.into_iter().chain(list).collect();
        writeln!(output, "{}", list.join(" "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{entries_of, lines, refusals, round_trip, traffic};
    use super::*;
    use proptest::prelude::*;

    fn text(text: &str) -> Result<Traffic> {
        parse(lines(text, "a.graph")).map(|read| read.traffic)
    }

    #[test]
    fn an_edge_is_its_weight_each_way() {
        let read = text("% a comment\n3 2 001\n2 5\n1 5 3 4\n2 4\n").unwrap();
        assert_eq!(
            entries_of(&read),
            [(0, 1, 5, 0), (1, 0, 5, 0), (1, 2, 4, 0), (2, 1, 4, 0)]
        );
    }

    #[test]
    fn a_graph_without_weights_is_the_graph_with_weight_one() {
        let (plain, weighted) = ("3 2\n2\n1 3\n2\n", "3 2 1\n2 1\n1 1 3 1\n2 1\n");
        assert_eq!(text(plain).unwrap(), text(weighted).unwrap());
    }

    #[test]
    fn what_is_assumed_of_weights_is_told() {
        let notes = |text: &str| parse(lines(text, "a.graph")).unwrap().notes;
        assert_eq!(
            notes("2 1\n2\n1\n"),
            ["a.graph: its edges have no weights, so each counts as 1 byte each way"]
        );
        let message = notes("2 1 100\n9 2\n9 1\n");
        assert!(message[1].contains("the sizes of its vertices are not used"));
        let message = notes("2 1 010\n9 2\n8 1\n");
        assert!(message[1].contains("weights of its vertices are the slots"));
        assert_eq!(notes("2 1 010\n1 2\n1 1\n").len(), 1, "one slot each");
        let message = notes("3 1 111 2\n9 7 7 3 1\n9 7 7\n9 7 7 1 1\n");
        assert!(
            message[0].contains("weight w counts as w bytes each way"),
            "{message:?}"
        );
        assert!(
            message[1].contains("sizes and several weights"),
            "{message:?}"
        );
    }

    #[test]
    fn weights_of_vertices_are_read_and_written() {
        let given = "3 2 011\n8 2 5\n1 1 5 3 4\n2 2 4\n";
        let read = text(given).unwrap();
        assert_eq!(read.weights(), [8, 1, 2]);
        let mut written = Vec::new();
        write(&read, &mut written).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), given);
        assert_eq!(text("2 1 110\n7 3 2\n7 4 1\n").unwrap().weights(), [3, 4]);
        assert!(
            text("2 1 110 2\n7 3 1 2\n7 4 1 1\n")
                .unwrap()
                .weights()
                .is_empty()
        );
    }

    #[test]
    fn blank_lines_are_vertices_alone() {
        let read = text("3 1\n3\n\n1\n").unwrap();
        let expected = vec![(0, 2, 1, 0), (2, 0, 1, 0)];
        assert_eq!((read.ranks(), entries_of(&read)), (3, expected));
    }

    #[test]
    fn every_mistake_is_named_with_its_line() {
        refusals(
            text,
            &[
                ("", "a.graph:1: the first line must be"),
                ("3\n", "a.graph:1: the first line must be"),
                ("0 0\n", "a.graph:1: the communication matrix is empty"),
                ("2 1 2\n2\n1\n", "a.graph:1: fmt 2"),
                ("99999999999 1\n", "a.graph:1: 99999999999 vertices"),
                ("2 1\n2\n", "a.graph:3: the file ends after 1 of 2 vertices"),
                ("2 1\n2\n1\n1\n", "a.graph:4: more than the 2 lines"),
                ("2 1\n3\n1\n", "a.graph:2: a neighbour is beyond the 2"),
                ("2 1\n0\n1\n", "a.graph:2: vertices count from 1"),
                ("2 1\n1\n1\n", "a.graph:2: a vertex is its own neighbour"),
                ("2 1\nx\n1\n", "a.graph:2: \"x\" is not a whole number"),
                (
                    "2 1 001\n2\n1 1\n",
                    "a.graph:2: a neighbour lacks its weight",
                ),
                ("2 1 001\n2 0\n1 0\n", "a.graph:2: an edge has weight 0"),
                (
                    "2 1 010\n4294967296 2\n1 1\n",
                    "a.graph:2: a vertex weighs 4294967296",
                ),
                ("2 2\n2\n1\n", "a.graph:1: 2 neighbours in all; 2 edges"),
                ("2 1 001\n2 5\n1 6\n", "a.graph:2: an edge is missing"),
                ("2 1\n2 2\n\n", "a.graph:2: a neighbour occurs twice"),
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
