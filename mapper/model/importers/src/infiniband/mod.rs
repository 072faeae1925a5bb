//! Imports InfiniBand subnets from the output of `ibnetdiscover`, `iblinkinfo` or `ibdiagnet` and,
//! for exact routes, from forwarding tables or from the routes that `ibtracert` printed.
//!
//! Adapters with the same host name (`n7 mlx5_0`, `n7 mlx5_1`) are the rails of that host, in the
//! order of their names; so are the ports of one adapter. The cables of all rails are links of the
//! machine. Forwarding tables are followed for the first port of the first rail, which is the route
//! of messages unless the MPI library stripes them. Without tables, destinations are divided among
//! the rails. Adapters that nobody has named, and those that share a full name, are hosts that are
//! called by their GUIDs.
//!
//! Bandwidths are written relative to the slowest link, since nominal rates without latency and
//! overhead are not enough to predict seconds. To predict seconds, add a table `[time]` with the
//! bandwidth of the slowest link and the latency to the machine file.

mod complete;
mod database;
mod discover;
mod links_list;
mod net_dump;
mod report;
mod trace;
mod traced_routes;

use super::technology::Technology;
use super::{ImportError, Importer, Result, Source, SourceLine, has_line, lft};
use discover::DiscoveredSubnet;
use rankfold_base::words::{counted, natural_key};
use rankfold_machine::Description;
use rankfold_machine::Speed;
use rankfold_machine::{Link, Tables};
use std::collections::{BTreeMap, HashMap};
pub use trace::{Cable, Subnet, Traced, traces};

/// The importer of InfiniBand subnets.
pub(super) const INFINIBAND: Importer = Importer {
    name: "infiniband",
    about: "the output of ibnetdiscover (with or without -p) or iblinkinfo, or of ibdiagnet its .lst, .db_csv or .net_dump; for exact routes also the output of dump_lfts, ibroute or opensm (opensm-lfts.dump), or of ibtracert for all pairs of hosts",
    recognises: |source| {
        has_line(source, &["Switch\t", "Ca\t", "switchguid="])
            || form_of(source).is_some()
            || tells_routes(source)
    },
    for_job: None,
    technology: Technology::Credits,
    read,
};

/// Whether a text is in one of the forms.
type Recogniser = fn(&Source) -> bool;
/// Reads a subnet in one of the forms.
type Reader = for<'a> fn(&'a Source) -> Result<DiscoveredSubnet<'a>>;

/// The forms other than that of `ibnetdiscover` without options: how each is recognised and read.
const FORMS: [(Recogniser, Reader); 4] = [
    (database::recognises, |s| DiscoveredSubnet::of_database(s)),
    (links_list::recognises, |s| DiscoveredSubnet::of_cables(s)),
    (net_dump::recognises, |s| DiscoveredSubnet::of_net_dump(s)),
    (report::recognises, |s| DiscoveredSubnet::of_report(s)),
];

fn form_of(source: &Source) -> Option<Reader> {
    let mut forms = FORMS.into_iter();
    forms.find_map(|(recognises, read)| recognises(source).then_some(read))
}

/// Whether a text holds forwarding tables, or traces of routes.
fn tells_routes(source: &Source) -> bool {
    lft::recognises(source) || traced_routes::recognises(source)
}

fn read(sources: &[Source]) -> Result<Description> {
    Ok(load(sources)?.description)
}

/// A subnet with its description, and the numbers of its vertices and links in the description.
struct ImportedSubnet<'a> {
    network: DiscoveredSubnet<'a>,
    vertices: Vertices,
    cables: Cables,
    description: Description,
}

