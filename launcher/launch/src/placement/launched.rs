//! The seats that a launch gives its processes by itself. A map changes which rank has which seat,
//! and no seat.

use super::core_places::{run_of, seat_of_each};
use super::{PlacementPlan, RankCores, canonical};
use rankfold_wire::{Cores, Profile, Seat, Surroundings, chosen_cores};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// The seats of a launch as the user has given it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchedSeats {
    /// The seat of every process, in the order of the launcher's ranks.
    pub seats: Vec<Seat>,
    /// The hosts, as one process on each has seen them.
    pub hosts: Vec<Surroundings>,
    /// How the seats are known.
    pub known_by: KnownBy,
}

/// How the seats of a launch are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KnownBy {
    /// This program was started by the launch itself, in place of the user's program.
    #[default]
    Asking,
    /// As `Asking`, but the launch starts a script or a tool, which may bind the program otherwise.
    AskingWithoutWrapper,
    /// The program was profiled in this job, or on hosts that no job shares.
    Profile,
    /// The program was profiled in another job, which may have had other cores of the hosts.
    ProfileOfOtherJob,
}

impl LaunchedSeats {
    /// The seats in a profile of a run that was launched as the user has given it; `None` where the
    /// profile lacks some.
    pub fn of_profile(profile: &Profile) -> Option<Self> {
        let hosts = &profile.manifest.hosts;
        let is_whole = profile.cores.len() == hosts.len() && !hosts.iter().any(String::is_empty);
        let in_job = std::env::var_os("SLURM_JOB_ID").is_some();
        let seat = |(host, cores): (&String, &Cores)| Seat {
            host: host.clone(),
            cores: cores.clone(),
            ..Seat::default()
        };
        is_whole.then(|| Self {
            seats: hosts.iter().zip(&profile.cores).map(seat).collect(),
            hosts: profile.surroundings.clone(),
            known_by: if in_job {
                KnownBy::ProfileOfOtherJob
            } else {
                KnownBy::Profile
            },
        })
    }

    /// The number of cores that the launch has chosen for each of its processes: see
    /// [`chosen_cores`].
    pub fn chosen_cores(&self) -> Vec<u32> {
        let seats = self.seats.iter().map(|seat| (&*seat.host, &seat.cores));
        chosen_cores(&seats.collect::<Vec<_>>(), |host, cores| {
            let all: Cores = self.order_of_cores(host).into_iter().collect();
            cores.in_common(&all) < all.numbers().len()
        })
    }

    /// Whether the launch starts as many ranks on every host as the plan has there, of each of
    /// these `kinds`; `kinds` has that of every rank. Where nobody knows yet which hosts the launch
    /// gets, the numbers alone are compared.
    pub fn has_counts_of(&self, plan: &PlacementPlan, kinds: &[u32]) -> bool {
        let count = |hosts: &mut dyn Iterator<Item = &str>| {
            let mut counts: HashMap<String, BTreeMap<u32, usize>> = HashMap::new();
            for (rank, host) in hosts.enumerate() {
                let kind = kinds.get(rank).copied().unwrap_or_default();
                let counts = counts.entry(canonical(host)).or_default();
                *counts.entry(kind).or_default() += 1;
            }
            counts
        };
        let launched = count(&mut self.seats.iter().map(|seat| &*seat.host));
        let wanted = count(&mut plan.hosts.iter().map(String::as_str));
        if plan.hosts_are_open {
            let numbers = |counts: HashMap<String, BTreeMap<u32, usize>>| {
                let mut numbers: Vec<_> = counts.into_values().collect();
                numbers.sort_unstable();
                numbers
            };
            return numbers(launched) == numbers(wanted);
        }
        launched == wanted
    }

