//! Imports what Google Cloud tells about the physical hosts of its instances.

use super::super::technology::Technology;
use super::super::{Importer, Result, Source, SourceLine, lines};
use super::{Instances, json, place_of, without_label};
use serde::Deserialize;

pub(in super::super) const IMPORTER: Importer = Importer {
    name: "gcp",
    about: "physicalHost of Google Cloud: `gcloud compute instances list` with --format='csv(name,resourceStatus.physicalHost)' or --format=json; or a line for each host with its name and the metadata attribute physical_host",
    recognises,
    for_job: None,
    technology: Technology::Unknown,
    read: |sources| {
        let mut instances = Instances::default();
        for source in sources {
            if source.text.trim_start().starts_with(['[', '{']) {
                add_listed(&mut instances, source)?;
            } else {
                add_lines(&mut instances, source)?;
            }
        }
        instances.describe(sources, "physicalHost")
    },
};

/// Whether every line is a heading, or has a physical host or room for one.
fn recognises(source: &Source) -> bool {
    if source.text.trim_start().starts_with(['[', '{']) {
        return source.text.contains("\"physicalHost");
    }
    let kinds = lines(source).map(|(_, line)| {
        let fields = fields(line);
        let paths = fields.iter().filter(|field| is_path(field)).count();
        let is_other = fields.len() < 2 || fields.len() > 4 || paths > 1;
        let may_lack = is_heading(&fields) || line.contains(',') && fields.contains(&"");
        (paths == 1, is_other || paths == 0 && !may_lack)
    });
    let kinds: Vec<(bool, bool)> = kinds.collect();
    kinds.iter().any(|(placed, _)| *placed) && !kinds.iter().any(|(_, other)| *other)
}

/// Adds the instances of a CSV, or of lines with a name and a physical host.
fn add_lines<'a>(instances: &mut Instances<'a>, source: &'a Source) -> Result<()> {
    let mut columns: Option<Columns> = None;
    for (place, line) in lines(source) {
        let fields = fields(line);
        if is_heading(&fields) {
            columns = Some(Columns::of_heading(place, &fields)?);
            continue;
        }
        let columns = match &columns {
            Some(columns) => *columns,
            None => match Columns::of_values(&fields) {
                Some(columns) => columns,
                // Without a heading, a line without a physical host has no column to name.
                None if line.contains(',') && fields.contains(&"") => continue,
                None => {
                    return Err(place.bad(format!(
                        "{line:?} is no host with a physical host such as /block/subblock/host"
                    )));
                }
            },
        };
        let field = |at: usize| fields.get(at).copied().unwrap_or_default();
        let (name, path) = (field(columns.name), field(columns.path));
        if name.is_empty() {
            return Err(place.bad("the name of the instance is missing"));
        }
        // Instances of types without compact placement have no physical host.
        if path.is_empty() {
            continue;
        }
        if !is_path(path) {
            return Err(place.bad(format!("{path:?} is no /block/subblock/host")));
        }
        let mut above: Vec<String> = path[1..].split('/').map(str::to_owned).collect();
        let zone = columns.zone.map(field).filter(|zone| !zone.is_empty());
        above.splice(0..0, zone.map(str::to_owned));
        instances.add(place, name.to_owned(), above);
    }
    Ok(())
}

/// The numbers of the columns.
#[derive(Clone, Copy)]
struct Columns {
    name: usize,
    path: usize,
    zone: Option<usize>,
}

impl Columns {
    fn of_heading(place: SourceLine, fields: &[&str]) -> Result<Self> {
        let at = |known: &[&str]| fields.iter().position(|field| known.contains(field));
        let missing = |what| place.bad(format!("the heading has no column {what}"));
        Ok(Self {
            name: at(&["name"]).ok_or_else(|| missing("name"))?,
            path: at(HEADINGS).ok_or_else(|| missing("physical_host"))?,
            zone: at(&["zone"]),
        })
    }