fn load(sources: &[Source]) -> Result<ImportedSubnet<'_>> {
    let (tables, networks): (Vec<_>, Vec<_>) = sources.iter().partition(|s| tells_routes(s));
    let &[network] = &networks[..] else {
        let file = sources.last().map_or("infiniband", |s| &s.file);
        return Err(ImportError::whole(
            file,
            format!(
                "{} of these files tell no routes: one output of ibnetdiscover is needed, or one ibdiagnet2.lst",
                networks.len()
            ),
        ));
    };
    let end = SourceLine {
        source: network,
        line: network.text.lines().count().max(1),
    };
    let read = form_of(network).unwrap_or(|s| DiscoveredSubnet::parse(s));
    let mut network = read(network)?;
    if network.of_kind(false).is_empty() {
        return Err(end.bad("the file ends without a host (Ca)"));
    }
    network.check_complete()?;
    network.tell_apart();
    let vertices = network.vertices()?;
    let (mut description, cables) = network.describe(&vertices)?;
    if !tables.is_empty() {
        let mut read = Vec::new();
        for source in tables {
            read.extend(if traced_routes::recognises(source) {
                traced_routes::read(source)?
            } else {
                lft::read(source)?
            });
        }
        description.tables = Some(network.forwarding(&vertices, &cables, &read)?);
        if let Some((switch, host, problem)) = description.misrouted() {
            let device = &network.devices[vertices.first(vertices.hosts + switch)];
            let lid = network.lid(&vertices.devices[host]);
            let table = read.iter().find(|t| t.guid == device.guid);
            let place = table.map_or(device.place, |table| {
                let entry = table.entries.iter().find(|e| Some(e.lid) == lid);
                entry.map_or(table.place, |entry| entry.place)
            });
            return Err(place.bad(problem));
        }
    }
    Ok(ImportedSubnet {
        network,
        vertices,
        cables,
        description,
    })
}

/// The vertices of the description: hosts, then switches.
struct Vertices {
    /// The devices of every vertex: all rails of a host, or one switch.
    devices: Vec<Vec<usize>>,
    /// The vertex of every device.
    of: HashMap<usize, u32>,
    hosts: usize,
}

impl Vertices {
    /// The first device of a vertex: the switch, or the first rail of the host.
    fn first(&self, vertex: usize) -> usize {
        self.devices[vertex][0]
    }
}

/// The number of the link at every port (device, port).
type Cables = BTreeMap<(usize, u32), u32>;

impl<'a> DiscoveredSubnet<'a> {
    /// Numbers the vertices: hosts are ordered by leaf switch, switches by their first host, both
    /// in natural order of their names.
    fn vertices(&self) -> Result<Vertices> {
        let key = |device: usize| natural_key(&self.devices[device].name);
        let leaf_of = |rails: &[usize]| {
            let port = *self.devices[rails[0]].ports().first()?;
            self.numbers.get(port.peer.0).copied()
        };
        let mut first_host: HashMap<usize, usize> = HashMap::new();
        let mut hosts = self.hosts()?;
        let mut switches = self.of_kind(true);
        hosts.sort_by_cached_key(|rails| (key(rails[0]), rails[0]));
        for (place, rails) in hosts.iter().enumerate() {
            if let Some(leaf) = leaf_of(rails) {
                first_host.entry(leaf).or_insert(place);
            }
        }
        hosts.sort_by_key(|rails| leaf_of(rails).and_then(|leaf| first_host.get(&leaf).copied()));
        switches.sort_by_cached_key(|&s| {
            let place = first_host.get(&s).copied().unwrap_or(usize::MAX);
            (place, key(s), self.devices[s].guid)
        });
        let count = hosts.len();
        let devices: Vec<Vec<usize>> = hosts
            .into_iter()
            .chain(switches.into_iter().map(|switch| vec![switch]))
            .collect();
        let of = |(vertex, devices): (u32, &Vec<usize>)| {
            devices
                .iter()
                .map(move |&device| (device, vertex))
                .collect::<Vec<_>>()
        };
        Ok(Vertices {
            of: (0..).zip(&devices).flat_map(of).collect(),
            devices,
            hosts: count,
        })
    }

    fn of_kind(&self, switch: bool) -> Vec<usize> {
        let devices = 0..self.devices.len();
        devices
            .filter(|&d| self.devices[d].switch == switch)
            .collect()
    }

    /// The rails of every host. It is an error if a host has no cable.
    fn hosts(&self) -> Result<Vec<Vec<usize>>> {
        let mut hosts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for adapter in self.of_kind(false) {
            let rails = hosts.entry(&self.devices[adapter].name).or_default();
            rails.push(adapter);
        }
        for rails in hosts.values_mut() {
            let first = &self.devices[rails[0]];
            rails.retain(|&rail| !self.devices[rail].ports.is_empty());
            if rails.is_empty() {
                let problem = format!("host {} has no cable: remove it", first.name);
                return Err(first.place.bad(problem));
            }
            rails.sort_by_cached_key(|&rail| {
                let device = &self.devices[rail];
                let port = device.ports().first().map(|port| port.number);
                (natural_key(device.adapter), port)
            });
        }
        Ok(hosts.into_values().collect())
    }

