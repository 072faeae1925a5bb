//! Imports the output of NVIDIA's topograph, engine `graph`.

use super::super::Importer;
use super::super::technology::Technology;
use super::{Instances, json, start_of};
use serde::Deserialize;

pub(in super::super) const IMPORTER: Importer = Importer {
    name: "topograph",
    about: "the JSON of NVIDIA topograph's engine graph: instances with their network_layers",
    recognises: |source| {
        source.text.trim_start().starts_with('{') && source.text.contains("\"network_layers\"")
    },
    for_job: None,
    technology: Technology::Unknown,
    read: |sources| {
        let mut instances = Instances::default();
        for source in sources {
            let graph: TopographOutput = json(source)?;
            for instance in graph.instances {
                // The file lists the closest switch first.
                let above = instance.network_layers.into_iter().rev().collect();
                instances.add(start_of(source), instance.id, above);
            }
        }
        instances.describe(sources, "network_layers")
    },
};

#[derive(Deserialize)]
struct TopographOutput {
    instances: Vec<Instance>,
}

#[derive(Deserialize)]
struct Instance {
    id: String,
    network_layers: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::super::tests::{problem, read};
    use super::*;

    #[test]
    fn layers_begin_with_the_closest_switch() {
        let instance = |id: u32, leaf: &str| {
            format!(r#"{{"id": "n{id}", "type": "H100", "network_layers": ["{leaf}", "spine"]}}"#)
        };
        let all = [
            instance(0, "leaf0"),
            instance(1, "leaf0"),
            instance(2, "leaf1"),
        ];
        let text = format!(r#"{{"instances": [{}]}}"#, all.join(","));
        let machine = read(&IMPORTER, &[&text]).unwrap();
        assert_eq!(machine.hosts, ["n0", "n1", "n2"]);
        assert_eq!(machine.switches, ["network", "leaf0", "leaf1"]);
    }

    #[test]
    fn damaged_output_is_told_with_its_line() {
        let message = problem(&IMPORTER, &["{\n\"instances\": 3}"]);
        assert!(message.starts_with("t.json:2: invalid type"), "{message}");
        let message = problem(&IMPORTER, &["{\"instances\": []}"]);
        assert!(message.contains("no host has network_layers"), "{message}");
    }
}
