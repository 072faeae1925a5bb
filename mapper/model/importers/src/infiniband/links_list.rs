//! Reads `ibdiagnet.lst`, in which `ibdiagnet` writes a line for every cable.
//!
//! A line has the two ends in braces and then the cable: `{ CA Ports:02 SystemGUID:.. NodeGUID:..
//! PortGUID:.. VenID:.. DevID:.. Rev:.. {n0 HCA-1} LID:0005 PN:01 } { SW .. } PHY=4x LOG=ACT
//! SPD=10`. Numbers are hexadecimal. The form is that of the reader of this file in `ibdm`, the
//! data model that is a part of `ibutils`. A cable may be on a line for each of its ends.

use super::super::{Result, Source, SourceLine, lines};
use super::discover::{Device, DiscoveredSubnet, Port, RATES, is_aggregation};

/// Whether a text is a list of cables.
pub(super) fn recognises(source: &Source) -> bool {
    let mut lines = source.text.lines().map(str::trim_start);
    lines.any(|line| line.starts_with("{ CA Ports:") || line.starts_with("{ SW Ports:"))
}

/// One end of a cable.
pub(super) struct CableEnd<'a> {
    pub(super) is_switch: bool,
    /// The GUID of the device, as written and as a number.
    pub(super) id: &'a str,
    pub(super) guid: u64,
    /// The description of the device.
    pub(super) text: &'a str,
    pub(super) lid: u32,
    pub(super) port: u32,
}

impl<'a> DiscoveredSubnet<'a> {
    /// Reads the list. Cables that are not active and aggregation nodes of switches are left out.
    ///
    /// # Errors
    /// [`ImportError`] if a line cannot be read.
    pub(super) fn of_cables(source: &'a Source) -> Result<Self> {
        let mut network = Self::default();
        for (place, line) in lines(source).filter(|(_, line)| !line.starts_with('#')) {
            let unreadable = || place.bad("this line of a cable cannot be read");
            let (one, rest) = CableEnd::split(line).ok_or_else(unreadable)?;
            let (other, rest) = CableEnd::split(rest).ok_or_else(unreadable)?;
            let field = |name: &str| {
                let mut words = rest.split_whitespace();
                words
                    .find_map(|word| word.strip_prefix(name))
                    .ok_or_else(unreadable)
            };
            let (width, state, speed) = (field("PHY=")?, field("LOG=")?, field("SPD=")?);
            if state != "ACT" {
                continue;
            }
            let bandwidth = bandwidth(width, speed)
                .ok_or_else(|| place.bad(format!("PHY={width} SPD={speed} is no rate")))?;
            network.add_cable(place, &one, &other, bandwidth)?;
        }
        Ok(network)
    }

    /// Adds a cable, unless it leads to an aggregation node of a switch.
    pub(super) fn add_cable(
        &mut self,
        place: SourceLine<'a>,
        one: &CableEnd<'a>,
        other: &CableEnd<'a>,
        bandwidth: f64,
    ) -> Result<()> {
        if is_aggregation(one.text) || is_aggregation(other.text) {
            return Ok(());
        }
        self.add_end(place, one, other, bandwidth)?;
        self.add_end(place, other, one, bandwidth)
    }

    /// Adds one end of a cable. Each end has a line of its own, and the first of both lines adds
    /// the whole cable.
    fn add_end(
        &mut self,
        place: SourceLine<'a>,
        end: &CableEnd<'a>,
        peer: &CableEnd<'a>,
        bandwidth: f64,
    ) -> Result<()> {
        let number = match self.number_of(end.is_switch, end.guid) {
            Some(number) => number,
            None => self.add(
                Device::new(place, end.is_switch, end.guid, end.text),
                end.id,
            ),
        };
        let device = &mut self.devices[number];
        if let Some(port) = device.ports.iter().find(|port| port.number == end.port) {
            let is_peer = port.peer.0 == peer.id || same_guid(port.peer.0, peer.guid);
            if port.peer.1 == peer.port && is_peer {
                return Ok(());
            }
            let (name, line) = (&device.name, port.place.line);
            let problem = format!(
                "port {} of {name} has another cable on line {line}",
                end.port
            );
            return Err(place.bad(problem));
        }
        device.ports.push(Port {
            place,
            number: end.port,
            peer: (peer.id, peer.port),
            bandwidth,
            lid: (!end.is_switch).then_some(end.lid),
        });
        Ok(())
    }
}