    /// The description without forwarding tables, and the link at every port.
    fn describe(&self, vertices: &Vertices) -> Result<(Description, Cables)> {
        let mut links = Vec::new();
        let mut cables = Cables::new();
        for &device in vertices.devices.iter().flatten() {
            for port in self.devices[device].ports() {
                let (id, number) = port.peer;
                if id.starts_with("R-") || cables.contains_key(&(device, port.number)) {
                    continue;
                }
                // A switch with a cable between two of its ports is being tested.
                if self.devices[device].switch && self.numbers.get(id) == Some(&device) {
                    continue;
                }
                let Some(&peer) = self.numbers.get(id) else {
                    continue; // an aggregation node
                };
                let Some(end) = vertices.of.get(&peer) else {
                    let problem = format!("{id} is described without this cable");
                    return Err(port.place.bad(problem));
                };
                if *end == vertices.of[&device] {
                    return Err(port.place.bad("this cable leads back to its own device"));
                }
                let link = links.len() as u32;
                for end in [(device, port.number), (peer, number)] {
                    if cables.insert(end, link).is_some() {
                        let problem = format!("port {} of {id} has another cable already", end.1);
                        return Err(port.place.bad(problem));
                    }
                }
                links.push(Link::single(
                    (vertices.of[&device], vertices.of[&peer]),
                    Speed::relative(port.bandwidth),
                ));
            }
        }
        relative(&mut links);
        let names = self.names(vertices);
        let (hosts, switches) = names.split_at(vertices.hosts);
        let by_guid = |host: &&String| host.starts_with("H-");
        let unnamed = hosts.iter().filter(by_guid).count();
        let note = (unnamed > 0).then(|| {
            let adapters = counted(unnamed, "adapter");
            format!("{adapters} without the name of a host of its own: each is a host called by its GUID")
        });
        let description = Description {
            hosts: hosts.to_vec(),
            switches: switches.to_vec(),
            links,
            notes: note.into_iter().collect(),
            ..Description::default()
        };
        self.check_joined(vertices, &description)?;
        Ok((description, cables))
    }

    fn check_joined(&self, vertices: &Vertices, description: &Description) -> Result<()> {
        match description.first_unreachable() {
            None => Ok(()),
            Some(host) => {
                let host = &self.devices[vertices.first(host)];
                let first = &self.devices[vertices.first(0)].name;
                Err(host
                    .place
                    .bad(format!("no path joins {first} and {}", host.name)))
            }
        }
    }

    /// The names of all vertices. The number of its identifier is added to a name that several
    /// devices have.
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
        vertices
            .devices
            .iter()
            .map(|devices| name(&devices[0]))
            .collect()
    }

    /// The LID of a host in forwarding tables.
    fn lid(&self, rails: &[usize]) -> Option<u32> {
        self.devices[rails[0]].ports().first()?.lid
    }

    /// The forwarding tables by vertices and links of the description.
    fn forwarding(
        &self,
        vertices: &Vertices,
        cables: &Cables,
        read: &[lft::Table],
    ) -> Result<Tables> {
        let (hosts, switches) = vertices.devices.split_at(vertices.hosts);
        let by_guid: HashMap<u64, (usize, usize)> = (0..)
            .zip(switches)
            .map(|(place, switch)| (self.devices[switch[0]].guid, (place, switch[0])))
            .collect();
        let mut by_lid = HashMap::new();
        for (number, rails) in hosts.iter().enumerate() {
            let device = &self.devices[rails[0]];
            let Some(lid) = self.lid(rails) else {
                let problem = format!("host {} has no LID", device.name);
                return Err(device.place.bad(problem));
            };
            if let Some(other) = by_lid.insert(lid, number) {
                let other = &self.devices[hosts[other][0]].name;
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
                    continue; // a switch, or another LID or rail of a host
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

/// Scales all bandwidths so that the slowest link has bandwidth 1.
fn relative(links: &mut [Link]) {
    let slowest = links
        .iter()
        .map(|l| l.speed.bandwidth)
        .fold(f64::INFINITY, f64::min);
    for link in links {
        link.speed.bandwidth /= slowest;
    }
}

#[cfg(test)]
mod tests;
