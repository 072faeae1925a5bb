//! Imports the outputs of `DescribeInstanceTopology` and `DescribeInstances` of AWS.

use super::super::Importer;
use super::super::technology::Technology;
use super::{Instances, json, place_of};
use serde::Deserialize;
use std::collections::HashMap;

pub(in super::super) const IMPORTER: Importer = Importer {
    name: "aws",
    about: "the JSON of `aws ec2 describe-instance-topology`; for names and addresses of the instances also the JSON of `aws ec2 describe-instances`",
    recognises: |source| {
        let keys = ["\"NetworkNodes\"", "\"Reservations\""];
        source.text.trim_start().starts_with('{')
            && keys.iter().any(|key| source.text.contains(key))
    },
    for_job: None,
    technology: Technology::Adaptive,
    read: |sources| {
        let outputs: Vec<AwsOutput> = sources.iter().map(json).collect::<Result<_, _>>()?;
        let mut names: HashMap<&str, &NamedInstance> = HashMap::new();
        for reservation in outputs.iter().flat_map(|output| &output.reservations) {
            names.extend(reservation.instances.iter().map(|one| (&*one.id, one)));
        }
        let mut instances = Instances::default();
        for (source, output) in sources.iter().zip(&outputs) {
            for node in &output.instances {
                let mut above = node.network_nodes.clone().unwrap_or_default();
                // An instance type that is not supported, or an instance that does not run.
                if above.is_empty() {
                    continue;
                }
                above.extend(node.capacity_block.clone());
                let named = names.get(&*node.id);
                let name = named.and_then(|named| named.name()).unwrap_or(&node.id);
                let place = place_of(source, &node.id);
                instances.add(place, name.to_owned(), above);
                instances.call(name, [node.id.as_str()]);
                instances.call(name, named.iter().flat_map(|named| named.addresses()));
            }
        }
        instances.describe(sources, "NetworkNodes")
    },
};

#[derive(Deserialize)]
struct AwsOutput {
    #[serde(rename = "Instances", default)]
    instances: Vec<PlacedInstance>,
    #[serde(rename = "Reservations", default)]
    reservations: Vec<Reservation>,
}

/// An instance of `DescribeInstanceTopology`.
#[derive(Deserialize)]
struct PlacedInstance {
    #[serde(rename = "InstanceId")]
    id: String,
    /// From the outermost in.
    #[serde(rename = "NetworkNodes")]
    network_nodes: Option<Vec<String>>,
    /// Instances of one block of an UltraServer have NVLink between them.
    #[serde(rename = "CapacityBlockId")]
    capacity_block: Option<String>,
}

#[derive(Deserialize)]
struct Reservation {
    #[serde(rename = "Instances")]
    instances: Vec<NamedInstance>,
}

/// An instance of `DescribeInstances`.
#[derive(Deserialize)]
struct NamedInstance {
    #[serde(rename = "InstanceId")]
    id: String,
    #[serde(rename = "PrivateDnsName")]
    private_name: Option<String>,
    #[serde(rename = "PublicDnsName")]
    public_name: Option<String>,
    #[serde(rename = "PrivateIpAddress")]
    private_address: Option<String>,
    #[serde(rename = "PublicIpAddress")]
    public_address: Option<String>,
    #[serde(rename = "NetworkInterfaces", default)]
    interfaces: Vec<NetworkInterface>,
    #[serde(rename = "Tags", default)]
    tags: Vec<Tag>,
}

#[derive(Deserialize)]
struct NetworkInterface {
    #[serde(rename = "PrivateIpAddress")]
    address: Option<String>,
}

#[derive(Deserialize)]
struct Tag {
    #[serde(rename = "Key")]
    key: String,
    #[serde(rename = "Value")]
    value: String,
}

impl NamedInstance {
    /// The name that the host itself has.
    fn name(&self) -> Option<&str> {
        self.private_name.as_deref().filter(|name| !name.is_empty())
    }

