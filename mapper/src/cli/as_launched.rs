//! The placement of a profiled run: where its ranks ran when they were profiled.

use crate::error::Error;
use rankfold_base::{NodeId, Placement};
use rankfold_graph::{CommError, CommGraph};
use rankfold_machine::Machine;
use rankfold_metric as metric;
use rankfold_metric::Score;
use rankfold_metric::replay::ReplayModel;
use rankfold_metric::time::Predictor;
use rankfold_search::objective::Judged;
use rankfold_search::select::Selection;
use rankfold_wire::Profile;
use std::collections::HashMap;
use std::path::Path;

/// Reads what a profile holds besides its matrix; `None` if the file is no profile.
///
/// # Errors
/// The file cannot be read, or is damaged.
pub fn profile(path: &Path) -> Result<Option<Profile>, Error> {
    if path.extension().is_none_or(|ending| ending != "rfp") {
        return Ok(None);
    }
    let read = Profile::read_rows(path, |_| ());
    Ok(Some(read.map_err(CommError::from)?))
}

/// Where the ranks ran when they were profiled; `None` unless the machine has all those hosts.
#[must_use]
pub fn placement(profile: &Profile, machine: &Machine) -> Option<Placement> {
    let names = machine.hosts()?;
    let number: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
    let nodes = profile.manifest.hosts.iter().map(|host| {
        let node = number.get(host.as_str()).copied();
        node.map(NodeId::at)
    });
    let nodes: Vec<_> = nodes.collect::<Option<_>>()?;
    (!nodes.is_empty()).then(|| Placement::from_nodes(&nodes, machine.slots()))?
}

/// Where the ranks of the run in the file `path` ran; `None` if the file is no profile that can be
/// read, is of another number of ranks than `ranks`, or the machine lacks a host.
pub(super) fn placement_in(path: &Path, machine: &Machine, ranks: usize) -> Option<Placement> {
    let profile = profile(path).ok()??;
    placement(&profile, machine).filter(|placement| placement.ranks() == ranks)
}

/// The metrics of the placement, its time predicted by the same means as the times that it is
/// compared with, so far as a replay is possible.
pub(super) fn score(
    graph: &CommGraph,
    machine: &Machine,
    placement: &Placement,
    predictor: Predictor,
) -> Score {
    let mut score = metric::score_of_routes(graph, machine, placement);
    if predictor == Predictor::Replay {
        let model = ReplayModel::new(graph, machine);
        let replays = model.and_then(|model| model.replay_all(&[placement]));
        if let Some([replay]) = replays.as_deref() {
            score.time = score.time.with_replay(replay.total);
        }
    }
    score
}

/// What the placement of a profiled run is worth beside the winner of a search.
#[derive(Debug)]
pub struct Launched {
    /// Its metrics.
    pub score: Score,
    /// Its value by the objective of the search.
    pub value: f64,
    /// Whether the winner puts every rank on the same node.
    pub is_winner: bool,
}

impl Launched {
    /// Scores the placement of the run that `graph` is from.
    #[must_use]
    pub fn new(
        selection: &Selection,
        graph: &CommGraph,
        machine: &Machine,
        placement: &Placement,
    ) -> Self {
        let (_, winner) = selection.winner();
        let score = score(graph, machine, placement, winner.score.time.predictor());
        let value = selection.objective.value(&Judged {
            graph,
            machine,
            placement,
            score: &score,
        });
        let nodes = |placement: &Placement| placement.nodes(machine.slots());
        Self {
            is_winner: nodes(placement) == nodes(&winner.placement),
            score,
            value,
        }
    }
}
