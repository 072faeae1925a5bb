//! Imports the networks that LibTopoMap reads: names and neighbours of all vertices.
//!
//! ```text
//! num: 3
//! 0 n1
//! 1 n2
//! 2 switch
//! 0 2
//! 1 2
//! 2 0 1
//! ```
//!
//! The file does not say which vertices are hosts. Vertices with one neighbour are hosts, and all
//! others are switches; where every vertex has several neighbours, every vertex is a host. A
//! neighbour that is listed twice has two cables. With `w` in the first line a neighbour is written
//! as `2(10)`, where 10 is the bandwidth relative to other links.
//!
//! Source: Hoefler and Snir, "Generic topology mapping strategies for large-scale parallel
//! architectures", ICS 2011, section 4, whose library converts other networks to such files, for
//! instance the output of `fm_db2wirelist` (Myrinet).

use super::technology::Technology;
use super::{Description, ImportError, Importer, Result, Source, SourceLine, lines};
use rankfold_machine::Link;
use rankfold_machine::Speed;
use std::collections::{BTreeMap, HashMap};

/// The importer of LibTopoMap's networks.
pub(super) const LIBTOPOMAP: Importer = Importer {
    name: "libtopomap",
    about: "a network as LibTopoMap reads it: \"num: N\", then the name and the neighbours of every vertex",
    recognises: |source| {
        lines(source)
            .next()
            .is_some_and(|(_, line)| line.starts_with(HEADER))
    },
    for_job: None,
    technology: Technology::Unknown,
    read,
};

/// Beginning of the first line.
const HEADER: &str = "num:";

/// A vertex as far as it is known.
struct Vertex<'a> {
    name: &'a str,
    /// Where the name is.
    named: SourceLine<'a>,
    /// Cables and bandwidth of one cable to every neighbour, with the line that lists them.
    neighbours: Option<(SourceLine<'a>, Neighbours)>,
}

/// Cables to every neighbour, and the bandwidth of each.
type Neighbours = BTreeMap<u32, (u32, f64)>;

fn read(sources: &[Source]) -> Result<Description> {
    let [source] = sources else {
        let file = sources.last().map_or("libtopomap", |source| &source.file);
        return Err(ImportError::whole(
            file,
            "one file describes a whole network: give a single one",
        ));
    };
    let vertices = parse(source)?;
    check_both_ways(&vertices)?;
    Ok(describe(&vertices))
}

fn parse(source: &Source) -> Result<BTreeMap<u32, Vertex<'_>>> {
    let mut rest = lines(source);
    let mut last = SourceLine { source, line: 1 };
    let header = rest
        .next()
        .and_then(|(place, line)| Some((place, line.strip_prefix(HEADER)?)));
    let Some((place, header)) = header else {
        return Err(last.bad(format!("the first line must be \"{HEADER} N\", N vertices")));
    };
    let mut words = header.split_whitespace();
    let count: u32 = number(words.next().unwrap_or_default(), place)?;
    let weighted = words.any(|word| word.contains('w'));
    let mut vertices = BTreeMap::new();
    for (place, line) in rest {
        last = place;
        let (vertex, text) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let vertex: u32 = number(vertex, place)?;
        if vertex >= count {
            return Err(place.bad(format!("there is no vertex {vertex} among {count}")));
        }
        if (vertices.len() as u32) < count {
            add_name(&mut vertices, vertex, text.trim(), place)?;
        } else {
            let found = neighbours(text, weighted, count, place)?;
            let of_vertex: &mut Vertex =
                vertices.get_mut(&vertex).expect("all vertices have names");
            if of_vertex.neighbours.replace((place, found)).is_some() {
                return Err(place.bad(format!("vertex {vertex} has its neighbours twice")));
            }
        }
    }
    let unfinished = (0..count).find(|vertex| {
        vertices
            .get(vertex)
            .is_none_or(|vertex| vertex.neighbours.is_none())
    });
    match unfinished {
        Some(vertex) => Err(last.bad(format!(
            "the file ends before the name and the neighbours of vertex {vertex}: is it complete?"
        ))),
        None if count == 0 => Err(last.bad("a network needs a vertex")),
        None => Ok(vertices),
    }
}

