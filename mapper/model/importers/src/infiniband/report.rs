//! Reads `ibnetdiscover -p` and `iblinkinfo`, with or without `-l`, which report ports with the
//! ports at the other ends of their cables.
//!
//! `ibnetdiscover -p` has a line for every port: `CA 134 1 0x7cfe9003003b4bde 4x EDR - SW 1719 10
//! 0x7cfe9003009ce5b0 ( 'n1 HCA-1' - 'leaf1' )`, with kind, LID, port, GUID, width and rate.
//! `iblinkinfo -l` has no kinds: `0x7cfe9003009ce5b0 "leaf1" 1719 10[  ] ==( 4X 25.78125 Gbps
//! Active/  LinkUp)==> 0x7cfe9003003b4bde 134 1[  ] "n1 HCA-1" ( )`; a GUID with several ports is a
//! switch, since adapters have one for every port. Without `-l` a heading (`CA: n1 HCA-1:`,
//! `Switch: 0x7cfe9003009ce5b0 leaf1:`) names the device of the lines that follow, and the other
//! end is known by its LID.

use super::super::{Result, Source, SourceLine, lines};
use super::discover::{DiscoveredSubnet, RATES};
use super::links_list::CableEnd;
use std::collections::{HashMap, HashSet};

/// What stands before the state of a link, and behind it.
const LINK: (&str, &str) = ("==(", ")==>");

/// Whether a text is one of these reports.
pub(super) fn recognises(source: &Source) -> bool {
    let mut lines = source.text.lines();
    lines.any(|line| line.contains(LINK.1) && line.contains(LINK.0) || is_of_ports(line))
}

/// Whether a line is one of `ibnetdiscover -p` with both ends.
fn is_of_ports(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().take(4).collect();
    matches!(words[..], ["CA" | "SW" | "RT", lid, port, guid]
        if lid.parse::<u32>().is_ok() && port.parse::<u32>().is_ok() && guid.starts_with("0x"))
}

/// A line of a report: both ends and the width and rate between them.
struct Reported<'a> {
    place: SourceLine<'a>,
    ends: [ReportedEnd<'a>; 2],
    bandwidth: f64,
}

struct ReportedEnd<'a> {
    /// `None` where the line does not tell the kind of the device.
    is_switch: Option<bool>,
    /// The GUID, or the LID where the line has no GUID.
    id: &'a str,
    text: &'a str,
    lid: u32,
    port: u32,
}

impl<'a> DiscoveredSubnet<'a> {
    /// Reads a report. Ports without an active link and routers are left out.
    ///
    /// # Errors
    /// [`ImportError`] if a line cannot be read.
    pub(super) fn of_report(source: &'a Source) -> Result<Self> {
        let mut network = Self::default();
        let (reported, guids) = reported(source)?;
        let ends = || reported.iter().flat_map(|line| &line.ends);
        let mut ports: HashMap<&str, HashSet<u32>> = HashMap::new();
        for end in ends() {
            ports.entry(end.id).or_default().insert(end.port);
        }
        let kinds: HashMap<&str, bool> = ends()
            .filter_map(|end| Some((end.id, end.is_switch?)))
            .collect();
        // Either end of a cable may tell the name, as where only some lines were kept.
        let named = ends().filter(|end| !end.text.is_empty());
        let texts: HashMap<&str, &str> = named.map(|end| (end.id, end.text)).collect();
        let end = |end: &ReportedEnd<'a>| CableEnd {
            is_switch: *kinds.get(end.id).unwrap_or(&(ports[end.id].len() > 1)),
            id: end.id,
            guid: number(guids.get(&end.lid).unwrap_or(&end.id)),
            text: texts.get(end.id).copied().unwrap_or_default(),
            lid: end.lid,
            port: end.port,
        };
        for line in &reported {
            let [one, other] = &line.ends;
            network.add_cable(line.place, &end(one), &end(other), line.bandwidth)?;
        }
        Ok(network)
    }
}

/// The number of a GUID, or of a LID.
fn number(id: &str) -> u64 {
    let digits = id.strip_prefix("0x");
    let number = digits.map(|digits| u64::from_str_radix(digits, 16).ok());
    number.unwrap_or_else(|| id.parse().ok()).unwrap_or(0)
}

/// The lines of a report, and the GUIDs of the devices by LID that lines without GUIDs refer to.
type Report<'a> = (Vec<Reported<'a>>, HashMap<u32, &'a str>);

fn reported(source: &Source) -> Result<Report<'_>> {
    let (mut reported, mut guids) = (Vec::new(), HashMap::new());
    // The device of the lines that follow: whether it is a switch, its GUID and its name.
    let mut heading = (None, "", "");
    for (place, line) in lines(source) {
        if let Some(name) = line.strip_prefix("CA: ") {
            heading = (Some(false), "", name.trim_end_matches(':'));
        } else if let Some(rest) = line.strip_prefix("Switch: ") {
            let (guid, name) = rest.split_once(' ').unwrap_or((rest, ""));
            heading = (Some(true), guid, name.trim_end_matches(':'));
        }
        let read = if is_of_ports(line) && line.contains(" - ") {
            of_ports(line)
        } else if line.contains(LINK.1) && line.contains("Active/") {
            of_link(line, heading, &mut guids)
        } else {
            continue;
        };
        let (ends, bandwidth) =
            read.ok_or_else(|| place.bad("this line of a port cannot be read"))?;
        reported.push(Reported {
            place,
            ends,
            bandwidth,
        });
    }
    Ok((reported, guids))
}

