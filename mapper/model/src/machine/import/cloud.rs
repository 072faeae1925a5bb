//! Imports descriptions of cloud instances: the output of NVIDIA's topograph (engine `graph`), and
//! of `DescribeInstanceTopology` of AWS.

use super::super::Description;
use super::layers::{self, PlacedHost};
use super::{ImportError, Importer, Source, SourceLine};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;

/// The importer of the output of NVIDIA topograph.
pub(super) const TOPOGRAPH: Importer = Importer {
    name: "topograph",
    about: "the JSON of NVIDIA topograph's engine graph: instances with their network_layers",
    read: |sources| {
        let mut hosts = Vec::new();
        for source in sources {
            let graph: TopographOutput = json(source)?;
            hosts.extend(graph.instances.into_iter().map(|instance| {
                // The file lists the closest switch first.
                let above = instance.network_layers.into_iter().rev().collect();
                (place(source), instance.id, above)
            }));
        }
        finish(sources, &hosts)
    },
};

/// The importer of the output of `DescribeInstanceTopology` of AWS.
pub(super) const AWS: Importer = Importer {
    name: "aws",
    about: "the JSON of `aws ec2 describe-instance-topology`; if hosts are not named after their instances, also the JSON of `aws ec2 describe-instances`",
    read: |sources| {
        let (mut hosts, mut names) = (Vec::new(), HashMap::new());
        for source in sources {
            let output: AwsOutput = json(source)?;
            for instance in output.reservations.into_iter().flat_map(|r| r.instances) {
                names.extend(instance.private_dns_name.map(|name| (instance.id, name)));
            }
            let nodes = output.instances.into_iter();
            hosts.extend(nodes.map(|one| (place(source), one.id, one.network_nodes)));
        }
        for (_, id, _) in &mut hosts {
            if let Some(name) = names.get(id).filter(|name| !name.is_empty()) {
                id.clone_from(name);
            }
        }
        finish(sources, &hosts)
    },
};

/// Whether a text is the output of topograph.
pub(super) fn is_topograph(source: &Source) -> bool {
    source.text.trim_start().starts_with('{') && source.text.contains("\"network_layers\"")
}

/// Whether a text is the output of AWS.
pub(super) fn is_aws(source: &Source) -> bool {
    let keys = ["\"NetworkNodes\"", "\"Reservations\""];
    source.text.trim_start().starts_with('{') && keys.iter().any(|key| source.text.contains(key))
}

#[derive(Deserialize)]
struct TopographOutput {
    instances: Vec<Instance>,
}

#[derive(Deserialize)]
struct Instance {
    id: String,
    network_layers: Vec<String>,
}

#[derive(Deserialize)]
struct AwsOutput {
    #[serde(rename = "Instances", default)]
    instances: Vec<Node>,
    #[serde(rename = "Reservations", default)]
    reservations: Vec<Reservation>,
}

#[derive(Deserialize)]
struct Node {
    #[serde(rename = "InstanceId")]
    id: String,
    #[serde(rename = "NetworkNodes")]
    network_nodes: Vec<String>,
}

#[derive(Deserialize)]
struct Reservation {
    #[serde(rename = "Instances")]
    instances: Vec<InstanceName>,
}

#[derive(Deserialize)]
struct InstanceName {
    #[serde(rename = "InstanceId")]
    id: String,
    #[serde(rename = "PrivateDnsName")]
    private_dns_name: Option<String>,
}

fn place(source: &Source) -> SourceLine<'_> {
    SourceLine { source, line: 1 }
}

fn json<T: DeserializeOwned>(source: &Source) -> Result<T, ImportError> {
    serde_json::from_str(&source.text).map_err(|error| {
        let place = format!(" at line {} column {}", error.line(), error.column());
        let text = error.to_string();
        let line = error.line().max(1);
        SourceLine { source, line }.bad(text.strip_suffix(&place).unwrap_or(&text))
    })
}

fn finish(sources: &[Source], hosts: &[PlacedHost]) -> Result<Description, ImportError> {
    match sources.last() {
        Some(last) => layers::describe(hosts, place(last)),
        None => Err(ImportError {
            file: "cloud".into(),
            line: None,
            problem: "no file is given".into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(importer: &Importer, texts: &[&str]) -> Result<Description, ImportError> {
        let sources: Vec<Source> = texts
            .iter()
            .map(|text| Source {
                file: "t.json".into(),
                text: (*text).into(),
            })
            .collect();
        (importer.read)(&sources)
    }

    #[test]
    fn topographs_layers_begin_with_the_closest_switch() {
        let instance = |id: u32, leaf: &str| {
            format!(r#"{{"id": "n{id}", "type": "H100", "network_layers": ["{leaf}", "spine"]}}"#)
        };
        let all = [
            instance(0, "leaf0"),
            instance(1, "leaf0"),
            instance(2, "leaf1"),
        ];
        let text = format!(r#"{{"instances": [{}]}}"#, all.join(","));
        let machine = read(&TOPOGRAPH, &[&text]).unwrap();
        assert_eq!(machine.hosts, ["n0", "n1", "n2"]);
        assert_eq!(machine.switches, ["network", "leaf0", "leaf1"]);
    }

    /// Four hosts below two spines.
    const TOPOLOGY: &str = r#"{"Instances": [
        {"InstanceId": "i-0", "InstanceType": "p5.48xlarge", "NetworkNodes": ["nn-a", "nn-b", "nn-c"]},
        {"InstanceId": "i-1", "NetworkNodes": ["nn-a", "nn-b", "nn-c"]},
        {"InstanceId": "i-2", "NetworkNodes": ["nn-a", "nn-b", "nn-d"]},
        {"InstanceId": "i-3", "NetworkNodes": ["nn-e", "nn-f", "nn-g"]}], "NextToken": "x"}"#;

    #[test]
    fn instances_of_aws_hang_below_their_network_nodes_by_their_own_names() {
        let machine = read(&AWS, &[TOPOLOGY]).unwrap();
        assert_eq!(machine.hosts, ["i-0", "i-1", "i-2", "i-3"]);
        assert_eq!(
            machine.switches,
            ["network", "nn-a", "nn-c", "nn-d", "nn-e", "nn-g"]
        );
        let names = r#"{"Reservations": [{"Instances": [
            {"InstanceId": "i-1", "PrivateDnsName": "ip-10-0-0-1.internal"}, {"InstanceId": "i-9"}]}]}"#;
        let machine = read(&AWS, &[names, TOPOLOGY]).unwrap();
        assert_eq!(machine.hosts, ["i-0", "ip-10-0-0-1.internal", "i-2", "i-3"]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (importer, text, problem) in [
            (&TOPOGRAPH, "{\n\"instances\": 3}", "t.json:2: invalid type"),
            (
                &TOPOGRAPH,
                "{\"instances\": []}",
                "t.json:1: there is no switch",
            ),
            (&AWS, "", "t.json:1: EOF"),
            (
                &AWS,
                "{\"Instances\": [{\"InstanceId\": \"i-0\"}]}",
                "missing field `NetworkNodes`",
            ),
        ] {
            let error = read(importer, &[text]).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
