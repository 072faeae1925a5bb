//! Ranks that stay: no heuristic, no refinement and no selection moves them.

use super::*;
use crate::heuristic::{Scope, Start};
use crate::testing;
use rankfold_assess::{Case, Fixed, Seat};
use rankfold_base::{NodeId, Rank, SlotId};

const SPECS: [&str; 7] = [
    "torus:4x4",
    "mesh:2x9",
    "torus:3x2x3",
    "tree:3x6",
    "xgft:3,6:1,2",
    "dragonfly:2,2,2,4",
    "mesh:17",
];

/// A problem with ranks that stay: (rank, slot, whether any slot of that slot's node will do).
#[derive(Clone, Debug)]
struct Staying {
    ranks: usize,
    edges: Vec<(usize, usize, u64)>,
    cores: u32,
    spec: &'static str,
    stay: Vec<(usize, usize, bool)>,
    objective: &'static dyn Objective,
    effort: Effort,
}

prop_compose! {
    fn staying()(
        spec in prop::sample::select(&SPECS[..]),
        cores in 1u32..4,
        ranks in 2usize..17,
        edges in prop::collection::vec((any::<usize>(), any::<usize>(), 1u64..1 << 40), 1..60),
        stay in prop::collection::vec((any::<usize>(), any::<usize>(), any::<bool>()), 1..6),
        objective in prop::sample::select(OBJECTIVES),
        effort in prop_oneof![
            2 => Just(Effort::Hurried), 2 => Just(Effort::Fast), 1 => Just(Effort::Balanced)
        ],
    ) -> Staying {
        Staying { ranks, edges, cores, spec, stay, objective, effort }
    }
}

impl Staying {
    fn case(&self) -> testing::Case {
        let edges = self.edges.iter();
        let messages = edges.map(|&(a, b, bytes)| message(a % self.ranks, b % self.ranks, bytes));
        let machine = machine(self.spec, self.cores);
        let graph = graph(self.ranks, messages.collect());
        let mut case = testing::Case::new(graph, machine);
        case.fixed = self.fixed(&case.machine);
        case
    }

    /// As many of the wishes as can be had together.
    fn fixed(&self, machine: &Machine) -> Fixed {
        let slots = machine.slots();
        let mut had = Vec::new();
        for &(rank, slot, anywhere) in &self.stay {
            let slot = SlotId::at(slot % slots.len());
            let seat = if anywhere {
                Seat::Node(slots.node_of(slot))
            } else {
                Seat::Slot(slot)
            };
            let wishes: Vec<_> = had
                .iter()
                .copied()
                .chain([(Rank::at(rank % self.ranks), seat)])
                .collect();
            if Fixed::new(self.ranks, machine, wishes.clone()).is_ok() {
                had = wishes;
            }
        }
        Fixed::new(self.ranks, machine, had).unwrap()
    }

    /// A placement that keeps the ranks where they stay.
    fn start(&self, case: &testing::Case) -> Placement {
        let spread = |rank| SlotId::at(rank * case.machine.slots().len() / self.ranks);
        let start = Placement::new((0..self.ranks).map(spread).collect());
        let affinity = case.graph.affinity();
        case.fixed.put_back(start, &affinity, &case.machine)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_refinement_moves_a_rank_that_stays(staying in staying()) {
        let case = staying.case();
        let problem = Problem {
            objective: staying.objective,
            effort: staying.effort.max(Effort::Fast),
            ..case.problem()
        };
        let start = staying.start(&case);
        prop_assert!(case.fixed.are_kept_by(&start, &case.machine));
        for refinement in REFINEMENTS {
            let about = refinement.about();
            if !(about.suits)(&case.machine) {
                continue;
            }
            let reached: Vec<Placement> = match about.scope {
                Scope::EachPlacement => {
                    let mut placement = start.clone();
                    refinement.refine(&problem, &mut placement);
                    vec![placement]
                }
                Scope::BestPlacements => {
                    let hop_bytes = problem.hop_bytes(&start);
                    let starts = [Start { placement: &start, hop_bytes }];
                    let reached = refinement.search_on(&problem, &starts).into_iter();
                    reached.map(|reached| reached.placement).collect()
                }
            };
            for placement in reached {
                let kept = case.fixed.are_kept_by(&placement, &case.machine);
                prop_assert!(kept, "{}: {:?} of {:?}", about.name, placement, case.fixed);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_candidate_of_a_selection_has_moved_a_rank_that_stays(staying in staying()) {
        let case = staying.case();
        let request = Request {
            objective: staying.objective,
            effort: staying.effort.min(Effort::Fast),
            ..Request::default()
        };
        let launched = staying.start(&case);
        let asked = Case::new(&case.graph, &case.machine)
            .launched(Some(launched))
            .fixing(case.fixed.clone());
        let chosen = select_together(asked, &request, &Alone, &|_| ()).unwrap();
        for candidate in &chosen.candidates {
            let Ok(solution) = &candidate.outcome else {
                continue;
            };
            let kept = case.fixed.are_kept_by(solution.placement(), &case.machine);
            prop_assert!(kept, "{}", candidate.heuristic);
        }
        let launched = chosen.launched.as_ref().unwrap();
        if staying.objective.is_predicted_time() {
            prop_assert!(chosen.winner().1.value <= launched.value);
        }
    }
}

#[test]
fn every_heuristic_asked_for_by_name_leaves_ranks_where_they_stay() {
    let graph = star_stencil(&[4, 4], true);
    for spec in ["torus:4x4", "tree:4x4"] {
        let machine = machine(spec, 1);
        let stay = [
            (Rank(0), Seat::Node(NodeId(9))),
            (Rank(5), Seat::Slot(SlotId(0))),
        ];
        let fixed = Fixed::new(16, &machine, stay).unwrap();
        let mut placed = 0;
        for heuristic in HEURISTICS {
            let request = Request {
                heuristic: Some(heuristic.about().name.into()),
                effort: Effort::Fast,
                ..Request::default()
            };
            let case = Case::new(&graph, &machine).fixing(fixed.clone());
            let Ok(chosen) = select_together(case, &request, &Alone, &|_| ()) else {
                continue;
            };
            placed += 1;
            let winner = chosen.winner().1.placement();
            assert!(
                fixed.are_kept_by(winner, &machine),
                "{}",
                heuristic.about().name
            );
        }
        assert!(placed > 15, "{placed} heuristics placed ranks on {spec}");
    }
}
