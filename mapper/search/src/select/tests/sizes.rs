//! Ranks that take several slots: never more on a node than it has, and as near as can be.

use super::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_assess::{Constraints, Rule, Sizes, Start};
use rankfold_base::{NodeId, Rank, SlotId};

/// A case whose placements can all be tried.
struct Small {
    graph: CommGraph,
    machine: Machine,
    sizes: Sizes,
    /// Ranks that stay.
    rules: Vec<Demand>,
    /// Where ranks begin, and how many may leave their nodes.
    start: Option<(Placement, usize)>,
}

impl Small {
    fn random(random: &mut Xoshiro256PlusPlus) -> Self {
        let (spec, nodes) = [
            ("mesh:3", 3),
            ("torus:4", 4),
            ("hierarchy:2:2/distances=1:10", 4),
            ("tree:3", 3),
        ][random.random_range(0..4)];
        let ranks = random.random_range(4..8);
        let of: Vec<u32> = (0..ranks).map(|_| random.random_range(1..5)).collect();
        let capacities: Vec<u32> = (0..nodes).map(|_| random.random_range(2..7)).collect();
        let mut messages = Vec::new();
        for (from, to) in (0..ranks).flat_map(|a| (0..ranks).map(move |b| (a, b))) {
            if from != to && random.random_range(0..2) == 0 {
                messages.push(message(from, to, random.random_range(1..100)));
            }
        }
        Self {
            graph: graph(ranks, messages),
            machine: unequal_nodes(spec, &capacities),
            sizes: Sizes::new(of, "--weights"),
            rules: Vec::new(),
            start: None,
        }
    }

    /// The same with a rank or two that stay, and a placement to begin from.
    fn constrained(random: &mut Xoshiro256PlusPlus) -> Self {
        let mut case = Self::random(random);
        let (ranks, slots) = (case.graph.ranks(), case.machine.slots());
        for _ in 0..random.random_range(0..3) {
            let rank = Rank::at(random.random_range(0..ranks));
            let slot = SlotId::at(random.random_range(0..slots.len()));
            let seat = if random.random() {
                Seat::Slot(slot)
            } else {
                Seat::Node(slots.node_of(slot))
            };
            case.rules.push(Demand::Stay(rank, seat));
        }
        if random.random() && slots.len() >= ranks {
            let mut all: Vec<SlotId> = (0..slots.len()).map(SlotId::at).collect();
            for place in 0..ranks {
                all.swap(place, random.random_range(place..slots.len()));
            }
            all.truncate(ranks);
            let moves = random.random_range(0..ranks);
            case.start = Some((Placement::new(all), moves));
        }
        case
    }

    /// All nodes of ranks that keep everything.
    fn allowed(&self) -> impl Iterator<Item = Vec<NodeId>> {
        let (nodes, ranks) = (self.machine.slots().nodes(), self.graph.ranks());
        let all = (0..nodes.pow(ranks as u32)).map(move |number| {
            let digit = |rank: u32| NodeId::at(number / nodes.pow(rank) % nodes);
            (0..ranks as u32).map(digit).collect::<Vec<NodeId>>()
        });
        all.filter(|nodes| self.allows(nodes))
    }

    fn allows(&self, nodes: &[NodeId]) -> bool {
        let slots = self.machine.slots();
        let stays = self.rules.iter().all(|demand| match demand {
            Demand::Stay(rank, Seat::Node(node)) => nodes[rank.index()] == *node,
            Demand::Stay(rank, Seat::Slot(slot)) => nodes[rank.index()] == slots.node_of(*slot),
            _ => unreachable!(),
        });
        let left = self.start.as_ref().is_none_or(|(start, moves)| {
            let start = start.nodes(slots);
            (0..nodes.len())
                .filter(|&rank| start[rank] != nodes[rank])
                .count()
                <= *moves
        });
        let fits = |node: NodeId| {
            let here = (0..nodes.len()).filter(|&rank| nodes[rank] == node);
            let first = slots.on(node).next().map_or(0, |slot| slot.0);
            let taken = vec![false; slots.capacity(node) as usize];
            self.fill(&here.collect::<Vec<_>>(), first, &taken)
        };
        stays && left && (0..slots.nodes()).map(NodeId::at).all(fits)
    }

