//! Imports tori of Cray XT, XE and XK from the service database, as `xtdb2proc` writes it, with the
//! state of nodes as `xtprocadmin` prints it.
//!
//! SeaStar (XT) has one node on each router, Gemini (XE and XK) two. With one, the machine is a
//! torus whose positions without a usable node are left empty. With two, routers are switches, and
//! messages take any shortest path instead of dimension order. All three dimensions are taken as
//! rings. Aries (XC) writes positions in a dragonfly in the same fields; four nodes of one router
//! tell it apart, and it is refused.

mod records;

use super::technology::Technology;
use super::{Description, ImportError, Importer, Result, Source, SourceLine};
use rankfold_machine::Link;
use rankfold_machine::Speed;
use rankfold_machine::grammar;
use rankfold_machine::hosts::UNUSABLE;
use records::CrayNode;
use std::collections::BTreeMap;

/// The importer of Cray tori.
pub(super) const CRAY_XT: Importer = Importer {
    name: "cray-xt",
    about: "Cray XT, XE and XK: the file that xtdb2proc -f writes, and the output of xtprocadmin for the state of nodes",
    recognises: |source| records::is_database(source) || records::is_state_table(source),
    for_job: None,
    technology: Technology::Credits,
    read,
};

/// Most nodes of one router of a torus: two on Gemini.
const MOST_NODES_OF_A_ROUTER: usize = 2;

/// The usable nodes on every router.
type Routers<'a> = BTreeMap<[usize; 3], Vec<CrayNode<'a>>>;

fn read(sources: &[Source]) -> Result<Description> {
    let mut nodes = BTreeMap::new();
    let (databases, states): (Vec<_>, Vec<_>) =
        sources.iter().partition(|s| records::is_database(s));
    let Some(&first) = databases.first() else {
        let file = sources.last().map_or("cray-xt", |source| &source.file);
        return Err(ImportError::whole(
            file,
            "there are no coordinates: give the file that xtdb2proc -f writes as well",
        ));
    };
    for source in databases {
        records::add_database(source, &mut nodes)?;
    }
    for source in states {
        records::add_states(source, &mut nodes)?;
    }
    let place = SourceLine {
        source: first,
        line: 1,
    };
    describe(place, nodes.into_values().collect())
}

fn describe(place: SourceLine, nodes: Vec<CrayNode>) -> Result<Description> {
    let mut sizes = [1; 3];
    let mut routers = Routers::new();
    for node in nodes {
        for (size, at) in sizes.iter_mut().zip(node.at) {
            *size = at.saturating_add(1).max(*size);
        }
        let on_router = routers.entry(node.at).or_default();
        if on_router.len() == MOST_NODES_OF_A_ROUTER {
            let [x, y, z] = node.at;
            return Err(node.place.bad(format!(
                "more than {MOST_NODES_OF_A_ROUTER} nodes are at {x},{y},{z}: these are positions in a dragonfly of Cray XC, not in a torus; use a spec of the family dragonfly"
            )));
        }
        on_router.push(node);
    }
    for nodes in routers.values_mut() {
        nodes.retain(|node| node.is_usable);
    }
    if routers.values().all(Vec::is_empty) {
        return Err(place.bad("no compute node of this system is up"));
    }
    grammar::product(&sizes, "routers").map_err(|problem| place.bad(problem))?;
    let of_one = routers.values().all(|nodes| nodes.len() <= 1);
    let mut description = if of_one {
        torus(sizes, &routers)
    } else {
        routers_as_switches(sizes, &routers)
    };
    let nodes = routers.into_values().flatten();
    description.aliases = nodes
        .filter_map(|node| Some((node.position.clone()?, node.host())))
        .collect();
    Ok(description)
}

/// All positions, the last dimension fastest, as specs count them.
fn positions(sizes: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let [wide, high, deep] = sizes;
    (0..wide * high * deep).map(move |i| [i / deep / high, i / deep % high, i % deep])
}

fn torus(sizes: [usize; 3], routers: &Routers) -> Description {
    let host = |at| match routers.get(&at).and_then(|nodes| nodes.first()) {
        Some(node) => node.host(),
        None => UNUSABLE.into(),
    };
    let dims = sizes.map(|size| size.to_string()).join("x");
    Description {
        network: Some(format!("torus:{dims}")),
        hosts: positions(sizes).map(host).collect(),
        ..Description::default()
    }
}

/// A switch for every router, with rings of links along each dimension.
fn routers_as_switches(sizes: [usize; 3], routers: &Routers) -> Description {
    let hosts: Vec<&CrayNode> = routers.values().flatten().collect();
    let number = |at: [usize; 3]| (at[0] * sizes[1] + at[1]) * sizes[2] + at[2];
    let switch = |at| (hosts.len() + number(at)) as u32;
    let link = |ends| Link::single(ends, Speed::relative(1.0));
    let mut links: Vec<Link> = (0..)
        .zip(&hosts)
        .map(|(host, node)| link((host, switch(node.at))))
        .collect();
    for at in positions(sizes) {
        for dim in 0..3 {
            let mut next = at;
            next[dim] = (at[dim] + 1) % sizes[dim];
            // A ring of two is one cable, a ring of one is none.
            let is_first_of_ring = sizes[dim] > 2 || at[dim] < next[dim];
            if next != at && is_first_of_ring {
                links.push(link((switch(at), switch(next))));
            }
        }
    }
    Description {
        hosts: hosts.iter().map(|node| node.host()).collect(),
        switches: positions(sizes)
            .map(|[x, y, z]| format!("router-{x}-{y}-{z}"))
            .collect(),
        links,
        ..Description::default()
    }
}

#[cfg(test)]
mod tests;
