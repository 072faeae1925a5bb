//! Command lines of Megatron.

use super::{ALL, Record, file, pairs, reading, refused};
use rankfold_formats::{Collectives, RunPart};
use rankfold_graph::samples::entries_of;
use std::collections::BTreeMap;

fn launch(nodes: u32, more: &str) -> Record {
    let text = format!(
        "#!/bin/sh\n# a job\ntorchrun --nnodes={nodes} --nproc-per-node 4 pretrain_gpt.py \\\n  --num-layers 8 --hidden-size 64 --seq-length 32 \\\n  --micro-batch-size 1 --global-batch-size 16 --bf16 {more}\n"
    );
    vec![file("train.sh", text)]
}

/// A job of four ranks that share the experts of every layer two by two.
pub(super) fn experts() -> Record {
    launch(
        1,
        "--expert-model-parallel-size 2 --num-experts 4 --moe-router-topk 2",
    )
}

fn between(pairs: &[(u32, u32, u64)], from: u32, to: u32) -> u64 {
    let pair = pairs.iter().find(|pair| (pair.0, pair.1) == (from, to));
    pair.map_or(0, |pair| pair.2)
}

/// Bytes of activations: sequence, hidden size, 2 bytes.
const ACTIVATIONS: u64 = 32 * 64 * 2;

#[test]
fn tensor_pipeline_and_data_groups_have_the_bytes_of_their_formulas() {
    // 4 x 2 x 2: tensor 4 within a node, data 2, pipeline 2. 8 microbatches, 4 layers in a stage.
    let sizes = "--tensor-model-parallel-size 4 --pipeline-model-parallel-size 2";
    let pairs = pairs(&launch(4, sizes));
    // 4 sums in each of 4 layers and 8 microbatches, each 2 x 3/4 of the activations on a link.
    assert_eq!(between(&pairs, 0, 1), 4 * 4 * 8 * ACTIVATIONS * 3 / 2);
    // Data parallel ranks are 4 apart: parameters of 4 layers (12 h^2), divided by tensor, 4 bytes
    // each, all of them once round a ring of two.
    assert_eq!(between(&pairs, 0, 4), 4 * 12 * 64 * 64 / 4 * 4);
    // Pipeline stages are 8 apart.
    assert_eq!(between(&pairs, 0, 8), 8 * ACTIVATIONS);
    assert_eq!(between(&pairs, 8, 0), 8 * ACTIVATIONS);
    assert_eq!(between(&pairs, 0, 12), 0);
}

#[test]
fn a_sequence_parallel_job_moves_the_bytes_of_a_tensor_parallel_one() {
    let plain = pairs(&launch(1, "--tensor-model-parallel-size 4"));
    let parted = pairs(&launch(
        1,
        "--tensor-model-parallel-size 4 --sequence-parallel",
    ));
    assert_eq!(plain, parted);
}

#[test]
fn experts_exchange_tokens_and_share_gradients_with_their_replicas_only() {
    let pairs = pairs(&experts());
    // Pairs of experts: 4 times in 8 layers and 4 microbatches, 2 experts a token, half of it to
    // each, and the gradients of the attention (4 h^2 a layer) along the ring of all four ranks.
    let tokens = 4 * 8 * 4 * ACTIVATIONS * 2 / 2;
    let attention = 8 * 4 * 64 * 64 * 4 * 3 / 2;
    assert_eq!(between(&pairs, 0, 1), tokens + attention);
    assert_eq!(between(&pairs, 1, 0), tokens);
    // Ranks 0 and 2 hold the same two experts of every layer.
    assert_eq!(between(&pairs, 0, 2), 8 * 2 * (8 * 64 * 64) * 4);
}

#[test]
fn context_parallel_ranks_hand_keys_and_values_round() {
    let pairs = pairs(&launch(1, "--context-parallel-size 4"));
    let keys = 2 * (ACTIVATIONS / 4) * 3 * 8 * 16 * 3;
    let gradients = 8 * 12 * 64 * 64 * 4 * 3 / 2;
    assert_eq!(between(&pairs, 0, 1), keys + gradients);
}

