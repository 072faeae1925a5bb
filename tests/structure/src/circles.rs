//! Circles among modules: the parts of one module, each with everything below it, must form a
//! ladder.
//!
//! A module may name its own parts, and they what it defines: a trait and the list of its members
//! stand in one file. So the file of a module is no part of it here. Every other circle of files
//! runs through parts of some module.

use crate::references::Reference;
use crate::sources::{ModuleId, Sources};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::BTreeMap;
use std::fmt;

/// Parts of one module that know each other, directly or by way of others.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Circle {
    /// The module whose parts they are.
    pub(crate) inside: String,
    /// Their names, sorted.
    pub(crate) parts: Vec<String>,
    /// The references that tie it, one for each pair of parts.
    pub(crate) ties: Vec<String>,
}

pub(crate) fn all(sources: &Sources, references: &[Reference]) -> Vec<Circle> {
    let mut inside: BTreeMap<ModuleId, BTreeMap<(ModuleId, ModuleId), &Reference>> =
        BTreeMap::new();
    for reference in references {
        if let Some((whole, from, to)) = sources.siblings(reference.from, reference.to) {
            inside
                .entry(whole)
                .or_default()
                .entry((from, to))
                .or_insert(reference);
        }
    }
    let mut circles: Vec<Circle> = inside
        .iter()
        .flat_map(|(whole, ties)| among(sources, *whole, ties))
        .collect();
    circles.sort();
    circles
}

fn among(
    sources: &Sources,
    whole: ModuleId,
    ties: &BTreeMap<(ModuleId, ModuleId), &Reference>,
) -> Vec<Circle> {
    let graph: DiGraphMap<ModuleId, ()> = ties.keys().map(|&(from, to)| (from, to, ())).collect();
    let circles = tarjan_scc(&graph)
        .into_iter()
        .filter(|parts| parts.len() > 1);
    let circle = |parts: Vec<ModuleId>| {
        let tied = ties
            .iter()
            .filter(|((from, to), _)| parts.contains(from) && parts.contains(to));
        let mut names: Vec<String> = parts.iter().map(|&part| sources.name(part)).collect();
        names.sort();
        Circle {
            inside: sources.name(whole),
            parts: names,
            ties: tied.map(|(_, reference)| sources.tell(reference)).collect(),
        }
    };
    circles.map(circle).collect()
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (parts, ties) = (self.parts.join(", "), self.ties.join("\n    "));
        write!(f, "in {} run in a circle: {parts}\n    {ties}", self.inside)
    }
}
