//! What is read of the objects of Kubernetes and Kueue.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The label with the name of the host itself.
pub(super) const HOSTNAME: &str = "kubernetes.io/hostname";

/// A list of objects, or one object.
#[derive(Deserialize)]
pub(super) struct Top {
    pub(super) items: Option<Vec<Object>>,
    #[serde(flatten)]
    pub(super) object: Object,
}

#[derive(Deserialize)]
pub(super) struct Object {
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) metadata: Metadata,
    #[serde(default)]
    pub(super) spec: Spec,
    #[serde(default)]
    pub(super) status: Status,
}

#[derive(Default, Deserialize)]
pub(super) struct Metadata {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) namespace: String,
    #[serde(default)]
    pub(super) labels: BTreeMap<String, String>,
}

#[derive(Default, Deserialize)]
pub(super) struct Spec {
    /// Of a pod: the node that it runs on.
    #[serde(rename = "nodeName")]
    pub(super) node: Option<String>,
    /// Of a pod: the first part of its name in the cluster's name service.
    pub(super) hostname: Option<String>,
    /// Of a pod: the second part of that name.
    pub(super) subdomain: Option<String>,
    /// Of a topology.
    #[serde(default)]
    pub(super) levels: Vec<Level>,
}

#[derive(Deserialize)]
pub(super) struct Level {
    #[serde(rename = "nodeLabel")]
    pub(super) label: String,
}

#[derive(Default, Deserialize)]
pub(super) struct Status {
    /// Of a node.
    #[serde(default)]
    pub(super) addresses: Vec<Address>,
    /// Of a pod.
    #[serde(rename = "podIP")]
    pub(super) pod_address: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Address {
    pub(super) address: String,
}

impl Object {
    /// The values of the labels that the object has.
    pub(super) fn labels(&self, levels: &[&str]) -> Vec<String> {
        let values = levels
            .iter()
            .filter_map(|label| self.metadata.labels.get(*label));
        values.filter(|value| !value.is_empty()).cloned().collect()
    }

    /// Other names and the addresses of a node.
    pub(super) fn addresses(&self) -> impl Iterator<Item = &str> {
        let addresses = self.status.addresses.iter().map(|one| &*one.address);
        addresses.chain(self.metadata.labels.get(HOSTNAME).map(String::as_str))
    }

    /// The names of a pod, as the hostfile of the MPI operator has them.
    pub(super) fn dns_names(&self) -> Vec<String> {
        let host = self.spec.hostname.as_ref().unwrap_or(&self.metadata.name);
        let Some(domain) = &self.spec.subdomain else {
            return vec![host.clone()];
        };
        let short = format!("{host}.{domain}");
        let space = &self.metadata.namespace;
        let long = format!("{short}.{space}.svc");
        vec![
            host.clone(),
            format!("{short}.{space}"),
            format!("{long}.cluster.local"),
            short,
            long,
        ]
    }
}
