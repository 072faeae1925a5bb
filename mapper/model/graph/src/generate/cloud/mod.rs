//! Surrogates of two codes of cosmology, ART and Gadget: clustered matter in a periodic cube.
//!
//! Points are drawn in halos and between them. An octree is refined until its leaves hold few
//! points. The leaves, along Morton's curve, are cut into as many pieces as there are ranks, and
//! neighbouring leaves of different ranks exchange messages. ART exchanges the cells of an adaptive
//! mesh across faces, so every leaf counts as one cell; Gadget exchanges particles with all
//! neighbours, so a leaf counts as many as it holds.
//!
//! What is not of the codes: the matter, the curve (theirs is Hilbert's) and the numbers sent for a
//! cell or a particle, which were chosen by hand. Only the proportions of the bytes mean something.

mod matter;
mod octree;

use super::{DOUBLE, Entry, Generator, entry};
use octree::{Leaf, Octree, Step};
use std::collections::BTreeMap;

pub(super) const ART: Generator = Generator {
    name: "art-surrogate",
    about: "surrogate of ART: an adaptive mesh over clustered matter, cells exchanged across faces; bytes not measured",
    make: |ranks| messages(ranks, &octree::FACES, |_| 1),
};

pub(super) const GADGET: Generator = Generator {
    name: "gadget-surrogate",
    about: "surrogate of Gadget: clustered particles, exchanged with all neighbours; bytes not measured",
    make: |ranks| messages(ranks, &octree::ALL_NEIGHBOURS, |leaf| leaf.points),
};

/// The most ranks, as the points of all ranks are in memory at once. Chosen by hand.
const MOST_RANKS: usize = 1 << 16;
/// Points for each rank. Chosen by hand: enough that no rank is left without a leaf.
const POINTS_PER_RANK: usize = 128;
/// Numbers sent for each cell or particle. Chosen by hand.
const NUMBERS: usize = 8;

/// The messages of one step. `weight` is the work in a leaf, and what it sends to each neighbour.
fn messages(
    ranks: usize,
    steps: &[Step],
    weight: impl Fn(&Leaf) -> usize,
) -> Result<Vec<Entry>, String> {
    if ranks > MOST_RANKS {
        return Err(format!("it is made for at most {MOST_RANKS} ranks"));
    }
    let tree = Octree::new(&matter::clustered(ranks * POINTS_PER_RANK));
    let owners = owners(&tree, ranks, &weight);
    let mut bytes: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut send = |from: usize, to: usize, amount: usize| {
        if owners[from] != owners[to] && amount > 0 {
            *bytes.entry((owners[from], owners[to])).or_default() += amount * NUMBERS * DOUBLE;
        }
    };
    for (index, leaf) in tree.leaves.iter().enumerate() {
        for &step in steps {
            let neighbour = tree.neighbour(leaf, step);
            let depth = tree.leaves[neighbour].depth;
            // A finer neighbour counts this exchange from its own side.
            if depth <= leaf.depth {
                send(index, neighbour, weight(leaf));
            }
            if depth < leaf.depth {
                send(neighbour, index, weight(leaf));
            }
        }
    }
    let entries = bytes.into_iter();
    Ok(entries
        .map(|((from, to), bytes)| entry(from, to, bytes, 1))
        .collect())
}

/// The rank of every leaf: pieces of the curve of about equal weight.
fn owners(tree: &Octree, ranks: usize, weight: impl Fn(&Leaf) -> usize) -> Vec<usize> {
    let total: usize = tree.leaves.iter().map(&weight).sum();
    let mut before = 0;
    let piece = |leaf: &Leaf| {
        let owner = before * ranks / total;
        before += weight(leaf);
        owner.min(ranks - 1)
    };
    tree.leaves.iter().map(piece).collect()
}
