//! Computes a [`Report`] from graph, machine, placements and profile.

mod date;
mod differences;
mod folded;
mod links;
mod loads;
mod machine;
mod matrix;
mod named_placement;
mod names;
mod network;
mod origins;
mod pattern;
mod profile;
mod promised;
mod times;
mod traffic;

use crate::data::{self, Missing, Report, Run, Side, still_to_gain};
use links::Links;
use matrix::Axis;
pub use named_placement::NamedPlacement;
use rankfold_assess::{Assessment, Assessor, Bounds, Case, Predicted};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric::BoundEffort;
use rankfold_metric::time::Predictor;
use rankfold_pattern::Pattern;
use rankfold_wire::Profile;

/// Everything a report is made from.
#[derive(Clone, Debug)]
pub struct ReportInput<'a> {
    title: String,
    graph: &'a CommGraph,
    machine: Option<&'a Machine>,
    shown: Vec<NamedPlacement<'a>>,
    profile: Option<&'a Profile>,
    pattern: Option<&'a Pattern>,
    bounds: Option<Bounds>,
}

impl<'a> ReportInput<'a> {
    /// The communication of a run. `title` is the title of the report.
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

    /// Adds a machine and one or two placements, the one before first. The graph must fit the
    /// machine.
    #[must_use]
    pub fn on(
        self,
        machine: &'a Machine,
        shown: impl IntoIterator<Item = NamedPlacement<'a>>,
    ) -> Self {
        Self {
            machine: Some(machine),
            shown: shown.into_iter().collect(),
            ..self
        }
    }

    /// Adds two runs to compare without a machine, each with its communication.
    #[must_use]
    pub fn beside(self, shown: impl IntoIterator<Item = NamedPlacement<'a>>) -> Self {
        Self {
            shown: shown.into_iter().collect(),
            ..self
        }
    }

    /// Adds what the profile holds besides the matrix, which is already in the graph.
    #[must_use]
    pub fn with_profile(self, profile: &'a Profile) -> Self {
        Self {
            profile: Some(profile),
            ..self
        }
    }

    /// Adds a pattern, which is then not analysed again.
    #[must_use]
    pub fn with_pattern(self, pattern: &'a Pattern) -> Self {
        Self {
            pattern: Some(pattern),
            ..self
        }
    }

    /// Adds lower bounds, which are then not computed again.
    #[must_use]
    pub fn with_bounds(self, bounds: Bounds) -> Self {
        Self {
            bounds: Some(bounds),
            ..self
        }
    }
}

