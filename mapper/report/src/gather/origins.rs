//! The traffic by origin: point to point, inside collectives, and both together.

use super::matrix::DRAWN;
use super::traffic::{LISTED, pairs};
use crate::data::{Origin, Pair};
use rankfold_collectives::MODELS;
use rankfold_formats::{Collectives, rfp};
use rankfold_graph::CommGraph;
use rankfold_wire::Profile;

/// The traffic of the whole run by origin. Empty for a run without collectives, for one with too
/// many pairs to draw each, and if `graph` is not that of the whole run.
///
/// If `graph` holds collectives, these are shown. Otherwise they are those of the default model, or
/// what the MPI library sent, if the profile holds that.
pub(super) fn of(graph: &CommGraph, profile: &Profile) -> Vec<Origin> {
    if graph.ranks() > DRAWN || profile.collectives.is_empty() {
        return Vec::new();
    }
    by_origin(graph, profile).unwrap_or_default()
}

fn by_origin(graph: &CommGraph, profile: &Profile) -> Option<Vec<Origin>> {
    let of_profile = |collectives| {
        let (graph, _) = rfp::graph(profile, collectives).ok()?;
        Some(pairs(&graph).collect::<Vec<Pair>>())
    };
    let own = of_profile(Collectives::LeftOut)?;
    let mut both: Vec<Pair> = pairs(graph).collect();
    if both == own {
        both = of_profile(Collectives::By(*MODELS.first()?))?;
    }
    let inside = difference(&both, &own)?;
    let shown = both.len() <= LISTED && !inside.is_empty();
    shown.then(|| {
        let origin = |name: &str, listed: Vec<Pair>| Origin {
            name: name.into(),
            bytes: listed.iter().map(|pair| pair.bytes).sum(),
            listed,
        };
        vec![
            origin("point to point", own),
            origin("collectives", inside),
            origin("both", both),
        ]
    })
}

/// What `all` has more than `part`, pair by pair; `None` if it has less anywhere. Both are sorted
/// by sender and receiver.
fn difference(all: &[Pair], part: &[Pair]) -> Option<Vec<Pair>> {
    let mut rest = Vec::new();
    let mut parts = part.iter().peekable();
    for pair in all {
        let same = |own: &&Pair| (own.from, own.to) == (pair.from, pair.to);
        let own = parts.next_if(same).copied().unwrap_or_default();
        let bytes = pair.bytes.checked_sub(own.bytes)?;
        if bytes > 0 {
            rest.push(Pair {
                bytes,
                messages: pair.messages.saturating_sub(own.messages),
                ..*pair
            });
        }
    }
    parts.next().is_none().then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_wire::{Collective, Communicator, Operation, Peer, Row};

    /// Four ranks: rank 0 sends to rank 1, and ranks 0 and 2 call `Alltoall`.
    fn profile() -> Profile {
        let sends = Row::of(vec![Peer {
            rank: 1,
            bytes: 30,
            messages: 1,
        }]);
        Profile {
            rows: vec![sends, Row::default(), Row::default(), Row::default()],
            communicators: vec![Communicator {
                members: [0, 2].into_iter().map(Some).collect(),
                ..Communicator::default()
            }],
            collectives: vec![Collective {
                comm: 0,
                op: Operation::Alltoall,
                root: None,
                bytes: 1000,
                calls: 1,
                form: rankfold_wire::Form::default(),
            }],
            ..Profile::default()
        }
    }

    #[test]
    fn collectives_are_shown_whether_the_graph_holds_them_or_not() {
        let profile = profile();
        for collectives in [Collectives::LeftOut, Collectives::IfTheyCanMatter] {
            let (graph, _) = rfp::graph(&profile, collectives).unwrap();
            let origins = of(&graph, &profile);
            let named: Vec<(&str, u64, usize)> = origins
                .iter()
                .map(|origin| (origin.name.as_str(), origin.bytes, origin.listed.len()))
                .collect();
            assert_eq!(
                named,
                [
                    ("point to point", 30, 1),
                    ("collectives", 2000, 2),
                    ("both", 2030, 3)
                ]
            );
        }
    }

    #[test]
    fn the_traffic_of_a_part_of_the_run_has_no_origins() {
        let small = Profile {
            rows: vec![Row::default(); 4],
            ..Profile::default()
        };
        let (graph, _) = rfp::graph(&small, Collectives::LeftOut).unwrap();
        assert!(of(&graph, &profile()).is_empty());
    }
}
