//! `rankfold machine draw`: a machine as an SVG file, with or without a placement.

use super::folding::foldings;
use crate::cli::options::{NodeArgs, mapfile_formats};
use crate::cli::{mapfile as maps, output, terminal};
use crate::error::Error;
use rankfold_base::Placement;
use rankfold_machine::Machine;
use rankfold_mapfile as mapfile;
use rankfold_report::data::{Machine as DrawnMachine, NetworkShape};
use rankfold_report::{gather, page};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rankfold machine draw torus:4x4x4 -o torus.svg
  rankfold machine draw site.toml --placement app.map -o app.svg     with the ranks on it";

/// `rankfold machine draw`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Args {
    /// The machine: a spec or a machine file
    spec: String,
    #[command(flatten)]
    nodes: NodeArgs,
    /// The ranks to draw on it: a mapfile of any format, or the node of every rank, one a line
    #[arg(long, value_name = "MAPFILE")]
    placement: Option<PathBuf>,
    /// Format of the mapfile [default: recognised from its lines]
    #[arg(long, value_name = "FORMAT", requires = "placement", value_parser = mapfile_formats(), hide_possible_values = true)]
    from: Option<String>,
    /// Where to write the drawing
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let inputs = args.nodes.files(&args.spec);
    output::check_all([&args.output], inputs.chain(args.placement.as_deref()))?;
    let machine = args.nodes.build(&args.spec)?;
    let placement = match &args.placement {
        Some(path) => {
            let seats =
                mapfile::read(path, maps::from(args.from.as_deref())?).map_err(Error::from)?;
            machine.check_fits(seats.ranks()).map_err(Error::from)?;
            let file = path.to_string_lossy();
            let placement = mapfile::placement(&seats, &machine, seats.ranks(), &file);
            let name = path.file_name().unwrap_or(path.as_os_str());
            Some((name.to_string_lossy(), placement.map_err(Error::from)?))
        }
        None => None,
    };
    let shown = placement.as_ref().map(|(name, of)| (name.as_ref(), of));
    let (drawn, side) = gather::machine_alone(&machine, shown);
    let svg = page::machine_alone(&drawn, &side, None);
    let svg = match svg {
        Ok(svg) => svg,
        Err(problem) => folded(&machine, &drawn, shown).ok_or_else(|| Error::Flag {
            flag: "machine draw",
            value: args.spec.clone(),
            problem,
        })?,
    };
    output::write(&args.output, svg.as_bytes())?;
    terminal::note(format_args!("wrote {}", args.output.display()));
    Ok(())
}

/// The drawing of a grid or tree with too many links, folded as little as needed; `None` for other
/// networks. `whole` describes the machine.
fn folded(
    machine: &Machine,
    whole: &DrawnMachine,
    shown: Option<(&str, &Placement)>,
) -> Option<String> {
    foldings(machine).find_map(|folded| {
        let shown = match shown {
            Some((name, placement)) => Some((name, folded.placement(placement, machine)?)),
            None => None,
        };
        let shown = shown.as_ref().map(|(name, of)| (*name, of));
        let (mut drawn, side) = gather::machine_alone(&folded.machine, shown);
        take_levels(&mut drawn.shape, &whole.shape);
        let folding = page::Folding {
            whole,
            nodes_each: folded.nodes_each,
            meaning: &folded.meaning,
        };
        page::machine_alone(&drawn, &side, Some(folding)).ok()
    })
}

/// Names the levels of a folded tree, and counts their cables, as those of the whole tree. A folded
/// tree lacks the lowest levels.
fn take_levels(folded: &mut NetworkShape, whole: &NetworkShape) {
    if let (
        NetworkShape::Levels { levels, .. },
        NetworkShape::Levels {
            levels: of_whole, ..
        },
    ) = (folded, whole)
    {
        let lacking = of_whole.len().saturating_sub(levels.len());
        levels.clone_from_slice(&of_whole[lacking..]);
    }
}
