//! Benchmark of the metrics: all metrics on 8192 ranks; hop-bytes, congestion under dimension-order
//! routing and the predicted time on a million ranks.
//!
//! Reading the input is not included. Printed are processor seconds, summed over all threads, and
//! wall-clock seconds.

use rankfold_base::{Placement, Rank, SlotId};
use rankfold_graph::exchange::DEFAULT_SHARE;
use rankfold_graph::{CommGraph, Message, samples};
use rankfold_machine::{self as machine, Machine};
use rankfold_metric::time::time;
use rankfold_metric::{self as metric, Congestion};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let json = std::env::args().skip_while(|arg| arg != "--json").nth(1);
    println!("{:58} {:>9} {:>9}", "", "cpu s", "wall s");
    let mut figures = Vec::new();
    let eight_thousand = stencil(&[32, 16, 16]);
    for spec in ["torus:32x16x16", "fattree:32", "dragonfly:16,16,4,32"] {
        for scattered in [false, true] {
            let (machine, placement) = seated(&eight_thousand, spec, scattered);
            let name = format!("8192 ranks, all metrics, {spec}{}", how(scattered));
            figures.push(timed(name, || {
                black_box(metric::score(&eight_thousand, &machine, &placement));
            }));
        }
    }
    drop(eight_thousand);
    let million = stencil(&[128, 128, 64]);
    for scattered in [false, true] {
        let (machine, placement) = seated(&million, "torus:128x128x64", scattered);
        let name = format!(
            "1M ranks, hop-bytes, dor, torus:128x128x64{}",
            how(scattered)
        );
        figures.push(timed(name, || {
            let nodes = placement.nodes(machine.slots());
            black_box(metric::hop_bytes(&million, machine.topology(), &nodes));
            let flows = metric::flows(&million, &nodes);
            let loads = metric::routed_loads(machine.topology(), &flows);
            black_box(Congestion::of(&loads));
        }));
    }
    drop(million);
    let million = body_centred(&[128, 128, 64]);
    for speed in ["", "@5GB/s+500ns"] {
        for scattered in [false, true] {
            let spec = format!("torus:128x128x64{speed}");
            let (machine, placement) = seated(&million, &spec, scattered);
            let name = format!("1M ranks, degree 14, time, {spec}{}", how(scattered));
            figures.push(timed(name, || {
                black_box(time(&million, &machine, &placement, DEFAULT_SHARE));
            }));
        }
    }
    if let Some(path) = json {
        let rows: Vec<String> = figures
            .iter()
            .map(|(name, cpu, wall)| {
                format!("  \"{name}\": {{\"cpu\": {cpu:.3}, \"wall\": {wall:.3}}}")
            })
            .collect();
        std::fs::write(path, format!("{{\n{}\n}}\n", rows.join(",\n")))
            .expect("the file can be written");
    }
}

fn how(scattered: bool) -> &'static str {
    if scattered { ", scattered" } else { "" }
}

/// A periodic halo exchange with the nearest neighbours of a grid.
fn stencil(dims: &[usize]) -> CommGraph {
    let ranks: usize = dims.iter().product();
    let mut messages = Vec::new();
    let mut stride = ranks;
    for &k in dims {
        stride /= k;
        for rank in 0..ranks {
            let at = rank / stride % k;
            let next = rank - at * stride + (at + 1) % k * stride;
            for (from, to) in [(rank, next), (next, rank)] {
                messages.push(Message {
                    from: Rank::at(from),
                    to: Rank::at(to),
                    bytes: 1024,
                });
            }
        }
    }
    CommGraph::from_messages(ranks, messages).expect("the formula is right")
}

/// A periodic halo exchange with the 6 nearest and the 8 corner neighbours of a cubic grid.
fn body_centred(dims: &[usize; 3]) -> CommGraph {
    let grid = samples::RankGrid {
        dims,
        periodic: &[true; 3],
    };
    let offsets: Vec<[i32; 3]> = (0..27)
        .map(|cell| [cell / 9 - 1, cell / 3 % 3 - 1, cell % 3 - 1])
        .filter(|steps| matches!(steps.iter().filter(|&&step| step != 0).count(), 1 | 3))
        .collect();
    let offsets: Vec<(&[i32], u64)> = offsets.iter().map(|steps| (&steps[..], 1024)).collect();
    samples::graph(dims.iter().product(), grid.messages(&offsets))
}

/// One rank a slot, in order, or with a large stride that is coprime to the number of slots.
fn seated(graph: &CommGraph, spec: &str, scattered: bool) -> (Machine, Placement) {
    let machine = Machine::uniform(machine::parse(spec).expect("a good spec"), 1);
    let stride = if scattered { 514_229 } else { 1 };
    let slots = machine.slots().len();
    let slot = |rank: usize| SlotId::at(rank * stride % slots);
    let placement = Placement::new((0..graph.ranks()).map(slot).collect());
    (machine, placement)
}

/// Runs `run` once. Prints and returns the name, processor seconds and wall-clock seconds.
fn timed(name: String, run: impl FnOnce()) -> (String, f64, f64) {
    let (cpu, wall) = (processor_seconds(), Instant::now());
    run();
    let (cpu, wall) = (processor_seconds() - cpu, wall.elapsed().as_secs_f64());
    println!("{name:58} {cpu:9.2} {wall:9.2}");
    (name, cpu, wall)
}

/// User and system time of this process, from fields 14 and 15 of `/proc/self/stat` (proc(5)).
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields = after_name.split_whitespace().skip(11).take(2);
    let ticks: f64 = fields.filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / 100.0
}
