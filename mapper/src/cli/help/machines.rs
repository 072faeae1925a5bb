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
  --machine SPEC       a network given by its shape, in the syntax below
  --machine FILE.toml  a machine file: hosts, cores, network and links by name; rankfold machine import writes it
  --cores C            number of ranks that fit on a node [default: 1, or the number in the machine file]
  --hosts FILE|LIST    the nodes of the job, in node order; - stands for a node that the job cannot use
  --node FILE.xml      the inside of every node, from lstopo --of xml: ranks are then placed on cores, too
  rankfold machine SPEC|FILE shows the machine that a spec or file describes: nodes, distances, links, a picture.

{}

How to describe your machine
  Slurm          scontrol show topology > topo;  rankfold machine import slurm topo -o site.toml
  InfiniBand     ibnetdiscover > net; dump_lfts.sh > lfts;  rankfold machine import infiniband net lfts -o site.toml
  a cloud        save what it tells about its instances; rankfold machine import gcp|aws|oci|azure|kubernetes FILES -o site.toml
  SimGrid        --machine platform.xml, or  rankfold machine import simgrid platform.xml -o site.toml
  inside a node  lstopo --of xml node.xml;  rankfold map ... --node node.xml
  anything else  ask your administrators for the shape (torus, fat tree, dragonfly) and its sizes, and write them as a spec

Islands in a topology.conf that nothing joins
  The hosts of the job (--hosts, or those of the launch) choose the island.
  A file of two lines joins two of them:
    include /etc/slurm/topology.conf
    SwitchName=all Switches=ISLAND,ISLAND

Importers (rankfold machine import KIND FILES)
{}

Nodes of tori and meshes are numbered with the last dimension fastest, nodes of all other networks switch by switch.
",
        machine::families(),
        import::kinds().trim_start_matches("Kinds:\n"),
    )
}
