//! `rankfold help mapfiles`.

use super::{Topic, list};
use rankfold_model::mapfile::FORMATS;

pub(super) const MAPFILES: Topic = Topic {
    name: "mapfiles",
    summary: "placements as launchers read them: the formats, and which launcher takes which",
    text,
};

fn text() -> String {
    format!(
        "\
A mapfile says where every rank goes, in the words of one launcher
  rankfold map ... --to FORMAT -o FILE       writes one, and prints the line to run
  rankfold run --map FILE -- mpirun ...      launches with it, whatever its format, and verifies every rank
  rankfold mapfile FILE --to FORMAT          writes it for another launcher
  rankfold eval ... --placement FILE         computes its figures

Formats (--to and --from)
{}
Which file a placement was read from is told by its lines. Some look alike: one number a line is taken for nodes, not
cray; one host a line for seq, not slurm. --from FORMAT says it.
Formats that name hosts need --hosts or a machine file that names them; nodes, cray and mpich5 speak of slots, and fit any
hosts that are listed at launch.
",
        list(FORMATS.iter().map(|one| (one.name(), one.summary())))
    )
}
