//! Coordinates of the ranks' nodes on a torus or mesh, shared by formats that use coordinates.

use super::{MapfileError, Result};
use rankfold_base::{Placement, Rank, SlotId};
use rankfold_machine::{Grid, Machine};

/// The grid of `machine`, if it has a number of dimensions that `dims` accepts.
pub(super) fn grid<'a>(
    machine: &'a Machine,
    format: &'static str,
    dims: impl Fn(usize) -> bool,
    wanted: &str,
) -> Result<&'a Grid> {
    let grid = machine.topology().structure().grid();
    let fits = grid.filter(|grid| dims(grid.dims().len()));
    fits.ok_or_else(|| {
        MapfileError::cannot_express(
            format,
            format!(
                "{} is no torus or mesh of {wanted} dimensions",
                machine.topology().spec()
            ),
        )
    })
}

/// The coordinates of the node of `rank`, and the rank's place on the node.
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
