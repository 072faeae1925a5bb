//! The work of the ranks: every rank reports where it runs. Then the ranks call every collective
//! with every root, and check the data that they get.

use super::collectives::CHECKS;
use super::cores;
use super::messages::{ExaminedLaunch, Message, RankLocation};
use super::wrong_data::WrongData;
use crate::own_ranks::{end_after, open, tell};
use crate::traces::host;
use anyhow::Context;
use rankfold_abi::loaded::World;
use rankfold_abi::mpi::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use std::time::Duration;

/// The tag of the messages between ranks; any number does.
const TAG: u16 = 7;

/// The lengths that collectives are called with, in integers a rank. Libraries choose their
/// algorithms by length. Chosen by hand; not measured.
const LENGTHS: [usize; 3] = [1, 256, 16384];

/// Most integers that a rank holds for one call. Chosen by hand; not measured.
const MOST: usize = 1 << 20;

/// Most calls with wrong data that are reported from each rank. Chosen by hand; not measured.
const MOST_TOLD: usize = 200;

/// Acts as one rank of a launch that is examined, for at most `limit`. `mpi` is the library to use,
/// if the user names one.
pub(crate) fn examine(mpi: Option<&Path>, limit: Duration) -> anyhow::Result<u8> {
    end_after(limit);
    let world = match open(mpi) {
        Ok(world) => world,
        Err(unfit) => {
            tell(&Message::Unfit(unfit));
            return Ok(1);
        }
    };
    examine_in(&world)?;
    world.finalize()?;
    Ok(0)
}

fn examine_in(world: &World) -> anyhow::Result<()> {
    let places = collect(world, &place(world)?)?;
    if world.rank() == 0 {
        tell(&Message::Opened(ExaminedLaunch {
            library: world.library().display().to_string(),
            version: short(&world.version()?),
            ranks: places,
        }));
    }
    let most = (MOST / world.size()).max(1);
    let mut lengths = LENGTHS.map(|length| length.min(most)).to_vec();
    lengths.dedup();
    let mut wrong = Vec::new();
    for check in CHECKS {
        let roots = if check.rooted { world.size() } else { 1 };
        if world.rank() == 0 {
            tell(&Message::Begins(check.name.into()));
        }
        for root in 0..roots {
            for &length in &lengths {
                wrong.extend(check.run(world, root, length)?);
            }
        }
    }
    wrong.truncate(MOST_TOLD);
    let wrong: Vec<Vec<WrongData>> = collect(world, &wrong)?;
    if world.rank() == 0 {
        tell(&Message::Done {
            kinds: CHECKS.len(),
            lengths,
            roots: world.size(),
            wrong: wrong.concat(),
        });
    }
    Ok(())
}

/// The name and number at the beginning of a version text.
fn short(version: &str) -> String {
    let named = version.split(',').next().unwrap_or(version);
    let words: Vec<&str> = named.split_whitespace().collect();
    words.join(" ")
}

/// Where this rank runs.
fn place(world: &World) -> Result<RankLocation> {
    let (cores, bound) = cores::own();
    Ok(RankLocation {
        host: host(),
        cores,
        bound,
        shares_with: world.shares_memory_with()?,
    })
}

/// Collects a value of every rank on rank 0; other ranks get an empty list. The values are sent by
/// messages, since the collectives themselves are examined.
fn collect<T: Serialize + DeserializeOwned + Clone>(
    world: &World,
    own: &T,
) -> anyhow::Result<Vec<T>> {
    if world.rank() > 0 {
        let text = serde_json::to_vec(own)?;
        world.send(&(text.len() as u64).to_le_bytes(), 0, TAG)?;
        world.send(&text, 0, TAG)?;
        return Ok(Vec::new());
    }
    let mut all = vec![own.clone()];
    for rank in 1..world.size() {
        let mut length = [0; 8];
        world.receive(&mut length, rank, TAG)?;
        let mut text = vec![0; usize::try_from(u64::from_le_bytes(length))?];
        world.receive(&mut text, rank, TAG)?;
        let record = serde_json::from_slice(&text);
        all.push(record.with_context(|| format!("what rank {rank} tells"))?);
    }
    Ok(all)
}
