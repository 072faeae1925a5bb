//! What placements have to keep.

use crate::{names, request};
use rankfold_assess::{Case, Constraints, Demand, Rule, Seat};
use rankfold_base::{NodeId, Rank, SlotId};
use rankfold_problem::heuristic::Effort;
use rankfold_problem::team::Alone;
use rankfold_problem::testing::{machine, star_stencil};
use rankfold_search::select::{Request, select_together};

#[test]
fn every_heuristic_asked_for_by_name_keeps_constraints() {
    let graph = star_stencil(&[4, 4], true);
    for spec in ["torus:4x4", "tree:4x4"] {
        let machine = machine(spec, 2);
        let rules = [
            Demand::Stay(Rank(0), Seat::Node(NodeId(9))),
            Demand::Stay(Rank(5), Seat::Slot(SlotId(0))),
            Demand::Together(vec![Rank(2), Rank(15)]),
            Demand::Apart(vec![Rank(0), Rank(1), Rank(8)]),
        ];
        let rules = rules
            .map(|demand| Rule {
                demand,
                origin: String::new(),
            })
            .to_vec();
        let constraints = Constraints::new(16, &machine, rules, None).unwrap();
        let mut placed = 0;
        for name in names() {
            let request = Request {
                effort: Effort::Hurried,
                ..request(Some(name))
            };
            let case = Case::new(&graph, &machine).keeping(constraints.clone());
            let Ok(chosen) = select_together(case, &request, &Alone, &|_| ()) else {
                continue;
            };
            placed += 1;
            let winner = chosen.winner().1.placement();
            assert!(constraints.are_kept_by(winner, &machine), "{name}");
        }
        assert!(placed > 15, "{placed} heuristics placed ranks on {spec}");
    }
}
