//! Reads routes that `ibtracert` printed as the forwarding tables they come from.
//!
//! Every line of a trace names the port by which messages leave a device, and the device behind
//! the cable. The switches on the way so tell one entry each of their forwarding tables, for the
//! LID at the end. Traces of all pairs of hosts give the tables as far as messages between hosts
//! need them.

use super::super::lft::{Entry, Table};
use super::super::{Result, Source, SourceLine, has_line, lines};
use super::discover::bracketed;
use std::collections::{BTreeMap, HashMap};

/// The beginning of a trace from one adapter to another.
const START: &str = "From ca {";
const END: &str = "To ca {";

/// Whether a text holds traces.
pub(super) fn recognises(source: &Source) -> bool {
    has_line(source, &[START])
}

/// A switch on the way, and the port by which the message leaves it.
struct SwitchOnTheWay<'a> {
    place: SourceLine<'a>,
    guid: u64,
    port: u32,
}

/// Reads the traces of a text. Comments and the lines of unknown programs between traces are
/// skipped.
///
/// # Errors
/// [`ImportError`] if a trace cannot be read or has no end, or if two traces leave one switch for
/// one destination by different ports.
pub(super) fn read(source: &Source) -> Result<Vec<Table<'_>>> {
    let mut tables: BTreeMap<u64, Table> = BTreeMap::new();
    let mut known: HashMap<(u64, u32), (u32, usize)> = HashMap::new();
    // The line on which the open trace begins, its last switch, and all switches behind it.
    let mut open: Option<SourceLine> = None;
    let mut last: Option<u64> = None;
    let mut way: Vec<SwitchOnTheWay> = Vec::new();
    for (place, line) in lines(source) {
        if line.starts_with(START) {
            no_end(open)?;
            (open, last) = (Some(place), None);
            way.clear();
        } else if line.starts_with(END) {
            if open.take().is_none() {
                return Err(place.bad("this trace has no line that begins with From"));
            }
            let lid = destination(line).ok_or_else(|| place.bad("this line has no LID"))?;
            for switch in way.drain(..) {
                add(&mut tables, &mut known, &switch, lid)?;
            }
        } else if open.is_some() && line.starts_with('[') {
            let (port, next) =
                step(line).ok_or_else(|| place.bad("this line of a trace cannot be read"))?;
            if let Some(guid) = last {
                way.push(SwitchOnTheWay { place, guid, port });
            }
            last = Some(next);
        }
    }
    no_end(open)?;
    Ok(tables.into_values().collect())
}

/// An error if a trace is still open.
fn no_end(open: Option<SourceLine>) -> Result<()> {
    open.map_or(Ok(()), |place| {
        Err(place
            .bad("this trace has no line that begins with To: ibtracert did not reach the host"))
    })
}

/// Adds one entry to the table of a switch.
fn add<'a>(
    tables: &mut BTreeMap<u64, Table<'a>>,
    known: &mut HashMap<(u64, u32), (u32, usize)>,
    switch: &SwitchOnTheWay<'a>,
    lid: u32,
) -> Result<()> {
    let SwitchOnTheWay { place, guid, port } = *switch;
    if let Some(&(other, line)) = known.get(&(guid, lid)) {
        if other == port {
            return Ok(());
        }
        return Err(place.bad(format!(
            "switch {guid:#018x} sends LID {lid} to port {port} here and to port {other} on line {line}"
        )));
    }
    known.insert((guid, lid), (port, place.line));
    let table = tables.entry(guid).or_insert_with(|| Table {
        place,
        guid,
        entries: Vec::new(),
    });
    table.entries.push(Entry { place, lid, port });
    Ok(())
}

/// Reads `[1] -> switch port {0x0000000000200002}[5] lid 9-9 "leaf00"`: the port and the GUID
/// behind the cable.
fn step(line: &str) -> Option<(u32, u64)> {
    let (out, rest) = line.split_once(" -> ")?;
    let (guid, _) = rest.split_once('{')?.1.split_once('}')?;
    let guid = u64::from_str_radix(guid.strip_prefix("0x")?, 16).ok()?;
    Some((bracketed(out)?, guid))
}

