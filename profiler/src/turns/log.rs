//! The messages that a thread starts and waits for, in their order.

use crate::memory;
use rankfold_abi::Handle;

/// Stands for the sender of a receive from any source.
pub(crate) const ANYONE: u32 = u32::MAX;

/// A message that was started, or a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    /// The other rank, or [`ANYONE`].
    pub(super) rank: u32,
    pub(super) receives: bool,
    /// Bytes that are sent; 0 of a receive.
    pub(super) bytes: u64,
    /// The turn in which it was started.
    pub(super) turn: u32,
    /// The turn at the end of which the thread has waited for it; `None` for a send without a
    /// request, which its call has waited for or nobody does.
    pub(super) waited: Option<u32>,
    /// Whether all ranks have met since the start before.
    pub(super) met: bool,
}

/// The starts of a part of a run. A turn ends where the thread waits; the next one begins with the
/// next start.
#[derive(Default)]
pub(crate) struct Log {
    starts: Vec<Start>,
    /// The requests that the thread has not waited for, and their starts.
    open: Vec<(Handle, usize)>,
    turn: u32,
    ended: bool,
    met: bool,
    /// Number of starts that the log takes.
    room: usize,
}

impl Log {
    /// An empty log for `room` starts; `None` if there is no memory for them.
    pub(super) fn new(room: usize) -> Option<Self> {
        if !memory::is_there_for(room * (size_of::<Start>() + size_of::<(Handle, usize)>())) {
            return None;
        }
        let mut log = Self {
            room,
            ..Self::default()
        };
        log.starts.try_reserve_exact(room).ok()?;
        log.open.try_reserve_exact(room).ok()?;
        Some(log)
    }

    pub(super) fn is_full(&self) -> bool {
        self.starts.len() >= self.room
    }

    /// A message of `bytes` to `rank`, and the request that it has, if any.
    pub(crate) fn send(&mut self, rank: u32, bytes: u64, request: Option<Handle>) {
        self.start(rank, false, bytes, request);
    }

    /// A receive from `rank`, and the request that it has, if any. Without a request the call waits
    /// for the message.
    pub(crate) fn receive(&mut self, rank: u32, request: Option<Handle>) {
        // What was sent before is under way already.
        let sends = |start: &Start| !start.receives && start.turn == self.turn;
        self.ended |= request.is_none() && self.starts.last().is_some_and(sends);
        self.start(rank, true, 0, request);
        self.ended |= request.is_none();
    }

    /// A call that sends and receives, and waits for both.
    pub(crate) fn exchange(&mut self, to: &[(u32, u64)], from: &[u32]) {
        for &(rank, bytes) in to {
            self.start(rank, false, bytes, None);
        }
        for &rank in from {
            self.start(rank, true, 0, None);
        }
        self.end_turn();
    }

    fn start(&mut self, rank: u32, receives: bool, bytes: u64, request: Option<Handle>) {
        if self.is_full() {
            return;
        }
        self.turn += u32::from(std::mem::take(&mut self.ended));
        if let Some(request) = request {
            self.open.push((request, self.starts.len()));
        }
        self.starts.push(Start {
            rank,
            receives,
            bytes,
            turn: self.turn,
            waited: (receives && request.is_none()).then_some(self.turn),
            met: std::mem::take(&mut self.met),
        });
    }

    /// The thread waits for requests. Of several starts with one handle, the first has completed.
    pub(crate) fn wait_for(&mut self, requests: impl Iterator<Item = Handle>) {
        for request in requests {
            if let Some(place) = self.open.iter().position(|&(open, _)| open == request) {
                self.complete(place);
            }
        }
        self.end_turn();
    }

    /// This many requests have completed. Sends are taken for the first of them, then the requests
    /// that were started first.
    pub(crate) fn wait_for_some(&mut self, number: usize) {
        for _ in 0..number.min(self.open.len()) {
            let sends = |&(_, at): &(Handle, usize)| {
                self.starts.get(at).is_some_and(|start| !start.receives)
            };
            self.complete(self.open.iter().position(sends).unwrap_or(0));
        }
        self.end_turn();
    }