    /// Other names, and addresses.
    fn addresses(&self) -> impl Iterator<Item = &str> {
        let own = [
            &self.private_address,
            &self.public_name,
            &self.public_address,
        ];
        let interfaces = self.interfaces.iter().map(|one| &one.address);
        let tags = self.tags.iter().filter(|tag| tag.key == "Name");
        own.into_iter()
            .chain(interfaces)
            .filter_map(|name| name.as_deref())
            .chain(tags.map(|tag| &*tag.value))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{problem, read};
    use super::*;

    /// Four hosts below two of the outermost network nodes, in the documented form.
    const TOPOLOGY: &str = r#"{"Instances": [
        {"InstanceId": "i-0", "InstanceType": "p5.48xlarge", "GroupName": "ML-group",
         "NetworkNodes": ["nn-a", "nn-b", "nn-c"], "AvailabilityZone": "us-west-2a", "ZoneId": "usw2-az2"},
        {"InstanceId": "i-1", "NetworkNodes": ["nn-a", "nn-b", "nn-c"], "CapacityBlockId": null},
        {"InstanceId": "i-2", "NetworkNodes": ["nn-a", "nn-b", "nn-d"]},
        {"InstanceId": "i-7", "InstanceType": "t3.micro", "NetworkNodes": null},
        {"InstanceId": "i-3", "NetworkNodes": ["nn-e", "nn-f", "nn-g"]}], "NextToken": "x"}"#;

    const INSTANCES: &str = r#"{"Reservations": [{"Instances": [
        {"InstanceId": "i-1", "PrivateDnsName": "ip-10-0-0-1.internal", "PrivateIpAddress": "10.0.0.1",
         "NetworkInterfaces": [{"PrivateIpAddress": "10.0.0.1"}, {"PrivateIpAddress": "10.1.0.1"}],
         "Tags": [{"Key": "Name", "Value": "compute-1"}, {"Key": "Owner", "Value": "ada"}]},
        {"InstanceId": "i-9", "PrivateDnsName": ""}]}]}"#;

    #[test]
    fn instances_hang_below_their_network_nodes() {
        let machine = read(&IMPORTER, &[TOPOLOGY]).unwrap();
        assert_eq!(machine.hosts, ["i-0", "i-1", "i-2", "i-3"]);
        assert_eq!(
            machine.switches,
            ["network", "nn-a", "nn-c", "nn-d", "nn-e", "nn-g"]
        );
    }

    #[test]
    fn instances_are_called_by_their_names_and_found_by_their_addresses() {
        let machine = read(&IMPORTER, &[INSTANCES, TOPOLOGY]).unwrap();
        assert_eq!(machine.hosts, ["i-0", "ip-10-0-0-1.internal", "i-2", "i-3"]);
        let aliases: Vec<&String> = machine.aliases.keys().collect();
        assert_eq!(aliases, ["10.0.0.1", "10.1.0.1", "compute-1", "i-1"]);
        assert!(
            machine
                .aliases
                .values()
                .all(|host| *host == machine.hosts[1])
        );
    }

    #[test]
    fn instances_of_one_capacity_block_are_nearer_to_each_other() {
        let placed = |id: u32| {
            let block = id / 2;
            format!(
                r#"{{"InstanceId": "i-{id}", "NetworkNodes": ["nn-a"], "CapacityBlockId": "cb-{block}"}}"#
            )
        };
        let text = format!(
            r#"{{"Instances": [{}, {}, {}]}}"#,
            placed(0),
            placed(1),
            placed(2)
        );
        let machine = read(&IMPORTER, &[&text]).unwrap();
        assert_eq!(machine.switches, ["network", "cb-0", "cb-1"]);
    }

    #[test]
    fn damaged_outputs_are_told_with_line_or_key() {
        let lacking = "{\"Instances\": [\n{\"NetworkNodes\": []}]}";
        let twice = TOPOLOGY.replace("i-3", "i-2");
        for (texts, expected) in [
            (&[""][..], "t.json:1: EOF"),
            (&[lacking], "t.json:2: missing field `InstanceId`"),
            (&[INSTANCES], "no host has NetworkNodes"),
            (&[&TOPOLOGY[..200]], "t.json:3: EOF while parsing"),
            (&[&twice], "t.json:5: i-2 is below"),
        ] {
            let problem = problem(&IMPORTER, texts);
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
