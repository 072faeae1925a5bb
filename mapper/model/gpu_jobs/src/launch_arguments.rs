//! Launches of Megatron-LM and Megatron-DeepSpeed: a shell script with the command line, from which
//! the traffic of one training step is derived before the first run.
//!
//! The script is followed without running anything ([`Script`]): `torchrun --nnodes $NODES
//! --nproc-per-node 8 pretrain_gpt.py --tensor-model-parallel-size ${TP:-8} $GPT_ARGS`. Of several
//! launches the last one counts. The world size is that of the launcher (`torchrun`, `deepspeed`,
//! `srun`, `mpirun`), or what `#SBATCH` lines ask for. Every parallel dimension is a phase of the
//! step, so that `--phases all` adds up the times of its dimensions. [`ModelShape`] has the
//! arguments that are read, and [`derive`](super::training_step::derive) the traffic.

use super::arguments::Arguments;
use super::model_shape::ModelShape;
use super::shell::Script;
use super::training_step;
use super::{JobCalls, input};
use rankfold_formats::{Mark, Read, Reader, Reading, RunPart};
use rankfold_graph::{CommError, Result};
use std::path::{Path, PathBuf};

/// An option that every launch has.
const LAYERS: &str = "--num-layers";

/// Entry in [`READERS`](super::READERS).
pub(super) const READER: Reader = Reader {
    mark: Mark::Content {
        name: "megatron-launch",
        recognises: |head| input::has(head, &[LAYERS, "--hidden-size"]),
    },
    summary: "a script with the command line of Megatron-LM or Megatron-DeepSpeed: traffic of one training step, derived",
    read: Read::Set(read),
    phases: Some(phases),
};

fn read(files: &[PathBuf], part: &RunPart<'_>) -> Result<Reading> {
    let file = &files[0];
    if let Some(second) = files.get(1) {
        return super::job_calls::refuse(second, "a second file, but a launch is a whole job");
    }
    let contents = input::contents(file)?;
    let text = String::from_utf8_lossy(&contents);
    let script = Script::follow(&text, LAYERS, part.settings);
    let of_values = script.options();
    let words = script.commands.last().unwrap_or(&of_values);
    let arguments = Arguments::of(words, &script, part.settings);
    let mut job = JobCalls::new();
    if script.commands.len() > 1 {
        let count = script.commands.len();
        job.note(format!("the last of {count} launches in the script counts"));
    }
    if script.has_left_out {
        job.note("options under conditions that only a run decides are left out".into());
    }
    fill(&arguments, file, part.phase, &mut job)?;
    let whole = RunPart {
        phase: None,
        settings: &[],
        ..*part
    };
    job.reading(&whole, file)
}

/// The names of the phases of a step: what belongs to one parallel dimension.
fn phases(_: &Path) -> Result<Vec<String>> {
    Ok(training_step::parts().map(str::to_owned).collect())
}

fn fill(arguments: &Arguments, file: &Path, phase: Option<&str>, job: &mut JobCalls) -> Result<()> {
    let refused = |problem: String| CommError::unusable(file, problem);
    arguments.check_open(ModelShape::NUMBERS).map_err(refused)?;
    let world = arguments.world().map_err(refused)?;
    let shape = ModelShape::of(arguments, world).map_err(refused)?;
    let dimensions = [shape.tensor, shape.context, shape.pipeline, shape.data];
    let [tensor, context, pipeline, data] = dimensions;
    job.note(format!(
        "the launch is read as {world} ranks: tensor {tensor} x context {context} x pipeline {pipeline} x data {data}"
    ));
    for rank in 0..world {
        let rank =
            u32::try_from(rank).map_err(|_| refused(format!("{world} ranks are too many")))?;
        job.add_rank(rank, world, file)?;
    }
    if let Some(each) = arguments.ranks_of_host() {
        job.fill_hosts(each);
    }
    training_step::derive(&shape, phase, job).map_err(refused)
}
