//! Reads a zone: what is in it, and the routes between.

use super::super::cluster::radicals;
use super::super::element::Element;
use super::super::platform::zone::{
    Declared, Dijkstra, Floyd, Full, LocalRoutes, MOST_POINTS, NoRoutes, Spokes, Star,
};
use super::super::platform::{NamedLink, Platform, PointId, ZoneId};
use super::{IGNORED, link, point, read_link, read_part};
use rankfold_base::words::{counted, did_you_mean};
use rankfold_importers::Result;
use std::collections::HashSet;

/// The ways in which zones find routes, by the value of `routing` in lower case.
const ROUTINGS: [&str; 6] = [
    "full",
    "floyd",
    "dijkstra",
    "dijkstracache",
    "cluster",
    "none",
];

/// A zone that is being read.
pub(super) struct ZoneReader<'a> {
    element: Element<'a>,
    zone: ZoneId,
    routing: &'static str,
    /// Everything in the zone, in the order of the file.
    members: Vec<PointId>,
    declared: Vec<Declared>,
    given: HashSet<(PointId, PointId)>,
    star: Star,
    backbone: Option<u32>,
}

impl<'a> ZoneReader<'a> {
    pub(super) fn new(
        element: Element<'a>,
        platform: &mut Platform<'_>,
        inside: Option<ZoneId>,
    ) -> Result<Self> {
        let typed = element.required("routing")?.to_lowercase();
        let routing = ROUTINGS.iter().find(|known| **known == typed);
        let Some(&routing) = routing else {
            return Err(element.bad(format!(
                "routing={typed:?} is not supported{}: supported are {}",
                did_you_mean(&typed, ROUTINGS),
                ROUTINGS.join(", ")
            )));
        };
        let zone = platform.zone(element.required("id")?, inside, element.place().line)?;
        Ok(Self {
            element,
            zone,
            routing,
            members: Vec::new(),
            declared: Vec::new(),
            given: HashSet::new(),
            star: Star::default(),
            backbone: None,
        })
    }

    pub(super) fn read(mut self, platform: &mut Platform<'_>, depth: usize) -> Result<()> {
        // SimGrid joins hosts and backbone when the zone is complete.
        let mut hosts_of_the_star = Vec::new();
        for element in self.element.children() {
            let before = platform.points.len();
            match element.tag() {
                "host" => self.read_host(element, platform)?,
                "router" => {
                    let router = platform.point(element.required("id")?, Some(self.zone), None);
                    router.map_err(|problem| element.bad(problem))?;
                }
                "link" => read_link(element, platform)?,
                "backbone" => {
                    let speed = element.speed("bandwidth", "latency")?;
                    let name = element.required("id")?;
                    let channel = platform.channel(name.into(), speed);
                    let named = platform.name_link(name, NamedLink::Shared(channel));
                    named.map_err(|problem| element.bad(problem))?;
                    self.backbone = Some(channel);
                }
                "cabinet" | "host_link" => hosts_of_the_star.push(element),
                "route" | "zoneRoute" | "ASroute" => self.read_route(element, platform)?,
                "zone" | "AS" | "cluster" => {
                    read_part(element, platform, Some(self.zone), depth + 1)?;
                }
                tag if IGNORED.contains(&tag) => {}
                tag => return Err(element.bad(format!("<{tag}> is not supported"))),
            }
            let new = (before..platform.points.len()).map(PointId);
            let own = |&point: &PointId| platform.points[point.0].inside == Some(self.zone);
            self.members.extend(new.filter(own));
        }
        for element in hosts_of_the_star {
            self.read_spokes(element, platform)?;
        }
        let zone = self.zone.0;
        platform.zones[zone].routes = self.routes()?;
        Ok(())
    }

    fn routes(self) -> Result<Box<dyn LocalRoutes>> {
        let is_star = self.routing == "cluster";
        let has_spokes = !self.star.spokes.is_empty() || self.backbone.is_some();
        if has_spokes && !is_star {
            let problem = "host_link, cabinet and backbone are for zones with routing=\"Cluster\"";
            return Err(self.element.bad(problem));
        }
        if matches!(self.routing, "cluster" | "none") && !self.declared.is_empty() {
            let problem = format!("a zone with routing={:?} takes no routes", self.routing);
            return Err(self.element.bad(problem));
        }
        Ok(match self.routing {
            "full" => Box::new(Full::new(self.declared)),
            "floyd" if self.members.len() > MOST_POINTS => {
                let members = counted(self.members.len(), "point");
                let problem = format!("{members}: Floyd takes at most {MOST_POINTS} here");
                return Err(self.element.bad(problem));
            }
            "floyd" => Box::new(Floyd::new(&self.members, self.declared)),
            "cluster" => Box::new(self.star),
            "none" => Box::new(NoRoutes),
            _ => Box::new(Dijkstra::new(self.declared)),
        })
    }

