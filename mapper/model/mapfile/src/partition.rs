//! `partition`: text; line t is the part that task t belongs to, counted from 0, as METIS, KaHIP
//! and Scotch's `gpart` write partitions. Parts are the hosts that the job may use, in the order
//! in which its launch fills them.

use super::output::indices_among;
use super::text::{each_line, lines, utf8};
use super::{Mapfile, MapfileFormat, RankPlaces, Result, Seats};
use rankfold_base::Placement;
use rankfold_machine::Machine;

/// Format `partition`.
pub(super) struct Partition;

impl MapfileFormat for Partition {
    described!(
        "partition",
        "line t is the part of task t (no launcher; METIS's .part files, for map --imbalance)"
    );

    fn needs_hosts(&self) -> bool {
        false
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let parts = indices_among(placement, machine, &machine.launch_order());
        let text = parts.iter().map(|part| format!("{part}\n")).collect();
        Ok(Mapfile::new(text, ""))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        let text = utf8(content)?;
        lines(text).next()?.1.parse::<u32>().ok()?;
        let parts = each_line(text, file, |line| {
            let part = line.parse::<u32>().map(|part| part as usize);
            part.map_err(|_| format!("{line:?} is not the number of a part"))
        });
        Some(parts.map(|parts| RankPlaces::Allocated(parts).into()))
    }
}
