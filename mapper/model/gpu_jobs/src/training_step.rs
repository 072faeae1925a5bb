//! The traffic of one training step of a transformer, derived from its shape.
//!
//! Sources: Narayanan et al., "Efficient large-scale language model training on GPU clusters using
//! Megatron-LM" (SC 2021), section 3 (tensor: two allreduces a layer forward and two backward;
//! pipeline: activations of every microbatch between neighbouring stages; data: one allreduce of
//! the gradients); Korthikanti et al., "Reducing activation recomputation in large transformer
//! models" (2022), section 4.2 (sequence parallelism: an all-gather and a reduce-scatter in place
//! of each allreduce); Rajbhandari et al., "ZeRO: memory optimizations toward training trillion
//! parameter models" (SC 2020), section 7.2.2 (stage 3: two all-gathers of the parameters and one
//! reduce-scatter of the gradients). The ranks of a group follow Megatron-LM's default order
//! `tp-cp-ep-dp-pp`, tensor fastest, pipeline slowest, or with `--use-tp-pp-dp-mapping` the order
//! `tp-cp-ep-pp-dp`.
//!
//! Not derived: recomputed activations, embeddings shared by the first and last stage, the loss
//! over a divided vocabulary, checkpoints. They are small beside the rest.

use super::JobCalls;
use super::model_shape::{ModelShape, Zero};
use rankfold_wire::Operation;

/// Adds the calls of one kind.
type Derive = fn(&ModelShape, &mut JobCalls) -> Result<(), String>;

/// The parts of a step, which follow each other in time: their names, and who derives them.
const PARTS: [(&str, Derive); 5] = [
    ("tensor", tensor),
    ("context", context),
    ("expert", expert),
    ("pipeline", pipeline),
    ("gradients", gradients),
];

/// The names of the parts of a step.
pub(super) fn parts() -> impl Iterator<Item = &'static str> {
    PARTS.iter().map(|(name, _)| *name)
}

/// Adds the calls of one training step to the job, or those of one part of the step.
///
/// # Errors
/// A message, if a group is not possible or no part has this name.
pub(super) fn derive(
    shape: &ModelShape,
    only: Option<&str>,
    job: &mut JobCalls,
) -> Result<(), String> {
    if let Some(name) = only.filter(|name| !parts().any(|part| part == *name)) {
        let known: Vec<&str> = parts().collect();
        return Err(format!(
            "a step has no phase {name:?}, only {}",
            known.join(", ")
        ));
    }
    let mut chosen = PARTS
        .iter()
        .filter(|(name, _)| only.is_none_or(|only| only == *name));
    chosen.try_for_each(|(_, derive)| derive(shape, job))
}

/// A message of so many bytes.
fn message(job: &mut JobCalls, from: u32, to: u32, bytes: u128) -> Result<(), String> {
    let counted = u64::try_from(bytes);
    let counted = counted.map_err(|_| format!("{bytes} bytes between two ranks exceed 2^64"))?;
    job.message(from, to, counted);
    Ok(())
}

/// Calls of an operation, `times` times, by all members of a group.
fn call(
    job: &mut JobCalls,
    members: &[u32],
    op: Operation,
    bytes: u128,
    times: u128,
) -> Result<(), String> {
    if members.len() < 2 || bytes == 0 {
        return Ok(());
    }
    let too_many = || format!("{times} calls with {bytes} bytes have more than 2^64 bytes");
    u64::try_from(bytes * times).map_err(|_| too_many())?;
    let (bytes, times) = (bytes as u64, times as u64);
    let group = job.group(members)?;
    for &rank in members {
        job.equal_collectives(rank, group, op, None, bytes, times);
    }
    Ok(())
}

/// The groups of `size` ranks of every stage whose members are `stride` ranks of the stage apart,
/// each with its stage.
fn groups(shape: &ModelShape, size: u128, stride: u128) -> Vec<(u128, Vec<u32>)> {
    let starts = (0..shape.of_stage()).filter(|at| (at / stride).is_multiple_of(size));
    let starts: Vec<u128> = starts.collect();
    let group =
        |stage, start| (0..size).map(move |member| shape.rank(stage, start + member * stride));
    let of_stage = |stage| {
        starts
            .iter()
            .map(move |&start| (stage, group(stage, start).collect()))
    };
    (0..shape.pipeline).flat_map(of_stage).collect()
}

/// Tensor parallelism: in every layer and microbatch two sums forward and two backward.
fn tensor(shape: &ModelShape, job: &mut JobCalls) -> Result<(), String> {
    let sums = 4 * shape.layers / shape.pipeline * shape.micro_batches;
    for (_, members) in groups(shape, shape.tensor, 1) {
        if shape.is_sequence_parallel {
            let part = shape.activations() / shape.tensor;
            call(job, &members, Operation::Allgather, part, sums)?;
            call(
                job,
                &members,
                Operation::ReduceScatterBlock,
                shape.activations(),
                sums,
            )?;
        } else {
            call(
                job,
                &members,
                Operation::Allreduce,
                shape.activations(),
                sums,
            )?;
        }
    }
    Ok(())
}

