//! rankfold profiles.

use super::collective::{self, Model, Plane};
use super::{Builder, Collectives, CommError, CommGraph, Entry, Part, Read, Reader, Reading};
use crate::ids::Rank;
use rankfold_profile::{Collective, Profile, Row};
use std::path::Path;

/// Among the readers.
pub(super) const READER: Reader = Reader {
    ending: "rfp",
    summary: "profile written by rankfold profile",
    read: Read::Profile(read),
};

/// Collectives this many times all other bytes are what the program does, whatever the default says.
const DOMINATE: u128 = 10;

/// Reads a part of a `.rfp` file.
///
/// # Errors
/// [`CommError::Profile`] or [`CommError::Refused`], naming the file.
pub fn read(path: &Path, part: &Part<'_>) -> Result<Reading, CommError> {
    let profile = Profile::read(path)?;
    planes(&profile, part.phase)
        .and_then(|planes| planes.reading(part.collectives))
        .map_err(|error| CommError::refused(path, &error))
}

/// The point-to-point plane of a profile, as the mapper sees it.
///
/// # Errors
/// As [`CommGraph::from_messages`].
pub fn graph(profile: &Profile) -> Result<CommGraph, CommError> {
    let traffic = planes(profile, None)?.messages()?;
    traffic.finish()?.into_graph()
}

/// What a profile holds of the whole run, or of one phase.
struct Planes<'a> {
    ranks: usize,
    rows: &'a [Row],
    exchanges: &'a [Row],
    collectives: Plane<'a>,
}

fn planes<'a>(profile: &'a Profile, phase: Option<&str>) -> Result<Planes<'a>, CommError> {
    let plane = |collectives: &'a [Collective]| Plane {
        communicators: &profile.communicators,
        collectives,
    };
    let ranks = profile.rows.len();
    let Some(name) = phase else {
        return Ok(Planes {
            ranks,
            rows: &profile.rows,
            exchanges: &profile.exchanges,
            collectives: plane(&profile.collectives),
        });
    };
    match profile.phases.iter().find(|phase| phase.name == name) {
        Some(phase) => Ok(Planes {
            ranks,
            rows: &phase.rows,
            exchanges: &phase.exchanges,
            collectives: plane(&phase.collectives),
        }),
        None => {
            let known = profile.phases.iter().map(|phase| phase.name.clone());
            Err(CommError::NoPhase {
                name: name.to_owned(),
                known: known.collect(),
            })
        }
    }
}

impl Planes<'_> {
    fn reading(&self, choice: Collectives) -> Result<Reading, CommError> {
        let mut traffic = self.messages()?;
        let mut notes = Vec::new();
        let model = match choice {
            Collectives::By(model) => Some(model),
            Collectives::LeftOut => None,
            Collectives::Told => self.dominating(false, &mut notes),
            Collectives::UnlessTheyDominate => self.dominating(true, &mut notes),
        };
        if let Some(model) = model {
            let left_out = self.add_collectives(model, &mut traffic)?;
            notes.extend(left_out);
        }
        let traffic = traffic.finish()?;
        Ok(Reading { traffic, notes })
    }

    /// Messages, neighbourhood collectives and remote memory access: what was measured pair by pair.
    fn messages(&self) -> Result<Builder, CommError> {
        let mut traffic = Builder::new(self.ranks);
        add(self.rows, &mut traffic)?;
        Ok(traffic)
    }

    fn add_collectives(
        &self,
        model: &dyn Model,
        traffic: &mut Builder,
    ) -> Result<Vec<String>, CommError> {
        add(self.exchanges, traffic)?;
        let mut left_out = self.collectives.add(model, traffic)?;
        left_out.sort_by_key(|out| (out.op, std::cmp::Reverse(out.members)));
        left_out.dedup_by_key(|out| (out.op, out.members));
        Ok(left_out.iter().map(ToString::to_string).collect())
    }

    /// Says so if collectives of sub-communicators outweigh the rest, and how to model them if they are `used` for it.
    fn dominating(&self, used: bool, notes: &mut Vec<String>) -> Option<&'static dyn Model> {
        let sent = self.rows.iter().flat_map(|row| &row.peers);
        let sent: u128 = sent.map(|peer| u128::from(peer.bytes)).sum();
        let collective = self.collectives.moved_by_parts(self.ranks);
        if collective <= sent {
            return None;
        }
        let sizes = format!(
            "collectives of sub-communicators move at least {collective} bytes, all else {sent}"
        );
        if used && collective / DOMINATE >= sent {
            notes.push(format!(
                "{sizes}: they are modelled and added (--collectives none leaves them out)"
            ));
            return collective::MODELS.first().copied();
        }
        notes.push(format!("{sizes}: --collectives would model and add them"));
        None
    }
}

fn add(rows: &[Row], traffic: &mut Builder) -> Result<(), CommError> {
    for (from, row) in rows.iter().enumerate() {
        for peer in &row.peers {
            traffic.push(Entry {
                from: Rank::at(from),
                to: Rank(peer.rank),
                bytes: peer.bytes,
                messages: peer.messages,
            })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
