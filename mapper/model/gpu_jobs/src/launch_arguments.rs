//! Launches of Megatron-LM and Megatron-DeepSpeed: a file with the command line, from which the
//! traffic of one training step is derived before the first run.
//!
//! The file holds the launch as a shell would read it: `torchrun --nnodes 4 --nproc-per-node 8
//! pretrain_gpt.py --tensor-model-parallel-size 8 ...`; lines may end in a backslash, comments
//! start with `#`. Variables of the shell are not expanded. The world size is that of the launcher
//! (`torchrun`, `deepspeed`, `srun`, `mpirun`). Every parallel dimension is a phase of the step, so
//! that `--phases all` adds up the times of its dimensions. [`ModelShape`] has the arguments that
//! are read, and [`derive`](super::training_step::derive) the traffic.

use super::arguments::Arguments;
use super::model_shape::ModelShape;
use super::training_step;
use super::{JobCalls, input};
use rankfold_formats::{Mark, Read, Reader, Reading, RunPart};
use rankfold_graph::CommError;
use std::path::{Path, PathBuf};

/// Entry in [`READERS`](super::READERS).
pub(super) const READER: Reader = Reader {
    mark: Mark::Content {
        name: "megatron-launch",
        recognises: |head| input::has(head, &["--num-layers", "--hidden-size"]),
    },
    summary: "a file with the command line of Megatron-LM or Megatron-DeepSpeed: traffic of one training step, derived",
    read: Read::Set(read),
    phases: Some(phases),
};

fn read(files: &[PathBuf], part: &RunPart<'_>) -> Result<Reading, CommError> {
    let file = &files[0];
    if let Some(second) = files.get(1) {
        return super::job_calls::refuse(second, "a second file, but a launch is a whole job");
    }
    let contents = input::contents(file)?;
    let text = String::from_utf8_lossy(&contents);
    let arguments = Arguments::of(&text);
    let mut job = JobCalls::new();
    fill(&arguments, file, part.phase, &mut job)?;
    let whole = RunPart {
        phase: None,
        ..*part
    };
    job.reading(&whole, file)
}

/// The names of the phases of a step: what belongs to one parallel dimension.
fn phases(_: &Path) -> Result<Vec<String>, CommError> {
    Ok(training_step::parts().map(str::to_owned).collect())
}

fn fill(
    arguments: &Arguments,
    file: &Path,
    phase: Option<&str>,
    job: &mut JobCalls,
) -> Result<(), CommError> {
    let refused = |problem: String| CommError::Refused {
        path: file.to_owned(),
        problem,
    };
    let world = arguments.world().map_err(refused)?;
    let shape = ModelShape::of(arguments, world).map_err(refused)?;
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