fn same_guid(id: &str, guid: u64) -> bool {
    u64::from_str_radix(id, 16) == Ok(guid)
}

impl<'a> CableEnd<'a> {
    /// Reads the end at the beginning of a text, and returns what follows it.
    fn split(text: &'a str) -> Option<(Self, &'a str)> {
        let text = text.trim_start().strip_prefix('{')?.trim_start();
        // The description stands in braces of its own.
        let (head, rest) = text.split_once('{')?;
        let (description, rest) = rest.split_once('}')?;
        let (tail, rest) = rest.split_once('}')?;
        let field = |text: &'a str, name: &str| {
            text.split_whitespace()
                .find_map(|word| word.strip_prefix(name))
        };
        let number = |text, name| u32::from_str_radix(field(text, name)?, 16).ok();
        let id = field(head, "NodeGUID:")?;
        let end = Self {
            is_switch: match head.split_whitespace().next()? {
                "SW" => true,
                "CA" => false,
                _ => return None,
            },
            id,
            guid: u64::from_str_radix(id, 16).ok()?,
            text: description.trim(),
            lid: number(tail, "LID:")?,
            port: number(tail, "PN:")?,
        };
        Some((end, rest))
    }
}

/// The bandwidth in Gbit/s of data from the width `4x` and the speed of a lane: Gbit/s of signals,
/// or the name of the rate.
pub(super) fn bandwidth(width: &str, speed: &str) -> Option<f64> {
    const NAMES: [(&str, &str); 8] = [
        ("2.5", "SDR"),
        ("5", "DDR"),
        ("10", "QDR"),
        ("14", "FDR"),
        ("25", "EDR"),
        ("50", "HDR"),
        ("100", "NDR"),
        ("200", "XDR"),
    ];
    let width: u32 = width.strip_suffix('x')?.parse().ok()?;
    let name = NAMES.iter().find(|(number, _)| *number == speed);
    let name = name.map_or(speed, |(_, name)| name);
    let &(_, lane) = RATES.iter().find(|(rate, _)| *rate == name)?;
    (1..=12).contains(&width).then(|| f64::from(width) * lane)
}

#[cfg(test)]
mod tests {
    use super::super::discover::Device;
    use super::super::read;
    use super::super::tests::ftree;
    use super::*;
    use crate::ALL;
    use std::fmt::Write;

    /// A cable as a site has published it (a quad data rate cable that runs at single rate), with
    /// the description between braces, as ibdm reads it.
    const PUBLISHED: &str = "{ CA Ports:02 SystemGUID:0002c90300165e63 NodeGUID:0002c90300165e60 \
        PortGUID:0002c90300165e61 VenID:000002c9 DevID:1003 Rev:00000000 {c0104 HCA-1} LID:0005 PN:01 } \
        { SW Ports:24 SystemGUID:0002c90300688830 NodeGUID:0002c90300688830 PortGUID:0002c90300688830 \
        VenID:000002c9 DevID:c738 Rev:000000a1 {MF0;leaf:SX6036/U1} LID:0002 PN:14 } PHY=4x LOG=ACT SPD=2.5\n";

    fn listed(text: String) -> Source {
        Source {
            file: "ibdiagnet.lst".into(),
            text,
        }
    }