fn add_name<'a>(
    vertices: &mut BTreeMap<u32, Vertex<'a>>,
    vertex: u32,
    name: &'a str,
    named: SourceLine<'a>,
) -> Result<()> {
    if name.is_empty() {
        return Err(named.bad(format!("vertex {vertex} has no name")));
    }
    let new = Vertex {
        name,
        named,
        neighbours: None,
    };
    match vertices.insert(vertex, new) {
        Some(_) => Err(named.bad(format!("vertex {vertex} has a name already"))),
        None => Ok(()),
    }
}

fn neighbours(text: &str, weighted: bool, count: u32, place: SourceLine) -> Result<Neighbours> {
    let mut found = Neighbours::new();
    for word in text.split_whitespace() {
        let (vertex, bandwidth) = match word.split_once('(') {
            Some((vertex, bandwidth)) if weighted => {
                let bandwidth = bandwidth
                    .strip_suffix(')')
                    .and_then(|text| text.parse().ok());
                let positive =
                    bandwidth.filter(|&bandwidth: &f64| bandwidth.is_finite() && bandwidth > 0.0);
                (
                    vertex,
                    positive.ok_or_else(|| place.bad(format!("{word}: no bandwidth")))?,
                )
            }
            None if !weighted => (word, 1.0),
            _ => {
                let form = if weighted {
                    "NEIGHBOUR(BANDWIDTH)"
                } else {
                    "NEIGHBOUR"
                };
                return Err(place.bad(format!("{word} is not of the form {form}")));
            }
        };
        let vertex = number(vertex, place)?;
        if vertex >= count {
            return Err(place.bad(format!("there is no vertex {vertex} among {count}")));
        }
        let (cables, known) = found.entry(vertex).or_insert((0, bandwidth));
        if *known != bandwidth {
            return Err(place.bad(format!("cables to vertex {vertex} differ in bandwidth")));
        }
        *cables += 1;
    }
    Ok(found)
}

fn number(text: &str, place: SourceLine) -> Result<u32> {
    text.parse()
        .map_err(|_| place.bad(format!("{text:?} is not a number of a vertex")))
}

/// Checks that every link is listed at both ends and joins two vertices, and that names differ.
fn check_both_ways(vertices: &BTreeMap<u32, Vertex>) -> Result<()> {
    let mut names = HashMap::new();
    for (&number, vertex) in vertices {
        if let Some(other) = names.insert(vertex.name, number) {
            let problem = format!("{} is the name of vertex {other}, too", vertex.name);
            return Err(vertex.named.bad(problem));
        }
        let Some((place, listed)) = &vertex.neighbours else {
            continue;
        };
        for (&neighbour, cables) in listed {
            let back = vertices[&neighbour].neighbours.as_ref();
            if neighbour == number {
                return Err(place.bad(format!("vertex {number} is its own neighbour")));
            }
            if back.and_then(|(_, back)| back.get(&number)) != Some(cables) {
                return Err(place.bad(format!(
                    "the line of vertex {neighbour} does not list the same link to vertex {number}"
                )));
            }
        }
    }
    Ok(())
}

impl Vertex<'_> {
    /// Every neighbour with its cables and the bandwidth of each.
    fn neighbours(&self) -> impl Iterator<Item = (u32, (u32, f64))> {
        let listed = self.neighbours.iter().flat_map(|(_, listed)| listed);
        listed.map(|(&neighbour, &cables)| (neighbour, cables))
    }

    fn is_leaf(&self) -> bool {
        self.neighbours().count() == 1
    }
}

