//! Exchanges of ranks that a replay says the time depends on.
//!
//! A replay tells the messages that the last rank waits for, directly or through others, and the
//! links that hold these messages up. A move exchanges a rank at an end of such a message, or a
//! rank whose messages pass such a link, with a rank near one of its partners or with any rank. The
//! placement is replayed with the move, and the move is kept if that takes less time. A move that
//! makes some link busy for longer than the whole replay is dropped without a replay.
//!
//! Measured when it was added (graphs and machines of `scripts/bench time`, seconds by replay over
//! those of the best finalist, after a quarter of the search's processor time in moves; in brackets
//! with exchanges of any two ranks):
//!
//! ```text
//!                               partner by partner      all at once
//! torus 4x4x4 fe_512/64         0.973 (0.975)           0.993 (0.993)
//! torus 4x4x4 geometric:128/64  0.967 (0.990)           1.000 (1.000)
//! xgft 16,8:1,8 fe_512/128      0.939 (0.968)
//! torus 8x8x4 amr_512/256       0.994 (1.000)           1.000 (1.000)
//! ```
//!
//! SimGrid's SMPI agrees, partner by partner: 0.973, 0.979 and 0.990 on the tori of this table, and
//! 0.933 for `flat:126/63` on `torus:9x7`.
//!
//! Cost: a replay a move, as far as the work that is given allows.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_assess::Constraints;
use rankfold_base::{ChannelId, NodeId, Placement, Rank};
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric::replay::{NoReplay, Replay, ReplayModel};
use rankfold_metric::time::TimeModel;
use std::collections::HashSet;

/// The name of these moves among the refinements of a candidate.
pub(super) const NAME: &str = "critical";

/// A move counts if it lowers the time by more than this share: less is rounding.
const ROUNDING: f64 = 1e-6;

/// Moves end after so many moves for each rank that did not shorten the replay.
const PATIENCE: usize = 8;

/// The work of computing the busiest link, for each pair of ranks that exchange messages, in the
/// unit of replays. Measured when it was set: 64 ranks with 11 partners each take 140 us.
const WORK_A_PAIR: u64 = 6;

/// The work of preparing a replay, for each pair of ranks that exchange messages: a replay does not
/// count that itself. Measured when it was set: 0.5 to 0.8 us a pair.
const PREPARING_A_PAIR: u64 = 24;

/// A placement, and what moves have made of it.
pub(super) struct Moved {
    pub(super) placement: Placement,
    pub(super) replay: Replay,
    /// The moves that were replayed, and those that were kept.
    pub(super) tried: u32,
    pub(super) kept: u64,
}

/// What moves depend on besides the placement.
pub(super) struct CriticalMoves<'a> {
    pub(super) graph: &'a CommGraph,
    pub(super) machine: &'a Machine,
    pub(super) constraints: &'a Constraints,
    pub(super) model: &'a ReplayModel<'a>,
    pub(super) seed: u64,
}

/// The ranks that the time of a placement depends on.
struct CriticalRanks {
    /// Senders and receivers of the messages that are waited for.
    waiting: Vec<Rank>,
    /// Senders and receivers of the messages that pass the links that those wait for.
    passing: Vec<Rank>,
}

