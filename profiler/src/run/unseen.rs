//! Libraries in the program that move data without calls of MPI.

use crate::counted::unseen::count;
use rankfold_abi::loaded;
use rankfold_wire::Unseen;

/// The beginnings of the file names of such libraries.
const LIBRARIES: &[(&str, Unseen)] = &[
    ("liboshmem", Unseen::OpenShmem),
    ("libsma.", Unseen::OpenShmem),
    ("libnvshmem", Unseen::OpenShmem),
    ("libnccl", Unseen::Nccl),
    ("librccl", Unseen::Nccl),
];

/// Notes the libraries that the process has loaded by now.
pub(super) fn look() {
    let names = loaded();
    for &(start, way) in LIBRARIES {
        if names.iter().any(|name| name.starts_with(start)) {
            count(way);
        }
    }
}
