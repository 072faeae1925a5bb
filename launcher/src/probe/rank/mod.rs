//! What the ranks do.

mod bandwidths;
mod crew;
mod latencies;
mod leader;
mod order;
mod visit;

use super::messages::Message;
use crate::own_ranks::{end_after, open, tell};
use crate::traces::host;
use crew::Crew;
use rankfold_abi::loaded::World;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How to measure.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The MPI library, if it was named.
    pub(crate) mpi: Option<PathBuf>,
    /// Time for measuring.
    pub(crate) time: Duration,
    /// Time after which this process ends, wherever it is.
    pub(crate) limit: Duration,
    pub(crate) seed: u64,
}

/// Tags of messages.
const ORDERS: u16 = 1;
const RESULTS: u16 = 2;
const NAMES: u16 = 3;
const THERE: u16 = 4;
const BACK: u16 = 5;

/// What a rank says of its host is sent with this length.
const NAME: usize = 256;

/// Measures as a rank of the launch.
pub(crate) fn measure(settings: &Settings) -> anyhow::Result<u8> {
    let start = Instant::now();
    end_after(settings.limit);
    let world = match open(settings.mpi.as_deref()) {
        Ok(world) => world,
        Err(unfit) => {
            tell(&Message::Unfit(unfit));
            return Ok(1);
        }
    };
    if world.rank() == 0 {
        let (hosts, kernels) = named(&world)?;
        let crew = Crew::gather(&world, hosts, &kernels);
        leader::lead(&crew, settings, start + settings.time)?;
        crew.dismiss()?;
    } else {
        world.send(&name(), 0, NAMES)?;
        order::obey(&world)?;
    }
    world.finalize()?;
    Ok(0)
}

/// This host's name, and behind a NUL what its kernel drew when it started: containers on one
/// machine have the same.
fn name() -> [u8; NAME] {
    let kernel = fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let text = [host().into_bytes(), vec![0], kernel].concat();
    let mut name = [0; NAME];
    for (to, from) in name.iter_mut().zip(text) {
        *to = from;
    }
    name
}

/// Host and kernel of every rank, on rank 0.
fn named(world: &World) -> anyhow::Result<(Vec<String>, Vec<String>)> {
    let texts = |name: &[u8]| {
        let mut texts = name
            .split(|&byte| byte == 0)
            .map(|text| String::from_utf8_lossy(text).into_owned());
        (
            texts.next().unwrap_or_default(),
            texts.next().unwrap_or_default(),
        )
    };
    let mut all = vec![texts(&name())];
    for rank in 1..world.size() {
        let mut name = [0; NAME];
        world.receive(&mut name, rank, NAMES)?;
        all.push(texts(&name));
    }
    Ok(all.into_iter().unzip())
}
