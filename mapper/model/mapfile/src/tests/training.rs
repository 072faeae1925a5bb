//! Files of the launchers of training jobs.

use super::text;
use super::vectors::{interleaved, refusal};
use crate::format;
use rankfold_base::{Placement, SlotId};

#[test]
fn torchrun_is_told_the_node_rank_of_every_host() {
    let (machine, mixed) = interleaved();
    let error = format("torchrun").unwrap().write(&mixed, &machine);
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("not consecutive") && error.contains("write torch"),
        "{error}"
    );
    let swapped = Placement::new([2, 3, 0, 1].map(SlotId).into());
    let written = format("torchrun")
        .unwrap()
        .write(&swapped, &machine)
        .unwrap();
    assert_eq!(
        written.content,
        b"n1 node_rank=0 nproc=2\nn0 node_rank=1 nproc=2\n"
    );
    let line = written.line("map");
    assert!(
        line.contains("--master-addr=n1") && line.contains("--nproc-per-node=2"),
        "{line}"
    );
    let uneven = Placement::new([2, 3, 0].map(SlotId).into());
    let error = format("torchrun").unwrap().write(&uneven, &machine);
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("host n0 has 1 ranks")
    );
    for (content, problem) in [
        (
            "n0 node_rank=0 nproc=2\nn1 node_rank=2 nproc=2\n",
            "f:2: node rank 2 where 1",
        ),
        ("n0 node_rank=0 nproc=2\nn1 2\n", "f:2:"),
    ] {
        let message = refusal("torchrun", content);
        assert!(message.starts_with(problem), "{message}");
    }
}

#[test]
fn processes_are_told_their_rank_in_the_order_of_the_slots_of_their_host() {
    let (machine, _) = interleaved();
    // Ranks 0 and 3 are on n0, in slots 1 and 0.
    let placed = Placement::new([1, 2, 3, 0].map(SlotId).into());
    for name in ["torch", "jax"] {
        assert_eq!(
            text(name, &placed, &machine),
            "n0 0 3\nn0 1 0\nn1 0 1\nn1 1 2\n"
        );
        let message = refusal(name, "n0 0 0\nn0 1 0\n");
        assert!(
            message.starts_with("f:2: rank 0 where 1 was expected"),
            "{message}"
        );
    }
}

#[test]
fn the_mpi_operator_fills_hosts_in_the_order_of_its_file() {
    let (machine, _) = interleaved();
    let swapped = Placement::new([2, 3, 0, 1].map(SlotId).into());
    assert_eq!(
        text("mpi-operator", &swapped, &machine),
        "n1 slots=2\nn0 slots=2\n"
    );
}
