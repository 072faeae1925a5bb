//! The names of operations in PyTorch and NCCL.

use rankfold_wire::Operation;

/// What a recorded name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordedCall {
    /// A collective.
    Collective(Operation),
    /// A message to one member.
    Send,
    /// A message from one member. Its sender records it as well.
    Receive,
    /// Nothing that moves data: waits, starts and ends of coalesced calls.
    Silent,
}

/// The call of a name. PyTorch and NCCL write one name in several ways: `_allgather_base`,
/// `all_gather_into_tensor_coalesced`, `AllGather`.
///
/// # Errors
/// A message, if the name is not known.
pub(super) fn named(name: &str) -> Result<RecordedCall, String> {
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let mut stem = plain.as_str();
    for ending in [
        "coalesced",
        "base",
        "intotensor",
        "tensor",
        "single",
        "sparse",
    ] {
        stem = stem.strip_suffix(ending).unwrap_or(stem);
    }
    use RecordedCall::{Collective, Receive, Send, Silent};
    Ok(match stem {
        "allreduce" => Collective(Operation::Allreduce),
        "broadcast" | "bcast" => Collective(Operation::Bcast),
        "reduce" => Collective(Operation::Reduce),
        "allgather" => Collective(Operation::Allgather),
        "reducescatter" => Collective(Operation::ReduceScatterBlock),
        "alltoall" | "alltoallv" => Collective(Operation::Alltoall),
        "gather" => Collective(Operation::Gather),
        "scatter" => Collective(Operation::Scatter),
        "barrier" | "allreducebarrier" => Collective(Operation::Barrier),
        "send" => Send,
        "recv" | "recvanysource" => Receive,
        "" | "wait" | "init" | "end" | "start" => Silent,
        _ => {
            return Err(format!(
                "{name:?} is no call of PyTorch or NCCL that moves data"
            ));
        }
    })
}

/// The bytes of a collective as [`rankfold_wire::Collective`] counts them, from the bytes that
/// one member of a group of `members` gives to the call and gets from it.
pub(super) fn counted_bytes(op: Operation, input: u64, output: u64, members: usize) -> u64 {
    match op {
        Operation::Barrier => 0,
        Operation::Alltoall => input / members.max(1) as u64,
        Operation::Scatter => output,
        Operation::Bcast => input.max(output),
        _ => input,
    }
}

/// The same bytes from the size that NCCL tells its plugins: of a reduce-scatter, that of the part
/// which one of `members` gets.
pub(super) fn counted_by_nccl(op: Operation, size: u64, members: usize) -> u64 {
    match op {
        Operation::ReduceScatterBlock => size.saturating_mul(members as u64),
        _ => size,
    }
}

/// Whether one member is the root of this operation. GPU jobs record blocks of equal sizes only.
pub(super) fn has_root(op: Operation) -> bool {
    matches!(
        op,
        Operation::Bcast | Operation::Reduce | Operation::Gather | Operation::Scatter
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_operation_has_the_names_of_pytorch_and_nccl() {
        let gather = Ok(RecordedCall::Collective(Operation::Allgather));
        for name in [
            "AllGather",
            "all_gather",
            "_allgather_base",
            "all_gather_into_tensor_coalesced",
        ] {
            assert_eq!(named(name), gather, "{name}");
        }
        let scatter = Ok(RecordedCall::Collective(Operation::ReduceScatterBlock));
        for name in [
            "ReduceScatter",
            "_reduce_scatter_base",
            "reduce_scatter_tensor",
        ] {
            assert_eq!(named(name), scatter, "{name}");
        }
        assert_eq!(named("coalesced"), Ok(RecordedCall::Silent));
        assert!(named("all_dance").is_err());
    }
}