    /// Whether these ranks fit the free slots of a node, each in a row, some in certain ones.
    fn fill(&self, ranks: &[usize], first: u32, taken: &[bool]) -> bool {
        let Some((&rank, others)) = ranks.split_first() else {
            return true;
        };
        let size = self.sizes.of(Rank::at(rank)) as usize;
        let pins = self.rules.iter().filter_map(|demand| match demand {
            Demand::Stay(it, Seat::Slot(slot)) if it.index() == rank => Some(slot.0 - first),
            _ => None,
        });
        let pins: Vec<usize> = pins.map(|slot| slot as usize).collect();
        (0..taken.len()).any(|place| {
            let is_free =
                place + size <= taken.len() && !taken[place..place + size].contains(&true);
            let mut next = taken.to_vec();
            is_free && pins.iter().all(|&pin| pin == place) && {
                next[place..place + size].fill(true);
                self.fill(others, first, &next)
            }
        })
    }

    /// The fewest hop-bytes of all placements that are allowed; `None` where none is.
    fn best(&self) -> Option<u128> {
        self.allowed()
            .map(|it| metric::hop_bytes(&self.graph, self.machine.topology(), &it))
            .min()
    }

    fn constraints(&self) -> Result<Constraints, rankfold_assess::Infeasible> {
        let (ranks, sizes) = (self.graph.ranks(), self.sizes.clone());
        let rules = self.rules.iter().map(|demand| Rule {
            demand: demand.clone(),
            origin: "--pin".into(),
        });
        let start = self.start.clone().map(|(placement, moves)| Start {
            placement,
            moves,
            origin: "--start".into(),
        });
        Constraints::sized(ranks, &self.machine, rules.collect(), start, sizes)
    }

    fn found(&self, request: &Request) -> Selection {
        let case = Case::new(&self.graph, &self.machine).keeping(self.constraints().unwrap());
        select_together(case, request, &Alone, &|_| ()).unwrap()
    }
}

#[test]
fn small_constrained_cases_are_placed_nearly_as_well_as_can_be_or_refused_slow() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(61);
    let request = Request {
        objective: &HopBytes,
        effort: Effort::Fast,
        ..Request::default()
    };
    let count = std::env::var("RANKFOLD_CASES").map_or(40, |it| it.parse().unwrap());
    let (mut placed, mut refused, mut is_best) = (0, 0, 0);
    for number in 0..count {
        let case = Small::constrained(&mut random);
        let Some(best) = case.best() else {
            assert!(case.constraints().is_err(), "{number}");
            refused += 1;
            continue;
        };
        let kept = case.constraints().unwrap();
        let found = case.found(&request);
        let winner = found.winner().1;
        let placement = winner.placement();
        assert!(kept.are_kept_by(placement, &case.machine), "{number}");
        assert!(
            case.allows(&placement.nodes(case.machine.slots())),
            "{number}"
        );
        let mut taken: Vec<u32> = (0..case.graph.ranks() as u32)
            .flat_map(|rank| {
                let (rank, first) = (Rank(rank), placement.slot(Rank(rank)).0);
                first..first + case.sizes.of(rank)
            })
            .collect();
        taken.sort_unstable();
        assert!(
            taken.windows(2).all(|pair| pair[0] != pair[1]),
            "{number}: one slot twice"
        );
        let found = winner.score().hop_bytes;
        assert!(100 * found <= 102 * best, "{number}: {found}, {best}");
        is_best += usize::from(found == best);
        placed += 1;
    }
    println!("{placed} placed, {is_best} of them best, {refused} refused");
    assert!(
        placed > 9 && refused > 4,
        "{placed} placed, {refused} refused"
    );
}

#[test]
fn small_cases_are_placed_nearly_as_well_as_can_be_or_refused_slow() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(59);
    let request = Request {
        objective: &HopBytes,
        effort: Effort::Fast,
        ..Request::default()
    };
    let (mut placed, mut refused, mut is_best) = (0, 0, 0);
    for number in 0..16 {
        let case = Small::random(&mut random);
        let Some(best) = case.best() else {
            assert!(case.constraints().is_err(), "{number}");
            refused += 1;
            continue;
        };
        let found = case.found(&request);
        for it in found
            .candidates
            .iter()
            .filter_map(|it| it.outcome.as_ref().ok())
        {
            let nodes = it.placement().nodes(case.machine.slots());
            assert!(case.sizes.fit(&nodes, case.machine.slots()), "{number}");
        }
        let winner = found.winner().1;
        assert!(found.bounds.hop_bytes <= best, "{number}");
        let found = winner.score().hop_bytes;
        assert!(10 * found <= 11 * best, "{number}: {found}, {best}");
        is_best += usize::from(found == best);
        placed += 1;
    }
    assert!(
        placed > 5 && refused > 1,
        "{placed} placed, {refused} refused"
    );
    assert!(10 * is_best >= 9 * placed, "{is_best} of {placed}");
}