    /// The plan with the seats of this launch. A rank gets the seat of its host with the cores that
    /// the plan has for the rank. Ranks without such a seat get the other seats, in rank order,
    /// with as many cores as the launch has chosen for the rank where there are such. A host on
    /// which the launch has no process counts as having the seats of the first host.
    /// `None` where the plan has more ranks on a host than there are seats, unless all seats there
    /// are the same.
    pub fn seat(&self, plan: &PlacementPlan) -> Option<PlacementPlan> {
        let mut numbers = vec![Cores::default(); plan.hosts.len()];
        let mut places = vec![0..0; plan.hosts.len()];
        let chosen = self.chosen_cores();
        let chosen = |rank: usize| chosen.get(rank).copied().unwrap_or_default();
        for (host, ranks) in plan.by_host() {
            let on_host = self.on(host);
            let seats: Vec<&Seat> = on_host.iter().map(|&rank| &self.seats[rank]).collect();
            let all_alike = seats.windows(2).all(|pair| pair[0].cores == pair[1].cores);
            let order = self.order_of_cores(&seats.first()?.host);
            let own = seats.iter().zip(&on_host);
            let own: Vec<_> = own
                .map(|(seat, &rank)| (chosen(rank), run_of(&seat.cores, &order)))
                .collect();
            let planned: Vec<_> = ranks
                .iter()
                .map(|&rank| (chosen(rank), plan.cores.places.get(rank)))
                .collect();
            for (place, rank) in seat_of_each(&own, &planned).into_iter().zip(ranks) {
                let seat = *seats.get(place).or(seats.first().filter(|_| all_alike))?;
                (!seat.cores.is_unknown()).then_some(())?;
                places[rank] = run_of(&seat.cores, &order);
                numbers[rank] = seat.cores.clone();
            }
        }
        Some(PlacementPlan {
            cores: RankCores { numbers, places },
            ..plan.clone()
        })
    }

    /// The places of the cores of every seat on a host among its cores, in the order in which hwloc
    /// counts them; `None` where some seat is no run of cores.
    pub fn places_on(&self, host: &str) -> Option<Vec<Range<u32>>> {
        let seats = self.on(host);
        let order = self.order_of_cores(&self.seats[*seats.first()?].host);
        let place = |&rank: &usize| run_of(&self.seats[rank].cores, &order);
        let places: Vec<Range<u32>> = seats.iter().map(place).collect();
        (!places.iter().any(Range::is_empty)).then_some(places)
    }

    /// The ranks that are started on this host, or on the first host where the launch has no
    /// process on this one.
    fn on(&self, host: &str) -> Vec<usize> {
        let there = |host: &str| -> Vec<usize> {
            let wanted = canonical(host);
            let seats = 0..self.seats.len();
            seats
                .filter(|&rank| canonical(&self.seats[rank].host) == wanted)
                .collect()
        };
        match (there(host), self.seats.first()) {
            (seats, Some(first)) if seats.is_empty() => there(&first.host),
            (seats, _) => seats,
        }
    }

    /// The first processor of every core of the host, in the order in which hwloc counts them;
    /// empty where that is not known.
    fn order_of_cores(&self, host: &str) -> Vec<u32> {
        let wanted = canonical(host);
        let seen = self
            .hosts
            .iter()
            .find(|seen| canonical(&seen.host) == wanted);
        seen.map(Surroundings::core_numbers).unwrap_or_default()
    }

    /// Compares the seats of a run with those of this launch, host by host: `kept` of them are the
    /// same, whichever ranks have them. On a host where the launch has no process, and in another
    /// job, cores are the same if they are as many.
    pub fn compare(&self, run: &[Seat]) -> KeptSeats {
        let mut free: Vec<Option<&Seat>> = self.seats.iter().map(Some).collect();
        let mut kept = KeptSeats {
            ranks: run.len(),
            ..KeptSeats::default()
        };
        let of_here = |seat: &Seat| {
            let host = canonical(&seat.host);
            self.seats
                .iter()
                .any(|known| canonical(&known.host) == host)
        };
        for (rank, seat) in run.iter().enumerate() {
            let host = canonical(&seat.host);
            let is_here = of_here(seat) && self.known_by != KnownBy::ProfileOfOtherJob;
            let fits = |known: &Option<&Seat>| {
                known.is_some_and(|known| {
                    (!of_here(seat) || canonical(&known.host) == host)
                        && self.is_same(known, seat, is_here)
                })
            };
            match free.iter().position(fits) {
                Some(place) if of_here(seat) => {
                    free[place] = None;
                    kept.kept += 1;
                }
                Some(_) => kept.kept += 1,
                None => kept.first_lost = kept.first_lost.or(Some(rank)),
            }
        }
        kept
    }

