//! Imports positions of hosts of HPE Cray EX: names such as `x1000c0s1b0n1`, alone or beside other
//! names of the hosts, as in `/etc/hosts` and as ranks read them from `/etc/cray/xname`.

use super::layers::{self, PlacedHost};
use super::rule::{PRESETS, Rule};
use super::technology::Technology;
use super::{Description, ImportError, Importer, Result, Source, SourceLine, lines};
use std::collections::HashMap;
use std::net::IpAddr;

/// The importer of positions of hosts.
pub(super) const XNAME: Importer = Importer {
    name: "xname",
    about: "host names of the form x1000c0s1b0n1, one a line; or lines with another name of the host as well: nid001000 and its xname, as in /etc/hosts (other names: --rule of rankfold run and rankfold machine show)",
    recognises: |source| {
        let rule = rule();
        let mut lines = statements(source, &rule).peekable();
        let some = lines.peek().is_some();
        some && lines.all(|(_, line)| HostLine::of(&rule, line).is_some())
    },
    for_job: None,
    technology: Technology::Adaptive,
    read,
};

fn rule() -> Rule {
    let rule: Result<Rule, String> = PRESETS[0].rule.parse();
    rule.expect("the presets are rules")
}

/// The lines that are no comments. Lines with an address and no position are those of `/etc/hosts`
/// for itself, for networks and for services.
fn statements<'a>(
    source: &'a Source,
    rule: &Rule,
) -> impl Iterator<Item = (SourceLine<'a>, &'a str)> {
    let is_host = |line: &str| {
        let first = line.split_whitespace().next().unwrap_or_default();
        first.parse::<IpAddr>().is_err() || HostLine::of(rule, line).is_some()
    };
    lines(source)
        .map(|(place, line)| (place, line.split('#').next().unwrap_or_default().trim()))
        .filter(move |(_, line)| !line.is_empty() && is_host(line))
}

/// A host and its position.
struct HostLine<'a> {
    xname: &'a str,
    /// The first name that is neither an address nor the position.
    name: Option<&'a str>,
    /// All further names, and the addresses.
    others: Vec<&'a str>,
}

impl<'a> HostLine<'a> {
    /// Reads a line; `None` without a position.
    fn of(rule: &Rule, line: &'a str) -> Option<Self> {
        let label = |word: &str| {
            word.strip_suffix(':')
                .is_some_and(|n| n.parse::<u32>().is_ok())
        };
        let words = line.split_whitespace().skip_while(|word| label(word));
        let words: Vec<&str> = words.map(|word| word.trim_end_matches(':')).collect();
        let xname = *words.iter().find(|word| rule.fits(word))?;
        let is_name = |word: &&&str| word.parse::<IpAddr>().is_err() && **word != xname;
        let name = words.iter().find(is_name).copied();
        let others = words.iter().filter(|word| Some(**word) != name).copied();
        Some(Self {
            xname,
            name,
            others: others.collect(),
        })
    }
}

/// Whether a name is that of one of the network cards of a host: `nid001000-hsn0`. Each has a link
/// of its own.
fn is_card(name: &str) -> bool {
    let number = name.rsplit_once("-hsn").map(|(_, number)| number);
    number.is_some_and(|it| !it.is_empty() && it.bytes().all(|c| c.is_ascii_digit()))
}

