//! Reads InfiniBand forwarding tables: the output of `dump_lfts` and `ibroute`, `opensm-lfts.dump`
//! and `opensm.fdbs`.
//!
//! In all these formats a table has a head line with the GUID of the switch, then lines with a LID
//! (hexadecimal) and a port (decimal).

use super::{Result, Source, SourceLine, lines};

/// The forwarding table of one switch.
#[derive(Debug)]
pub(super) struct Table<'a> {
    /// Position of the head line.
    pub(super) place: SourceLine<'a>,
    pub(super) guid: u64,
    pub(super) entries: Vec<Entry<'a>>,
}

/// The port by which messages for one LID leave the switch.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) place: SourceLine<'a>,
    pub(super) lid: u32,
    pub(super) port: u32,
}

/// Whether a text holds forwarding tables.
pub(super) fn recognises(source: &Source) -> bool {
    source.text.lines().any(|line| head(line).is_some())
}

/// Reads the tables of a text. Tables of multicast groups are skipped.
pub(super) fn read(source: &Source) -> Result<Vec<Table<'_>>> {
    let mut tables: Vec<Table> = Vec::new();
    let mut unicast = false;
    for (place, line) in lines(source) {
        if line.starts_with("Multicast") {
            unicast = false;
        } else if let Some(guid) = head(line) {
            unicast = true;
            let guid = guid.ok_or_else(|| place.bad("the switch's GUID is missing"))?;
            tables.push(Table {
                place,
                guid,
                entries: Vec::new(),
            });
        } else if let Some(table) = tables.last_mut()
            && unicast
            && line.starts_with("0x")
        {
            table.entries.extend(entry(place, line)?);
        }
    }
    Ok(tables)
}

/// The GUID of a head line: `None` if the line is no head line, `Some(None)` if the GUID cannot be
/// read.
fn head(line: &str) -> Option<Option<u64>> {
    let after = if line.starts_with("Unicast lids") {
        line.split_once("guid ").map_or("", |(_, after)| after)
    } else {
        line.strip_prefix("dump_ucast_routes: Switch ")?
    };
    let guid = after.split_whitespace().next().and_then(hexadecimal);
    Some(guid)
}

/// Reads an entry: `0x000a 012 : ...`, `0x000a 012 # ...` or `0x000A : 012 : ...`. The result is
/// `None` for an unreachable LID.
fn entry<'a>(place: SourceLine<'a>, line: &str) -> Result<Option<Entry<'a>>> {
    let mut words = line.split_whitespace().filter(|&word| word != ":");
    let lid = words.next().and_then(hexadecimal);
    let lid = lid.and_then(|lid| u32::try_from(lid).ok());
    let port = match words.next() {
        Some("UNREACHABLE") => return Ok(None),
        port => port.and_then(|port| port.parse().ok()),
    };
    match (lid, port) {
        (Some(lid), Some(port)) => Ok(Some(Entry { place, lid, port })),
        _ => Err(place.bad(format!("{line:?} does not begin with a LID and a port"))),
    }
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}
