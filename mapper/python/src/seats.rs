//! Seats: a slot of a machine for every rank, read from mapfiles and written as such.

use crate::error::{mapper, refused};
use crate::machine::MachineHandle;
use crate::table::{column, values};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rankfold_base::{NodeId, Placement, SlotId};
use rankfold_machine::Machine;
use rankfold_mapfile::{self as mapfile, Mapfile, RankPlaces, Seats};
use rankfold_mapper::cli::mapfile::{flat, from};
use rankfold_mapper::cli::options::NodeArgs;
use rankfold_mapper::cli::write_mapfile;
use std::path::PathBuf;
use std::sync::Arc;

/// A slot for every rank.
#[pyclass(frozen, module = "rankfold._native")]
pub(crate) struct SeatsHandle {
    pub(crate) machine: Arc<Machine>,
    pub(crate) placement: Placement,
}

/// Seats from a column of 64-bit integers: the node of every rank, or its slot.
#[pyfunction]
pub(crate) fn seats(
    machine: &MachineHandle,
    places: &[u8],
    are_slots: bool,
) -> PyResult<SeatsHandle> {
    let number = |value: u64| u32::try_from(value).map_err(refused);
    let numbers = values(places).map(number);
    let seats: Seats = if are_slots {
        let slots = numbers.map(|slot| slot.map(SlotId));
        RankPlaces::Slots(slots.collect::<PyResult<_>>()?).into()
    } else {
        let nodes = numbers.map(|node| node.map(NodeId));
        RankPlaces::Nodes(nodes.collect::<PyResult<_>>()?).into()
    };
    on(&seats, machine.machine.clone(), "placement")
}

/// Reads a mapfile of any format. Without a machine, that is one with the nodes that the file
/// names.
#[pyfunction]
#[pyo3(signature = (path, *, machine=None, format=None))]
#[expect(clippy::needless_pass_by_value, reason = "Python hands a path over")]
pub(crate) fn read_mapfile(
    path: PathBuf,
    machine: Option<&MachineHandle>,
    format: Option<&str>,
) -> PyResult<SeatsHandle> {
    let seats = mapfile::read(&path, from(format).map_err(mapper)?).map_err(mapper)?;
    let file = path.to_string_lossy();
    let machine = match machine {
        Some(machine) => machine.machine.clone(),
        None => Arc::new(flat(&seats, &NodeArgs::default(), &file).map_err(mapper)?),
    };
    on(&seats, machine, &file)
}

fn on(seats: &Seats, machine: Arc<Machine>, file: &str) -> PyResult<SeatsHandle> {
    let placement = mapfile::placement(seats, &machine, seats.ranks(), file).map_err(mapper)?;
    Ok(SeatsHandle { machine, placement })
}

impl SeatsHandle {
    fn written(&self, format: &str) -> PyResult<Mapfile> {
        let format = mapfile::format(format).map_err(mapper)?;
        let written = format.write(&self.placement, &self.machine);
        written.map_err(mapper)
    }
}

#[pymethods]
impl SeatsHandle {
    /// The machine.
    fn machine(&self) -> MachineHandle {
        MachineHandle {
            machine: self.machine.clone(),
        }
    }

    /// The slot of every rank, as 64-bit integers.
    fn slots<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let slots = self.placement.slots().iter();
        column(py, slots.map(|slot| (slot.index() as u64).to_ne_bytes()))
    }

    /// The node of every rank, as 64-bit integers.
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let nodes = self.placement.nodes(self.machine.slots()).into_iter();
        column(py, nodes.map(|node| (node.index() as u64).to_ne_bytes()))
    }

    /// The main file of a mapfile.
    fn mapfile(&self, format: &str) -> PyResult<Vec<u8>> {
        Ok(self.written(format)?.content)
    }

    /// Writes a mapfile. Returns the line that tells how to launch with it.
    #[expect(clippy::needless_pass_by_value, reason = "Python hands a path over")]
    fn write(&self, path: PathBuf, format: &str) -> PyResult<String> {
        write_mapfile::write(&self.written(format)?, &path).map_err(mapper)
    }
}
