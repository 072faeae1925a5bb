//! The lines of NCCL's logs that give the ring of a channel.

/// The ranks of a ring: `None` where the line is cut, a message where it is wrong.
pub(super) type RingRanks = Result<Option<Vec<u32>>, String>;

/// Channel and ring of `Channel 00/08 : 0 1 2`, no ring where the line is cut; `None` for other
/// lines.
pub(super) fn ring(said: &str) -> Option<(u32, RingRanks)> {
    let (channel, ranks) = said.strip_prefix("Channel ")?.split_once(" : ")?;
    let channel = channel.split('/').next()?.trim().parse().ok()?;
    // `Channel 00/0 : 0[0] -> 1[1] via P2P` is a connection.
    if ranks.contains("->") {
        return None;
    }
    if ranks.contains("...") {
        return Some((channel, Ok(None)));
    }
    let words = ranks.split_whitespace();
    let ranks = words.map(|word| word.parse().map_err(|_| format!("{word:?} is no rank")));
    let ranks: Result<Vec<u32>, String> = ranks.collect();
    Some((channel, ranks.map(Some)))
}
