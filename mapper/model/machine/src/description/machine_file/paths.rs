//! Channels and listed paths in machine files: `channels` and `[paths]`.

use super::{Description, SpanError};
use crate::network::listed_paths::{PathChannel, PathTable};
use crate::network::speed::{read_time, speed};
use crate::network::{Speed, Unit, time_in_words};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use toml::Spanned;

/// An entry of `channels`: a speed with units, or the latency of a channel in which messages do not
/// slow each other down.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChannelEntry {
    name: String,
    speed: Option<String>,
    latency: Option<String>,
}

/// For every host the paths to all hosts in order: the numbers of the channels, counted from 0.
pub(super) type PathRows = BTreeMap<String, Spanned<Vec<Vec<u32>>>>;

impl ChannelEntry {
    fn read(&self) -> Result<PathChannel, String> {
        let speed = match (&self.speed, &self.latency) {
            (Some(text), None) => match speed(text)? {
                (speed, Unit::Seconds) => speed,
                (_, Unit::BytesOverOneLink) => {
                    return Err(format!("speed {text:?} has no unit such as GB/s"));
                }
            },
            (None, Some(text)) => Speed {
                bandwidth: f64::INFINITY,
                latency: read_time(text)?,
            },
            _ => return Err("a channel has a speed, or a latency alone".into()),
        };
        Ok(PathChannel {
            name: self.name.clone(),
            speed,
        })
    }
}

/// The table of `channels` and `[paths]`.
pub(super) fn read(
    hosts: &[String],
    channels: &[Spanned<ChannelEntry>],
    rows: &PathRows,
) -> Result<PathTable, SpanError> {
    let read = |entry: &Spanned<ChannelEntry>| {
        let channel = entry.get_ref().read();
        channel.map_err(|problem| (Some(entry.span()), problem))
    };
    let channels = channels.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let count = channels.len();
    if let Some((name, row)) = rows.iter().find(|(name, _)| !hosts.contains(name)) {
        let problem = format!("[paths]: there is no host named {name}");
        return Err((Some(row.span()), problem));
    }
    let mut table = PathTable::new(channels, hosts.len());
    for (from, host) in hosts.iter().enumerate() {
        let Some(row) = rows.get(host) else {
            return Err((None, format!("[paths]: the row of host {host} is missing")));
        };
        let bad = |problem| (Some(row.span()), format!("[paths] {host}: {problem}"));
        if row.get_ref().len() != hosts.len() {
            return Err(bad("one list a host is needed".into()));
        }
        for (to, path) in row.get_ref().iter().enumerate() {
            if path.is_empty() != (from == to) {
                return Err(bad(format!(
                    "list {to} must {}",
                    if from == to {
                        "be empty"
                    } else {
                        "have a channel"
                    }
                )));
            }
            if let Some(channel) = path.iter().find(|&&channel| channel as usize >= count) {
                return Err(bad(format!(
                    "there is no channel {channel}: channels are counted from 0"
                )));
            }
            table.push(path).map_err(bad)?;
        }
    }
    Ok(table)
}

impl Description {
    /// Writes `channels` and, at the end of the file, `[paths]`.
    pub(super) fn write_channels(
        &self,
        table: &PathTable,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        writeln!(f, "channels = [")?;
        for channel in table.channels() {
            let (key, value) = if channel.speed.bandwidth.is_finite() {
                ("speed", channel.speed.in_words(Unit::Seconds))
            } else {
                ("latency", time_in_words(channel.speed.latency))
            };
            let (name, value) = (
                super::write::quoted(&channel.name),
                super::write::quoted(&value),
            );
            writeln!(f, "    {{ name = {name}, {key} = {value} }},")?;
        }
        writeln!(f, "]")
    }

    pub(super) fn write_paths(&self, table: &PathTable, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n[paths]")?;
        for (from, host) in self.hosts.iter().enumerate() {
            let paths = (0..self.hosts.len()).map(|to| format!("{:?}", table.path(from, to)));
            let paths: Vec<String> = paths.collect();
            writeln!(f, "{} = [{}]", super::write::key(host), paths.join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Description;

    const RIGHT: &str = "hosts = [\"a\", \"b\"]\nchannels = [\n    { name = \"bus\", speed = \"1GB/s+1us\" },\n    \
        { name = \"far\", latency = \"2ms\" },\n]\n\n[paths]\n\"a\" = [[], [0, 1]]\n\"b\" = [[1, 0], []]\n";

    #[test]
    fn listed_paths_are_written_as_they_are_read() {
        let written = Description::parse(RIGHT).unwrap().to_string();
        for part in ["channels", "[paths]"].map(|title| &RIGHT[RIGHT.find(title).unwrap()..]) {
            let part = part.split("\n\n").next().unwrap();
            assert!(written.contains(part), "{written}\n{part}");
        }
        assert_eq!(Description::parse(&written).unwrap().to_string(), written);
    }

    #[test]
    fn mistakes_name_the_line() {
        for (right, wrong, line, problem) in [
            (
                "[0, 1]]",
                "[0, 2]]",
                Some(8),
                "[paths] a: there is no channel 2",
            ),
            (
                "[0, 1]]",
                "[]]",
                Some(8),
                "[paths] a: list 1 must have a channel",
            ),
            (
                "[[], [0",
                "[[0], [0",
                Some(8),
                "[paths] a: list 0 must be empty",
            ),
            (
                "[[1, 0], []]",
                "[[1, 0]]",
                Some(9),
                "[paths] b: one list a host",
            ),
            (
                "\"b\" =",
                "\"c\" =",
                Some(9),
                "[paths]: there is no host named c",
            ),
            (
                "\"b\" = [[1, 0], []]\n",
                "",
                None,
                "[paths]: the row of host b is missing",
            ),
            ("1GB/s+1us", "1", Some(3), "speed \"1\" has no unit"),
            (
                "latency = \"2ms\"",
                "",
                Some(4),
                "a channel has a speed, or a latency",
            ),
            (
                "channels",
                "routes = \"static\"\nchannels",
                None,
                "[paths] stands in place of",
            ),
        ] {
            assert!(RIGHT.contains(right), "{right}");
            let error = Description::parse(&RIGHT.replacen(right, wrong, 1)).unwrap_err();
            assert_eq!(error.0, line, "{wrong}: {}", error.1);
            assert!(error.1.starts_with(problem), "{wrong}: {}", error.1);
        }
    }
}
