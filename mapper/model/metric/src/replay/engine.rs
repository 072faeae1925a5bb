//! The course of one exchange, from event to event.
//!
//! A rank enters a step and starts its sends one after the other, each of which keeps it busy. A
//! message sets out when its sender has started it and, unless the message is eager, its receiver
//! has entered its own step for it. It waits for the latency of its path (inside a node, for the
//! time in which memory takes its bytes), then its bytes flow at the rate that
//! [`FairShares`](super::fair_shares::FairShares) gives them. The receiver is busy with each
//! message after its arrival, one after the other. A rank leaves a step when it has received
//! all that this step awaits, and those awaited messages of its own that are not eager have
//! arrived.
//!
//! Events that are due at the same time are carried out together before rates are computed again.

use super::events::{Event, Happening};
use super::messages::ExchangeMessage;
use super::paths::Paths;
use super::steps::Steps;
use rankfold_base::{ChannelId, Rank};
use std::collections::BinaryHeap;

/// Events within this share of the present time are carried out together. Far above the rounding of
/// times and far below what a result shows.
const SAME_TIME: f64 = 1e-9;

/// A message under way.
#[derive(Clone, Copy, Debug)]
struct Transit {
    /// When its sender had started it; infinite before.
    started: f64,
    /// Whether it has set out.
    is_out: bool,
    /// Bytes left at the time `since`, and their rate from then on.
    left: f64,
    since: f64,
    rate: f64,
    /// When it will arrive at its present rate.
    due: f64,
    /// The time of its arrival among the events, which may be before `due`; infinite if there is
    /// none.
    foreseen: f64,
    /// When it arrived; infinite before.
    arrived: f64,
    /// Whether its receiver has taken it.
    is_received: bool,
    /// The link that its last bytes waited for.
    limit: Option<u32>,
}

/// A rank in its present step.
#[derive(Clone, Copy, Debug)]
struct Progress {
    /// The step it is in; one below its first step before it enters that.
    next_step: u32,
    /// When it is no longer busy with messages.
    free: f64,
    /// Messages that it waits for.
    pending: u32,
}

/// What happened in an exchange.
#[derive(Clone, Debug)]
pub(super) struct Course {
    /// When each step was entered, and the message that its rank waited for last.
    pub(super) steps: Vec<(f64, Option<u32>)>,
    /// When every rank had done its last step.
    pub(super) finished: Vec<f64>,
    /// When every message was started by its sender, and arrived.
    pub(super) started: Vec<f64>,
    pub(super) arrived: Vec<f64>,
    /// The channel that the last bytes of every message waited for; `None` inside a node.
    pub(super) limits: Vec<Option<ChannelId>>,
    /// Events, and flows on the links whose rates were looked at.
    pub(super) work: u64,
}

/// An exchange under way.
pub(super) struct Engine<'a> {
    messages: &'a [ExchangeMessage],
    steps: &'a Steps,
    paths: &'a mut Paths,
    now: f64,
    events: BinaryHeap<Event>,
    transits: Vec<Transit>,
    ranks: Vec<Progress>,
    done: Course,
    handled: u64,
}

impl<'a> Engine<'a> {
    /// All ranks before their first step.
    pub(super) fn new(
        messages: &'a [ExchangeMessage],
        steps: &'a Steps,
        paths: &'a mut Paths,
        ranks: usize,
    ) -> Self {
        let before = |message: &ExchangeMessage| Transit {
            started: f64::INFINITY,
            is_out: false,
            left: message.bytes,
            since: 0.0,
            rate: 0.0,
            due: f64::INFINITY,
            foreseen: f64::INFINITY,
            arrived: f64::INFINITY,
            is_received: false,
            limit: None,
        };
        let entries = (0..ranks as u32).map(|rank| Event {
            time: 0.0,
            what: Happening::Entry { rank },
        });
        Self {
            now: 0.0,
            events: entries.collect(),
            transits: messages.iter().map(before).collect(),
            ranks: (0..ranks)
                .map(|rank| Progress {
                    next_step: steps.of(rank).start,
                    free: 0.0,
                    pending: 0,
                })
                .collect(),
            done: Course {
                steps: vec![(f64::INFINITY, None); steps.len()],
                finished: vec![f64::INFINITY; ranks],
                started: Vec::new(),
                arrived: Vec::new(),
                limits: Vec::new(),
                work: 0,
            },
            handled: 0,
            messages,
            steps,
            paths,
        }
    }