    /// Whether the seats are the same. `exactly` the same cores, or as many.
    fn is_same(&self, launched: &Seat, seat: &Seat, exactly: bool) -> bool {
        let cores = if self.known_by == KnownBy::AskingWithoutWrapper {
            return seat.cores.in_common(&launched.cores) == seat.cores.numbers().len();
        } else if exactly {
            launched.cores == seat.cores
        } else {
            launched.cores.numbers().len() == seat.cores.numbers().len()
        };
        let same = |launched: &str, now: &str| launched.is_empty() || launched == now;
        cores && same(&launched.memory, &seat.memory) && same(&launched.variables, &seat.variables)
    }
}

/// How many seats of a run are those of the launch as the user has given it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptSeats {
    pub kept: usize,
    pub ranks: usize,
    /// The first rank with another seat.
    pub first_lost: Option<usize>,
}

impl KeptSeats {
    /// The result in words.
    pub fn words(&self, run: &[Seat]) -> String {
        let Self { kept, ranks, .. } = self;
        let text = format!("cores as launched {kept}/{ranks}");
        let lost = self
            .first_lost
            .and_then(|rank| Some((rank, run.get(rank)?)));
        match lost {
            None => text,
            Some((rank, seat)) => {
                let Seat {
                    host,
                    cores,
                    memory,
                    variables,
                    ..
                } = seat;
                format!(
                    "{text}: rank {rank} has cores {cores} of {host}, memory {memory} and {variables}, which the launch by itself gives no process there"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(of: &[(&str, &str)]) -> Vec<Seat> {
        let seat = |&(host, cores): &(&str, &str)| Seat {
            host: host.into(),
            cores: cores.parse().unwrap(),
            memory: "default".into(),
            ..Seat::default()
        };
        of.iter().map(seat).collect()
    }

    fn launched(of: &[(&str, &str)]) -> LaunchedSeats {
        LaunchedSeats {
            seats: seats(of),
            ..LaunchedSeats::default()
        }
    }

    fn plan(hosts: &[&str]) -> PlacementPlan {
        PlacementPlan {
            hosts: hosts.iter().map(ToString::to_string).collect(),
            rankfile: None,
            shares_cores: false,
            hosts_are_open: false,
            cores: RankCores::default(),
        }
    }

    const TWO: [(&str, &str); 4] = [("a", "0-1"), ("a", "8-9"), ("b", "0-1"), ("b", "8-9")];

    #[test]
    fn a_map_may_move_numbers_between_seats_and_no_seat() {
        let launch = launched(&TWO);
        let moved = seats(&[("b", "8-9"), ("a.site", "0-1"), ("b", "0-1"), ("a", "8-9")]);
        assert_eq!(launch.compare(&moved).kept, 4);
        let packed = seats(&[("a", "0-1"), ("a", "2-3"), ("b", "0-1"), ("b", "2-3")]);
        let kept = launch.compare(&packed);
        assert_eq!((kept.kept, kept.first_lost), (2, Some(1)));
        assert!(
            kept.words(&packed)
                .starts_with("cores as launched 2/4: rank 1 has cores 2-3 of a")
        );
        let mut bound = moved;
        bound[2].memory = "bind:0".into();
        assert_eq!(launch.compare(&bound).first_lost, Some(2), "memory counts");
    }

    #[test]
    fn where_hosts_are_not_known_yet_the_numbers_of_ranks_count() {
        let launch = launched(&TWO);
        let elsewhere = plan(&["x", "y", "x", "y"]);
        assert!(!launch.has_counts_of(&elsewhere, &[]));
        let open = |plan| PlacementPlan {
            hosts_are_open: true,
            ..plan
        };
        assert!(launch.has_counts_of(&open(elsewhere), &[]));
        assert!(!launch.has_counts_of(&open(plan(&["x", "x", "x", "y"])), &[]));
    }

    #[test]
    fn on_other_hosts_and_in_other_jobs_as_many_cores_are_the_same() {
        let launch = launched(&TWO);
        let elsewhere = seats(&[("x", "4-5"), ("x", "6-7"), ("b", "0-1"), ("b", "8-9")]);
        assert_eq!(launch.compare(&elsewhere).kept, 4);
        let other_job = LaunchedSeats {
            known_by: KnownBy::ProfileOfOtherJob,
            ..launched(&TWO)
        };
        let shifted = seats(&[("a", "2-3"), ("a", "4-5"), ("b", "2-3"), ("b", "4")]);
        assert_eq!(launch.compare(&shifted).kept, 0);
        assert_eq!(other_job.compare(&shifted).first_lost, Some(3));
    }

    #[test]
    fn what_a_wrapper_takes_away_is_no_loss() {
        let launch = LaunchedSeats {
            known_by: KnownBy::AskingWithoutWrapper,
            ..launched(&[("a", "0-3"), ("a", "4-7")])
        };
        assert_eq!(launch.compare(&seats(&[("a", "4"), ("a", "0-1")])).kept, 2);
        assert_eq!(
            launch.compare(&seats(&[("a", "3-4"), ("a", "0-1")])).kept,
            1
        );
    }

    #[test]
    fn counts_of_hosts_are_compared_by_short_names() {
        let launch = launched(&TWO);
        assert!(launch.has_counts_of(&plan(&["b.site", "a", "b", "A"]), &[]));
        assert!(!launch.has_counts_of(&plan(&["b", "a", "a", "a"]), &[]));
        assert!(!launch.has_counts_of(&plan(&["b", "a", "c", "a"]), &[]));
    }

    #[test]
    fn the_ranks_of_a_host_get_its_seats_in_order() {
        let numbers = |plan: Option<PlacementPlan>| -> Option<Vec<String>> {
            Some(plan?.cores.numbers.iter().map(Cores::to_string).collect())
        };
        let launch = launched(&TWO);
        let seated = launch.seat(&plan(&["b", "a", "c", "b"]));
        assert_eq!(numbers(seated).unwrap(), ["0-1", "0-1", "0-1", "8-9"]);
        assert_eq!(numbers(launch.seat(&plan(&["b", "b", "b", "a"]))), None);
        let known = LaunchedSeats {
            hosts: vec![Surroundings {
                host: "a".into(),
                cores: "0-15".into(),
                ..Surroundings::default()
            }],
            ..launched(&TWO)
        };
        let inside = PlacementPlan {
            cores: RankCores {
                numbers: Vec::new(),
                places: vec![8..10, 0..2],
            },
            ..plan(&["a", "a"])
        };
        let seated = numbers(known.seat(&inside));
        assert_eq!(
            seated.unwrap(),
            ["8-9", "0-1"],
            "as the plan has them inside of the host"
        );
        let free = launched(&[("a", "0-15"), ("a", "0-15"), ("b", "0-15")]);
        let seated = numbers(free.seat(&plan(&["b", "b", "b", "a"])));
        assert_eq!(seated.unwrap(), ["0-15"; 4]);
    }
    #[test]
    fn ranks_keep_the_number_of_cores_that_the_launch_has_chosen() {
        let hybrid = launched(&[("a", "0-3"), ("a", "4"), ("b", "4"), ("b", "0-3")]);
        let chosen = hybrid.chosen_cores();
        assert_eq!(chosen, [4, 1, 1, 4]);
        let swapped = plan(&["b", "a", "b", "a"]);
        assert!(hybrid.has_counts_of(&swapped, &chosen));
        let seated = hybrid.seat(&swapped).unwrap().cores.numbers;
        let cores: Vec<String> = seated.iter().map(Cores::to_string).collect();
        assert_eq!(cores, ["0-3", "4", "4", "0-3"]);
        let wide_together = plan(&["a", "b", "b", "a"]);
        assert!(!hybrid.has_counts_of(&wide_together, &chosen));
        assert!(hybrid.has_counts_of(&wide_together, &[]));
    }
}
