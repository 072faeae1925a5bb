//! The report that `rankfold run --report` writes about a run it has relaunched.

use super::{embedded, facts};
use crate::cli::options::SearchArgs;
use crate::cli::{output, terminal};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_report::data::{Limit, Measured};
use rankfold_report::gather::{NamedPlacement, ReportInput, gather};
use rankfold_report::page;
use rankfold_search::select::name_in_words;
use rankfold_wire::Profile;
use std::path::Path;

/// A run in the order its launcher chose, and the same run with a placement.
#[derive(Clone, Copy, Debug)]
pub struct Relaunched<'a> {
    /// Title of the report.
    pub title: &'a str,
    /// The communication of the run.
    pub graph: &'a CommGraph,
    /// What the profile holds besides the matrix.
    pub profile: &'a Profile,
    /// The machine the run was on.
    pub machine: &'a Machine,
    /// The placement in the launcher's order.
    pub launched: &'a Placement,
    /// The placement made by the map, and the name of what made it; `None` where no placement is
    /// better than the launcher's order.
    pub placed: Option<(&'a Placement, &'a str)>,
    /// Seconds in MPI in both orders, as the mean over the ranks, and what was promised of them.
    pub measured: BothOrders,
    /// The options of the search.
    pub search: &'a SearchArgs,
}

/// What was measured of a run in both orders, beside what was promised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BothOrders {
    /// Seconds in MPI in the launcher's order, as the mean over the ranks; `None` if not measured.
    pub before: Option<f64>,
    /// Seconds in MPI with the map, as the mean over the ranks; `None` if not measured.
    pub after: Option<f64>,
    /// Ratio of the time before to the time after that was promised before the first run with the
    /// map.
    pub promised: Option<f64>,
    /// Whether that ratio is the highest that is possible rather than the one to expect.
    pub at_most: bool,
    /// Whether it is the least on machines that fit what was told.
    pub at_least: bool,
    /// The same ratio as runs with the map have corrected it; `None` before the first.
    pub corrected: Option<f64>,
    /// The numbers of runs in both orders.
    pub runs: [usize; 2],
    /// Whether the runs are too few for a verdict.
    pub too_few: bool,
}

impl Relaunched<'_> {
    /// Writes the report as an HTML page.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, output: &Path) -> anyhow::Result<()> {
        let launched = NamedPlacement::new(super::LAUNCHED, self.launched);
        let launched = launched.explained(super::about(true).into());
        let placed = self.placed.map(|(placement, maker)| {
            let found = format!("what {} found", name_in_words(maker));
            NamedPlacement::new(super::PLACED, placement).explained(found)
        });
        let sides = [launched].into_iter();
        let scene = ReportInput::new(self.title, self.graph)
            .with_profile(self.profile)
            .on(self.machine, sides.chain(placed));
        let mut report = gather(&scene);
        let BothOrders {
            before,
            after,
            promised,
            at_most,
            at_least,
            corrected,
            runs,
            too_few,
        } = self.measured;
        report.measured = before.or(after).map(|_| Measured {
            before,
            after,
            predicted_gain: promised,
            predicted_limit: match (at_most, at_least) {
                (true, _) => Some(Limit::AtMost),
                (false, true) => Some(Limit::AtLeast),
                (false, false) => None,
            },
            corrected_gain: corrected,
            runs: Some(runs),
            too_few,
        });
        let last = self
            .placed
            .map_or(self.launched, |(placement, _)| placement);
        report.to_know = facts::what_to_know(self.graph, self.machine, [self.launched, last]);
        report.mapfile = self.placed.and_then(|(placement, _)| {
            embedded::of(
                false,
                self.title,
                Some(self.profile),
                placement,
                self.machine,
            )
        });
        facts::add(&mut report, self.search, Path::new(self.title), true);
        output::write(output, page::html(&report).as_bytes())?;
        terminal::note(format_args!("wrote {}", output.display()));
        Ok(())
    }
}
