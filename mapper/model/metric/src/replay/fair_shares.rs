//! Weighted max-min fair rates of flows that share links, kept up to date as flows come and go.
//!
//! The rates of all flows rise in proportion to their weights until a link is full. The flows on
//! that link keep their rate, and all others rise on (progressive filling; Bertsekas and Gallager,
//! Data Networks, section 6.5.2). The rate of a flow over its weight is its *level*. The link that
//! stopped a flow is its *limit*: no flow on that link has a higher level.
//!
//! When flows come or go, only flows that change are filled again. A flow is filled again if
//!
//! * it is new;
//! * its limit is no longer full: a flow left that link, or a flow on it became slower;
//! * a link on its path would be full at a lower level than the flow's.
//!
//! Links are filled in the order of their levels, so that every flow that is filled again ends at
//! or above the level that is being filled. A flow is therefore filled at most once in an update.
//!
//! Cost of an update: for every flow that is filled again, the flows on the links of its path.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Two levels or rates are equal if they differ by less than this share. It is far above the
/// rounding of sums and far below what a result shows.
const ROUNDING: f64 = 1e-10;

/// A link on the path of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PathLink {
    pub(super) link: u32,
    /// The share of the flow's bytes that passes the link.
    pub(super) share: f64,
}

/// What is known of a flow.
#[derive(Clone, Copy, Debug)]
struct Flow {
    weight: f64,
    /// Its links: from this position of `FairShares::links` to the start of the next flow.
    start: u32,
    /// The link that stops it; [`NONE`] for a flow that is not under way.
    limit: u32,
    filling: Filling,
}

/// Whether the rate of a flow is being determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filling {
    /// The flow is not under way.
    Away,
    /// The flow keeps its rate unless the current update finds a reason to fill it again.
    Settled,
    /// The flow rises.
    Rising,
    /// The current update has filled the flow.
    Filled,
}

const NONE: u32 = u32::MAX;

/// A flow on a link, the position of the link in `FairShares::links`, and the share there.
#[derive(Clone, Copy, Debug)]
struct OnLink {
    share: f64,
    flow: u32,
    at: u32,
}

/// The sums of one link. They are counted anew in every update that touches the link, so that
/// rounding errors do not add up.
#[derive(Clone, Copy, Debug)]
struct LinkSums {
    /// The update that counted the sums.
    update: u64,
    /// Bandwidth that flows which do not rise leave.
    free: f64,
    /// Weights of the flows that rise, times their shares.
    rising: f64,
    /// Number of flows that rise.
    risers: u32,
    /// The level at which the link is full if no further flow stops.
    level: f64,
    /// The level that the link is queued with; infinite if it is not queued. It may be below
    /// `level`: the queue then gives the link too early, and takes it back.
    queued: f64,
}

impl Default for LinkSums {
    fn default() -> Self {
        Self {
            update: 0,
            free: 0.0,
            rising: 0.0,
            risers: 0,
            level: f64::INFINITY,
            queued: f64::INFINITY,
        }
    }
}

/// The bits of the level at which a link is full, and the link. Levels are not negative, so that
/// their bits as whole numbers have the order of the levels.
type FullAt = (u64, u32);

/// Flows, links, and the present rates.
#[derive(Debug)]
pub(super) struct FairShares {
    bandwidths: Vec<f64>,
    flows: Vec<Flow>,
    /// The level of every flow.
    levels: Vec<f64>,
    /// The paths of all flows, one after the other. Shares are times the weight of the flow.
    links: Vec<PathLink>,
    /// Where a flow is in the list of flows of a link, for every entry of `links`.
    places: Vec<u32>,
    /// The flows under way on every link.
    on_link: Vec<Vec<OnLink>>,
    sums: Vec<LinkSums>,
    update: u64,
    /// The lowest level first, and of equal ones the first link.
    queue: BinaryHeap<Reverse<FullAt>>,
    /// Flows that the next update fills.
    unsettled: Vec<u32>,
    filled: Vec<u32>,
    scratch: Vec<u32>,
    /// Flows that were looked at so far, link by link, which measures the work.
    work: u64,
}