/// A line of `ibnetdiscover -p`.
fn of_ports(line: &str) -> Option<([ReportedEnd<'_>; 2], f64)> {
    let (ports, names) = line.split_once("( '")?;
    let (own, other) = names.trim_end().strip_suffix("' )")?.split_once("' - '")?;
    let (own_port, other_port) = ports.split_once(" - ")?;
    let (one, rate) = end_of_port(own_port, own)?;
    let (two, _) = end_of_port(other_port, other)?;
    Some(([one, two], bandwidth(rate)?))
}

/// One end in a line of `ibnetdiscover -p`, and what follows it.
fn end_of_port<'a>(port: &'a str, text: &'a str) -> Option<(ReportedEnd<'a>, &'a str)> {
    let mut words = port.split_whitespace();
    let (kind, lid) = (words.next()?, words.next()?);
    let (number, id) = (words.next()?, words.next()?);
    let end = ReportedEnd {
        is_switch: Some(kind == "SW"),
        id,
        text,
        lid: lid.parse().ok()?,
        port: number.parse().ok()?,
    };
    Some((end, port.split_once(id)?.1))
}

/// A line of `iblinkinfo`.
fn of_link<'a>(
    line: &'a str,
    heading: (Option<bool>, &'a str, &'a str),
    guids: &mut HashMap<u32, &'a str>,
) -> Option<([ReportedEnd<'a>; 2], f64)> {
    let (own, rest) = line.split_once(LINK.0)?;
    let (state, other) = rest.split_once(LINK.1)?;
    let rate = state.split("Active").next()?;
    let (mut one, two) = (end_of_link(own)?, end_of_link(other)?);
    let has_names = own.contains('"');
    if !has_names {
        let (is_switch, guid, name) = heading;
        one.is_switch = is_switch;
        one.text = name;
        let guid = if one.id.starts_with("0x") {
            one.id
        } else {
            guid
        };
        if !guid.is_empty() {
            guids.insert(one.lid, guid);
        }
        // The other end has no GUID, so both are known by their LIDs.
        let before_port = own.split('[').next()?;
        one.id = before_port.split_whitespace().rev().nth(1)?;
    }
    Some(([one, two], bandwidth(rate)?))
}

/// One end in a line of `iblinkinfo`: maybe a GUID, maybe a name, LID, port in front of brackets;
/// or the name behind them.
fn end_of_link(text: &str) -> Option<ReportedEnd<'_>> {
    let mut quoted = text.splitn(3, '"');
    let (before, name, behind) = (quoted.next()?, quoted.next(), quoted.next());
    // The name is before the port in the first half of the line, and behind it in the second.
    let numbers = if before.contains('[') {
        before
    } else {
        behind?
    };
    let words: Vec<&str> = numbers.split('[').next()?.split_whitespace().collect();
    let [first @ .., lid, port] = &words[..] else {
        return None;
    };
    let guid = before
        .split_whitespace()
        .next()
        .filter(|word| word.starts_with("0x"));
    Some(ReportedEnd {
        is_switch: None,
        id: guid.or(first.first().copied()).unwrap_or(lid),
        text: name.unwrap_or_default().trim(),
        lid: lid.parse().ok()?,
        port: port.parse().ok()?,
    })
}

/// The bandwidth of `4x EDR`, `4X 25.78125 Gbps` or `4X 10.0 Gbps (FDR10)` in Gbit/s of data.
fn bandwidth(rate: &str) -> Option<f64> {
    /// Gbit/s of signals on a lane.
    const SIGNALS: [(&str, f64); 8] = [
        ("SDR", 2.5),
        ("DDR", 5.0),
        ("QDR", 10.0),
        ("FDR", 14.0625),
        ("EDR", 25.78125),
        ("HDR", 53.125),
        ("NDR", 106.25),
        ("XDR", 212.5),
    ];
    let mut words = rate.split_whitespace();
    let width: u32 = words.next()?.trim_end_matches(['x', 'X']).parse().ok()?;
    let named = |word: &str| RATES.iter().find(|(name, _)| *name == word);
    let mut words: Vec<&str> = words.map(|word| word.trim_matches(['(', ')'])).collect();
    words.reverse();
    let by_name = words.iter().find_map(|word| named(word));
    let by_signals = || {
        let speed: f64 = words.last()?.parse().ok()?;
        let (name, _) = SIGNALS
            .iter()
            .find(|(_, gbit)| (gbit / speed - 1.0).abs() < 0.1)?;
        named(name)
    };
    let (_, lane) = by_name.or_else(by_signals)?;
    (1..=12).contains(&width).then(|| f64::from(width) * lane)
}

