//! Certificates: files that prove how far a placement's hop-bytes are from the fewest, or how busy
//! the busiest link of every placement is.
//!
//! A certificate holds the bytes between ranks, the hops between slots, a placement, a lower bound
//! and its proof. [`check`] verifies all of it in exact integer arithmetic, by code that shares
//! nothing with the search and the bounds. Whoever trusts that code trusts the certificate.
//!
//! A certificate of the busiest link is one of hop-bytes by other hops: 1 between slots whose nodes
//! are in different groups, such as those below a switch or the halves of a torus, and 0 otherwise.
//! Its bound is a number of bytes that leave their group in every placement. All groups together
//! are left by links of a known bandwidth, so that the busiest of these links has at least the
//! congestion of these bytes over this bandwidth. Whichever routes messages take, they leave their
//! group. The bandwidth, like the hops, is the machine's, which the checker does not know.
//!
//! The file is text, a statement a line, in this order:
//!
//! ```text
//! rankfold-certificate VERSION    1 for hop-bytes, 2 for the busiest link
//! ranks R
//! slots N                         slots of one node have 0 hops between them
//! bandwidth W                     in version 2: of the links that leave all groups together
//! pairs P
//! pair RANK RANK BYTES            P lines; bytes of both directions
//! hops SLOT H H ...               N lines; hops to the slots after this one
//! placement SLOT SLOT ...         of every rank
//! hop-bytes V                     of the placement
//! bound B                         no placement has fewer hop-bytes
//! unit U                          a byte is 2 to the power U units; bytes are rounded down below 0
//! share RANK U U ...              N lines; what the star of the rank has for each other one
//! diagonal U U ...                of the rest
//! triples T
//! triple RULE A B C PRICE         T lines; RULE is detour or perimeter
//! slot-prices P P ...             in the assignment of ranks to slots, times 2 N²
//! rest LIFT
//! eigenvalue VALUE X X ...        N lines, descending; eigenvector times 2 to the power 28
//! distances LIFT
//! eigenvalue VALUE X X ...        N lines, of the hops times 2 to the power 24
//! checksum HEX                    FNV-1a, 64 bits, of all bytes before this line
//! ```
//!
//! The proof is the one of the bound `split`, whose documentation has the argument. Ranks from R on
//! stand for free slots. What cannot be verified in exact arithmetic is in no certificate: bounds
//! by branch and bound, and bounds on congestion and on time by other arguments.
#![forbid(unsafe_code)]

mod check;
mod prove;
mod read;
mod write;

pub use prove::{Uncertified, busiest_link_certificate, certificate, check_applies};

/// A certificate as its file states it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Certificate {
    ranks: usize,
    slots: usize,
    /// For the busiest link: the bandwidth that leaves all groups together.
    bandwidth: Option<f64>,
    /// Two ranks and the bytes of both directions between them.
    pairs: Vec<(u32, u32, u64)>,
    /// Hops between slots; row-major.
    hops: Vec<i64>,
    /// The slot of every rank.
    placement: Vec<u32>,
    hop_bytes: u128,
    bound: u128,
    proof: Proof,
    lines: Lines,
}

/// How the bytes are split, as in the bound `split`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proof {
    unit: i32,
    /// Row-major.
    shares: Vec<i64>,
    diagonal: Vec<i64>,
    triples: Vec<PricedTriple>,
    slot_prices: Vec<i128>,
    rest: Eigenvalues,
    distances: Eigenvalues,
}

/// An inequality among the distances of three ranks, and its price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PricedTriple {
    /// The way by the second rank is no shorter than the straight one; otherwise, the perimeter is
    /// not below the least perimeter.
    is_detour: bool,
    ranks: [u32; 3],
    price: i64,
}

/// Approximate eigenvalues, descending, with their eigenvectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Eigenvalues {
    /// Added to every entry of the matrix.
    lift: i64,
    values: Vec<i64>,
    vectors: Vec<Vec<i64>>,
}

/// The lines of the file where statements are, from 1 on; of repeated statements, the first. All 0
/// for a certificate that was not read from a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    pairs: usize,
    hops: usize,
    placement: usize,
    hop_bytes: usize,
    bound: usize,
    shares: usize,
    diagonal: usize,
    triples: usize,
    slot_prices: usize,
    rest: usize,
    distances: usize,
}

/// What a certificate proves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proved {
    /// Number of ranks.
    pub ranks: usize,
    /// Number of slots.
    pub slots: usize,
    /// Hop-bytes of the placement. With a `bandwidth`, bytes that leave their group.
    pub hop_bytes: u128,
    /// No placement has fewer.
    pub bound: u128,
    /// Given for the busiest link: no placement has a congestion below `bound` over this bandwidth.
    pub bandwidth: Option<f64>,
}

/// Why a certificate is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct Refused {
    /// Line of the statement that is missing, damaged or not true, from 1 on.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

impl Refused {
    fn at(line: usize, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self { line, problem }
    }
}

/// Verifies the text of a certificate.
///
/// # Errors
/// [`Refused`] with the line of a statement that is damaged or not true.
pub fn check(text: &str) -> Result<Proved, Refused> {
    let certificate = read::read(text)?;
    check::placement(&certificate)?;
    let proved = check::bound(&certificate)?;
    if proved < certificate.bound {
        let problem = format!(
            "the proof gives a bound of {proved}, not {}",
            certificate.bound
        );
        return Err(Refused::at(certificate.lines.bound, problem));
    }
    Ok(Proved {
        ranks: certificate.ranks,
        slots: certificate.slots,
        hop_bytes: certificate.hop_bytes,
        bound: certificate.bound,
        bandwidth: certificate.bandwidth,
    })
}

#[cfg(test)]
mod tests;
