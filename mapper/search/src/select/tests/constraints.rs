//! Constraints: no heuristic, no refinement and no selection breaks one, and what is found within
//! them is near to the best there is.

use super::*;
use proptest::test_runner::RngSeed;
use rankfold_assess::{self as assess, Case, Constraints, Rule};
use rankfold_base::{Rank, SlotId};
use rankfold_problem::heuristic::{Problem, Scope, Start};
use rankfold_problem::testing;

const SPECS: [&str; 7] = [
    "torus:4x4",
    "mesh:2x9",
    "torus:3x2x3",
    "tree:3x6",
    "xgft:3,6:1,2",
    "dragonfly:2,2,2,4",
    "mesh:17",
];

/// Machines for which the best placement can be found.
const SMALL: [&str; 6] = [
    "mesh:3x4",
    "torus:3x2x2",
    "tree:3x4",
    "mesh:12",
    "tree:2x2x3",
    "torus:12",
];

/// What is wished for: a kind of constraint, and numbers that become its ranks and slots.
type Wish = (u8, Vec<usize>);

/// A problem with constraints.
#[derive(Clone, Debug)]
struct Constrained {
    ranks: usize,
    edges: Vec<(usize, usize, u64)>,
    cores: u32,
    spec: &'static str,
    wishes: Vec<Wish>,
    /// The number of ranks that may leave a placement to begin from, where there is one.
    moves: Option<usize>,
    objective: &'static dyn Objective,
    effort: Effort,
}

prop_compose! {
    fn constrained(most_ranks: usize, specs: &'static [&'static str])(
        spec in prop::sample::select(specs),
        cores in 1u32..4,
        ranks in 2..=most_ranks,
        edges in prop::collection::vec((any::<usize>(), any::<usize>(), 1u64..1 << 40), 1..60),
        wishes in prop::collection::vec((0u8..4, prop::collection::vec(any::<usize>(), 2..5)), 1..6),
        moves in prop::option::weighted(0.3, 0usize..7),
        objective in prop::sample::select(OBJECTIVES),
        effort in prop_oneof![
            6 => Just(Effort::Hurried), 2 => Just(Effort::Fast), 1 => Just(Effort::Balanced)
        ],
    ) -> Constrained {
        Constrained { ranks, edges, cores, spec, wishes, moves, objective, effort }
    }
}

fn rule(demand: Demand) -> Rule {
    let origin = format!("{demand:?}");
    Rule { demand, origin }
}

impl Constrained {
    fn case(&self) -> testing::Case {
        let edges = self.edges.iter();
        let messages = edges.map(|&(a, b, bytes)| message(a % self.ranks, b % self.ranks, bytes));
        let machine = machine(self.spec, self.cores);
        let graph = graph(self.ranks, messages.collect());
        let mut case = testing::Case::new(graph, machine);
        case.constraints = self.constraints(&case.machine);
        case
    }

    fn wished(&self, (kind, numbers): &Wish, machine: &Machine) -> Demand {
        let slots = machine.slots();
        let slot = SlotId::at(numbers[1] % slots.len());
        let rank = |number: &usize| Rank::at(number % self.ranks);
        let mut group: Vec<Rank> = numbers.iter().map(rank).collect();
        group.sort_unstable();
        group.dedup();
        match kind {
            0 => Demand::Stay(group[0], Seat::Node(slots.node_of(slot))),
            1 => Demand::Stay(group[0], Seat::Slot(slot)),
            2 => Demand::Together(group),
            _ => Demand::Apart(group),
        }
    }

    /// As many of the wishes as can be had together.
    fn constraints(&self, machine: &Machine) -> Constraints {
        let mut had: Vec<Rule> = Vec::new();
        let start = self.moves.map(|moves| assess::Start {
            placement: self.spread(machine),
            moves,
            origin: "--start".into(),
        });
        let new = |rules| Constraints::new(self.ranks, machine, rules, start.clone());
        for wish in &self.wishes {
            let mut rules = had.clone();
            rules.push(rule(self.wished(wish, machine)));
            if new(rules.clone()).is_ok() {
                had = rules;
            }
        }
        new(had).unwrap()
    }

    fn spread(&self, machine: &Machine) -> Placement {
        let spread = |rank| SlotId::at(rank * machine.slots().len() / self.ranks);
        Placement::new((0..self.ranks).map(spread).collect())
    }

    /// A placement that keeps all constraints.
    fn start(&self, case: &testing::Case) -> Placement {
        let affinity = case.graph.affinity();
        let spread = self.spread(&case.machine);
        case.constraints.put_back(spread, &affinity, &case.machine)
    }

