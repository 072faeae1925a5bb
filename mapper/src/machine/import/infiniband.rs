//! InfiniBand: `ibnetdiscover` and, for exact routes, the forwarding tables.

use super::super::Description;
use super::super::fabric::{Link, Tables};
use super::{ImportError, Importer, Place, Source, lft, lines, natural};
use std::collections::{BTreeMap, HashMap};

/// The importer.
pub(super) const INFINIBAND: Importer = Importer {
    name: "infiniband",
    about: "the output of ibnetdiscover, and of dump_lfts, ibroute or opensm (opensm-lfts.dump) for exact routes",
    read,
};

fn read(sources: &[Source]) -> Result<Description, ImportError> {
    let (tables, networks): (Vec<_>, Vec<_>) = sources.iter().partition(|s| lft::recognises(s));
    let &[network] = &networks[..] else {
        let file = sources.last().map_or("infiniband", |s| &s.file);
        return Err(ImportError {
            file: file.into(),
            line: None,
            problem: format!(
                "{} of these files are no forwarding tables: one output of ibnetdiscover is needed",
                networks.len()
            ),
        });
    };
    let network = Network::parse(network)?;
    let vertices = network.vertices()?;
    let (mut description, cables) = network.describe(&vertices)?;
    if !tables.is_empty() {
        let mut read = Vec::new();
        for source in tables {
            read.extend(lft::read(source)?);
        }
        description.tables = Some(network.forwarding(&vertices, &cables, &read)?);
        if let Some((switch, problem)) = description.misrouted() {
            let device = &network.devices[vertices.order[description.hosts.len() + switch]];
            let table = read.iter().find(|t| t.guid == device.guid);
            return Err(table.map_or(device.place, |t| t.place).bad(problem));
        }
    }
    Ok(description)
}

/// A switch or channel adapter.
struct Device<'a> {
    place: Place<'a>,
    guid: u64,
    name: String,
    switch: bool,
    ports: Vec<Port<'a>>,
}

/// A port with a cable.
struct Port<'a> {
    place: Place<'a>,
    number: u32,
    /// The other end: identifier and port.
    peer: (&'a str, u32),
    bandwidth: f64,
    /// Of channel adapters.
    lid: Option<u32>,
}

/// What ibnetdiscover found.
struct Network<'a> {
    devices: Vec<Device<'a>>,
    /// Devices by identifier, `S-0000000000200005`.
    numbers: HashMap<&'a str, usize>,
}

/// The order of the devices: hosts, then switches.
struct Vertices {
    order: Vec<usize>,
    /// Vertex of every device in that order.
    of: HashMap<usize, u32>,
    hosts: usize,
}

/// The link of every (device, port).
type Cables = BTreeMap<(usize, u32), u32>;

