//! Reads machine files.

use super::super::{Device, Inside, InsideLevel, hosts};
use super::aliases;
use super::forwarding::{self, Rows};
use super::paths::{self, ChannelEntry, PathRows};
use super::time::Time;
use super::{Description, InsideEntry, LineError, SpanError};
use crate::network::listed_paths::PathTable;
use crate::network::speed::SpeedEntry;
use crate::network::{Link, Paths, RoutingRules, Speed, Unit, families};
use rankfold_base::words::counted;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use toml::Spanned;

impl Description {
    /// Reads the text of a machine file. An error has the line, counted from 1, and a message.
    pub(crate) fn parse(text: &str) -> Result<Self, LineError> {
        let line_of = |at: usize| 1 + text[..at].matches('\n').count();
        let file: File = toml::from_str(text)
            .map_err(|e| (e.span().map(|s| line_of(s.start)), e.message().to_owned()))?;
        file.check()
            .map_err(|(span, problem)| (span.map(|span| line_of(span.start)), problem))
    }
}

/// The machine file as TOML, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    network: Option<Spanned<String>>,
    ties: Option<Spanned<String>>,
    order: Option<Spanned<Vec<usize>>>,
    routes: Option<Spanned<String>>,
    oversubscription: Option<Spanned<Ratios>>,
    slots: Option<Spanned<PerHost>>,
    #[serde(default)]
    hosts: Vec<Spanned<String>>,
    #[serde(default)]
    switches: Vec<Spanned<String>>,
    links: Option<Spanned<Vec<Spanned<LinkEntry>>>>,
    tables: Option<Rows>,
    channels: Option<Vec<Spanned<ChannelEntry>>>,
    paths: Option<PathRows>,
    #[serde(default)]
    aliases: aliases::GivenAliases,
    #[serde(default)]
    inside: Vec<Spanned<InsideTable>>,
    time: Option<Time>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum PerHost {
    Same(u32),
    Each(Vec<u32>),
}