    /// The columns of a line without a heading: of three fields, the first is the zone.
    fn of_values(fields: &[&str]) -> Option<Self> {
        let path = fields.iter().position(|field| is_path(field))?;
        let others: Vec<usize> = (0..fields.len()).filter(|&at| at != path).collect();
        match others[..] {
            [name] => Some(Self {
                name,
                path,
                zone: None,
            }),
            [zone, name] => Some(Self {
                name,
                path,
                zone: Some(zone),
            }),
            _ => None,
        }
    }
}

/// The headings that gcloud gives the column of physical hosts.
const HEADINGS: &[&str] = &["physical_host", "physicalHost", "PHYSICAL_HOST"];

fn is_heading(fields: &[&str]) -> bool {
    fields.iter().any(|field| HEADINGS.contains(field))
}

/// The fields of a line of a CSV, or its words.
fn fields(line: &str) -> Vec<&str> {
    if line.contains(',') {
        return line
            .split(',')
            .map(|field| field.trim().trim_matches('"'))
            .collect();
    }
    let words = without_label(line).split_whitespace();
    words.map(|word| word.trim_end_matches(':')).collect()
}

/// Whether a text is a physical host: `/block/subblock/host`, with up to two levels more.
fn is_path(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('/') else {
        return false;
    };
    let is_part = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    (2..=5).contains(&rest.split('/').count()) && rest.split('/').all(is_part)
}

#[derive(Deserialize)]
struct Instance {
    name: String,
    zone: Option<String>,
    #[serde(rename = "resourceStatus")]
    status: Option<ResourceStatus>,
    #[serde(rename = "networkInterfaces", default)]
    interfaces: Vec<NetworkInterface>,
}

#[derive(Deserialize)]
struct ResourceStatus {
    #[serde(rename = "physicalHost")]
    path: Option<String>,
    #[serde(rename = "physicalHostTopology")]
    topology: Option<HostTopology>,
}

#[derive(Deserialize)]
struct HostTopology {
    cluster: Option<String>,
    block: Option<String>,
    subblock: Option<String>,
    host: Option<String>,
}

#[derive(Deserialize)]
struct NetworkInterface {
    #[serde(rename = "networkIP")]
    address: Option<String>,
}

/// Adds the instances of `gcloud compute instances list --format=json`.
fn add_listed<'a>(instances: &mut Instances<'a>, source: &'a Source) -> Result<()> {
    let listed: Vec<Instance> = if source.text.trim_start().starts_with('{') {
        vec![json(source)?]
    } else {
        json(source)?
    };
    for instance in listed {
        let Some(mut above) = instance.status.and_then(ResourceStatus::path) else {
            continue;
        };
        let zone = instance
            .zone
            .as_deref()
            .and_then(|zone| zone.rsplit('/').next());
        above.splice(0..0, zone.map(str::to_owned));
        instances.add(
            place_of(source, &instance.name),
            instance.name.clone(),
            above,
        );
        let addresses = instance.interfaces.iter().map(|one| one.address.as_deref());
        instances.call(&instance.name, addresses.flatten());
    }
    Ok(())
}

