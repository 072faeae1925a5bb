//! Makes certificates.

use super::{Certificate, Eigenvalues, Lines, PricedTriple, Proof, check, write};
use rankfold_base::{Placement, Rank};
use rankfold_graph::Affinity;
use rankfold_machine::Machine;
use rankfold_metric::{self as metric, BoundEffort, SplitProof, TripleRule};

/// Why there is no certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Uncertified {
    /// The bound that certificates are made of needs other numbers of slots.
    #[error(
        "certificates are for machines of 3 to {most} slots, and this one has {slots}; name its hosts with --hosts, or leave the flag out",
        most = metric::MOST_SPLIT_SLOTS
    )]
    TooLarge {
        /// Slots of the machine.
        slots: usize,
    },
    /// No cut of the machine has a bound.
    #[error(
        "there is none for the busiest link: no bytes are known to leave groups of nodes, such as those of a switch or the halves of a torus, in every placement"
    )]
    NoCut,
    /// The bound that certificates are made of does not apply.
    #[error("there is none where nobody sends anything, or where ways back have other lengths")]
    NoBound,
    /// The checker does not accept the proof.
    #[error("the checker refuses the proof ({0}); please report this")]
    NotProved(String),
}

/// The text of a certificate for a placement. Its bound is the one that the checker proves.
///
/// # Errors
/// [`Uncertified`] where no bound applies that can be verified in exact arithmetic.
pub fn certificate(
    affinity: &Affinity,
    machine: &Machine,
    placement: &Placement,
    effort: BoundEffort,
) -> Result<String, Uncertified> {
    check_applies(machine)?;
    let found = metric::split_proof(affinity, machine, effort).ok_or(Uncertified::NoBound)?;
    checked(affinity, placement, found, None)
}

/// The text of a certificate for the busiest link of a placement. Its bound is the one that the
/// checker proves.
///
/// # Errors
/// [`Uncertified`] where no division of the nodes has a bound that can be verified in exact
/// arithmetic.
pub fn busiest_link_certificate(
    affinity: &Affinity,
    machine: &Machine,
    placement: &Placement,
) -> Result<String, Uncertified> {
    check_applies(machine)?;
    let cut = metric::cut_proof(affinity, machine).ok_or(Uncertified::NoCut)?;
    checked(affinity, placement, cut.bytes, Some(cut.bandwidth))
}

/// The text of a certificate, once the checker accepts its proof.
fn checked(
    affinity: &Affinity,
    placement: &Placement,
    found: SplitProof,
    bandwidth: Option<f64>,
) -> Result<String, Uncertified> {
    let slots = found.diagonal.len();
    let ranks = || (0..affinity.ranks()).map(Rank::at);
    let above = |one: Rank| {
        let partners = affinity
            .partners(one)
            .filter(move |(other, _)| *other > one);
        partners.map(move |(other, bytes)| (one.0, other.0, bytes))
    };
    let mut certificate = Certificate {
        ranks: affinity.ranks(),
        slots,
        bandwidth,
        pairs: ranks().flat_map(above).collect(),
        hops: found.hops.clone(),
        placement: ranks().map(|rank| placement.slot(rank).0).collect(),
        hop_bytes: 0,
        bound: 0,
        proof: proof(found),
        lines: Lines::default(),
    };
    let refused = |refused: super::Refused| Uncertified::NotProved(refused.problem);
    certificate.hop_bytes = check::hop_bytes(&certificate).map_err(refused)?;
    certificate.bound = check::bound(&certificate).map_err(refused)?;
    Ok(write::text(&certificate))
}

/// Checks that a machine is small enough for certificates.
///
/// # Errors
/// [`Uncertified::TooLarge`].
pub fn check_applies(machine: &Machine) -> Result<(), Uncertified> {
    let slots = machine.slots().len();
    match slots {
        3..=metric::MOST_SPLIT_SLOTS => Ok(()),
        _ => Err(Uncertified::TooLarge { slots }),
    }
}

fn proof(found: SplitProof) -> Proof {
    let triples = found.triples.into_iter().map(|triple| PricedTriple {
        is_detour: triple.rule == TripleRule::Detour,
        ranks: triple.ranks,
        price: triple.price,
    });
    Proof {
        unit: found.unit,
        shares: found.shares,
        diagonal: found.diagonal,
        triples: triples.collect(),
        slot_prices: found.slot_prices,
        rest: eigenvalues(found.rest),
        distances: eigenvalues(found.distances),
    }
}

fn eigenvalues(found: metric::Eigenvalues) -> Eigenvalues {
    Eigenvalues {
        lift: found.lift,
        values: found.values,
        vectors: found.vectors,
    }
}