    fn solved(&self, case: &testing::Case, request: &Request) -> Selection {
        let asked = Case::new(&case.graph, &case.machine)
            .launched(Some(self.start(case)))
            .keeping(case.constraints.clone());
        select_together(asked, request, &Alone, &|_| ()).unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn no_refinement_breaks_a_constraint(wanted in constrained(16, &SPECS)) {
        let case = wanted.case();
        let start = wanted.start(&case);
        prop_assert!(case.constraints.are_kept_by(&start, &case.machine));
        let held = case.constraints.held_at(&start);
        let problem = Problem {
            objective: wanted.objective,
            effort: wanted.effort,
            ..case.problem()
        };
        let held = Problem { constraints: &held, ..problem };
        for refinement in REFINEMENTS {
            let about = refinement.about();
            if !(about.suits)(&case.machine) {
                continue;
            }
            let problem = if about.counts_moves { &problem } else { &held };
            let reached: Vec<Placement> = match about.scope {
                Scope::EachPlacement | Scope::Winner => {
                    let mut placement = start.clone();
                    refinement.refine(problem, &mut placement);
                    vec![placement]
                }
                Scope::BestPlacements => {
                    let hop_bytes = problem.hop_bytes(&start);
                    let starts = [Start { placement: &start, hop_bytes }];
                    let reached = refinement.search_on(problem, &starts).into_iter();
                    reached.map(|reached| reached.placement).collect()
                }
            };
            for placement in reached {
                let kept = case.constraints.are_kept_by(&placement, &case.machine);
                prop_assert!(kept, "{}: {:?} of {:?}", about.name, placement, case.constraints);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_candidate_of_a_selection_breaks_a_constraint(wanted in constrained(16, &SPECS)) {
        let case = wanted.case();
        let request = Request {
            objective: wanted.objective,
            effort: wanted.effort.min(Effort::Fast),
            ..Request::default()
        };
        let chosen = wanted.solved(&case, &request);
        for candidate in &chosen.candidates {
            let Ok(solution) = &candidate.outcome else {
                continue;
            };
            let kept = case.constraints.are_kept_by(solution.placement(), &case.machine);
            prop_assert!(kept, "{}", candidate.heuristic);
        }
        let launched = chosen.launched.as_ref().unwrap();
        if wanted.objective.is_predicted_time() {
            prop_assert!(chosen.winner().1.value <= launched.value);
        }
    }
}

/// The same sets every time.
fn repeatable(cases: u32) -> ProptestConfig {
    drawn(1, cases)
}

/// The sets of one drawing of random numbers.
fn drawn(seed: u64, cases: u32) -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    }
}

/// Asserts that a search within constraints keeps them, and finds at most 1.02 x the fewest
/// hop-bytes.
fn is_nearly_exact(wanted: &Constrained) -> Result<(), TestCaseError> {
    let case = wanted.case();
    let request = Request {
        objective: &HopBytes,
        ..Request::default()
    };
    let chosen = wanted.solved(&case, &request);
    let winner = chosen.winner().1.placement();
    prop_assert!(case.constraints.are_kept_by(winner, &case.machine));
    let found = case.problem().hop_bytes(winner);
    let better = exact::fewer_hop_bytes(&case, found * 100 / 102);
    prop_assert!(
        better.is_none(),
        "{found} hop-bytes, and {better:?} can be had"
    );
    Ok(())
}

proptest! {
    #![proptest_config(repeatable(12))]

    #[test]
    fn what_is_found_within_constraints_is_nearly_the_best(wanted in constrained(6, &SMALL)) {
        is_nearly_exact(&wanted)?;
    }
}

/// The sets of constraints of the longer test. `scripts/bench constraints` asks for others, in
/// drawings of a hundred.
fn sets() -> ProptestConfig {
    let asked = |name| std::env::var(name).ok()?.parse().ok();
    let cases = asked("RANKFOLD_SETS").unwrap_or(16);
    drawn(
        asked("RANKFOLD_DRAWING").unwrap_or(1),
        u32::try_from(cases).unwrap_or(u32::MAX),
    )
}

proptest! {
    #![proptest_config(sets())]

    #[test]
    fn many_searches_within_constraints_find_nearly_the_best_slow(
        wanted in constrained(12, &SMALL),
    ) {
        is_nearly_exact(&wanted)?;
    }
}

#[test]
fn whole_hosts_keep_constraints_of_their_ranks() {
    let (graph, machine) = (shuffled(&star_stencil(&[16], true)), machine("mesh:4", 4));
    let moving = |demand: Demand| {
        let all = Constraints::new(16, &machine, vec![rule(demand)], None).unwrap();
        let case = Case::new(&graph, &machine).keeping(all.clone());
        let case = case.moving(rankfold_assess::Unit::Hosts(4));
        let found = select_together(case, &Request::default(), &Alone, &|_| ())?;
        Ok::<_, SelectError>((all, found))
    };
    let (all, found) = moving(Demand::Stay(Rank(5), Seat::Slot(SlotId(13)))).unwrap();
    assert!(all.are_kept_by(found.winner().1.placement(), &machine));
    assert!(moving(Demand::Together(vec![Rank(4), Rank(6)])).is_ok());
    for broken in [
        Demand::Stay(Rank(5), Seat::Slot(SlotId(12))),
        Demand::Together(vec![Rank(3), Rank(4)]),
        Demand::Apart(vec![Rank(0), Rank(3)]),
    ] {
        let error = moving(broken).err().unwrap().to_string();
        assert!(error.contains("whole hosts are moved here"), "{error}");
    }
}

proptest! {
    #![proptest_config(repeatable(48))]

    #[test]
    fn exhaust_alone_finds_the_fewest_hop_bytes_of_few_ranks(wanted in constrained(6, &SMALL)) {
        let case = wanted.case();
        let problem = case.problem();
        let start = wanted.start(&case);
        let hop_bytes = problem.hop_bytes(&start);
        let starts = [Start { placement: &start, hop_bytes }];
        let exhaust = REFINEMENTS.iter().find(|one| one.about().name == "exhaust").unwrap();
        let reached = exhaust.search_on(&problem, &starts).pop();
        let found = reached.map_or(hop_bytes, |reached| problem.hop_bytes(&reached.placement));
        let better = exact::fewer_hop_bytes(&case, found);
        prop_assert!(better.is_none(), "{found}, {better:?}");
    }
}
