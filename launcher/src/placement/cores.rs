//! The cores of the ranks in a plan, and the comparison with the cores of a run.

use super::PlacementPlan;
use super::verify::{self, Mismatch};
use rankfold_wire::{Cores, Seat};
use std::collections::HashMap;
use std::ops::Range;

/// The cores of every rank on its host, in two numberings; empty where every core is as good.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RankCores {
    /// The numbers of the cores in the operating system.
    pub(crate) numbers: Vec<Cores>,
    /// The places of the cores among all cores of the host in depth-first order, as hwloc and Open
    /// MPI count.
    pub(crate) places: Vec<Range<u32>>,
}

impl RankCores {
    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The cores of these ranks, in this order.
    fn of(&self, ranks: &[usize]) -> Self {
        if self.is_empty() {
            return Self::default();
        }
        let places = ranks.iter().filter_map(|&rank| self.places.get(rank));
        Self {
            numbers: ranks
                .iter()
                .map(|&rank| self.numbers[rank].clone())
                .collect(),
            places: places.cloned().collect(),
        }
    }
}

impl PlacementPlan {
    /// Whether ranks can be bound as planned: the cores of all ranks are known, and no two ranks of
    /// a host have a core in common.
    pub(crate) fn can_bind(&self) -> bool {
        let cores = &self.cores;
        cores.numbers.len() == self.hosts.len()
            && cores.places.len() == self.hosts.len()
            && cores.numbers.iter().all(|cores| !cores.is_unknown())
            && self.by_host().iter().all(|(_, ranks)| {
                let all: Cores = ranks
                    .iter()
                    .flat_map(|&rank| numbers(cores, rank))
                    .collect();
                let each = ranks
                    .iter()
                    .map(|&rank| cores.numbers[rank].numbers().len());
                all.numbers().len() == each.sum::<usize>()
            })
    }

    /// The cores of the first, second, ... rank of every host: most launchers bind ranks by such a
    /// list. `None` where the hosts need different lists, or where ranks cannot be bound.
    pub(crate) fn core_list(&self) -> Option<Vec<&Cores>> {
        if !self.can_bind() {
            return None;
        }
        let mut list: Vec<&Cores> = Vec::new();
        for (_, ranks) in self.by_host() {
            for (place, rank) in ranks.into_iter().enumerate() {
                let cores = &self.cores.numbers[rank];
                match list.get(place) {
                    Some(known) if *known != cores => return None,
                    Some(_) => {}
                    None => list.push(cores),
                }
            }
        }
        Some(list)
    }

    /// The plan with as many ranks on every host, but with consecutive ranks on each host, in the
    /// order of their cores.
    pub(crate) fn in_blocks(&self) -> Self {
        let mut order = Vec::new();
        for (_, mut ranks) in self.by_host() {
            if !self.cores.is_empty() {
                ranks.sort_by_key(|&rank| self.cores.places.get(rank).map(|places| places.start));
            }
            order.extend(ranks);
        }
        Self {
            hosts: order.iter().map(|&rank| self.hosts[rank].clone()).collect(),
            rankfile: None,
            shares_cores: false,
            hosts_are_open: false,
            cores: self.cores.of(&order),
        }
    }

    /// Compares the cores of the ranks with the plan. `bound` says whether the launcher was to bind
    /// ranks as planned. If not, differences are remarks.
    ///
    /// # Errors
    /// A rank that was to be bound is not: [`Mismatch::Astray`], or [`Mismatch::Core`] with the two
    /// ranks of one core.
    pub(crate) fn check_cores(&self, seats: &[Seat], bound: bool) -> Result<Vec<String>, Mismatch> {
        let mut remarks = Vec::new();
        if self.can_bind() {
            let fits = self.fits(seats);
            let astray = fits.iter().position(|fit| *fit == Fit::Astray);
            if let Some(rank) = astray.filter(|_| bound) {
                return Err(Mismatch::Astray {
                    rank,
                    planned: self.cores.numbers[rank].clone(),
                    actual: seats[rank].cores.clone(),
                    host: seats[rank].host.clone(),
                });
            }
            let there = fits.iter().filter(|fit| **fit == Fit::Bound).count();
            let ranks = seats.len();
            remarks.push(format!("bound to their planned cores {there}/{ranks}"));
        }
        match verify::cores(seats) {
            Err(mismatch) if bound && !self.shares_cores => Err(mismatch),
            Err(mismatch) => {
                remarks.push(mismatch.to_string());
                Ok(remarks)
            }
            Ok(()) => Ok(remarks),
        }
    }

