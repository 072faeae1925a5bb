//! `jax`: `process_id` of every process of a JAX program, one `host local id` a line. The line
//! that launches exports `JAX_PROCESS_ID`, which the program passes to
//! `jax.distributed.initialize`.

use super::{Mapfile, MapfileFormat, Result, Seats, process_table};
use rankfold_base::Placement;
use rankfold_machine::Machine;

/// Format `jax`.
pub(super) struct Jax;

impl MapfileFormat for Jax {
    described!(
        "jax",
        "JAX: process_id of every process (host local id, any placement)"
    );

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let text = process_table::write(placement, machine, self.name())?;
        let ranks = placement.ranks();
        let usage = format!(
            "srun -n {ranks} sh -c 'export JAX_NUM_PROCESSES={ranks} JAX_PROCESS_ID=$(sed -n \"s|^$(hostname) $SLURM_LOCALID ||p\" {{}}); exec python app.py'"
        );
        Ok(Mapfile::new(text, usage))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        process_table::read(content, file)
    }
}
