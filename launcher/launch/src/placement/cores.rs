//! The cores of the ranks in a plan, and the comparison with the cores of a run.

use super::PlacementPlan;
use super::verify::{self, Mismatch};
use rankfold_wire::{Cores, Seat};
use std::collections::HashMap;
use std::ops::Range;

/// The cores of every rank on its host, in two numberings; empty where every core is as good.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankCores {
    /// The numbers of the cores in the operating system.
    pub numbers: Vec<Cores>,
    /// The places of the cores among all cores of the host in depth-first order, as hwloc and Open
    /// MPI count.
    pub places: Vec<Range<u32>>,
}

impl RankCores {
    /// Whether no core is known.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

impl PlacementPlan {
    /// Remarks about the cores of the ranks: how many are on those that the plan has for them. The
    /// seats of two ranks on one core are a remark, too, unless a rankfile was `followed` that
    /// gives every rank its own.
    ///
    /// # Errors
    /// [`Mismatch::Core`] where such a rankfile was followed.
    pub fn check_cores(&self, seats: &[Seat], followed: bool) -> Result<Vec<String>, Mismatch> {
        let mut remarks = Vec::new();
        if !self.cores.is_empty() && self.cores.numbers.iter().all(|cores| !cores.is_unknown()) {
            let (there, ranks) = (self.at_home(seats), seats.len());
            remarks.push(format!("bound to their planned cores {there}/{ranks}"));
        }
        match verify::cores(seats) {
            Err(mismatch) if followed && self.rankfile.is_some() && !self.shares_cores => {
                Err(mismatch)
            }
            Err(mismatch) => {
                remarks.push(mismatch.to_string());
                Ok(remarks)
            }
            Ok(()) => Ok(remarks),
        }
    }

    /// The number of ranks that run on their planned cores, or on some of them, and on the planned
    /// cores of no other rank of the host.
    fn at_home(&self, seats: &[Seat]) -> usize {
        let mut of_host: HashMap<&str, Vec<u32>> = HashMap::new();
        for (host, cores) in self.hosts.iter().zip(&self.cores.numbers) {
            of_host.entry(host).or_default().extend(cores.numbers());
        }
        let of_host: HashMap<&str, Cores> = of_host
            .into_iter()
            .map(|(host, all)| (host, all.into_iter().collect()))
            .collect();
        let planned = self.hosts.iter().zip(&self.cores.numbers);
        let is_home = |((host, own), seat): &((&String, &Cores), &Seat)| {
            let of_own = seat.cores.in_common(own);
            of_own > 0 && of_own == seat.cores.in_common(&of_host[host.as_str()])
        };
        planned.zip(seats).filter(is_home).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four ranks on these hosts and cores there.
    fn plan(hosts: [&str; 4], numbers: [&str; 4]) -> PlacementPlan {
        PlacementPlan {
            hosts: hosts.map(String::from).into(),
            rankfile: None,
            shares_cores: false,
            hosts_are_open: false,
            cores: RankCores {
                places: Vec::new(),
                numbers: numbers.map(|text| text.parse().unwrap()).into(),
            },
        }
    }

    fn seats(cores: [&str; 4]) -> Vec<Seat> {
        let seat = |cores: &str| Seat {
            host: "a".into(),
            cores: cores.parse().unwrap(),
            ..Seat::default()
        };
        cores.map(seat).into()
    }

    #[test]
    fn ranks_on_their_own_cores_alone_are_counted() {
        let plan = plan(["a", "a", "b", "b"], ["0-1", "2-3", "0-1", "2-3"]);
        let home = |cores| plan.at_home(&seats(cores));
        assert_eq!(
            home(["0-1", "2-3,9-10", "0,8", "3"]),
            4,
            "threads of a core are others"
        );
        assert_eq!(home(["0-7", "-", "0-2", "0-3"]), 0);
        let swapped = plan
            .check_cores(&seats(["0-1", "2-3", "2-3", "0-1"]), false)
            .unwrap();
        assert_eq!(swapped[0], "bound to their planned cores 2/4");
    }

    #[test]
    fn two_ranks_on_one_core_are_told_and_wrong_only_under_a_rankfile() {
        let mut plan = PlacementPlan {
            cores: RankCores::default(),
            ..plan(["a"; 4], ["-"; 4])
        };
        let crowded = seats(["0", "1", "2", "1"]);
        let expected = "ranks 1 and 3 both run on core 1 of a";
        assert_eq!(plan.check_cores(&crowded, true).unwrap(), [expected]);
        plan.rankfile = Some("mine".into());
        let error = plan.check_cores(&crowded, true).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}
