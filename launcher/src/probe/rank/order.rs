//! The orders of rank 0 to the other ranks, and the wait for orders.

use super::visit::{self, Stream};
use super::{ORDERS, RESULTS};
use rankfold_abi::loaded::World;
use rankfold_abi::mpi::Result;
use std::thread;
use std::time::Duration;

/// An order to a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// End.
    End,
    /// Sleep for this time between two looks for an order.
    Nap(Duration),
    /// Send a number of messages of one size to a rank, and wait for the answer to each before the
    /// next.
    Ping {
        peer: usize,
        bytes: usize,
        count: usize,
    },
    /// Answer such messages.
    Pong {
        peer: usize,
        bytes: usize,
        count: usize,
    },
    /// Send a stream of messages of one size to a rank for a time, with a number of messages on the
    /// way at once.
    Send(Stream),
    /// Receive such a stream, and count its bytes.
    Count(Stream),
}

/// The number of bytes of an encoded order: its kind and four numbers.
const BYTES: usize = 40;

impl Order {
    fn encode(self) -> [u8; BYTES] {
        let millis = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let of_stream = |kind, stream: Stream| {
            let Stream {
                peer,
                bytes,
                window,
                time,
            } = stream;
            [kind, peer as u64, bytes as u64, window as u64, millis(time)]
        };
        let words: [u64; 5] = match self {
            Self::End => [0; 5],
            Self::Nap(time) => [1, millis(time), 0, 0, 0],
            Self::Ping { peer, bytes, count } => [2, peer as u64, bytes as u64, count as u64, 0],
            Self::Pong { peer, bytes, count } => [3, peer as u64, bytes as u64, count as u64, 0],
            Self::Send(stream) => of_stream(4, stream),
            Self::Count(stream) => of_stream(5, stream),
        };
        let mut message = [0; BYTES];
        for (place, word) in message.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        message
    }

    fn decode(message: &[u8]) -> Self {
        let word = |at: usize| {
            let bytes = message.get(8 * at..8 * at + 8);
            u64::from_le_bytes(
                bytes
                    .and_then(|bytes| bytes.try_into().ok())
                    .unwrap_or_default(),
            )
        };
        let number = |at| usize::try_from(word(at)).unwrap_or(usize::MAX);
        let (peer, bytes, count) = (number(1), number(2), number(3));
        let stream = Stream {
            peer,
            bytes,
            window: number(3),
            time: Duration::from_micros(word(4)),
        };
        match word(0) {
            1 => Self::Nap(Duration::from_micros(word(1))),
            2 => Self::Ping { peer, bytes, count },
            3 => Self::Pong { peer, bytes, count },
            4 => Self::Send(stream),
            5 => Self::Count(stream),
            _ => Self::End,
        }
    }

    /// Whether the rank sends a result to rank 0 afterwards.
    pub(super) fn has_result(self) -> bool {
        matches!(self, Self::Ping { .. } | Self::Count(_))
    }

    /// Carries the order out. Returns the measured seconds or bytes per second, or 0 where nothing
    /// is measured.
    pub(super) fn carry_out(self, world: &World, nap: Duration) -> Result<f64> {
        match self {
            Self::End | Self::Nap(_) => Ok(0.0),
            Self::Ping { peer, bytes, count } => visit::ping(world, peer, bytes, count),
            Self::Pong { peer, bytes, count } => {
                visit::pong(world, peer, bytes, count).map(|()| 0.0)
            }
            Self::Send(stream) => stream.send(world, nap).map(|()| 0.0),
            Self::Count(stream) => stream.count(world, nap),
        }
    }
}

/// Sends an order to another rank.
pub(super) fn give(world: &World, rank: usize, order: Order) -> Result {
    world.send(&order.encode(), rank, ORDERS)
}

/// The time that ranks sleep between two looks for an order, until rank 0 orders another time.
/// Ranks sleep since a rank that waits inside MPI takes its core from ranks that measure. Chosen by
/// hand; not measured.
pub(super) const FIRST_NAP: Duration = Duration::from_millis(2);

/// Carries out the orders of rank 0 until the order to end.
pub(super) fn obey(world: &World) -> Result {
    let mut nap = FIRST_NAP;
    loop {
        let mut message = world.post(BYTES, 0, ORDERS)?;
        while !message.has_arrived()? {
            thread::sleep(nap);
        }
        let order = Order::decode(&message.message());
        match order {
            Order::End => return Ok(()),
            Order::Nap(time) => nap = time,
            _ => {
                let result = order.carry_out(world, nap)?;
                if order.has_result() {
                    world.send(&result.to_le_bytes(), 0, RESULTS)?;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_arrive_as_they_were_given() {
        let (peer, bytes, count) = (3, 1 << 20, 25);
        let stream = Stream {
            peer,
            bytes,
            window: 16,
            time: Duration::from_millis(500),
        };
        for order in [
            Order::End,
            Order::Nap(Duration::from_micros(50)),
            Order::Ping { peer, bytes, count },
            Order::Pong { peer, bytes, count },
            Order::Send(stream),
            Order::Count(stream),
        ] {
            assert_eq!(Order::decode(&order.encode()), order);
        }
    }
}
