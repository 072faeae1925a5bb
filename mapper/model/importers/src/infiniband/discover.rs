//! Subnets as tools found them: devices and the cables of their ports. The reader of the output of
//! `ibnetdiscover`.

use super::super::{Result, Source, SourceLine, hosts, lines};
use std::collections::{HashMap, HashSet};

/// A switch or channel adapter.
pub(super) struct Device<'a> {
    pub(super) place: SourceLine<'a>,
    pub(super) guid: u64,
    /// Name of the switch, or of the host for all adapters of the host.
    pub(super) name: String,
    /// Name of the adapter within its host: `HCA-1`, `mlx5_0`.
    pub(super) adapter: &'a str,
    pub(super) switch: bool,
    pub(super) ports: Vec<Port<'a>>,
}

/// A port with a cable.
pub(super) struct Port<'a> {
    pub(super) place: SourceLine<'a>,
    pub(super) number: u32,
    /// The other end of the cable: identifier of the device and port.
    pub(super) peer: (&'a str, u32),
    pub(super) bandwidth: f64,
    /// The LID, for ports of channel adapters.
    pub(super) lid: Option<u32>,
}

/// The subnet that a tool found.
#[derive(Default)]
pub(super) struct DiscoveredSubnet<'a> {
    pub(super) devices: Vec<Device<'a>>,
    /// The number of each device by its identifier, such as `S-0000000000200005`.
    pub(super) numbers: HashMap<&'a str, usize>,
    /// The number of each device by its GUID and whether the device is a switch, since forwarding
    /// tables may write a GUID with more zeros.
    guids: HashMap<(bool, u64), usize>,
    /// Identifiers of aggregation nodes, which run no processes.
    pub(super) left_out: HashSet<&'a str>,
}

/// Whether the description of a device is that of an aggregation node of a switch.
pub(super) fn is_aggregation(text: &str) -> bool {
    text.contains("Aggregation Node")
}

/// Whether the description of an adapter is that which the manufacturer gave it, with no name of a
/// host.
fn is_unnamed(text: &str) -> bool {
    let words = [
        "Mellanox",
        "Technologies",
        "ConnectX",
        "InfiniHost",
        "NVIDIA",
        "QLogic",
        "localhost",
    ];
    words.iter().any(|word| text.contains(word))
}

impl<'a> Device<'a> {
    /// A device by its description, which for an adapter is "host adapter". An adapter that nobody
    /// has named is a host that is called by its GUID.
    pub(super) fn new(place: SourceLine<'a>, switch: bool, guid: u64, text: &'a str) -> Self {
        let text = text.trim();
        let host = text.split_whitespace().next().filter(|_| !switch);
        let named = host.filter(|host| !is_unnamed(text) && hosts::check(host).is_ok());
        let name = match named {
            Some(host) => host.to_owned(),
            None if switch && !text.is_empty() => text.to_owned(),
            None => by_guid(switch, guid),
        };
        Self {
            place,
            guid,
            adapter: text.strip_prefix(&name).unwrap_or_default().trim(),
            name,
            switch,
            ports: Vec::new(),
        }
    }

    /// Calls a host by the GUID of its adapter.
    pub(super) fn call_by_guid(&mut self) {
        self.name = by_guid(self.switch, self.guid);
    }

    /// The ports in ascending order. The LID of an adapter is the LID of its first port.
    pub(super) fn ports(&self) -> Vec<&Port<'a>> {
        let mut ports: Vec<&Port> = self.ports.iter().collect();
        ports.sort_by_key(|port| port.number);
        ports
    }
}

/// The identifier of a device as `ibnetdiscover` writes it.
fn by_guid(switch: bool, guid: u64) -> String {
    let kind = if switch { 'S' } else { 'H' };
    format!("{kind}-{guid:016x}")
}

impl<'a> DiscoveredSubnet<'a> {
    pub(super) fn parse(source: &'a Source) -> Result<Self> {
        let mut network = Self::default();
        // The device whose ports follow, if it is part of the machine.
        let mut current = None;
        for (place, line) in lines(source) {
            if line.starts_with('[') {
                if let Some(device) = current {
                    let device: &mut Device = &mut network.devices[device];
                    device.ports.push(port(place, line, device.switch)?);
                }
            } else if line.starts_with("Switch") || line.starts_with("Ca") {
                current = network.device(place, line)?;
            } else if line.starts_with("Rt") {
                current = None;
            }
        }
        Ok(network)
    }