    /// For every rank, how its cores compare with its planned cores.
    fn fits(&self, seats: &[Seat]) -> Vec<Fit> {
        let planned = &self.cores.numbers;
        let mut of_host: HashMap<&str, Vec<u32>> = HashMap::new();
        for (host, cores) in self.hosts.iter().zip(planned) {
            let all = of_host.entry(host).or_default();
            all.extend(cores.numbers());
        }
        let of_host: HashMap<&str, Cores> = of_host
            .into_iter()
            .map(|(host, all)| (host, all.into_iter().collect()))
            .collect();
        let fit = |((host, own), seat): ((&String, &Cores), &Seat)| {
            let of_own = seat.cores.in_common(own);
            let of_all = seat.cores.in_common(&of_host[host.as_str()]);
            if of_own > 0 && of_own == of_all {
                Fit::Bound
            } else if seat.cores.is_unknown() || of_own == own.numbers().len() {
                Fit::Free
            } else {
                Fit::Astray
            }
        };
        self.hosts.iter().zip(planned).zip(seats).map(fit).collect()
    }
}

/// The cores of a rank, compared with its planned cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// The rank runs on its planned cores, or on some of them, and on no other rank's cores.
    Bound,
    /// The rank may run on all of its planned cores, and on cores of other ranks.
    Free,
    /// The rank may run on cores of other ranks, and not on all of its planned cores.
    Astray,
}

/// The numbers of a rank's cores.
fn numbers(cores: &RankCores, rank: usize) -> impl Iterator<Item = u32> + '_ {
    cores.numbers[rank].numbers().iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four ranks on these hosts and cores there.
    fn plan(hosts: [&str; 4], numbers: [&str; 4]) -> PlacementPlan {
        let numbers = numbers.map(|text| text.parse::<Cores>().unwrap());
        let places = numbers.iter().map(|cores| {
            let first = cores.numbers().first().copied().unwrap_or_default();
            first..first + cores.numbers().len() as u32
        });
        PlacementPlan {
            hosts: hosts.map(String::from).into(),
            rankfile: None,
            shares_cores: false,
            hosts_are_open: false,
            cores: RankCores {
                places: places.collect(),
                numbers: numbers.to_vec(),
            },
        }
    }

    fn seats(cores: [&str; 4]) -> Vec<Seat> {
        let seat = |cores: &str| Seat {
            host: "a".into(),
            shared_with: 0,
            launcher_rank: 0,
            cores: cores.parse().unwrap(),
        };
        cores.map(seat).into()
    }

    #[test]
    fn one_list_serves_hosts_whose_ranks_need_the_same_cores_in_their_order() {
        let list = |hosts, numbers| {
            let plan = plan(hosts, numbers);
            let list = plan
                .core_list()
                .map(|list| list.into_iter().map(Cores::to_string));
            list.map(Iterator::collect::<Vec<_>>)
        };
        let cyclic = ["a", "b", "a", "b"];
        assert_eq!(list(cyclic, ["1", "1", "0", "0"]).unwrap(), ["1", "0"]);
        assert_eq!(
            list(["a", "b", "b", "b"], ["0-1", "0-1", "2-3", "4"]).unwrap(),
            ["0-1", "2-3", "4"]
        );
        assert_eq!(list(cyclic, ["0", "1", "1", "0"]), None, "hosts differ");
        assert_eq!(list(cyclic, ["0", "0", "0", "0"]), None, "cores are shared");
        assert_eq!(list(cyclic, ["0", "0", "1", "-"]), None, "one is not known");
    }

    #[test]
    fn in_blocks_ranks_come_in_the_order_of_their_cores_so_that_one_list_serves() {
        let plan = plan(["a", "b", "a", "b"], ["0", "1", "1", "0"]).in_blocks();
        assert_eq!(plan.hosts, ["a", "a", "b", "b"]);
        let list: Vec<String> = plan
            .core_list()
            .unwrap()
            .into_iter()
            .map(Cores::to_string)
            .collect();
        assert_eq!(list, ["0", "1"]);
    }

    #[test]
    fn ranks_on_the_cores_of_others_are_astray_and_those_on_all_are_not_bound() {
        let plan = plan(["a", "a", "b", "b"], ["0-1", "2-3", "0-1", "2-3"]);
        let bound = plan.fits(&seats(["0-1", "2-3,9-10", "0,8", "3"]));
        assert_eq!(bound, [Fit::Bound; 4], "threads of a core are others");
        let free = plan.fits(&seats(["0-7", "-", "0-2", "0-3"]));
        assert_eq!(free, [Fit::Free; 4]);
        let swapped = seats(["0-1", "2-3", "2-3", "0-1"]);
        let told = plan.check_cores(&swapped, true).unwrap_err().to_string();
        assert_eq!(
            told,
            "rank 2 should run on cores 0-1 of a and is bound to 2-3"
        );
        let remarks = plan.check_cores(&swapped, false).unwrap();
        assert_eq!(remarks[0], "bound to their planned cores 2/4");
    }

    #[test]
    fn two_ranks_on_one_core_are_told_whoever_has_bound_them() {
        let plan = PlacementPlan {
            cores: RankCores::default(),
            ..plan(["a"; 4], ["-"; 4])
        };
        let crowded = seats(["0", "1", "2", "1"]);
        let told = "ranks 1 and 3 both run on core 1 of a";
        assert_eq!(plan.check_cores(&crowded, false).unwrap(), [told]);
        let error = plan.check_cores(&crowded, true).unwrap_err();
        assert_eq!(error.to_string(), told);
    }
}
