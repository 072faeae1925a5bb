//! `torch`: the rank of every process of a PyTorch program that `srun` or ssh starts, one `host
//! local rank` a line. The program initialises with `env://`, which reads `RANK`.

use super::{Mapfile, MapfileFormat, Result, Seats, process_table};
use rankfold_base::Placement;
use rankfold_machine::Machine;

/// Format `torch`.
pub(super) struct Torch;

impl MapfileFormat for Torch {
    described!(
        "torch",
        "PyTorch without torchrun: RANK of every process (host local rank, any placement)"
    );

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let text = process_table::write(placement, machine, self.name())?;
        let ranks = placement.ranks();
        let usage = format!(
            "srun -n {ranks} sh -c 'export WORLD_SIZE={ranks} LOCAL_RANK=$SLURM_LOCALID RANK=$(sed -n \"s|^$(hostname) $SLURM_LOCALID ||p\" {{}}); exec python app.py'"
        );
        Ok(Mapfile::new(text, usage))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        process_table::read(content, file)
    }
}