/// Context parallelism: keys and values travel round the ring of the ranks in every layer, and once
/// more backward together with their gradients.
fn context(shape: &ModelShape, job: &mut JobCalls) -> Result<(), String> {
    if shape.context < 2 {
        return Ok(());
    }
    let keys = shape.micro_batch * shape.sequence * shape.keys * shape.element / shape.tensor;
    let layers = shape.layers / shape.pipeline * shape.micro_batches;
    let bytes = 2 * keys * (shape.context - 1) * layers * 3;
    for (_, members) in groups(shape, shape.context, shape.tensor) {
        for (at, &from) in members.iter().enumerate() {
            message(job, from, members[(at + 1) % members.len()], bytes)?;
        }
    }
    Ok(())
}

/// Expert parallelism: tokens travel to their experts and back, forward and backward.
fn expert(shape: &ModelShape, job: &mut JobCalls) -> Result<(), String> {
    if shape.experts == 0 {
        return Ok(());
    }
    let on_one_rank = if shape.is_sequence_parallel {
        shape.activations() / shape.tensor
    } else {
        shape.activations()
    };
    let block = on_one_rank * shape.experts_of_token / shape.expert;
    let times = 4 * shape.layers / shape.pipeline * shape.micro_batches;
    for (_, members) in groups(shape, shape.expert, shape.tensor) {
        call(job, &members, Operation::Alltoall, block, times)?;
    }
    Ok(())
}

/// Data parallelism: the gradients of all parameters are summed over the ranks that hold the same
/// parameters.
fn gradients(shape: &ModelShape, job: &mut JobCalls) -> Result<(), String> {
    let layers = shape.layers / shape.pipeline;
    let words = shape.vocabulary * shape.hidden / shape.tensor;
    let is_dense = shape.experts == 0;
    let dense = if is_dense {
        shape.inner_parameters()
    } else {
        0
    };
    let of_layers = layers * (shape.attention_parameters() + dense);
    let replicas = shape.data * shape.context;
    for (stage, members) in groups(shape, replicas, shape.tensor) {
        let ends = [stage == 0, stage + 1 == shape.pipeline];
        let embeddings = words * ends.iter().filter(|&&end| end).count() as u128;
        sum(shape, &members, of_layers + embeddings, job)?;
    }
    if !is_dense {
        let own = layers * shape.experts / shape.expert * shape.inner_parameters();
        let stride = shape.tensor * shape.expert;
        for (_, members) in groups(shape, replicas / shape.expert, stride) {
            sum(shape, &members, own, job)?;
        }
    }
    Ok(())
}

fn sum(
    shape: &ModelShape,
    members: &[u32],
    parameters: u128,
    job: &mut JobCalls,
) -> Result<(), String> {
    let bytes = parameters * shape.gradient;
    let part = parameters * shape.element / members.len() as u128;
    match shape.zero {
        Zero::Nothing => call(job, members, Operation::Allreduce, bytes, 1),
        Zero::Optimizer => {
            call(job, members, Operation::ReduceScatterBlock, bytes, 1)?;
            call(job, members, Operation::Allgather, part, 1)
        }
        // Every microbatch gathers the parameters forward and backward, and its gradients have the
        // type of the parameters.
        Zero::Parameters => {
            let times = shape.micro_batches;
            let bytes = parameters * shape.element;
            call(job, members, Operation::Allgather, part, 2 * times)?;
            call(job, members, Operation::ReduceScatterBlock, bytes, times)
        }
    }
}

/// Pipeline parallelism: the activations of every microbatch go to the next piece of the model, and
/// their gradients come back.
fn pipeline(shape: &ModelShape, job: &mut JobCalls) -> Result<(), String> {
    if shape.pipeline < 2 {
        return Ok(());
    }
    let activations = if shape.is_sequence_parallel {
        shape.activations() / shape.tensor
    } else {
        shape.activations()
    };
    let of_stage = shape.of_stage();
    for stage in 0..shape.pipeline {
        // The last stage hands every piece of the model but the last one on to the first stage.
        let is_last = stage + 1 == shape.pipeline;
        let borders = if is_last {
            shape.pieces - 1
        } else {
            shape.pieces
        };
        let bytes = activations * shape.micro_batches * borders;
        if bytes == 0 {
            continue;
        }
        let next = (stage + 1) % shape.pipeline;
        for at in 0..of_stage {
            let (from, to) = (shape.rank(stage, at), shape.rank(next, at));
            message(job, from, to, bytes)?;
            message(job, to, from, bytes)?;
        }
    }
    Ok(())
}
