//! The work of the ranks that measure.

mod bandwidths;
mod crew;
mod known_tree;
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

/// The settings of the measurement.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The MPI library, if the user names one.
    pub(crate) mpi: Option<PathBuf>,
    /// The time for measurements.
    pub(crate) time: Duration,
    /// The time after which this process is killed.
    pub(crate) limit: Duration,
    pub(crate) seed: u64,
    /// The tree of switches whose capacities are measured, if it is known.
    pub(crate) machine: Option<String>,
}

/// Tags of messages.
const ORDERS: u16 = 1;
const RESULTS: u16 = 2;
const NAMES: u16 = 3;
const THERE: u16 = 4;
const BACK: u16 = 5;

/// The length of the message in which a rank names its host.
const NAME: usize = 256;

/// Acts as one rank of the launch; returns the exit status.
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
        let crew = Crew::gather(&world, hosts, &kernels, settings.machine.is_some());
        match &settings.machine {
            None => leader::lead(&crew, settings, start + settings.time)?,
            Some(machine) => leader::measure_known(&crew, machine)?,
        }
        crew.dismiss()?;
    } else {
        world.send(&name(), 0, NAMES)?;
        order::obey(&world)?;
    }
    world.finalize()?;
    Ok(0)
}

/// This host's name, and behind a NUL byte the boot id of its kernel, which is the same in all
/// containers on one machine.
fn name() -> [u8; NAME] {
    let kernel = fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let text = [host().into_bytes(), vec![0], kernel].concat();
    let mut name = [0; NAME];
    for (to, from) in name.iter_mut().zip(text) {
        *to = from;
    }
    name
}

/// The host names and the boot ids of all ranks, on rank 0.
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
