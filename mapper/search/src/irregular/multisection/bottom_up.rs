//! Bottom up: groups of least cut that fill one site each, then the groups onto the hierarchy.
//!
//! Where every level of the machine adds the same number of hops, the cut between sites is the
//! largest term of the cost, and top-down bisection decides it last. Needs sites of one size, all
//! full.

use super::bisect::{Care, Work};
use super::top_down::Halving;
use crate::refine::chain::{Chains, Reach};
use crate::refine::site_assignment::SiteAssignment;
use crate::weights::Weights;
use rankfold_model::sites::Sites;

const GROUPS: Care = Care {
    seeds: 2,
    cycles: 0,
    tries: 6,
};
const ARRANGEMENT: Care = Care {
    seeds: 4,
    cycles: 1,
    tries: 8,
};

/// A site for every rank; `None` where sites differ in size or some slots stay free.
pub(crate) fn place(
    weights: &Weights,
    sites: &Sites,
    seed: u64,
    work: &mut Work,
) -> Option<Vec<u32>> {
    let size = sites.capacity(0);
    let alike = sites.capacities().iter().all(|&c| c == size);
    if !alike || sites.len() * size as usize != weights.len() {
        return None;
    }
    let group_of = arrange(
        weights,
        &Sites::alike(sites.len(), size),
        GROUPS,
        seed,
        work,
    );
    let groups = weights.between(&group_of, sites.len());
    let site_of = arrange(&groups, &sites.singly(), ARRANGEMENT, seed, work);
    Some(
        group_of
            .iter()
            .map(|&group| site_of[group as usize])
            .collect(),
    )
}

fn arrange(weights: &Weights, sites: &Sites, care: Care, seed: u64, work: &mut Work) -> Vec<u32> {
    let halving = Halving {
        weights,
        sites,
        care,
        now: None,
        warm: false,
        seed,
    };
    let mut assignment = SiteAssignment::new(weights, sites, halving.place(work));
    Chains::new(&assignment, Reach::FAR).improve_all(&mut assignment, seed, u64::MAX);
    *work += assignment.work;
    assignment.into_sites()
}
