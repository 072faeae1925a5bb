//! The labels that tell where a node is.

use super::Placed;
use super::objects::{HOSTNAME, Object};
use crate::Result;

/// Levels that are known without a topology of Kueue, from the outermost in. The first family of
/// which a node has a label counts.
const FAMILIES: &[&[&str]] = &[
    // Of topograph, from 1.0 on; tiers count from the node outwards.
    &[
        "fabric.topograph.run/tier-5",
        "fabric.topograph.run/tier-4",
        "fabric.topograph.run/tier-3",
        "fabric.topograph.run/tier-2",
        "fabric.topograph.run/tier-1",
        "fabric.topograph.run/tier-0",
        "accelerator.topograph.run/domain",
        "accelerator.topograph.run/sub-domain",
    ],
    // Of topograph before 1.0, under all names that its releases have used.
    &[
        "network.topology.nvidia.com/datacenter",
        "network.topology.nvidia.com/core",
        "network.topology.nvidia.com/spine",
        "network.topology.nvidia.com/block",
        "network.topology.nvidia.com/leaf",
        "network.topology.nvidia.com/accelerator",
    ],
    &[
        "cloud.google.com/gce-topology-block",
        "cloud.google.com/gce-topology-subblock",
        "cloud.google.com/gce-topology-host",
    ],
    &[
        "topology.k8s.aws/network-node-layer-1",
        "topology.k8s.aws/network-node-layer-2",
        "topology.k8s.aws/network-node-layer-3",
        "topology.k8s.aws/network-node-layer-4",
        "topology.k8s.aws/ultraserver-id",
        "topology.k8s.aws/capacity-block-id",
    ],
    &[
        "oci.oraclecloud.com/rdma.hpc_island_id",
        "oci.oraclecloud.com/rdma.network_block_id",
        "oci.oraclecloud.com/rdma.local_block_id",
    ],
    &[
        "oci.oraclecloud.com/host.network_block_id",
        "oci.oraclecloud.com/host.rack_id",
    ],
    // Of Nebius; tiers count from the node outwards.
    &[
        "topology.nebius.com/tier-5",
        "topology.nebius.com/tier-4",
        "topology.nebius.com/tier-3",
        "topology.nebius.com/tier-2",
        "topology.nebius.com/tier-1",
        "topology.nebius.com/tier-0",
    ],
    // Of CoreWeave.
    &[
        "backend.coreweave.cloud/fabric",
        "backend.coreweave.cloud/superpod",
        "backend.coreweave.cloud/leafgroup",
        "backend.coreweave.cloud/rack",
        "ds.coreweave.com/nvlink.domain",
    ],
    // The names in Kueue's documentation.
    &[
        "cloud.provider.com/topology-block",
        "cloud.provider.com/topology-rack",
    ],
];

/// The level above all others.
const ZONE: &str = "topology.kubernetes.io/zone";

/// The level below all others: nodes with one value have NVLink between them.
const CLIQUE: &str = "nvidia.com/gpu.clique";

/// The labels of the levels, from the outermost in: those of Kueue's topology, or of a known
/// family.
pub(super) fn levels<'a>(nodes: &[Placed], topologies: &'a [Placed]) -> Result<Vec<&'a str>> {
    let has = |label: &str| {
        nodes
            .iter()
            .any(|(_, node)| node.metadata.labels.contains_key(label))
    };
    let of = |topology: &'a Object| -> Vec<&'a str> {
        let levels = topology.spec.levels.iter().map(|level| &*level.label);
        levels.filter(|label| *label != HOSTNAME).collect()
    };
    let mut fitting = topologies
        .iter()
        .filter(|(_, topology)| of(topology).iter().any(|label| has(label)));
    match (fitting.next(), fitting.next()) {
        (Some((_, topology)), None) => return Ok(of(topology)),
        (Some((_, one)), Some((place, other))) => {
            return Err(place.bad(format!(
                "the nodes have labels of the topologies {} and {}: give one of them",
                one.metadata.name, other.metadata.name
            )));
        }
        (None, _) => {}
    }
    let family = FAMILIES
        .iter()
        .find(|family| family.iter().any(|label| has(label)));
    let family = family.copied().unwrap_or_default();
    let outer = [ZONE].into_iter().filter(|_| !family.is_empty());
    let inner = [CLIQUE];
    Ok(outer.chain(family.iter().copied()).chain(inner).collect())
}
