//! Data fetched by remote memory access. It belongs to the row of the rank from which it was
//! fetched, but only the rank that fetched it has counted it. So at the end of the run every rank
//! sends these counts to the ranks from which it has fetched.

use rankfold_preload::gather::endpoint::Endpoint;
use rankfold_preload::gather::exchange::{MOST, exchange};
use rankfold_preload::gather::wait::Result;
use rankfold_wire::{Ledger, Plane};
use std::collections::BTreeMap;

/// Length in bytes of the head of a message: the number of its records (4), and the rank that sends
/// it (4).
const HEAD: usize = 8;
/// Length in bytes of a record: the number of the phase (4), zeros (4), bytes (8), messages (8).
const RECORD: usize = 24;

/// Sends to every rank what this rank has fetched from it. What other ranks have fetched from this
/// rank is added to `ledger` as sent. `planes` holds the phases. Collective.
pub(super) fn deliver(endpoint: &Endpoint, ledger: &mut Ledger, planes: &[Plane]) -> Result {
    let messages = messages(endpoint, ledger, planes);
    exchange(endpoint, messages, &mut |message| {
        read(message, ledger, planes);
    })
}

/// The messages with the rank to which each is sent. Every message but the last for a rank has the
/// maximum length.
fn messages(endpoint: &Endpoint, ledger: &Ledger, planes: &[Plane]) -> Vec<(u32, Vec<u8>)> {
    let mut records: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    for (source, fetched) in ledger.fetched() {
        let plane = planes.iter().find(|plane| plane.phase == fetched.phase);
        if let Some(plane) = plane.filter(|_| source < endpoint.ranks) {
            let records = records.entry(source).or_default();
            records.extend(u64::from(plane.number).to_le_bytes());
            records.extend(fetched.bytes.to_le_bytes());
            records.extend(fetched.messages.to_le_bytes());
        }
    }
    let whole = (MOST - HEAD) / RECORD * RECORD;
    let of_one = |(source, records): (u32, Vec<u8>)| {
        let messages = records.chunks(whole).map(|some| {
            let number = (some.len() / RECORD) as u32;
            let head = [number.to_le_bytes(), endpoint.rank.to_le_bytes()].concat();
            (source, [&head, some].concat())
        });
        messages.collect::<Vec<_>>()
    };
    records.into_iter().flat_map(of_one).collect()
}

/// Adds what a message says to `ledger`. Bytes behind the records are ignored.
fn read(message: &[u8], ledger: &mut Ledger, planes: &[Plane]) {
    let number = |at: usize| {
        let bytes = message.get(at..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    let (records, receiver) = (number(0) as u32 as usize, (number(0) >> 32) as u32);
    for record in 0..records.min((MOST - HEAD) / RECORD) {
        let at = HEAD + record * RECORD;
        let phase = planes
            .iter()
            .find(|plane| u64::from(plane.number) == number(at));
        if let Some(plane) = phase {
            ledger.send(&plane.phase, receiver, number(at + 8), number(at + 16));
        }
    }
}
