//! The derived traffic of a launch against the dumps of a job that makes every call of the step.

use super::{Record, file, pairs};
use serde_json::{Value, json};

const TENSOR: u64 = 2;
const DATA: u64 = 3;
const PIPELINE: u64 = 4;
const LAYERS: u64 = 8;
const HIDDEN: u64 = 48;
const SEQUENCE: u64 = 16;
const MICRO_BATCHES: u64 = 5;
const RANKS: u64 = TENSOR * DATA * PIPELINE;

fn launch() -> Record {
    let text = format!(
        "srun -n {RANKS} python pretrain_gpt.py --tensor-model-parallel-size {TENSOR} --pipeline-model-parallel-size {PIPELINE} --num-layers {LAYERS} --hidden-size {HIDDEN} --seq-length {SEQUENCE} --micro-batch-size 1 --global-batch-size {} --bf16 --accumulate-allreduce-grads-in-fp32\n",
        MICRO_BATCHES * DATA
    );
    vec![file("train.sh", text)]
}

/// Rank of a place in the parallel dimensions, tensor fastest.
fn rank(tensor: u64, data: u64, stage: u64) -> u64 {
    tensor + TENSOR * (data + DATA * stage)
}

fn entry(group: &str, name: &str, elements: u64, dtype: &str) -> Value {
    json!({"process_group": [group, ""], "profiling_name": format!("nccl:{name}"),
        "input_sizes": [[elements]], "input_dtypes": [dtype],
        "output_sizes": [[elements]], "output_dtypes": [dtype]})
}

/// The dump of one rank: what Megatron-LM calls in a step, layer by layer, the gradients of every
/// weight matrix in a call of its own.
fn dump(tensor: u64, data: u64, stage: u64) -> Value {
    let own = rank(tensor, data, stage);
    let activations = SEQUENCE * HIDDEN;
    let mut entries = Vec::new();
    for _ in 0..MICRO_BATCHES {
        for is_forward in [true, false] {
            for _ in 0..LAYERS / PIPELINE {
                for _part in ["attention", "feed-forward"] {
                    entries.push(entry("tensor", "all_reduce", activations, "BFloat16"));
                }
            }
            let to = if is_forward {
                stage + 1
            } else {
                stage.wrapping_sub(1)
            };
            if to < PIPELINE {
                let name = format!("send {own}->{}", rank(tensor, data, to));
                entries.push(entry("0", &name, activations, "BFloat16"));
            }
        }
    }
    for _ in 0..LAYERS / PIPELINE {
        let square = HIDDEN * HIDDEN / TENSOR;
        for matrix in [3 * square, square, 4 * square, 4 * square] {
            entries.push(entry("data", "allreduce_coalesced", matrix, "Float"));
        }
        // Biases and norms, which the formulas leave out.
        entries.push(entry("data", "allreduce_coalesced", HIDDEN, "Float"));
    }
    let world: Vec<u64> = (0..RANKS).collect();
    let of_tensor: Vec<u64> = (0..TENSOR).map(|at| rank(at, data, stage)).collect();
    let of_data: Vec<u64> = (0..DATA).map(|at| rank(tensor, at, stage)).collect();
    json!({"version": "2.10", "rank": own, "pg_status": {}, "entries": entries, "pg_config": {
        "0": {"desc": "default_pg", "ranks": world},
        "tensor": {"desc": "tp", "ranks": of_tensor},
        "data": {"desc": "dp", "ranks": of_data},
    }})
}

#[test]
fn derived_bytes_are_within_two_per_cent_of_counted_ones() {
    let places = (0..RANKS).map(|at| (at % TENSOR, at / TENSOR % DATA, at / TENSOR / DATA));
    let dumps: Record = places
        .map(|(tensor, data, stage)| {
            let name = format!("dump_{}", rank(tensor, data, stage));
            file(&name, dump(tensor, data, stage).to_string())
        })
        .collect();
    let (derived, counted) = (pairs(&launch()), pairs(&dumps));
    assert_eq!(derived.len(), counted.len());
    for (derived, counted) in derived.into_iter().zip(counted) {
        assert_eq!((derived.0, derived.1), (counted.0, counted.1));
        let apart = derived.2.abs_diff(counted.2) as f64 / counted.2 as f64;
        assert!(apart < 0.02, "{derived:?} is not {counted:?}");
    }
}
