//! The measurements between two ranks: round trips and streams.

use super::{BACK, THERE};
use rankfold_abi::loaded::World;
use rankfold_abi::mpi::Result;
use std::thread;
use std::time::{Duration, Instant};

/// Round trips before the measurement, which warm up connections and caches. Chosen by hand; not
/// measured.
const WARM_UP: usize = 2;

/// Measures round trips to `peer`; returns half of the shortest one, in seconds.
pub(super) fn ping(world: &World, peer: usize, bytes: usize, count: usize) -> Result<f64> {
    let mut message = vec![0; bytes];
    let mut shortest = Duration::MAX;
    for number in 0..WARM_UP + count {
        let start = Instant::now();
        world.send(&message, peer, THERE)?;
        world.receive(&mut message, peer, BACK)?;
        if number >= WARM_UP {
            shortest = shortest.min(start.elapsed());
        }
    }
    Ok(shortest.as_secs_f64() / 2.0)
}

/// Answers the messages of [`ping`].
pub(super) fn pong(world: &World, peer: usize, bytes: usize, count: usize) -> Result {
    let mut message = vec![0; bytes];
    for _ in 0..WARM_UP + count {
        world.receive(&mut message, peer, THERE)?;
        world.send(&message, peer, BACK)?;
    }
    Ok(())
}

/// A stream of messages from one rank to another for a time, with a limited number of messages on
/// the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stream {
    pub(super) peer: usize,
    pub(super) bytes: usize,
    pub(super) window: usize,
    pub(super) time: Duration,
}

/// The first byte of the last message.
const LAST: u8 = 1;

impl Stream {
    /// Sends the stream. The receiver acknowledges every message by a message of one byte. Where
    /// ranks share cores, this rank sleeps for `nap` between two looks for an acknowledgement.
    pub(super) fn send(&self, world: &World, nap: Duration) -> Result {
        let mut message = vec![0; self.bytes];
        let start = Instant::now();
        let (mut sent, mut acknowledged) = (0, 0);
        while start.elapsed() < self.time {
            if sent - acknowledged >= self.window {
                self.wait(world, 1, BACK, nap)?;
                acknowledged += 1;
            }
            world.send(&message, self.peer, THERE)?;
            sent += 1;
        }
        message[0] = LAST;
        world.send(&message, self.peer, THERE)?;
        while acknowledged <= sent {
            self.wait(world, 1, BACK, nap)?;
            acknowledged += 1;
        }
        Ok(())
    }

    /// Receives the stream; returns its bytes per second. Only a window of the time counts, the
    /// same for all streams at once: queues fill at the beginning, and some streams end before
    /// others. This rank sleeps as [`Self::send`] does.
    pub(super) fn count(&self, world: &World, nap: Duration) -> Result<f64> {
        let (from, to) = (self.time.mul_f64(0.3), self.time.mul_f64(0.95));
        let mut inside = 0;
        let mut start = None;
        loop {
            let message = self.wait(world, self.bytes, THERE, nap)?;
            let at = start.get_or_insert_with(Instant::now).elapsed();
            world.send(&[0], self.peer, BACK)?;
            if message.first() == Some(&LAST) {
                break;
            }
            if at >= from && at < to {
                inside += 1;
            }
        }
        Ok((inside * self.bytes) as f64 / (to - from).as_secs_f64())
    }

    fn wait(&self, world: &World, bytes: usize, tag: u16, nap: Duration) -> Result<Box<[u8]>> {
        /// Longest sleep. Longer sleeps leave the link idle. Chosen by hand; not measured.
        const LONGEST: Duration = Duration::from_micros(100);
        let mut message = world.post(bytes, self.peer, tag)?;
        while !message.has_arrived()? {
            if nap.is_zero() {
                std::hint::spin_loop();
            } else {
                thread::sleep(nap.min(LONGEST));
            }
        }
        Ok(message.message())
    }
}
