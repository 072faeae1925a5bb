//! Ledgers of ranks, built step by step.

use rankfold_wire::journal::Key;
use rankfold_wire::{Communicator, Form, Ledger, Note, Operation, Peer, Row};

pub(crate) fn comm(ranks: &[u32]) -> Communicator {
    Communicator {
        members: ranks.iter().copied().map(Some).collect(),
        ..Communicator::default()
    }
}

pub(crate) fn rows(all: &[&[(u32, u64, u64)]]) -> Vec<Row> {
    let peer = |&(rank, bytes, messages): &(u32, u64, u64)| Peer {
        rank,
        bytes,
        messages,
    };
    all.iter()
        .map(|peers| Row::of(peers.iter().map(peer).collect()))
        .collect()
}

/// Builds a rank's ledger step by step.
#[derive(Default)]
pub(crate) struct Rank(pub(crate) Ledger);

impl Rank {
    pub(crate) fn knows(mut self, ranks: &[u32]) -> Self {
        self.0.note(Note::Communicator(comm(ranks)));
        self
    }

    pub(crate) fn counted(mut self, phase: &str, key: Key, bytes: u64, messages: u64) -> Self {
        let (key, detail) = key.encode();
        let tally = self.0.tally(phase.to_owned());
        tally.add([key, bytes, messages, detail]);
        self
    }

    pub(crate) fn called(
        self,
        phase: &str,
        comm: u32,
        op: Operation,
        bytes: u64,
        calls: u64,
    ) -> Self {
        let key = Key::Collective {
            comm,
            op,
            root: None,
            class: 7,
            form: Form::default(),
        };
        self.counted(phase, key, bytes, calls)
    }
}
