//! `rankfold help machines`.

use super::Topic;
use crate::cli::{import, machine};

pub(super) const MACHINES: Topic = Topic {
    name: "machines",
    summary: "how a machine is described: specs, machine files, importers, hosts and cores",
    text,
};

fn text() -> String {
    format!(
        "\
Which machine
  --machine SPEC       a network by its shape, as below
  --machine FILE.toml  a machine file: hosts, cores, network and links by name; rankfold machine import writes it
  --cores C            ranks that fit on a node [default: 1, or what the machine file says]
  --hosts FILE|LIST    the nodes a job has, in node order; - is a node it cannot use
  --node FILE.xml      what is inside every node, from lstopo --of xml: ranks are placed inside nodes, too
  rankfold machine SPEC|FILE shows what such words mean: nodes, distances, links, a picture.

{}

How to find out what a machine is
  Slurm          scontrol show topology > topo;  rankfold machine import slurm topo -o site.toml
  InfiniBand     ibnetdiscover > net; dump_lfts.sh > lfts;  rankfold machine import infiniband net lfts -o site.toml
  inside a node  lstopo --of xml node.xml;  rankfold map ... --node node.xml
  anything else  ask for the shape (torus, fat tree, dragonfly) and its sizes: they are a spec

Importers (rankfold machine import KIND FILES)
{}

Nodes are numbered as specs list them: tori and meshes with the last dimension fastest, anything else switch by switch.
",
        machine::families(),
        import::kinds().trim_start_matches("Kinds:\n"),
    )
}