    /// The number of the device of a GUID.
    pub(super) fn number_of(&self, switch: bool, guid: u64) -> Option<usize> {
        self.guids.get(&(switch, guid)).copied()
    }

    /// Adds a device that is not there yet, under its identifier.
    pub(super) fn add(&mut self, device: Device<'a>, id: &'a str) -> usize {
        let number = self.devices.len();
        self.guids.insert((device.switch, device.guid), number);
        self.numbers.insert(id, number);
        self.devices.push(device);
        number
    }

    /// Reads a device: `Switch 36 "S-..." # "leaf03" base port 0 lid 9 lmc 0`, `Ca 1 "H-..." #
    /// "n0004"`.
    fn device(&mut self, place: SourceLine<'a>, line: &'a str) -> Result<Option<usize>> {
        let mut quoted = line.split('"').skip(1).step_by(2);
        let id = quoted.next().filter(|id| id.is_ascii());
        let guid = id.and_then(|id| u64::from_str_radix(id.get(2..)?, 16).ok());
        let (Some(id), Some(guid)) = (id, guid) else {
            return Err(place.bad("the quoted identifier of this device cannot be read"));
        };
        let switch = line.starts_with("Switch");
        let text = quoted.next().unwrap_or_default();
        if !switch && is_aggregation(text) {
            self.left_out.insert(id);
            return Ok(None);
        }
        let same_guid = self.number_of(switch, guid);
        if let Some(first) = self.numbers.get(id).copied().or(same_guid) {
            let line = self.devices[first].place.line;
            return Err(place.bad(format!("{id} is already on line {line}")));
        }
        let device = Device::new(place, switch, guid, text);
        Ok(Some(self.add(device, id)))
    }
}

/// Reads a port: `[9] "S-..."[7] # "spine00" lid 2 4xQDR`, or at an adapter
/// `[1](100009) "S-..."[5] # lid 11 lmc 0 "leaf00" lid 4 4xQDR`.
fn port<'a>(place: SourceLine<'a>, line: &'a str, switch: bool) -> Result<Port<'a>> {
    let unreadable = || place.bad("this port line cannot be read");
    let (own, rest) = line.split_once('"').ok_or_else(unreadable)?;
    let (peer, rest) = rest.split_once('"').ok_or_else(unreadable)?;
    let (there, comment) = rest.split_once('#').unwrap_or((rest, ""));
    let (Some(number), Some(peer_number)) = (bracketed(own), bracketed(there)) else {
        return Err(unreadable());
    };
    let lid = comment.trim().strip_prefix("lid ").and_then(|after| {
        let word = after.split_whitespace().next()?;
        word.parse().ok()
    });
    Ok(Port {
        place,
        number,
        peer: (peer, peer_number),
        bandwidth: rate(comment).map_err(|problem| place.bad(problem))?,
        lid: lid.filter(|_| !switch),
    })
}

/// The number in the first brackets.
pub(super) fn bracketed(text: &str) -> Option<u32> {
    let (number, _) = text.split_once('[')?.1.split_once(']')?;
    number.parse().ok()
}

/// Gbit/s of data on one lane after encoding, from the InfiniBand specification.
pub(super) const RATES: [(&str, f64); 9] = [
    ("SDR", 2.0),
    ("DDR", 4.0),
    ("QDR", 8.0),
    ("FDR10", 10.0),
    ("FDR", 13.64),
    ("EDR", 25.0),
    ("HDR", 50.0),
    ("NDR", 100.0),
    ("XDR", 200.0),
];

/// The bandwidth of a port from its comment, which ends with the width and rate: `.. 4xQDR`. Behind
/// these `ibnetdiscover -f` writes more, as in `s=4 w=2 v=8`.
fn rate(comment: &str) -> Result<f64, String> {
    let bandwidth = |label: &str| {
        let (width, speed) = label.split_once('x')?;
        let width: u32 = width.parse().ok().filter(|w| (1..=12).contains(w))?;
        let &(_, lane) = RATES.iter().find(|(name, _)| *name == speed)?;
        Some(f64::from(width) * lane)
    };
    let behind_name = comment.rsplit('"').next().unwrap_or_default();
    let mut labels = behind_name.split_whitespace().rev();
    labels.find_map(bandwidth).ok_or_else(|| {
        let last = comment.split_whitespace().last().unwrap_or_default();
        format!("{last:?} is no width and speed such as 4xEDR")
    })
}
