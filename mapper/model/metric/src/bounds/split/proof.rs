//! The proof of a split in whole numbers, for whoever wants to verify it.

use super::instance::Instance;
use super::spectrum::{Spectrum, centred, lift_above};
use super::triples::Triple;
use super::whole::WholeSplit;
use crate::BoundEffort;
use rankfold_graph::Affinity;
use rankfold_machine::Machine;

/// A split of the bytes between all pairs of ranks in whole units, with the eigenvalues that its
/// bound is based on. There are as many ranks as slots: the last ones stand for free slots.
#[derive(Clone, Debug)]
pub struct SplitProof {
    /// Hops between slots; row-major.
    pub hops: Vec<i64>,
    /// A byte is 2 to this power units. If it is negative, bytes are rounded down to units.
    pub unit: i32,
    /// The units that the star of a rank (row) has for another rank (column); row-major.
    pub shares: Vec<i64>,
    /// The diagonal of the rest.
    pub diagonal: Vec<i64>,
    /// Triples with their prices.
    pub triples: Vec<Triple<i64>>,
    /// The price of every slot in the assignment of ranks to slots, times twice the squared number
    /// of slots.
    pub slot_prices: Vec<i128>,
    /// Eigenvalues of the rest, centred and lifted.
    pub rest: Eigenvalues,
    /// Eigenvalues of the hops times 2 to the power `FINE_HOPS`, centred and lifted.
    pub distances: Eigenvalues,
}

/// Eigenvalues as whole numbers, descending, and their eigenvectors times 2 to the power
/// `FINE_VECTORS`.
#[derive(Clone, Debug)]
pub struct Eigenvalues {
    /// What is added to every entry of the centred matrix.
    pub lift: i64,
    /// The eigenvalues, rounded.
    pub values: Vec<i64>,
    /// The eigenvectors, rounded.
    pub vectors: Vec<Vec<i64>>,
}

/// Chosen so that products of two coordinates and an eigenvalue fit 128 bits.
const FINE_VECTORS: i32 = 28;

/// Hops are whole numbers, and their eigenvalues are not.
const FINE_HOPS: i32 = 24;

/// The proof of the bound `split`, or that of the stars alone where there are too many slots for
/// steps. `None` where the bound does not apply.
#[must_use]
pub fn split_proof(
    affinity: &Affinity,
    machine: &Machine,
    effort: BoundEffort,
) -> Option<SplitProof> {
    let instance = Instance::new(affinity, machine)?;
    let steps = super::steps(effort, instance.slots).unwrap_or(0);
    let split = super::split_of(&instance, steps)?;
    proof(instance, split)
}

/// A number of bytes that pass from group to group in every placement, and the proof of it. The
/// argument is the group of every node. The hops of the proof are 1 between slots of different
/// groups and 0 otherwise.
pub(in crate::bounds) fn proof_between_groups(
    affinity: &Affinity,
    machine: &Machine,
    group_of: &[usize],
) -> Option<(u128, SplitProof)> {
    let instance = super::between_groups(affinity, machine, group_of)?;
    let steps = super::steps_within(super::WORK_OF_A_CUT, instance.slots)?;
    let split = super::split_of(&instance, steps)?;
    let bytes = split.hop_bytes(&instance)?;
    Some((bytes, proof(instance, split)?))
}

fn proof(instance: Instance, split: WholeSplit) -> Option<SplitProof> {
    let rest = eigenvalues(&split.rest(&instance), instance.slots, 0, 1.0)?;
    let distances = eigenvalues(&instance.hops, instance.slots, FINE_HOPS, -1.0)?;
    Some(SplitProof {
        hops: instance.hops,
        unit: split.unit,
        shares: split.shares,
        diagonal: split.diagonal,
        triples: split.triples,
        slot_prices: split.slots,
        rest,
        distances,
    })
}

/// The eigenvalues of a matrix times 2 to the power `fine`, lifted upwards or, with a `sign` of -1,
/// downwards.
fn eigenvalues(matrix: &[i64], slots: usize, fine: i32, sign: f64) -> Option<Eigenvalues> {
    let finer = |&entry: &i64| entry as f64 * 2f64.powi(fine);
    let matrix: Vec<f64> = matrix.iter().map(finer).collect();
    let lift = sign * (lift_above(&matrix) / slots as f64).ceil();
    let spectrum = Spectrum::of(centred(&matrix, slots, lift * slots as f64))?;
    let coordinate = |&x: &f64| (x * 2f64.powi(FINE_VECTORS)).round() as i64;
    let columns = spectrum.vectors.column_iter();
    Some(Eigenvalues {
        lift: lift as i64,
        values: spectrum
            .values
            .iter()
            .map(|value| value.round() as i64)
            .collect(),
        vectors: columns
            .map(|column| column.iter().map(coordinate).collect())
            .collect(),
    })
}
