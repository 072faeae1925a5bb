//! Model `auto`: the model of the MPI library that the run used.

use super::library::{self, LibraryModel};
use super::{Call, Model, Sink};

/// The model `auto`.
pub(super) struct Auto;

impl Auto {
    fn library(call: &Call<'_>) -> &'static dyn LibraryModel {
        library::model_of(&call.library.version).unwrap_or(&library::Mpich)
    }
}

impl Model for Auto {
    described!(
        "auto",
        "as the MPI library of the run (as MPICH if the input names no known library)"
    );

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        Self::library(call).expand(call, sink);
    }

    fn is_dense(&self, call: &Call<'_>) -> bool {
        Self::library(call).is_dense(call)
    }
}