#[cfg(test)]
mod tests {
    use super::super::{load, read};
    use super::*;
    use crate::ALL;

    fn source(text: &str) -> Source {
        Source {
            file: "report".into(),
            text: text.into(),
        }
    }

    const PORTS: &str = "\
CA   134  1 0x0000000000000011 4x EDR - SW  1719 10 0x0000000000000100 ( 'n1 HCA-1' - 'leaf 1' )
CA   133  1 0x0000000000000021 4x EDR - SW  1719 11 0x0000000000000100 ( 'n2 HCA-1' - 'leaf 1' )
CA   135  2 0x0000000000000022 4x EDR - SW  1720 11 0x0000000000000200 ( 'n2 HCA-1' - 'leaf 2' )
SW  1719 10 0x0000000000000100 4x EDR - CA   134  1 0x0000000000000011 ( 'leaf 1' - 'n1 HCA-1' )
SW  1719  1 0x0000000000000100 4x HDR - SW  1720  1 0x0000000000000200 ( 'leaf 1' - 'leaf 2' )
SW  1719 12 0x0000000000000100 4x EDR                                    'leaf 1'
";

    const LINES: &str = "\
0x0000000000000011 \"          n1 HCA-1\"    134    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>  0x0000000000000100   1719   10[  ] \"leaf 1\" ( )
0x0000000000000100 \"            leaf 1\"   1719   11[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>  0x0000000000000021    133    1[  ] \"n2 HCA-1\" ( )
0x0000000000000100 \"            leaf 1\"   1719    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>  0x0000000000000200   1720    1[  ] \"leaf 2\" ( )
0x0000000000000200 \"            leaf 2\"   1720   11[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>  0x0000000000000022    135    2[  ] \"n2 HCA-1\" ( )
0x0000000000000200 \"            leaf 2\"   1720   12[  ] ==(                Down/ Polling)==>                          [  ] \"\" ( )
";

    const HEADED: &str = "\
CA: n1 HCA-1:
      0x0000000000000011    134    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>    1719   10[  ] \"leaf 1\" ( )
CA: n2 HCA-1:
      0x0000000000000021    133    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>    1719   11[  ] \"leaf 1\" ( )
      0x0000000000000022    135    2[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>    1720   11[  ] \"leaf 2\" ( )
Switch: 0x0000000000000100 leaf 1:
        1719    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>    1720    1[  ] \"leaf 2\" ( )
        1719    2[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )
Switch: 0x0000000000000200 leaf 2:
        1720    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>    1719    1[  ] \"leaf 1\" ( )
";

    #[test]
    fn the_three_reports_of_a_fabric_give_one_machine() {
        let machines = [PORTS, LINES, HEADED].map(|text| {
            let source = source(text);
            assert_eq!(
                ALL.kind_of(&source).map(|kind| kind.name),
                Some("infiniband")
            );
            read(&[source]).unwrap().to_string()
        });
        assert_eq!(machines[0], machines[1]);
        assert_eq!(machines[0], machines[2]);
        let machine = read(&[source(PORTS)]).unwrap();
        assert_eq!(machine.hosts, ["n1", "n2"]);
        assert_eq!(machine.switches, ["leaf 1", "leaf 2"]);
        let fast: Vec<f64> = machine.links.iter().map(|l| l.speed.bandwidth).collect();
        assert_eq!(fast, [1.0, 1.0, 1.0, 2.0]);
    }

    #[test]
    fn switches_of_a_report_have_the_guids_of_forwarding_tables() {
        for text in [PORTS, LINES, HEADED] {
            let source = [source(text)];
            let loaded = load(&source).unwrap();
            let guids: Vec<u64> = loaded.network.devices.iter().map(|d| d.guid).collect();
            assert!(
                guids.contains(&0x100) && guids.contains(&0x200),
                "{guids:?}"
            );
        }
    }

    #[test]
    fn either_end_of_a_cable_tells_the_names() {
        let without_heads: Vec<&str> = HEADED.lines().filter(|it| it.starts_with(' ')).collect();
        let back = "        1719   10[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>     134    1[  ] \"n1 HCA-1\" ( )";
        let text = format!("{}\n{back}\n", without_heads.join("\n"));
        let machine = read(&[source(&text)]).unwrap();
        assert!(machine.hosts.contains(&"n1".into()), "{:?}", machine.hosts);
        assert_eq!(machine.switches, ["leaf 1", "leaf 2"]);
    }

    #[test]
    fn lines_that_cannot_be_read_are_named() {
        for (text, from, to) in [
            (PORTS, "4x EDR - SW  1719 10", "4x QQQ - SW  1719 10"),
            (LINES, "134    1[", "134    x["),
            (HEADED, "25.78125", "7.0"),
        ] {
            let error = read(&[source(&text.replacen(from, to, 1))])
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("this line of a port cannot be read"),
                "{error}"
            );
        }
    }
}
