//! What the ranks do: say where they are, then call every collective with every root and check what
//! comes.

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

const TAG: u16 = 7;

/// Integers a rank that a collective is called with: libraries choose their algorithms by length.
const LENGTHS: [usize; 3] = [1, 256, 16384];

/// No rank holds more integers than this for one call.
const MOST: usize = 1 << 20;

/// Rank 0 tells of no more calls with wrong data than this from each rank.
const MOST_TOLD: usize = 200;

/// Examines the launch this process is a rank of, for no longer than `limit`; `mpi` is the library
/// to use.
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

/// The name and number in what a library says it is.
fn short(version: &str) -> String {
    let named = version.split(',').next().unwrap_or(version);
    let words: Vec<&str> = named.split_whitespace().collect();
    words.join(" ")
}

fn place(world: &World) -> Result<RankLocation> {
    let (cores, bound) = cores::own();
    Ok(RankLocation {
        host: host(),
        cores,
        bound,
        shares_with: world.shares_memory_with()?,
    })
}

/// What every rank has, on rank 0; nothing elsewhere. By messages, since collectives are what is in
/// doubt.
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
        let told = serde_json::from_slice(&text);
        all.push(told.with_context(|| format!("what rank {rank} tells"))?);
    }
    Ok(all)
}