#[test]
fn ranks_take_seats_of_their_kind_as_well_as_can_be_slow() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(60);
    let request = Request {
        objective: &HopBytes,
        effort: Effort::Fast,
        ..Request::default()
    };
    for number in 0..12 {
        let case = Small::random(&mut random);
        let ranks = case.graph.ranks();
        let kinds: Vec<u32> = (0..ranks).map(|_| random.random_range(0..3)).collect();
        let slots = case.machine.slots();
        let launched = if slots.len() < ranks {
            continue;
        } else {
            Placement::new((0..ranks).map(SlotId::at).collect())
        };
        let at = launched.nodes(slots);
        let mut counts = vec![0; slots.nodes()];
        at.iter().for_each(|node| counts[node.index()] += 1);
        let machine = case.machine.with_slots(&counts);
        let launched = Placement::from_nodes(&at, machine.slots()).unwrap();
        let kept = Constraints::in_seats_of(&launched, &machine, &kinds, number % 2 == 0);
        let of_kinds = |nodes: &[NodeId]| {
            let mut seats: Vec<(NodeId, u32)> = nodes.iter().copied().zip(kinds.clone()).collect();
            seats.sort_unstable();
            seats
        };
        let orders = permutations(ranks).into_iter().map(|order| {
            let seat = |rank: usize| at[order[rank]];
            (0..ranks).map(seat).collect::<Vec<NodeId>>()
        });
        let allowed = |nodes: &Vec<NodeId>| {
            of_kinds(nodes) == of_kinds(&at) && (number % 2 == 1 || nodes[0] == at[0])
        };
        let best = orders.filter(allowed);
        let best = best.map(|it| metric::hop_bytes(&case.graph, machine.topology(), &it));
        let best = best.min().unwrap();
        let place = Case::new(&case.graph, &machine).keeping(kept);
        let found = select_together(place, &request, &Alone, &|_| ()).unwrap();
        for it in found
            .candidates
            .iter()
            .filter_map(|it| it.outcome.as_ref().ok())
        {
            let nodes = it.placement().nodes(machine.slots());
            assert_eq!(of_kinds(&nodes), of_kinds(&at), "{number}");
        }
        let found = found.winner().1.score().hop_bytes;
        assert!(100 * found <= 102 * best, "{number}: {found}, {best}");
    }
}

/// All orders of so many numbers.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(count - 1);
    let inserted = |order: &Vec<usize>| {
        (0..count)
            .map(|place| {
                let mut order = order.clone();
                order.insert(place, count - 1);
                order
            })
            .collect::<Vec<_>>()
    };
    shorter.iter().flat_map(inserted).collect()
}

#[test]
fn ranks_of_one_size_are_placed_as_ranks_of_one_slot() {
    let graph = star_stencil(&[4, 4], true);
    let machine = machine("torus:4x2", 9);
    let sizes = Sizes::new(vec![4; 16], "--weights 4");
    let constraints = Constraints::sized(16, &machine, Vec::new(), None, sizes).unwrap();
    let case = Case::new(&graph, &machine).keeping(constraints);
    let wide = select_together(case, &Request::default(), &Alone, &|_| ()).unwrap();
    let halved = Machine::uniform(machine.share_topology(), 2);
    let plain = select(&graph, &halved, &Request::default()).unwrap();
    let nodes =
        |found: &Selection, machine: &Machine| found.winner().1.placement().nodes(machine.slots());
    assert_eq!(nodes(&wide, &machine), nodes(&plain, &halved));
    let placement = wide.winner().1.placement();
    let first = |rank: u32| placement.slot(Rank(rank)).0;
    let mut slots: Vec<u32> = (0..16).map(first).collect();
    slots.sort_unstable();
    let expected: Vec<u32> = (0..8).flat_map(|node| [9 * node, 9 * node + 4]).collect();
    assert_eq!(slots, expected);
}

#[test]
fn ranks_that_do_not_fit_are_named() {
    let placed = |capacities: &[u32], of: &[u32]| {
        let machine = unequal_nodes("mesh:2", capacities);
        let sizes = Sizes::new(of.to_vec(), "w.txt");
        let made = Constraints::sized(of.len(), &machine, Vec::new(), None, sizes);
        made.unwrap_err().to_string()
    };
    assert_eq!(
        placed(&[4, 8], &[1, 9, 2, 12]),
        "w.txt: ranks 1, 3 of 9 to 12 slots do not fit: no host has more than 8 slots"
    );
    assert_eq!(
        placed(&[8, 8], &[1, 8, 7, 2]),
        "w.txt: rank 3 of 2 slots does not fit: all ranks take 18 slots, and the machine has 16"
    );
    assert_eq!(
        placed(&[8, 8], &[1, 5, 5, 5]),
        "w.txt: ranks 1-3 of 5 slots do not fit: 2 hosts have no room for all of them"
    );
}
