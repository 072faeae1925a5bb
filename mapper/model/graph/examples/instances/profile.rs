//! Writes the profile of a program with this communication, as rank 0 merges it in `MPI_Finalize`.

use super::Pair;
use rankfold_base::Csr;
use rankfold_wire::journal::Key;
use rankfold_wire::{Brief, Ledger, Manifest, Merger, Plane, Row};
use std::io;
use std::path::Path;

/// Messages of every pair in each direction.
const MESSAGES: u64 = 10;

/// Writes the profile to `path`.
pub(super) fn write(pairs: &[Pair], ranks: usize, path: &Path) -> io::Result<()> {
    let both = pairs
        .iter()
        .flat_map(|&(a, b, bytes)| [(a as usize, (b, bytes)), (b as usize, (a, bytes))]);
    let sent = Csr::grouped(ranks, both);
    let ledger = |rank: u32| {
        let mut ledger = Ledger::default();
        let tally = ledger.tally(String::new());
        for &(to, bytes) in sent.row(rank as usize) {
            let (key, detail) = Key::Sent(to).encode();
            tally.add([key, bytes, MESSAGES, detail]);
        }
        ledger
    };
    let mut merger = Merger::new(ranks);
    for rank in 0..ranks as u32 {
        merger.add(Brief::unpack(&ledger(rank).brief().pack(rank)));
    }
    let outline = merger.outline(Manifest {
        program: "instances".to_owned(),
        ..Manifest::default()
    });
    let tell = |plane: &Plane, visit: &mut dyn FnMut(Row)| {
        (0..ranks as u32).for_each(|rank| visit(Row::unpack(&ledger(rank).row(plane).pack())));
        Ok(())
    };
    outline.write(path, tell).map_err(io::Error::other)
}
