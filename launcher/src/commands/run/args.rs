//! The options of `rankfold run`.

use rankfold_cache::{Key, MapOptions, RanksAndHosts};
use rankfold_importers::{PRESETS, Rule};
use rankfold_launch::error::LaunchError;
use rankfold_launch::launch::Launch;
use rankfold_launch::placing_method::{LostSeat, PlacingMethod};
use rankfold_mapper::cli::input::collectives_models;
use rankfold_mapper::cli::options::{NodeArgs, SearchArgs, mapfile_formats};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The most runs that are compared in each order. The statistics take longer than many a program
/// beyond that.
const MOST_COMPARED: u64 = 100;

const EXAMPLES: &str = "\
Examples:
  rankfold run -- mpirun -n 64 ./app                 profiled, then mapped
  rankfold run --compare 4 -- mpirun -n 64 ./app     which order is faster?
  rankfold run --map app.map -- mpirun -n 64 ./app
  rankfold run --machine torus:4x4x4 -- mpirun -n 64 ./app";

/// `rankfold run`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, after_help = SHORT, after_long_help = help())]
pub(in crate::commands) struct Args {
    /// The placement: a mapfile of any format (nodes needs --hosts)
    #[arg(long, value_name = "MAPFILE", conflicts_with_all = ["machine", "weights", "ConstraintArgs"])]
    pub(super) map: Option<PathBuf>,
    /// Format of the mapfile [default: what its lines look like; one number a line is nodes, not
    /// cray]
    #[arg(long, value_name = "FORMAT", value_parser = mapfile_formats(), hide_possible_values = true, requires = "map")]
    pub(super) from: Option<String>,
    /// The machine, instead of what is found; a program that has no map yet runs twice, first to be
    /// profiled
    #[arg(long, value_name = "SPEC|FILE")]
    pub(super) machine: Option<String>,
    /// How the names of hosts tell where they are: a pattern with a group for every level, or the
    /// name of a rule
    #[arg(long, value_name = "RULE", conflicts_with = "map")]
    pub(super) rule: Option<Rule>,
    #[command(flatten)]
    pub(super) nodes: NodeArgs,
    #[command(flatten)]
    pub(super) search: SearchArgs,
    /// Add collectives, as one of the models would carry them out [default: where a placement
    /// can shorten them, as for rankfold map]
    #[arg(long, value_name = "MODEL", value_parser = collectives_models(), hide_possible_values = true, conflicts_with = "map")]
    pub(super) collectives: Option<String>,
    /// Answer MPI_Cart_create, MPI_Graph_create and MPI_Dist_graph_create by the mapper where the
    /// program sets reorder; without --map nothing else is done
    #[arg(long, conflicts_with_all = ["once", "after", "json", "explain", "keep", "report"])]
    pub(super) reorder_topologies: bool,
    /// Keep the profiles and the map in this directory: PROGRAM.rfp, PROGRAM.map,
    /// PROGRAM-mapped.rfp
    #[arg(long, value_name = "DIR", conflicts_with = "map")]
    pub(super) keep: Option<PathBuf>,
    /// How the placement takes effect [default: renumber, which leaves the line as it is; native
    /// where that cannot be and keeps every seat]
    #[arg(long, value_name = "HOW")]
    pub(super) how: Option<PlacingMethod>,
    /// What follows where a launcher that places ranks itself gives one other cores, memory or
    /// devices than the launch by itself [default: stop]
    #[arg(long, value_name = "WHAT")]
    pub(super) lost_seat: Option<LostSeat>,
    /// Profile this run in the order the launcher chooses, whatever is known; the map is for the
    /// next run
    #[arg(long, conflicts_with = "map")]
    pub(super) once: bool,
    /// Profile only the first part of this run, 120s or 10m long; the program goes on
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "map")]
    pub(super) after: Option<Duration>,
    /// Run the launch N times in the order as launched and N times with the map, in turn, and
    /// say which is faster; a program that has no map yet runs once more before, to be profiled
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_COMPARED),
          conflicts_with_all = ["once", "after", "dry_run", "reorder_topologies", "keep"])]
    pub(super) compare: Option<u64>,
    /// Where to write the figures of the mapping as JSON, which is solved anew for them, and of
    /// --compare the times of every run
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Where to write a page that shows the run as launched and as placed, and what was measured of
    /// both
    #[arg(long, value_name = "FILE", conflicts_with = "map")]
    pub(super) report: Option<PathBuf>,
    /// Print every candidate and why the winner won, on stderr; solves the mapping anew
    #[arg(long, conflicts_with = "map")]
    pub(super) explain: bool,
    /// Print the command that would run and why it places so, and do not run it
    #[arg(long)]
    pub(in crate::commands) dry_run: bool,
    /// The launch: mpirun -n 64 ./app args; or a script with launches in it: bash job.sh
    #[arg(last = true, required = true, value_name = "LAUNCH")]
    pub(in crate::commands) launch: Vec<OsString>,
}

