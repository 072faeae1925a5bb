//! rankfold profiles as communication graphs.

use super::{CommError, CommGraph, Message, Reader};
use crate::ids::Rank;
use rankfold_profile::Profile;
use std::path::Path;

/// `.rfp` among the readers.
pub(super) const READER: Reader = Reader {
    ending: "rfp",
    summary: "profile written by rankfold profile",
    read,
};

/// Reads a `.rfp` file.
///
/// # Errors
/// [`CommError::Profile`] naming the file.
pub fn read(path: &Path) -> Result<CommGraph, CommError> {
    graph(&Profile::read(path)?)
}

/// The point-to-point plane of a profile.
///
/// # Errors
/// As [`CommGraph::from_messages`].
pub fn graph(profile: &Profile) -> Result<CommGraph, CommError> {
    let messages = profile.rows.iter().enumerate().flat_map(|(from, row)| {
        row.peers.iter().map(move |peer| Message {
            from: Rank::at(from),
            to: Rank(peer.rank),
            bytes: peer.bytes,
        })
    });
    CommGraph::from_messages(profile.rows.len(), messages)
}
