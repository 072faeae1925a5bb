//! The report of a run that was placed, for whoever has launched it.

use super::facts;
use crate::cli::options::SearchArgs;
use crate::cli::{output, terminal};
use rankfold_model::machine::Machine;
use rankfold_model::{CommGraph, Placement};
use rankfold_profile::Profile;
use rankfold_report::data::Measured;
use rankfold_report::gather::{Scene, Shown, gather};
use rankfold_report::page;
use std::path::Path;

/// A run in the order its launcher chose, and with a placement.
#[derive(Clone, Copy, Debug)]
pub struct Relaunched<'a> {
    /// What it is called.
    pub title: &'a str,
    /// Its communication, and what else was counted of it.
    pub graph: &'a CommGraph,
    /// The same.
    pub profile: &'a Profile,
    /// Where it ran.
    pub machine: &'a Machine,
    /// In the launcher's order.
    pub launched: &'a Placement,
    /// By the map, and who made it; `None` where no order is better than the launcher's.
    pub placed: Option<(&'a Placement, &'a str)>,
    /// Seconds in MPI, the mean of the ranks, in the launcher's order; as far as they are known,
    /// like those with the map.
    pub before: Option<f64>,
    /// The same with the map.
    pub after: Option<f64>,
    /// How many times as fast as in the launcher's order it was predicted to be with the map.
    pub predicted_gain: Option<f64>,
    /// How the map was looked for.
    pub search: &'a SearchArgs,
}

impl Relaunched<'_> {
    /// Writes the page.
    ///
    /// # Errors
    /// Those of the file.
    pub fn write(&self, output: &Path) -> anyhow::Result<()> {
        let side = |name: &str, about: String, placement| Shown {
            name: name.into(),
            about,
            placement,
            graph: None,
        };
        let placed = self
            .placed
            .map(|(placement, maker)| side("placed", format!("what {maker} found"), placement));
        let launched = "where the ranks ran when they were profiled".into();
        let sides = [side("as launched", launched, self.launched)].into_iter();
        let scene = Scene::new(self.title, self.graph)
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
