//! Imports the labels of Kubernetes nodes: those of topograph and of clouds, by the levels of Kueue
//! where these are given; and the nodes of pods.

mod levels;
mod objects;

use super::super::technology::Technology;
use super::super::{Description, Importer, Result, Source, SourceLine};
use super::{Instances, json, place_of, yaml};
use levels::levels;
use objects::{Object, Top};
use std::collections::HashMap;

pub(in super::super) const IMPORTER: Importer = Importer {
    name: "kubernetes",
    about: "the JSON or YAML of `kubectl get nodes -o json`: labels of topograph, GKE, EKS, OKE, Nebius or CoreWeave, or those that --label names; with `kubectl get topologies.kueue.x-k8s.io -o json` its levels; with `kubectl get pods -o json` the pods are the hosts, as in the hostfile of the MPI operator",
    recognises: |source| {
        let text = &source.text;
        let keys = ["nodeName", "nodeLabel", "kubernetes.io/hostname"];
        let has = |key: &str| {
            let yaml = || text.lines().any(|line| is_yaml_key(line, key));
            text.contains(&format!("\"{key}\"")) || yaml()
        };
        has("apiVersion") && keys.into_iter().any(has)
    },
    for_job: None,
    technology: Technology::Unknown,
    read,
};

/// Whether a line of YAML begins with a key.
fn is_yaml_key(line: &str, key: &str) -> bool {
    let line = line.trim_start_matches([' ', '-']);
    line.strip_prefix(key)
        .is_some_and(|rest| rest.starts_with(':'))
}

/// The labels of levels, from the outermost in, as a source that names them as Kueue does.
pub fn of_labels(labels: &[String]) -> Source {
    let levels: Vec<_> = labels
        .iter()
        .map(|label| serde_json::json!({"nodeLabel": label}))
        .collect();
    let topology = serde_json::json!({
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "Topology",
        "metadata": {"name": "--label"},
        "spec": {"levels": levels},
    });
    Source {
        file: "--label".into(),
        text: topology.to_string(),
    }
}

fn read(sources: &[Source]) -> Result<Description> {
    let (mut nodes, mut pods, mut topologies) = (Vec::new(), Vec::new(), Vec::new());
    for source in sources {
        let top: Top = if source.text.trim_start().starts_with('{') {
            json(source)?
        } else {
            yaml(source)?
        };
        let kind = top.object.kind.clone().unwrap_or_default();
        let (items, kind) = match top.items {
            Some(items) => (items, kind.strip_suffix("List").unwrap_or_default()),
            None => (vec![top.object], kind.as_str()),
        };
        for object in items {
            let place = place_of(source, &object.metadata.name);
            match object.kind.as_deref().unwrap_or(kind) {
                "Node" => nodes.push((place, object)),
                "Pod" => pods.push((place, object)),
                "Topology" => topologies.push((place, object)),
                other => {
                    return Err(place.bad(format!(
                        "{} is a {other}: nodes, pods and topologies of Kueue are read",
                        object.metadata.name
                    )));
                }
            }
        }
    }
    let levels = levels(&nodes, &topologies)?;
    let mut instances = Instances::default();
    if pods.is_empty() {
        for (place, node) in nodes {
            let above = node.labels(&levels);
            // The control plane, for instance, is not part of the fabric.
            if above.is_empty() {
                continue;
            }
            let name = node.metadata.name.clone();
            instances.add(place, name.clone(), above);
            instances.call(&name, node.addresses());
        }
    } else {
        add_pods(&mut instances, &nodes, pods, &levels)?;
    }
    let wanted = levels.join(", ");
    instances.describe(sources, &format!("a label {wanted}"))
}

/// Adds the pods that run, each below its node.
fn add_pods<'a>(
    instances: &mut Instances<'a>,
    nodes: &[Placed],
    pods: Vec<Placed<'a>>,
    levels: &[&str],
) -> Result<()> {
    let by_name = nodes.iter().map(|(_, node)| (&*node.metadata.name, node));
    let by_name: HashMap<&str, &Object> = by_name.collect();
    for (place, pod) in pods {
        let name = &pod.metadata.name;
        // A pod that waits has no node yet.
        let Some(node) = pod.spec.node.as_deref() else {
            continue;
        };
        let Some(known) = by_name.get(node) else {
            return Err(place.bad(format!(
                "pod {name} runs on {node}, and there is no such node: give the nodes as well"
            )));
        };
        let mut above = known.labels(levels);
        above.push(node.to_owned());
        instances.add(place, name.clone(), above);
        instances.call(name, pod.dns_names().iter().map(String::as_str));
        instances.call(name, pod.status.pod_address.as_deref());
    }
    Ok(())
}

