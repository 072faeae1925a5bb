//! Measures what it takes to write and to read the profile of a large run.
//!
//!     profile-format write FILE RANKS NEIGHBOURS     writes the profile of a stencil-like run
//!     profile-format read FILE                       reads all rows, one after the other
//!
//! Writing does what rank 0 does in `MPI_Finalize`. The example prints the seconds taken and the
//! peak of resident memory. `scripts/bench profile-format` runs it.

use rankfold_wire::journal::Key;
use rankfold_wire::{Brief, Ledger, Manifest, Merger, Plane, Profile, Row};
use std::path::Path;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |word: &str| word.parse().expect("a number");
    let start = Instant::now();
    let bytes = match words[..] {
        ["write", file, ranks, neighbours] => write(file, number(ranks), number(neighbours)),
        ["read", file] => read(file),
        _ => panic!("profile-format write FILE RANKS NEIGHBOURS | read FILE"),
    };
    let seconds = start.elapsed().as_secs_f64();
    println!("{bytes} bytes in messages, {seconds:.2} s, {} MiB", peak());
}

/// Writes the profile of a run in which every rank sends to the ranks that follow it, in a ring.
/// The counters of every rank arrive packed, as they do at rank 0.
fn write(file: &str, ranks: u32, neighbours: u32) -> u64 {
    let ledger = |rank: u32| {
        let mut ledger = Ledger::default();
        let tally = ledger.tally(String::new());
        for receiver in (1..=neighbours).map(|step| (rank + step) % ranks) {
            let (key, detail) = Key::Sent(receiver).encode();
            tally.add([key, 8000, 10, detail]);
        }
        ledger
    };
    let mut merger = Merger::new(ranks as usize);
    for rank in 0..ranks {
        merger.add(Brief::unpack(&ledger(rank).brief().pack(rank)));
    }
    let outline = merger.outline(Manifest {
        program: "profile-format".to_owned(),
        ..Manifest::default()
    });
    let tell = |plane: &Plane, visit: &mut dyn FnMut(Row)| {
        (0..ranks).for_each(|rank| visit(Row::unpack(&ledger(rank).row(plane).pack())));
        Ok(())
    };
    outline
        .write(Path::new(file), tell)
        .expect("a place to write");
    u64::from(ranks) * u64::from(neighbours) * 8000
}

fn read(file: &str) -> u64 {
    let mut bytes = 0;
    Profile::read_rows(Path::new(file), |row| {
        bytes += row.peers.iter().map(|peer| peer.bytes).sum::<u64>();
    })
    .expect("a profile");
    bytes
}

/// Peak of resident memory in MiB, as Linux reports it.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}
