//! Ranks that take several slots: never more on a node than it has, and as near as can be.

use super::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_assess::{Constraints, Sizes};
use rankfold_base::{NodeId, Rank};

/// A case whose placements can all be tried.
struct Small {
    graph: CommGraph,
    machine: Machine,
    sizes: Sizes,
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
        }
    }

    /// The fewest hop-bytes of all placements that fit; `None` where none does.
    fn best(&self) -> Option<u128> {
        let (nodes, ranks) = (self.machine.slots().nodes(), self.graph.ranks());
        let all = (0..nodes.pow(ranks as u32)).map(|number| {
            let digit = |rank: u32| NodeId::at(number / nodes.pow(rank) % nodes);
            (0..ranks as u32).map(digit).collect::<Vec<NodeId>>()
        });
        let fit = all.filter(|it| self.sizes.fit(it, self.machine.slots()));
        fit.map(|it| metric::hop_bytes(&self.graph, self.machine.topology(), &it))
            .min()
    }

    fn constraints(&self) -> Result<Constraints, rankfold_assess::Infeasible> {
        let (ranks, sizes) = (self.graph.ranks(), self.sizes.clone());
        Constraints::sized(ranks, &self.machine, Vec::new(), None, sizes)
    }

    fn found(&self, request: &Request) -> Selection {
        let case = Case::new(&self.graph, &self.machine).keeping(self.constraints().unwrap());
        select_together(case, request, &Alone, &|_| ()).unwrap()
    }
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