impl Args {
    /// Whether the user asks for anything besides a good order of the ranks: a certain machine, a
    /// profile, figures or a report.
    pub(super) fn asks_for_more(&self) -> bool {
        let files = [&self.map, &self.keep, &self.json, &self.report];
        let flags = self.once || self.explain || self.reorder_topologies;
        flags
            || files.iter().any(|file| file.is_some())
            || self.machine.is_some()
            || self.how.is_some()
            || self.after.is_some()
            || self.compare.is_some()
    }

    /// The first option that is given and concerns a single launch, so that it cannot be given with
    /// a script.
    pub(in crate::commands) fn of_one_launch(&self) -> Option<&'static str> {
        let given = [
            ("--map", self.map.is_some()),
            ("--json", self.json.is_some()),
            ("--report", self.report.is_some()),
        ];
        given
            .into_iter()
            .find(|(_, is_given)| *is_given)
            .map(|(option, _)| option)
    }

    /// The key of this run of `launch` on `cluster`, on hosts with so many `slots` if that is
    /// known.
    ///
    /// # Errors
    /// The launch asks for a number of ranks that is none.
    pub(super) fn key(
        &self,
        launch: &Launch,
        cluster: &str,
        slots: Option<u64>,
    ) -> Result<Key, LaunchError> {
        let options = MapOptions {
            cores: self.nodes.cores,
            collectives: self.collectives.clone(),
            search: self.search.key(),
        };
        let ranks = launch.ranks()?.map(|(ranks, _)| ranks);
        let ranks_and_hosts = RanksAndHosts {
            ranks,
            slots: slots.filter(|_| ranks.is_none()),
            layout: launch.layout(),
        };
        let programs = launch.apps.iter().map(|app| &app.program[..]);
        Ok(Key::new(programs, ranks_and_hosts, cluster, options))
    }
}

/// Reads a time: `120`, `120s`, `10m` or `2h`.
fn duration(text: &str) -> Result<Duration, String> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &text[number.len()..];
    let seconds = match unit {
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("{unit} is no unit of time: s, m or h")),
    };
    let number: f64 = number
        .parse()
        .map_err(|_| "not a time such as 120s".to_owned())?;
    let time = Duration::try_from_secs_f64(number * seconds).ok();
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| "must be above 0".to_owned())
}

/// The last line of the short help.
const SHORT: &str =
    "Without --map and --machine the machine is found. All options: rankfold run --help";

fn help() -> String {
    let rules: Vec<String> = PRESETS
        .iter()
        .map(|preset| format!("  {:<10}{}", preset.name, preset.about))
        .collect();
    format!(
        "Without --map and --machine the machine is found: the first run of a program profiles it,\n\
         later ones use the map that was made of it, as long as it is the better one.\n\
         rankfold cache list tells what is known, rankfold machine show the machine.\n\n\
         Rules by name:\n{}",
        rules.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let read = |text| duration(text).map(|time| time.as_secs_f64());
        assert_eq!(read("120s"), Ok(120.0));
        assert_eq!(read("0.5"), Ok(0.5));
        assert_eq!(read("10m"), Ok(600.0));
        for wrong in ["0", "-1s", "s", "5 parsecs", "1e400h"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
