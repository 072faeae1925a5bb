//! The report that `rankfold run --report` writes about a run it has relaunched.

use super::facts;
use crate::cli::options::SearchArgs;
use crate::cli::{output, terminal};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_report::data::Measured;
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
    /// Seconds in MPI in the launcher's order, as the mean over the ranks; `None` if not measured.
    pub before: Option<f64>,
    /// Seconds in MPI with the map, as the mean over the ranks; `None` if not measured.
    pub after: Option<f64>,
    /// Predicted ratio of the communication time in the launcher's order to that with the map.
    pub predicted_gain: Option<f64>,
    /// The options of the search.
    pub search: &'a SearchArgs,
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
        report.measured = self.before.or(self.after).map(|_| Measured {
            before: self.before,
            after: self.after,
            predicted_gain: self.predicted_gain,
        });
        facts::add(&mut report, self.search, Path::new(self.title), true);
        output::write(output, page::html(&report).as_bytes())?;
        terminal::note(format_args!("wrote {}", output.display()));
        Ok(())
    }
}
