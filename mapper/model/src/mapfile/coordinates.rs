//! Coordinates of every rank's node on a torus or mesh, for the formats that speak of them.

use super::MapfileError;
use crate::ids::{Rank, SlotId};
use crate::machine::{Grid, Machine};
use crate::placement::Placement;

/// The grid of `machine`, if it has one of `dims` dimensions.
pub(super) fn grid<'a>(
    machine: &'a Machine,
    format: &'static str,
    dims: impl Fn(usize) -> bool,
    wanted: &str,
) -> Result<&'a Grid, MapfileError> {
    let grid = machine.topology().structure().grid();
    let fits = grid.filter(|grid| dims(grid.dims().len()));
    fits.ok_or_else(|| MapfileError::CannotExpress {
        format,
        problem: format!(
            "{} is no torus or mesh of {wanted} dimensions",
            machine.topology().spec()
        ),
    })
}

/// The coordinates of `rank`, and its place on the node.
pub(super) fn seat(
    rank: usize,
    placement: &Placement,
    machine: &Machine,
    grid: &Grid,
) -> (Vec<usize>, u32) {
    let slot: SlotId = placement.slot(Rank::at(rank));
    let node = machine.slots().node_of(slot);
    let first = machine.slots().on(node).next().map_or(0, |first| first.0);
    (grid.coordinates(node), slot.0 - first)
}
