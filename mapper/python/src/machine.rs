//! A machine: spec or machine file, and the nodes and slots that a job may use.

use crate::error::{mapper, refused};
use crate::table::column;
use crate::work::wait_for;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rankfold_machine::Machine;
use rankfold_mapper::cli::machine::{description, print_with_picture};
use rankfold_mapper::cli::options::NodeArgs;
use std::path::PathBuf;
use std::sync::Arc;

/// A machine.
#[pyclass(frozen, module = "rankfold._native")]
pub(crate) struct MachineHandle {
    pub(crate) machine: Arc<Machine>,
}

/// Reads a machine as `--machine`, `--cores`, `--hosts` and `--node` name one.
#[pyfunction]
#[pyo3(signature = (spec, *, cores=None, hosts=None, node=None))]
pub(crate) fn machine(
    py: Python<'_>,
    spec: String,
    cores: Option<u32>,
    hosts: Option<String>,
    node: Option<PathBuf>,
) -> PyResult<MachineHandle> {
    if cores == Some(0) {
        return Err(refused("cores 0: at least 1 rank fits on a node"));
    }
    let nodes = NodeArgs {
        cores,
        node,
        hosts,
        oversubscription: None,
    };
    let built = wait_for(py, move |_| nodes.build(&spec))?;
    let machine = Arc::new(built.map_err(mapper)?);
    Ok(MachineHandle { machine })
}

#[pymethods]
impl MachineHandle {
    /// The keys of `rankfold machine --json`.
    fn json(&self) -> PyResult<String> {
        text(description(&self.machine).map_err(refused)?)
    }

    /// What `rankfold machine` prints.
    fn text(&self) -> PyResult<String> {
        let mut out = Vec::new();
        print_with_picture(&self.machine, &mut out).map_err(refused)?;
        text(out)
    }

    /// The node of every slot, as 64-bit integers.
    fn node_of_slots<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let slots = self.machine.slots();
        let nodes = (0..slots.len()).map(|slot| {
            let node = slots.node_of(rankfold_base::SlotId::at(slot));
            (node.index() as u64).to_ne_bytes()
        });
        column(py, nodes)
    }

    /// Where every cable begins and ends, nodes before switches, as 64-bit integers, and its
    /// bandwidth. A cable is there once for each direction; parallel ones are one.
    fn cables<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyBytes>; 3]> {
        let wiring = self.machine.topology().wiring();
        let edges: Vec<_> = wiring.edges.indexed().collect();
        let edges = edges.iter();
        let number = |number: u64| number.to_ne_bytes();
        Ok([
            column(py, edges.clone().map(|&(from, _)| number(from as u64)))?,
            column(py, edges.clone().map(|&(_, edge)| number(edge.to.into())))?,
            column(py, edges.map(|&(_, edge)| edge.bandwidth.to_ne_bytes()))?,
        ])
    }
}

/// What is known to be text.
pub(crate) fn text(bytes: Vec<u8>) -> PyResult<String> {
    String::from_utf8(bytes).map_err(refused)
}
