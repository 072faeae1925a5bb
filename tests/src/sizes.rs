//! Compares the messages by size with the messages by pair of ranks.

use anyhow::{Result, ensure};
use rankfold_wire::{Profile, size_bits};

/// Fails unless messages and bytes by size add up to those of all pairs, and the mean size in every
/// row belongs to that row. Messages in no pair have a size, too.
///
/// # Errors
/// They are not.
pub fn must_be_those_of_the_pairs(profile: &Profile) -> Result<()> {
    let peers = || profile.rows.iter().flat_map(|row| &row.peers);
    let sizes = || profile.sizes.iter();
    let messages: [u64; 2] = [
        peers().map(|peer| peer.messages).sum(),
        sizes().map(|size| size.messages).sum(),
    ];
    let pairs_are_all = profile.others.is_empty();
    ensure!(
        messages[0] == messages[1] || !pairs_are_all && messages[0] < messages[1],
        "{} messages in pairs, {} by size",
        messages[0],
        messages[1]
    );
    let bytes: [u64; 2] = [
        peers().map(|peer| peer.bytes).sum(),
        sizes().map(|size| size.bytes).sum(),
    ];
    ensure!(
        bytes[0] == bytes[1] || !pairs_are_all && bytes[0] < bytes[1],
        "{} bytes in pairs, {} by size",
        bytes[0],
        bytes[1]
    );
    for size in sizes() {
        let mean = size.bytes / size.messages;
        ensure!(size_bits(mean) == size.bits, "{size:?}");
    }
    Ok(())
}