type Placed<'a> = (SourceLine<'a>, Object);

#[cfg(test)]
mod tests {
    use super::super::tests::{problem, read, recognised};
    use super::*;

    /// A node with labels, as kubectl prints it.
    fn node(name: &str, labels: &[(&str, &str)]) -> String {
        let labels = labels
            .iter()
            .map(|(key, value)| format!("\"{key}\": \"{value}\",\n"));
        format!(
            "{{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {{\"name\": \"{name}\", \"labels\": {{\n{}\
             \"kubernetes.io/hostname\": \"{name}\"}}}}, \"spec\": {{\"podCIDR\": \"10.0.0.0/24\"}},\n\
             \"status\": {{\"addresses\": [{{\"address\": \"10.0.0.{}\", \"type\": \"InternalIP\"}}]}}}}",
            labels.collect::<String>(),
            name.trim_start_matches(|c: char| !c.is_ascii_digit())
        )
    }

    fn list(items: &[String]) -> String {
        format!(
            "{{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [\n{}]}}",
            items.join(",\n")
        )
    }

    /// Four nodes, two in each of two groups of the inner of two levels.
    fn four(outer: &str, inner: &str) -> String {
        let labelled = [("n1", "a"), ("n2", "b"), ("n3", "a"), ("n4", "b")];
        let nodes = labelled.map(|(name, group)| node(name, &[(outer, "top"), (inner, group)]));
        let plane = node("n0", &[("node-role.kubernetes.io/control-plane", "")]);
        list(&[&[plane][..], &nodes].concat())
    }

    #[test]
    fn the_labels_of_topograph_and_of_clouds_are_known() {
        for (outer, inner) in [
            (
                "network.topology.nvidia.com/spine",
                "network.topology.nvidia.com/leaf",
            ),
            ("fabric.topograph.run/tier-1", "fabric.topograph.run/tier-0"),
            (
                "cloud.google.com/gce-topology-block",
                "cloud.google.com/gce-topology-subblock",
            ),
            (
                "topology.k8s.aws/network-node-layer-1",
                "topology.k8s.aws/network-node-layer-2",
            ),
            (
                "oci.oraclecloud.com/rdma.network_block_id",
                "oci.oraclecloud.com/rdma.local_block_id",
            ),
            (
                "topology.kubernetes.io/zone",
                "oci.oraclecloud.com/host.rack_id",
            ),
            (
                "cloud.provider.com/topology-block",
                "cloud.provider.com/topology-rack",
            ),
        ] {
            let text = four(outer, inner);
            assert_eq!(recognised(&text), Some("kubernetes"), "{text}");
            let machine = read(&IMPORTER, &[&text]).unwrap();
            assert_eq!(machine.hosts, ["n1", "n3", "n2", "n4"], "{inner}");
            assert_eq!(machine.switches, ["network", "a", "b"], "{inner}");
            assert_eq!(machine.aliases["10.0.0.3"], "n3");
        }
    }

    #[test]
    fn a_topology_of_kueue_says_which_labels_are_levels() {
        let topology = |name: &str, label: &str| {
            format!(
                "{{\"apiVersion\": \"kueue.x-k8s.io/v1beta1\", \"kind\": \"Topology\", \"metadata\": {{\"name\": \"{name}\"}},\n\
                 \"spec\": {{\"levels\": [{{\"nodeLabel\": \"{label}\"}}, {{\"nodeLabel\": \"kubernetes.io/hostname\"}}]}}}}"
            )
        };
        let nodes = four("cloud.provider.com/topology-block", "site/rack");
        let machine = read(&IMPORTER, &[&nodes, &topology("t", "site/rack")]).unwrap();
        assert_eq!(machine.switches, ["network", "a", "b"]);
        let both = list(&[
            topology("t", "site/rack"),
            topology("u", "cloud.provider.com/topology-block"),
        ]);
        let message = problem(&IMPORTER, &[&nodes, &both]);
        assert!(
            message.contains("t.json:4: the nodes have labels of the topologies t and u"),
            "{message}"
        );
    }

