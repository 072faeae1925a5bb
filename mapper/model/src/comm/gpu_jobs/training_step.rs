//! The traffic of one training step of a transformer, derived from its shape.
//!
//! Sources: Narayanan et al., "Efficient large-scale language model training on GPU clusters using
//! Megatron-LM" (SC 2021), section 3 (tensor: two allreduces a layer forward and two backward;
//! pipeline: activations of every microbatch between neighbouring stages; data: one allreduce of
//! the gradients); Korthikanti et al., "Reducing activation recomputation in large transformer
//! models" (2022), section 4.2 (sequence parallelism: an all-gather and a reduce-scatter in place
//! of each allreduce). The ranks of a group follow Megatron-LM's default order `tp-cp-ep-dp-pp`:
//! tensor fastest, pipeline slowest.
//!
//! Not derived: recomputed activations, embeddings shared by the first and last stage, the loss
//! over a divided vocabulary, checkpoints. They are small beside the rest.

use super::JobCalls;
use super::arguments::Arguments;
use rankfold_profile::Operation;

/// The shape of a model and of its parallel dimensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModelShape {
    /// `--tensor-model-parallel-size`.
    tensor: u128,
    /// `--context-parallel-size`.
    context: u128,
    /// `--pipeline-model-parallel-size`.
    pipeline: u128,
    /// Data parallel size: what is left of the world.
    data: u128,
    /// `--expert-model-parallel-size`.
    expert: u128,
    /// `--num-layers`.
    layers: u128,
    /// Pieces of the model in one stage, by `--num-layers-per-virtual-pipeline-stage`.
    pieces: u128,
    /// `--hidden-size`.
    hidden: u128,
    /// `--ffn-hidden-size`, else four times the hidden size.
    inner: u128,
    /// Matrices of the feed-forward part: three with `--swiglu`.
    inner_matrices: u128,
    /// Width of keys and of values: smaller than the hidden size with `--num-query-groups`.
    keys: u128,
    /// `--seq-length`.
    sequence: u128,
    /// `--micro-batch-size`.
    micro_batch: u128,
    /// Microbatches of one step: `--global-batch-size` over the micro batches of all replicas.
    micro_batches: u128,
    /// `--padded-vocab-size` or `--vocab-size`; 0 if not given.
    vocabulary: u128,
    /// `--num-experts`; 0 for a dense model.
    experts: u128,
    /// `--moe-router-topk`: experts of a token.
    experts_of_token: u128,
    /// `--sequence-parallel`.
    is_sequence_parallel: bool,
    /// `--use-distributed-optimizer`, or `--zero-stage` 1 or 2.
    is_optimizer_distributed: bool,
    /// Bytes of an activation and of a parameter: 2 with `--bf16` or `--fp16`, else 4.
    element: u128,
    /// Bytes of a gradient: 4 with `--bf16` or `--accumulate-allreduce-grads-in-fp32`.
    gradient: u128,
}