    /// The cables of a fabric as ibdiagnet lists them, each from both of its ends.
    fn cables() -> Source {
        let network = ftree();
        let subnet = DiscoveredSubnet::parse(&network).unwrap();
        let end = |device: &Device, port: u32| {
            let kind = if device.switch { "SW" } else { "CA" };
            let lid = device.ports[0].lid.unwrap_or(1);
            format!(
                "{{ {kind} Ports:24 SystemGUID:0 NodeGUID:{:016x} PortGUID:0 VenID:0 DevID:0 Rev:0 {{{}}} LID:{lid:04X} PN:{port:02X} }}",
                device.guid, device.name
            )
        };
        let mut text = String::new();
        for device in &subnet.devices {
            for port in &device.ports {
                let peer = &subnet.devices[subnet.numbers[port.peer.0]];
                writeln!(
                    text,
                    "{} {} PHY=4x LOG=ACT SPD=10",
                    end(device, port.number),
                    end(peer, port.peer.1)
                )
                .unwrap();
            }
        }
        listed(text)
    }

    #[test]
    fn the_list_of_a_fabric_gives_the_machine_that_ibnetdiscover_gives() {
        assert_eq!(
            ALL.kind_of(&cables()).map(|kind| kind.name),
            Some("infiniband")
        );
        let (of_list, of_discovery) = (read(&[cables()]).unwrap(), read(&[ftree()]).unwrap());
        assert_eq!(of_list.to_string(), of_discovery.to_string());
        let tables = super::super::tests::ftree_tables;
        let routed = read(&[cables(), tables()]).unwrap();
        assert_eq!(
            routed.to_string(),
            read(&[ftree(), tables()]).unwrap().to_string()
        );
    }

    #[test]
    fn a_published_line_has_hexadecimal_ports_and_the_name_of_the_host() {
        let source = listed(PUBLISHED.into());
        let subnet = DiscoveredSubnet::of_cables(&source).unwrap();
        let [host, switch] = &subnet.devices[..] else {
            panic!("two devices");
        };
        assert_eq!(
            (host.name.as_str(), host.adapter, host.ports[0].lid),
            ("c0104", "HCA-1", Some(5))
        );
        assert_eq!(
            (switch.name.as_str(), switch.ports[0].number),
            ("MF0;leaf:SX6036/U1", 20)
        );
        assert_eq!(switch.ports[0].bandwidth, 8.0);
    }

    #[test]
    fn cables_that_are_not_active_are_left_out() {
        let down = listed(PUBLISHED.replace("LOG=ACT", "LOG=INI"));
        assert!(
            DiscoveredSubnet::of_cables(&down)
                .unwrap()
                .devices
                .is_empty()
        );
    }

    #[test]
    fn damaged_lists_name_file_and_line() {
        for (from, to, expected) in [
            (
                "PN:01",
                "PN:zz",
                "ibdiagnet.lst:1: this line of a cable cannot be read",
            ),
            (
                " LOG=ACT",
                "",
                "ibdiagnet.lst:1: this line of a cable cannot be read",
            ),
            (
                "{ SW",
                "SW",
                "ibdiagnet.lst:1: this line of a cable cannot be read",
            ),
            (
                "SPD=10",
                "SPD=11",
                "ibdiagnet.lst:1: PHY=4x SPD=11 is no rate",
            ),
            (
                "PHY=4x",
                "PHY=99x",
                "ibdiagnet.lst:1: PHY=99x SPD=10 is no rate",
            ),
        ] {
            let mut list = cables();
            list.text = list.text.replacen(from, to, 1);
            assert_ne!(list.text, cables().text, "{from} is there");
            let error = read(&[list]).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        let twice = PUBLISHED.replace("PN:01", "PN:02");
        let error = read(&[listed(format!("{PUBLISHED}{twice}"))])
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(
                "ibdiagnet.lst:2: port 20 of MF0;leaf:SX6036/U1 has another cable on line 1"
            ),
            "{error}"
        );
    }
}
