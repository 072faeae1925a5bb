//! Model `intel`: the algorithms that Intel MPI 2021 selects.
//!
//! Intel MPI selects algorithms by tuning files, one for each kind of processor and network. Their
//! format is not documented. One general file, `tuning_generic_shm-ofi.dat`, is for all other
//! machines. The [`rules`] are the choices that Intel MPI was measured to make with this file. A
//! parameter `I_MPI_ADJUST_*` of the run [chooses](chosen) another algorithm.
//!
//! Scans go by recursive doubling, and reduce-scatters are pairwise if they are long.

mod algorithms;
mod chosen;
mod leaders;
mod rules;
#[cfg(test)]
mod tests;

use super::LibraryModel;
use crate::{Call, Model, Sink};
use algorithms::{Algorithm, Choice};
use rankfold_wire::Operation;

/// The model `intel`.
pub(crate) struct IntelMpi;

impl LibraryModel for IntelMpi {
    fn recognises(&self, version: &str) -> bool {
        version.starts_with("Intel(R) MPI")
    }
}

impl Model for IntelMpi {
    described!(
        "intel",
        "as Intel MPI 2021 was measured to select algorithms"
    );

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        if call.members > 1 {
            leaders::expand(call, choice(call), sink);
        }
    }

    fn is_dense(&self, call: &Call<'_>) -> bool {
        match call.op {
            Operation::Alltoall | Operation::ReduceScatter | Operation::ReduceScatterBlock => {
                choice(call) == Choice::Flat(Algorithm::Direct)
            }
            _ => false,
        }
    }
}

fn choice(call: &Call<'_>) -> Choice {
    chosen::choice(call).unwrap_or_else(|| rules::choice(call))
}
