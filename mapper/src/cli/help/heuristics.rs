//! `rankfold help heuristics`.

use super::{Topic, list};
use crate::members::PORTFOLIO;
use rankfold_problem::heuristic::Heuristic;
use rankfold_problem::objective::OBJECTIVES;

pub(in crate::cli) const HEURISTICS: Topic = Topic {
    name: "heuristics",
    summary: "how placements are found and improved, what is minimised, and how long to search",
    text,
};

fn text() -> String {
    let all = || PORTFOLIO.heuristics().map(Heuristic::about);
    let of = |family: &str| {
        let members = all().filter(|about| about.family.to_string() == family);
        list(members.map(|about| (about.name, about.summary)))
    };
    format!(
        "\
How a placement is found
  --heuristic auto (the default) runs every heuristic that is worth its time on this machine, refines the most promising placements, computes their figures, and takes the best placement. Block order, which most launchers use, is always a candidate, and stays where no other placement saves enough to be worth a change. --explain shows all candidates.
  --heuristic NAME runs one heuristic; --no-refine keeps its placement as the published algorithm makes it.
  --heuristic NAME:OPTION=VALUE,OPTION=VALUE sets what the heuristic's paper leaves to the user.

What is minimised (--objective)
{}
For how long
  --effort hurried     like fast, with shorter annealing: for programs that wait for their map in MPI_Init
  --effort fast        stops at the first good placement: a second for 65536 ranks
  --effort balanced    the default: every heuristic that may win, then annealing
  --effort best        every heuristic and the longest annealing: minutes for 1024 ranks
  --time SECONDS       anneals until the time is over; the result then depends on the speed of the computer
  Without --time, the same input, --seed and effort give the same placement, for any number of --threads.

Heuristics that need no knowledge of the communication
{}
Heuristics for programs whose ranks form a grid (rankfold analyze shows whether they do)
{}
Heuristics for all other programs
{}
Options of heuristics
{}
Refinements, applied after every heuristic
{}",
        list(OBJECTIVES.iter().map(|one| (one.name(), one.summary()))),
        of("oblivious"),
        of("regular"),
        of("irregular"),
        options(),
        list(
            PORTFOLIO
                .refinements
                .iter()
                .map(|one| (one.about().name, one.about().summary))
        ),
    )
}

/// The options that heuristics take, one line each.
fn options() -> String {
    let lines = PORTFOLIO.heuristics().flat_map(|heuristic| {
        let about = heuristic.about();
        about.options.iter().map(|option| {
            let expected = option.kind.expected();
            let given = format!("{}:{}", about.name, option.name);
            format!("  {given:28} {}; {expected}\n", option.summary)
        })
    });
    lines.collect()
}
