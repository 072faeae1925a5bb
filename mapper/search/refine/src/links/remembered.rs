//! A table of routes between pairs of nodes. A search follows the same routes again and again; the
//! table asks the topology for each route once.

use rankfold_base::NodeId;
use rankfold_machine::Topology;

/// When more channels than this are remembered, all routes are forgotten: 256 MiB, and as much
/// again for shares.
const MOST_CHANNELS: usize = 1 << 26;

/// The size of a route.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RouteSize {
    /// The number of links that a message passes.
    pub(crate) hops: u32,
    /// The number of links that carry any share.
    pub(crate) links: u32,
    /// The time of a byte that the shares count beyond that of a message on one path.
    pub(crate) surplus: f64,
}

/// The routes that were asked for so far.
pub(super) struct RouteCache<'a> {
    topology: &'a dyn Topology,
    nodes: usize,
    /// The number of parts that a byte has.
    parts: i64,
    of_pair: Vec<RememberedRoute>,
    /// The hops between every pair of nodes; empty where a route has as many hops as links.
    hops: Vec<u32>,
    channels: Vec<u32>,
    /// The parts of a byte that every channel carries; empty where all carry whole bytes.
    shares: Vec<u32>,
}

/// Where the channels of a route begin among the remembered channels, and how many they are. The
/// struct is kept small: searches look routes up in random order, and a larger table of routes fits
/// the processor's caches less well.
#[derive(Clone, Copy)]
struct RememberedRoute {
    first: u32,
    links: u32,
}

/// A route that was not asked for yet.
const UNKNOWN: RememberedRoute = RememberedRoute {
    first: u32::MAX,
    links: 0,
};

impl<'a> RouteCache<'a> {
    /// No route yet. With `counts_links`, a route has as many hops as links.
    pub(super) fn new(topology: &'a dyn Topology, parts: i64, counts_links: bool) -> Self {
        let pairs = topology.nodes() * topology.nodes();
        Self {
            topology,
            nodes: topology.nodes(),
            parts,
            of_pair: vec![UNKNOWN; pairs],
            hops: vec![0; if counts_links { 0 } else { pairs }],
            channels: Vec::new(),
            shares: Vec::new(),
        }
    }

    /// Reads the routes between a node and others, both ways, before they are followed.
    ///
    /// The tables are larger than the processor's caches. No read here depends on the read before,
    /// so that the processor waits for many at once; [`follow`](Self::follow) waits for each.
    #[inline]
    pub(super) fn read_ahead(&self, from: u32, others: impl Iterator<Item = u32>) {
        let mut read = 0;
        for to in others {
            for (from, to) in [(from, to), (to, from)] {
                let route = self.of_pair[from as usize * self.nodes + to as usize];
                read ^= (self.channels.get(route.first as usize)).map_or(0, |&first| first);
            }
        }
        std::hint::black_box(read);
    }

    #[inline]
    pub(super) fn follow(
        &mut self,
        from: u32,
        to: u32,
        mut visit: impl FnMut(u32, i64),
    ) -> RouteSize {
        let pair = from as usize * self.nodes + to as usize;
        if self.of_pair[pair].first == UNKNOWN.first {
            self.learn(pair, from, to);
        }
        let RememberedRoute { first, links } = self.of_pair[pair];
        let range = first as usize..(first + links) as usize;
        let channels = self.channels[range.clone()].iter();
        if self.shares.is_empty() {
            channels.for_each(|&channel| visit(channel, self.parts));
        } else {
            let shares = &self.shares[range];
            let shared = channels.zip(shares);
            shared.for_each(|(&channel, &share)| visit(channel, i64::from(share)));
        }
        RouteSize {
            hops: self.hops.get(pair).copied().unwrap_or(links),
            links,
            surplus: 0.0,
        }
    }

    #[cold]
    fn learn(&mut self, pair: usize, from: u32, to: u32) {
        if self.channels.len() > MOST_CHANNELS {
            self.channels.clear();
            self.shares.clear();
            self.of_pair.fill(UNKNOWN);
        }
        let first = self.channels.len();
        let (channels, shares, parts) = (&mut self.channels, &mut self.shares, self.parts as f64);
        let (from, to) = (NodeId(from), NodeId(to));
        if self.parts == 1 {
            self.topology.route(from, to, &mut |c| channels.push(c.0));
        } else {
            self.topology.route_shares(from, to, &mut |channel, share| {
                channels.push(channel.0);
                shares.push((share * parts).round() as u32);
            });
        }
        if let Some(hops) = self.hops.get_mut(pair) {
            *hops = self.topology.hops(from, to);
        }
        self.of_pair[pair] = RememberedRoute {
            first: first as u32,
            links: (self.channels.len() - first) as u32,
        };
    }
}