impl<'a> Network<'a> {
    fn parse(source: &'a Source) -> Result<Self, ImportError> {
        let mut network = Self {
            devices: Vec::new(),
            numbers: HashMap::new(),
        };
        // The device whose ports follow, if it takes part in the network.
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

    /// `Switch 36 "S-..." # "leaf03" base port 0 lid 9 lmc 0`, `Ca 1 "H-..." # "n0004"`.
    fn device(&mut self, place: Place<'a>, line: &'a str) -> Result<Option<usize>, ImportError> {
        let mut quoted = line.split('"').skip(1).step_by(2);
        let id = quoted.next().filter(|id| id.is_ascii());
        let guid = id.and_then(|id| u64::from_str_radix(id.get(2..)?, 16).ok());
        let (Some(id), Some(guid)) = (id, guid) else {
            return Err(place.bad("the quoted identifier of this device cannot be read"));
        };
        let switch = line.starts_with("Switch");
        let text = quoted.next().unwrap_or(id);
        if !switch && text.contains("Aggregation Node") {
            return Ok(None); // part of a switch: it reduces data and runs no processes
        }
        // Adapters are called "host adapter".
        let name = match text.split_whitespace().next() {
            Some(host) if !switch => host,
            Some(_) => text.trim(),
            None => id,
        };
        let number = self.devices.len();
        if let Some(&first) = self.numbers.get(id) {
            let line = self.devices[first].place.line;
            return Err(place.bad(format!("{id} is already on line {line}")));
        }
        self.numbers.insert(id, number);
        self.devices.push(Device {
            place,
            guid,
            name: name.into(),
            switch,
            ports: Vec::new(),
        });
        Ok(Some(number))
    }

    /// Orders hosts by leaf switch and switches by their first host, names as people count.
    fn vertices(&self) -> Result<Vertices, ImportError> {
        self.check_hosts()?;
        let key = |device: usize| natural(&self.devices[device].name);
        let leaf_of = |host: usize| {
            let first = self.devices[host].ports.iter().min_by_key(|p| p.number);
            first.and_then(|p| self.numbers.get(p.peer.0).copied())
        };
        let mut first_host: HashMap<usize, usize> = HashMap::new();
        let mut hosts: Vec<usize> = self.of_kind(false);
        let mut switches = self.of_kind(true);
        hosts.sort_by_cached_key(|&h| (key(h), h));
        for (place, &host) in hosts.iter().enumerate() {
            if let Some(leaf) = leaf_of(host) {
                first_host.entry(leaf).or_insert(place);
            }
        }
        hosts.sort_by_key(|&h| leaf_of(h).and_then(|leaf| first_host.get(&leaf).copied()));
        switches.sort_by_cached_key(|&s| {
            let place = first_host.get(&s).copied().unwrap_or(usize::MAX);
            (place, key(s), self.devices[s].guid)
        });
        let count = hosts.len();
        let order: Vec<usize> = hosts.into_iter().chain(switches).collect();
        Ok(Vertices {
            of: order.iter().copied().zip(0..).collect(),
            order,
            hosts: count,
        })
    }

    fn of_kind(&self, switch: bool) -> Vec<usize> {
        let devices = 0..self.devices.len();
        devices
            .filter(|&d| self.devices[d].switch == switch)
            .collect()
    }

    /// Every host has a name of its own and a cable.
    fn check_hosts(&self) -> Result<(), ImportError> {
        let mut named: HashMap<&str, usize> = HashMap::new();
        for host in self.devices.iter().filter(|d| !d.switch) {
            if let Some(first) = named.insert(&host.name, host.place.line) {
                return Err(host.place.bad(format!(
                    "host {} is already on line {first}: give each host a name of its own, and one adapter",
                    host.name
                )));
            }
            if host.ports.is_empty() {
                let problem = format!("host {} has no cable: remove it", host.name);
                return Err(host.place.bad(problem));
            }
        }
        Ok(())
    }

    /// The machine without tables, and which link each port has.
    fn describe(&self, vertices: &Vertices) -> Result<(Description, Cables), ImportError> {
        let mut links = Vec::new();
        let mut cables = Cables::new();
        for &device in &vertices.order {
            for port in &self.devices[device].ports {
                let (id, number) = port.peer;
                if id.starts_with("R-") || cables.contains_key(&(device, port.number)) {
                    continue;
                }
                let Some(&peer) = self.numbers.get(id) else {
                    // Aggregation nodes are left out.
                    if id.starts_with("H-") {
                        continue;
                    }
                    return Err(port
                        .place
                        .bad(format!("{id} is not described in this file")));
                };
                if peer == device {
                    return Err(port.place.bad("this cable leads back to its own device"));
                }
                let link = links.len() as u32;
                for end in [(device, port.number), (peer, number)] {
                    if cables.insert(end, link).is_some() {
                        let problem = format!("port {} of {id} has another cable already", end.1);
                        return Err(port.place.bad(problem));
                    }
                }
                links.push(Link {
                    ends: (vertices.of[&device], vertices.of[&peer]),
                    bandwidth: port.bandwidth,
                    cables: 1,
                });
            }
        }
        relative(&mut links);
        let names = self.names(vertices);
        let (hosts, switches) = names.split_at(vertices.hosts);
        let description = Description {
            hosts: hosts.to_vec(),
            switches: switches.to_vec(),
            links,
            ..Description::default()
        };
        self.check_joined(vertices, &description)?;
        Ok((description, cables))
    }

    fn check_joined(
        &self,
        vertices: &Vertices,
        description: &Description,
    ) -> Result<(), ImportError> {
        let Some(&first) = vertices.order.first().filter(|_| vertices.hosts > 0) else {
            let place = self.devices.first().map(|d| d.place);
            return Err(place.map_or_else(
                || ImportError {
                    file: "ibnetdiscover".into(),
                    line: None,
                    problem: "there is no device in this file".into(),
                },
                |place| place.bad("there is no host in this file"),
            ));
        };
        match description.layout("").apart() {
            None => Ok(()),
            Some(host) => {
                let host = &self.devices[vertices.order[host]];
                let first = &self.devices[first].name;
                Err(host
                    .place
                    .bad(format!("no path joins {first} and {}", host.name)))
            }
        }
    }

    /// Names of all vertices; those of several devices get the identifier's number.
    fn names(&self, vertices: &Vertices) -> Vec<String> {
        let mut count: HashMap<&str, usize> = HashMap::new();
        for device in &self.devices {
            *count.entry(&device.name).or_default() += 1;
        }
        let name = |&device: &usize| {
            let device = &self.devices[device];
            if device.switch && count[device.name.as_str()] > 1 {
                format!("{} {:#018x}", device.name, device.guid)
            } else {
                device.name.clone()
            }
        };
        vertices.order.iter().map(name).collect()
    }

    /// The tables by vertex and link.
    fn forwarding(
        &self,
        vertices: &Vertices,
        cables: &Cables,
        read: &[lft::Table],
    ) -> Result<Tables, ImportError> {
        let (hosts, switches) = vertices.order.split_at(vertices.hosts);
        let by_guid: HashMap<u64, (usize, usize)> = (0..)
            .zip(switches)
            .map(|(place, &s)| (self.devices[s].guid, (place, s)))
            .collect();
        let mut by_lid = HashMap::new();
        for (number, &host) in hosts.iter().enumerate() {
            let device = &self.devices[host];
            let port = device.ports.iter().min_by_key(|p| p.number);
            let Some(lid) = port.and_then(|p| p.lid) else {
                let problem = format!("host {} has no LID", device.name);
                return Err(device.place.bad(problem));
            };
            if let Some(other) = by_lid.insert(lid, number) {
                let other = &self.devices[hosts[other]].name;
                let problem = format!("{} and {other} both have LID {lid}", device.name);
                return Err(device.place.bad(problem));
            }
        }
        let mut tables = Tables::new(switches.len(), hosts.len());
        for table in read {
            let Some(&(place, switch)) = by_guid.get(&table.guid) else {
                let guid = table.guid;
                return Err(table
                    .place
                    .bad(format!("no switch has the GUID {guid:#018x}")));
            };
            for entry in &table.entries {
                let Some(&host) = by_lid.get(&entry.lid) else {
                    continue; // a switch, or a further LID of a host
                };
                let Some(&link) = cables.get(&(switch, entry.port)) else {
                    return Err(entry.place.bad(format!(
                        "port {} of switch {} has no cable",
                        entry.port, self.devices[switch].name
                    )));
                };
                tables.set(place, host, link);
            }
        }
        Ok(tables)
    }
}

/// `[9] "S-..."[7] # "spine00" lid 2 4xQDR`; at an adapter
/// `[1](100009) "S-..."[5] # lid 11 lmc 0 "leaf00" lid 4 4xQDR`.
fn port<'a>(place: Place<'a>, line: &'a str, switch: bool) -> Result<Port<'a>, ImportError> {
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
fn bracketed(text: &str) -> Option<u32> {
    let (number, _) = text.split_once('[')?.1.split_once(']')?;
    number.parse().ok()
}

/// Gbit/s of data on one lane, after encoding.
const RATES: [(&str, f64); 9] = [
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

/// The bandwidth of `.. 4xQDR`.
fn rate(comment: &str) -> Result<f64, String> {
    let label = comment.split_whitespace().last().unwrap_or_default();
    let parts = label.split_once('x').and_then(|(width, speed)| {
        let width: u32 = width.parse().ok().filter(|w| (1..=12).contains(w))?;
        let &(_, lane) = RATES.iter().find(|(name, _)| *name == speed)?;
        Some(f64::from(width) * lane)
    });
    parts.ok_or_else(|| format!("{label:?} is no width and speed such as 4xEDR"))
}

/// Makes the slowest link's bandwidth 1.
fn relative(links: &mut [Link]) {
    let slowest = links
        .iter()
        .map(|l| l.bandwidth)
        .fold(f64::INFINITY, f64::min);
    for link in links {
        link.bandwidth /= slowest;
    }
}

#[cfg(test)]
mod tests;
