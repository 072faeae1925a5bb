//! Reads `ibdiagnet2.db_csv`, in which `ibdiagnet` 2 writes a table for everything that it knows.
//!
//! A table stands between the lines `START_NODES` and `END_NODES`, and begins with the names of its
//! columns. Three tables tell the network: `NODES`, `PORTS` and `LINKS`. Texts that may hold commas
//! are quoted.

use super::super::{ImportError, Result, Source, SourceLine, lines};
use super::discover::{DiscoveredSubnet, RATES};
use super::links_list::CableEnd;
use std::collections::HashMap;

/// The number of an active port in the column `PortState`.
const ACTIVE: &str = "4";
/// The lanes of every number in the column `LinkWidthActv`.
const WIDTHS: [(&str, u32); 5] = [("1", 1), ("2", 4), ("4", 8), ("8", 12), ("16", 2)];
/// The rate of every number in the column `LinkSpeedActv`: bits of the register `PortInfo`, those
/// of extended speeds from the ninth on, and that of FDR10 as the seventeenth.
const SPEEDS: [(&str, &str); 9] = [
    ("1", "SDR"),
    ("2", "DDR"),
    ("4", "QDR"),
    ("256", "FDR"),
    ("512", "EDR"),
    ("1024", "HDR"),
    ("2048", "NDR"),
    ("4096", "XDR"),
    ("65536", "FDR10"),
];

/// Whether a text is such a database.
pub(super) fn recognises(source: &Source) -> bool {
    let mut lines = source.text.lines().map(str::trim);
    lines.any(|line| line == "START_NODES" || line == "START_LINKS")
}

/// A row of a table, with the columns of its table.
struct Row<'a> {
    place: SourceLine<'a>,
    columns: &'a str,
    fields: &'a str,
}

impl<'a> Row<'a> {
    /// The field in this column.
    fn field(&self, name: &str) -> Result<&'a str> {
        let unreadable = || self.place.bad(format!("this row has no {name}"));
        let column = self.columns.split(',').position(|n| n.trim() == name);
        let column = column.ok_or_else(unreadable)?;
        fields(self.fields).nth(column).ok_or_else(unreadable)
    }

    fn number(&self, name: &str) -> Result<u32> {
        let text = self.field(name)?;
        text.parse().map_err(|_| {
            self.place
                .bad(format!("{name} is {text:?}, which is no number"))
        })
    }

    /// The GUID in this column, as written behind `0x` and as a number.
    fn guid(&self, name: &str) -> Result<(&'a str, u64)> {
        let text = self.field(name)?;
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let guid = u64::from_str_radix(digits, 16).map_err(|_| {
            self.place
                .bad(format!("{name} is {text:?}, which is no GUID"))
        })?;
        Ok((digits, guid))
    }
}

/// The fields of a row without white space and quotes around them.
fn fields(row: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    row.split(move |letter| {
        is_quoted ^= letter == '"';
        letter == ',' && !is_quoted
    })
    .map(|field| field.trim().trim_matches('"').trim())
}

/// The rows of the table `name`.
fn table<'a>(source: &'a Source, name: &str) -> Result<Vec<Row<'a>>> {
    let (start, end) = (format!("START_{name}"), format!("END_{name}"));
    let mut all = lines(source).skip_while(|(_, line)| line.trim() != start);
    let missing = |problem: String| ImportError::whole(&source.file, problem);
    if all.next().is_none() {
        return Err(missing(format!("the table {name} is missing")));
    }
    let columns = all.next().map_or("", |(_, line)| line);
    let mut rows = Vec::new();
    for (place, fields) in all {
        if fields.trim() == end {
            return Ok(rows);
        }
        rows.push(Row {
            place,
            columns,
            fields,
        });
    }
    Err(missing(format!("the file ends within the table {name}")))
}

impl<'a> DiscoveredSubnet<'a> {
    /// Reads the database. Cables that are not active, routers and aggregation nodes of switches
    /// are left out.
    ///
    /// # Errors
    /// [`ImportError`] if a table is missing or cut, or if a row cannot be read.
    pub(super) fn of_database(source: &'a Source) -> Result<Self> {
        let mut network = Self::default();
        let mut nodes = HashMap::new();
        for row in table(source, "NODES")? {
            let kind = (row.field("NodeType")?, row.field("NodeDesc")?);
            nodes.insert(row.guid("NodeGUID")?.1, kind);
        }
        let mut ports = HashMap::new();
        for row in table(source, "PORTS")? {
            ports.insert((row.guid("NodeGuid")?.1, row.number("PortNum")?), row);
        }
        for row in table(source, "LINKS")? {
            let end = |node: &str, port: &str| -> Result<_> {
                let ((id, guid), port) = (row.guid(node)?, row.number(port)?);
                let unknown = |table| {
                    row.place
                        .bad(format!("the table {table} lacks {id} port {port}"))
                };
                let &(kind, text) = nodes.get(&guid).ok_or_else(|| unknown("NODES"))?;
                let entry = ports.get(&(guid, port)).ok_or_else(|| unknown("PORTS"))?;
                let end = CableEnd {
                    is_switch: kind == "2",
                    id,
                    guid,
                    text,
                    lid: entry.number("LID")?,
                    port,
                };
                Ok((end, kind, entry))
            };
            let (one, kind, port) = end("NodeGuid1", "PortNum1")?;
            let (other, other_kind, _) = end("NodeGuid2", "PortNum2")?;
            let is_part = |kind: &str| kind == "1" || kind == "2";
            if is_part(kind) && is_part(other_kind) && port.field("PortState")? == ACTIVE {
                network.add_cable(row.place, &one, &other, bandwidth(port)?)?;
            }
        }
        Ok(network)
    }
}

/// The bandwidth of a port in Gbit/s of data.
fn bandwidth(port: &Row) -> Result<f64> {
    let (width, speed) = (port.field("LinkWidthActv")?, port.field("LinkSpeedActv")?);
    let lanes = WIDTHS.iter().find(|(number, _)| *number == width);
    let rate = SPEEDS.iter().find(|(number, _)| *number == speed);
    let rate = rate.and_then(|(_, name)| RATES.iter().find(|(rate, _)| rate == name));
    let (Some((_, lanes)), Some((_, rate))) = (lanes, rate) else {
        let problem = format!("LinkWidthActv {width} and LinkSpeedActv {speed} are no rate");
        return Err(port.place.bad(problem));
    };
    Ok(f64::from(*lanes) * rate)
}
