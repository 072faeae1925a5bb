//! A platform as SimGrid has it in memory: links, points (hosts, routers and zones), and zones that
//! contain points.

mod routes;
pub(super) mod zone;

use rankfold_importers::{Result, Source, SourceLine};
use rankfold_machine::PathChannel;
use rankfold_machine::Speed;
use rankfold_machine::hosts::UNUSABLE;
pub(super) use routes::LocalRoute;
use std::collections::HashMap;
use zone::LocalRoutes;

/// Index of a host, router or zone among the points of a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct PointId(pub(super) usize);

/// Index of a zone among the zones of a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ZoneId(pub(super) usize);

/// What routes lead between.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) name: String,
    /// The zone that the point is in; `None` for the outermost zone.
    pub(super) inside: Option<ZoneId>,
    /// The zone that the point is, if it is one.
    pub(super) zone: Option<ZoneId>,
}

/// A zone: some points, and the routes between them.
#[derive(Debug)]
pub(super) struct Zone {
    pub(super) point: PointId,
    pub(super) line: usize,
    pub(super) routes: Box<dyn LocalRoutes>,
}

/// A link by its name: one channel, or one for each direction.
#[derive(Clone, Copy, Debug)]
pub(super) enum NamedLink {
    Shared(u32),
    Duplex(Cable),
}

/// The channels of the two directions of a link: those of one that both share are equal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cable {
    pub(super) up: u32,
    pub(super) down: u32,
}

/// Limit on the number of hosts. Chosen by hand; not measured.
const MOST_HOSTS: usize = 1 << 17;

/// The contents of a platform file.
#[derive(Debug)]
pub(super) struct Platform<'a> {
    pub(super) source: &'a Source,
    pub(super) channels: Vec<PathChannel>,
    pub(super) links: HashMap<String, NamedLink>,
    pub(super) points: Vec<Point>,
    pub(super) names: HashMap<String, PointId>,
    pub(super) zones: Vec<Zone>,
    /// In the order of the file.
    pub(super) hosts: Vec<PointId>,
    /// The number of cores of every host.
    pub(super) cores: Vec<u32>,
    /// Bandwidth between the ranks of every host, where the file gives one.
    pub(super) loopbacks: Vec<Option<f64>>,
    /// Number of hosts of all fat trees so far: SimGrid does not count the positions in each fat
    /// tree anew.
    pub(super) hosts_of_fat_trees: usize,
}

impl<'a> Platform<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self {
            source,
            channels: Vec::new(),
            links: HashMap::new(),
            points: Vec::new(),
            names: HashMap::new(),
            zones: Vec::new(),
            hosts: Vec::new(),
            cores: Vec::new(),
            loopbacks: Vec::new(),
            hosts_of_fat_trees: 0,
        }
    }

    pub(super) fn line(&self, line: usize) -> SourceLine<'a> {
        SourceLine {
            source: self.source,
            line,
        }
    }

    /// Adds a channel, and returns its number.
    pub(super) fn channel(&mut self, name: String, speed: Speed) -> u32 {
        self.channels.push(PathChannel { name, speed });
        (self.channels.len() - 1) as u32
    }

    /// Adds a link with a channel for each direction, or with one for both.
    pub(super) fn cable(&mut self, name: &str, speed: Speed, duplex: bool) -> Cable {
        if !duplex {
            let both = self.channel(name.into(), speed);
            return Cable {
                up: both,
                down: both,
            };
        }
        Cable {
            up: self.channel(format!("{name}_UP"), speed),
            down: self.channel(format!("{name}_DOWN"), speed),
        }
    }

    /// Gives a link its name. The channels of a link with two have names of their own, too.
    pub(super) fn name_link(&mut self, name: &str, link: NamedLink) -> Result<(), String> {
        let mut named = vec![(name.to_owned(), link)];
        if let NamedLink::Duplex(Cable { up, down }) = link {
            named.push((format!("{name}_UP"), NamedLink::Shared(up)));
            named.push((format!("{name}_DOWN"), NamedLink::Shared(down)));
        }
        for (name, link) in named {
            if self.links.insert(name.clone(), link).is_some() {
                return Err(format!("there are two links named {name}"));
            }
        }
        Ok(())
    }

    /// Adds a point.
    pub(super) fn point(
        &mut self,
        name: &str,
        inside: Option<ZoneId>,
        zone: Option<ZoneId>,
    ) -> Result<PointId, String> {
        let id = PointId(self.points.len());
        if self.names.insert(name.into(), id).is_some() {
            return Err(format!(
                "there are two hosts, routers or zones named {name}"
            ));
        }
        self.points.push(Point {
            name: name.into(),
            inside,
            zone,
        });
        Ok(id)
    }

    /// Adds a host.
    pub(super) fn host(
        &mut self,
        name: &str,
        inside: ZoneId,
        cores: u32,
        loopback: Option<f64>,
    ) -> Result<PointId, String> {
        if name == UNUSABLE {
            return Err(format!("a host must not be named {name}"));
        }
        if self.hosts.len() == MOST_HOSTS {
            return Err(format!("more than {MOST_HOSTS} hosts"));
        }
        let host = self.point(name, Some(inside), None)?;
        self.hosts.push(host);
        self.cores.push(cores);
        self.loopbacks.push(loopback);
        Ok(host)
    }

    /// Adds a zone, whose routes are not known yet.
    pub(super) fn zone(
        &mut self,
        name: &str,
        inside: Option<ZoneId>,
        line: usize,
    ) -> Result<ZoneId> {
        let id = ZoneId(self.zones.len());
        let point = self.point(name, inside, Some(id));
        self.zones.push(Zone {
            point: point.map_err(|problem| self.line(line).bad(problem))?,
            line,
            routes: Box::new(zone::NoRoutes),
        });
        Ok(id)
    }

    pub(super) fn name(&self, point: PointId) -> &str {
        &self.points[point.0].name
    }

    /// The zones that a point is in, from the innermost out.
    pub(super) fn around(&self, point: PointId) -> Vec<ZoneId> {
        let next = |zone: &ZoneId| self.points[self.zones[zone.0].point.0].inside;
        std::iter::successors(self.points[point.0].inside, next).collect()
    }
}
