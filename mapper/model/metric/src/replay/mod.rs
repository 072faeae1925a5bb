//! A placement replayed: the time of its messages when they share the links.
//!
//! A replay follows one exchange of a program from event to event. The messages are flows over the
//! machine's own routes, and flows on one link share its bandwidth by weighted max-min fairness
//! (Bertsekas and Gallager, Data Networks, section 6.5.2). A message that has arrived leaves its
//! share to the others. [`T`](super::time) adds up parts instead, and knows neither who shares a
//! link with whom at which time nor who waits for whom.
//!
//! * **Ways to exchange.** All at once: every rank starts all its sends, then waits for all
//!   messages. Partner by partner: a rank goes on to the next partner when it has the message of
//!   the partner before. The order of partners is that of the [graph](CommGraph::partner_order),
//!   as a profile keeps it; where the graph has none, the nearest rank by number comes first, in
//!   turns that suit both partners. In turns: a rank starts all messages of a turn, and goes on
//!   when those are there that it waits for in that turn. Where a profile tells the
//!   [turns](CommGraph::turns), they are used. Elsewhere, where the
//!   [share s](rankfold_graph::exchange) is between 0 and 1, the time is (1 - s) of the first way
//!   and s of the second one.
//! * **Small and large messages.** A message up to the machine's eager limit is sent at once, and
//!   its sender goes on. A larger one sets out when both ranks have come to it, and both go on when
//!   it has arrived.
//! * **Ties.** Where nobody knows the way of half-way ties, each way carries as large a share of
//!   the bytes as in `T`: see [`HEDGE`](rankfold_machine::HEDGE).
//! * **Latency and overhead.** Bytes begin to flow when the latencies of the path have passed. A
//!   rank is busy with each message that it sends or receives for the machine's overhead.
//! * **Weights.** The weight of a flow is 1 over the latency of its path plus a constant over the
//!   bandwidth of each link, as round-trip times decide it in TCP, or 1 where the machine gives
//!   [equal shares](rankfold_machine::Sharing).
//! * **Nodes.** Messages inside a node pass no link. Where the bandwidth of memory is known, each
//!   of them moves at that bandwidth, as one core copies it, and no exchange takes less than all
//!   bytes inside a node over it. Measured against SimGrid, four ranks a node, partner by partner:
//!   sharing the bandwidth all the time is up to 14 % off, this at most 0.7 %.
//! * **Several exchanges.** A run of n equal [exchanges](CommGraph::exchanges) takes n times as
//!   long as one exchange. Where ranks begin the next exchange of several turns while others are in
//!   the one before, as where a front sweeps over a grid, the first few are replayed together. The
//!   times of [phases](CommGraph::phases) are added up.
//!
//! A replay is never shorter than the time of the busiest link, nor than the overhead of the
//! busiest rank. It depends on nothing but its input.
//!
//! Source: the project's own combination; the fluid model of a network is that of SimGrid (Velho
//! and Legrand 2009). Cost: for each event, the flows whose rates change times the flows on their
//! links. The work is limited; a replay that would exceed its limit has no result.

mod bound;
mod critical_path;
mod engine;
mod events;
mod fair_shares;
mod messages;
mod partner_order;
mod paths;
mod rounds;
mod steps;
#[cfg(test)]
mod tests;

use super::time::TimeModel;
pub use bound::time_bound;
pub use critical_path::Wait;
use engine::{Course, Engine};
use messages::ExchangeMessage;
use paths::Paths;
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_graph::exchange::{ALL, PAIRWISE};
use rankfold_graph::{CommGraph, ProgramTurns};
use rankfold_machine::Machine;
use rayon::prelude::*;
use rounds::Rounds;
use steps::Steps;

/// How ranks exchange messages with several partners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExchangeWay {
    /// With all partners at once.
    AllAtOnce,
    /// With one partner after the other.
    PartnerByPartner,
    /// In this number of turns, as the profile tells them.
    InTurns(u32),
}

/// The reason why there is no replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoReplay {
    /// The time is not below the limit, which this work has shown.
    NotBelow {
        /// See [`Replay::work`].
        work: u64,
    },
    /// It takes too much work.
    TooMuchWork,
}

/// The replay of a whole program.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The predicted time of the run.
    pub total: f64,
    /// The exchanges that the time consists of: one for each phase and way to exchange.
    pub exchanges: Vec<ReplayedExchange>,
    /// The work: events, and flows on the links whose rates were looked at.
    pub work: u64,
}

impl Replay {
    /// The exchange that takes the largest part of the time; of equals, the first.
    #[must_use]
    pub fn longest(&self) -> Option<&ReplayedExchange> {
        let part = |exchange: &ReplayedExchange| exchange.times * exchange.total;
        let longer = |a, b| if part(b) > part(a) { b } else { a };
        self.exchanges.iter().reduce(longer)
    }
}

