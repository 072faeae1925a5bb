//! `rankfold help heuristics`.

use super::{Topic, list};
use rankfold_search::objective::OBJECTIVES;
use rankfold_search::select::{self, REFINEMENTS};

pub(in crate::cli) const HEURISTICS: Topic = Topic {
    name: "heuristics",
    summary: "what makes and improves placements, what is minimised, and for how long",
    text,
};

fn text() -> String {
    let all = || select::HEURISTICS.iter().map(|one| one.about());
    let of = |family: &str| {
        let members = all().filter(|about| about.family.to_string() == family);
        list(members.map(|about| (about.name, about.summary)))
    };
    format!(
        "\
How a placement is found
  --heuristic auto (the default) asks every heuristic worth its time on this machine, refines the most promising placements,
  computes their figures, and takes the best; block order, which most launchers give, is always among them, and stays where
  nothing else is worth a change. --explain shows all of them. --heuristic NAME runs one, --no-refine leaves it as published.

What is minimised (--objective)
{}
For how long
  --effort hurried     as fast, with short annealing: for programs that wait for their map in MPI_Init
  --effort fast        the first good placement: a second for 65536 ranks
  --effort balanced    the default: every heuristic that may win, then annealing
  --effort best        every heuristic, the longest annealing: minutes for 1024 ranks
  --time SECONDS       anneals until then; the result depends on the speed of the computer
  Otherwise the same input, --seed and effort give the same placement, on any number of --threads.

Heuristics that need no knowledge of the communication
{}
Heuristics for grids of ranks (rankfold analyze tells whether a program is one)
{}
Heuristics for anything else
{}
Refinements, after every heuristic
{}",
        list(OBJECTIVES.iter().map(|one| (one.name(), one.summary()))),
        of("oblivious"),
        of("regular"),
        of("irregular"),
        list(
            REFINEMENTS
                .iter()
                .map(|one| (one.about().name, one.about().summary))
        ),
    )
}
