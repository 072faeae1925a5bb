//! `rankfold help mapfiles`.

use super::{Topic, list};
use rankfold_mapfile::FORMATS;

pub(super) const MAPFILES: Topic = Topic {
    name: "mapfiles",
    summary: "placements in the syntax of launchers: the formats, and which launcher reads which",
    text,
};

fn text() -> String {
    format!(
        "\
A mapfile says where every rank goes, in the syntax of one launcher
  rankfold map ... --to FORMAT -o FILE       writes a mapfile, and prints the command line that uses it
  rankfold run --map FILE -- mpirun ...      launches with a mapfile of any format, and verifies every rank
  rankfold mapfile FILE --to FORMAT          converts a mapfile to the syntax of another launcher
  rankfold eval ... --placement FILE         computes all figures of a mapfile

Formats (--to and --from)
{}
The format of a file is recognised from its lines. Some formats look alike: a file with one number a line is read as nodes, not as cray, and a file with one host a line as seq, not as slurm. --from FORMAT overrides this.
Formats that name hosts need --hosts, or a machine file with host names. The formats nodes, cray and mpich5 hold numbers only, and fit any hosts that are listed at launch.
",
        list(FORMATS.iter().map(|one| (one.name(), one.summary())))
    )
}
