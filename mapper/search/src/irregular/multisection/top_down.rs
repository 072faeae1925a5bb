//! Top-down multisection: sites and ranks are halved together, the widest level of the machine
//! first.
//!
//! The sites of a region are cut at a boundary of the widest level that divides them, the ranks by
//! multilevel bisection into parts that fit the two halves. A message that leaves the region pulls
//! its rank towards the closer half, with a weight for how much closer that half is.
//!
//! ```text
//! sites of the region    s0 s1 | s2 s3      rank 5 sits outside, closer to s2 and s3
//! ranks and messages     0 = 1 - 2 = 3..5   message 3..5 pulls rank 3 to the right half
//! after the bisection    0   1 | 2   3      the cut runs through the light message 1 - 2
//! ```
//!
//! Source: dual recursive bipartitioning (Pellegrini and Roman, HPCN 1996). The pulls are terminal
//! propagation with the distances of the machine. They matter where the distance between two
//! switches depends on which switch owns a cable: without them a prototype lost 1.4 to 4.8 % on
//! dragonfly and PERCS networks, nothing on trees. Cost: O(m log N) for m pairs and N sites.

use super::bisect::{BisectionEffort, BisectionGraph, Sides, SizeRange, Work, bisect};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_machine::sites::Sites;
use rankfold_problem::weights::Weights;
use rayon::prelude::*;
use std::collections::HashMap;

/// The regions of one depth are halved in this many turns. Regions of the same turn do not see each
/// other's new halves. Chosen by hand, so that threads have work; not measured.
const TURNS: usize = 4;
/// Ranks below which the regions of a turn are halved one after the other, since threads do not
/// pay.
const ALONE: usize = 2000;

/// A set of sites and the ranks that belong on these sites.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// In ascending order.
    pub(crate) sites: Vec<u32>,
    pub(crate) ranks: Vec<u32>,
}

/// Parameters of the halving of regions.
#[derive(Clone, Copy)]
pub(crate) struct Halving<'a> {
    pub(crate) weights: &'a Weights,
    pub(crate) sites: &'a Sites,
    pub(crate) care: BisectionEffort,
    /// The current site of every rank; ranks outside the region pull from there.
    pub(crate) now: Option<&'a [u32]>,
    /// Whether a bisection starts from the current sites of the ranks instead of from scratch.
    pub(crate) warm: bool,
    pub(crate) seed: u64,
}

/// For every rank, the number of its region and its index in that region.
#[derive(Debug)]
pub(crate) struct RankRegions(Vec<(u32, u32)>);

/// The region number of a rank that is in no region.
const OUTSIDE: u32 = u32::MAX;

impl RankRegions {
    pub(crate) fn new(ranks: usize) -> Self {
        Self(vec![(OUTSIDE, 0); ranks])
    }

    fn enter(&mut self, number: u32, ranks: &[u32]) {
        for (place, &rank) in (0..).zip(ranks) {
            self.0[rank as usize] = (number, place);
        }
    }
}

impl Region {
    /// The region of all sites and all ranks.
    pub(crate) fn everything(sites: &Sites, ranks: usize) -> Self {
        Self {
            sites: (0..sites.len() as u32).collect(),
            ranks: (0..ranks as u32).collect(),
        }
    }

    fn is_settled(&self) -> bool {
        self.sites.len() == 1 || self.ranks.is_empty()
    }
}