impl FairShares {
    /// Links with these bandwidths, and no flow.
    pub(super) fn new(bandwidths: Vec<f64>) -> Self {
        Self {
            on_link: vec![Vec::new(); bandwidths.len()],
            sums: vec![LinkSums::default(); bandwidths.len()],
            bandwidths,
            flows: Vec::new(),
            levels: Vec::new(),
            links: Vec::new(),
            places: Vec::new(),
            update: 0,
            queue: BinaryHeap::new(),
            unsettled: Vec::new(),
            filled: Vec::new(),
            scratch: Vec::new(),
            work: 0,
        }
    }

    /// Makes a flow known that is not under way yet, and returns its number. Numbers count up from
    /// 0. The path has at least one link and every link once.
    pub(super) fn add(&mut self, weight: f64, path: &[PathLink]) -> u32 {
        self.flows.push(Flow {
            weight,
            start: self.links.len() as u32,
            limit: NONE,
            filling: Filling::Away,
        });
        self.levels.push(0.0);
        self.links.extend_from_slice(path);
        let own = self.links.iter_mut().rev().take(path.len());
        own.for_each(|it| it.share *= weight);
        self.places.resize(self.links.len(), NONE);
        self.flows.len() as u32 - 1
    }

    /// Flows that were looked at so far, link by link.
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    /// The flow sets out. Rates hold again after the next [`settle`](Self::settle).
    pub(super) fn start(&mut self, flow: u32) {
        for at in self.path(flow as usize) {
            let PathLink { link, share } = self.links[at];
            let on = &mut self.on_link[link as usize];
            self.places[at] = on.len() as u32;
            let at = at as u32;
            on.push(OnLink { share, flow, at });
        }
        self.flows[flow as usize].filling = Filling::Settled;
        self.levels[flow as usize] = 0.0;
        self.unsettled.push(flow);
    }

    /// The flow has arrived. Rates hold again after the next [`settle`](Self::settle).
    pub(super) fn end(&mut self, flow: u32) {
        self.flows[flow as usize].filling = Filling::Away;
        for at in self.path(flow as usize) {
            let link = self.links[at].link as usize;
            let place = self.places[at] as usize;
            self.on_link[link].swap_remove(place);
            if let Some(moved) = self.on_link[link].get(place) {
                self.places[moved.at as usize] = place as u32;
            }
            let stopped = self.on_link[link].iter().map(|other| other.flow);
            let flows = &self.flows;
            self.unsettled
                .extend(stopped.filter(|&other| flows[other as usize].limit == link as u32));
        }
    }

    /// Bytes per unit of time of a flow under way.
    pub(super) fn rate(&self, flow: u32) -> f64 {
        self.levels[flow as usize] * self.flows[flow as usize].weight
    }

    /// The link that a flow under way waits for.
    pub(super) fn limit(&self, flow: u32) -> u32 {
        self.flows[flow as usize].limit
    }

    /// Fills the flows that have to be filled again: see [`filled`](Self::filled).
    pub(super) fn settle(&mut self) {
        self.update += 1;
        for flow in self.filled.drain(..) {
            let filling = &mut self.flows[flow as usize].filling;
            if *filling == Filling::Filled {
                *filling = Filling::Settled;
            }
        }
        let mut unsettled = std::mem::take(&mut self.unsettled);
        for &flow in &unsettled {
            if self.flows[flow as usize].filling == Filling::Settled {
                self.rise(flow as usize);
            }
        }
        for flow in unsettled.drain(..) {
            if self.flows[flow as usize].filling == Filling::Rising {
                self.enqueue_path(flow as usize);
            }
        }
        self.unsettled = unsettled;
        while let Some(Reverse((level, link))) = self.queue.pop() {
            let level = f64::from_bits(level);
            let sums = &mut self.sums[link as usize];
            if level > sums.queued {
                continue;
            }
            sums.queued = f64::INFINITY;
            if sums.risers > 0 && sums.level > level {
                self.enqueue(link);
            } else if sums.risers > 0 {
                self.fill(link as usize, level);
            }
        }
    }

    /// The flows that the last update has filled. Some may have the rate that they had before.
    pub(super) fn filled(&self) -> &[u32] {
        &self.filled
    }

    fn path(&self, flow: usize) -> std::ops::Range<usize> {
        let next = self.flows.get(flow + 1);
        let end = next.map_or(self.links.len(), |next| next.start as usize);
        self.flows[flow].start as usize..end
    }