/// The replay of one exchange, with times from its start on.
#[derive(Clone, Debug)]
pub struct ReplayedExchange {
    /// How the ranks exchange messages.
    pub way: ExchangeWay,
    /// How many times the exchange counts: the number of exchanges of the run, times the share of
    /// this way; fewer if exchanges overlap.
    pub times: f64,
    /// The time until the last rank has everything, or of the busiest memory if that is longer.
    pub total: f64,
    /// The time until each rank has everything, by rank.
    pub finished: Vec<f64>,
    /// For each rank, the last message that it waited for; `None` for a rank without messages.
    pub waits: Vec<Option<Wait>>,
    /// The messages that the last rank to finish waited for, directly or through others, the latest
    /// first. Each sets out when the one behind it in the list has arrived.
    pub critical_path: Vec<Wait>,
}

impl ReplayedExchange {
    fn new(
        way: ExchangeWay,
        times: f64,
        course: &Course,
        messages: &[ExchangeMessage],
        steps: &Steps,
    ) -> Self {
        let last = (0..course.finished.len()).map(Rank::at).max_by(|a, b| {
            let finished = |rank: &Rank| course.finished[rank.index()];
            finished(a).total_cmp(&finished(b)).then(b.cmp(a))
        });
        Self {
            way,
            times,
            total: last.map_or(0.0, |rank| course.finished[rank.index()]),
            waits: critical_path::waits(course, messages, steps),
            critical_path: last
                .map(|rank| critical_path::of_rank(rank, course, messages, steps))
                .unwrap_or_default(),
            finished: course.finished.clone(),
        }
    }
}

/// All that a replay depends on except the placement.
#[derive(Debug)]
pub struct ReplayModel<'a> {
    machine: &'a Machine,
    /// The exchanges of the program, or those of each phase.
    exchanges: Vec<Exchange>,
    ranks: usize,
}

/// One exchange, with the ways in which it is carried out.
#[derive(Debug)]
struct Exchange {
    messages: Vec<ExchangeMessage>,
    /// How often it is carried out.
    times: f64,
    /// The ways, with their shares.
    ways: Vec<(ExchangeWay, f64, Steps)>,
    /// The first few exchanges, if ranks begin one while others are in the one before.
    rounds: Option<Rounds>,
    /// The least time of all exchanges together: the overhead of the busiest rank, messages without
    /// bytes included, which are not replayed.
    least: f64,
}

impl Exchange {
    fn new(graph: &CommGraph, machine: &Machine) -> Self {
        let turns = graph.turns();
        let in_turns = turns.and_then(|turns| Self::in_turns(graph, machine, turns));
        in_turns.unwrap_or_else(|| Self::by_share(graph, machine))
    }

    /// `None` if ranks would wait for each other in a circle, as where a program relies on another
    /// eager limit than that of the machine.
    fn in_turns(graph: &CommGraph, machine: &Machine, turns: &ProgramTurns) -> Option<Self> {
        let messages = messages::in_turns(graph, machine, turns);
        let steps = Steps::in_turns(turns, 1);
        rounds::alone(&messages, &steps, |_| 1.0)?;
        Some(Self {
            rounds: Rounds::new(turns, &messages),
            times: turns.exchanges,
            ways: vec![(ExchangeWay::InTurns(turns.most()), 1.0, steps)],
            least: TimeModel::new(graph, machine, graph.exchange()).overhead(),
            messages,
        })
    }

    /// At once and partner by partner, as the share s says.
    fn by_share(graph: &CommGraph, machine: &Machine) -> Self {
        let times = graph.exchanges().unwrap_or(1.0);
        let messages = messages::of_one_exchange(graph, machine, times);
        let s = graph.exchange();
        // Partner by partner comes first: fewer messages are under way, which takes less work.
        let mut ways = Vec::new();
        if s > ALL {
            let turns = partner_order::turns(graph, &messages);
            let steps = Steps::by_turns(graph.ranks(), &messages, &turns);
            ways.push((ExchangeWay::PartnerByPartner, s, steps));
        }
        if s < PAIRWISE {
            let steps = Steps::all_at_once(graph.ranks(), &messages);
            ways.push((ExchangeWay::AllAtOnce, 1.0 - s, steps));
        }
        Self {
            messages,
            times,
            ways,
            rounds: None,
            least: TimeModel::new(graph, machine, s).overhead(),
        }
    }
}

/// The most ranks that are replayed: above, a replay takes a large part of the time of a search.
/// Chosen by hand; not measured.
pub const MOST_RANKS: usize = 1024;

/// The most work of one replay. Measured when it was set: a unit of work takes 30 ns of processor
/// time, and 1024 ranks with 11 partners each on a torus take 1 to 3 million units, on a fat tree
/// of three levels 16 to 125 million.
pub const MOST_WORK: u64 = 1 << 24;

