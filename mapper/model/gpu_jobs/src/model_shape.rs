//! The shape of a transformer and of its parallel dimensions, from the arguments of Megatron-LM and
//! Megatron-DeepSpeed.

use super::arguments::Arguments;

/// What DeepSpeed and Megatron-LM divide among the ranks that hold the same parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zero {
    /// Nothing.
    Nothing,
    /// The state of the optimizer: `--use-distributed-optimizer`, or `--zero-stage` 1 or 2.
    Optimizer,
    /// The parameters, too: `--zero-stage 3`.
    Parameters,
}

/// The shape of a model and of its parallel dimensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModelShape {
    /// `--tensor-model-parallel-size`.
    pub(super) tensor: u128,
    /// `--context-parallel-size`.
    pub(super) context: u128,
    /// `--pipeline-model-parallel-size`.
    pub(super) pipeline: u128,
    /// Data parallel size: what is left of the world.
    pub(super) data: u128,
    /// `--expert-model-parallel-size`.
    pub(super) expert: u128,
    /// `--num-layers`.
    pub(super) layers: u128,
    /// Pieces of the model in one stage, by `--num-layers-per-virtual-pipeline-stage`.
    pub(super) pieces: u128,
    /// `--hidden-size`.
    pub(super) hidden: u128,
    /// `--ffn-hidden-size`, else four times the hidden size.
    pub(super) inner: u128,
    /// Matrices of the feed-forward part: three with `--swiglu`.
    pub(super) inner_matrices: u128,
    /// Width of keys and of values: smaller than the hidden size with `--num-query-groups`.
    pub(super) keys: u128,
    /// `--seq-length`.
    pub(super) sequence: u128,
    /// `--micro-batch-size`.
    pub(super) micro_batch: u128,
    /// Microbatches of one step: `--global-batch-size` over the micro batches of all replicas, or
    /// one.
    pub(super) micro_batches: u128,
    /// `--padded-vocab-size` or `--vocab-size`; 0 if not given.
    pub(super) vocabulary: u128,
    /// `--num-experts`; 0 for a dense model.
    pub(super) experts: u128,
    /// `--moe-router-topk`: experts of a token.
    pub(super) experts_of_token: u128,
    /// `--sequence-parallel`.
    pub(super) is_sequence_parallel: bool,
    /// What is divided among replicas.
    pub(super) zero: Zero,
    /// Whether the ranks of a pipeline come before those of the data dimension:
    /// `--use-tp-pp-dp-mapping`.
    is_pipeline_before_data: bool,
    /// Bytes of an activation and of a parameter: 2 with `--bf16` or `--fp16`, else 4.
    pub(super) element: u128,
    /// Bytes of a gradient: 4 with `--bf16` or `--accumulate-allreduce-grads-in-fp32`.
    pub(super) gradient: u128,
}

impl ModelShape {
    /// The arguments that are numbers.
    pub(super) const NUMBERS: &[&str] = &[
        "--tensor-model-parallel-size",
        "--context-parallel-size",
        "--pipeline-model-parallel-size",
        "--expert-model-parallel-size",
        "--num-layers",
        "--num-layers-per-virtual-pipeline-stage",
        "--hidden-size",
        "--ffn-hidden-size",
        "--num-attention-heads",
        "--num-query-groups",
        "--seq-length",
        "--micro-batch-size",
        "--global-batch-size",
        "--padded-vocab-size",
        "--vocab-size",
        "--num-experts",
        "--moe-router-topk",
        "--zero-stage",
    ];

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
        // Without its option, a step has one micro batch of each replica.
        let batch = arguments.number("--global-batch-size")?;
        let batch = batch.unwrap_or(micro_batch * data);
        let is_half = arguments.has("--bf16") || arguments.has("--fp16");
        let experts = arguments.number("--num-experts")?.unwrap_or(0);
        let zero = zero(arguments)?;
        if zero == Zero::Parameters && (pipeline > 1 || experts > 0) {
            return Err("--zero-stage 3 divides the parameters among all replicas, which DeepSpeed does neither with a pipeline nor with experts".into());
        }
        let is_pipeline_before_data = arguments.has("--use-tp-pp-dp-mapping");
        if is_pipeline_before_data && pipeline > 1 && experts > 0 && expert != context {
            return Err(format!(
                "--use-tp-pp-dp-mapping with experts needs an --expert-model-parallel-size ({expert}) as large as --context-parallel-size ({context}): the stages of experts would be on other ranks than the stages of the rest"
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
            experts,
            experts_of_token: or_one("--moe-router-topk")?,
            is_sequence_parallel: arguments.has("--sequence-parallel") && tensor > 1,
            zero,
            is_pipeline_before_data,
            element: if is_half { 2 } else { 4 },
            gradient: if is_half && !in_full { 2 } else { 4 },
        })
    }

    /// Number of ranks of one pipeline stage.
    pub(super) fn of_stage(&self) -> u128 {
        self.tensor * self.context * self.data
    }

    /// The rank of number `at` in a stage. Numbers count the tensor dimension fastest, then
    /// context, then data.
    pub(super) fn rank(&self, stage: u128, at: u128) -> u32 {
        let block = if self.is_pipeline_before_data {
            self.tensor * self.context
        } else {
            self.of_stage()
        };
        (at % block + block * (stage + self.pipeline * (at / block))) as u32
    }

    /// Bytes of the activations of one microbatch between two layers, on one rank of the context
    /// dimension.
    pub(super) fn activations(&self) -> u128 {
        self.micro_batch * self.sequence * self.hidden * self.element
    }

    /// Parameters of the attention of one layer on one rank.
    pub(super) fn attention_parameters(&self) -> u128 {
        (2 * self.hidden * self.hidden + 2 * self.hidden * self.keys) / self.tensor
    }

    /// Parameters of one feed-forward part, or of one expert, on one rank.
    pub(super) fn inner_parameters(&self) -> u128 {
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

fn zero(arguments: &Arguments) -> Result<Zero, String> {
    let distributed = arguments.has("--use-distributed-optimizer");
    match arguments.text("--zero-stage").unwrap_or("0") {
        "0" if distributed => Ok(Zero::Optimizer),
        "0" => Ok(Zero::Nothing),
        "1" | "2" => Ok(Zero::Optimizer),
        "3" => Ok(Zero::Parameters),
        stage => Err(format!(
            "--zero-stage {stage:?} is none of DeepSpeed's, 0 to 3"
        )),
    }
}
