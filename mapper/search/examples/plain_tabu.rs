//! A plain robust tabu search on hop-bytes, the peer of the benchmark `small`.
//!
//! Usage: `plain_tabu GRAPH MACHINE CORES SECONDS SEED`. Prints the fewest hop-bytes found within
//! the processor seconds, and the seconds after which they were found.
//!
//! The search is Taillard's (Parallel Computing 17, 1991) without anything else: a random start,
//! the whole table of exchanges updated after each step, tenures around the number of slots, and a
//! new random start after a fixed number of steps. It shares no code with the refinement `tabu`.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_base::{NodeId, Rank};
use rankfold_formats::{READERS, Readers, RunPart};
use rankfold_machine::{self as machine, Machine};
use rustix::time::{ClockId, clock_gettime};

/// Steps from one random start, for each pair of slots.
const STEPS_A_PAIR: u64 = 400;

/// The clock is asked every so many steps.
const STEPS_PER_LOOK_AT_THE_CLOCK: u64 = 16;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [graph, machine, cores, seconds, seed] = words.as_slice() else {
        eprintln!("usage: plain_tabu GRAPH MACHINE CORES SECONDS SEED");
        std::process::exit(2);
    };
    let instance = Instance::read(graph, machine, cores.parse().expect("CORES is a number"));
    let seconds = seconds.parse().expect("SECONDS is a number");
    let seed = seed.parse().expect("SEED is a number");
    let (hop_bytes, found_after) = instance.searched(seconds, seed);
    println!("{hop_bytes} {found_after:.3}");
}

/// Flows between slots, rank r being the flow of slot r before the search, and distances.
struct Instance {
    slots: usize,
    flow: Vec<i64>,
    hops: Vec<i64>,
}

impl Instance {
    fn read(graph: &str, machine: &str, cores: u32) -> Self {
        let read = Readers(&[READERS]).read(&[graph.into()], &RunPart::default());
        let traffic = read.expect("the graph is readable").traffic;
        let graph = traffic.into_graph().expect("the graph is usable");
        let affinity = graph.affinity();
        let hardware = machine::load(machine).expect("the machine is known");
        let machine = Machine::uniform(hardware, cores);
        let slots = machine.slots().len();
        let distances = machine.topology().distances();
        let node = |slot: usize| NodeId::at(slot / cores as usize);
        let pairs = || (0..slots).flat_map(|a| (0..slots).map(move |b| (a, b)));
        let flow = |(a, b): (usize, usize)| {
            let is_pair = a != b && a.max(b) < affinity.ranks();
            let bytes = is_pair.then(|| affinity.bytes_between(Rank::at(a), Rank::at(b)));
            bytes.flatten().unwrap_or(0) as i64
        };
        Self {
            slots,
            flow: pairs().map(flow).collect(),
            hops: pairs()
                .map(|(a, b)| i64::from(distances.hops(node(a), node(b))))
                .collect(),
        }
    }

    fn flow(&self, a: usize) -> &[i64] {
        &self.flow[a * self.slots..][..self.slots]
    }

    fn hops(&self, a: usize) -> &[i64] {
        &self.hops[a * self.slots..][..self.slots]
    }

    fn searched(&self, seconds: f64, seed: u64) -> (i64, f64) {
        let begun = processor_seconds();
        let passed = || processor_seconds() - begun;
        let is_over = || passed() >= seconds;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut best = (i64::MAX, 0.0);
        while !is_over() {
            let mut at: Vec<usize> = (0..self.slots).collect();
            at.shuffle(&mut random);
            let mut walk = Walk::new(self, at);
            let steps = STEPS_A_PAIR * (self.slots * self.slots) as u64;
            for step in 1..=steps {
                walk.step(step, best.0, &mut random);
                if walk.cost < best.0 {
                    best = (walk.cost, passed());
                }
                if step % STEPS_PER_LOOK_AT_THE_CLOCK == 0 && is_over() {
                    break;
                }
            }
        }
        best
    }
}

/// Processor time of this process since its start, in seconds.
fn processor_seconds() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// One search under way: the slot of every flow, and what each exchange would change.
struct Walk<'a> {
    instance: &'a Instance,
    at: Vec<usize>,
    cost: i64,
    change: Vec<i64>,
    forbidden_until: Vec<u64>,
}

impl<'a> Walk<'a> {
    fn new(instance: &'a Instance, at: Vec<usize>) -> Self {
        let slots = instance.slots;
        let pairs = || (0..slots).flat_map(|a| (0..a).map(move |b| (a, b)));
        let cost = pairs()
            .map(|(a, b)| instance.flow(a)[b] * instance.hops(at[a])[at[b]])
            .sum();
        let mut walk = Self {
            instance,
            at,
            cost,
            change: vec![0; slots * slots],
            forbidden_until: vec![0; slots * slots],
        };
        for (a, b) in pairs() {
            walk.change[a * slots + b] = walk.counted(a, b);
        }
        walk
    }

    /// What an exchange changes, counted from nothing.
    fn counted(&self, a: usize, b: usize) -> i64 {
        let (from, to) = (self.instance.flow(a), self.instance.flow(b));
        let here = self.instance.hops(self.at[a]);
        let there = self.instance.hops(self.at[b]);
        let others = (0..self.at.len()).filter(|&other| other != a && other != b);
        others
            .map(|other| (from[other] - to[other]) * (there[self.at[other]] - here[self.at[other]]))
            .sum()
    }

    fn step(&mut self, step: u64, best: i64, random: &mut Xoshiro256PlusPlus) {
        let slots = self.at.len();
        let (mut chosen, mut least) = (None, i64::MAX);
        for a in 0..slots {
            for b in 0..a {
                let change = self.change[a * slots + b];
                if change < least {
                    let may_go = |one: usize, to: usize| {
                        self.forbidden_until[one * slots + self.at[to]] < step
                    };
                    if may_go(a, b) || may_go(b, a) || self.cost + change < best {
                        (chosen, least) = (Some((a, b)), change);
                    }
                }
            }
        }
        let Some((a, b)) = chosen else {
            return;
        };
        for one in [a, b] {
            let tenure = slots as f64 * random.random_range(0.9..1.1);
            self.forbidden_until[one * slots + self.at[one]] = step + tenure as u64;
        }
        self.cost += least;
        self.exchange(a, b);
    }

    /// Exchanges two flows, and updates what every exchange would change.
    fn exchange(&mut self, a: usize, b: usize) {
        let slots = self.at.len();
        self.at.swap(a, b);
        let (flow_a, flow_b) = (self.instance.flow(a), self.instance.flow(b));
        let hops_a = self.instance.hops(self.at[a]);
        let hops_b = self.instance.hops(self.at[b]);
        let lean: Vec<i64> = (0..slots).map(|k| flow_a[k] - flow_b[k]).collect();
        let turn: Vec<i64> = self.at.iter().map(|&k| hops_b[k] - hops_a[k]).collect();
        for i in 0..slots {
            for j in 0..i {
                let met = [a, b].iter().any(|one| [i, j].contains(one));
                self.change[i * slots + j] = if met {
                    self.counted(i, j)
                } else {
                    self.change[i * slots + j] + (lean[i] - lean[j]) * (turn[i] - turn[j])
                };
            }
        }
    }
}