/// The most pairs of ranks that are replayed. Chosen by hand: the paths of so many messages take
/// some 100 MB.
const MOST_PAIRS: usize = 1 << 20;

/// The most links on the paths of all messages of an exchange. Chosen by hand: see [`MOST_PAIRS`].
const MOST_LINKS: usize = 1 << 23;

impl<'a> ReplayModel<'a> {
    /// Prepares replays. `None` if there are more ranks, or more pairs of ranks exchange messages,
    /// than are replayed.
    #[must_use]
    pub fn new(graph: &CommGraph, machine: &'a Machine) -> Option<Self> {
        if graph.ranks() > MOST_RANKS || graph.pairs() > MOST_PAIRS {
            return None;
        }
        let phases = match graph.phases() {
            [] => std::slice::from_ref(graph),
            phases => phases,
        };
        Some(Self {
            machine,
            exchanges: phases
                .iter()
                .map(|phase| Exchange::new(phase, machine))
                .collect(),
            ranks: graph.ranks(),
        })
    }

    /// Replays several placements with [`MOST_WORK`] each. `None` if one of them takes more:
    /// figures of placements are compared, so they come from the same predictor.
    #[must_use]
    pub fn replay_all(&self, placements: &[&Placement]) -> Option<Vec<Replay>> {
        let placements = placements.par_iter();
        placements
            .map(|placement| self.replay(placement, MOST_WORK))
            .collect()
    }

    /// Replays a placement. `None` if that takes more than `most_work`: see [`Replay::work`].
    #[must_use]
    pub fn replay(&self, placement: &Placement, most_work: u64) -> Option<Replay> {
        self.replay_below(placement, f64::INFINITY, 0.0, most_work)
            .ok()
    }

    /// Replays a placement as long as its time may be below `most`. Each way to exchange takes at
    /// least the time `least`, that of the busiest link for example.
    ///
    /// # Errors
    /// [`NoReplay`]: the time is not below `most`, or the replay takes more than `most_work`.
    pub fn replay_below(
        &self,
        placement: &Placement,
        most: f64,
        least: f64,
        most_work: u64,
    ) -> Result<Replay, NoReplay> {
        let nodes = placement.nodes(self.machine.slots());
        let mut replay = Replay {
            total: 0.0,
            exchanges: Vec::new(),
            work: 0,
        };
        for exchange in &self.exchanges {
            let messages = &exchange.messages;
            let mut left = 1.0;
            for (way, share, steps) in &exchange.ways {
                let paths = Paths::new(self.machine, messages, &nodes, MOST_LINKS);
                let mut paths = paths.ok_or(NoReplay::TooMuchWork)?;
                let engine = Engine::new(messages, steps, &mut paths, self.ranks);
                let course = engine.run(most_work.saturating_sub(replay.work));
                let course = course.ok_or(NoReplay::TooMuchWork)?;
                replay.work += course.work;
                let times = share * exchange.times;
                let mut replayed = ReplayedExchange::new(*way, times, &course, messages, steps);
                replayed.total = replayed.total.max(paths.busiest_memory);
                if let Some(rounds) = &exchange.rounds {
                    let left = most_work.saturating_sub(replay.work);
                    let (time, work) = self.replay_rounds(rounds, exchange, &nodes, left)?;
                    replay.work += work;
                    if replayed.total > 0.0 {
                        replayed.times = time / replayed.total;
                    }
                }
                let time = share * exchange.least.max(replayed.times / share * replayed.total);
                replay.total += time;
                replay.exchanges.push(replayed);
                left -= share;
                // What `least` says of one phase among several is not known.
                let still = if self.exchanges.len() == 1 {
                    left * least
                } else {
                    0.0
                };
                if replay.total + still >= most {
                    return Err(NoReplay::NotBelow { work: replay.work });
                }
            }
        }
        Ok(replay)
    }

    /// The time of all exchanges if they overlap, and the work.
    fn replay_rounds(
        &self,
        rounds: &Rounds,
        exchange: &Exchange,
        nodes: &[NodeId],
        most_work: u64,
    ) -> Result<(f64, u64), NoReplay> {
        let paths = Paths::new(self.machine, &rounds.messages, nodes, MOST_LINKS);
        let mut paths = paths.ok_or(NoReplay::TooMuchWork)?;
        let engine = Engine::new(&rounds.messages, &rounds.steps, &mut paths, self.ranks);
        let course = engine.run(most_work).ok_or(NoReplay::TooMuchWork)?;
        // No extrapolation is below what links and memory take.
        let one = paths.busiest_link.max(paths.busiest_memory) / f64::from(rounds.number());
        let time = rounds.time(&course, exchange.times);
        Ok((time.max(exchange.times * one), course.work))
    }
}