impl ModelShape {
    /// The shape that a launch of `world` ranks describes.
    ///
    /// # Errors
    /// A message that names the arguments that are missing or do not fit each other.
    pub(super) fn of(arguments: &Arguments, world: usize) -> Result<Self, String> {
        let or_one = |option| arguments.number(option).map(|number| number.unwrap_or(1));
        let tensor = or_one("--tensor-model-parallel-size")?;
        let context = or_one("--context-parallel-size")?;
        let pipeline = or_one("--pipeline-model-parallel-size")?;
        let expert = or_one("--expert-model-parallel-size")?;
        let of_model = tensor.saturating_mul(context).saturating_mul(pipeline);
        let data = quotient(
            world as u128,
            of_model,
            "the number of ranks",
            "tensor x context x pipeline",
        )?;
        quotient(
            data * context,
            expert,
            "data x context",
            "--expert-model-parallel-size",
        )?;
        let layers = arguments.needed("--num-layers")?;
        let of_stage = quotient(
            layers,
            pipeline,
            "--num-layers",
            "--pipeline-model-parallel-size",
        )?;
        let piece = arguments
            .number("--num-layers-per-virtual-pipeline-stage")?
            .unwrap_or(of_stage);
        let hidden = arguments.needed("--hidden-size")?;
        let heads = arguments.number("--num-attention-heads")?;
        let key_heads = arguments.number("--num-query-groups")?;
        let keys = match (heads, key_heads) {
            (Some(heads), Some(key_heads)) if key_heads <= heads => hidden / heads * key_heads,
            _ => hidden,
        };
        let micro_batch = arguments.needed("--micro-batch-size")?;
        let batch = arguments.needed("--global-batch-size")?;
        let is_half = arguments.has("--bf16") || arguments.has("--fp16");
        let zero = arguments.text("--zero-stage").unwrap_or("0");
        if !["0", "1", "2"].contains(&zero) {
            return Err(format!(
                "--zero-stage {zero} is not derived, only 0 to 2: record a run (torch.profiler, flight recorder)"
            ));
        }
        let in_full =
            arguments.has("--bf16") || arguments.has("--accumulate-allreduce-grads-in-fp32");
        Ok(Self {
            tensor,
            context,
            pipeline,
            data,
            expert,
            layers,
            pieces: quotient(
                of_stage,
                piece,
                "the layers of a stage",
                "--num-layers-per-virtual-pipeline-stage",
            )?,
            hidden,
            inner: arguments.number("--ffn-hidden-size")?.unwrap_or(4 * hidden),
            inner_matrices: if arguments.has("--swiglu") { 3 } else { 2 },
            keys,
            sequence: quotient(
                arguments.needed("--seq-length")?,
                context,
                "--seq-length",
                "--context-parallel-size",
            )?,
            micro_batch,
            micro_batches: quotient(
                batch,
                micro_batch * data,
                "--global-batch-size",
                "--micro-batch-size x data",
            )?,
            vocabulary: match arguments.number("--padded-vocab-size")? {
                Some(size) => size,
                None => arguments.number("--vocab-size")?.unwrap_or(0),
            },
            experts: arguments.number("--num-experts")?.unwrap_or(0),
            experts_of_token: or_one("--moe-router-topk")?,
            is_sequence_parallel: arguments.has("--sequence-parallel") && tensor > 1,
            is_optimizer_distributed: arguments.has("--use-distributed-optimizer") || zero != "0",
            element: if is_half { 2 } else { 4 },
            gradient: if is_half && !in_full { 2 } else { 4 },
        })
    }

    /// Number of ranks of one pipeline stage.
    fn of_stage(&self) -> u128 {
        self.tensor * self.context * self.data
    }

    /// Bytes of the activations of one microbatch between two layers, on one rank of the context
    /// dimension.
    fn activations(&self) -> u128 {
        self.micro_batch * self.sequence * self.hidden * self.element
    }

    /// Parameters of the attention of one layer on one rank.
    fn attention_parameters(&self) -> u128 {
        (2 * self.hidden * self.hidden + 2 * self.hidden * self.keys) / self.tensor
    }

    /// Parameters of one feed-forward part, or of one expert, on one rank.
    fn inner_parameters(&self) -> u128 {
        self.inner_matrices * self.hidden * self.inner / self.tensor
    }
}

fn quotient(whole: u128, part: u128, whole_name: &str, part_name: &str) -> Result<u128, String> {
    if whole == 0 || !whole.is_multiple_of(part) {
        return Err(format!(
            "{whole_name} ({whole}) is no multiple of {part_name} ({part})"
        ));
    }
    Ok(whole / part)
}