fn read(sources: &[Source]) -> Result<Description> {
    let [source] = sources else {
        let file = sources.last().map_or("xname", |source| &source.file);
        return Err(ImportError::whole(file, "one file of host names is needed"));
    };
    let rule = rule();
    let mut hosts: Vec<PlacedHost> = Vec::new();
    let mut aliases = Vec::new();
    let mut cards: HashMap<String, u32> = HashMap::new();
    for (place, line) in statements(source, &rule) {
        let Some(host) = HostLine::of(&rule, line) else {
            let first = line.split_whitespace().next().unwrap_or_default();
            return Err(place.bad(format!(
                "host {first} has no position such as x1000c0s1b0n1 on its line"
            )));
        };
        let name = host.name.unwrap_or(host.xname).to_owned();
        let count = host
            .others
            .iter()
            .chain(&host.name)
            .filter(|name| is_card(name))
            .count();
        if count > 1 {
            cards.insert(name.clone(), count as u32);
        }
        aliases.extend(
            host.others
                .iter()
                .map(|other| ((*other).to_owned(), name.clone())),
        );
        hosts.push((place, name, rule.switches(host.xname).unwrap_or_default()));
    }
    let mut description = layers::describe(&hosts, SourceLine { source, line: 1 })?;
    for link in &mut description.links {
        let host = description.hosts.get(link.ends.0.min(link.ends.1) as usize);
        link.cables = host.and_then(|host| cards.get(host)).copied().unwrap_or(1);
    }
    aliases.retain(|(alias, _)| !description.hosts.contains(alias));
    description.aliases = aliases.into_iter().collect();
    Ok(description)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ALL;

    fn source(text: &str) -> Source {
        Source {
            file: "hosts".into(),
            text: text.into(),
        }
    }

    #[test]
    fn nids_beside_positions_are_the_hosts() {
        let etc = "# from the site\n127.0.0.1 localhost\n::1 localhost\n10.1.0.1 nid001000 nid001000-nmn x1000c0s0b0n0\n\
            10.1.0.2 nid001001 nid001001-nmn x1000c0s0b0n1\n10.1.0.3 nid001002 x1000c1s0b0n0\n";
        let printed =
            "0: nid001000 x1000c0s0b0n0\n1: nid001001: x1000c0s0b0n1\n2: nid001002 x1000c1s0b0n0\n";
        for text in [etc, printed] {
            assert_eq!(
                ALL.kind_of(&source(text)).map(|kind| kind.name),
                Some("xname")
            );
            let machine = read(&[source(text)]).unwrap();
            assert_eq!(machine.hosts, ["nid001000", "nid001001", "nid001002"]);
            assert_eq!(machine.switches, ["network", "x1000c0", "x1000c1"]);
            assert_eq!(machine.aliases["x1000c1s0b0n0"], "nid001002");
        }
        assert_eq!(
            read(&[source(etc)]).unwrap().aliases["10.1.0.2"],
            "nid001001"
        );
    }

    #[test]
    fn every_network_card_of_a_host_is_a_link() {
        let text = "10.1.0.1 nid1 x1000c0s0b0n0 nid1-hsn0 nid1-hsn1\n10.1.0.2 nid2 x1000c0s0b0n1\n\
            10.1.0.3 nid3 x1000c1s0b0n0 nid3-hsn0 nid3-nmn\n10.1.0.4 nid4 x1000c1s0b0n1\n";
        let machine = read(&[source(text)]).unwrap();
        let cables: Vec<u32> = machine.links[..4].iter().map(|link| link.cables).collect();
        assert_eq!(cables, [2, 1, 1, 1]);
        let up = machine.wired().wired_links().unwrap()[4].speed.bandwidth;
        assert_eq!(up, 3.0, "what enters the chassis from below");
    }

    #[test]
    fn positions_alone_are_the_names() {
        let text = "x1000c0s0b0n0\nx1000c0s0b0n1\nx1000c1s0b0n0.site\n";
        let machine = read(&[source(text)]).unwrap();
        assert_eq!(
            machine.hosts,
            ["x1000c0s0b0n0", "x1000c0s0b0n1", "x1000c1s0b0n0.site"]
        );
        assert!(machine.aliases.is_empty());
        assert_eq!(
            ALL.kind_of(&source(text)).map(|kind| kind.name),
            Some("xname")
        );
    }

    #[test]
    fn a_line_without_a_position_is_told() {
        let error = read(&[source("x1000c0s0b0n0\n\nnid7 x1000\n")]).unwrap_err();
        let expected = "hosts:3: host nid7 has no position";
        assert!(error.to_string().starts_with(expected), "{error}");
        assert!(ALL.kind_of(&source("nid1\nnid2\n")).is_none());
    }
}
