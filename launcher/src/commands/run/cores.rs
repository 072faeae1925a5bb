//! The cores that a map gives every rank, by the core numbers that processes on the hosts have
//! seen.

use rankfold_base::{NodeId, Placement, Rank};
use rankfold_launch::placement::{RankCores, canonical};
use rankfold_machine::Machine;
use rankfold_wire::{Cores, Surroundings};

/// The cores of every rank in `placement`. The result is empty where no host groups its cores, so
/// that every core is as good. The cores of a rank are unknown where no process has run on its
/// host.
pub(super) fn of_ranks(
    machine: &Machine,
    placement: &Placement,
    seen: &[Surroundings],
) -> RankCores {
    let nodes = (0..machine.slots().nodes()).map(NodeId::at);
    let mut insides = nodes.filter_map(|node| machine.inside(node));
    if !insides.any(|inside| !inside.levels().is_empty()) {
        return RankCores::default();
    }
    let names = machine.hosts().unwrap_or_default();
    let of_rank = |rank| {
        let slot = placement.slot(Rank::at(rank));
        let node = machine.slots().node_of(slot);
        let host = view(&names[node.index()], seen)?;
        let numbers = host.core_numbers();
        // `--node` or a machine file may describe another number of cores than the host has.
        let known = machine.inside(node)?.cores() as usize == numbers.len();
        let places = machine.cores(slot).filter(|_| known)?;
        let numbers = numbers.get(places.start as usize..places.end as usize)?;
        Some((numbers.iter().copied().collect::<Cores>(), places))
    };
    let of_ranks = (0..placement.ranks()).map(|rank| of_rank(rank).unwrap_or_default());
    let (numbers, places) = of_ranks.unzip();
    RankCores { numbers, places }
}

/// The cores of a host as a process there has seen them. Where no process has run on the host, the
/// view of the other hosts counts if it is the same on all of them.
fn view<'a>(name: &str, seen: &'a [Surroundings]) -> Option<&'a Surroundings> {
    let there = seen
        .iter()
        .find(|host| canonical(&host.host) == canonical(name));
    let alike = || {
        let (first, rest) = seen.split_first()?;
        rest.iter()
            .all(|host| host.cores == first.cores && host.levels == first.levels)
            .then_some(first)
    };
    there.or_else(alike)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::{self, Capacities};
    use rankfold_base::SlotId;
    use rankfold_cache::Host;
    use rankfold_machine::Description;
    use rankfold_mapper::cli::options::NodeArgs;
    use rankfold_wire::HostLevel;

    /// A host with two packages of two cores. The core numbers alternate between the packages, as
    /// on most systems.
    fn seen(host: &str) -> Surroundings {
        Surroundings {
            host: host.into(),
            cores: "0,2,1,3".into(),
            levels: vec![HostLevel {
                name: "package".into(),
                cores: vec![2, 2],
            }],
            ..Surroundings::default()
        }
    }

    fn placed(slots: u32, seen: &[Surroundings], order: &[u32]) -> RankCores {
        let names = ["a", "b"].map(str::to_owned);
        let hosts = names.clone().map(|name| Host {
            name,
            slots: Some(slots),
        });
        let hardware = Description::flat(&names).build("hosts").unwrap();
        let nodes = NodeArgs::default();
        let capacities = Capacities {
            ranks: Some(order.len()),
            a_host: Some(slots),
        };
        let machine = discovery::machine(hardware, &hosts, capacities, &nodes, seen).unwrap();
        let placement = Placement::new(order.iter().map(|&slot| SlotId(slot)).collect());
        of_ranks(&machine, &placement, seen)
    }

    fn numbers(slots: u32, seen: &[Surroundings], order: &[u32]) -> Vec<String> {
        let cores = placed(slots, seen, order).numbers;
        cores.iter().map(Cores::to_string).collect()
    }

    #[test]
    fn slots_are_cores_by_their_numbers_on_the_host_and_by_their_places() {
        let both = [seen("a"), seen("b.site")];
        assert_eq!(numbers(4, &both, &[2, 0, 7, 5]), ["1", "0", "3", "2"]);
        assert_eq!(
            placed(4, &both, &[2, 0, 7, 5]).places,
            [2..3, 0..1, 3..4, 1..2]
        );
        assert_eq!(numbers(2, &both, &[3, 0]), ["1,3", "0,2"]);
        let one = [seen("a")];
        assert_eq!(numbers(2, &one, &[3, 0]), ["1,3", "0,2"], "hosts are alike");
    }

    #[test]
    fn where_cores_are_all_the_same_or_unknown_any_will_do() {
        let plain = Surroundings {
            levels: Vec::new(),
            ..seen("a")
        };
        assert!(placed(4, &[plain], &[0, 1]).is_empty());
        let other = Surroundings {
            cores: "0-3".into(),
            ..seen("c")
        };
        assert_eq!(numbers(4, &[seen("a"), other], &[0, 4]), ["0", "-"]);
    }
}
