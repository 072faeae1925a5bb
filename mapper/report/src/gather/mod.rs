//! From graph, machine, placements and profile to [`Report`].

mod date;
mod folded;
mod links;
mod loads;
mod machine;
mod matrix;
mod names;
mod network;
mod pattern;
mod profile;
mod traffic;

use crate::data::{Bounds, Missing, Report, Run, Side, still_to_gain};
use links::Links;
use matrix::Axis;
use rankfold_model::machine::Machine;
use rankfold_model::pattern::Pattern;
use rankfold_model::{CommGraph, Placement, metric};
use rankfold_profile::Profile;

/// A placement, and what it is called.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    /// "as launched", say.
    pub name: String,
    /// What that means, in a sentence.
    pub about: String,
    /// Rank to slot.
    pub placement: &'a Placement,
    /// The communication on this side, if sides differ in it.
    pub graph: Option<&'a CommGraph>,
}

impl<'a> Shown<'a> {
    /// A placement that needs no sentence.
    #[must_use]
    pub fn new(name: &str, placement: &'a Placement) -> Self {
        Self {
            name: name.into(),
            about: String::new(),
            placement,
            graph: None,
        }
    }

    /// The same for the communication of another run.
    #[must_use]
    pub fn of(self, graph: &'a CommGraph) -> Self {
        Self {
            graph: Some(graph),
            ..self
        }
    }
}

/// What is to be shown.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    title: String,
    graph: &'a CommGraph,
    machine: Option<&'a Machine>,
    shown: Vec<Shown<'a>>,
    profile: Option<&'a Profile>,
    pattern: Option<&'a Pattern>,
    bounds: Option<(u128, f64)>,
}

impl<'a> Scene<'a> {
    /// The communication of a run, called `title`.
    #[must_use]
    pub fn new(title: &str, graph: &'a CommGraph) -> Self {
        Self {
            title: title.into(),
            graph,
            machine: None,
            shown: Vec::new(),
            profile: None,
            pattern: None,
            bounds: None,
        }
    }

    /// On a machine, by one or two placements, the one before first. The graph must fit it.
    #[must_use]
    pub fn on(self, machine: &'a Machine, shown: impl IntoIterator<Item = Shown<'a>>) -> Self {
        Self {
            machine: Some(machine),
            shown: shown.into_iter().collect(),
            ..self
        }
    }

    /// Without a machine: two runs side by side, each with its communication.
    #[must_use]
    pub fn beside(self, shown: impl IntoIterator<Item = Shown<'a>>) -> Self {
        Self {
            shown: shown.into_iter().collect(),
            ..self
        }
    }

    /// With what else the profile holds. Its pair matrix, which the graph has, is not looked at.
    #[must_use]
    pub fn with_profile(self, profile: &'a Profile) -> Self {
        Self {
            profile: Some(profile),
            ..self
        }
    }

    /// With a pattern that is known already.
    #[must_use]
    pub fn with_pattern(self, pattern: &'a Pattern) -> Self {
        Self {
            pattern: Some(pattern),
            ..self
        }
    }

    /// With bounds of hop-bytes and congestion that are known already.
    #[must_use]
    pub fn with_bounds(self, hop_bytes: u128, congestion: f64) -> Self {
        Self {
            bounds: Some((hop_bytes, congestion)),
            ..self
        }
    }
}

/// Everything there is to show of a scene.
#[must_use]
pub fn gather(scene: &Scene<'_>) -> Report {
    let graph = scene.graph;
    let mut report = Report {
        title: scene.title.clone(),
        version: env!("CARGO_PKG_VERSION").into(),
        traffic: traffic::of(graph),
        pattern: pattern::of(graph, scene.pattern),
        ..Report::default()
    };
    match scene.profile {
        Some(profile) => {
            report.run = profile::run(profile);
            profile::add(&mut report.traffic, profile);
        }
        None => report.run = Run::default(),
    }
    if scene.shown.iter().any(|shown| shown.graph.is_some()) {
        // Pairs are those of one run; the matrices of both are in blocks.
        report.traffic.listed = None;
    }
    match scene.machine {
        Some(machine) => place(&mut report, scene, machine),
        None => {
            report.sides = scene
                .shown
                .iter()
                .map(|shown| alone(scene, shown))
                .collect();
        }
    }
    missing(&mut report, scene);
    report
}

