//! Generators: the communication of well-known programs, by formula.
//!
//! There is one file for each kind of pattern; [`GENERATORS`] lists all generators. The bytes are
//! those of a whole run of one problem size, which the generator names, and count MPI
//! point-to-point messages alone. Those of BT, SP, LU and CG agree with runs that were counted,
//! pair by pair; those of Sweep3D follow a publication and were not compared with a run. A
//! generator whose bytes are not known is named a surrogate.

mod cloud;
mod conjugate_gradient;
mod grid;
mod multipartition;

use super::{Entry, Traffic};
use rankfold_base::Rank;

/// A generator. [`GENERATORS`] lists all generators.
#[derive(Debug)]
pub struct Generator {
    /// The KIND of `rankfold generate KIND RANKS`.
    pub name: &'static str,
    /// The program, its problem size and the source of the formula, for help and for the first line
    /// of the output.
    pub about: &'static str,
    /// The messages of a number of ranks. The error says which numbers of ranks the program runs
    /// on.
    make: fn(usize) -> Result<Vec<Entry>, String>,
}

/// All generators.
pub const GENERATORS: &[Generator] = &[
    multipartition::BT,
    multipartition::SP,
    conjugate_gradient::CG,
    grid::LU,
    grid::SWEEP3D,
    grid::WRF,
    cloud::ART,
    cloud::GADGET,
];

/// The most ranks: sums of bytes and the time of a generator stay far from any limit. Chosen by
/// hand.
const MOST_RANKS: usize = 1 << 22;

impl Generator {
    /// The traffic of a run with this number of ranks.
    ///
    /// # Errors
    /// A message that says which numbers of ranks are possible.
    pub fn traffic(&self, ranks: usize) -> Result<Traffic, String> {
        if !(2..=MOST_RANKS).contains(&ranks) {
            return Err(format!(
                "the number of ranks must be from 2 to {MOST_RANKS}"
            ));
        }
        let entries = (self.make)(ranks)?;
        Traffic::from_entries(ranks, entries).map_err(|error| error.to_string())
    }
}

/// What one rank sends another; numbers of ranks are below [`MOST_RANKS`].
fn entry(from: usize, to: usize, bytes: usize, messages: usize) -> Entry {
    Entry {
        from: Rank(from as u32),
        to: Rank(to as u32),
        bytes: bytes as u64,
        messages: messages as u64,
    }
}

/// Bytes of a number of Fortran's double precision.
const DOUBLE: usize = 8;

#[cfg(test)]
mod tests;