/// Reads the first LID of `To ca {0x...} portnum 1 lid 34-34 "n0027"`.
fn destination(line: &str) -> Option<u32> {
    let (_, after) = line.split_once(" lid ")?;
    after.split('-').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ftree, ftree_tables};
    use super::super::{Subnet, read as machine};
    use super::*;
    use std::fmt::Write;

    /// What ibtracert prints for all pairs of hosts of a fabric, from its forwarding tables.
    fn all_pairs() -> Source {
        let network = ftree();
        let subnet = Subnet::new(&[ftree(), ftree_tables()]).unwrap();
        let devices = super::super::DiscoveredSubnet::parse(&network)
            .unwrap()
            .devices;
        let device = |name: &str| devices.iter().find(|d| d.name == name).unwrap();
        let lid = |name: &str| device(name).ports[0].lid.unwrap();
        let mut text = String::new();
        let hosts = subnet.hosts();
        for (from, to) in hosts
            .iter()
            .flat_map(|from| hosts.iter().map(move |to| (from, to)))
        {
            if from == to {
                continue;
            }
            writeln!(
                text,
                "From ca {{{:#018x}}} portnum 1 lid {}-{} \"{from}\"",
                device(from).guid,
                lid(from),
                lid(from)
            )
            .unwrap();
            for cable in subnet.path(from, to).unwrap() {
                let kind = if device(&cable.device).switch {
                    "switch"
                } else {
                    "ca"
                };
                writeln!(
                    text,
                    "[{}] -> {kind} port {{{:#018x}}}[{}] lid 1-1 \"{}\"",
                    cable.out,
                    device(&cable.device).guid,
                    cable.into,
                    cable.device
                )
                .unwrap();
            }
            writeln!(
                text,
                "To ca {{{:#018x}}} portnum 1 lid {}-{} \"{to}\"",
                device(to).guid,
                lid(to),
                lid(to)
            )
            .unwrap();
        }
        Source {
            file: "traces".into(),
            text,
        }
    }

    #[test]
    fn traces_of_all_pairs_give_the_routes_of_the_tables() {
        let traced = Subnet::new(&[ftree(), all_pairs()]).unwrap();
        let tables = Subnet::new(&[ftree(), ftree_tables()]).unwrap();
        for from in tables.hosts() {
            for to in tables.hosts() {
                assert_eq!(
                    traced.path(from, to),
                    tables.path(from, to),
                    "{from} to {to}"
                );
            }
        }
    }

    #[test]
    fn what_ibtracert_printed_is_recognised_and_too_few_pairs_are_told() {
        let few = Source {
            file: "few".into(),
            text: include_str!("../../tests/fixtures/infiniband/fat-tree-ftree/ibtracert.txt")
                .into(),
        };
        assert!(recognises(&few) && !recognises(&ftree()));
        let error = machine(&[ftree(), few]).unwrap_err().to_string();
        assert!(
            error.starts_with("few:") && error.contains("has no route to host"),
            "{error}"
        );
    }

    #[test]
    fn damaged_traces_name_file_and_line() {
        for (from, to, expected) in [
            (
                "[1] ->",
                "[x] ->",
                "traces:2: this line of a trace cannot be read",
            ),
            (
                "To ca {",
                "Sent to ca {",
                "traces:1: this trace has no line that begins with To",
            ),
            ("From ca {", "Then ca {", "traces:"),
        ] {
            let mut traces = all_pairs();
            traces.text = traces.text.replacen(from, to, 1);
            let error = machine(&[ftree(), traces]).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn two_routes_from_one_switch_to_one_host_are_told() {
        let mut traces = all_pairs();
        let way = traces.text.lines().nth(2).unwrap().to_owned();
        let port = bracketed(&way).unwrap();
        let last = traces.text.rfind(&format!("{way}\n")).unwrap();
        assert!(last > way.len());
        traces.text.replace_range(
            last..=last + port.to_string().len(),
            &format!("[{}", port + 1),
        );
        let error = machine(&[ftree(), traces]).unwrap_err().to_string();
        assert!(
            error.starts_with("traces:") && error.contains("here and to port"),
            "{error}"
        );
    }
}