/// A side without a machine: ranks in order.
fn alone(scene: &Scene<'_>, shown: &Shown<'_>) -> Side {
    let graph = shown.graph.unwrap_or(scene.graph);
    let place: Vec<u32> = (0..graph.ranks() as u32).collect();
    Side {
        name: shown.name.clone(),
        about: shown.about.clone(),
        pairs: graph.pairs(),
        bytes: bytes(graph),
        blocks: Some(matrix::blocks(graph, &place, graph.ranks())),
        ..Side::default()
    }
}

fn bytes(graph: &CommGraph) -> u64 {
    u64::try_from(graph.total_bytes()).unwrap_or(u64::MAX)
}

/// Adds the machine and the placements.
fn place(report: &mut Report, scene: &Scene<'_>, machine: &Machine) {
    let placements: Vec<&Placement> = scene.shown.iter().map(|shown| shown.placement).collect();
    let links = Links::new(machine);
    let axis = Axis::new(machine, &placements);
    let mut drawn = machine::of(machine, &links, &axis);
    report.sides = scene
        .shown
        .iter()
        .map(|shown| {
            let graph = shown.graph.unwrap_or(scene.graph);
            side(report, graph, machine, &links, &axis, shown)
        })
        .collect();
    drawn.bands = matrix::bands(machine, &axis);
    if let Some(bands) = &drawn.bands {
        for (side, shown) in report.sides.iter_mut().zip(&scene.shown) {
            let graph = shown.graph.unwrap_or(scene.graph);
            side.within_band = Some(matrix::within(graph, &axis, bands, shown.placement));
        }
    }
    loads::compare(&mut report.sides, &links);
    report.machine = Some(drawn);
    if let Some(last) = report.sides.last() {
        let (hop_bytes, congestion) = scene.bounds.unwrap_or_else(|| bounds(scene.graph, machine));
        let hop_bytes = hop_bytes as f64;
        let congestion = congestion * links.scale();
        report.bounds = Some(Bounds {
            hop_bytes,
            congestion,
            still_to_gain: still_to_gain(last.figures.hop_bytes(), hop_bytes),
            congestion_still_to_gain: still_to_gain(last.loads.most, congestion),
        });
    }
}

fn bounds(graph: &CommGraph, machine: &Machine) -> (u128, f64) {
    let hop_bytes = metric::lower_bound(graph, machine).hop_bytes;
    let congestion = metric::congestion_bound(graph, machine, hop_bytes).congestion;
    (hop_bytes, congestion)
}

fn side(
    report: &Report,
    graph: &CommGraph,
    machine: &Machine,
    links: &Links<'_>,
    axis: &Axis,
    shown: &Shown<'_>,
) -> Side {
    let nodes = shown.placement.nodes(machine.slots());
    let (figures, hops) = loads::figures(graph, machine, shown.placement, &nodes, links.scale());
    Side {
        pairs: graph.pairs(),
        bytes: bytes(graph),
        name: shown.name.clone(),
        about: shown.about.clone(),
        place: axis.places_of(shown.placement),
        blocks: (report.traffic.listed.is_none() || axis.len() > matrix::DRAWN)
            .then(|| axis.blocks(graph, shown.placement)),
        loads: links.loads(graph, &nodes),
        nodes: matrix::nodes(graph, machine, &nodes),
        figures,
        hops,
        within_band: None,
    }
}

/// What the report lacks, and what would help.
fn missing(report: &mut Report, scene: &Scene<'_>) {
    let mut add = |what: &str, command: Option<&str>| {
        report.missing.push(Missing {
            what: what.into(),
            command: command.map(Into::into),
        });
    };
    if scene.machine.is_none() {
        add(
            "No machine was named, so nothing is said of links, distances and placements.",
            Some("rankfold report INPUT --machine torus:4x4x4 -o report.html"),
        );
    }
    let Some(profile) = scene.profile else {
        add(
            "Collectives, phases, message sizes and time in MPI are in profiles only.",
            Some("rankfold profile --time -- mpirun …"),
        );
        return;
    };
    if profile.times.is_empty() {
        add(
            "Time in MPI was not measured.",
            Some("rankfold profile --time -- mpirun …"),
        );
    }
}
