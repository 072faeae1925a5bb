//! The ranks that measure, one a host, as rank 0 leads them.

use super::RESULTS;
use super::order::{FIRST_NAP, Order, give};
use super::visit::Stream;
use crate::probe::plan::Pair;
use rankfold_abi::loaded::World;
use rankfold_abi::mpi::Result;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

/// The hosts of the launch, and a rank of each. Rank 0 is host 0's.
pub(super) struct Crew<'a> {
    world: &'a World,
    pub(super) hosts: Vec<String>,
    ranks: Vec<usize>,
    /// Whether two hosts are containers on one machine, which share its cores.
    pub(super) shares_kernels: bool,
    nap: Cell<Duration>,
}

impl<'a> Crew<'a> {
    /// The lowest rank of every host; all other ranks sleep.
    pub(super) fn gather(world: &'a World, host_of_rank: Vec<String>, kernels: &[String]) -> Self {
        let (mut hosts, mut ranks) = (Vec::new(), Vec::new());
        for (rank, host) in host_of_rank.into_iter().enumerate() {
            if !hosts.contains(&host) {
                hosts.push(host);
                ranks.push(rank);
            }
        }
        let different: BTreeSet<&String> = ranks.iter().map(|&rank| &kernels[rank]).collect();
        Self {
            world,
            shares_kernels: different.len() < hosts.len(),
            hosts,
            ranks,
            nap: Cell::new(FIRST_NAP),
        }
    }

    pub(super) fn size(&self) -> usize {
        self.hosts.len()
    }

    /// Shortest half round trips of pairs that have no host in common, all at once.
    pub(super) fn ping(&self, pairs: &[Pair], bytes: usize, count: usize) -> Result<Vec<f64>> {
        self.at_once(
            pairs,
            |peer| Order::Ping { peer, bytes, count },
            |peer| Order::Pong { peer, bytes, count },
        )
    }

    /// Bytes per second of streams from the first to the second host of each pair, all at once.
    pub(super) fn stream(
        &self,
        pairs: &[Pair],
        (bytes, window): (usize, usize),
        time: Duration,
    ) -> Result<Vec<f64>> {
        let stream = |peer| Stream {
            peer,
            bytes,
            window,
            time,
        };
        self.at_once(
            pairs,
            |peer| Order::Send(stream(peer)),
            |peer| Order::Count(stream(peer)),
        )
    }

    /// What all pairs measure: `first` and `second` are the orders of their hosts, given the
    /// other's rank.
    fn at_once(
        &self,
        pairs: &[Pair],
        first: impl Fn(usize) -> Order,
        second: impl Fn(usize) -> Order,
    ) -> Result<Vec<f64>> {
        let mut own = None;
        for &(a, b) in pairs {
            let (a, b) = (self.ranks[a], self.ranks[b]);
            // Who answers is told before who asks.
            for (rank, order) in [(b, second(a)), (a, first(b))] {
                if rank == 0 {
                    own = Some(order);
                } else {
                    give(self.world, rank, order)?;
                }
            }
        }
        let own = own.map(|order| order.carry_out(self.world, self.nap.get()));
        let own = own.transpose()?;
        let teller = if first(0).has_result() { 0 } else { 1 };
        let results = pairs
            .iter()
            .map(|&(a, b)| match (self.ranks[[a, b][teller]], own) {
                (0, Some(own)) => Ok(own),
                (rank, _) => self.result(rank),
            });
        results.collect()
    }

    fn result(&self, rank: usize) -> Result<f64> {
        /// Short beside a visit.
        const NAP: Duration = Duration::from_micros(200);
        let mut message = self.world.post(size_of::<f64>(), rank, RESULTS)?;
        while !message.has_arrived()? {
            thread::sleep(NAP);
        }
        let bytes = message.message();
        Ok(f64::from_le_bytes(bytes[..].try_into().unwrap_or_default()))
    }

    /// Makes all sleep so long between looks for an order; nobody sleeps while streaming if that is
    /// nothing.
    pub(super) fn sleep_for(&self, nap: Duration) -> Result {
        self.nap.set(nap);
        self.tell_all(&self.ranks[1..], Order::Nap(nap))
    }

    /// Ends it for every rank.
    pub(super) fn dismiss(&self) -> Result {
        let all: Vec<usize> = (1..self.world.size()).collect();
        self.tell_all(&all, Order::End)
    }

    fn tell_all(&self, ranks: &[usize], order: Order) -> Result {
        ranks
            .iter()
            .try_for_each(|&rank| give(self.world, rank, order))
    }
}