    /// The whole course; `None` if it takes more work than `most_work`.
    pub(super) fn run(mut self, most_work: u64) -> Option<Course> {
        while let Some(time) = self.next_time() {
            self.now = self.now.max(time);
            self.carry_out_due();
            self.change_rates();
            if self.work() > most_work {
                return None;
            }
        }
        let channels = &self.paths.channels;
        let limit = |transit: &Transit| transit.limit.map(|link| channels[link as usize]);
        Some(Course {
            started: self.transits.iter().map(|it| it.started).collect(),
            arrived: self.transits.iter().map(|it| it.arrived).collect(),
            limits: self.transits.iter().map(limit).collect(),
            work: self.work(),
            ..self.done
        })
    }

    fn work(&self) -> u64 {
        self.handled + self.paths.shares.work()
    }

    /// The time of the next event. Arrivals that will be at another time are put right first.
    fn next_time(&mut self) -> Option<f64> {
        while let Some(&Event { time, what }) = self.events.peek() {
            let Happening::Arrival { message } = what else {
                return Some(time);
            };
            let Transit { due, foreseen, .. } = self.transits[message as usize];
            if time == foreseen && time == due {
                return Some(time);
            }
            self.events.pop();
            if time == foreseen {
                self.foresee(message);
            }
        }
        None
    }

    /// Notes the arrival of a message at the time when it is due.
    fn foresee(&mut self, message: u32) {
        let transit = &mut self.transits[message as usize];
        transit.foreseen = transit.due;
        let time = transit.due;
        self.at(time, Happening::Arrival { message });
    }

    /// Carries out all events that are due now.
    fn carry_out_due(&mut self) {
        let due = self.now * (1.0 + SAME_TIME);
        while self.next_time().is_some_and(|time| time <= due) {
            let Some(Event { time, what }) = self.events.pop() else {
                break;
            };
            // Who ends a little earlier keeps its rate until the last one ends, so that no link
            // carries more than it can.
            self.now = self.now.max(time);
            self.handled += 1;
            match what {
                Happening::Arrival { message } => self.arrive(message),
                Happening::Flow { message } => self.flow(message),
                Happening::Entry { rank } => self.enter(rank),
            }
        }
    }

    fn at(&mut self, time: f64, what: Happening) {
        self.events.push(Event { time, what });
    }

    /// Foresees the arrivals of all messages whose rates change.
    fn change_rates(&mut self) {
        let now = self.now;
        self.paths.shares.settle();
        for number in 0..self.paths.shares.filled().len() {
            let flow = self.paths.shares.filled()[number];
            let message = self.paths.message_of[flow as usize];
            let rate = self.paths.shares.rate(flow);
            let transit = &mut self.transits[message as usize];
            if transit.rate == rate {
                continue;
            }
            transit.left = (transit.left - transit.rate * (now - transit.since)).max(0.0);
            (transit.rate, transit.since) = (rate, now);
            transit.due = now + transit.left / rate;
            if transit.due < transit.foreseen {
                self.foresee(message);
            }
        }
    }

