//! Journals byte by byte, and ledgers as they are read from them.

use rankfold_wire::journal::{Key, layout as at};
use rankfold_wire::{Communicator, Ledger, Manifest, Note, Peer, Profile};

pub(crate) fn put(page: &mut [u8], offset: usize, value: &[u8]) {
    page[offset..offset + value.len()].copy_from_slice(value);
}

/// Page size in tests that do not need another one.
pub(crate) const PAGE: usize = 4096;

pub(crate) fn head(run: &str, stamp: u64, rank: u32, ranks: u32) -> Vec<u8> {
    head_padded(run, stamp, rank, ranks, PAGE)
}

pub(crate) fn head_padded(run: &str, stamp: u64, rank: u32, ranks: u32, size: usize) -> Vec<u8> {
    let mut page = vec![0; size];
    put(&mut page, at::PAGE, &(size as u32).to_le_bytes());
    put(&mut page, 0, &at::MAGIC);
    put(&mut page, 8, &at::VERSION.to_le_bytes());
    put(&mut page, at::STATE, &1_u32.to_le_bytes());
    put(&mut page, at::RANK, &rank.to_le_bytes());
    put(&mut page, at::RANKS, &ranks.to_le_bytes());
    put(&mut page, at::STAMP, &stamp.to_le_bytes());
    put(&mut page, at::RUN.0, run.as_bytes());
    put(&mut page, at::HOST.0, b"n0");
    page
}

pub(crate) fn segment(slots: u32, filled: &[(u64, u64, u64)]) -> Vec<u8> {
    segment_padded(slots, filled, PAGE)
}

pub(crate) fn segment_padded(slots: u32, filled: &[(u64, u64, u64)], page: usize) -> Vec<u8> {
    let mut bytes = vec![0; at::segment_bytes(slots as usize, page)];
    put(&mut bytes, 0, &at::SEGMENT);
    put(&mut bytes, 4, &slots.to_le_bytes());
    for (index, (key, sent, messages)) in filled.iter().enumerate() {
        let slot = at::SLOTS + index * at::SLOT;
        put(&mut bytes, slot, &key.to_le_bytes());
        put(&mut bytes, slot + 8, &sent.to_le_bytes());
        put(&mut bytes, slot + 16, &messages.to_le_bytes());
    }
    bytes
}

pub(crate) fn notes(noted: &[Note]) -> Vec<u8> {
    let mut bytes = vec![0; at::segment_bytes(64, PAGE)];
    let mut used = Vec::new();
    for note in noted {
        let note = note.encode();
        used.extend((note.len() as u32).to_le_bytes());
        used.extend(note);
    }
    put(&mut bytes, 0, &at::NOTES);
    put(&mut bytes, 4, &64_u32.to_le_bytes());
    put(&mut bytes, at::USED, &(used.len() as u64).to_le_bytes());
    put(&mut bytes, at::NOTED, &used);
    bytes
}

pub(crate) fn world(ranks: u32) -> Note {
    Note::Communicator(Communicator {
        members: (0..ranks).map(Some).collect(),
        ..Communicator::default()
    })
}

pub(crate) fn peer(rank: u32, bytes: u64, messages: u64) -> Peer {
    Peer {
        rank,
        bytes,
        messages,
    }
}

/// Key, bytes and messages of everything outside phases.
pub(crate) fn slots(ledger: &mut Ledger) -> Vec<(Key, u64, u64)> {
    ledger.tally(String::new()).iter().collect()
}

/// A ledger made of the slots of one segment.
pub(crate) fn ledger(filled: &[(Key, u64, u64)]) -> Ledger {
    let mut ledger = Ledger::default();
    for &(key, bytes, messages) in filled {
        let (key, detail) = key.encode();
        let tally = ledger.tally(String::new());
        tally.add([key, bytes, messages, detail]);
    }
    ledger
}

pub(crate) fn merged(ledgers: &[Ledger]) -> Profile {
    Profile::merge(Manifest::default(), ledgers)
}