/// Capacities between switches: a list from the leaf switches up, or a word.
#[derive(Deserialize)]
#[serde(untagged)]
enum Ratios {
    Listed(Vec<String>),
    Word(String),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum LinkEntry {
    Plain(String, String),
    Weighted(String, String, SpeedEntry),
    Parallel(String, String, SpeedEntry, u32),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InsideTable {
    hosts: Option<Vec<Spanned<String>>>,
    cores: u32,
    #[serde(default)]
    levels: Vec<InsideLevel>,
    #[serde(default)]
    nics: Vec<Device>,
    #[serde(default)]
    gpus: Vec<Device>,
}

impl File {
    fn check(mut self) -> Result<Description, SpanError> {
        let vertices = self.vertices()?;
        let time = self.time.take();
        let one = self.apply_speeds(time.as_ref())?;
        let rules = self.rules()?;
        let (nodes, network_unit) = self.nodes()?;
        let (links, links_unit) = self.resolve(&vertices, one)?;
        let unit = network_unit.unwrap_or(links_unit);
        let paths = self.listed_paths()?;
        let unit = if paths.is_some() { Unit::Seconds } else { unit };
        let timing = time.map(|time| time.timing(unit)).transpose()?;
        let slots = self.slots.take().map(|slots| per_host(slots, nodes));
        let mut description = Description {
            slots: slots.transpose()?,
            insides: self.insides()?,
            aliases: aliases::checked(&self.aliases, &self.hosts)?,
            network: self.network.map(Spanned::into_inner),
            hosts: names(&self.hosts),
            switches: names(&self.switches),
            links,
            unit: links_unit,
            oversubscription: None,
            rules,
            timing: timing.unwrap_or_default(),
            tables: None,
            paths,
            notes: Vec::new(),
        };
        if description.network.is_none()
            && description.paths.is_none()
            && let Some(apart) = description.cabling("").first_unreachable()
        {
            let (one, other) = (&description.hosts[0], &description.hosts[apart]);
            let problem = format!("no path joins {one} and {other}");
            return Err((Some(self.hosts[apart].span()), problem));
        }
        if let Some(ratios) = self.oversubscription {
            let text = match ratios.get_ref() {
                Ratios::Listed(ratios) => ratios.join(","),
                Ratios::Word(word) => word.clone(),
            };
            let described = text.parse().and_then(|by| description.oversubscribed(by));
            description = described.map_err(|problem| (Some(ratios.span()), problem))?;
        }
        if let Some(rows) = self.tables {
            description.tables = Some(forwarding::tables(&description, &rows)?);
            if let Some((switch, _, problem)) = description.misrouted() {
                let row = rows.get(&description.switches[switch]);
                return Err((row.map(Spanned::span), problem));
            }
        }
        Ok(description)
    }

    /// The listed paths, if there are any. They stand in place of links.
    fn listed_paths(&self) -> Result<Option<PathTable>, SpanError> {
        let (channels, rows) = match (&self.channels, &self.paths) {
            (None, None) => return Ok(None),
            (Some(channels), Some(rows)) => (channels, rows),
            _ => return Err((None, "channels and [paths] need each other".into())),
        };
        let others = self.network.is_some() || self.links.is_some() || self.tables.is_some();
        if others || !self.switches.is_empty() || self.routes.is_some() {
            let problem = "[paths] stands in place of network, switches, links, tables and routes";
            return Err((None, problem.into()));
        }
        paths::read(&names(&self.hosts), channels, rows).map(Some)
    }

    /// The numbers of all vertices by name: hosts first, then switches.
    fn vertices(&self) -> Result<HashMap<String, u32>, SpanError> {
        let mut vertices = HashMap::new();
        for (number, name) in (0u32..).zip(self.hosts.iter().chain(&self.switches)) {
            let unusable = self.network.is_some() && name.get_ref() == hosts::UNUSABLE;
            if number < self.hosts.len() as u32 && name.get_ref() != hosts::UNUSABLE {
                hosts::check(name.get_ref()).map_err(|problem| (Some(name.span()), problem))?;
            }
            if vertices.insert(name.get_ref().clone(), number).is_some() && !unusable {
                let problem = format!("there are two hosts or switches named {}", name.get_ref());
                return Err((Some(name.span()), problem));
            }
        }
        Ok(vertices)
    }

    /// The rules of routes. Those of a network of a family become part of its spec, and only those
    /// of links are returned.
    fn rules(&mut self) -> Result<RoutingRules, SpanError> {
        let order = self.order.as_ref().map(|order| {
            let numbers: Vec<String> = order.get_ref().iter().map(ToString::to_string).collect();
            ("order", numbers.join(","), order.span())
        });
        let text = |key, given: &Option<Spanned<String>>| {
            let given = given.as_ref()?;
            Some((key, given.get_ref().clone(), given.span()))
        };
        let given = [
            text("ties", &self.ties),
            order,
            text("routes", &self.routes),
        ];
        let mut rules = RoutingRules::default();
        for (key, value, span) in given.iter().flatten() {
            let here = |problem| (Some(span.clone()), problem);
            rules.set(key, value).map_err(here)?;
            if self.network.is_none() {
                rules.check_switched().map_err(here)?;
            }
        }
        let last = given.into_iter().flatten().last();
        let Some((key, _, span)) = last else {
            return Ok(rules);
        };
        let Some(network) = &mut self.network else {
            if self.tables.is_some() && rules.paths == Some(Paths::Spread) {
                let problem = "routes: [tables] give each pair of hosts one path";
                return Err((Some(span), problem.into()));
            }
            return Ok(rules);
        };
        let (_, in_spec) = RoutingRules::split(network.get_ref())
            .map_err(|problem| (Some(network.span()), format!("network: {problem}")))?;
        if !in_spec.is_empty() {
            let problem = format!("{key} is given, and rules at the end of network: one is enough");
            return Err((Some(span), problem));
        }
        // A network that is wrong by itself is told when its nodes are counted.
        if let Ok(mut topology) = families::network(network.get_ref()) {
            families::set_rules(&mut topology, rules.clone())
                .map_err(|problem| (Some(span), problem))?;
        }
        *network.get_mut() += &rules.to_string();
        Ok(RoutingRules::default())
    }

    /// Applies the bandwidth and latency of `[time]`: adds them to the spec of the network, or,
    /// without a network, returns them as the speed of a link of bandwidth 1.
    fn apply_speeds(&mut self, time: Option<&Time>) -> Result<(Speed, Unit), SpanError> {
        let relative = (Speed::ONE, Unit::BytesOverOneLink);
        let Some(speeds) = time.map(Time::speeds).transpose()?.flatten() else {
            return Ok(relative);
        };
        let Some(network) = &mut self.network else {
            return match speeds.of[..] {
                [one] => Ok((one, speeds.unit)),
                _ => Err((None, "[time]: links have one bandwidth and latency".into())),
            };
        };
        if network.get_ref().contains('@') {
            let problem = "[time] has bandwidth, and so has the network: one of them is enough";
            return Err((Some(network.span()), problem.into()));
        }
        let (sizes, rules) = RoutingRules::split(network.get_ref())
            .map_err(|problem| (Some(network.span()), format!("network: {problem}")))?;
        *network.get_mut() = format!("{sizes}@{speeds}{rules}");
        Ok(relative)
    }

    /// The number of nodes, by the network or by the list of hosts, and the unit of the network.
    fn nodes(&self) -> Result<(usize, Option<Unit>), SpanError> {
        let Some(network) = &self.network else {
            return match &self.links {
                Some(_) => Ok((self.hosts.len(), None)),
                None if self.paths.is_some() => Ok((self.hosts.len(), None)),
                None => Err((None, "neither links nor network is given".into())),
            };
        };
        let problem = |problem: String| Err((Some(network.span()), problem));
        if self.links.is_some() || self.tables.is_some() || !self.switches.is_empty() {
            return problem("network stands in place of switches, links and tables".into());
        }
        let (nodes, unit) = match families::network(network.get_ref()) {
            Ok(topology) => (topology.nodes(), Some(topology.unit())),
            Err(wrong) => return problem(format!("network: {wrong}")),
        };
        match self.hosts.len() {
            0 => Ok((nodes, unit)),
            hosts if hosts == nodes => Ok((nodes, unit)),
            hosts => problem(format!(
                "{} for a network of {}",
                counted(hosts, "host"),
                counted(nodes, "node")
            )),
        }
    }

    /// The links, and the unit of their speeds. A relative bandwidth is multiplied by that of
    /// `one`, the speed of a link of bandwidth 1.
    fn resolve(
        &self,
        vertices: &HashMap<String, u32>,
        one: (Speed, Unit),
    ) -> Result<(Vec<Link>, Unit), SpanError> {
        let mut links = Vec::new();
        let mut units = None;
        for ends in self.links.iter().flat_map(Spanned::get_ref) {
            let here = |problem| (Some(ends.span()), problem);
            let (link, unit) = ends.get_ref().resolve(vertices, one).map_err(here)?;
            if *units.get_or_insert(unit) != unit {
                let problem =
                    "some links have a bandwidth in bytes per second, some a relative one";
                return Err(here(format!(
                    "{problem}: [time] bandwidth tells how fast 1 is"
                )));
            }
            links.push(link);
        }
        Ok((links, units.unwrap_or(one.1)))
    }

    fn insides(&self) -> Result<Vec<InsideEntry>, SpanError> {
        let known: HashSet<&str> = self.hosts.iter().map(|h| h.get_ref().as_str()).collect();
        let mut listed = HashSet::new();
        let mut insides: Vec<InsideEntry> = Vec::new();
        for within in &self.inside {
            let here = |problem| (Some(within.span()), problem);
            let InsideTable {
                hosts,
                cores,
                levels,
                nics,
                gpus,
            } = within.get_ref();
            for host in hosts.iter().flatten() {
                let name = host.get_ref().as_str();
                if !known.contains(name) || name == hosts::UNUSABLE {
                    return Err((Some(host.span()), format!("there is no host named {name}")));
                }
                if !listed.insert(name) {
                    let problem = format!("two [[inside]] name host {name}");
                    return Err((Some(host.span()), problem));
                }
            }
            if hosts.is_none() && insides.iter().any(|(hosts, _)| hosts.is_none()) {
                return Err(here("there are two [[inside]] without hosts".into()));
            }
            let inside = Inside::new(*cores, levels.clone())
                .and_then(|inside| inside.with_devices(nics.clone(), gpus.clone()))
                .map_err(here)?;
            insides.push((hosts.as_deref().map(names), inside));
        }
        Ok(insides)
    }
}

fn per_host(slots: Spanned<PerHost>, nodes: usize) -> Result<Vec<u32>, SpanError> {
    let span = slots.span();
    match slots.into_inner() {
        PerHost::Same(slots) => Ok(vec![slots; nodes]),
        PerHost::Each(slots) if slots.len() == nodes => Ok(slots),
        PerHost::Each(slots) => {
            let hosts = counted(nodes, "host");
            let problem = format!("{} of slots for {hosts}", counted(slots.len(), "number"));
            Err((Some(span), problem))
        }
    }
}

fn names(list: &[Spanned<String>]) -> Vec<String> {
    list.iter().map(|name| name.get_ref().clone()).collect()
}

impl LinkEntry {
    fn resolve(
        &self,
        vertices: &HashMap<String, u32>,
        (one, unit_of_one): (Speed, Unit),
    ) -> Result<(Link, Unit), String> {
        let (u, v, speed, cables) = match self {
            Self::Plain(u, v) => (u, v, &SpeedEntry::Relative(1.0), 1),
            Self::Weighted(u, v, speed) => (u, v, speed, 1),
            Self::Parallel(u, v, speed, cables) => (u, v, speed, *cables),
        };
        let (speed, unit) = match speed.read()? {
            (speed, Unit::Seconds) => (speed, Unit::Seconds),
            (Speed { bandwidth, .. }, Unit::BytesOverOneLink) => {
                let bandwidth = bandwidth * one.bandwidth;
                (Speed { bandwidth, ..one }, unit_of_one)
            }
        };
        let find = |name: &String| {
            vertices
                .get(name.as_str())
                .copied()
                .ok_or_else(|| format!("there is no host or switch named {name}"))
        };
        if cables == 0 {
            return Err("a link needs one cable at least".into());
        }
        let link = Link {
            ends: (find(u)?, find(v)?),
            speed,
            cables,
        };
        Ok((link, unit))
    }
}
