//! The machine of a platform.

use super::platform::{Platform, PointId};
use rankfold_importers::Result;
use rankfold_machine::InsideEntry;
use rankfold_machine::PathTable;
use rankfold_machine::{Description, Inside};
use std::collections::BTreeMap;

impl Platform<'_> {
    /// The machine: a network of a family or of switches where one has the routes of the platform,
    /// else the path of each pair of hosts.
    ///
    /// # Errors
    /// [`ImportError`] if two hosts have no route.
    pub(super) fn describe(&self) -> Result<Description> {
        let zone = self.points[self.hosts[0].0].inside;
        let alone = self
            .hosts
            .iter()
            .all(|host| self.points[host.0].inside == zone);
        let plain = zone.filter(|_| alone);
        let plain = plain.and_then(|zone| self.zones[zone.0].routes.network(self));
        let mut description = match plain {
            Some(description) => description,
            None => self.listed()?,
        };
        let names = self.hosts.iter().map(|&host| self.name(host).to_owned());
        description.hosts = names.collect();
        for switch in &mut description.switches {
            while self.names.contains_key(switch) {
                switch.insert(0, '_');
            }
        }
        description.insides = self.insides()?;
        if self
            .loopbacks
            .iter()
            .all(|loopback| *loopback == self.loopbacks[0])
        {
            description.timing.memory = self.loopbacks[0];
        }
        Ok(description)
    }

    /// The path of each pair of hosts. Channels on no path are left out.
    fn listed(&self) -> Result<Description> {
        let hosts = self.hosts.len();
        let bad = |problem: String| self.line(self.zones[0].line).bad(problem);
        let too_long = || {
            bad(format!(
                "{hosts} hosts have too many and too long paths to list each: at most {MOST_LISTED} links in all are supported"
            ))
        };
        if hosts * hosts > MOST_LISTED {
            return Err(too_long());
        }
        let mut paths: Vec<Vec<u32>> = Vec::new();
        let mut channels: BTreeMap<u32, u32> = BTreeMap::new();
        let mut entries = 0;
        for (&from, &to) in self
            .hosts
            .iter()
            .flat_map(|a| self.hosts.iter().map(move |b| (a, b)))
        {
            let path = self.path(from, to)?;
            entries += path.len() + 1;
            if entries > MOST_LISTED {
                return Err(too_long());
            }
            channels.extend(path.iter().map(|&channel| (channel, 0)));
            paths.push(path);
        }
        for (number, place) in channels.values_mut().zip(0..) {
            *number = place;
        }
        let used = channels.keys().map(|&c| self.channels[c as usize].clone());
        let mut table = PathTable::new(used.collect(), hosts);
        for path in paths {
            let path: Vec<u32> = path.iter().map(|channel| channels[channel]).collect();
            table.push(&path).map_err(bad)?;
        }
        Ok(Description {
            paths: Some(table),
            ..Description::default()
        })
    }

    fn path(&self, from: PointId, to: PointId) -> Result<Vec<u32>> {
        let mut path = Vec::new();
        if from != to {
            self.route(from, to, 0, &mut path)?;
            if path.is_empty() {
                let zone = self.points[from.0].inside.map_or(0, |zone| zone.0);
                let (from, to) = (self.name(from), self.name(to));
                let problem = format!("the route from {from} to {to} has no link");
                return Err(self.line(self.zones[zone].line).bad(problem));
            }
        }
        Ok(path)
    }

    /// The cores of the hosts, where hosts have more than one.
    fn insides(&self) -> Result<Vec<InsideEntry>> {
        let mut hosts_with: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for (&host, &cores) in self.hosts.iter().zip(&self.cores) {
            let name = self.name(host).to_owned();
            hosts_with.entry(cores).or_default().push(name);
        }
        let all_alike = hosts_with.len() == 1;
        let several = hosts_with.into_iter().filter(|&(cores, _)| cores > 1);
        let inside = |(cores, hosts): (u32, Vec<String>)| {
            let inside = Inside::new(cores, Vec::new());
            let inside = inside.map_err(|problem| self.line(self.zones[0].line).bad(problem))?;
            Ok(((!all_alike).then_some(hosts), inside))
        };
        several.map(inside).collect()
    }
}

/// Limit on the links of all paths together; each path counts one more. 128 MiB while they are
/// found.
const MOST_LISTED: usize = 1 << 25;
