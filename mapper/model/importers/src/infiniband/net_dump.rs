//! Reads `ibdiagnet2.net_dump`, in which `ibdiagnet` 2 writes the ports of every switch.
//!
//! A switch is a line with its description, vendor, GUID and LID: `"MF0;leaf1:MQM8700/U1",
//! Mellanox, 0x0c42a103000ef7c6, LID 12`. Its ports follow with the label of the port, its number,
//! its state, width and speed, and the GUID, port, LID and description of what is at the other end:
//! `1/1 : 1 : ACT : LINK UP : 5 : 4x : 50 : STD_RS_544 : NO-RTR : 0x0c42a10300389dc8 : 1 : 7 : "n1
//! HCA-1"`. Ports of other switches are named by their labels.

use super::super::{Result, Source, SourceLine, lines};
use super::discover::DiscoveredSubnet;
use super::links_list::{CableEnd, bandwidth};
use std::collections::{HashMap, HashSet};

/// The highest number of a port that an adapter has.
const MOST_PORTS: u32 = 4;

/// A switch, by what the line before its ports says.
#[derive(Clone, Copy)]
struct Switch<'a> {
    text: &'a str,
    id: &'a str,
    guid: u64,
    lid: u32,
}

/// A port of a switch with a cable.
struct PortLine<'a> {
    place: SourceLine<'a>,
    switch: Switch<'a>,
    label: &'a str,
    port: u32,
    width: &'a str,
    speed: &'a str,
    /// What is at the other end.
    id: &'a str,
    guid: u64,
    peer_label: &'a str,
    lid: u32,
    text: &'a str,
}

/// Whether a text is such a dump.
pub(super) fn recognises(source: &Source) -> bool {
    source.text.lines().any(|line| switch(line).is_some())
}

/// Reads the line of a switch.
fn switch(line: &str) -> Option<Switch<'_>> {
    let (text, rest) = line.strip_prefix('"')?.rsplit_once("\",")?;
    let mut words = rest.split(',').map(str::trim).skip(1);
    let (id, guid) = guid(words.next()?)?;
    let lid = words.next()?.strip_prefix("LID")?.trim().parse().ok()?;
    Some(Switch {
        text,
        id,
        guid,
        lid,
    })
}

/// A GUID as written behind `0x`, and as a number.
fn guid(text: &str) -> Option<(&str, u64)> {
    let digits = text.strip_prefix("0x")?;
    Some((digits, u64::from_str_radix(digits, 16).ok()?))
}

/// Reads a port; `None` where it has no active cable.
fn port<'a>(
    place: SourceLine<'a>,
    switch: Switch<'a>,
    line: &'a str,
) -> Result<Option<PortLine<'a>>> {
    let unreadable = || place.bad("this line of a port cannot be read");
    let fields: Vec<&str> = line.splitn(13, ':').map(str::trim).collect();
    let [
        label,
        number,
        state,
        _,
        _,
        width,
        speed,
        _,
        _,
        peer,
        peer_label,
        lid,
        text,
    ] = fields[..]
    else {
        return Err(unreadable());
    };
    if state != "ACT" {
        return Ok(None);
    }
    let (id, guid) = guid(peer).ok_or_else(unreadable)?;
    Ok(Some(PortLine {
        place,
        switch,
        label,
        port: number.parse().map_err(|_| unreadable())?,
        width,
        speed,
        id,
        guid,
        peer_label,
        lid: lid.parse().map_err(|_| unreadable())?,
        text: text.trim_matches('"').trim(),
    }))
}

impl<'a> DiscoveredSubnet<'a> {
    /// Reads the dump. Ports without an active cable and aggregation nodes are left out.
    ///
    /// # Errors
    /// [`ImportError`] if a line cannot be read.
    pub(super) fn of_net_dump(source: &'a Source) -> Result<Self> {
        let (mut current, mut all) = (None, Vec::new());
        for (place, line) in lines(source) {
            let is_heading = line.trim_start().starts_with('#') || line.starts_with("---");
            if let Some(switch) = switch(line) {
                current = Some(switch);
            } else if let Some(switch) = current
                && !is_heading
            {
                all.extend(port(place, switch, line)?);
            }
        }
        let labels: HashMap<(u64, &str), u32> = all
            .iter()
            .map(|line| ((line.switch.guid, line.label), line.port))
            .collect();
        let switches: HashSet<u64> = all.iter().map(|line| line.switch.guid).collect();
        let mut network = Self::default();
        for line in &all {
            let peer_port = labels.get(&(line.guid, line.peer_label)).copied();
            let peer_port = peer_port.or_else(|| line.peer_label.parse().ok());
            let Some(peer_port) = peer_port else {
                let label = line.peer_label;
                let problem = format!("{} has no active port {label:?}", line.text);
                return Err(line.place.bad(problem));
            };
            let is_switch = switches.contains(&line.guid);
            if !is_switch && (peer_port > MOST_PORTS || line.text.starts_with("MF0;")) {
                let text = line.text;
                let problem =
                    format!("this file lacks the ports of switch {text}: is it complete?");
                return Err(line.place.bad(problem));
            }
            let one = CableEnd {
                is_switch: true,
                id: line.switch.id,
                guid: line.switch.guid,
                text: line.switch.text,
                lid: line.switch.lid,
                port: line.port,
            };
            let other = CableEnd {
                is_switch,
                id: line.id,
                guid: line.guid,
                text: line.text,
                lid: line.lid,
                port: peer_port,
            };
            let Some(bandwidth) = bandwidth(line.width, line.speed) else {
                let problem = format!("{} {} is no rate", line.width, line.speed);
                return Err(line.place.bad(problem));
            };
            network.add_cable(line.place, &one, &other, bandwidth)?;
        }
        Ok(network)
    }
}
