//! rankfold profiles.

use super::{Builder, CommError, CommGraph, Entry, Read, Reader, Traffic};
use crate::ids::Rank;
use rankfold_profile::Profile;
use std::path::Path;

/// Among the readers.
pub(super) const READER: Reader = Reader {
    ending: "rfp",
    summary: "profile written by rankfold profile",
    read: Read::Matrix(read),
};

/// Reads a `.rfp` file.
///
/// # Errors
/// [`CommError::Profile`] naming the file.
pub fn read(path: &Path) -> Result<Traffic, CommError> {
    traffic(&Profile::read(path)?)
}

/// The point-to-point plane of a profile, as the mapper sees it.
///
/// # Errors
/// As [`CommGraph::from_messages`].
pub fn graph(profile: &Profile) -> Result<CommGraph, CommError> {
    traffic(profile)?.into_graph()
}

fn traffic(profile: &Profile) -> Result<Traffic, CommError> {
    let mut traffic = Builder::new(profile.rows.len());
    for (from, row) in profile.rows.iter().enumerate() {
        for peer in &row.peers {
            traffic.push(Entry {
                from: Rank::at(from),
                to: Rank(peer.rank),
                bytes: peer.bytes,
                messages: peer.messages,
            })?;
        }
    }
    traffic.finish()
}
