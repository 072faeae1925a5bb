//! The ranks that measure, one on each host, and the orders that rank 0 gives them.

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

/// The hosts of the launch, with one rank of each, or a host for every rank. The rank of host 0 is
/// rank 0.
pub(super) struct Crew<'a> {
    world: &'a World,
    pub(super) hosts: Vec<String>,
    ranks: Vec<usize>,
    /// Whether two hosts are containers on one machine and so share its cores.
    pub(super) shares_kernels: bool,
    nap: Cell<Duration>,
}

impl<'a> Crew<'a> {
    /// The crew of the lowest ranks of all hosts, so that all other ranks sleep, or of all ranks.
    pub(super) fn gather(
        world: &'a World,
        host_of_rank: Vec<String>,
        kernels: &[String],
        has_all_ranks: bool,
    ) -> Self {
        let (mut hosts, mut ranks) = (Vec::new(), Vec::new());
        for (rank, host) in host_of_rank.into_iter().enumerate() {
            if has_all_ranks || !hosts.contains(&host) {
                hosts.push(host);
                ranks.push(rank);
            }
        }
        let different: BTreeSet<&String> = ranks.iter().map(|&rank| &kernels[rank]).collect();
        Self {
            world,
            shares_kernels: different.len() < hosts.iter().collect::<BTreeSet<_>>().len(),
            hosts,
            ranks,
            nap: Cell::new(FIRST_NAP),
        }
    }

    pub(super) fn size(&self) -> usize {
        self.hosts.len()
    }

    /// The shortest half round trips of pairs that have no host in common, measured all at once.
    pub(super) fn ping(&self, pairs: &[Pair], bytes: usize, count: usize) -> Result<Vec<f64>> {
        self.at_once(
            pairs,
            |peer| Order::Ping { peer, bytes, count },
            |peer| Order::Pong { peer, bytes, count },
        )
    }

    /// The bytes per second of streams from the first to the second host of each pair, measured all
    /// at once.
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

    /// The results of all pairs, measured at once. `first` and `second` make the orders for the two
    /// hosts of a pair from the rank of the other host.
    fn at_once(
        &self,
        pairs: &[Pair],
        first: impl Fn(usize) -> Order,
        second: impl Fn(usize) -> Order,
    ) -> Result<Vec<f64>> {
        let mut own = None;
        for &(a, b) in pairs {
            let (a, b) = (self.ranks[a], self.ranks[b]);
            // The answering rank gets its order before the asking rank.
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
        /// Short compared with a measurement. Chosen by hand; not measured.
        const NAP: Duration = Duration::from_micros(200);
        let mut message = self.world.post(size_of::<f64>(), rank, RESULTS)?;
        while !message.has_arrived()? {
            thread::sleep(NAP);
        }
        let bytes = message.message();
        Ok(f64::from_le_bytes(bytes[..].try_into().unwrap_or_default()))
    }

    /// Sets the time that ranks sleep between two looks for an order. With zero, ranks do not sleep
    /// while they stream.
    pub(super) fn sleep_for(&self, nap: Duration) -> Result {
        self.nap.set(nap);
        self.tell_all(&self.ranks[1..], Order::Nap(nap))
    }

    /// Orders all ranks to end.
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