    /// The flow gives its rate back and rises from now on.
    fn raise(&mut self, flow: usize) {
        self.rise(flow);
        self.enqueue_path(flow);
    }

    /// Queues the links of a path: of several flows that rise, once all of them do.
    fn enqueue_path(&mut self, flow: usize) {
        for at in self.path(flow) {
            self.enqueue(self.links[at].link);
        }
    }

    /// [`raise`](Self::raise), but for queueing.
    fn rise(&mut self, flow: usize) {
        let level = self.levels[flow];
        for at in self.path(flow) {
            self.count(self.links[at].link as usize);
        }
        self.flows[flow].filling = Filling::Rising;
        for at in self.path(flow) {
            let PathLink { link, share } = self.links[at];
            let sums = &mut self.sums[link as usize];
            sums.free += share * level;
            sums.rising += share;
            sums.risers += 1;
            sums.level = sums.free.max(0.0) / sums.rising;
        }
    }

    /// Counts the sums of a link, unless this update has done so.
    fn count(&mut self, link: usize) {
        if self.sums[link].update == self.update {
            return;
        }
        self.work += 1 + self.on_link[link].len() as u64;
        let used = self.on_link[link]
            .iter()
            .map(|on| on.share * self.levels[on.flow as usize]);
        self.sums[link] = LinkSums {
            update: self.update,
            free: self.bandwidths[link] - used.sum::<f64>(),
            ..LinkSums::default()
        };
    }

    /// Queues a link with the level at which it is full now, unless it is queued with a lower one.
    fn enqueue(&mut self, link: u32) {
        let sums = &mut self.sums[link as usize];
        if sums.level < sums.queued {
            sums.queued = sums.level;
            self.queue.push(Reverse((sums.level.to_bits(), link)));
        }
    }

    /// The link is full at this level: its rising flows stop, unless a flow with a higher level has
    /// to give way first.
    fn fill(&mut self, link: usize, level: f64) {
        self.work += self.on_link[link].len() as u64;
        let mut flows = std::mem::take(&mut self.scratch);
        let on = || self.on_link[link].iter().map(|on| on.flow);
        let is = |flow: u32, filling| self.flows[flow as usize].filling == filling;
        let above = |flow: &u32| self.levels[*flow as usize] > level * (1.0 + ROUNDING);
        flows.extend(
            on().filter(|&flow| is(flow, Filling::Settled))
                .filter(above),
        );
        if flows.is_empty() {
            flows.extend(on().filter(|&flow| is(flow, Filling::Rising)));
            for flow in flows.drain(..) {
                self.stop(flow as usize, level, link as u32);
            }
        } else {
            for flow in flows.drain(..) {
                self.raise(flow as usize);
            }
        }
        self.scratch = flows;
    }

    /// A rising flow keeps this level. If that is less than before, flows that a link of its path
    /// stopped rise again.
    fn stop(&mut self, flow: usize, level: f64, limit: u32) {
        let before = self.levels[flow];
        let is_same = (level - before).abs() <= ROUNDING * before;
        let level = if is_same { before } else { level };
        let it = &mut self.flows[flow];
        (it.limit, it.filling) = (limit, Filling::Filled);
        self.levels[flow] = level;
        self.filled.push(flow as u32);
        for at in self.path(flow) {
            let PathLink { link, share } = self.links[at];
            let sums = &mut self.sums[link as usize];
            sums.free -= share * level;
            sums.rising -= share;
            sums.risers -= 1;
            if sums.risers > 0 {
                sums.level = sums.free.max(0.0) / sums.rising;
                self.enqueue(link);
            }
            if level < before && link != limit {
                self.release(link as usize);
            }
        }
    }

    /// A link has bandwidth left: the flows that it stopped rise again.
    fn release(&mut self, link: usize) {
        self.work += self.on_link[link].len() as u64;
        for place in 0..self.on_link[link].len() {
            let flow = self.on_link[link][place].flow;
            let Flow { limit, filling, .. } = self.flows[flow as usize];
            if filling == Filling::Settled && limit == link as u32 {
                self.raise(flow as usize);
            }
        }
    }
}
