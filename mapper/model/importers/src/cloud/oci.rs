//! Imports what the instance metadata service of Oracle Cloud tells about the host of an instance.

use super::super::technology::Technology;
use super::super::{Importer, Result, Source, SourceLine};
use super::{Instances, start_of, without_label};
use serde::Deserialize;
use std::path::Path;

pub(in super::super) const IMPORTER: Importer = Importer {
    name: "oci",
    about: "the JSON of /opc/v2/host of Oracle Cloud's metadata service: a file HOST.json for each host, or lines that begin with the name of the host, as pdsh prints them",
    recognises: |source| {
        let keys = [
            "\"rackId\"",
            "\"customerNetworkBlock\"",
            "\"customerLocalBlock\"",
        ];
        source.text.contains('{') && keys.iter().any(|key| source.text.contains(key))
    },
    for_job: None,
    technology: Technology::Credits,
    read: |sources| {
        let mut instances = Instances::default();
        for source in sources {
            for answer in answers(source)? {
                let host: HostMetadata = answer.parse()?;
                let Some(above) = host.path() else {
                    return Err(answer.lines[0].bad(format!(
                        "the answer of {} has neither rackId nor rdmaTopologyData",
                        answer.host
                    )));
                };
                instances.add(answer.lines[0], answer.host, above);
            }
        }
        instances.describe(sources, "rackId or rdmaTopologyData")
    },
};

/// The answer of one host.
struct Answer<'a> {
    host: String,
    text: String,
    /// The lines of the text, at least one.
    lines: Vec<SourceLine<'a>>,
}

/// The answers in a file. Without names in its lines, the file is named after its host.
fn answers(source: &Source) -> Result<Vec<Answer<'_>>> {
    if source.text.trim_start().starts_with('{') {
        let lines = (1..=source.text.lines().count()).map(|line| SourceLine { source, line });
        let stem = Path::new(&source.file).file_stem().unwrap_or_default();
        return Ok(vec![Answer {
            host: stem.to_string_lossy().into_owned(),
            text: source.text.clone(),
            lines: lines.collect(),
        }]);
    }
    let mut answers: Vec<Answer> = Vec::new();
    for (line, text) in (1..).zip(source.text.lines()) {
        let place = SourceLine { source, line };
        if text.trim().is_empty() {
            continue;
        }
        let Some((host, rest)) = without_label(text).split_once(':') else {
            return Err(place.bad("the name of a host and a colon are missing before the JSON"));
        };
        let host = host.trim();
        if host.is_empty() || host.contains(|c: char| c.is_whitespace() || "{}\"[],".contains(c)) {
            return Err(place.bad(format!("{host:?} is no name of a host")));
        }
        // Answers of several hosts arrive with their lines mixed.
        let known = answers.iter().position(|answer| answer.host == host);
        let answer = match known {
            Some(known) => &mut answers[known],
            None => {
                answers.push(Answer {
                    host: host.to_owned(),
                    text: String::new(),
                    lines: Vec::new(),
                });
                let last = answers.len() - 1;
                &mut answers[last]
            }
        };
        answer.text += rest;
        answer.text.push('\n');
        answer.lines.push(place);
    }
    if answers.is_empty() {
        Err(start_of(source).bad("there is no answer of a host in this file"))
    } else {
        Ok(answers)
    }
}

impl Answer<'_> {
    fn parse(&self) -> Result<HostMetadata> {
        serde_json::from_str(&self.text).map_err(|error| {
            let at = error.line().max(1).min(self.lines.len()) - 1;
            let column = format!(" at line {} column {}", error.line(), error.column());
            let text = error.to_string();
            let text = text.strip_suffix(&column).unwrap_or(&text);
            self.lines[at].bad(format!("the answer of {}: {text}", self.host))
        })
    }
}

/// The answer of `/opc/v2/host`, or of `/opc/v2/host/rdmaTopologyData`.
#[derive(Deserialize)]
struct HostMetadata {
    #[serde(rename = "buildingId")]
    building: Option<String>,
    #[serde(rename = "networkBlockId")]
    network_block: Option<String>,
    #[serde(rename = "rackId")]
    rack: Option<String>,
    #[serde(rename = "rdmaTopologyData")]
    nested: Option<RdmaTopology>,
    #[serde(flatten)]
    own: RdmaTopology,
}

/// What hosts with a capacity topology tell.
#[derive(Deserialize)]
struct RdmaTopology {
    #[serde(rename = "customerHPCIslandId")]
    island: Option<String>,
    #[serde(rename = "customerNetworkBlock")]
    network_block: Option<String>,
    #[serde(rename = "customerLocalBlock")]
    local_block: Option<String>,
    /// Hosts of one fabric have NVLink between them.
    #[serde(rename = "customerGpuMemoryFabric")]
    gpu_fabric: Option<String>,
}

