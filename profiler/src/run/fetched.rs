//! What a rank has fetched by remote memory access is in the row of the rank it came from, which
//! does not know of it: it is told at the end of the run.

use rankfold_preload::gather::exchange::{MOST, exchange};
use rankfold_preload::gather::lane::Lane;
use rankfold_preload::gather::wait::Result;
use rankfold_profile::{Ledger, Plane};
use std::collections::BTreeMap;

/// Bytes in front of the records of a message: how many there are (4), and the rank that sends it
/// (4).
const HEAD: usize = 8;
/// A record: number of the phase (4), nothing (4), bytes (8), messages (8).
const RECORD: usize = 24;

/// Tells every rank what others have fetched from it, which is added to its `ledger` as sent.
/// `planes` tell the phases. Collective.
pub(super) fn deliver(lane: &Lane, ledger: &mut Ledger, planes: &[Plane]) -> Result {
    let messages = messages(lane, ledger, planes);
    exchange(lane, messages, &mut |message| read(message, ledger, planes))
}

/// By the rank that they are for; each is as long as it may be.
fn messages(lane: &Lane, ledger: &Ledger, planes: &[Plane]) -> Vec<(u32, Vec<u8>)> {
    let mut records: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    for (source, told) in ledger.fetched() {
        let plane = planes.iter().find(|plane| plane.phase == told.phase);
        if let Some(plane) = plane.filter(|_| source < lane.ranks) {
            let records = records.entry(source).or_default();
            records.extend(u64::from(plane.number).to_le_bytes());
            records.extend(told.bytes.to_le_bytes());
            records.extend(told.messages.to_le_bytes());
        }
    }
    let whole = (MOST - HEAD) / RECORD * RECORD;
    let of_one = |(source, records): (u32, Vec<u8>)| {
        let messages = records.chunks(whole).map(|some| {
            let number = (some.len() / RECORD) as u32;
            let head = [number.to_le_bytes(), lane.rank.to_le_bytes()].concat();
            (source, [&head, some].concat())
        });
        messages.collect::<Vec<_>>()
    };
    records.into_iter().flat_map(of_one).collect()
}

/// Adds what a message tells; it may be followed by anything.
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