    #[test]
    fn any_label_can_be_named() {
        let nodes = four("site/row", "site/rack");
        let labels = ["site/row", "site/rack"].map(str::to_owned);
        let levels = of_labels(&labels).text;
        let machine = read(&IMPORTER, &[&nodes, &levels]).unwrap();
        assert_eq!(machine.switches, ["network", "a", "b"]);
    }

    #[test]
    fn yaml_says_what_json_says() {
        let node = |name: &str, rack: &str| {
            format!(
                "- apiVersion: v1\n  kind: Node\n  metadata:\n    labels:\n      kubernetes.io/hostname: {name}\n      \
                 topology.nebius.com/tier-1: {rack}\n      topology.nebius.com/tier-2: \"7\"\n    name: {name}\n  \
                 status:\n    addresses:\n    - address: 10.0.0.1\n      type: InternalIP\n"
            )
        };
        let text = format!(
            "apiVersion: v1\nitems:\n{}{}{}kind: List\nmetadata:\n  resourceVersion: \"\"\n",
            node("n0", "a"),
            node("n1", "b"),
            node("n2", "a")
        );
        assert_eq!(recognised(&text), Some("kubernetes"));
        let machine = read(&IMPORTER, &[&text]).unwrap();
        assert_eq!(machine.hosts, ["n0", "n2", "n1"]);
        let broken = problem(&IMPORTER, &[&text.replace("name: n1", "name: [n1")]);
        assert!(broken.starts_with("t.json:"), "{broken}");
    }

    fn pod(name: &str, node: Option<&str>) -> String {
        let node = node.map_or(String::new(), |node| format!("\"nodeName\": \"{node}\", "));
        format!(
            "{{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {{\"name\": \"{name}\", \"namespace\": \"default\"}},\n\
             \"spec\": {{{node}\"hostname\": \"{name}\", \"subdomain\": \"pi\"}}, \"status\": {{\"podIP\": \"10.9.0.{}\"}}}}",
            name.trim_start_matches(|c: char| !c.is_ascii_digit())
        )
    }

    #[test]
    fn pods_of_the_mpi_operator_are_the_hosts_below_their_nodes() {
        let nodes = four(
            "cloud.google.com/gce-topology-block",
            "cloud.google.com/gce-topology-subblock",
        );
        let pods = [("w-0", "n1"), ("w-1", "n1"), ("w-2", "n2"), ("w-3", "n3")];
        let mut pods: Vec<String> = pods.map(|(name, node)| pod(name, Some(node))).into();
        pods.push(pod("w-4", None));
        let machine = read(&IMPORTER, &[&nodes, &list(&pods)]).unwrap();
        assert_eq!(machine.hosts, ["w-0", "w-1", "w-3", "w-2"]);
        assert_eq!(machine.switches, ["network", "a", "n1", "n3", "b", "n2"]);
        for (alias, host) in [
            ("w-1.pi.default.svc", "w-1"),
            ("w-3.pi", "w-3"),
            ("10.9.0.2", "w-2"),
        ] {
            assert_eq!(machine.aliases[alias], host);
        }
    }

    #[test]
    fn damaged_copies_are_told_with_line_or_key() {
        let nodes = four("site/block", "site/rack");
        let good = four(
            "cloud.provider.com/topology-block",
            "cloud.provider.com/topology-rack",
        );
        let stray = list(&[pod("w-0", Some("n9"))]);
        let service = r#"{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pi"}}"#;
        for (texts, expected) in [
            (&[&*nodes][..], "no host has a label nvidia.com/gpu.clique"),
            (&[&good[..300]], "EOF while parsing"),
            (
                &[&good, &stray],
                "t.json:2: pod w-0 runs on n9, and there is no such node",
            ),
            (&[service], "t.json:1: pi is a Service"),
            (
                &[&*good.replace("\"n3\", \"labels\"", "3, \"labels\"")],
                "invalid type: integer `3`",
            ),
        ] {
            let problem = problem(&IMPORTER, texts);
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