impl ResourceStatus {
    /// What is above an instance, from the outermost in.
    fn path(self) -> Option<Vec<String>> {
        if let Some(topology) = self.topology {
            let HostTopology {
                cluster,
                block,
                subblock,
                host,
            } = topology;
            let parts: Vec<String> = [cluster, block, subblock, host]
                .into_iter()
                .flatten()
                .filter(|part| !part.is_empty())
                .collect();
            if !parts.is_empty() {
                return Some(parts);
            }
        }
        let path = self.path?;
        let parts = path.split('/').filter(|part| !part.is_empty());
        Some(parts.map(str::to_owned).collect::<Vec<_>>()).filter(|parts| !parts.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{problem, read, recognised};
    use super::*;

    /// Of two racks of two, and a login host without a physical host, as gcloud prints it.
    const CSV: &str = "name,zone,physical_host\n\
        login,us-central1-a,\n\
        c-0,us-central1-a,/c1/rackA/h1\n\
        c-1,us-central1-a,/c1/rackB/h2\n\
        c-2,us-central1-a,/c1/rackA/h3\n\
        c-3,us-central1-a,/c1/rackB/h4\n";

    fn check(text: &str) {
        assert_eq!(recognised(text), Some("gcp"), "{text}");
        let machine = read(&IMPORTER, &[text]).unwrap();
        assert_eq!(machine.hosts, ["c-0", "c-2", "c-1", "c-3"], "{text}");
        assert_eq!(machine.switches, ["network", "rackA", "rackB"], "{text}");
    }

    #[test]
    fn all_ways_of_asking_for_the_physical_host_are_read() {
        check(CSV);
        let rows = CSV.lines().skip(1).map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            format!("{},{},{}\n", fields[1], fields[2], fields[0])
        });
        check(&rows.collect::<String>());
        let lines = CSV.lines().skip(2).map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            (fields[0], fields[2])
        });
        check(
            &lines
                .clone()
                .map(|(name, path)| format!("{name} {path}\n"))
                .collect::<String>(),
        );
        let labelled = lines.clone().zip(0..);
        check(
            &labelled
                .map(|((name, path), at)| format!("{at}: {name} {path}\n"))
                .collect::<String>(),
        );
        let listed = lines.map(|(name, path)| {
            format!(
                r#"{{"name": "{name}", "zone": "https://x/zones/us-central1-a", "networkInterfaces":
                [{{"networkIP": "10.0.0.{}"}}], "resourceStatus": {{"physicalHost": "{path}"}}}}"#,
                &name[2..]
            )
        });
        let json = format!("[{}]", listed.collect::<Vec<_>>().join(",\n"));
        check(&json);
        let machine = read(&IMPORTER, &[&json]).unwrap();
        assert_eq!(machine.aliases["10.0.0.2"], "c-2");
    }

    #[test]
    fn the_levels_of_newer_types_come_by_name() {
        let instance = |name: &str, subblock: &str| {
            format!(
                r#"{{"name": "{name}", "resourceStatus": {{"physicalHost": "/x/y/z", "physicalHostTopology":
                {{"cluster": "c", "block": "b", "subblock": "{subblock}", "host": "h{name}"}}}}}}"#
            )
        };
        let all = [
            instance("a", "s1"),
            instance("b", "s1"),
            instance("c", "s2"),
        ];
        let machine = read(&IMPORTER, &[&format!("[{}]", all.join(","))]).unwrap();
        assert_eq!(machine.switches, ["network", "s1", "s2"]);
    }

    #[test]
    fn damaged_copies_are_told_with_line_or_key() {
        for (text, expected) in [
            (
                "name,zone\nc-0,z\n",
                "t.json:1: \"name,zone\" is no host with a physical host",
            ),
            (
                "zone,physical_host\n",
                "t.json:1: the heading has no column name",
            ),
            (
                &*CSV.replace("c-1,us", ",us"),
                "t.json:4: the name of the instance is missing",
            ),
            (
                &CSV.replace("/c1/rackB/h2", "c1-rackB"),
                "t.json:4: \"c1-rackB\" is no /block",
            ),
            (&CSV.replace("c-2", "c-1"), "t.json:5: c-1 is below"),
            ("name,physical_host\na,\n", "no host has physicalHost"),
            ("[{\"name\": 3}]", "t.json:1: invalid type"),
            (
                "[{\"name\":\n \"a\", \"resourceStatus\": {\"physicalHost\": []}}]",
                "t.json:2: invalid type",
            ),
        ] {
            let problem = problem(&IMPORTER, &[text]);
            assert!(problem.contains(expected), "{text}: {problem}");
        }
    }

    #[test]
    fn lists_of_hosts_and_of_paths_are_no_descriptions() {
        for text in [
            "n0\nn1\n",
            "/usr/bin/a /usr/bin/b\n",
            "n0 slots=2\n",
            "",
            "a b c /x/y d\n",
        ] {
            assert_eq!(recognised(text), None, "{text}");
        }
    }
}