impl Halving<'_> {
    /// The site of every rank, from scratch.
    pub(crate) fn place(&self, work: &mut Work) -> Vec<u32> {
        let ranks = self.weights.vertices();
        let mut at = RankRegions::new(ranks);
        let mut site_of = vec![0; ranks];
        for (rank, site) in self.settle(Region::everything(self.sites, ranks), &mut at, work) {
            site_of[rank as usize] = site;
        }
        site_of
    }

    /// A site within the region for each of the region's ranks, as (rank, site). `at` is empty
    /// before and after.
    pub(crate) fn settle(
        &self,
        region: Region,
        at: &mut RankRegions,
        work: &mut Work,
    ) -> Vec<(u32, u32)> {
        let all_ranks = region.ranks.clone();
        let mut settled = Vec::with_capacity(all_ranks.len());
        at.enter(0, &region.ranks);
        let mut regions = vec![region];
        let mut open = vec![0];
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        while !open.is_empty() {
            open.retain(|&number: &usize| {
                let region = &regions[number];
                if region.is_settled() {
                    settled.extend(region.ranks.iter().map(|&rank| (rank, region.sites[0])));
                }
                !region.is_settled()
            });
            open.shuffle(&mut random);
            let mut next = Vec::new();
            for turn in open.chunks(open.len().div_ceil(TURNS).max(1)) {
                for (number, halves) in self.halve_all(turn, &regions, at, work) {
                    for half in halves {
                        at.enter(regions.len() as u32, &half.ranks);
                        next.push(regions.len());
                        regions.push(half);
                    }
                    regions[number].ranks.clear();
                }
            }
            open = next;
        }
        at.enter(OUTSIDE, &all_ranks);
        settled
    }

    /// Halves the regions of one turn, in parallel if that pays.
    fn halve_all(
        &self,
        turn: &[usize],
        regions: &[Region],
        at: &RankRegions,
        work: &mut Work,
    ) -> Vec<(usize, [Region; 2])> {
        let halve = |&number: &usize| {
            let mut work = 0;
            let halves = self.halve(number, regions, at, &mut work);
            (number, halves, work)
        };
        let ranks: usize = turn.iter().map(|&number| regions[number].ranks.len()).sum();
        let halved: Vec<_> = if ranks < ALONE {
            turn.iter().map(halve).collect()
        } else {
            turn.par_iter().map(halve).collect()
        };
        *work += halved.iter().map(|(_, _, work)| work).sum::<Work>();
        halved
            .into_iter()
            .map(|(number, halves, _)| (number, halves))
            .collect()
    }

    /// Divides the sites of a region at [`Self::middle`] and its ranks by bisection.
    fn halve(
        &self,
        number: usize,
        regions: &[Region],
        at: &RankRegions,
        work: &mut Work,
    ) -> [Region; 2] {
        let region = &regions[number];
        let (left, right) = region.sites.split_at(self.middle(&region.sites));
        let slots = |sites: &[u32]| -> i64 {
            let slots = sites.iter().map(|&s| i64::from(self.sites.capacity(s)));
            slots.sum()
        };
        let ranks = region.ranks.len() as i64;
        let room = SizeRange {
            least: (ranks - slots(right)).max(0),
            most: slots(left).min(ranks),
        };
        let mut pulls = Pulls::new(self, regions, left, right);
        let piece = self.piece(number as u32, region, at, &mut pulls);
        *work += piece.edges.entries().len() as u64 + pulls.asked;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(
            self.seed ^ (u64::from(left[0]) << 32 | region.sites.len() as u64),
        );
        let start = self.start(region, right[0]).filter(|sides| {
            let here = sides.iter().filter(|side| !**side).count();
            room.excess(here as i64) == 0
        });
        let sides = bisect(&piece, room, self.care, start, &mut random, work);
        let half = |side: bool, sites: &[u32]| Region {
            sites: sites.to_vec(),
            ranks: region
                .ranks
                .iter()
                .zip(&sides)
                .filter(|&(_, &here)| here == side)
                .map(|(&rank, _)| rank)
                .collect(),
        };
        [half(false, left), half(true, right)]
    }

    /// The index at which the sites are cut: a boundary of the widest level that divides them, as
    /// close as possible to half of the slots.
    fn middle(&self, sites: &[u32]) -> usize {
        let (head, tail) = (sites[0], sites[sites.len() - 1]);
        let level = self
            .sites
            .levels()
            .iter()
            .find(|level| level.group_of(head) != level.group_of(tail))
            .expect("the last level parts all sites");
        let slots = |&site: &u32| u64::from(self.sites.capacity(site));
        let total: u64 = sites.iter().map(slots).sum();
        let mut before = 0;
        (1..sites.len())
            .map(|i| {
                before += slots(&sites[i - 1]);
                (i, before)
            })
            .filter(|&(i, _)| level.group_of(sites[i - 1]) != level.group_of(sites[i]))
            .min_by_key(|&(i, before)| ((2 * before).abs_diff(total), i))
            .map(|(i, _)| i)
            .expect("the level parts the sites")
    }

    /// The graph of a region's ranks, with the pulls from outside.
    fn piece(
        &self,
        number: u32,
        region: &Region,
        at: &RankRegions,
        pulls: &mut Pulls,
    ) -> BisectionGraph {
        let mut piece = BisectionGraph {
            ranks: vec![1; region.ranks.len()],
            ..BisectionGraph::default()
        };
        let mut row = Vec::new();
        for &rank in &region.ranks {
            let mut pull = 0.0;
            let finer = self.weights.finer();
            let partners = self.weights.partners(rank);
            for (partner, bytes) in partners.map(|(partner, bytes)| (partner, bytes * finer)) {
                match at.0[partner as usize] {
                    (there, place) if there == number => {
                        row.push((place, bytes));
                    }
                    (OUTSIDE, _) => {
                        let site = self.now.map(|now| now[partner as usize]);
                        pull += bytes as f64 * site.map_or(0.0, |site| pulls.of_site(site));
                    }
                    (there, _) => pull += bytes as f64 * pulls.of_region(there),
                }
            }
            piece.edges.push_row(row.drain(..));
            piece.pull.push(pull.round() as i64);
        }
        piece
    }

    /// The current sides of the ranks, if bisections start from them; sites from `cut` on are side
    /// 1.
    fn start(&self, region: &Region, cut: u32) -> Option<Sides> {
        let now = self.now.filter(|_| self.warm)?;
        Some(
            region
                .ranks
                .iter()
                .map(|&r| now[r as usize] >= cut)
                .collect(),
        )
    }
}

/// How much farther the right half is than the left, relative to the distance between the halves,
/// for every site and region outside.
struct Pulls<'a> {
    sites: &'a Sites,
    regions: &'a [Region],
    left: &'a [u32],
    right: &'a [u32],
    unit: f64,
    known: HashMap<(bool, u32), f64>,
    asked: u64,
}

impl<'a> Pulls<'a> {
    fn new(halving: &'a Halving, regions: &'a [Region], left: &'a [u32], right: &'a [u32]) -> Self {
        let sites = halving.sites;
        let inside = (sites.mean_hops(left, left) + sites.mean_hops(right, right)) / 2.0;
        let unit = sites.mean_hops(left, right) - inside;
        Self {
            sites,
            regions,
            left,
            right,
            unit: if unit > 0.0 { unit } else { 1.0 },
            known: HashMap::new(),
            asked: 0,
        }
    }

    fn of_site(&mut self, site: u32) -> f64 {
        self.of((true, site), &[site])
    }

    fn of_region(&mut self, number: u32) -> f64 {
        let regions = self.regions;
        self.of((false, number), &regions[number as usize].sites)
    }

    fn of(&mut self, key: (bool, u32), there: &[u32]) -> f64 {
        if let Some(&pull) = self.known.get(&key) {
            return pull;
        }
        self.asked += there.len().min(10) as u64 * 20;
        let farther =
            self.sites.mean_hops(self.right, there) - self.sites.mean_hops(self.left, there);
        let pull = farther / self.unit;
        self.known.insert(key, pull);
        pull
    }
}
