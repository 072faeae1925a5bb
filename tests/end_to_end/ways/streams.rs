//! Messages on streams and in the queues of devices, sent with the stub as MPI library. MPICH 5.0.2
//! delivers a message on a stream but returns an error, and queues need a device.

use super::scale::stub;
use anyhow::{Context, Result, ensure};
use rankfold_tests::process;
use rankfold_wire::{Operation, Recovery, recover};

/// Number of functions with which `streams` sends.
const FUNCTIONS: u32 = 8;

pub(super) fn count() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    process::run(&mut stub("streams.c", &[], scratch.path())?, "")?.success()?;
    let Recovery { profile, .. } =
        recover(scratch.path(), "stub")?.context("no journal was left")?;
    let row = profile.rows.first().context("no rank 0")?;
    let sent: Vec<_> = row
        .peers
        .iter()
        .map(|peer| (peer.rank, peer.bytes, peer.messages))
        .collect();
    let expected: Vec<_> = (1..=FUNCTIONS)
        .map(|rank| (rank, 1 << (rank - 1), 1))
        .collect();
    ensure!(sent == expected, "{sent:?}");
    let reduced: Vec<_> = profile
        .collectives
        .iter()
        .map(|row| (row.op, row.bytes, row.calls))
        .collect();
    let expected = [(Operation::Allreduce, 1, 1), (Operation::Allreduce, 2, 1)];
    ensure!(reduced == expected, "{reduced:?}");
    Ok(())
}
