//! Loads of all links, updated move by move, and the four terms of the hybrid metric.

use rankfold_base::{ChannelId, NodeId};
use rankfold_machine::{Distances, Topology};

/// The bytes on every channel under the machine's own routing.
pub(super) struct LinkLoads<'a> {
    topology: &'a dyn Topology,
    distances: Distances,
    bandwidth: Vec<f64>,
    bytes: Vec<u64>,
    totals: LoadTotals,
}

/// Sums over all channels that the metric needs. Congestion is bytes over bandwidth.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LoadTotals {
    pub(super) hop_bytes: i128,
    /// The highest congestion.
    pub(super) max: f64,
    /// Number of channels with traffic, sum of their congestions, and sum of the squares.
    used: i64,
    sum: f64,
    squares: f64,
}

impl LoadTotals {
    /// Hop-bytes, highest congestion, and mean and variance of the congestions that are not zero.
    pub(super) fn terms(&self) -> [f64; 4] {
        let used = self.used.max(1) as f64;
        let average = self.sum / used;
        let variance = (self.squares / used - average * average).max(0.0);
        [self.hop_bytes as f64, self.max, average, variance]
    }
}

/// Traffic to add or take away, collected by channel.
#[derive(Default)]
pub(super) struct LoadChange {
    bytes: Vec<i64>,
    is_touched: Vec<bool>,
    touched: Vec<ChannelId>,
    hop_bytes: i128,
}

impl LoadChange {
    pub(super) fn clear(&mut self) {
        for channel in self.touched.drain(..) {
            self.bytes[channel.index()] = 0;
            self.is_touched[channel.index()] = false;
        }
        self.hop_bytes = 0;
    }
}

impl<'a> LinkLoads<'a> {
    pub(super) fn new(topology: &'a dyn Topology) -> Self {
        let channels = topology.channels();
        Self {
            distances: topology.distances(),
            bandwidth: (0..channels)
                .map(|c| topology.bandwidth(ChannelId::at(c)))
                .collect(),
            bytes: vec![0; channels],
            totals: LoadTotals::default(),
            topology,
        }
    }

    pub(super) fn totals(&self) -> &LoadTotals {
        &self.totals
    }

    pub(super) fn hops(&self, from: NodeId, to: NodeId) -> u32 {
        self.distances.hops(from, to)
    }

    pub(super) fn crosses(&self, from: NodeId, to: NodeId, channel: ChannelId) -> bool {
        let mut found = false;
        self.topology
            .route(from, to, &mut |c| found |= c == channel);
        found
    }

    /// Adds a message to `change`; negative bytes take a message away.
    pub(super) fn send(&self, change: &mut LoadChange, from: NodeId, to: NodeId, bytes: i64) {
        change.bytes.resize(self.bytes.len(), 0);
        change.is_touched.resize(self.bytes.len(), false);
        change.hop_bytes += i128::from(self.distances.hops(from, to)) * i128::from(bytes);
        self.topology.route(from, to, &mut |channel| {
            change.bytes[channel.index()] += bytes;
            if !std::mem::replace(&mut change.is_touched[channel.index()], true) {
                change.touched.push(channel);
            }
        });
    }

    /// The sums after `change`. The maximum is the highest of the present maximum and all touched
    /// channels, so it does not fall.
    pub(super) fn after(&self, change: &LoadChange) -> LoadTotals {
        let mut totals = self.totals;
        totals.hop_bytes += change.hop_bytes;
        for &channel in &change.touched {
            let (old, new) = self.congestion(channel, change);
            totals.used += i64::from(new > 0.0) - i64::from(old > 0.0);
            totals.sum += new - old;
            totals.squares += new * new - old * old;
            totals.max = totals.max.max(new);
        }
        totals
    }

    /// The highest congestion, and the number of channels that have it.
    pub(super) fn peak(&self) -> (f64, usize) {
        self.peak_after(&LoadChange::default(), &self.order())
    }

    /// The highest congestion after `change`, and the number of channels that have it. `order` is
    /// the result of [`Self::order`].
    pub(super) fn peak_after(&self, change: &LoadChange, order: &[ChannelId]) -> (f64, usize) {
        let untouched = |c: &&ChannelId| !change.is_touched.get(c.index()).is_some_and(|&t| t);
        let rest = order.iter().filter(untouched).map(|&c| self.now(c));
        let highest = rest.clone().next().unwrap_or(0.0);
        let touched = change.touched.iter().map(|&c| self.congestion(c, change).1);
        let peak = touched.clone().fold(highest, f64::max);
        let at_peak = touched.filter(|&c| c == peak).count();
        (peak, at_peak + rest.take_while(|&c| c == peak).count())
    }

    /// The channels with traffic, the most congested first, the lower index of equals first.
    pub(super) fn order(&self) -> Vec<ChannelId> {
        let all = (0..self.bytes.len()).map(ChannelId::at);
        let mut order: Vec<ChannelId> = all.filter(|c| self.bytes[c.index()] > 0).collect();
        order.sort_by(|&a, &b| self.now(b).total_cmp(&self.now(a)).then(a.cmp(&b)));
        order
    }

    pub(super) fn apply(&mut self, change: &LoadChange) {
        self.totals = self.after(change);
        for &channel in &change.touched {
            let bytes = &mut self.bytes[channel.index()];
            *bytes = bytes.wrapping_add_signed(change.bytes[channel.index()]);
        }
        // Taking traffic away can lower the maximum, which `after` does not see.
        let all = (0..self.bytes.len()).map(ChannelId::at);
        self.totals.max = all.map(|c| self.now(c)).fold(0.0, f64::max);
    }

    fn now(&self, channel: ChannelId) -> f64 {
        self.bytes[channel.index()] as f64 / self.bandwidth[channel.index()]
    }

    fn congestion(&self, channel: ChannelId, change: &LoadChange) -> (f64, f64) {
        let bytes = self.bytes[channel.index()];
        let changed = bytes.wrapping_add_signed(change.bytes[channel.index()]);
        let bandwidth = self.bandwidth[channel.index()];
        (bytes as f64 / bandwidth, changed as f64 / bandwidth)
    }
}
