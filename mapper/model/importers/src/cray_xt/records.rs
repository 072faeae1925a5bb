//! Reads the records of the service database and the table of the states of nodes.

use super::super::{Result, Source, SourceLine, lines};
use std::collections::{BTreeMap, HashMap};

/// A node of the system.
#[derive(Clone, Debug)]
pub(super) struct CrayNode<'a> {
    pub(super) place: SourceLine<'a>,
    number: u32,
    /// The coordinates x, y and z of its router.
    pub(super) at: [usize; 3],
    /// Its place in the machine room, such as `c0-0c1s4n2`.
    pub(super) position: Option<String>,
    /// Whether the node is a compute node that is up.
    pub(super) is_usable: bool,
}

impl CrayNode<'_> {
    /// The name of the host in job lists.
    pub(super) fn host(&self) -> String {
        format!("nid{:05}", self.number)
    }
}

/// The nodes by their numbers.
pub(super) type Nodes<'a> = BTreeMap<u32, CrayNode<'a>>;

/// Whether a text is the table of processors of the service database.
pub(super) fn is_database(source: &Source) -> bool {
    records(source).next().is_some_and(|(_, line)| {
        let names = ["x_coord", "y_coord", "z_coord", "processor_id"];
        let fields = fields(line);
        names.iter().all(|name| fields.contains_key(name))
    })
}

/// Whether a text is the output of `xtprocadmin`.
pub(super) fn is_state_table(source: &Source) -> bool {
    records(source)
        .next()
        .is_some_and(|(_, line)| StateColumns::of(line).is_some())
}

/// Adds the nodes of the database.
///
/// # Errors
/// [`ImportError`] if a record lacks a field, or if a node has two records.
pub(super) fn add_database<'a>(source: &'a Source, nodes: &mut Nodes<'a>) -> Result<()> {
    for (place, line) in records(source) {
        let fields = fields(line);
        let text = |name: &str| {
            let value = fields.get(name).copied();
            value.ok_or_else(|| place.bad(format!("this record has no field {name}")))
        };
        let number = |name: &str| {
            let value = text(name)?;
            let problem = || place.bad(format!("{name}={value} is not a number"));
            value.parse::<u32>().map_err(|_| problem())
        };
        let coordinate = |name: &str| number(name).map(|value| value as usize);
        let node = CrayNode {
            place,
            number: number("processor_id")?,
            at: [
                coordinate("x_coord")?,
                coordinate("y_coord")?,
                coordinate("z_coord")?,
            ],
            position: position(&fields),
            is_usable: text("processor_type")? == "compute" && text("processor_status")? == "up",
        };
        let number = node.number;
        if let Some(other) = nodes.insert(number, node) {
            let line = other.place.line;
            return Err(place.bad(format!("node {number} is already on line {line}")));
        }
    }
    Ok(())
}

/// Takes the states of nodes from the output of `xtprocadmin`, which knows them later than the
/// database.
///
/// # Errors
/// [`ImportError`] if a line is no row of the table, or if the database does not have the node.
pub(super) fn add_states(source: &Source, nodes: &mut Nodes) -> Result<()> {
    let mut rows = records(source);
    let columns = rows.next().and_then(|(_, line)| StateColumns::of(line));
    let Some(columns) = columns else {
        return Err(SourceLine { source, line: 1 }.bad(
            "this is neither a file of xtdb2proc nor the table of xtprocadmin with columns NID, NODENAME, TYPE and STATUS",
        ));
    };
    for (place, line) in rows {
        let words: Vec<&str> = line.split_whitespace().collect();
        let word = |column: usize| words.get(column).copied();
        let number = word(columns.number).and_then(|word| word.parse().ok());
        let (Some(number), Some(kind), Some(status)) =
            (number, word(columns.kind), word(columns.status))
        else {
            return Err(place.bad("this row has no node number, type and status"));
        };
        let node: &mut CrayNode = match nodes.get_mut(&number) {
            Some(node) => node,
            None => return Err(place.bad(format!("the database has no node {number}"))),
        };
        node.is_usable = kind == "compute" && status == "up";
        if let Some(position) = word(columns.position) {
            node.position = Some(position.into());
        }
    }
    Ok(())
}

/// Where the columns of `xtprocadmin` are.
struct StateColumns {
    number: usize,
    position: usize,
    kind: usize,
    status: usize,
}

impl StateColumns {
    /// Reads the head line, `NID (HEX) NODENAME TYPE STATUS MODE`.
    fn of(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let column = |name: &str| words.iter().position(|&word| word == name);
        Some(Self {
            number: column("NID")?,
            position: column("NODENAME")?,
            kind: column("TYPE")?,
            status: column("STATUS")?,
        })
    }
}

/// The lines that are no comments.
fn records(source: &Source) -> impl Iterator<Item = (SourceLine<'_>, &str)> {
    lines(source).filter(|(_, line)| !line.starts_with('#'))
}

/// The fields of a record `name=value,name='value',...`.
fn fields(line: &str) -> HashMap<&str, &str> {
    line.split(',')
        .filter_map(|field| field.split_once('='))
        .map(|(name, value)| (name.trim(), value.trim().trim_matches('\'')))
        .collect()
}

/// The place of a node in the machine room, from its cabinet, cage, slot and number on the blade.
fn position(fields: &HashMap<&str, &str>) -> Option<String> {
    let number = |name: &str| fields.get(name)?.parse::<u32>().ok();
    let (column, row) = (number("cab_position")?, number("cab_row")?);
    let (cage, slot, node) = (number("cage")?, number("slot")?, number("cpu")?);
    Some(format!("c{column}-{row}c{cage}s{slot}n{node}"))
}