impl HostMetadata {
    /// What is above the host, from the outermost in; `None` where the answer tells nothing.
    fn path(self) -> Option<Vec<String>> {
        let rdma = self.nested.unwrap_or(self.own);
        let fine = [
            rdma.island,
            rdma.network_block,
            rdma.local_block,
            rdma.gpu_fabric,
        ];
        let coarse = [self.building, self.network_block, self.rack];
        let shortened = |parts: &[Option<String>]| -> Vec<String> {
            let parts = parts.iter().flatten().filter(|part| !part.is_empty());
            parts.map(|part| short(part).to_owned()).collect()
        };
        let path = Some(shortened(&fine)).filter(|path| !path.is_empty());
        path.or_else(|| Some(shortened(&coarse)).filter(|path| !path.is_empty()))
    }
}

/// The part of an OCID that differs from object to object.
fn short(id: &str) -> &str {
    id.rsplit('.').next().unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{problem, read, recognised};
    use super::*;
    use crate::Description;

    fn host(building: &str, block: &str, rack: &str) -> String {
        format!(
            "{{\n  \"buildingId\": \"{building}\",\n  \"id\": \"h\",\n  \"networkBlockId\": \"{block}\",\n  \"rackId\": \"{rack}\"\n}}"
        )
    }

    /// The answers as pdsh prints them, line by line, with the lines of hosts mixed.
    fn printed(answers: &[(&str, String)]) -> String {
        let longest = answers.iter().map(|(_, text)| text.lines().count()).max();
        let line = |at: usize| {
            let lines = answers.iter().filter_map(move |(host, text)| {
                Some(format!("{host}: {}\n", text.lines().nth(at)?))
            });
            lines.collect::<String>()
        };
        (0..longest.unwrap_or(0)).map(line).collect()
    }

    fn three() -> [(&'static str, String); 3] {
        [
            ("n1", host("b", "nb1", "r1")),
            ("n2", host("b", "nb1", "r2")),
            ("n3", host("b", "nb1", "r1")),
        ]
    }

    #[test]
    fn racks_come_from_the_answers_of_all_hosts() {
        let text = printed(&three());
        assert_eq!(recognised(&text), Some("oci"));
        let machine = read(&IMPORTER, &[&text]).unwrap();
        assert_eq!(machine.hosts, ["n1", "n3", "n2"]);
        assert_eq!(machine.switches, ["network", "r1", "r2"]);
        let labelled: String = text.lines().map(|line| format!("0: {line}\n")).collect();
        assert_eq!(read(&IMPORTER, &[&labelled]).unwrap().hosts, machine.hosts);
    }

    #[test]
    fn a_file_of_one_answer_is_named_after_its_host() {
        let sources = three().map(|(name, text)| Source {
            file: format!("answers/{name}.json"),
            text,
        });
        let machine: Description = (IMPORTER.read)(&sources).unwrap();
        assert_eq!(machine.hosts, ["n1", "n3", "n2"]);
    }

    #[test]
    fn a_capacity_topology_is_finer_than_racks() {
        let fine = |local: &str| {
            format!(
                r#"{{"rackId": "r", "rdmaTopologyData": {{"customerHPCIslandId": "ocid1.hpcisland.oc1.iad.i1",
                "customerNetworkBlock": "ocid1.computenetworkblock.oc1.iad.n1", "customerLocalBlock": "ocid1.x.{local}",
                "customerHostId": "ocid1.h"}}}}"#
            )
        };
        let answers = [("n1", fine("l1")), ("n2", fine("l2")), ("n3", fine("l2"))];
        let machine = read(&IMPORTER, &[&printed(&answers)]).unwrap();
        assert_eq!(machine.switches, ["network", "l1", "l2"]);
        // The service also answers with the inner object alone.
        let inner = ["b1", "b2", "b2"].map(|b| format!("{{\"customerNetworkBlock\": \"a.{b}\"}}"));
        let answers: Vec<_> = ["n1", "n2", "n3"].into_iter().zip(inner).collect();
        let machine = read(&IMPORTER, &[&printed(&answers)]).unwrap();
        assert_eq!(machine.switches, ["network", "b1", "b2"]);
    }

    #[test]
    fn damaged_answers_are_told_with_line_and_host() {
        let cut = printed(&three()).replace("n2: }\n", "");
        let odd = printed(&three()).replace("\"rackId\": \"r2\"", "\"rackId\": 2");
        let empty = "n1: {}\nn2: {\"rackId\": \"r\"}";
        for (text, expected) in [
            (&*cut, "t.json:14: the answer of n2: EOF"),
            (&*odd, "t.json:14: the answer of n2: invalid type"),
            (empty, "t.json:1: the answer of n1 has neither rackId"),
            ("rackId", "t.json:1: the name of a host and a colon"),
            ("{ x: 1", "t.json:1: "),
            ("a b: {}", "t.json:1: \"a b\" is no name of a host"),
            ("", "t.json:1: there is no answer"),
        ] {
            let problem = problem(&IMPORTER, &[text]);
            assert!(problem.starts_with(expected), "{problem}");
        }
    }
}
