//! Grids that programs say they are: `MPI_Cart_create`.

use crate::ids::Rank;
use rankfold_profile::{Communicator, Profile, Shape};

/// A Cartesian topology a program laid over some of its ranks. What it says is a claim: nobody is bound to
/// send along it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredGrid {
    /// Size of every dimension, the last one fastest.
    pub dims: Vec<usize>,
    /// The rank of every cell, row-major.
    pub members: Vec<Rank>,
}

/// The grids of a profile that lie wholly within its world, the largest first; each once.
pub(super) fn of(profile: &Profile) -> Vec<DeclaredGrid> {
    let laid = profile.topologies.iter().filter_map(|topology| {
        let Shape::Cart(dimensions) = &topology.shape else {
            return None;
        };
        let dims = dimensions.iter().map(|d| d.extent as usize).collect();
        grid(dims, profile.communicators.get(topology.comm as usize)?)
    });
    let mut grids: Vec<DeclaredGrid> = Vec::new();
    for grid in laid {
        if !grids.contains(&grid) {
            grids.push(grid);
        }
    }
    grids.sort_by_key(|grid| std::cmp::Reverse(grid.members.len()));
    grids
}

fn grid(dims: Vec<usize>, communicator: &Communicator) -> Option<DeclaredGrid> {
    let members: Option<Vec<Rank>> = communicator.members.iter().map(|m| m.map(Rank)).collect();
    let members = members?;
    let cells: usize = dims.iter().product();
    (cells == members.len()).then_some(DeclaredGrid { dims, members })
}
