//! Reads a mapfile of any format and turns it into a placement.

use super::bluegene::{self, BlueGene};
use super::cray::Cray;
use super::order;
use super::seats::{Seat, misplaced};
use super::{FORMATS, MapfileError, MapfileFormat, Result, Seats};
use rankfold_base::words::seems;
use rankfold_base::{NodeId, Placement, SlotId};
use rankfold_machine::Machine;
use std::path::Path;

/// Reads a mapfile of the given format, or of the format its content indicates.
///
/// # Errors
/// [`MapfileError`], naming file and line.
pub fn read(path: &Path, from: Option<&dyn MapfileFormat>) -> Result<Seats> {
    let content = rankfold_base::files::read(path).map_err(|source| MapfileError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    let file = path.to_string_lossy();
    match from {
        Some(format) => parse_as(format, &content, &file),
        None => parse(&content, &file).map(|(_, seats)| seats),
    }
}

/// Detects the format of `content` and reads it; errors name `file`. A rank order that cannot be
/// anything else is read as `cray`, points that are no rank order as `bluegene`. Other contents are
/// read as the first of [`FORMATS`] that matches, and [`parse_as`] reads them as a format of the
/// caller's choice.
///
/// # Errors
/// [`MapfileError`], naming file and line.
pub fn parse(content: &[u8], file: &str) -> Result<(&'static str, Seats)> {
    let (order, points): (&dyn MapfileFormat, &dyn MapfileFormat) = (&Cray, &BlueGene);
    let certain = order::is_certain(content).then_some(order);
    let certain = certain.or_else(|| bluegene::is_certain(content).then_some(points));
    certain
        .into_iter()
        .chain(FORMATS.iter().copied())
        .find_map(|format| {
            let seats = format.read(content, file)?;
            Some(seats.map(|seats| (format.name(), seats)))
        })
        .unwrap_or_else(|| {
            Err(MapfileError::Unrecognised {
                file: file.into(),
                seems: seems(content),
            })
        })
}

/// Reads `content` as a file of `format`.
///
/// # Errors
/// [`MapfileError`], naming file and line.
pub fn parse_as(format: &dyn MapfileFormat, content: &[u8], file: &str) -> Result<Seats> {
    format.read(content, file).unwrap_or_else(|| {
        Err(MapfileError::NotOfFormat {
            format: format.name(),
            file: file.into(),
        })
    })
}

/// The node of every rank.
///
/// # Errors
/// [`MapfileError::Misplaced`] if the machine has no such node or host.
pub fn nodes_of(seats: &Seats, machine: &Machine, file: &str) -> Result<Vec<NodeId>> {
    let seats = seats.on(machine, file)?;
    Ok(seats.into_iter().map(|(node, _)| node).collect())
}

/// The placement of `ranks` ranks that `seats` describe. On a node, ranks get the slots that the
/// file gives by place or core. The remaining ranks get the free slots in rank order.
///
/// # Errors
/// [`MapfileError::WrongRanks`]; [`MapfileError::Misplaced`], also if a node has too few slots.
pub fn placement(seats: &Seats, machine: &Machine, ranks: usize, file: &str) -> Result<Placement> {
    if seats.ranks() != ranks {
        return Err(MapfileError::WrongRanks {
            file: file.into(),
            placed: seats.ranks(),
            ranks,
        });
    }
    let places = seats.on(machine, file)?;
    let mut seating = Seating {
        machine,
        file,
        taken: vec![false; machine.slots().len()],
        slot_of: vec![None; ranks],
    };
    seating.by_place(&places)?;
    seating.by_core(&places, &seats.cores);
    seating.by_rank(&places, &seats.cores)?;
    let slots = seating.slot_of.into_iter().flatten();
    Ok(Placement::new(slots.collect()))
}

/// Assigns slots to ranks. Ranks with the most precise information come first.
struct Seating<'a> {
    machine: &'a Machine,
    file: &'a str,
    taken: Vec<bool>,
    slot_of: Vec<Option<SlotId>>,
}

impl Seating<'_> {
    fn take(&mut self, rank: usize, slot: SlotId) {
        self.taken[slot.index()] = true;
        self.slot_of[rank] = Some(slot);
    }

    fn by_place(&mut self, places: &[Seat]) -> Result<()> {
        for (rank, &(node, within)) in places.iter().enumerate() {
            let Some(within) = within else { continue };
            let mut slots = self.machine.slots().on(node);
            let capacity = slots.len();
            let slot = slots.nth(within as usize).ok_or_else(|| {
                let problem = format!("place {within} on node {node}, which takes {capacity}");
                misplaced(self.file, rank, problem)
            })?;
            if self.taken[slot.index()] {
                let problem = format!("place {within} on node {node} is taken already");
                return Err(misplaced(self.file, rank, problem));
            }
            self.take(rank, slot);
        }
        Ok(())
    }

    /// Where the machine knows the cores of its slots, assigns each rank the slot that has its
    /// core.
    fn by_core(&mut self, places: &[Seat], cores: &[Option<u32>]) {
        for (rank, (&(node, _), core)) in places.iter().zip(cores).enumerate() {
            let (Some(core), None) = (core, self.slot_of[rank]) else {
                continue;
            };
            let has = |slot: &SlotId| {
                let own = self.machine.cores(*slot);
                own.is_some_and(|own| own.contains(core)) && !self.taken[slot.index()]
            };
            if let Some(slot) = self.machine.slots().on(node).find(has) {
                self.take(rank, slot);
            }
        }
    }

    /// Assigns the free slots to the remaining ranks, by ascending cores where the file gives
    /// cores, otherwise by rank.
    fn by_rank(&mut self, places: &[Seat], cores: &[Option<u32>]) -> Result<()> {
        let waiting = |rank: &usize| self.slot_of[*rank].is_none();
        let mut waiting: Vec<usize> = (0..places.len()).filter(waiting).collect();
        waiting.sort_by_key(|&rank| cores.get(rank).copied().flatten());
        let mut free: Vec<_> = (0..self.machine.slots().nodes())
            .map(|node| self.machine.slots().on(NodeId::at(node)))
            .collect();
        for rank in waiting {
            let node = places[rank].0;
            let slot = free[node.index()].find(|slot| !self.taken[slot.index()]);
            let slot = slot.ok_or_else(|| self.overfull(rank, node))?;
            self.take(rank, slot);
        }
        Ok(())
    }

    fn overfull(&self, rank: usize, node: NodeId) -> MapfileError {
        let slots = self.machine.slots().capacity(node);
        let problem = format!(
            "node {node} is full with {slots} ranks: raise --cores or its slots= in --hosts"
        );
        misplaced(self.file, rank, problem)
    }
}