    /// A rank enters its next step, or has done its last one.
    fn enter(&mut self, rank: u32) {
        let own = self.steps.of(rank as usize);
        let step = self.ranks[rank as usize].next_step;
        if step == own.end {
            self.done.finished[rank as usize] = self.now;
            return;
        }
        self.done.steps[step as usize].0 = self.now;
        let steps = self.steps;
        self.ranks[rank as usize] = Progress {
            next_step: step + 1,
            free: self.now,
            pending: 0,
        };
        for &message in steps.sends.row(step as usize) {
            self.start(message);
        }
        for &message in steps.receives.row(step as usize) {
            let Transit {
                started,
                arrived,
                is_out,
                ..
            } = self.transits[message as usize];
            if arrived <= self.now {
                self.receive(message);
            } else if !is_out && started.is_finite() {
                self.set_out(message, started.max(self.now));
            }
        }
        // What has arrived before is awaited, too, but not for long.
        let mut awaited = steps.awaited_receives.row(step as usize).iter().rev();
        let there = awaited.find(|message| self.transits[**message as usize].is_received);
        self.done.steps[step as usize].1 = there.copied();
        let is_missing = |message: &&u32| !self.transits[**message as usize].is_received;
        let receives = steps.awaited_receives.row(step as usize).iter();
        let is_on_the_way = |message: &&u32| {
            let at = **message as usize;
            !self.messages[at].is_eager && self.transits[at].arrived > self.now
        };
        let sends = steps.awaited_sends.row(step as usize).iter();
        let pending = receives.filter(is_missing).count() + sends.filter(is_on_the_way).count();
        self.ranks[rank as usize].pending = pending as u32;
        self.leave_if_done(rank);
    }

    /// The sender starts a message.
    fn start(&mut self, message: u32) {
        let ExchangeMessage {
            from,
            to,
            busy,
            is_eager,
            ..
        } = self.messages[message as usize];
        let sender = &mut self.ranks[from.index()];
        sender.free += busy;
        let started = sender.free;
        self.transits[message as usize].started = started;
        if is_eager || self.is_expected(to, message) {
            self.set_out(message, started);
        }
    }

    /// Whether the receiver has come to the step in which it is ready for a message.
    fn is_expected(&self, to: Rank, message: u32) -> bool {
        self.ranks[to.index()].next_step > self.steps.receive_step[message as usize]
    }

    /// A message sets out at this time.
    fn set_out(&mut self, message: u32, time: f64) {
        self.transits[message as usize].is_out = true;
        let delay = self.paths.delays[message as usize];
        self.at(time + delay, Happening::Flow { message });
    }

    /// The bytes of a message begin to flow.
    fn flow(&mut self, message: u32) {
        match self.paths.flow_of[message as usize] {
            Some(flow) => {
                self.transits[message as usize].since = self.now;
                self.paths.shares.start(flow);
            }
            None => self.arrive(message),
        }
    }

    /// All bytes of a message have arrived.
    fn arrive(&mut self, message: u32) {
        let transit = &mut self.transits[message as usize];
        transit.arrived = self.now;
        transit.foreseen = f64::INFINITY;
        if let Some(flow) = self.paths.flow_of[message as usize] {
            transit.limit = Some(self.paths.shares.limit(flow));
            self.paths.shares.end(flow);
        }
        let ExchangeMessage {
            from, to, is_eager, ..
        } = self.messages[message as usize];
        if !is_eager {
            self.done_for(from, message, self.steps.send_wait[message as usize]);
        }
        if self.is_expected(to, message) {
            self.receive(message);
            self.done_for(to, message, self.steps.receive_wait[message as usize]);
        }
    }

    /// The receiver takes a message that has arrived.
    fn receive(&mut self, message: u32) {
        let ExchangeMessage { to, busy, .. } = self.messages[message as usize];
        let receiver = &mut self.ranks[to.index()];
        receiver.free = receiver.free.max(self.now) + busy;
        self.transits[message as usize].is_received = true;
    }

    /// A rank need not wait any longer for a message for which it waits in this step.
    fn done_for(&mut self, rank: Rank, message: u32, step: u32) {
        let progress = &mut self.ranks[rank.index()];
        if progress.next_step == step + 1 {
            progress.pending -= 1;
            self.done.steps[step as usize].1 = Some(message);
            self.leave_if_done(rank.0);
        }
    }

    fn leave_if_done(&mut self, rank: u32) {
        let Progress { pending, free, .. } = self.ranks[rank as usize];
        if pending == 0 {
            self.at(free.max(self.now), Happening::Entry { rank });
        }
    }
}