#[test]
fn zero_3_gathers_the_parameters_twice_and_scatters_the_gradients_once_a_microbatch() {
    let pairs = pairs(&launch(1, "--zero-stage 3"));
    // 4 replicas take 4 of 16 microbatches each; 12 h^2 parameters a layer, 2 bytes each, of which
    // three passes send three quarters along every link of the ring.
    let parameters = 8 * 12 * 64 * 64 * 2;
    assert_eq!(between(&pairs, 0, 1), 4 * 3 * parameters * 3 / 4);
    assert_eq!(between(&pairs, 0, 2), 0);
}

#[test]
fn stages_come_before_replicas_with_use_tp_pp_dp_mapping() {
    let sizes = "--tensor-model-parallel-size 4 --pipeline-model-parallel-size 2";
    let usual = pairs(&launch(4, sizes));
    let mapped = pairs(&launch(4, &format!("{sizes} --use-tp-pp-dp-mapping")));
    // Nodes of four ranks: the second node is the next stage and the third one the replica.
    assert_eq!(between(&mapped, 0, 4), between(&usual, 0, 8));
    assert_eq!(between(&mapped, 0, 8), between(&usual, 0, 4));
    assert_eq!(between(&mapped, 0, 1), between(&usual, 0, 1));
}

#[test]
fn trees_of_a_launch_know_its_nodes() {
    // Two nodes of four replicas each: allreduces along nccl-tree stay on their rails.
    let part = RunPart {
        collectives: Collectives::By(rankfold_collectives::model("nccl-tree").unwrap()),
        ..RunPart::default()
    };
    let traffic = reading(&launch(2, ""), &part).unwrap().traffic;
    let between_nodes = entries_of(&traffic);
    let mut between_nodes = between_nodes
        .iter()
        .filter(|(from, to, ..)| from / 4 != to / 4);
    assert!(between_nodes.all(|(from, to, ..)| from % 4 == to % 4));
}

#[test]
fn every_parallel_dimension_is_a_phase_and_the_phases_add_up() {
    let record = experts();
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("train.sh");
    std::fs::write(&path, &record[0].1).unwrap();
    let phases = ALL.phases(&[path]).unwrap();
    let of_phase = |phase: &String| {
        let part = RunPart {
            phase: Some(phase),
            collectives: Collectives::IfTheyCanMatter,
            ..RunPart::default()
        };
        let traffic = reading(&record, &part).unwrap().traffic;
        let bytes = entries_of(&traffic)
            .iter()
            .map(|entry| entry.2)
            .sum::<u64>();
        (phase.clone(), bytes)
    };
    let bytes: BTreeMap<String, u64> = phases.iter().map(of_phase).collect();
    let whole: u64 = pairs(&record).iter().map(|pair| pair.2).sum();
    assert_eq!(bytes.values().sum::<u64>(), whole);
    let moving = bytes.iter().filter(|(_, bytes)| **bytes > 0);
    let names: Vec<&str> = moving.map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["expert", "gradients"]);
    let part = RunPart {
        phase: Some("solve"),
        ..RunPart::default()
    };
    let error = reading(&record, &part).unwrap_err();
    assert!(error.contains("no phase \"solve\""), "{error}");
}

#[test]
fn arguments_that_are_missing_or_do_not_fit_are_named() {
    refused(
        &launch(1, "--tensor-model-parallel-size 3"),
        &["train.sh", "multiple of tensor"],
    );
    refused(
        &launch(1, "--pipeline-model-parallel-size x"),
        &["--pipeline-model-parallel-size \"x\""],
    );
    refused(&launch(1, "--zero-stage 4"), &["--zero-stage \"4\""]);
    for other in ["--pipeline-model-parallel-size 2", "--num-experts 4"] {
        let both = format!("--zero-stage 3 {other}");
        refused(&launch(1, &both), &["--zero-stage 3", "neither"]);
    }
    let mapped = "--use-tp-pp-dp-mapping --pipeline-model-parallel-size 2";
    let experts = "--expert-model-parallel-size 2 --num-experts 4";
    let both = format!("{mapped} {experts}");
    refused(&launch(1, &both), &["--use-tp-pp-dp-mapping", "(2)", "(1)"]);
    let text = String::from_utf8(launch(1, "").remove(0).1).unwrap();
    let cut = |part: &str| vec![file("train.sh", text.replace(part, ""))];
    refused(
        &cut("--nproc-per-node 4"),
        &["the number of its ranks", "--set --world-size=N"],
    );
    refused(
        &cut("--seq-length 32"),
        &["no --seq-length", "--set --seq-length=N"],
    );
}
