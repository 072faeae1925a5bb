//! Writes machine files.

use super::super::{Device, EAGER_LIMIT, Sharing, Timing};
use super::Description;
use crate::network::fabric::Tables;
use crate::network::{Unit, bandwidth_in_words, time_in_words};
use std::fmt;

/// Writes the text of a machine file.
impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(slots) = &self.slots {
            writeln!(f, "slots = {slots:?}")?;
        }
        if let Some(network) = &self.network {
            writeln!(f, "network = {}", quoted(network))?;
        }
        if let Some(paths) = self.rules.paths {
            writeln!(f, "routes = {}", quoted(&paths.to_string()))?;
        }
        if let Some(ratios) = &self.oversubscription {
            writeln!(f, "oversubscription = {}", ratios.in_file())?;
        }
        for (key, names) in [("hosts", &self.hosts), ("switches", &self.switches)] {
            if names.is_empty() && (self.network.is_some() || self.paths.is_some()) {
                continue;
            }
            writeln!(f, "{key} = [")?;
            for row in names.chunks(8) {
                let row: Vec<String> = row.iter().map(|name| quoted(name)).collect();
                writeln!(f, "    {},", row.join(", "))?;
            }
            writeln!(f, "]")?;
        }
        match &self.paths {
            Some(table) => self.write_channels(table, f)?,
            None if self.network.is_none() => self.write_links(f)?,
            None => {}
        }
        if let Some(tables) = &self.tables {
            self.write_tables(tables, f)?;
        }
        if let Some(table) = &self.paths {
            self.write_paths(table, f)?;
        }
        if !self.aliases.is_empty() {
            writeln!(f, "\n[aliases]")?;
            for (alias, host) in &self.aliases {
                writeln!(f, "{} = {}", key(alias), quoted(host))?;
            }
        }
        if self.timing != Timing::default() {
            self.write_timing(f)?;
        }
        self.write_insides(f)
    }
}

impl Description {
    fn write_links(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "links = [")?;
        for link in &self.links {
            let (u, v) = (self.name(link.ends.0), self.name(link.ends.1));
            write!(f, "    [{}, {}", quoted(u), quoted(v))?;
            match self.unit {
                Unit::Seconds => write!(f, ", {}", quoted(&link.speed.in_words(self.unit)))?,
                Unit::BytesOverOneLink if link.speed.bandwidth == 1.0 && link.cables == 1 => {}
                Unit::BytesOverOneLink => write!(f, ", {:?}", link.speed.bandwidth)?,
            }
            if link.cables != 1 {
                write!(f, ", {}", link.cables)?;
            }
            writeln!(f, "],")?;
        }
        writeln!(f, "]")
    }

    fn write_tables(&self, tables: &Tables, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n[tables]")?;
        for (switch, name) in self.switches.iter().enumerate() {
            let links = self.links_of(switch);
            let row: Vec<String> = (0..self.hosts.len())
                .map(|host| {
                    let link = tables.link(switch, host);
                    links
                        .binary_search(&link)
                        .map_or("-1".into(), |place| place.to_string())
                })
                .collect();
            writeln!(f, "{} = [{}]", key(name), row.join(", "))?;
        }
        Ok(())
    }

    fn write_timing(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Timing {
            overhead,
            memory,
            by_size,
            sharing,
            eager_limit,
        } = &self.timing;
        writeln!(f, "\n[time]")?;
        if *overhead > 0.0 {
            writeln!(f, "overhead = {}", quoted(&time_in_words(*overhead)))?;
        }
        if let Some(memory) = memory {
            writeln!(f, "memory = {}", quoted(&bandwidth_in_words(*memory)))?;
        }
        if *eager_limit != EAGER_LIMIT {
            writeln!(f, "eager = {eager_limit}")?;
        }
        if let Some(sharing) = sharing {
            let word = match sharing {
                Sharing::ByPath => "by-path",
                Sharing::Equal => "equal",
            };
            writeln!(f, "sharing = \"{word}\"")?;
        }
        if !by_size.rows().is_empty() {
            writeln!(f, "sizes = [")?;
            for row in by_size.rows() {
                let (bytes, bandwidth, latency) = (row.bytes, row.bandwidth, row.latency);
                writeln!(
                    f,
                    "    {{ bytes = {bytes}, bandwidth = {bandwidth:?}, latency = {latency:?} }},"
                )?;
            }
            writeln!(f, "]")?;
        }
        Ok(())
    }

    fn write_insides(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (hosts, inside) in &self.insides {
            writeln!(f, "\n[[inside]]")?;
            if let Some(hosts) = hosts {
                let hosts: Vec<String> = hosts.iter().map(|host| quoted(host)).collect();
                writeln!(f, "hosts = [{}]", hosts.join(", "))?;
            }
            writeln!(f, "cores = {}", inside.cores())?;
            writeln!(f, "levels = [")?;
            for level in inside.levels() {
                let name = quoted(&level.name);
                writeln!(f, "    {{ name = {name}, cores = {:?} }},", level.cores)?;
            }
            writeln!(f, "]")?;
            for (key, devices) in [("nics", inside.nics()), ("gpus", inside.gpus())] {
                write_devices(key, devices, f)?;
            }
        }
        Ok(())
    }
}

fn write_devices(key: &str, devices: &[Device], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if devices.is_empty() {
        return Ok(());
    }
    writeln!(f, "{key} = [")?;
    for Device { name, first, cores } in devices {
        let name = quoted(name);
        writeln!(
            f,
            "    {{ name = {name}, first = {first}, cores = {cores} }},"
        )?;
    }
    writeln!(f, "]")
}

/// A name as a value.
pub(super) fn quoted(name: &str) -> String {
    toml::Value::from(name).to_string()
}

/// A name as a key. The form for values may take several lines where a name has quotation marks of
/// both kinds. No key of TOML may.
pub(super) fn key(name: &str) -> String {
    let value = quoted(name);
    if !value.starts_with(r#"""""#) && !value.starts_with("'''") {
        return value;
    }
    let line = toml::Table::from_iter([(name.to_owned(), true.into())]).to_string();
    line.trim_end().trim_end_matches(" = true").to_owned()
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn a_key_is_one_line_and_reads_back() {
        let names = [
            "n1",
            "a b",
            "'",
            "\"",
            "'\"",
            "'''\"\"\"",
            "a\nb'''\" = true",
            "\u{7f}'''\"",
        ];
        for name in names {
            let line = format!("{} = 7", key(name));
            assert_eq!(line.lines().count(), 1, "{line}");
            let read: toml::Table = line.parse().unwrap_or_else(|e| panic!("{line}: {e}"));
            assert_eq!(read.keys().collect::<Vec<_>>(), [name]);
        }
    }
}