impl CriticalMoves<'_> {
    /// Moves ranks of a placement with this replay until all work is done, or no move helps.
    pub(super) fn moved(&self, placement: &Placement, replay: Replay, mut work: u64) -> Moved {
        let time = TimeModel::new(self.graph, self.machine, self.graph.exchange());
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let mut moved = Moved {
            placement: placement.clone(),
            replay,
            tried: 0,
            kept: 0,
        };
        let mut nodes = moved.placement.nodes(self.machine.slots());
        let mut critical = self.critical(&nodes, &moved.replay);
        let judging = WORK_A_PAIR * self.graph.pairs() as u64 + 1;
        let mut in_vain = 0;
        while work > judging && in_vain < PATIENCE * nodes.len() && !critical.waiting.is_empty() {
            work -= judging;
            in_vain += 1;
            let Some((a, b)) = self.proposed(&critical, &nodes, &mut random) else {
                continue;
            };
            moved.placement.swap(a, b);
            let parts = time.time(&moved.placement);
            let least = parts.busiest_link.max(parts.overhead);
            let most = (1.0 - ROUNDING) * moved.replay.total;
            let replayed = (least < most).then(|| {
                moved.tried += 1;
                work = work.saturating_sub(PREPARING_A_PAIR * self.graph.pairs() as u64);
                self.model.replay_below(&moved.placement, most, least, work)
            });
            match replayed {
                Some(Ok(replay)) => {
                    work = work.saturating_sub(replay.work);
                    moved.kept += 1;
                    in_vain = 0;
                    moved.replay = replay;
                    nodes = moved.placement.nodes(self.machine.slots());
                    critical = self.critical(&nodes, &moved.replay);
                    continue;
                }
                Some(Err(NoReplay::NotBelow { work: spent })) => work = work.saturating_sub(spent),
                Some(Err(NoReplay::TooMuchWork)) => work = 0,
                None => {}
            }
            moved.placement.swap(a, b);
        }
        moved
    }

    fn critical(&self, nodes: &[NodeId], replay: &Replay) -> CriticalRanks {
        let exchanges = replay.exchanges.iter();
        let waits = || {
            exchanges
                .clone()
                .flat_map(|exchange| &exchange.critical_path)
        };
        let limits: HashSet<ChannelId> = waits().filter_map(|wait| wait.limit).collect();
        let passes = |from: Rank, to: Rank| {
            let (from, to) = (nodes[from.index()], nodes[to.index()]);
            let mut passes = false;
            if from != to {
                let topology = self.machine.topology();
                topology.route(from, to, &mut |channel| passes |= limits.contains(&channel));
            }
            passes
        };
        let messages = self.graph.messages();
        let passing = messages.filter(|message| passes(message.from, message.to));
        CriticalRanks {
            waiting: waits().flat_map(|wait| [wait.from, wait.to]).collect(),
            passing: passing
                .flat_map(|message| [message.from, message.to])
                .collect(),
        }
    }

    /// Two ranks on different nodes; `None` if the ranks that were drawn have no such exchange.
    fn proposed(
        &self,
        critical: &CriticalRanks,
        nodes: &[NodeId],
        random: &mut Xoshiro256PlusPlus,
    ) -> Option<(Rank, Rank)> {
        let lists = [&critical.waiting, &critical.passing];
        let rank = *drawn(lists[random.random_range(0..2)], random)?;
        let other = if random.random_range(0..4) == 0 {
            Rank::at(random.random_range(0..nodes.len()))
        } else {
            let partners: Vec<Rank> = self.graph.sent_by(rank).map(|(to, _)| to).collect();
            let node = nodes[drawn(&partners, random)?.index()];
            let near = *drawn(&self.machine.topology().nearest(node), random)?;
            Rank::at(nodes.iter().position(|&node| node == near)?)
        };
        let (here, there) = (nodes[rank.index()], nodes[other.index()]);
        let both = [(rank, there), (other, here)];
        let may_move = self
            .constraints
            .allows(&both.into_iter(), |rank| nodes[rank.index()]);
        (may_move && here != there).then_some((rank, other))
    }
}

/// One of a list at random; `None` of an empty list.
fn drawn<'a, T>(list: &'a [T], random: &mut Xoshiro256PlusPlus) -> Option<&'a T> {
    (!list.is_empty()).then(|| &list[random.random_range(0..list.len())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_graph::exchange::{ALL, PAIRWISE};
    use rankfold_problem::testing::{machine, shuffled, star_stencil};

    #[test]
    fn moves_shorten_the_replay_and_tell_the_replay_of_their_placement() {
        for s in [ALL, PAIRWISE] {
            let graph = shuffled(&star_stencil(&[4, 4], true)).with_exchange(s);
            let machine = machine("torus:4x4@1GB/s+1us/ties=source", 1);
            let model = ReplayModel::new(&graph, &machine).unwrap();
            let moves = CriticalMoves {
                graph: &graph,
                machine: &machine,
                constraints: Constraints::none(),
                model: &model,
                seed: 0,
            };
            let start = Placement::block(16);
            let before = model.replay(&start, u64::MAX).unwrap();
            let total = before.total;
            let moved = moves.moved(&start, before, 1 << 18);
            assert!(
                moved.replay.total < 0.9 * total,
                "{} of {total}",
                moved.replay.total
            );
            let again = model.replay(&moved.placement, u64::MAX).unwrap();
            assert_eq!(again.total, moved.replay.total);
            assert!(0 < moved.kept && moved.kept <= u64::from(moved.tried));
        }
    }

    #[test]
    fn without_work_nothing_moves() {
        let graph = shuffled(&star_stencil(&[4, 4], true));
        let machine = machine("torus:4x4", 1);
        let model = ReplayModel::new(&graph, &machine).unwrap();
        let start = Placement::block(16);
        let moves = CriticalMoves {
            graph: &graph,
            machine: &machine,
            constraints: Constraints::none(),
            model: &model,
            seed: 0,
        };
        let moved = moves.moved(&start, model.replay(&start, u64::MAX).unwrap(), 0);
        assert_eq!((moved.placement, moved.tried), (start, 0));
    }
}