fn describe(vertices: &BTreeMap<u32, Vertex>) -> Description {
    let without_leaves = !vertices.values().any(Vertex::is_leaf);
    let (hosts, switches): (Vec<_>, Vec<_>) = vertices
        .iter()
        .partition(|(_, vertex)| without_leaves || vertex.is_leaf());
    let numbers = hosts.iter().chain(&switches).map(|(number, _)| **number);
    let new_number: HashMap<u32, u32> = numbers.zip(0..).collect();
    let mut links = Vec::new();
    for (&one, vertex) in vertices {
        let later = vertex.neighbours().filter(|&(other, _)| other > one);
        links.extend(later.map(|(other, (cables, bandwidth))| Link {
            ends: (new_number[&one], new_number[&other]),
            speed: Speed::relative(bandwidth),
            cables,
        }));
    }
    let names = |of: &[(&u32, &Vertex)]| {
        let names = of.iter().map(|(_, vertex)| vertex.name.to_owned());
        names.collect()
    };
    Description {
        hosts: names(&hosts),
        switches: names(&switches),
        links,
        ..Description::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(text: &str) -> Result<Description> {
        LIBTOPOMAP.import(vec![Source {
            file: "net".into(),
            text: text.into(),
        }])
    }

    #[test]
    fn leaves_are_hosts_of_the_switches_between_them() {
        let found = import("num: 5\n4 s\n0 a\n1 b\n3 t\n2 c\n0 4\n1 3\n2 3\n3 1 2 4 4\n4 0 3 3\n");
        let found = found.unwrap();
        assert_eq!(
            (found.hosts.join(" "), found.switches.join(" ")),
            ("a b c".into(), "t s".into())
        );
        let links: Vec<_> = found
            .links
            .iter()
            .map(|link| (link.ends, link.cables))
            .collect();
        assert_eq!(links, [((0, 4), 1), ((1, 3), 1), ((2, 3), 1), ((3, 4), 2)]);
    }

    #[test]
    fn in_a_ring_every_vertex_is_a_host() {
        let found =
            import("num: 3 w\n0 a\n1 b\n2 c\n0 1(2) 2(1)\n1 0(2) 2(4)\n2 0(1) 1(4)\n").unwrap();
        assert_eq!((found.hosts.len(), found.switches.len()), (3, 0));
        let bandwidths: Vec<f64> = found
            .links
            .iter()
            .map(|link| link.speed.bandwidth)
            .collect();
        assert_eq!(bandwidths, [2.0, 1.0, 4.0]);
    }

    #[test]
    fn every_mistake_names_its_line() {
        for (text, problem) in [
            ("nodes: 3\n", "net:1: the first line"),
            ("num: many\n", "net:1: \"many\" is not a number"),
            ("num: 0\n", "net:1: a network needs a vertex"),
            ("num: 2\n0 a\n2 b\n", "net:3: there is no vertex 2"),
            ("num: 2\n0 a\n0 b\n", "net:3: vertex 0 has a name already"),
            ("num: 2\n0 a\n1\n", "net:3: vertex 1 has no name"),
            (
                "num: 2\n0 a\n1 a\n0 1\n1 0\n",
                "net:3: a is the name of vertex 0, too",
            ),
            (
                "num: 2\n0 a\n1 b\n0 1\n",
                "net:4: the file ends before the name and the neighbours of vertex 1",
            ),
            (
                "num: 2\n0 a\n1 b\n0 1\n1\n",
                "net:4: the line of vertex 1 does not list",
            ),
            (
                "num: 2\n0 a\n1 b\n0 0 1\n1 0\n",
                "net:4: vertex 0 is its own neighbour",
            ),
            (
                "num: 2\n0 a\n1 b\n0 1\n0 1\n",
                "net:5: vertex 0 has its neighbours twice",
            ),
            (
                "num: 2\n0 a\n1 b\n0 1(2)\n1 0(2)\n",
                "net:4: 1(2) is not of the form NEIGHBOUR",
            ),
            (
                "num: 2 w\n0 a\n1 b\n0 1(-2)\n1 0(2)\n",
                "net:4: 1(-2): no bandwidth",
            ),
            (
                "num: 2 w\n0 a\n1 b\n0 1(2) 1(3)\n1 0(2)\n",
                "net:4: cables to vertex 1 differ",
            ),
        ] {
            let error = import(text).unwrap_err().to_string();
            assert!(error.starts_with(problem), "{text:?}: {error}");
        }
    }
}
