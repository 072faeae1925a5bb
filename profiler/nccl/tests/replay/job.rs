//! Jobs as NCCL carries them out, made up: the events of every process in the order that NCCL
//! documents, and the bytes that must come out, added up while the events are made.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Bytes of the largest transfer of a proxy.
const CHUNK: u64 = 1 << 17;

/// Identifier of the communicator of all ranks.
pub(crate) const WORLD: u64 = 0x1234_5678_9abc_def0;

/// The events of one rank: what its first thread does, and what three further threads do at the
/// same time.
#[derive(Clone, Default)]
pub(crate) struct Events {
    pub(crate) first: String,
    pub(crate) threads: [String; 3],
    operations: u32,
    steps: u32,
}

/// A job, and what is expected of its profile.
pub(crate) struct Job {
    pub(crate) ranks: u32,
    gpus: u32,
    pub(crate) events: Vec<Events>,
    /// Bytes over the network, by sender and receiver.
    pub(crate) network: BTreeMap<(u32, u32), u64>,
    /// Bytes by `ncclSend`, by sender and receiver.
    pub(crate) sent: BTreeMap<(u32, u32), u64>,
}

impl Job {
    /// A job on `nodes` nodes of `gpus` GPUs, whose ranks make the communicator of all, number 0.
    pub(crate) fn new(nodes: u32, gpus: u32) -> Self {
        let ranks = nodes * gpus;
        let mut job = Self {
            ranks,
            gpus,
            events: vec![Events::default(); ranks as usize],
            network: BTreeMap::new(),
            sent: BTreeMap::new(),
        };
        let all: Vec<u32> = (0..ranks).collect();
        job.communicator(0, WORLD, &all);
        job
    }

    /// Makes communicator `number` of these ranks.
    pub(crate) fn communicator(&mut self, number: u32, id: u64, members: &[u32]) {
        let size = members.len();
        for (rank, &member) in members.iter().enumerate() {
            let first = &mut self.events[member as usize].first;
            writeln!(first, "init {number} {id:x} 2 {size} {rank}").expect("a text");
        }
    }

    fn nodes(&self) -> u32 {
        self.ranks / self.gpus
    }

    /// A collective that all members of a communicator call.
    pub(crate) fn call(&mut self, number: u32, members: &[u32], call: &str) {
        for &member in members {
            let user = &mut self.events[member as usize].threads[0];
            writeln!(user, "call {number} {call}").expect("a text");
        }
    }

    /// A ring allreduce of `bytes` on all ranks over channels. The GPU at which channel c enters
    /// and leaves a node is GPU c.
    pub(crate) fn ring(&mut self, bytes: u64, channels: u32) {
        let all: Vec<u32> = (0..self.ranks).collect();
        self.call(0, &all, &format!("AllReduce {} ncclFloat32 0", bytes / 4));
        let each = 2 * u64::from(self.ranks - 1) * (bytes / u64::from(self.ranks * channels));
        for channel in 0..channels {
            let gpu = channel % self.gpus;
            for node in 0..self.nodes() {
                let next = (node + 1) % self.nodes();
                let (from, to) = (node * self.gpus + gpu, next * self.gpus + gpu);
                self.transfer(0, (from, from), (to, to), each);
            }
        }
    }

    /// A tree allreduce of `bytes`: half along a heap of the nodes, half along its mirror image, up
    /// and down.
    pub(crate) fn tree(&mut self, bytes: u64) {
        let all: Vec<u32> = (0..self.ranks).collect();
        self.call(0, &all, &format!("AllReduce {} ncclBfloat16 0", bytes / 2));
        let last = self.nodes() - 1;
        for node in 1..=last {
            let parent = (node - 1) / 2;
            for (gpu, child, parent) in [(0, node, parent), (1, last - node, last - parent)] {
                let [child, parent] = [child, parent].map(|n| n * self.gpus + gpu % self.gpus);
                self.transfer(0, (child, child), (parent, parent), bytes / 2);
                self.transfer(0, (parent, parent), (child, child), bytes / 2);
            }
        }
    }

    /// An `ncclSend` and its `ncclRecv` on a communicator. Sender and receiver are given with their
    /// ranks in the communicator.
    pub(crate) fn send(&mut self, number: u32, from: (u32, u32), to: (u32, u32), bytes: u64) {
        let calls = [(from.0, "Send", to.1), (to.0, "Recv", from.1)];
        for (rank, function, peer) in calls {
            let user = &mut self.events[rank as usize].threads[0];
            writeln!(user, "send {number} {function} {bytes} ncclInt8 {peer}").expect("a text");
        }
        *self.sent.entry((from.0, to.0)).or_default() += bytes;
        if from.0 / self.gpus != to.0 / self.gpus {
            self.transfer(number, from, to, bytes);
        }
    }

    /// What the proxies of both ends do for one transfer. Ranks are given as in [`Job::send`].
    fn transfer(&mut self, number: u32, from: (u32, u32), to: (u32, u32), bytes: u64) {
        self.events[from.0 as usize].operation(number, from.1, to.1, true, bytes, true);
        self.events[to.0 as usize].operation(number, to.1, from.1, false, bytes, true);
        *self.network.entry((from.0, to.0)).or_default() += bytes;
    }

    /// What the proxy of `by` sends for another process, `from`.
    pub(crate) fn send_by(&mut self, by: u32, from: u32, to: u32, bytes: u64) {
        self.events[by as usize].operation(0, from, to, true, bytes, false);
        *self.network.entry((from, to)).or_default() += bytes;
    }

    /// Ends all communicators up to `last`, by any thread and while others still count.
    pub(crate) fn end(&mut self, last: u32) {
        for events in &mut self.events {
            for number in (0..=last).rev() {
                if events.first.contains(&format!("init {number} ")) {
                    writeln!(events.threads[1], "end {number}").expect("a text");
                }
            }
        }
    }
}

impl Events {
    /// An operation of a proxy: steps are begun ahead, and several operations are under way at
    /// once.
    fn operation(&mut self, number: u32, own: u32, peer: u32, sends: bool, bytes: u64, ours: bool) {
        self.operations += 1;
        let operation = self.operations;
        let thread = 1 + (operation % 2) as usize;
        let lines = &mut self.threads[thread];
        let (sends, ours) = (u8::from(sends), u8::from(ours));
        let mut line = |text: String| {
            lines.push_str(&text);
            lines.push('\n');
        };
        line(format!(
            "op {operation} {number} {own} {peer} {sends} {ours}"
        ));
        let mut under_way = Vec::new();
        let mut rest = bytes;
        while rest > 0 {
            let chunk = rest.min(CHUNK);
            rest -= chunk;
            self.steps += 1;
            let step = self.steps % 4000;
            line(format!("step {step} {operation}"));
            under_way.push((step, chunk));
            if under_way.len() == 3 || rest == 0 {
                // Out of order: the last step first.
                for (step, chunk) in under_way.drain(..).rev() {
                    line(format!("moved {step} {chunk}\nstop {step}"));
                }
            }
        }
        line(format!("done {operation}"));
    }
}
