//! The sections of what NCCL did.

use super::lists::{append, continued, extended, list, pieces};
use super::section::{parse, write};
use crate::communicator::Communicator;
use crate::container::{Section, Tag, corrupt};
use crate::error::Result;
use crate::nccl_process::NcclLoss;
use crate::nccl_record::{LostEvents, NcclRecord};
use crate::profile::{NcclTraffic, Peer, Profile, Row};
use std::io::Write;

/// The record. It comes first, and is there whenever one of the other sections is.
const RECORD: Tag = *b"nccl";
const COMMUNICATORS: Tag = *b"ncom";
const COLLECTIVES: Tag = *b"ncol";
const NETWORK: Tag = *b"nnet";
const SENT: Tag = *b"nsen";

/// All tags of this file.
pub(super) const TAGS: [Tag; 5] = [RECORD, COMMUNICATORS, COLLECTIVES, NETWORK, SENT];

/// The record as it is in a file: reasons of losses are numbers, so that a reader skips those of a
/// later version.
type StoredRecord = (Vec<u32>, Vec<u32>, Vec<(u32, u64, u64)>, Vec<String>);

/// Writes the sections of a profile that has any.
pub(super) fn encode(traffic: Option<&NcclTraffic>, out: &mut dyn Write) -> Result<()> {
    let Some(traffic) = traffic else {
        return Ok(());
    };
    let NcclRecord {
        interfaces,
        unfinished,
        lost,
        notes,
    } = &traffic.record;
    let lost: Vec<(u32, u64, u64)> = lost
        .iter()
        .map(|lost| (lost.loss as u32, lost.bytes, lost.events))
        .collect();
    let record = (interfaces, unfinished, lost, notes);
    write(out, RECORD, &record, "the remarks on NCCL")?;
    let runs = |comm: &Communicator| comm.members.runs() + comm.remote.runs();
    let what = "one communicator of NCCL";
    pieces(out, COMMUNICATORS, &traffic.communicators, runs, what)?;
    let what = "the collectives of NCCL";
    list(out, COLLECTIVES, &traffic.collectives, |_| 1, what)?;
    for (tag, rows) in [(NETWORK, &traffic.network), (SENT, &traffic.sent)] {
        let peers: Vec<&[Peer]> = rows.iter().map(|row| &row.peers[..]).collect();
        let what = "what one rank sent by NCCL";
        pieces(out, tag, &peers, |row| row.len(), what)?;
    }
    Ok(())
}

/// Adds the content of one of these sections.
pub(super) fn decode(profile: &mut Profile, section: &Section) -> Result<()> {
    let wrong = |problem: String| corrupt(section.offset, problem);
    if section.tag == RECORD {
        let (interfaces, unfinished, lost, notes): StoredRecord = parse(section)?;
        let known = lost.into_iter().filter_map(|(loss, bytes, events)| {
            Some(LostEvents {
                loss: *NcclLoss::ALL.get(loss as usize)?,
                bytes,
                events,
            })
        });
        let record = NcclRecord {
            interfaces,
            unfinished,
            lost: known.collect(),
            notes,
        };
        profile.nccl = Some(NcclTraffic {
            record,
            ..NcclTraffic::default()
        });
        return Ok(());
    }
    let Some(traffic) = &mut profile.nccl else {
        return Err(wrong("traffic of NCCL without the section nccl".to_owned()));
    };
    match section.tag {
        COMMUNICATORS => {
            let what = "communicators of NCCL from";
            continued(&mut traffic.communicators, section, what)
        }
        COLLECTIVES => extended(&mut traffic.collectives, section),
        tag => {
            let (first, some): (u64, Vec<Vec<Peer>>) = parse(section)?;
            let some = some.into_iter().map(Row::of).collect();
            let rows = match tag {
                NETWORK => &mut traffic.network,
                _ => &mut traffic.sent,
            };
            append(rows, first, some, "rows of NCCL from rank").map_err(wrong)
        }
    }
}
