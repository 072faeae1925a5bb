//! Why no placement keeps all constraints.

use rankfold_base::words::counted;

/// No placement keeps all constraints, or none was found. Messages name the flags or lines, the
/// ranks and the hosts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Infeasible {
    /// There is no such rank.
    #[error("{origin}: there is no rank {rank}, as there are {ranks} ranks")]
    NoSuchRank {
        /// The flag or line.
        origin: String,
        /// The rank.
        rank: u32,
        /// The number of ranks.
        ranks: usize,
    },
    /// The machine has no such node or slot.
    #[error("{origin}: rank {rank} is to stay where the machine has no slot")]
    NoSuchSeat {
        /// The flag or line.
        origin: String,
        /// The rank.
        rank: u32,
    },
    /// Constraints that no placement keeps all of, and that could be kept without any of them.
    #[error("no placement has {}", rules.join(" and "))]
    Conflict {
        /// The rules in words.
        rules: Vec<String>,
    },
    /// The search for any placement was ended.
    #[error("no placement was found that keeps all constraints: {}", rules.join(" and "))]
    NotFound {
        /// The first rules in words, and how many more there are.
        rules: Vec<String>,
    },
    /// More ranks have to move than may.
    #[error(
        "{origin}: the other constraints need {} to move, and {moves} may",
        counted(*needed as u64, "rank")
    )]
    TooFewMoves {
        /// The flag.
        origin: String,
        /// The fewest ranks that were found to have to move.
        needed: usize,
        /// The most ranks that may move.
        moves: usize,
    },
    /// Ranks that take several slots find no room.
    #[error("{origin}: {ranks} not fit: {why}")]
    NoRoom {
        /// Where the slots were given that ranks take.
        origin: String,
        /// The ranks with their slots, and the verb.
        ranks: String,
        /// What stands in the way.
        why: String,
    },
    /// Where whole hosts are moved, their ranks keep their order.
    #[error("{origin}: whole hosts are moved here, each with {each} ranks in a row in their order")]
    BreaksHosts {
        /// The flag or line.
        origin: String,
        /// The ranks of a host.
        each: usize,
    },
    /// The placement to begin from is one of other ranks.
    #[error("{origin}: the map has {mapped} ranks, and there are {ranks}")]
    OtherRanks {
        /// The flag.
        origin: String,
        /// The ranks of the map.
        mapped: usize,
        /// The number of ranks.
        ranks: usize,
    },
}