/// Computes all data of a report.
#[must_use]
pub fn gather(scene: &ReportInput<'_>) -> Report {
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
            report.traffic.origins = origins::of(graph, profile);
        }
        None => report.run = Run::default(),
    }
    if scene.shown.iter().any(|shown| shown.graph.is_some()) {
        // The list of pairs belongs to one run. The matrices of both runs are made of blocks.
        report.traffic.listed = None;
    }
    if let [
        NamedPlacement {
            graph: Some(before),
            ..
        },
        NamedPlacement {
            graph: Some(after), ..
        },
    ] = &scene.shown[..]
    {
        report.differences = Some(differences::of(before, after));
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

/// The data of a machine alone: without a run, and with or without a placement and its name. Every
/// link has the load 1. Without a placement, every node holds the rank with its own number.
#[must_use]
pub fn machine_alone(
    machine: &Machine,
    placement: Option<(&str, &Placement)>,
) -> (crate::data::Machine, Side) {
    let links = Links::new(machine);
    let placements: Vec<&Placement> = placement.iter().map(|(_, placement)| *placement).collect();
    let axis = Axis::new(machine, &placements);
    let mut drawn = machine::of(machine, &links, &axis);
    let mut side = Side {
        loads: links.equal_loads(),
        ..Side::default()
    };
    match placement {
        Some((name, placement)) => {
            side.name = name.into();
            side.place = axis.of(placement);
            drawn.place_node = axis.place_nodes();
        }
        None => {
            side.place = (0..drawn.nodes as u32).collect();
            drawn.place_node.clone_from(&side.place);
        }
    }
    (drawn, side)
}

/// The data of one run without a machine: ranks in order.
fn alone(scene: &ReportInput<'_>, shown: &NamedPlacement<'_>) -> Side {
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

/// Adds the machine and the placements to the report.
fn place(report: &mut Report, scene: &ReportInput<'_>, machine: &Machine) {
    let placements: Vec<&Placement> = scene.shown.iter().map(|shown| shown.placement).collect();
    let links = Links::new(machine);
    let axis = Axis::new(machine, &placements);
    let mut drawn = machine::of(machine, &links, &axis);
    let mut sides: Vec<Side> = Vec::new();
    let assessed = assessed(scene, machine);
    for (shown, assessment) in scene.shown.iter().zip(&assessed) {
        // Of a large run, a side takes seconds: one that is the same is not computed again.
        let same = scene.shown[..sides.len()]
            .iter()
            .position(|other| other.is_alike(shown));
        sides.push(match same {
            Some(same) => Side {
                name: shown.name.clone(),
                about: shown.about.clone(),
                ..sides[same].clone()
            },
            None => {
                let graph = shown.graph.unwrap_or(scene.graph);
                side(report, (graph, machine), (&links, &axis), shown, assessment)
            }
        });
    }
    report.sides = sides;
    drawn.bands = matrix::bands(machine, &axis);
    if let Some(bands) = &drawn.bands {
        for (side, shown) in report.sides.iter_mut().zip(&scene.shown) {
            let graph = shown.graph.unwrap_or(scene.graph);
            side.within_band = Some(matrix::within(graph, &axis, bands, shown.placement));
        }
    }
    report.promised_saving = promised::saving(scene, machine, &assessed);
    loads::compare(&mut report.sides, &links);
    report.machine = Some(drawn);
    if let Some(last) = report.sides.last() {
        let known = scene.bounds.unwrap_or_else(|| {
            let case = Case::new(scene.graph, machine);
            Bounds::of(&case, BoundEffort::Standard)
        });
        let hop_bytes = known.hop_bytes as f64;
        let congestion = known.congestion.congestion * links.scale();
        let time = known.time_by(last.figures.predicted_by);
        report.bounds = Some(data::Bounds {
            hop_bytes,
            congestion,
            time,
            time_still_to_gain: still_to_gain(last.figures.predicted_time, time),
            still_to_gain: still_to_gain(last.figures.hop_bytes(), hop_bytes),
            congestion_still_to_gain: still_to_gain(last.loads.most, congestion),
        });
    }
}

/// The figures of all placements that are shown, their times by one predictor. Those of a search
/// were assessed together already.
fn assessed(scene: &ReportInput<'_>, machine: &Machine) -> Vec<Assessment> {
    let known = scene.shown.iter().map(|shown| shown.assessment.cloned());
    if let Some(known) = known.collect() {
        return known;
    }
    if scene.shown.iter().all(|shown| shown.graph.is_none()) {
        let placements: Vec<&Placement> = scene.shown.iter().map(|shown| shown.placement).collect();
        return Assessor::on(scene.graph, machine).assess(&placements).0;
    }
    // Different runs: each is assessed with its own communication.
    let each = scene.shown.iter().map(|shown| {
        let assessor = Assessor::on(shown.graph.unwrap_or(scene.graph), machine);
        let (mut alone, predicted) = assessor.assess(&[shown.placement]);
        (alone.swap_remove(0), predicted)
    });
    let each: Vec<(Assessment, Predicted)> = each.collect();
    let all_replayed = each
        .iter()
        .all(|(_, predicted)| predicted.predictor() == Predictor::Replay);
    let alike = |(assessment, _): (Assessment, Predicted)| {
        if all_replayed {
            assessment
        } else {
            assessment.by_formula()
        }
    };
    each.into_iter().map(alike).collect()
}

fn side(
    report: &Report,
    (graph, machine): (&CommGraph, &Machine),
    (links, axis): (&Links<'_>, &Axis),
    shown: &NamedPlacement<'_>,
    assessment: &Assessment,
) -> Side {
    let nodes = shown.placement.nodes(machine.slots());
    let (figures, hops) = loads::figures(graph, machine, assessment, links.scale());
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

/// Lists what the report could not show, and which command would help.
fn missing(report: &mut Report, scene: &ReportInput<'_>) {
    let mut add = |what: &str, command: Option<&str>| {
        report.missing.push(Missing {
            what: what.into(),
            command: command.map(Into::into),
        });
    };
    if scene.machine.is_none() {
        add(
            "No machine was named, so links, distances and placements are not shown.",
            Some("rankfold report INPUT --machine torus:4x4x4 -o report.html"),
        );
    }
    let Some(profile) = scene.profile else {
        add(
            "Only a profile holds collectives, phases, message sizes and time in MPI.",
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
