//! Functions and types of elements of NCCL. Version 1 of the interface numbers them, later versions
//! name them.

use rankfold_wire::Operation;

/// A function of NCCL that moves data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Collective(Operation),
    Send,
    Receive,
}

/// Bytes of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Element(pub(crate) u64);

/// All functions by their names in events. NCCL has no barrier; PyTorch's c10d has one.
const FUNCTIONS: [(&[u8], Function); 11] = [
    (b"AllReduce", Function::Collective(Operation::Allreduce)),
    (b"AllGather", Function::Collective(Operation::Allgather)),
    (
        b"ReduceScatter",
        Function::Collective(Operation::ReduceScatterBlock),
    ),
    (b"Broadcast", Function::Collective(Operation::Bcast)),
    (b"Reduce", Function::Collective(Operation::Reduce)),
    (b"AlltoAll", Function::Collective(Operation::Alltoall)),
    (b"Gather", Function::Collective(Operation::Gather)),
    (b"Scatter", Function::Collective(Operation::Scatter)),
    (b"Barrier", Function::Collective(Operation::Barrier)),
    (b"Send", Function::Send),
    (b"Recv", Function::Receive),
];

/// The functions by their numbers in version 1, which has no others. Number 5 is a pair of a send
/// and a receive, which no event of version 1 has.
const NUMBERED_FUNCTIONS: [Option<Function>; 8] = [
    Some(Function::Collective(Operation::Bcast)),
    Some(Function::Collective(Operation::Reduce)),
    Some(Function::Collective(Operation::Allgather)),
    Some(Function::Collective(Operation::ReduceScatterBlock)),
    Some(Function::Collective(Operation::Allreduce)),
    None,
    Some(Function::Send),
    Some(Function::Receive),
];

/// Bytes of the types by their numbers in version 1: `ncclDataType_t` in order.
const NUMBERED_ELEMENTS: [u64; 12] = [1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1];

/// The function with this name.
pub(crate) fn function(name: &[u8]) -> Option<Function> {
    let mut known = FUNCTIONS.iter();
    known
        .find(|(known, _)| *known == name)
        .map(|&(_, function)| function)
}

/// The function with this number.
pub(crate) fn numbered_function(number: u8) -> Option<Function> {
    *NUMBERED_FUNCTIONS.get(usize::from(number))?
}

/// The type with this name.
pub(crate) fn element(name: &[u8]) -> Option<Element> {
    let bytes = match name.strip_prefix(b"nccl")? {
        b"Int8" | b"Uint8" | b"Float8e4m3" | b"Float8e5m2" => 1,
        b"Float16" | b"Bfloat16" => 2,
        b"Int32" | b"Uint32" | b"Float32" => 4,
        b"Int64" | b"Uint64" | b"Float64" => 8,
        _ => return None,
    };
    Some(Element(bytes))
}

/// The type with this number.
pub(crate) fn numbered_element(number: u8) -> Option<Element> {
    NUMBERED_ELEMENTS
        .get(usize::from(number))
        .map(|&bytes| Element(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_mean_the_same() {
        let both = [(4, "AllReduce"), (2, "AllGather"), (6, "Send"), (7, "Recv")];
        for (number, name) in both {
            assert_eq!(numbered_function(number), function(name.as_bytes()));
            assert!(numbered_function(number).is_some());
        }
        assert_eq!(numbered_function(5), None);
        assert_eq!(numbered_function(200), None);
        assert_eq!(function(b"AllDance"), None);
        assert_eq!(numbered_element(9), element(b"ncclBfloat16"));
        assert_eq!(numbered_element(12), None);
        assert_eq!(element(b"Unknown"), None);
    }
}