/// Adds the calls of one training step to the job.
///
/// # Errors
/// A message, if a group is not possible.
pub(super) fn derive(shape: &ModelShape, job: &mut JobCalls) -> Result<(), String> {
    for stage in 0..shape.pipeline {
        tensor(shape, stage, job)?;
        context(shape, stage, job)?;
        if shape.experts > 0 {
            expert(shape, stage, job)?;
        }
        gradients(shape, stage, job)?;
    }
    pipeline(shape, job)
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

/// The groups of `size` ranks of a stage whose members are `stride` ranks apart.
fn groups(shape: &ModelShape, stage: u128, size: u128, stride: u128) -> Vec<Vec<u32>> {
    let first = stage * shape.of_stage();
    let starts = (0..shape.of_stage()).filter(|at| (at / stride).is_multiple_of(size));
    let group = |start: u128| (0..size).map(move |member| (first + start + member * stride) as u32);
    starts.map(|start| group(start).collect()).collect()
}

/// Tensor parallelism: in every layer and microbatch two sums forward and two backward.
fn tensor(shape: &ModelShape, stage: u128, job: &mut JobCalls) -> Result<(), String> {
    let sums = 4 * shape.layers / shape.pipeline * shape.micro_batches;
    for members in groups(shape, stage, shape.tensor, 1) {
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
fn context(shape: &ModelShape, stage: u128, job: &mut JobCalls) -> Result<(), String> {
    if shape.context < 2 {
        return Ok(());
    }
    let keys = shape.micro_batch * shape.sequence * shape.keys * shape.element / shape.tensor;
    let layers = shape.layers / shape.pipeline * shape.micro_batches;
    let bytes = 2 * keys * (shape.context - 1) * layers * 3;
    for members in groups(shape, stage, shape.context, shape.tensor) {
        for (at, &from) in members.iter().enumerate() {
            message(job, from, members[(at + 1) % members.len()], bytes)?;
        }
    }
    Ok(())
}

/// Expert parallelism: tokens travel to their experts and back, forward and backward.
fn expert(shape: &ModelShape, stage: u128, job: &mut JobCalls) -> Result<(), String> {
    let on_one_rank = if shape.is_sequence_parallel {
        shape.activations() / shape.tensor
    } else {
        shape.activations()
    };
    let block = on_one_rank * shape.experts_of_token / shape.expert;
    let times = 4 * shape.layers / shape.pipeline * shape.micro_batches;
    for members in groups(shape, stage, shape.expert, shape.tensor) {
        call(job, &members, Operation::Alltoall, block, times)?;
    }
    Ok(())
}

/// Data parallelism: the gradients of all parameters are summed over the ranks that hold the same
/// parameters.
fn gradients(shape: &ModelShape, stage: u128, job: &mut JobCalls) -> Result<(), String> {
    let layers = shape.layers / shape.pipeline;
    let ends = [stage == 0, stage + 1 == shape.pipeline];
    let words = shape.vocabulary * shape.hidden / shape.tensor;
    let embeddings = words * ends.iter().filter(|&&end| end).count() as u128;
    let is_dense = shape.experts == 0;
    let dense = if is_dense {
        shape.inner_parameters()
    } else {
        0
    };
    let shared = layers * (shape.attention_parameters() + dense) + embeddings;
    let replicas = shape.data * shape.context;
    for members in groups(shape, stage, replicas, shape.tensor) {
        sum(shape, &members, shared, job)?;
    }
    if !is_dense {
        let own = layers * shape.experts / shape.expert * shape.inner_parameters();
        let stride = shape.tensor * shape.expert;
        for members in groups(shape, stage, replicas / shape.expert, stride) {
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
    if !shape.is_optimizer_distributed {
        return call(job, members, Operation::Allreduce, bytes, 1);
    }
    call(job, members, Operation::ReduceScatterBlock, bytes, 1)?;
    let part = parameters * shape.element / members.len() as u128;
    call(job, members, Operation::Allgather, part, 1)
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
            let (from, to) = (
                (stage * of_stage + at) as u32,
                (next * of_stage + at) as u32,
            );
            message(job, from, to, bytes)?;
            message(job, to, from, bytes)?;
        }
    }
    Ok(())
}
