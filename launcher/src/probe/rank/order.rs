//! What rank 0 tells the others to do, and how they wait for it.

use super::visit::{self, Stream};
use super::{ORDERS, RESULTS};
use rankfold_abi::loaded::World;
use rankfold_abi::mpi::Result;
use std::thread;
use std::time::Duration;

/// Something a rank is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Be done with it.
    End,
    /// Sleep so long between two looks for an order.
    Nap(Duration),
    /// Send this many messages of a size to a rank, one after the other, and wait for each to come
    /// back.
    Ping {
        peer: usize,
        bytes: usize,
        count: usize,
    },
    /// Send them back.
    Pong {
        peer: usize,
        bytes: usize,
        count: usize,
    },
    /// Send messages of a size to a rank for a time, so many at once.
    Send(Stream),
    /// Receive them, and count what comes.
    Count(Stream),
}

/// Bytes of an order in a message: its kind and four numbers.
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

    /// Whether whoever does it has a result to tell.
    pub(super) fn has_result(self) -> bool {
        matches!(self, Self::Ping { .. } | Self::Count(_))
    }

    /// Does it; what was measured, if anything: seconds, or bytes per second.
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

/// Gives an order to another rank.
pub(super) fn give(world: &World, rank: usize, order: Order) -> Result {
    world.send(&order.encode(), rank, ORDERS)
}

/// Until rank 0 says otherwise; a rank that waits inside MPI takes the core from those that
/// measure.
pub(super) const FIRST_NAP: Duration = Duration::from_millis(2);

/// Does what rank 0 orders, until it orders the end.
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
