//! How much of a known network is recovered from simulated latencies: a line of figures for each of
//! some seeds.
//!
//!     probe NETWORK NOISE SEEDS
//!
//! NETWORK is a spec, NOISE the relative deviation of the shortest latency. Prints, as JSON, the
//! share of a grid's links that are right or how far a tree's or a dragonfly's groups are (adjusted
//! Rand index, outermost level first), of the best fit; then what is made of it: its q and how
//! certain that is, whether what would be written is right, and the seconds of the decision.

use rankfold_base::NodeId;
use rankfold_machine::parse;
use rankfold_reconstruct::simulated::{Simulated, measure};
use rankfold_reconstruct::{Certainty, NetworkStructure, adjusted_rand_index, best_fit, decide};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let case = match &words[..] {
        [network, noise, seeds] => noise
            .parse()
            .ok()
            .zip(seeds.parse().ok())
            .map(|n| (network, n)),
        _ => None,
    };
    let Some((network, (noise, seeds))) = case else {
        eprintln!("usage: probe NETWORK NOISE SEEDS");
        return ExitCode::from(2);
    };
    for seed in 1..=seeds {
        if let Err(problem) = one(network, noise, seed) {
            eprintln!("probe: {problem}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Links on the way between nodes of a network, and how many nodes there are.
fn hops(spec: &str) -> Result<(usize, impl Fn(usize, usize) -> f64 + use<>), String> {
    let topology = parse(spec).map_err(|error| error.to_string())?;
    let links = |a, b| f64::from(topology.hops(NodeId::at(a), NodeId::at(b)));
    let nodes = topology.nodes();
    let table: Vec<Vec<f64>> = (0..nodes)
        .map(|a| (0..nodes).map(|b| links(a, b)).collect())
        .collect();
    Ok((nodes, move |a: usize, b: usize| table[a][b]))
}

fn one(network: &str, noise: f64, seed: u64) -> Result<(), String> {
    let (nodes, links) = hops(network)?;
    let seen = measure(nodes, links, noise, seed);
    let truth = Truth::new(network)?;
    let all = seen.odd.zip_map(&seen.even, f64::min);
    let fit = truth.right(&seen, &best_fit(&all, truth.is_grid(), 1))?;
    let start = Instant::now();
    let reconstruction = decide(&seen.odd, &seen.even, 1);
    let seconds = start.elapsed().as_secs_f64();
    let written = match reconstruction.certainty {
        Certainty::HostsOnly => "refused",
        Certainty::CoarseLevelsOnly => "coarse",
        Certainty::Sure => "sure",
    };
    let held = truth.right(&seen, &reconstruction.structure)?;
    println!(
        "{{\"fit\": {fit:?}, \"q\": {:.4}, \"written\": \"{written}\", \"right\": {held:?}, \"seconds\": {seconds:.3}}}",
        reconstruction.q
    );
    Ok(())
}

/// What a network is in truth.
enum Truth {
    Grid,
    /// Nodes in a group, of each level, the outermost first.
    Groups(Vec<usize>),
}

impl Truth {
    fn new(network: &str) -> Result<Self, String> {
        let (kind, sizes) = network.split_once(':').unwrap_or_default();
        let sizes: Result<Vec<usize>, _> = sizes.split(['x', ',']).map(str::parse).collect();
        let sizes = sizes.map_err(|_| format!("{network}: sizes are numbers here"))?;
        match kind {
            "torus" | "mesh" => Ok(Self::Grid),
            "tree" => Ok(Self::Groups(
                (1..sizes.len())
                    .map(|level| sizes[level..].iter().product())
                    .collect(),
            )),
            // Hosts a router and routers a group; which router it is, latencies do not tell.
            "dragonfly" => Ok(Self::Groups(vec![sizes[0] * sizes[1]])),
            _ => Err(format!(
                "{network}: known are torus, mesh, tree and dragonfly"
            )),
        }
    }

    fn is_grid(&self) -> bool {
        matches!(self, Self::Grid)
    }

    /// How right a structure is: one number for a grid, one a level for groups; 0 for another kind
    /// of structure.
    fn right(&self, seen: &Simulated, structure: &NetworkStructure) -> Result<Vec<f64>, String> {
        Ok(match (self, structure) {
            (
                Self::Grid,
                NetworkStructure::Grid {
                    sizes,
                    wraps,
                    nodes,
                },
            ) => {
                let kind = if *wraps { "torus" } else { "mesh" };
                let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
                let (_, found) = hops(&format!("{kind}:{}", sizes.join("x")))?;
                vec![seen.right(|i, j| found(nodes[i], nodes[j]))]
            }
            (Self::Groups(below), NetworkStructure::Tree { levels }) => {
                let best = |&nodes: &usize| {
                    let truth = seen.groups(nodes);
                    let known = levels
                        .iter()
                        .map(|level| adjusted_rand_index(&truth, level));
                    known.fold(0.0, f64::max)
                };
                below.iter().map(best).collect()
            }
            (Self::Grid, _) => vec![0.0],
            (Self::Groups(below), _) => vec![0.0; below.len()],
        })
    }
}