    fn complete(&mut self, place: usize) {
        let (_, at) = self.open.remove(place);
        if let Some(start) = self.starts.get_mut(at) {
            start.waited = Some(self.turn);
        }
    }

    /// The thread waits: what it starts from now on belongs to the next turn.
    pub(crate) fn end_turn(&mut self) {
        self.ended = !self.starts.is_empty();
    }

    /// All ranks have waited for each other.
    pub(crate) fn meet(&mut self) {
        self.met = true;
    }

    /// The starts of all turns before the first one with a receive that the thread has not waited
    /// for. The last turn counts if the run `is_over`, or if the thread has waited since.
    pub(super) fn complete_turns(&self, is_over: bool) -> &[Start] {
        let is_open = |start: &Start| start.receives && start.waited.is_none();
        let first_open = self.starts.iter().find(|start| is_open(start));
        let last = self.turn + u32::from(is_over || self.ended);
        let end = first_open.map_or(last, |start| start.turn.min(last));
        let count = self.starts.partition_point(|start| start.turn < end);
        self.starts.get(..count).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(log: &Log) -> Vec<(u32, bool, u32, u32)> {
        let all = log.complete_turns(true).iter();
        all.map(|s| {
            (
                s.rank,
                s.receives,
                s.turn,
                s.waited.unwrap_or(s.turn) - s.turn,
            )
        })
        .collect()
    }

    fn log() -> Log {
        Log::new(64).expect("memory")
    }

    #[test]
    fn what_is_started_before_a_wait_is_one_turn() {
        let mut log = log();
        for (first, partners) in [(1, [4, 5]), (11, [6, 7])] {
            let requests = first..first + 4;
            log.receive(partners[0], Some(first));
            log.receive(partners[1], Some(first + 1));
            log.send(partners[0], 8, Some(first + 2));
            log.send(partners[1], 8, Some(first + 3));
            log.wait_for(requests.map(|request| request as Handle));
        }
        let found = turns(&log);
        assert_eq!(found[..2], [(4, true, 0, 0), (5, true, 0, 0)]);
        assert_eq!(found[4..6], [(6, true, 1, 0), (7, true, 1, 0)]);
        assert_eq!(found.len(), 8);
    }

    #[test]
    fn receives_that_are_waited_for_later_are_held() {
        let mut log = log();
        log.receive(1, Some(10));
        log.receive(2, Some(20));
        log.send(1, 8, Some(30));
        log.wait_for([10, 30].into_iter());
        log.send(2, 8, Some(30));
        log.wait_for([30, 20].into_iter());
        let found = turns(&log);
        assert_eq!(
            found,
            [
                (1, true, 0, 0),
                (2, true, 0, 1),
                (1, false, 0, 0),
                (2, false, 1, 0)
            ]
        );
    }

    #[test]
    fn each_shift_and_each_blocking_receive_is_a_turn() {
        let mut log = log();
        log.exchange(&[(1, 8)], &[2]);
        log.exchange(&[(2, 8)], &[]);
        log.receive(3, None);
        log.receive(4, None);
        log.send(5, 8, None);
        log.send(6, 8, None);
        log.receive(3, None);
        let turn: Vec<u32> = turns(&log).iter().map(|start| start.2).collect();
        assert_eq!(turn, [0, 0, 1, 2, 3, 4, 4, 5]);
    }

    #[test]
    fn a_receive_that_nobody_has_waited_for_ends_what_is_complete() {
        let mut log = log();
        log.exchange(&[(1, 8)], &[2]);
        log.receive(3, Some(1));
        log.wait_for_some(0);
        log.exchange(&[(1, 8)], &[2]);
        assert_eq!(turns(&log).len(), 2);
        // Sends complete first, so this is the receive.
        log.wait_for_some(1);
        assert_eq!(turns(&log).len(), 5);
    }

    #[test]
    fn a_full_log_takes_no_more() {
        let mut log = Log::new(1).expect("memory");
        log.send(1, 8, None);
        log.send(2, 8, Some(3));
        assert!(log.is_full());
        assert_eq!(turns(&log).len(), 1);
    }
}