    fn read_host(&self, element: Element<'_>, platform: &mut Platform<'_>) -> Result<()> {
        let (name, cores) = (element.required("id")?, element.number("core", 1)?);
        let host = platform.host(name, self.zone, cores, None);
        host.map(|_| ()).map_err(|problem| element.bad(problem))
    }

    /// Reads the links between the middle of a star and its hosts.
    fn read_spokes(&mut self, element: Element<'_>, platform: &mut Platform<'_>) -> Result<()> {
        let bad = |problem| element.bad(problem);
        let mut joined = Vec::new();
        if element.tag() == "host_link" {
            let host = point(element, "id", platform)?;
            if !self.members.contains(&host) {
                return Err(bad(format!("{} is not in this zone", platform.name(host))));
            }
            let [up, down] = ["up", "down"].map(|way| link(element, way, None, platform));
            joined.push((host, up?.up, down?.down));
        } else {
            let speed = element.speed("bw", "lat")?;
            let prefix = element.attribute("prefix").unwrap_or_default();
            let suffix = element.attribute("suffix").unwrap_or_default();
            for radical in radicals(element, element.required("radical")?)? {
                let name = format!("{prefix}{radical}{suffix}");
                let host = platform.host(&name, self.zone, 1, None).map_err(bad)?;
                self.members.push(host);
                let cable = platform.cable(&format!("link_{name}"), speed, true);
                joined.push((host, cable.up, cable.down));
            }
        }
        for (host, up, down) in joined {
            let spokes = Spokes {
                up: [up].into_iter().chain(self.backbone).collect(),
                down: self.backbone.into_iter().chain([down]).collect(),
            };
            self.star.spokes.insert(host, spokes);
        }
        Ok(())
    }

    /// Reads a route, and its reverse unless the file says that there is none.
    fn read_route(&mut self, element: Element<'_>, platform: &Platform<'_>) -> Result<()> {
        let ends = (
            point(element, "src", platform)?,
            point(element, "dst", platform)?,
        );
        for end in [ends.0, ends.1] {
            if platform.points[end.0].inside != Some(self.zone) {
                let (end, zone) = (platform.name(end), self.element.required("id")?);
                return Err(element.bad(format!(
                    "{end} is not in zone {zone}, to which the route belongs"
                )));
            }
        }
        let gateways = match element.tag() {
            "route" => None,
            _ => Some(self.gateways(element, ends, platform)?),
        };
        let mut cables = Vec::new();
        for part in element.children() {
            if part.tag() != "link_ctn" {
                return Err(part.bad(format!("<{}> is no part of a route", part.tag())));
            }
            cables.push(link(part, "id", part.attribute("direction"), platform)?);
        }
        if ends.0 == ends.1 {
            return Ok(()); // between the ranks of one host
        }
        if cables.is_empty() {
            return Err(element.bad("the route has no link"));
        }
        let symmetrical = element.word("symmetrical", &["YES", "yes", "NO", "no"])?;
        let way = Declared {
            ends,
            gateways,
            channels: cables.iter().map(|cable| cable.up).collect(),
        };
        let back = Declared {
            ends: (ends.1, ends.0),
            gateways: gateways.map(|(first, last)| (last, first)),
            channels: cables.iter().rev().map(|cable| cable.down).collect(),
        };
        let both = symmetrical.eq_ignore_ascii_case("yes");
        for route in [Some(way), both.then_some(back)].into_iter().flatten() {
            if !self.given.insert(route.ends) {
                let (from, to) = (platform.name(route.ends.0), platform.name(route.ends.1));
                return Err(element.bad(format!(
                    "there are two routes from {from} to {to}: a route also holds for the way back unless symmetrical=\"NO\""
                )));
            }
            self.declared.push(route);
        }
        Ok(())
    }

    fn gateways(
        &self,
        element: Element<'_>,
        ends: (PointId, PointId),
        platform: &Platform<'_>,
    ) -> Result<(PointId, PointId)> {
        let gateway = |key, end: PointId| {
            let gateway = point(element, key, platform)?;
            let Some(zone) = platform.points[end.0].zone else {
                let problem = format!("{} is no zone: use <route>", platform.name(end));
                return Err(element.bad(problem));
            };
            if platform.points[gateway.0].zone.is_some() || !platform.contains(zone, gateway) {
                let (gateway, zone) = (platform.name(gateway), platform.name(end));
                let problem = format!("{key}: {gateway} is no host or router in zone {zone}");
                return Err(element.bad(problem));
            }
            Ok(gateway)
        };
        Ok((gateway("gw_src", ends.0)?, gateway("gw_dst", ends.1)?))
    }
}
